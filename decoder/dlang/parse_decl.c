// SPDX-License-Identifier: Apache-2.0
/*
 * parse_decl.c - C declarations as D has them: types, variables, inlines,
 * translators.  Each takes effect as it is read.
 */
#include "dlang/check.h"
#include "dlang/parse.h"

bool parse_is_type(struct dlang *dl, const struct tok *t)
{
	switch (t->kind) {
	case T_CHAR:
	case T_CONST:
	case T_DOUBLE:
	case T_ENUM:
	case T_FLOAT:
	case T_INT_:
	case T_LONG:
	case T_RESTRICT:
	case T_SHORT:
	case T_SIGNED:
	case T_STRING_:
	case T_STRUCT:
	case T_UNION:
	case T_UNSIGNED:
	case T_USERLAND:
	case T_VOID:
	case T_VOLATILE:
		return true;
	case T_IDENT:
		return type_find(dl, t->str) != NULL;
	default:
		return false;
	}
}

/* Words of a basic type, by the order that type_basic() takes */
static int basic_word(unsigned int kind)
{
	static const uint8_t words[] = { T_VOID,   T_CHAR,     T_SHORT, T_INT_,	 T_LONG,
					 T_SIGNED, T_UNSIGNED, T_FLOAT, T_DOUBLE };
	unsigned int i;

	for (i = 0; i < sizeof(words); i++)
		if (words[i] == kind)
			return i;
	return -1;
}

static enum storage storage_of(unsigned int kind)
{
	switch (kind) {
	case T_SELF:
		return ST_SELF;
	case T_THIS:
		return ST_THIS;
	case T_EXTERN:
		return ST_EXTERN;
	case T_STATIC:
		return ST_STATIC;
	case T_TYPEDEF:
		return ST_TYPEDEF;
	case T_AUTO:
	case T_REGISTER:
		return ST_AUTO;
	default:
		return ST_NONE;
	}
}

bool parse_specs(struct dlang *dl, struct specs *sp)
{
	unsigned int counts[9] = { 0 };
	const struct dtype *named = NULL;
	bool any = false;
	struct tok t;
	int w;

	*sp = (struct specs){ 0 };
	for (;;) {
		t = *lex_peek(dl);
		w = basic_word(t.kind);
		if (w >= 0) {
			if (named)
				break;
			counts[w]++;
			any = true;
			lex_next(dl);
		} else if (t.kind == T_CONST || t.kind == T_VOLATILE || t.kind == T_RESTRICT ||
			   t.kind == T_USERLAND) {
			lex_next(dl);
		} else if (storage_of(t.kind) != ST_NONE && !any && !named) {
			sp->storage = storage_of(t.kind);
			lex_next(dl);
		} else if (t.kind == T_IDENT && !strcmp(t.str, "eself") && sp->storage == ST_NONE &&
			   !any && !named && !strmap_get(&dl->own_names, "eself", 5)) {
			sp->storage = ST_PROC;
			lex_next(dl);
		} else if (t.kind == T_STRING_ && !any && !named) {
			named = dl->t_string;
			lex_next(dl);
		} else if ((t.kind == T_STRUCT || t.kind == T_UNION || t.kind == T_ENUM) && !any &&
			   !named) {
			named = parse_tagged(dl, t.kind == T_STRUCT  ? DTYPE_STRUCT
						 : t.kind == T_UNION ? DTYPE_UNION
								     : DTYPE_ENUM);
		} else if (t.kind == T_IDENT && !any && !named && type_find(dl, t.str)) {
			named = type_find(dl, t.str);
			lex_next(dl);
		} else {
			break;
		}
		if (dl->syntax)
			return false;
	}
	if (!named && !any) {
		if (t.kind == T_IDENT) {
			/* the unknown word is taken for a type: what follows it cannot be */
			lex_next(dl);
		}
		parse_error(dl);
		return false;
	}
	sp->has_type = true;
	sp->type = named ? named : type_basic(dl, counts, t.line);
	return true;
}

static void key_list(struct dlang *dl, struct declarator *dcl)
{
	struct declarator key;
	struct specs sp;
	size_t cap = 0;

	dcl->is_assoc = true;
	do {
		if (!parse_specs(dl, &sp) || !parse_declarator(dl, sp.type, &key, true))
			return;
		if (type_is_void(key.type)) {
			err_at(dl, key.line, D_DECL_VOIDPARM,
			       "void may not be used as a key or parameter type");
			key.type = dl->t_int;
		}
		if (dcl->nr_keys == DPROG_MAX_KEYS) {
			err_at(dl, key.line, D_TOOBIG, "more than %u keys", DPROG_MAX_KEYS);
			dl->syntax = true;
			return;
		}
		dcl->keys = arena_grow(&dl->mem, dcl->keys, dcl->nr_keys, &cap, sizeof(*dcl->keys));
		dcl->keys[dcl->nr_keys++] = key.type;
	} while (parse_accept(dl, T_COMMA));
	parse_expect(dl, T_RBRACK);
}

