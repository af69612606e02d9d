// SPDX-License-Identifier: Apache-2.0
/*
 * check_assign.c - what stores: assignments, ++ and --; ?: and casts
 */
#include "dlang/check.h"

static struct node *fail(struct node *n)
{
	n->type = NULL;
	return n;
}

/* Can this be stored to?  Reports if not. */
static bool writable(struct dlang *dl, const struct node *n, unsigned int op, uint32_t line)
{
	const struct sym *s = n->sym;

	if (n->is_lval && !(n->kind == N_INDEX && type_is_array(n->type)))
		return true;
	if ((n->kind == N_IDENT || n->kind == N_INDEX) && s &&
	    (s->kind == SYM_BVAR || s->kind == SYM_ARG || s->kind == SYM_ARGS))
		err_at(dl, line, D_OP_WRITE,
		       "operator %s can only be applied to a writable variable", check_op_name(op));
	else
		err_at(dl, line, D_OP_LVAL, "operator %s requires modifiable lvalue as an operand",
		       check_op_name(op));
	return false;
}

/* Is this the name of a variable that is not there yet? */
static bool is_new(struct dlang *dl, const struct node *n)
{
	if (n->kind == N_INDEX)
		n = n->a;
	return (n->kind == N_IDENT && !check_lookup(dl, DPROG_GLOBAL, n->str)) ||
	       (n->kind == N_SCOPED && !check_lookup(dl, n->op, n->str));
}

/* x = v, x[k] = v for a new x: it gets v's type, and the types of the keys. */
static bool define(struct dlang *dl, struct node *n, const struct dtype *t)
{
	const struct node *name = n->kind == N_INDEX ? n->a : n;
	unsigned int scope = name->kind == N_SCOPED ? name->op : DPROG_GLOBAL, nr_keys = 0;
	const struct dtype **keys = NULL;
	struct sym *s;

	if (n->kind == N_INDEX) {
		if (scope == DPROG_CLAUSE) {
			check_undef(dl, name);
			return false;
		}
		if (!check_keys(dl, n, name->str, &n->list, &keys, &nr_keys, true))
			return false;
	}
	s = check_new_var(dl, scope, name->str, t, n->line);
	s->is_assoc = n->kind == N_INDEX;
	s->keys = keys;
	s->nr_keys = nr_keys;
	return true;
}

static const struct dtype *type_of_new(struct dlang *dl, const struct node *v)
{
	const struct dtype *b = dtype_base(v->type);

	if (b->kind == DTYPE_ARRAY)
		return type_is_text(v->type) ? dl->t_string : type_ptr(dl, b->ref);
	return v->type;
}

static bool is_value(const struct dtype *t)
{
	unsigned int k = dtype_base(t)->kind;

	return k == DTYPE_INT || k == DTYPE_ENUM || k == DTYPE_PTR || k == DTYPE_STRING ||
	       k == DTYPE_STRUCT || k == DTYPE_UNION || k == DTYPE_ARRAY;
}

struct node *check_assign(struct dlang *dl, struct node *n)
{
	struct node *l, op = { 0 };

	if (n->b->kind == N_XLATE && is_new(dl, n->a)) {
		err_at(dl, n->line, D_OP_INCOMPAT,
		       "operands have incompatible types: \"scalar\" %s \"pointer to translated "
		       "data\"",
		       check_op_name(n->op));
		return fail(n);
	}
	n->b = check_expr(dl, n->b);
	if (n->a->kind == N_AGG) {
		err_at(dl, n->line, D_AGG_USE, "aggregation @%s can not be used as a value",
		       n->a->str);
		return fail(n);
	}
	if (is_new(dl, n->a)) {
		const struct dtype *t = n->op == T_ASGN ? NULL : dl->t_int64;

		if (!n->b->type) {
			/* the name is known from here on, so that it is not complained of again */
			if (n->op == T_ASGN && (n->a->kind == N_IDENT || n->a->kind == N_SCOPED))
				define(dl, n->a, dl->t_void);
			return fail(n);
		}
		if (n->op == T_ASGN && !is_value(n->b->type)) {
			err_at(dl, n->line, D_OP_INCOMPAT,
			       "operands have incompatible types: \"scalar\" %s \"%s\"",
			       check_op_name(n->op), n->b->type->name);
			return fail(n);
		}
		if (!define(dl, n->a, t ? t : type_of_new(dl, n->b)))
			return fail(n);
	}
	l = n->a = check_expr(dl, n->a);
	if (!l->type || !n->b->type)
		return fail(n);
	if (!writable(dl, l, n->op, n->line))
		return fail(n);
	n->type = l->type;
	if (n->op == T_ASGN) {
		if (!check_assignable(l->type, n->b))
			return check_incompat(dl, n);
		n->b = check_conv(dl, n->b, l->type);
		return n;
	}
	/* a op= b: the operation's type is left in data; what it needs of a is done by emit */
	op.kind = N_BINARY;
	op.line = n->line;
	op.op = T_PLUS + 0;
	switch (n->op) {
	case T_ADDEQ:
		op.op = T_PLUS;
		break;
	case T_SUBEQ:
		op.op = T_MINUS;
		break;
	case T_MULEQ:
		op.op = T_STAR;
		break;
	case T_DIVEQ:
		op.op = T_SLASH;
		break;
	case T_MODEQ:
		op.op = T_PERCENT;
		break;
	case T_ANDEQ:
		op.op = T_AND;
		break;
	case T_XOREQ:
		op.op = T_XOR;
		break;
	case T_OREQ:
		op.op = T_OR;
		break;
	case T_SHLEQ:
		op.op = T_SHL;
		break;
	default:
		op.op = T_SHR;
	}
	if (type_is_str(l->type) || type_is_array(l->type) || type_is_sou(l->type)) {
		err_at(dl, n->line, D_OP_ARITH, "operator %s requires %s of arithmetic type",
		       check_op_name(n->op), "operands");
		return fail(n);
	}
	/* A stand-in for the left side, so that the rules for the operation are said once. */
	n->c = ast_new(dl, N_PARAM, n->line);
	n->c->value = -1;
	n->c->type = l->kind == N_MEMBER && l->len && l->len < 32 ? dl->t_int : l->type;
	n->data = ast_new(dl, N_BINARY, n->line);
	*(struct node *)n->data = op;
	((struct node *)n->data)->a = n->c;
	((struct node *)n->data)->b = n->b;
	n->data = check_operands(dl, n->data);
	if (!((struct node *)n->data)->type)
		return fail(n);
	n->data = check_conv(dl, n->data, l->type);
	return n;
}

