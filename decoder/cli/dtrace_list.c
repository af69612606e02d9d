// SPDX-License-Identifier: Apache-2.0
/* dtrace_list.c - listings of probes, and what the compiler asks of them */
#include <stdlib.h>
#include <string.h>
#include "cli/dtrace.h"
#include "provider/erlang.h"

#define NO_NODE "no node can be tapped: `beamtap list` shows those that can"

/* -- for the compiler -- */

static void add_types(struct dlang_match *m, const struct provider_probe *p)
{
	unsigned int nr = p->kind->nr_args < DLANG_MAX_ARGS ? p->kind->nr_args : DLANG_MAX_ARGS;

	for (unsigned int i = 0; i < nr; i++) {
		const struct provider_arg *a = &p->kind->args[i];
		const char *type = a->field >= 0 && a->dtype ? a->dtype : "";

		if (i >= m->nr_args) {
			m->arg_types[i] = type;
			m->vary[i] = m->nr_probes > 0 && *type;
			m->nr_args = i + 1;
		} else if (strcmp(m->arg_types[i], type)) {
			m->vary[i] = true;
		}
	}
	for (unsigned int i = nr; i < m->nr_args; i++)
		m->vary[i] = true;
	m->nr_probes++;
}

static int ask_one(void *ctx, struct provider_probe *p)
{
	add_types(ctx, p);
	return 0;
}

/*
 * The catalogue's probes: a script is checked against them where its nodes are not
 * there, so that it compiles, and fails to, in the same way with and without them.
 */
static struct provider_set *names(struct dtrace *dt)
{
	if (dt->names)
		return dt->names;
	dt->names = provider_set_new();
	if (dt->names && erlang_provide(dt->names, NULL, 0, NULL)) {
		provider_set_free(dt->names);
		dt->names = NULL;
	}
	return dt->names;
}

/* Whichever node it is that a description names. */
static struct match_desc of_any_node(const struct dprog_pdesc *pd)
{
	struct match_desc m = probes_desc(pd);

	if (!strncmp(pd->prov, "erlang", 6))
		m.glob[MATCH_PROV] = (char *)"";
	return m;
}

static int match(void *ctx, const struct dprog_pdesc *pd, struct dlang_match *m)
{
	struct dtrace *dt = ctx;
	struct match_desc any = of_any_node(pd);
	int r;

	memset(m, 0, sizeof(*m));
	r = probes_each(&dt->probes, pd, ask_one, m);
	if (r < 0)
		return r;
	if (m->nr_probes || pd->id || !names(dt))
		return 0;
	provider_each(dt->names, &any, ask_one, m);
	m->is_known = m->nr_probes > 0;
	if (!dt->is_check || !dt->is_nodeless)
		m->nr_probes = 0;
	return 0;
}

/* Is there any provider that a description may mean? */
static bool names_provider(struct dtrace *dt, const struct dprog_pdesc *pd)
{
	if (match_glob(pd->prov, "dtrace") || !strncmp(pd->prov, "erlang", 6))
		return true;
	for (uint32_t i = 0; i < provider_nr(dt->probes.set); i++)
		if (match_glob(pd->prov, provider_at(dt->probes.set, i)->prov))
			return true;
	return match_glob(pd->prov, "erlang1");
}

static void suggest(void *ctx, const struct dprog_pdesc *pd, char *buf, size_t size)
{
	struct dtrace *dt = ctx;
	struct match_desc m = dt->is_nodeless ? of_any_node(pd) : probes_desc(pd);
	struct provider_set *set = dt->is_nodeless ? names(dt) : dt->probes.set;
	char near[250] = "";

	if (!names_provider(dt, pd))
		snprintf(buf, size, "there is no provider %s: there are dtrace, profile and erlang<pid>", pd->prov);
	else if (dt->is_nodeless && set && provider_each(set, &m, NULL, NULL) > 0)
		snprintf(buf, size, "%s", dt->from.is_live ? NO_NODE : "no node's events are recorded there");
	else if (set)
		provider_suggest(set, &m, near, sizeof(near));
	if (*near)
		snprintf(buf, size, "nearest name: %s", near);
}

static bool has_provider(void *ctx, const char *name)
{
	struct dtrace *dt = ctx;

	if (!strcmp(name, "dtrace") || !strcmp(name, "profile"))
		return true;
	if (dt->is_nodeless && dt->is_check && !strncmp(name, "erlang", 6))
		return true;
	if (!strcmp(name, "erlang"))
		name = "erlang*";
	for (uint32_t i = 0; i < provider_nr(dt->probes.set); i++)
		if (match_glob(name, provider_at(dt->probes.set, i)->prov))
			return true;
	return false;
}

void dtrace_list_ask(struct dtrace *dt, struct dlang_probes *ask)
{
	*ask = (struct dlang_probes){ .ctx = dt, .match = match, .suggest = suggest,
				      .has_provider = has_provider };
}

/* -- stability -- */

static struct dlang_attr attr(const char *text)
{
	struct dlang_attr a = { 0, 0, 0 };

	dlang_attr(text, &a);
	return a;
}

static struct dlang_attr least(struct dlang_attr a, struct dlang_attr b)
{
	a.name = a.name < b.name ? a.name : b.name;
	a.data = a.data < b.data ? a.data : b.data;
	a.cls = a.cls < b.cls ? a.cls : b.cls;
	return a;
}

static void put_stability(FILE *f, const char *head, struct dlang_attr a)
{
	const char *text[3];

	dlang_attr_text(&a, text);
	fprintf(f, "\t%s\n\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n\n", head,
		text[0], text[1], text[2]);
}

