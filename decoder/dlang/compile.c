// SPDX-License-Identifier: Apache-2.0
/*
 * compile.c - the list of passes
 */
#include <errno.h>
#include <stdlib.h>
#include "dlang/emit.h"

struct dlang *dlang_new(const struct dlang_opts *opts)
{
	struct dlang *dl = calloc(1, sizeof(*dl));

	if (!dl)
		return NULL;
	if (opts)
		dl->opts = *opts;
	arena_init(&dl->mem, DL_MAX_MEM);
	type_init(dl);
	check_init(dl);
	emit_init(dl);
	return dl;
}

void dlang_free(struct dlang *dl)
{
	unsigned int i;

	if (!dl)
		return;
	emit_fini(dl);
	for (i = 0; i < DPROG_NR_SCOPES; i++)
		strmap_fini(&dl->names[i]);
	for (i = 0; i < 3; i++)
		strmap_fini(&dl->tags[i]);
	strmap_fini(&dl->builtins);
	strmap_fini(&dl->aggs);
	strmap_fini(&dl->typedefs);
	strmap_fini(&dl->arrays);
	strmap_fini(&dl->own_names);
	strmap_fini(&dl->attrs);
	arena_fini(&dl->mem);
	free(dl);
}

static void forget_errors(struct dlang *dl)
{
	dl->nr_errs = 0;
	dl->failed = dl->syntax = false;
	dl->region = DLANG_R_NONE;
	dl->depth = dl->check_depth = 0;
}

/* After a failed unit: names that only stood for an error are unknown again. */
static void forget_broken(struct strmap *m)
{
	const struct sym *s;
	unsigned int k;
	size_t i;

	for (i = 0; i < m->cap; i++) {
		s = m->slots[i].value;
		if (!m->slots[i].key || !s)
			continue;
		if (s->kind == SYM_VAR && s->type->kind == DTYPE_VOID)
			m->slots[i].value = NULL;
		for (k = 0; k < s->nr_keys && m->slots[i].value; k++)
			if (s->keys[k]->kind == DTYPE_VOID)
				m->slots[i].value = NULL;
	}
}

static void forget_names(struct dlang *dl)
{
	unsigned int i;

	for (i = 0; i < DPROG_NR_SCOPES; i++)
		forget_broken(&dl->names[i]);
	forget_broken(&dl->aggs);
}

int dlang_compile(struct dlang *dl, const struct dlang_unit *u)
{
	const char *why;

	forget_errors(dl);
	dl->unit = u;
	dl->clauses = NULL;
	dl->clauses_tail = &dl->clauses;
	dl->nr_clauses = 0;
	strmap_fini(&dl->names[DPROG_CLAUSE]); /* this-> is each unit's own */
	if (u->len > DLANG_MAX_SOURCE) {
		err_at(dl, 1, D_TOOBIG, "program is too big: more than %u bytes", DLANG_MAX_SOURCE);
		return -EINVAL;
	}
	check_scan_own(dl, u->text, u->len);
	lex_init(dl, u->text, u->len);
	parse_unit(dl); /* checks what it reads */
	if (!dl->failed)
		check_lint(dl);
	if (!dl->failed)
		emit_unit(dl, dl->clauses);
	if (!dl->failed && !prog_check(&dl->prog, &why))
		err_at(dl, 0, D_UNKNOWN, "internal error: unsound program: %s", why);
	if (dl->failed)
		forget_names(dl);
	dl->unit = NULL;
	return dl->failed ? -EINVAL : 0;
}

unsigned int dlang_errors(const struct dlang *dl, const struct dlang_error **errs)
{
	*errs = dl->errs;
	return dl->nr_errs;
}

const struct dprog *dlang_finish(struct dlang *dl)
{
	int i;

	for (i = 1; i < dl->opts.argc && i < 64 && !dl->opts.no_arg_check; i++)
		if (!(dl->args_used >> i & 1)) {
			forget_errors(dl);
			err_at(dl, dl->lex.line, D_MACRO_UNUSED,
			       "extraneous argument '%s' ($%d is not referenced)", dl->opts.argv[i],
			       i);
			return NULL;
		}
	return &dl->prog;
}

void dlang_dump_to(struct dlang *dl, enum dlang_stage stage, FILE *f)
{
	dl->dump[stage] = f;
}
