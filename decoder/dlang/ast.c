// SPDX-License-Identifier: Apache-2.0
/*
 * ast.c - tree nodes.  Depth is bounded by the parser (DL_MAX_DEPTH), so that
 * recursion over a tree is; chains (->next) are walked by loops.
 */
#include <inttypes.h>
#include "dlang/ast.h"
#include "dlang/lex.h"

struct node *ast_new(struct dlang *dl, enum node_kind kind, uint32_t line)
{
	struct node *n = arena_alloc(&dl->mem, sizeof(*n));

	n->kind = kind;
	n->line = line;
	if (++dl->nr_nodes > DL_MAX_NODES || arena_is_full(&dl->mem)) {
		if (!dl->too_big)
			err_at(dl, line, D_TOOBIG, "program is too big");
		dl->too_big = true;
	}
	return n;
}

struct node *ast_int(struct dlang *dl, uint32_t line, int64_t value, const struct dtype *type)
{
	struct node *n = ast_new(dl, N_INT, line);

	n->value = value;
	n->type = type;
	return n;
}

struct node *ast_copy(struct dlang *dl, const struct node *n)
{
	struct node *first = NULL, **tail = &first, *m;

	for (; n && !dl->too_big; n = n->next) {
		m = ast_new(dl, n->kind, n->line);
		*m = *n;
		m->next = NULL;
		m->a = ast_copy(dl, n->a);
		m->b = ast_copy(dl, n->b);
		m->c = ast_copy(dl, n->c);
		m->list = ast_copy(dl, n->list);
		*tail = m;
		tail = &m->next;
	}
	return first;
}

static const char *const names[N_NR] = {
#define NODE(name, text, doc) [N_##name] = text,
#include "ast.def"
#undef NODE
};

static void dump(const struct node *n, unsigned int depth, const char *what, FILE *f)
{
	for (; n; n = n->next) {
		fprintf(f, "%*s%s%s", depth * 2, "", what, names[n->kind]);
		if (n->kind == N_SCOPED)
			fprintf(f, " %s",
				n->op == DPROG_THREAD	? "self->"
				: n->op == DPROG_CLAUSE ? "this->"
							: "eself->");
		else if (n->op && n->kind != N_STMT)
			fprintf(f, " %s", lex_tok_name(n->op));
		if (n->kind == N_INT || n->kind == N_PARAM)
			fprintf(f, " %" PRId64, n->value);
		if (n->kind == N_INCDEC && n->value)
			fputs(" postfix", f);
		if (n->kind == N_STR)
			fprintf(f, " \"%.*s\"", (int)n->len, n->str);
		else if (n->str)
			fprintf(f, " %s", n->str);
		if (n->type)
			fprintf(f, " : %s", n->type->name);
		fputc('\n', f);
		dump(n->a, depth + 1, "", f);
		dump(n->b, depth + 1, "", f);
		dump(n->c, depth + 1, "", f);
		dump(n->list, depth + 1, "- ", f);
	}
}

void ast_dump(const struct node *n, FILE *f)
{
	struct node one = *n;

	one.next = NULL;
	dump(&one, 0, "", f);
}
