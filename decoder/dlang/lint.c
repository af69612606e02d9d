// SPDX-License-Identifier: Apache-2.0
/*
 * lint.c - traps in a program that is right: warnings, off with -x nolint
 */
#include "dlang/check.h"

/* Names that come in pairs */
static const char *const pairs[][2] = {
	{ "start", "end" },	      { "entry", "return" },  { "scheduled", "unscheduled" },
	{ "grow", "shrink" },	      { "busy", "not_busy" }, { "sleep", "wakeup" },
	{ "register", "unregister" }, { "load", "unload" },
};

/* Return: what the name would be with its ending exchanged, or NULL */
static const char *sibling(struct dlang *dl, const char *name)
{
	const char *dash = strrchr(name, '-');
	unsigned int i, k;

	for (i = 0; dash && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (k = 0; k < 2; k++)
			if (!strcmp(dash + 1, pairs[i][k]))
				return arena_printf(&dl->mem, "%.*s-%s", (int)(dash - name), name,
						    pairs[i][!k]);
	return NULL;
}

/* Does a description mean probes of a VM?  Short ones name no provider. */
static bool is_erlang(const struct dprog_pdesc *pd)
{
	static const char *const others[] = { "BEGIN", "END", "ERROR", "tick-", "profile-" };
	unsigned int i;

	if (*pd->prov)
		return !strncmp(pd->prov, "erlang", 6);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(pd->name, others[i], strlen(others[i])))
			return false;
	return *pd->name || *pd->func || *pd->mod;
}

/*
 * One probe in two clauses that differ in nothing, and its counterpart nowhere: often a slip of
 * the pen
 */
static void lint_pairs(struct dlang *dl)
{
	struct strmap uses = { 0 };
	const struct node *c, *p;
	const char *other;

	for (c = dl->clauses; c; c = c->next)
		for (p = c->list; p; p = p->next) {
			const struct dprog_pdesc *pd = p->data;
			uintptr_t n = (uintptr_t)strmap_get(&uses, pd->name, strlen(pd->name));

			strmap_put(&uses, pd->name, strlen(pd->name), (void *)(n + 1));
		}
	for (c = dl->clauses; c; c = c->next)
		for (p = c->list; p; p = p->next) {
			const struct dprog_pdesc *pd = p->data;

			if (!is_erlang(pd) ||
			    (uintptr_t)strmap_get(&uses, pd->name, strlen(pd->name)) < 2)
				continue;
			other = sibling(dl, pd->name);
			if (!other || strmap_get(&uses, other, strlen(other)))
				continue;
			err_warn(dl, p->line, D_LINT_PAIR,
				 "probe %s is used twice, %s never: is one of them meant?",
				 pd->name, other);
			strmap_put(&uses, other, strlen(other), dl);
		}
	strmap_fini(&uses);
}

static const struct node *find_self(const struct node *n)
{
	const struct node *f;

	for (; n; n = n->next) {
		if (n->kind == N_SCOPED && n->op == DPROG_THREAD && n->sym)
			return n;
		if ((f = find_self(n->a)) || (f = find_self(n->b)) || (f = find_self(n->c)) ||
		    (f = find_self(n->list)))
			return f;
	}
	return NULL;
}

/*
 * Where the kept value is used in another clause, on a probe between which the thread may have
 * changed processes
 */
static void lint_self(struct dlang *dl)
{
	const struct node *c, *p, *first = NULL, *f;

	for (c = dl->clauses; c; c = c->next) {
		bool erlang = false;

		for (p = c->list; p; p = p->next) {
			const struct dprog_pdesc *pd = p->data;

			/* processes keep their thread during these */
			erlang |= is_erlang(pd) && strncmp(pd->name, "driver", 6) &&
				  strncmp(pd->name, "scheduler", 9) && strncmp(pd->name, "port", 4);
		}
		f = erlang ? find_self(c->a) : NULL;
		if (erlang && !f)
			f = find_self(c->b);
		if (f && first) {
			err_warn(dl, f->line, D_LINT_SELF,
				 "self->%s is bound to a scheduler thread, on which Erlang "
				 "processes take turns: eself->%s is bound to the process",
				 f->str, f->str);
			return;
		}
		if (f)
			first = f;
	}
}

void check_lint(struct dlang *dl)
{
	const struct node *c, *p;

	for (c = dl->clauses; c; c = c->next)
		for (p = c->list; p; p = p->next)
			if (!p->data)
				return;
	if (dl->opts.no_lint)
		return;
	lint_pairs(dl);
	lint_self(dl);
}