static const struct dtype *suffixes(struct dlang *dl, const struct dtype *base,
				    struct declarator *dcl, bool first)
{
	uint32_t line = lex_peek(dl)->line;
	int64_t nr;

	if (first && dcl->name && lex_peek(dl)->kind == T_LPAREN) {
		/* a function's declaration: read and forgotten */
		unsigned int depth = 0;

		dcl->is_func = true;
		do {
			unsigned int k = lex_next(dl).kind;

			depth += k == T_LPAREN;
			depth -= k == T_RPAREN;
			if (k == T_EOF)
				parse_error(dl);
		} while (depth && !dl->syntax);
		return base;
	}
	if (dl->syntax || !parse_accept(dl, T_LBRACK))
		return base;
	if (parse_is_type(dl, lex_peek(dl))) {
		key_list(dl, dcl);
		return base;
	}
	if (lex_peek(dl)->kind == T_RBRACK) {
		nr = 0; /* a flexible array at the end of a struct */
		if (!dcl->name)
			nr = -1;
	} else if (!parse_const(dl, &nr) || nr <= 0 || nr > DL_MAX_OBJECT) {
		nr = -1;
	}
	if (nr < 0) {
		if (!dl->syntax)
			err_at(dl, line, D_DECL_ARRSUB,
			       "positive integral constant expression or tuple signature expected "
			       "as array declaration subscript");
		nr = 1;
	}
	if (!dl->syntax)
		parse_expect(dl, T_RBRACK);
	if (dl->syntax || !parse_enter(dl)) {
		parse_leave(dl);
		return base;
	}
	base = suffixes(dl, base, dcl, false);
	parse_leave(dl);
	return type_array(dl, base, nr, line);
}

/* Pointers to arrays and functions are not written in D scripts: ( ) only groups. */
static const struct dtype *declarator(struct dlang *dl, const struct dtype *base,
				      struct declarator *dcl, bool abstract_ok)
{
	unsigned int stars = 0;

	for (;;) {
		if (parse_accept(dl, T_STAR)) {
			if (++stars > 16) {
				err_at(dl, lex_peek(dl)->line, D_TOOBIG,
				       "more than 16 levels of pointers");
				dl->syntax = true;
				return base;
			}
			base = type_ptr(dl, base);
		} else if (!parse_accept(dl, T_CONST) && !parse_accept(dl, T_VOLATILE) &&
			   !parse_accept(dl, T_RESTRICT)) {
			break;
		}
	}
	if (lex_peek(dl)->kind == T_IDENT) {
		dcl->line = lex_peek(dl)->line;
		dcl->name = lex_next(dl).str;
	} else if (lex_peek(dl)->kind == T_LPAREN && !dcl->name && lex_peek2(dl)->kind == T_STAR) {
		/* pointer to function or array: an opaque pointer here */
		unsigned int depth = 0;

		do {
			struct tok t = lex_next(dl);

			depth += t.kind == T_LPAREN;
			depth -= t.kind == T_RPAREN;
			if (t.kind == T_IDENT && !dcl->name)
				dcl->name = t.str;
			if (t.kind == T_EOF)
				parse_error(dl);
		} while (!dl->syntax && (depth || lex_peek(dl)->kind == T_LPAREN));
		if (!dcl->name && !abstract_ok)
			parse_error(dl);
		return dl->t_voidp;
	} else if (!abstract_ok) {
		parse_error(dl);
		return base;
	}
	return suffixes(dl, base, dcl, true);
}

bool parse_declarator(struct dlang *dl, const struct dtype *base, struct declarator *dcl,
		      bool abstract_ok)
{
	*dcl = (struct declarator){ .line = lex_peek(dl)->line };
	dcl->type = declarator(dl, base, dcl, abstract_ok);
	return !dl->syntax;
}

const struct dtype *parse_type_name(struct dlang *dl)
{
	struct declarator dcl;
	struct specs sp;

	if (!parse_specs(dl, &sp) || !parse_declarator(dl, sp.type, &dcl, true))
		return NULL;
	if (dcl.name) {
		parse_error(dl);
		return NULL;
	}
	return dcl.type;
}

