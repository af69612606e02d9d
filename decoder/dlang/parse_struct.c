// SPDX-License-Identifier: Apache-2.0
/*
 * parse_struct.c - struct, union, enum: their members, laid out as gcc does
 */
#include "dlang/check.h"
#include "dlang/parse.h"

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

static void add_member(struct dlang *dl, struct members *ms, const char *name,
		       const struct dtype *type, uint32_t nr_bits, uint32_t line)
{
	struct dtype_member m = { .name = name, .type = type, .nr_bits = nr_bits };

	if (*name && strmap_get(&ms->names, name, strlen(name))) {
		err_at(dl, line, D_UNKNOWN,
		       "failed to define member '%s': Duplicate member, enumerator, or variable "
		       "name.",
		       name);
		return;
	}
	strmap_put(&ms->names, name, strlen(name), ms);
	place(ms, &m);
	if (ms->nr == DL_MAX_MEMBERS) {
		err_at(dl, line, D_DECL_TOOBIG, "type is too big: it has more than %u members",
		       DL_MAX_MEMBERS);
		dl->syntax = true;
		return;
	}
	if (ms->bits > (uint64_t)DL_MAX_OBJECT * 8) {
		err_at(dl, line, D_DECL_TOOBIG, "type is too big: it has more than %u bytes",
		       DL_MAX_OBJECT);
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
		err_at(dl, dcl->line, D_DECL_BFTYPE, "invalid type for bit-field: %s",
		       dcl->name ? dcl->name : "");
		return;
	}
	if (bits > (int64_t)dtype_base(dcl->type)->size * 8) {
		err_at(dl, dcl->line, D_DECL_BFSIZE, "bit-field too big for type: %s",
		       dcl->name ? dcl->name : "");
		return;
	}
	if (bits)
		add_member(dl, ms, dcl->name ? dcl->name : "", dcl->type, bits, dcl->line);
	else
		ms->bits = round_up(ms->bits, dcl->type->size * 8);
}

bool parse_object_ok(struct dlang *dl, const char *name, const struct dtype *t, uint32_t line)
{
	const struct dtype *b = dtype_base(t);

	while (b->kind == DTYPE_ARRAY)
		b = dtype_base(b->ref);
	if (b->kind == DTYPE_VOID)
		err_at(dl, line, D_DECL_VOIDOBJ, "cannot have void object: %s", name);
	else if (b->is_incomplete)
		err_at(dl, line, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s", t->name,
		       name);
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
			err_at(dl, dcl.line, D_DECL_DYNOBJ, "cannot have dynamic object: %s",
			       dcl.name);
		else if (parse_accept(dl, T_COLON))
			bit_field(dl, ms, &dcl);
		else if (parse_object_ok(dl, dcl.name, dcl.type, dcl.line))
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
			       "enumerator '%s' must be assigned to an integral constant "
			       "expression",
			       id.str);
		if (value > INT32_MAX || value < INT32_MIN) {
			err_at(dl, id.line, D_DECL_ENOFLOW,
			       "enumerator '%s' value overflows INT_MAX", id.str);
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

const struct dtype *parse_tagged(struct dlang *dl, enum dtype_kind kind)
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
