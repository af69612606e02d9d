// SPDX-License-Identifier: Apache-2.0
/*
 * check_op.c - the rules of each operator, in C's way where D has no own
 */
#include "dlang/check.h"

const char *check_op_name(unsigned int op)
{
	return lex_tok_name(op);
}

struct node *check_decay(struct dlang *dl, struct node *n)
{
	if (n->type && type_is_array(n->type))
		return check_conv(dl, n, type_ptr(dl, dtype_base(n->type)->ref));
	/* as in C, a bit-field whose values an int can hold is an int */
	if (n->type && n->kind == N_MEMBER && n->len && n->len < 32)
		return check_conv(dl, n, dl->t_int);
	return n;
}

static struct node *fail(struct node *n)
{
	n->type = NULL;
	return n;
}

struct node *check_incompat(struct dlang *dl, struct node *n)
{
	err_at(dl, n->line, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"",
	       n->a->type->name, check_op_name(n->op), n->b->type->name);
	return fail(n);
}

static struct node *addr_of(struct dlang *dl, struct node *n)
{
	struct node *a = n->a;

	if (a->kind == N_IDENT || a->kind == N_SCOPED) {
		if (a->sym && a->sym->kind == SYM_VAR)
			err_at(dl, n->line, D_ADDROF_VAR,
			       "cannot take address of dynamic variable");
		else
			err_at(dl, n->line, D_ADDROF_LVAL,
			       "unacceptable operand for unary & operator");
		return fail(n);
	}
	if (!a->is_lval || !(a->kind == N_MEMBER || a->kind == N_UNARY || a->kind == N_INDEX)) {
		err_at(dl, n->line, D_ADDROF_LVAL, "unacceptable operand for unary & operator");
		return fail(n);
	}
	if (a->kind == N_INDEX && a->sym) {
		err_at(dl, n->line, D_ADDROF_VAR, "cannot take address of dynamic variable");
		return fail(n);
	}
	if (a->kind == N_MEMBER && a->len) {
		err_at(dl, n->line, D_ADDROF_BITFIELD, "cannot take address of bit-field");
		return fail(n);
	}
	n->type = type_ptr(dl, a->type);
	return n;
}

static struct node *deref(struct dlang *dl, struct node *n)
{
	const struct dtype *t, *to;

	n->a = check_decay(dl, n->a);
	if (type_is_str(n->a->type))
		n->a = check_conv(dl, n->a, dl->t_charp);
	t = dtype_base(n->a->type);
	if (t->kind != DTYPE_PTR) {
		err_at(dl, n->line, D_DEREF_NONPTR, "cannot dereference non-pointer type");
		return fail(n);
	}
	to = dtype_base(t->ref);
	if (to->kind == DTYPE_VOID) {
		err_at(dl, n->line, D_DEREF_VOID, "cannot dereference pointer to void");
		return fail(n);
	}
	if (to->is_incomplete) {
		err_at(dl, n->line, D_OP_INCOMPLETE,
		       "operator %s cannot be applied to a pointer to type \"%s\" of unknown size",
		       "*", to->name);
		return fail(n);
	}
	n->type = t->ref;
	n->is_lval = true;
	return n;
}

struct node *check_unary(struct dlang *dl, struct node *n)
{
	const struct dtype *t;

	n->a = check_expr(dl, n->a);
	if (!n->a->type)
		return fail(n);
	if (n->op == T_AND)
		return addr_of(dl, n);
	if (n->op == T_STAR)
		return deref(dl, n);
	n->a = check_decay(dl, n->a);
	t = n->a->type;
	switch (n->op) {
	case T_NOT:
		if (!type_is_scalar(t)) {
			err_at(dl, n->line, D_OP_SCALAR, "operator %s requires %s of scalar type",
			       "!", "an operand");
			return fail(n);
		}
		if (check_is_const(n->a))
			return ast_int(dl, n->line, !n->a->value, dl->t_int);
		n->type = dl->t_int;
		return n;
	case T_TILDE:
		if (!type_is_int(t)) {
			err_at(dl, n->line, D_OP_INT, "operator %s requires %s of integral type",
			       "~", "an operand");
			return fail(n);
		}
		break;
	default:
		if (!type_is_int(t)) {
			err_at(dl, n->line, D_OP_ARITH,
			       "operator %s requires %s of arithmetic type", check_op_name(n->op),
			       "an operand");
			return fail(n);
		}
	}
	n->a = check_conv(dl, n->a, type_promote(dl, t));
	n->type = n->a->type;
	if (n->op == T_PLUS)
		return n->a;
	if (check_is_const(n->a)) {
		uint64_t v = n->a->value;

		return ast_int(dl, n->line, type_normal(n->type, n->op == T_MINUS ? 0 - v : ~v),
			       n->type);
	}
	return n;
}

