// SPDX-License-Identifier: Apache-2.0
/*
 * check_expr.c - the walk over expressions, conversions, sizeof and kin
 */
#include "dlang/check.h"

static struct node *conv_node(struct dlang *dl, struct node *n, const struct dtype *to)
{
	struct node *c = ast_new(dl, N_CONV, n->line);

	c->a = n;
	c->type = to;
	c->depth = n->depth + 1;
	return c;
}

struct node *check_conv(struct dlang *dl, struct node *n, const struct dtype *to)
{
	if (!n->type || !to || n->type == to)
		return n;
	if (n->kind == N_INT) {
		if (type_is_scalar(to)) {
			n->value = type_normal(to, n->value);
			n->type = to;
			return n;
		}
		if (type_is_str(to) && !n->value) { /* NULL */
			n->type = to;
			return n;
		}
	}
	return conv_node(dl, n, to);
}

bool check_assignable(const struct dtype *to, const struct node *from)
{
	if (type_assignable(to, from->type))
		return true;
	return check_is_zero(from) && (type_is_ptr(to) || type_is_str(to));
}

static struct node *check_sizeof(struct dlang *dl, struct node *n)
{
	const struct dtype *t = n->data;
	struct node *e;
	uint64_t size;

	if (n->a) {
		e = check_expr(dl, n->a);
		if (!e->type)
			return n;
		if (e->kind == N_MEMBER && e->len) {
			err_at(dl, n->line, D_SIZEOF_BITFIELD,
			       "cannot apply sizeof to a bit-field");
			return n;
		}
		t = e->type;
		size = e->kind == N_STR ? e->len + 1 : t->size;
	} else {
		if (!t)
			return n;
		size = t->size;
	}
	if (type_is_void(t) || dtype_base(t)->kind == DTYPE_AGG ||
	    dtype_base(t)->kind == DTYPE_STACK) {
		err_at(dl, n->line, D_SIZEOF_TYPE,
		       "cannot apply sizeof to an operand of unknown size");
		return n;
	}
	return ast_int(dl, n->line, dtype_base(t)->size && !n->a ? dtype_base(t)->size : size,
		       dl->t_size);
}

static struct node *check_offsetof(struct dlang *dl, struct node *n)
{
	const struct dtype *t = n->data;
	const struct dtype_member *m;
	uint32_t bit;

	if (!t)
		return n;
	if (!type_is_sou(t)) {
		err_at(dl, n->line, D_OFFSETOF_TYPE,
		       "offsetof operand must be a struct or union type");
		return n;
	}
	m = type_member(t, n->str, &bit);
	if (!m) {
		err_at(dl, n->line, D_UNKNOWN,
		       "failed to determine offset of %s: Member name not found.", n->str);
		return n;
	}
	if (m->nr_bits) {
		err_at(dl, n->line, D_OFFSETOF_BITFIELD, "cannot take offset of a bit-field: %s",
		       n->str);
		return n;
	}
	return ast_int(dl, n->line, bit / 8, dl->t_size);
}

static struct node *check_stringof(struct dlang *dl, struct node *n)
{
	const struct dtype *t;

	n->a = check_expr(dl, n->a);
	t = n->a->type;
	if (!t)
		return n;
	if (type_is_str(t))
		return n->a;
	if (!type_is_scalar(t) && !type_is_array(t)) {
		err_at(dl, n->line, D_STRINGOF_TYPE, "cannot convert type %s to string", t->name);
		return n;
	}
	return conv_node(dl, n->a, dl->t_string);
}

static struct node *check_comma(struct dlang *dl, struct node *n)
{
	n->a = check_expr(dl, n->a);
	n->b = check_expr(dl, n->b);
	n->type = n->a->type ? n->b->type : NULL;
	return n;
}

static struct node *dispatch(struct dlang *dl, struct node *n)
{
	switch (n->kind) {
	case N_INT:
		return n;
	case N_STR:
		n->type = dl->t_string;
		return n;
	case N_IDENT:
	case N_SCOPED:
		return check_ident(dl, n);
	case N_AGG:
		return check_agg_use(dl, n);
	case N_ADDRSYM: {
		const char *tick = strchr(n->str, '`');

		err_at(dl, n->line, D_IDENT_UNDEF, "failed to resolve %s: %s", n->str,
		       tick == n->str ? "Unknown symbol name" : "Module is no longer loaded");
		return n;
	}
	case N_UNARY:
		return check_unary(dl, n);
	case N_BINARY:
		return check_binary(dl, n);
	case N_ASSIGN:
		return check_assign(dl, n);
	case N_INCDEC:
		return check_incdec(dl, n);
	case N_COND:
		return check_cond(dl, n);
	case N_COMMA:
		return check_comma(dl, n);
	case N_CALL:
		return check_call(dl, n);
	case N_INDEX:
		return check_index(dl, n);
	case N_MEMBER:
	case N_ARROW:
		return check_member(dl, n);
	case N_CAST:
		return check_cast(dl, n);
	case N_SIZEOF:
		return check_sizeof(dl, n);
	case N_OFFSETOF:
		return check_offsetof(dl, n);
	case N_STRINGOF:
		return check_stringof(dl, n);
	case N_XLATE:
		n->a = check_expr(dl, n->a);
		if (n->a->type && n->data && check_has_xlator(dl, n))
			err_at(dl, n->line, D_XLATE_VALUE,
			       "a translated struct can only be used by its members");
		return n;
	default:
		return n;
	}
}

struct node *check_expr(struct dlang *dl, struct node *n)
{
	if (dl->check_depth >= DL_MAX_CHECK && !dl->too_big) {
		err_at(dl, n->line, D_TOOBIG, "expression has more than %u levels with its inlines",
		       DL_MAX_CHECK);
		dl->too_big = true;
	}
	if (dl->too_big) {
		n->type = NULL;
		return n;
	}
	dl->check_depth++;
	n = dispatch(dl, n);
	dl->check_depth--;
	return n;
}
