// SPDX-License-Identifier: Apache-2.0
/*
 * type.c - D types, their conversions, and who fits whom
 */
#include "dlang/type.h"

/* A type, and the pointer to it; arrays are found in dl->arrays by element and number */
struct type_x {
	struct dtype t;
	struct type_x *ptr; /* pointer to it */
	bool is_prelude;    /* a typedef that the script did not write, and may write anew */
};

static struct type_x *new_type(struct dlang *dl, enum dtype_kind kind, uint32_t size,
			       const char *name)
{
	struct type_x *x = arena_alloc(&dl->mem, sizeof(*x));

	x->t = (struct dtype){ .kind = kind, .size = size, .align = size ? size : 1, .name = name };
	return x;
}

static const struct dtype *basic(struct dlang *dl, enum dtype_kind kind, uint32_t size,
				 bool is_signed, const char *name)
{
	struct type_x *x = new_type(dl, kind, size, name);

	x->t.is_signed = is_signed;
	x->t.is_char = kind == DTYPE_INT && size == 1;
	return &x->t;
}

void type_init(struct dlang *dl)
{
	uint32_t strsize = dl->opts.strsize ? dl->opts.strsize : DPROG_STRSIZE;
	struct type_x *s;

	dl->t_void = basic(dl, DTYPE_VOID, 0, false, "void");
	dl->t_char = basic(dl, DTYPE_INT, 1, true, "char");
	dl->t_uchar = basic(dl, DTYPE_INT, 1, false, "unsigned char");
	dl->t_short = basic(dl, DTYPE_INT, 2, true, "short");
	dl->t_ushort = basic(dl, DTYPE_INT, 2, false, "unsigned short");
	dl->t_int = basic(dl, DTYPE_INT, 4, true, "int");
	dl->t_uint = basic(dl, DTYPE_INT, 4, false, "unsigned int");
	dl->t_long = basic(dl, DTYPE_INT, 8, true, "long");
	dl->t_ulong = basic(dl, DTYPE_INT, 8, false, "unsigned long");
	dl->t_llong = basic(dl, DTYPE_INT, 8, true, "long long");
	dl->t_ullong = basic(dl, DTYPE_INT, 8, false, "unsigned long long");
	dl->t_float = basic(dl, DTYPE_FLOAT, 4, true, "float");
	dl->t_double = basic(dl, DTYPE_FLOAT, 8, true, "double");
	dl->t_ldouble = basic(dl, DTYPE_FLOAT, 16, true, "long double");
	dl->t_stack = basic(dl, DTYPE_STACK, 8, false, "dt_stack_t");
	dl->t_sym = basic(dl, DTYPE_SYM, 8, false, "_symaddr");
	dl->t_agg = basic(dl, DTYPE_AGG, 0, false, "aggregation");
	s = new_type(dl, DTYPE_STRING, strsize, "string");
	s->t.align = 1;
	dl->t_string = &s->t;
	dl->t_voidp = type_ptr(dl, dl->t_void);
	dl->t_charp = type_ptr(dl, dl->t_char);
	dl->t_int64 = type_typedef(dl, "int64_t", dl->t_long);
	dl->t_uint64 = type_typedef(dl, "uint64_t", dl->t_ulong);
	dl->t_size = type_typedef(dl, "size_t", dl->t_ulong);
}

const struct dtype *type_ptr(struct dlang *dl, const struct dtype *to)
{
	struct type_x *x = (struct type_x *)to;

	if (!x->ptr) {
		const struct dtype *b = to;

		x->ptr = new_type(dl, DTYPE_PTR, 8, NULL);
		while (b->kind == DTYPE_PTR)
			b = b->ref;
		/* "char *", "char **" */
		x->ptr->t.name =
			arena_printf(&dl->mem, "%s%s*", to->name, to->kind == DTYPE_PTR ? "" : " ");
		x->ptr->t.ref = to;
	}
	return &x->ptr->t;
}

