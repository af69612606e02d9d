// SPDX-License-Identifier: Apache-2.0
/*
 * parse_decl.c - C declarations as D has them: types, structs, enums, variables,
 * inlines, translators.  Each takes effect as it is read.
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

struct members {
	struct dtype_member *m;
	size_t nr, cap;
	uint64_t bits;	/* laid out so far */
	uint32_t align; /* bytes */
	struct strmap names;
	bool is_union;
};

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return to ? (v + to - 1) / to * to : v;
}

/* As gcc lays out bit-fields: one never crosses a unit of its type. */
static void place(struct members *ms, struct dtype_member *m)
{
	uint64_t unit = (uint64_t)m->type->size * 8, at = ms->is_union ? 0 : ms->bits, width = unit;

	if (m->nr_bits) {
		width = m->nr_bits;
		if (unit && at / unit != (at + width - 1) / unit)
			at = round_up(at, unit);
	} else {
		at = round_up(at, (uint64_t)m->type->align * 8);
	}
	m->bit_off = at;
	if (ms->is_union)
		ms->bits = width > ms->bits ? width : ms->bits;
	else
		ms->bits = at + width;
	if (m->type->align > ms->align)
		ms->align = m->type->align;
}

static void add_member(struct dlang *dl, struct members *ms, const char *name, const struct dtype *type,
		       uint32_t nr_bits, uint32_t line)
{
	struct dtype_member m = { .name = name, .type = type, .nr_bits = nr_bits };

	if (*name && strmap_get(&ms->names, name, strlen(name))) {
		err_at(dl, line, D_UNKNOWN,
		       "failed to define member '%s': Duplicate member, enumerator, or variable name.", name);
		return;
	}
	strmap_put(&ms->names, name, strlen(name), ms);
	place(ms, &m);
	if (ms->nr == DL_MAX_MEMBERS) {
		err_at(dl, line, D_DECL_TOOBIG, "type is too big: it has more than %u members", DL_MAX_MEMBERS);
		dl->syntax = true;
		return;
	}
	if (ms->bits > (uint64_t)DL_MAX_OBJECT * 8) {
		err_at(dl, line, D_DECL_TOOBIG, "type is too big: it has more than %u bytes", DL_MAX_OBJECT);
		ms->bits = 0;
		return;
	}
	ms->m = arena_grow(&dl->mem, ms->m, ms->nr, &ms->cap, sizeof(*ms->m));
	ms->m[ms->nr++] = m;
}

static void bit_field(struct dlang *dl, struct members *ms, const struct declarator *dcl)
{
	int64_t bits;

	if (!parse_const(dl, &bits) || bits < 0 || (bits == 0 && dcl->name)) {
		if (!dl->syntax)
			err_at(dl, dcl->line, D_DECL_BFCONST,
			       "positive integral constant expression expected as bit-field size");
		return;
	}
	if (!type_is_int(dcl->type)) {
		err_at(dl, dcl->line, D_DECL_BFTYPE, "invalid type for bit-field: %s", dcl->name ? dcl->name : "");
		return;
	}
	if (bits > (int64_t)dtype_base(dcl->type)->size * 8) {
		err_at(dl, dcl->line, D_DECL_BFSIZE, "bit-field too big for type: %s", dcl->name ? dcl->name : "");
		return;
	}
	if (bits)
		add_member(dl, ms, dcl->name ? dcl->name : "", dcl->type, bits, dcl->line);
	else
		ms->bits = round_up(ms->bits, dcl->type->size * 8);
}

