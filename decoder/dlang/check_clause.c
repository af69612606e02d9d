// SPDX-License-Identifier: Apache-2.0
/*
 * check_clause.c - a clause: which probes, the predicate, the statements and the
 * order that some of them must keep
 */
#include <errno.h>
#include <stdlib.h>
#include "dlang/check.h"

/*
 * Cuts "a:b:c:d" at its colons, from the right; returns how many fields there are, or -1 for too
 * many
 */
static int fields(char *text, char *f[4])
{
	char *p = text;
	int nr = 1;

	f[0] = text;
	for (; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
		} else if (*p == ':') {
			if (nr == 4)
				return -1;
			*p = 0;
			f[nr++] = p + 1;
		}
	}
	return nr;
}

static struct dprog_pdesc *parse_pdesc(struct dlang *dl, const struct node *n)
{
	static const uint8_t max_of[] = { 4, 1, 2, 3, 1 };
	enum dlang_spec spec = dl->unit ? dl->unit->spec : DLANG_SPEC_NAME;
	struct dprog_pdesc *pd = arena_alloc(&dl->mem, sizeof(*pd));
	const char *full[4] = { "", "", "", "" };
	char *f[4], *end;
	int nr, i;
	long id;

	pd->line = n->line;
	if (spec == DLANG_SPEC_ID) {
		errno = 0;
		id = strtol(n->str, &end, 10);
		if (errno || *end || id <= 0 || id > INT32_MAX) {
			err_at(dl, n->line, D_PDESC_INVAL, "invalid probe identifier %s", n->str);
			return NULL;
		}
		pd->id = id;
		pd->prov = pd->mod = pd->func = pd->name = "";
		pd->text = n->str;
		return pd;
	}
	nr = fields(arena_strdup(&dl->mem, n->str), f);
	if (nr < 0 || nr > max_of[spec]) {
		err_at(dl, n->line, D_PDESC_INVAL,
		       "invalid probe description \"%s\": Overspecified probe description", n->str);
		return NULL;
	}
	/* what is given ends at the field that -n, -f, -m, -P is about */
	for (i = 0; i < nr; i++)
		full[max_of[spec] - nr + i] = f[i];
	pd->prov = full[0];
	pd->mod = full[1];
	pd->func = full[2];
	pd->name = full[3];
	pd->text = arena_printf(&dl->mem, "%s:%s:%s:%s", full[0], full[1], full[2], full[3]);
	return pd;
}

static void merge(struct dlang_match *to, const struct dlang_match *m)
{
	unsigned int i;

	if (!to->is_known) {
		*to = *m;
		to->is_known = true;
		return;
	}
	to->nr_probes += m->nr_probes;
	if (m->nr_args < to->nr_args)
		to->nr_args = m->nr_args;
	for (i = 0; i < to->nr_args; i++)
		if (m->vary[i] || strcmp(to->arg_types[i] ? to->arg_types[i] : "",
					 m->arg_types[i] ? m->arg_types[i] : ""))
			to->vary[i] = true;
}

static void check_pdesc(struct dlang *dl, struct node *n)
{
	struct dprog_pdesc *pd = parse_pdesc(dl, n);
	struct dlang_match m = { 0 };
	char near[300] = "";

	n->data = pd;
	if (!pd || !dl->opts.probes)
		return;
	if (dl->opts.probes->match(dl->opts.probes->ctx, pd, &m) < 0)
		m.nr_probes = 0;
	if (!m.nr_probes && !dl->opts.allow_zero) {
		if (pd->id)
			err_at(dl, n->line, D_PDESC_ZERO,
			       "invalid probe identifier %d: Unknown probe identifier", pd->id);
		else
			err_at(dl, n->line, D_PDESC_ZERO,
			       "probe description %s does not match any probes", pd->text);
		if (dl->opts.probes->suggest)
			dl->opts.probes->suggest(dl->opts.probes->ctx, pd, near, sizeof(near));
		if (*near)
			err_hint(dl, "%s", near);
	}
	if (m.nr_args > DLANG_MAX_ARGS)
		m.nr_args = DLANG_MAX_ARGS;
	if (m.nr_probes || m.is_known)
		merge(&dl->match, &m);
	if (!dl->match_text)
		dl->match_text = pd->text;
}