const struct dtype *type_array(struct dlang *dl, const struct dtype *of, uint32_t nr, uint32_t line)
{
	struct {
		const struct dtype *of;
		uint64_t nr;
	} key = { of, nr };
	struct type_x *x = strmap_get(&dl->arrays, (const char *)&key, sizeof(key));
	const struct dtype *inner = of;
	const char *dims;

	if (x)
		return &x->t;
	x = new_type(dl, DTYPE_ARRAY, 0, NULL);
	x->t.ref = of;
	x->t.nr = nr;
	x->t.align = of->align;
	if ((uint64_t)of->size * nr > DL_MAX_OBJECT)
		err_at(dl, line, D_DECL_TOOBIG, "type is too big: array of %u elements of type %s",
		       nr, of->name);
	else
		x->t.size = of->size * nr;
	/* int a[2][3] is an array of 2 arrays of 3 ints: "int [2][3]" */
	while (inner->kind == DTYPE_ARRAY)
		inner = inner->ref;
	dims = of->kind == DTYPE_ARRAY ? of->name + strlen(inner->name) + 1 : "";
	x->t.name = arena_printf(&dl->mem, "%s [%u]%s", inner->name, nr, dims);
	strmap_put(&dl->arrays, arena_memdup(&dl->mem, &key, sizeof(key)), sizeof(key), x);
	return &x->t;
}

const struct dtype *type_typedef(struct dlang *dl, const char *name, const struct dtype *to)
{
	struct type_x *x = new_type(dl, DTYPE_TYPEDEF, to->size, name);

	x->t.align = to->align;
	x->t.is_signed = to->is_signed;
	x->t.ref = to;
	x->is_prelude = !dl->emit;
	strmap_put(&dl->typedefs, name, strlen(name), x);
	return &x->t;
}

bool type_is_prelude(const struct dtype *t)
{
	return ((const struct type_x *)t)->is_prelude;
}

const struct dtype *type_find(struct dlang *dl, const char *name)
{
	struct type_x *x = strmap_get(&dl->typedefs, name, strlen(name));

	return x ? &x->t : NULL;
}

struct dtype *type_tagged(struct dlang *dl, enum dtype_kind kind, const char *tag)
{
	static const char *const words[] = { "struct", "union", "enum" };
	unsigned int w = kind == DTYPE_STRUCT ? 0 : kind == DTYPE_UNION ? 1 : 2;
	struct type_x *x = *tag ? strmap_get(&dl->tags[w], tag, strlen(tag)) : NULL;

	if (!x) {
		x = new_type(dl, kind, 0,
			     *tag ? arena_printf(&dl->mem, "%s %s", words[w], tag)
				  : arena_printf(&dl->mem, "%s (anon)", words[w]));
		x->t.is_incomplete = true;
		if (*tag) {
			tag = arena_strdup(&dl->mem, tag);
			strmap_put(&dl->tags[w], tag, strlen(tag), x);
		}
	}
	return &x->t;
}

/* Anonymous members nest no deeper than the parser lets them. */
const struct dtype_member *type_member(const struct dtype *sou, const char *name, uint32_t *bit)
{
	uint32_t i, inner;

	sou = dtype_base(sou);
	for (i = 0; i < sou->nr; i++) {
		const struct dtype_member *m = &sou->members[i];

		if (!strcmp(m->name, name)) {
			*bit = m->bit_off;
			return m;
		}
		if (!*m->name && type_is_sou(m->type)) {
			const struct dtype_member *n = type_member(m->type, name, &inner);

			if (n) {
				*bit = m->bit_off + inner;
				return n;
			}
		}
	}
	return NULL;
}

const struct dtype *type_promote(struct dlang *dl, const struct dtype *t)
{
	const struct dtype *b = dtype_base(t);

	if (b->kind == DTYPE_ENUM || b->size < 4)
		return dl->t_int;
	return t;
}