/* May there be an object (or member) of this type? */
static bool object_ok(struct dlang *dl, const char *name, const struct dtype *t, uint32_t line)
{
	const struct dtype *b = dtype_base(t);

	while (b->kind == DTYPE_ARRAY)
		b = dtype_base(b->ref);
	if (b->kind == DTYPE_VOID)
		err_at(dl, line, D_DECL_VOIDOBJ, "cannot have void object: %s", name);
	else if (b->is_incomplete)
		err_at(dl, line, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s", t->name, name);
	else
		return true;
	return false;
}

static void member_line(struct dlang *dl, struct members *ms)
{
	struct specs sp;
	struct declarator dcl;

	if (!parse_specs(dl, &sp))
		return;
	if (lex_peek(dl)->kind == T_SEMI) {
		if (type_is_sou(sp.type)) /* anonymous */
			add_member(dl, ms, "", sp.type, 0, lex_peek(dl)->line);
		lex_next(dl);
		return;
	}
	do {
		if (lex_peek(dl)->kind == T_COLON)
			dcl = (struct declarator){ .type = sp.type, .line = lex_peek(dl)->line };
		else if (!parse_declarator(dl, sp.type, &dcl, false))
			return;
		if (dcl.is_assoc)
			err_at(dl, dcl.line, D_DECL_DYNOBJ, "cannot have dynamic object: %s", dcl.name);
		else if (parse_accept(dl, T_COLON))
			bit_field(dl, ms, &dcl);
		else if (object_ok(dl, dcl.name, dcl.type, dcl.line))
			add_member(dl, ms, dcl.name, dcl.type, 0, dcl.line);
	} while (parse_accept(dl, T_COMMA));
	if (!dl->syntax)
		parse_expect(dl, T_SEMI);
}

static void struct_body(struct dlang *dl, struct dtype *t)
{
	struct members ms = { .is_union = t->kind == DTYPE_UNION, .align = 1 };
	uint32_t line = lex_next(dl).line;

	if (!t->is_incomplete) {
		err_at(dl, line, D_DECL_TYPERED, "type redeclared: %s", t->name);
		t = type_tagged(dl, t->kind, "");
	}
	while (!dl->syntax && lex_peek(dl)->kind != T_RBRACE)
		member_line(dl, &ms);
	if (!dl->syntax)
		parse_expect(dl, T_RBRACE);
	t->members = ms.m;
	t->nr = ms.nr;
	t->align = ms.align;
	t->size = round_up((ms.bits + 7) / 8, ms.align);
	t->is_incomplete = false;
	strmap_fini(&ms.names);
}

static void enum_body(struct dlang *dl, struct dtype *t)
{
	struct dtype_enumerator *e = NULL;
	size_t nr = 0, cap = 0;
	int64_t value = 0;
	struct tok id;

	if (!t->is_incomplete)
		err_at(dl, lex_peek(dl)->line, D_DECL_TYPERED, "type redeclared: %s", t->name);
	lex_next(dl);
	while (!dl->syntax && lex_peek(dl)->kind != T_RBRACE) {
		id = *lex_peek(dl);
		if (id.kind != T_IDENT) {
			parse_error(dl);
			break;
		}
		lex_next(dl);
		if (parse_accept(dl, T_ASGN) && !parse_const(dl, &value) && !dl->syntax)
			err_at(dl, id.line, D_DECL_ENCONST,
			       "enumerator '%s' must be assigned to an integral constant expression", id.str);
		if (value > INT32_MAX || value < INT32_MIN) {
			err_at(dl, id.line, D_DECL_ENOFLOW, "enumerator '%s' value overflows INT_MAX", id.str);
			value = 0;
		}
		e = arena_grow(&dl->mem, e, nr, &cap, sizeof(*e));
		e[nr++] = (struct dtype_enumerator){ id.str, (int32_t)value };
		check_enumerator(dl, id.str, value, t, id.line);
		value++;
		if (!parse_accept(dl, T_COMMA))
			break;
	}
	if (!dl->syntax)
		parse_expect(dl, T_RBRACE);
	t->enums = e;
	t->nr = nr;
	t->is_incomplete = false;
}

static const struct dtype *tagged_spec(struct dlang *dl, enum dtype_kind kind)
{
	const char *tag = "";
	struct dtype *t;

	lex_next(dl);
	if (lex_peek(dl)->kind == T_IDENT)
		tag = lex_next(dl).str;
	else if (lex_peek(dl)->kind != T_LBRACE)
		parse_error(dl);
	t = type_tagged(dl, kind, tag);
	if (kind == DTYPE_ENUM) {
		t->size = t->align = 4;
		t->is_signed = true;
	}
	if (dl->syntax || lex_peek(dl)->kind != T_LBRACE)
		return t;
	if (parse_enter(dl)) {
		if (kind == DTYPE_ENUM)
			enum_body(dl, t);
		else
			struct_body(dl, t);
	}
	parse_leave(dl);
	return t;
}

/* Words of a basic type, by the order that type_basic() takes */
static int basic_word(unsigned int kind)
{
	static const uint8_t words[] = { T_VOID, T_CHAR, T_SHORT, T_INT_, T_LONG, T_SIGNED, T_UNSIGNED, T_FLOAT, T_DOUBLE };
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
		} else if (t.kind == T_CONST || t.kind == T_VOLATILE || t.kind == T_RESTRICT || t.kind == T_USERLAND) {
			lex_next(dl);
		} else if (storage_of(t.kind) != ST_NONE && !any && !named) {
			sp->storage = storage_of(t.kind);
			lex_next(dl);
		} else if (t.kind == T_IDENT && !strcmp(t.str, "eself") && sp->storage == ST_NONE && !any && !named &&
			   !strmap_get(&dl->own_names, "eself", 5)) {
			sp->storage = ST_PROC;
			lex_next(dl);
		} else if (t.kind == T_STRING_ && !any && !named) {
			named = dl->t_string;
			lex_next(dl);
		} else if ((t.kind == T_STRUCT || t.kind == T_UNION || t.kind == T_ENUM) && !any && !named) {
			named = tagged_spec(dl, t.kind == T_STRUCT ? DTYPE_STRUCT : t.kind == T_UNION ? DTYPE_UNION : DTYPE_ENUM);
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
			err_at(dl, key.line, D_DECL_VOIDPARM, "void may not be used as a key or parameter type");
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

static const struct dtype *suffixes(struct dlang *dl, const struct dtype *base, struct declarator *dcl, bool first)
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
			       "positive integral constant expression or tuple signature expected as array declaration subscript");
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
static const struct dtype *declarator(struct dlang *dl, const struct dtype *base, struct declarator *dcl, bool abstract_ok)
{
	unsigned int stars = 0;

	for (;;) {
		if (parse_accept(dl, T_STAR)) {
			if (++stars > 16) {
				err_at(dl, lex_peek(dl)->line, D_TOOBIG, "more than 16 levels of pointers");
				dl->syntax = true;
				return base;
			}
			base = type_ptr(dl, base);
		} else if (!parse_accept(dl, T_CONST) && !parse_accept(dl, T_VOLATILE) && !parse_accept(dl, T_RESTRICT)) {
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
		return dl->t_voidp;
	} else if (!abstract_ok) {
		parse_error(dl);
		return base;
	}
	return suffixes(dl, base, dcl, true);
}

bool parse_declarator(struct dlang *dl, const struct dtype *base, struct declarator *dcl, bool abstract_ok)
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
			if (!parse_specs(dl, &sp) || !parse_declarator(dl, sp.type, &p, true) || nr == DPROG_MAX_KEYS) {
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
	if (!to || !parse_expect(dl, T_LT) || !parse_specs(dl, &sp) || !parse_declarator(dl, sp.type, &from, false) ||
	    !parse_expect(dl, T_GT) || !parse_expect(dl, T_LBRACE))
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

/* provider NAME { probe NAME(TYPES) ... ; } ; - read for -G and -h, of no effect on a program */
static void parse_provider(struct dlang *dl)
{
	unsigned int depth = 0, k;

	do {
		k = lex_next(dl).kind;
		depth += k == T_LBRACE;
		depth -= k == T_RBRACE && depth;
		if (k == T_EOF || k == T_ERROR)
			parse_error(dl);
	} while (!dl->syntax && (depth || k != T_RBRACE));
	if (!dl->syntax)
		parse_expect(dl, T_SEMI);
}

static void declare(struct dlang *dl, const struct specs *sp, const struct declarator *dcl)
{
	if (dcl->is_func)
		return;
	if (sp->storage == ST_TYPEDEF) {
		const struct dtype *old = type_find(dl, dcl->name);

		if (old && dtype_base(old) != dtype_base(dcl->type))
			err_at(dl, dcl->line, D_DECL_IDRED, "typedef redeclared: %s", dcl->name);
		else if (!old)
			type_typedef(dl, dcl->name, dcl->type);
		return;
	}
	if (!object_ok(dl, dcl->name, dcl->type, dcl->line))
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