/* inline TYPE NAME [ PARAMS ] = EXPR ; */
static void parse_inline(struct dlang *dl)
{
	struct declarator dcl = { 0 }, p;
	struct strmap params = { 0 };
	struct sym **list = NULL;
	size_t nr = 0, cap = 0;
	const struct dtype *type;
	struct specs sp;
	struct node *e;

	lex_next(dl);
	if (!parse_specs(dl, &sp))
		return;
	type = sp.type;
	while (parse_accept(dl, T_STAR))
		type = type_ptr(dl, type);
	dcl.line = lex_peek(dl)->line;
	if (lex_peek(dl)->kind != T_IDENT) {
		parse_error(dl);
		return;
	}
	dcl.name = lex_next(dl).str;
	if (parse_accept(dl, T_LBRACK)) {
		do {
			if (!parse_specs(dl, &sp) || !parse_declarator(dl, sp.type, &p, true) ||
			    nr == DPROG_MAX_KEYS) {
				if (!dl->syntax)
					parse_error(dl);
				strmap_fini(&params);
				return;
			}
			list = arena_grow(&dl->mem, list, nr, &cap, sizeof(*list));
			list[nr++] = check_param(dl, &params, p.name ? p.name : "", p.type, p.line);
		} while (parse_accept(dl, T_COMMA));
		parse_expect(dl, T_RBRACK);
	}
	if (!dl->syntax && parse_expect(dl, T_ASGN)) {
		e = parse_expr(dl);
		if (!dl->syntax && parse_expect(dl, T_SEMI))
			check_inline(dl, dcl.name, type, list, nr, &params, e, dcl.line);
	}
	strmap_fini(&params);
}

/* translator TYPE < TYPE NAME > { MEMBER = EXPR ; ... } ; */
static void parse_translator(struct dlang *dl)
{
	struct node *first = NULL, **tail = &first, *m;
	const struct dtype *to;
	struct declarator from;
	struct specs sp;
	uint32_t line = lex_next(dl).line;

	to = parse_type_name(dl);
	if (!to || !parse_expect(dl, T_LT) || !parse_specs(dl, &sp) ||
	    !parse_declarator(dl, sp.type, &from, false) || !parse_expect(dl, T_GT) ||
	    !parse_expect(dl, T_LBRACE))
		return;
	while (!dl->syntax && lex_peek(dl)->kind != T_RBRACE) {
		struct tok id = *lex_peek(dl);

		if (id.kind != T_IDENT) {
			parse_error(dl);
			return;
		}
		lex_next(dl);
		m = ast_new(dl, N_STMT, id.line);
		m->str = id.str;
		if (!parse_expect(dl, T_ASGN))
			return;
		m->a = parse_assign(dl);
		if (dl->syntax || !parse_expect(dl, T_SEMI))
			return;
		*tail = m;
		tail = &m->next;
	}
	if (!dl->syntax && parse_expect(dl, T_RBRACE) && parse_expect(dl, T_SEMI))
		check_translator(dl, to, from.type, from.name, first, line);
}

static void declare(struct dlang *dl, const struct specs *sp, const struct declarator *dcl)
{
	if (dcl->is_func)
		return;
	if (sp->storage == ST_TYPEDEF) {
		const struct dtype *old = type_find(dl, dcl->name);

		if (old && type_is_prelude(old))
			old = NULL;
		if (old && dtype_base(old) != dtype_base(dcl->type))
			err_at(dl, dcl->line, D_DECL_IDRED, "typedef redeclared: %s", dcl->name);
		else if (!old)
			type_typedef(dl, dcl->name, dcl->type);
		return;
	}
	if (!parse_object_ok(dl, dcl->name, dcl->type, dcl->line))
		return;
	check_var_decl(dl, sp->storage, dcl);
}

void parse_declaration(struct dlang *dl)
{
	struct declarator dcl;
	struct specs sp;

	switch (lex_peek(dl)->kind) {
	case T_INLINE:
		parse_inline(dl);
		return;
	case T_TRANSLATOR:
		parse_translator(dl);
		return;
	case T_PROVIDER:
		parse_provider(dl);
		return;
	}
	if (!parse_specs(dl, &sp))
		return;
	if (parse_accept(dl, T_SEMI)) /* struct, union, enum alone */
		return;
	do {
		if (!parse_declarator(dl, sp.type, &dcl, false))
			return;
		declare(dl, &sp, &dcl);
	} while (parse_accept(dl, T_COMMA));
	if (!dl->syntax)
		parse_expect(dl, T_SEMI);
}