struct node *check_incdec(struct dlang *dl, struct node *n)
{
	const struct dtype *b;

	if (is_new(dl, n->a) && !define(dl, n->a, dl->t_int64))
		return fail(n);
	n->a = check_expr(dl, n->a);
	if (!n->a->type)
		return fail(n);
	b = dtype_base(n->a->type);
	if (!type_is_scalar(b)) {
		err_at(dl, n->line, D_OP_SCALAR, "operator %s requires %s of scalar type",
		       check_op_name(n->op), "operand");
		return fail(n);
	}
	if (!writable(dl, n->a, n->op, n->line))
		return fail(n);
	if (b->kind == DTYPE_PTR && dtype_base(b->ref)->is_incomplete) {
		err_at(dl, n->line, D_OP_INCOMPLETE,
		       "operator %s cannot be applied to a pointer to type \"%s\" of unknown size",
		       check_op_name(n->op), b->ref->name);
		return fail(n);
	}
	n->type = n->a->type;
	return n;
}

struct node *check_cond(struct dlang *dl, struct node *n)
{
	const struct dtype *b, *c, *t = NULL;

	n->a = check_expr(dl, n->a);
	n->b = check_expr(dl, n->b);
	n->c = check_expr(dl, n->c);
	if (!n->a->type || !n->b->type || !n->c->type)
		return fail(n);
	if (!type_is_scalar(n->a->type)) {
		err_at(dl, n->line, D_OP_SCALAR, "operator %s requires %s of scalar type",
		       "?:", "operand");
		return fail(n);
	}
	n->b = check_decay(dl, n->b);
	n->c = check_decay(dl, n->c);
	if (check_is_const(n->a) && (type_is_str(n->b->type) != type_is_str(n->c->type)))
		return n->a->value ? n->b : n->c;
	b = n->b->type;
	c = n->c->type;
	if (type_is_int(b) && type_is_int(c))
		t = type_common(dl, b, c);
	else if (type_is_str(b) && (type_is_strlike(c) || check_is_zero(n->c)))
		t = dl->t_string;
	else if (type_is_str(c) && (type_is_strlike(b) || check_is_zero(n->b)))
		t = dl->t_string;
	else if (type_is_ptr(b) && (type_assignable(b, c) || check_is_zero(n->c)))
		t = b;
	else if (type_is_ptr(c) && check_is_zero(n->b))
		t = c;
	else if (dtype_base(b) == dtype_base(c))
		t = b;
	if (!t) {
		err_at(dl, n->line, D_OP_INCOMPAT,
		       "operator %s operands must have compatible types", "?:");
		return fail(n);
	}
	n->b = check_conv(dl, n->b, t);
	n->c = check_conv(dl, n->c, t);
	n->type = t;
	if (check_is_const(n->a))
		return n->a->value ? n->b : n->c;
	return n;
}

struct node *check_cast(struct dlang *dl, struct node *n)
{
	const struct dtype *to = n->data, *from;

	n->a = check_expr(dl, n->a);
	if (!to || !n->a->type)
		return fail(n);
	n->a = check_decay(dl, n->a);
	from = n->a->type;
	if (dtype_base(to)->kind == DTYPE_FLOAT) {
		err_at(dl, n->line, D_CAST_INVAL, "invalid cast: %s to %s", from->name, to->name);
		return fail(n);
	}
	if (type_is_void(to)) {
		n->type = to;
		return n;
	}
	if (type_is_str(to) && (type_is_scalar(from) || type_is_str(from)))
		return check_conv(dl, n->a, dl->t_string);
	if (type_is_scalar(to) && (type_is_scalar(from) || (type_is_ptr(to) && type_is_str(from))))
		return check_conv(dl, n->a, to);
	if (dtype_base(to) == dtype_base(from) && type_is_sou(to))
		return n->a;
	err_at(dl, n->line, D_CAST_INVAL, "invalid cast: %s to %s", from->name, to->name);
	return fail(n);
}
