// SPDX-License-Identifier: Apache-2.0
/*
 * parse_expr.c - expressions, by a table of precedences
 */
#include "dlang/parse.h"

/* Is this identifier one that the language or the script knows?  Only messages depend on it. */
static bool is_known(struct dlang *dl, const char *name)
{
	size_t len = strlen(name);

	return strmap_get(&dl->builtins, name, len) ||
	       strmap_get(&dl->names[DPROG_GLOBAL], name, len);
}

struct node *parse_error(struct dlang *dl)
{
	const struct tok *t = lex_peek(dl);
	int len = t->len > 60 ? 60 : t->len;

	if (!dl->syntax) {
		if (t->kind == T_EOF) {
			err_at(dl, t->line, D_SYNTAX, "syntax error near end of input");
		} else {
			/* An unknown name is shown with what follows it on its line. */
			if (t->kind == T_IDENT && !is_known(dl, t->str)) {
				const char *nl = memchr(t->at, '\n', dl->lex.end - t->at);

				len = (nl ? nl : dl->lex.end) - t->at;
				if (len > 200)
					len = 200;
			}
			err_at(dl, t->line, D_SYNTAX, "syntax error near \"%.*s\"", len, t->at);
		}
	}
	dl->syntax = true;
	return ast_new(dl, N_ERROR, t->line);
}

bool parse_expect(struct dlang *dl, unsigned int kind)
{
	if (lex_peek(dl)->kind == kind) {
		lex_next(dl);
		return true;
	}
	parse_error(dl);
	return false;
}

bool parse_accept(struct dlang *dl, unsigned int kind)
{
	if (dl->syntax || lex_peek(dl)->kind != kind)
		return false;
	lex_next(dl);
	return true;
}

bool parse_enter(struct dlang *dl)
{
	if (++dl->depth <= DL_MAX_DEPTH)
		return true;
	if (!dl->syntax)
		err_at(dl, lex_peek(dl)->line, D_TOOBIG, "nested more than %u levels deep",
		       DL_MAX_DEPTH);
	dl->syntax = true;
	return false;
}

void parse_leave(struct dlang *dl)
{
	dl->depth--;
}

static struct node *finish(struct dlang *dl, struct node *n)
{
	const struct node *k[] = { n->a, n->b, n->c }, *l;
	unsigned int i, depth = 0;

	for (i = 0; i < 3; i++)
		if (k[i] && k[i]->depth >= depth)
			depth = k[i]->depth + 1;
	for (l = n->list; l; l = l->next)
		if (l->depth >= depth)
			depth = l->depth + 1;
	if (depth > DL_MAX_TREE) {
		if (!dl->syntax)
			err_at(dl, n->line, D_TOOBIG, "expression has more than %u levels",
			       DL_MAX_TREE);
		dl->syntax = true;
		return ast_new(dl, N_ERROR, n->line);
	}
	n->depth = depth;
	return n;
}

static struct node *new_op(struct dlang *dl, enum node_kind kind, unsigned int op, uint32_t line,
			   struct node *a, struct node *b)
{
	struct node *n = ast_new(dl, kind, line);

	n->op = op;
	n->a = a;
	n->b = b;
	return finish(dl, n);
}

/* expressions separated by commas up to @close, which is taken */
static struct node *parse_list(struct dlang *dl, unsigned int close)
{
	struct node *first = NULL, **tail = &first;

	do {
		*tail = parse_assign(dl);
		tail = &(*tail)->next;
	} while (parse_accept(dl, T_COMMA));
	if (!dl->syntax)
		parse_expect(dl, close);
	return first;
}

static const struct dtype *int_type(struct dlang *dl, const struct tok *t)
{
	uint64_t v = t->value;
	bool u = t->suffix & 4, any = t->suffix & (8 | 4);
	unsigned int l = t->suffix & 3;

	if (t->suffix & 16)
		return dl->t_int;
	if (t->suffix & 32)
		return t->suffix & 1 ? dl->t_long : dl->t_int;
	if (l == 0 && !u && v <= INT32_MAX)
		return dl->t_int;
	if (l == 0 && any && v <= UINT32_MAX)
		return dl->t_uint;
	if (!u && v <= INT64_MAX)
		return l == 2 ? dl->t_llong : dl->t_long;
	return l == 2 ? dl->t_ullong : dl->t_ulong;
}

static struct node *parse_scoped(struct dlang *dl, unsigned int scope)
{
	struct tok t = lex_next(dl);
	struct node *n = ast_new(dl, N_SCOPED, t.line);

	if (!parse_expect(dl, T_ARROW))
		return n;
	t = *lex_peek(dl);
	/* a keyword may name a variable here */
	if (t.kind != T_IDENT && !(t.kind >= T_AUTO && t.kind < T_NR))
		return parse_error(dl);
	lex_next(dl);
	n->op = scope;
	n->str = t.str;
	return n;
}

static bool is_eself(struct dlang *dl, const struct tok *t)
{
	return t->kind == T_IDENT && !strcmp(t->str, "eself") &&
	       !strmap_get(&dl->own_names, "eself", 5) && lex_peek2(dl)->kind == T_ARROW;
}