/* p + i, p - i: the integer is scaled here */
static struct node *pointer_sum(struct dlang *dl, struct node *n, struct node **ptr,
				struct node **num)
{
	const struct dtype *to = dtype_base(dtype_base((*ptr)->type)->ref);
	struct node *size, *mul;
	uint32_t bytes = to->kind == DTYPE_VOID ? 1 : to->size;

	if (to->is_incomplete) {
		err_at(dl, n->line, D_OP_INCOMPLETE,
		       "operator %s cannot be applied to a pointer to type \"%s\" of unknown size",
		       check_op_name(n->op), to->name);
		return fail(n);
	}
	*num = check_conv(dl, *num, dl->t_long);
	if (bytes != 1) {
		if (check_is_const(*num)) {
			(*num)->value = fold_binary(T_STAR, dl->t_long, (*num)->value, bytes);
		} else {
			size = ast_int(dl, n->line, bytes, dl->t_long);
			mul = ast_new(dl, N_BINARY, n->line);
			mul->op = T_STAR;
			mul->a = *num;
			mul->b = size;
			mul->type = dl->t_long;
			mul->depth = (*num)->depth + 1;
			*num = mul;
		}
	}
	n->type = (*ptr)->type;
	if (check_is_const(*ptr) && check_is_const(*num))
		return ast_int(dl, n->line,
			       fold_binary(n->op, dl->t_ulong, n->a->value, n->b->value), n->type);
	return n;
}

static struct node *pointer_diff(struct dlang *dl, struct node *n)
{
	const struct dtype *to = dtype_base(dtype_base(n->a->type)->ref);
	uint32_t bytes = to->size ? to->size : 1;
	struct node *div;

	if (!type_assignable(n->a->type, n->b->type))
		return check_incompat(dl, n);
	n->type = dl->t_long;
	if (bytes == 1)
		return n;
	div = ast_new(dl, N_BINARY, n->line);
	div->op = T_SLASH;
	div->a = n;
	div->b = ast_int(dl, n->line, bytes, dl->t_long);
	div->type = dl->t_long;
	div->depth = n->depth + 1;
	return div;
}

static struct node *fold(struct dlang *dl, struct node *n, const struct dtype *operands)
{
	if ((n->op == T_SLASH || n->op == T_PERCENT) && check_is_zero(n->b)) {
		err_at(dl, n->line, D_DIV_ZERO, "expression contains division by zero");
		return fail(n);
	}
	if (!check_is_const(n->a) || !check_is_const(n->b))
		return n;
	return ast_int(dl, n->line, fold_binary(n->op, operands, n->a->value, n->b->value),
		       n->type);
}

static struct node *arithmetic(struct dlang *dl, struct node *n)
{
	const struct dtype *t = type_common(dl, n->a->type, n->b->type);

	n->a = check_conv(dl, n->a, t);
	n->b = check_conv(dl, n->b, t);
	n->type = t;
	return fold(dl, n, t);
}

static struct node *shift(struct dlang *dl, struct node *n)
{
	n->a = check_conv(dl, n->a, type_promote(dl, n->a->type));
	n->b = check_conv(dl, n->b, type_promote(dl, n->b->type));
	n->type = n->a->type;
	return fold(dl, n, n->type);
}

static struct node *additive(struct dlang *dl, struct node *n)
{
	bool pa, pb;