static void put_args(FILE *f, const struct provider_probe *p)
{
	bool any = false;

	fprintf(f, "\tArgument Types\n");
	for (unsigned int i = 0; p && i < p->kind->nr_args; i++) {
		const struct provider_arg *a = &p->kind->args[i];

		if (a->field < 0 || !a->dtype)
			continue;
		fprintf(f, "\t\targs[%u]: %s\n", i, a->dtype);
		any = true;
	}
	if (!any)
		fprintf(f, "\t\tNone\n");
	fputc('\n', f);
}

static struct dlang_attr stability_of(const struct provider_probe *p)
{
	struct dprog_pdesc pd = { .prov = p->prov };

	return dlang_attr_of_probes(&pd);
}

/* What is least stable of all that a unit's clauses name. */
static struct dlang_attr least_of(const struct dprog *prog, const struct dprog_unit *u)
{
	struct dlang_attr a = attr("Stable/Stable/Common");

	for (uint32_t c = u->clause; c < u->clause + u->nr_clauses; c++)
		for (uint32_t k = 0; k < prog->clauses[c].nr_pdescs; k++)
			a = least(a, dlang_attr_of_probes(&prog->clauses[c].pdescs[k]));
	return a;
}

static int first_probe(void *ctx, struct provider_probe *p)
{
	*(struct provider_probe **)ctx = p;
	return 1;
}

void dtrace_list_stability(struct dtrace *dt, FILE *f)
{
	for (uint32_t u = 0; u < dt->prog->nr_units; u++) {
		const struct dprog_unit *unit = &dt->prog->units[u];

		fputs("\nStability attributes for ", f);
		for (const char *n = dt->units[u].name; *n; n++)
			if (*n != '\'')
				fputc(*n, f);
		fputs(":\n\n", f);
		for (uint32_t c = unit->clause; c < unit->clause + unit->nr_clauses; c++) {
			const struct dprog_clause *clause = &dt->prog->clauses[c];

			for (uint32_t k = 0; k < clause->nr_pdescs; k++) {
				struct provider_probe *p = NULL;

				if (c == unit->clause && !k) {
					put_stability(f, "Minimum Probe Description Attributes",
						      least_of(dt->prog, unit));
					put_stability(f, "Minimum Statement Attributes", attr("Stable/Stable/Common"));
				}
				probes_each(&dt->probes, &clause->pdescs[k], first_probe, &p);
				fprintf(f, "%s\n\n", clause->pdescs[k].text);
				put_stability(f, "Probe Description Attributes",
					      dlang_attr_of_probes(&clause->pdescs[k]));
				put_stability(f, "Argument Attributes", dlang_attr_of_probes(&clause->pdescs[k]));
				put_args(f, p);
			}
		}
	}
}

/* -- -l -- */

static void put_probe(struct dtrace *dt, const struct provider_probe *p)
{
	FILE *f = stdout;

	fprintf(f, "%5u %10s %17s %33s %s\n", p->id, p->prov, p->mod, p->func, p->name);
	if (!dt->opts.verbose)
		return;
	fputc('\n', f);
	put_stability(f, "Probe Description Attributes", stability_of(p));
	put_stability(f, "Argument Attributes", stability_of(p));
	put_args(f, p);
}

/* Numbers come ascending and are shown descending. */
struct found {
	const struct provider_probe **p;
	uint32_t nr, cap;
};

static int collect(void *ctx, struct provider_probe *p)
{
	struct found *f = ctx;
	const struct provider_probe **q;

	if (f->nr == f->cap) {
		q = realloc(f->p, (f->cap ? f->cap * 2 : 64) * sizeof(*q));
		if (!q)
			return 0;
		f->p = q;
		f->cap = f->cap ? f->cap * 2 : 64;
	}
	f->p[f->nr++] = p;
	return 0;
}

static bool list_desc(struct dtrace *dt, const struct dprog_pdesc *pd)
{
	struct found f = { NULL, 0, 0 };

	probes_each(&dt->probes, pd, collect, &f);
	for (uint32_t i = f.nr; i--;)
		put_probe(dt, f.p[i]);
	free(f.p);
	return f.nr > 0;
}

int dtrace_list(struct dtrace *dt)
{
	static const struct dprog_pdesc all = { "", "", "", "", 0, ":::", 0 };

	for (uint32_t c = 0; dt->prog && c < dt->prog->nr_clauses; c++)
		for (uint32_t k = 0; k < dt->prog->clauses[c].nr_pdescs; k++) {
			const struct dprog_pdesc *pd = &dt->prog->clauses[c].pdescs[k];
			struct found f = { NULL, 0, 0 };

			if (!pd->id)
				continue;
			probes_each(&dt->probes, pd, collect, &f);
			free(f.p);
			if (f.nr)
				continue;
			dtrace_say("invalid probe specifier %d: invalid probe identifier %d: Unknown probe identifier",
				   pd->id, pd->id);
			return 1;
		}
	printf("%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	if (!dt->nr_units) {
		list_desc(dt, &all);
		if (dt->is_nodeless && dt->from.is_live)
			dtrace_say(NO_NODE);
		return 0;
	}
	for (uint32_t c = 0; c < dt->prog->nr_clauses; c++)
		for (uint32_t k = 0; k < dt->prog->clauses[c].nr_pdescs; k++) {
			const struct dprog_pdesc *pd = &dt->prog->clauses[c].pdescs[k];

			char hint[300] = "";

			if (list_desc(dt, pd))
				continue;
			dtrace_say("failed to match %s: No probe matches description", pd->text);
			suggest(dt, pd, hint, sizeof(hint));
			if (*hint)
				dtrace_say("%s", hint);
		}
	return 0;
}