static struct node *parse_primary(struct dlang *dl)
{
	const struct tok *p = lex_peek(dl);
	struct node *n;
	struct tok t;

	if (p->kind == T_SELF)
		return parse_scoped(dl, DPROG_THREAD);
	if (p->kind == T_THIS)
		return parse_scoped(dl, DPROG_CLAUSE);
	if (is_eself(dl, p))
		return parse_scoped(dl, DPROG_PROC);
	switch (p->kind) {
	case T_INT:
		t = lex_next(dl);
		n = ast_new(dl, N_INT, t.line);
		n->type = int_type(dl, &t);
		n->value = type_normal(n->type, (int64_t)t.value);
		return n;
	case T_STRING:
		t = lex_next(dl);
		n = ast_new(dl, N_STR, t.line);
		n->str = t.str;
		n->len = t.str_len;
		return n;
	case T_SYMNAME:
		t = lex_next(dl);
		n = ast_new(dl, N_ADDRSYM, t.line);
		n->str = t.str;
		return n;
	case T_AGGNAME:
		t = lex_next(dl);
		n = ast_new(dl, N_AGG, t.line);
		n->str = t.str;
		if (parse_accept(dl, T_LBRACK))
			n->list = parse_list(dl, T_RBRACK);
		return finish(dl, n);
	case T_IDENT:
		t = lex_next(dl);
		n = ast_new(dl, N_IDENT, t.line);
		n->str = t.str;
		if (lex_peek(dl)->kind != T_LPAREN)
			return n;
		lex_next(dl);
		n->kind = N_CALL;
		if (!parse_accept(dl, T_RPAREN))
			n->list = parse_list(dl, T_RPAREN);
		return finish(dl, n);
	case T_LPAREN:
		lex_next(dl);
		n = parse_expr(dl);
		if (!dl->syntax)
			parse_expect(dl, T_RPAREN);
		return n;
	default:
		return parse_error(dl);
	}
}

static struct node *parse_postfix(struct dlang *dl)
{
	struct node *n = parse_primary(dl), *m;
	const struct tok *p;

	while (!dl->syntax) {
		p = lex_peek(dl);
		switch (p->kind) {
		case T_LBRACK:
			m = ast_new(dl, N_INDEX, p->line);
			lex_next(dl);
			m->a = n;
			m->list = parse_list(dl, T_RBRACK);
			n = finish(dl, m);
			continue;
		case T_DOT:
		case T_ARROW:
			m = ast_new(dl, p->kind == T_DOT ? N_MEMBER : N_ARROW, p->line);
			lex_next(dl);
			p = lex_peek(dl);
			if (p->kind != T_IDENT && !(p->kind >= T_AUTO && p->kind < T_NR))
				return parse_error(dl);
			m->str = lex_next(dl).str;
			m->a = n;
			n = finish(dl, m);
			continue;
		case T_INC:
		case T_DEC:
			n = new_op(dl, N_INCDEC, p->kind, p->line, n, NULL);
			n->value = 1;
			lex_next(dl);
			continue;
		default:
			return n;
		}
	}
	return n;
}

static struct node *parse_unary(struct dlang *dl);

static struct node *parse_typed(struct dlang *dl, enum node_kind kind)
{
	struct node *n = ast_new(dl, kind, lex_peek(dl)->line);

	n->type = NULL;
	n->data = (void *)parse_type_name(dl);
	return n;
}

static struct node *parse_cast(struct dlang *dl)
{
	struct node *n;

	lex_next(dl);
	n = parse_typed(dl, N_CAST);
	if (dl->syntax || !parse_expect(dl, T_RPAREN))
		return n;
	n->a = parse_unary(dl);
	return finish(dl, n);
}

static struct node *parse_sizeof(struct dlang *dl)
{
	struct tok t = lex_next(dl);
	struct node *n;

	if (lex_peek(dl)->kind == T_LPAREN && parse_is_type(dl, lex_peek2(dl))) {
		lex_next(dl);
		n = parse_typed(dl, N_SIZEOF);
		if (!dl->syntax)
			parse_expect(dl, T_RPAREN);
		return n;
	}
	n = ast_new(dl, N_SIZEOF, t.line);
	n->a = parse_unary(dl);
	return finish(dl, n);
}

static struct node *parse_offsetof(struct dlang *dl)
{
	struct node *n;

	lex_next(dl);
	if (!parse_expect(dl, T_LPAREN))
		return ast_new(dl, N_ERROR, 0);
	n = parse_typed(dl, N_OFFSETOF);
	if (dl->syntax || !parse_expect(dl, T_COMMA))
		return n;
	if (lex_peek(dl)->kind != T_IDENT)
		return parse_error(dl);
	n->str = lex_next(dl).str;
	parse_expect(dl, T_RPAREN);
	return n;
}

static struct node *parse_xlate(struct dlang *dl)
{
	struct node *n;