	if (type_is_str(n->a->type))
		n->a = check_conv(dl, n->a, dl->t_charp);
	if (type_is_str(n->b->type) && n->op == T_PLUS)
		n->b = check_conv(dl, n->b, dl->t_charp);
	pa = type_is_ptr(n->a->type);
	pb = type_is_ptr(n->b->type);
	if (type_is_int(n->a->type) && type_is_int(n->b->type))
		return arithmetic(dl, n);
	if (pa && type_is_int(n->b->type))
		return pointer_sum(dl, n, &n->a, &n->b);
	if (pb && type_is_int(n->a->type) && n->op == T_PLUS)
		return pointer_sum(dl, n, &n->b, &n->a);
	if (pa && pb && n->op == T_MINUS)
		return pointer_diff(dl, n);
	if (pa && pb)
		return check_incompat(dl, n);
	err_at(dl, n->line, D_OP_ARITH, "operator %s requires %s of arithmetic type",
	       check_op_name(n->op), "operands");
	return fail(n);
}

static struct node *compare(struct dlang *dl, struct node *n)
{
	const struct dtype *a = n->a->type, *b = n->b->type, *t;
	bool eq = n->op == T_EQ || n->op == T_NE;

	n->type = dl->t_int;
	if ((type_is_str(a) && type_is_strlike(b)) || (type_is_str(b) && type_is_strlike(a))) {
		n->a = check_conv(dl, n->a, dl->t_string);
		n->b = check_conv(dl, n->b, dl->t_string);
		return n;
	}
	/* string == 0, string == NULL: was it ever set? */
	if (eq && type_is_str(a) && check_is_zero(n->b)) {
		n->b->type = dl->t_string;
		return n;
	}
	if (eq && type_is_str(b) && check_is_zero(n->a)) {
		n->a->type = dl->t_string;
		return n;
	}
	if (type_is_int(a) && type_is_int(b)) {
		t = type_common(dl, a, b);
	} else if (type_is_scalar(a) && type_is_scalar(b)) {
		if (type_is_ptr(a) && type_is_ptr(b) && !type_assignable(a, b))
			return check_incompat(dl, n);
		t = dl->t_ulong;
	} else {
		return check_incompat(dl, n);
	}
	n->a = check_conv(dl, n->a, t);
	n->b = check_conv(dl, n->b, t);
	return fold(dl, n, t);
}

static struct node *logical(struct dlang *dl, struct node *n)
{
	if (!type_is_scalar(n->a->type) || !type_is_scalar(n->b->type)) {
		err_at(dl, n->line, D_OP_SCALAR, "operator %s requires %s of scalar type",
		       check_op_name(n->op), "operands");
		return fail(n);
	}
	n->type = dl->t_int;
	return fold(dl, n, dl->t_long);
}

struct node *check_operands(struct dlang *dl, struct node *n)
{
	bool ints;

	if (!n->a->type || !n->b->type)
		return fail(n);
	n->a = check_decay(dl, n->a);
	n->b = check_decay(dl, n->b);
	ints = type_is_int(n->a->type) && type_is_int(n->b->type);
	switch (n->op) {
	case T_AND:
	case T_OR:
	case T_XOR:
	case T_SHL:
	case T_SHR:
	case T_PERCENT:
		if (!ints) {
			err_at(dl, n->line, D_OP_INT, "operator %s requires %s of integral type",
			       check_op_name(n->op), "operands");
			return fail(n);
		}
		return n->op == T_SHL || n->op == T_SHR ? shift(dl, n) : arithmetic(dl, n);
	case T_STAR:
	case T_SLASH:
		if (!ints) {
			err_at(dl, n->line, D_OP_ARITH,
			       "operator %s requires %s of arithmetic type", check_op_name(n->op),
			       "operands");
			return fail(n);
		}
		return arithmetic(dl, n);
	case T_PLUS:
	case T_MINUS:
		return additive(dl, n);
	case T_LAND:
	case T_LOR:
	case T_LXOR:
		return logical(dl, n);
	default:
		return compare(dl, n);
	}
}

struct node *check_binary(struct dlang *dl, struct node *n)
{
	n->a = check_expr(dl, n->a);
	n->b = check_expr(dl, n->b);
	return check_operands(dl, n);
}