/* What the statements so far have done, for the rules of order */
struct order {
	bool data, commit, spec, discard;
};

static void check_order(struct dlang *dl, struct node *stmt, struct order *o)
{
	const struct act *act = stmt->data;
	unsigned int flags;

	if (stmt->op == STMT_AGG) {
		if (o->commit)
			err_at(dl, stmt->line, D_AGG_COMM,
			       "aggregating actions may not follow commit( )");
		if (o->spec)
			err_at(dl, stmt->line, D_AGG_SPEC,
			       "aggregating actions may not follow speculate( )");
		return;
	}
	if (stmt->op != STMT_ACT)
		return;
	flags = prog_acts[act->kind].flags;
	switch (act->kind) {
	case DPROG_ACT_COMMIT:
		if (o->commit)
			err_at(dl, stmt->line, D_COMM_COMM, "commit( ) may not follow commit( )");
		else if (o->data)
			err_at(dl, stmt->line, D_COMM_DREC,
			       "commit( ) may not follow data-recording action(s)");
		o->commit = true;
		return;
	case DPROG_ACT_SPECULATE:
		if (o->commit)
			err_at(dl, stmt->line, D_SPEC_COMM,
			       "speculate( ) may not follow commit( )");
		else if (o->data)
			err_at(dl, stmt->line, D_SPEC_DREC,
			       "speculate( ) may not follow data-recording action(s)");
		else if (o->spec)
			err_at(dl, stmt->line, D_SPEC_SPEC,
			       "speculate( ) may not follow speculate( )");
		o->spec = true;
		return;
	case DPROG_ACT_EXIT:
		if (o->spec)
			err_at(dl, stmt->line, D_EXIT_SPEC, "exit( ) may not follow speculate( )");
		break;
	default:
		if (o->spec && (flags & (BF_DESTR | BF_AGG)) && act->kind != DPROG_ACT_PRINTA)
			err_at(dl, stmt->line, D_ACT_SPEC, "%s( ) may not follow speculate( )",
			       prog_acts[act->kind].name);
	}
	if (flags & BF_DATA) {
		if (o->commit)
			err_at(dl, stmt->line, D_DREC_COMM,
			       "data-recording actions may not follow commit( )");
		o->data = true;
	}
}

static void check_stmt(struct dlang *dl, struct node *stmt)
{
	struct node *n = stmt->a;
	struct sym *s;

	stmt->op = STMT_NOTHING;
	if (n->kind == N_ASSIGN && n->a->kind == N_AGG) {
		check_agg(dl, stmt);
		return;
	}
	if (n->kind == N_AGG) {
		if (strmap_get(&dl->aggs, n->str, strlen(n->str)))
			err_at(dl, n->line, D_AGG_NULL, "aggregation @%s has no effect by itself",
			       n->str);
		else
			check_agg_use(dl, n);
		return;
	}
	if (n->kind == N_CALL) {
		s = check_lookup(dl, DPROG_GLOBAL, n->str);
		if (s && s->kind == SYM_ACTION) {
			check_action(dl, stmt, s);
			return;
		}
	}
	stmt->a = check_expr(dl, n);
	stmt->op = STMT_EXPR;
}

void check_clause(struct dlang *dl, struct node *clause)
{
	struct order o = { 0 };
	struct node *n;

	memset(&dl->match, 0, sizeof(dl->match));
	dl->match_text = NULL;
	for (n = clause->list; n; n = n->next)
		check_pdesc(dl, n);
	if (!dl->match_text)
		dl->match_text = "";
	dl->clause = clause;
	attr_check(dl, clause);
	if (clause->a) {
		dl->region = DLANG_R_PRED;
		clause->a = check_expr(dl, clause->a);
		if (clause->a->type && !type_is_scalar(clause->a->type))
			err_at(dl, clause->a->line, D_PRED_SCALAR,
			       "predicate result must be of scalar type");
	}
	dl->region = DLANG_R_BODY;
	for (n = clause->b; n; n = n->next) {
		check_stmt(dl, n);
		check_order(dl, n, &o);
	}
	dl->region = DLANG_R_NONE;
	dl->clause = NULL;
	dl->syntax = false;
	dl->depth = 0;
	if (dl->dump[DLANG_CHECK])
		ast_dump(clause, dl->dump[DLANG_CHECK]);
}