	lex_next(dl);
	if (!parse_expect(dl, T_LT))
		return ast_new(dl, N_ERROR, 0);
	n = parse_typed(dl, N_XLATE);
	if (dl->syntax || !parse_expect(dl, T_GT) || !parse_expect(dl, T_LPAREN))
		return n;
	n->a = parse_expr(dl);
	if (!dl->syntax)
		parse_expect(dl, T_RPAREN);
	return finish(dl, n);
}

/* xlate<T>(e).m: what follows binds to it as to any primary */
static struct node *parse_xlate_postfix(struct dlang *dl)
{
	struct node *n = parse_xlate(dl), *m;
	const struct tok *p;

	while (!dl->syntax && ((p = lex_peek(dl))->kind == T_DOT || p->kind == T_ARROW)) {
		m = ast_new(dl, p->kind == T_DOT ? N_MEMBER : N_ARROW, p->line);
		lex_next(dl);
		if (lex_peek(dl)->kind != T_IDENT)
			return parse_error(dl);
		m->str = lex_next(dl).str;
		m->a = n;
		n = finish(dl, m);
	}
	return n;
}

static struct node *parse_unary1(struct dlang *dl)
{
	const struct tok *p = lex_peek(dl);
	struct tok t;

	switch (p->kind) {
	case T_INC:
	case T_DEC:
		t = lex_next(dl);
		return new_op(dl, N_INCDEC, t.kind, t.line, parse_unary(dl), NULL);
	case T_AND:
	case T_STAR:
	case T_PLUS:
	case T_MINUS:
	case T_TILDE:
	case T_NOT:
		t = lex_next(dl);
		return new_op(dl, N_UNARY, t.kind, t.line, parse_unary(dl), NULL);
	case T_SIZEOF:
		return parse_sizeof(dl);
	case T_OFFSETOF:
		return parse_offsetof(dl);
	case T_STRINGOF:
		t = lex_next(dl);
		return new_op(dl, N_STRINGOF, 0, t.line, parse_unary(dl), NULL);
	case T_XLATE:
		return parse_xlate_postfix(dl);
	case T_LPAREN:
		if (parse_is_type(dl, lex_peek2(dl)))
			return parse_cast(dl);
		break;
	}
	return parse_postfix(dl);
}

static struct node *parse_unary(struct dlang *dl)
{
	struct node *n;

	if (dl->syntax || !parse_enter(dl))
		n = ast_new(dl, N_ERROR, 0);
	else
		n = parse_unary1(dl);
	parse_leave(dl);
	return n;
}

/* Binary operators from loose to tight; all group to the left */
static unsigned int level_of(unsigned int kind)
{
	static const uint8_t levels[T_NR] = {
		[T_LOR] = 1,	[T_LXOR] = 2,  [T_LAND] = 3,   [T_OR] = 4,	 [T_XOR] = 5,
		[T_AND] = 6,	[T_EQ] = 7,    [T_NE] = 7,     [T_LT] = 8,	 [T_LE] = 8,
		[T_GT] = 8,	[T_GE] = 8,    [T_SHL] = 9,    [T_SHR] = 9,	 [T_PLUS] = 10,
		[T_MINUS] = 10, [T_STAR] = 11, [T_SLASH] = 11, [T_PERCENT] = 11,
	};

	return levels[kind];
}

static struct node *parse_binary(struct dlang *dl, unsigned int min)
{
	struct node *n = parse_unary(dl);
	unsigned int level;
	struct tok t;

	while (!dl->syntax && (level = level_of(lex_peek(dl)->kind)) >= min && level) {
		t = lex_next(dl);
		n = new_op(dl, N_BINARY, t.kind, t.line, n, parse_binary(dl, level + 1));
	}
	return n;
}

static struct node *parse_cond(struct dlang *dl)
{
	struct node *n = parse_binary(dl, 1), *m;

	if (dl->syntax || lex_peek(dl)->kind != T_QUEST)
		return n;
	m = ast_new(dl, N_COND, lex_next(dl).line);
	m->a = n;
	m->b = parse_expr(dl);
	if (dl->syntax || !parse_expect(dl, T_COLON))
		return m;
	if (parse_enter(dl))
		m->c = parse_cond(dl);
	parse_leave(dl);
	return m->c ? finish(dl, m) : ast_new(dl, N_ERROR, m->line);
}

struct node *parse_assign(struct dlang *dl)
{
	struct node *n = parse_cond(dl);
	struct tok t;

	if (dl->syntax)
		return n;
	t = *lex_peek(dl);
	if (t.kind < T_ASGN || t.kind > T_SHREQ)
		return n;
	lex_next(dl);
	if (parse_enter(dl))
		n = new_op(dl, N_ASSIGN, t.kind, t.line, n, parse_assign(dl));
	parse_leave(dl);
	return n;
}

struct node *parse_expr(struct dlang *dl)
{
	struct node *n;
	struct tok t;

	if (!parse_enter(dl)) {
		parse_leave(dl);
		return ast_new(dl, N_ERROR, 0);
	}
	n = parse_assign(dl);
	while (!dl->syntax && lex_peek(dl)->kind == T_COMMA) {
		t = lex_next(dl);
		n = new_op(dl, N_COMMA, T_COMMA, t.line, n, parse_assign(dl));
	}
	parse_leave(dl);
	return n;
}