const struct dtype *type_common(struct dlang *dl, const struct dtype *a, const struct dtype *b)
{
	const struct dtype *x, *y;

	a = type_promote(dl, a);
	b = type_promote(dl, b);
	x = dtype_base(a);
	y = dtype_base(b);
	if (x->size != y->size)
		return x->size > y->size ? a : b;
	if (x->is_signed != y->is_signed)
		return x->is_signed ? b : a;
	/* long and long long are the same here; the name of the left one stays */
	return y == dl->t_llong || y == dl->t_ullong ? b : a;
}

int64_t type_normal(const struct dtype *t, int64_t v)
{
	t = dtype_base(t);
	switch (t->size) {
	case 1:
		return t->is_signed ? (int64_t)(int8_t)v : (int64_t)(uint8_t)v;
	case 2:
		return t->is_signed ? (int64_t)(int16_t)v : (int64_t)(uint16_t)v;
	case 4:
		return t->is_signed ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
	default:
		return v;
	}
}

bool type_assignable(const struct dtype *to, const struct dtype *from)
{
	const struct dtype *a = dtype_base(to), *b = dtype_base(from), *x, *y;

	if (a == b)
		return true;
	if (type_is_int(a) && type_is_int(b))
		return true;
	if (a->kind == DTYPE_STRING)
		return b->kind == DTYPE_STRING || type_is_text(b);
	if (a->kind == DTYPE_PTR && (b->kind == DTYPE_PTR || b->kind == DTYPE_ARRAY)) {
		x = dtype_base(a->ref);
		y = dtype_base(b->ref);
		return x == y || x->kind == DTYPE_VOID || y->kind == DTYPE_VOID ||
		       (type_is_int(x) && type_is_int(y) && x->size == y->size);
	}
	return false;
}

enum { C_VOID, C_CHAR, C_SHORT, C_INT, C_LONG, C_SIGNED, C_UNSIGNED, C_FLOAT, C_DOUBLE, C_NR };

/* @counts: how often each of void char short int long signed unsigned float double was said */
const struct dtype *type_basic(struct dlang *dl, unsigned int n[], uint32_t line)
{
	bool u = n[C_UNSIGNED];

	if ((n[C_SIGNED] || u) && (n[C_VOID] || n[C_FLOAT] || n[C_DOUBLE])) {
		err_at(dl, line, D_DECL_SIGNINT,
		       "invalid type declaration: signed and unsigned may only be used with "
		       "integer type");
		return dl->t_int;
	}
	if (n[C_CHAR] && (n[C_SHORT] || n[C_LONG])) {
		err_at(dl, line, D_DECL_CHARATTR,
		       "invalid type declaration: short and long may not be used with char type");
		return dl->t_char;
	}
	if ((n[C_SHORT] || n[C_LONG]) &&
	    (n[C_VOID] || n[C_FLOAT] || (n[C_DOUBLE] && (n[C_SHORT] || n[C_LONG] > 1)))) {
		err_at(dl, line, D_DECL_LONGINT,
		       "invalid type declaration: short and long may only be used with int type");
		return dl->t_int;
	}
	if (n[C_VOID] + n[C_CHAR] + n[C_INT] + n[C_FLOAT] + n[C_DOUBLE] > 1 || n[C_SHORT] > 1 ||
	    n[C_LONG] > 2 || (n[C_SHORT] && n[C_LONG]) || n[C_SIGNED] + n[C_UNSIGNED] > 1) {
		err_at(dl, line, D_DECL_COMBO, "invalid type combination");
		return dl->t_int;
	}
	if (n[C_VOID])
		return dl->t_void;
	if (n[C_CHAR])
		return u ? dl->t_uchar : dl->t_char;
	if (n[C_SHORT])
		return u ? dl->t_ushort : dl->t_short;
	if (n[C_FLOAT])
		return dl->t_float;
	if (n[C_DOUBLE])
		return n[C_LONG] ? dl->t_ldouble : dl->t_double;
	if (n[C_LONG] == 2)
		return u ? dl->t_ullong : dl->t_llong;
	if (n[C_LONG])
		return u ? dl->t_ulong : dl->t_long;
	return u ? dl->t_uint : dl->t_int;
}
