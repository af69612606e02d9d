// SPDX-License-Identifier: Apache-2.0
/*
 * emit_expr.c - expressions to instructions
 */
#include "dlang/emit.h"

/* Cut register r to an integer type and extend it again */
void emit_normal(struct emit *e, const struct dtype *t, unsigned int r)
{
	static const uint8_t ops[5][2] = {
		[1] = { DPROG_OP_ZX8, DPROG_OP_SX8 },
		[2] = { DPROG_OP_ZX16, DPROG_OP_SX16 },
		[4] = { DPROG_OP_ZX32, DPROG_OP_SX32 },
	};

	t = dtype_base(t);
	if (t->size < 8 && (t->kind == DTYPE_INT || t->kind == DTYPE_ENUM))
		emit_abc(e, ops[t->size][t->is_signed], r, r, 0, 0);
}

static bool small(const struct node *n, int32_t *v)
{
	if (n->kind != N_INT || n->value < INT32_MIN + 1 || n->value > INT32_MAX)
		return false;
	*v = n->value;
	return true;
}

static bool is_bool(const struct node *n)
{
	return (n->kind == N_BINARY &&
		((n->op >= T_LT && n->op <= T_NE) || (n->op >= T_LAND && n->op <= T_LOR)) &&
		n->type->size == 4) ||
	       (n->kind == N_UNARY && n->op == T_NOT);
}

static void logical(struct emit *e, const struct node *n, unsigned int r)
{
	uint32_t jump;

	emit_expr(e, n->a, r);
	if (n->op != T_LAND && !is_bool(n->a))
		emit_abc(e, DPROG_OP_BOOL, r, r, 0, 0);
	if (n->op == T_LXOR) {
		emit_expr(e, n->b, r + 1);
		emit_abc(e, DPROG_OP_BOOL, r + 1, r + 1, 0, 0);
		emit_abc(e, DPROG_OP_XOR, r, r, r + 1, 0);
		return;
	}
	jump = emit_jump(e, n->op == T_LAND ? DPROG_OP_JZ : DPROG_OP_JNZ, r);
	emit_expr(e, n->b, r);
	if (!is_bool(n->b))
		emit_abc(e, DPROG_OP_BOOL, r, r, 0, 0);
	emit_land(e, jump);
}

static void compare_str(struct emit *e, const struct node *n, unsigned int r)
{
	static const uint8_t ops[T_NR] = {
		[T_LT] = DPROG_OP_LTSI,
		[T_LE] = DPROG_OP_LESI,
		[T_GT] = DPROG_OP_GTSI,
		[T_GE] = DPROG_OP_GESI,
	};

	emit_expr(e, n->a, r);
	emit_expr(e, n->b, r + 1);
	if (n->op == T_EQ || n->op == T_NE) {
		emit_abc(e, n->op == T_EQ ? DPROG_OP_SEQ : DPROG_OP_SNE, r, r, r + 1, 0);
		return;
	}
	emit_abc(e, DPROG_OP_SCMP, r, r, r + 1, 0);
	emit_abc(e, ops[n->op], r, r, 0, 0);
}

static void compare(struct emit *e, const struct node *n, unsigned int r)
{
	static const uint8_t imm[T_NR] = {
		[T_EQ] = DPROG_OP_EQI,	[T_NE] = DPROG_OP_NEI,	[T_LT] = DPROG_OP_LTSI,
		[T_LE] = DPROG_OP_LESI, [T_GT] = DPROG_OP_GTSI, [T_GE] = DPROG_OP_GESI,
	};
	const struct dtype *t = dtype_base(n->a->type);
	bool eq = n->op == T_EQ || n->op == T_NE, less = n->op == T_LT || n->op == T_GT;
	/* what is narrower than 64 bits lies in a register as a signed number, whatever its type */
	bool is_signed = t->size < 8 || (t->is_signed && t->kind != DTYPE_PTR);
	unsigned int op;
	int32_t v;

	if (type_is_str(t)) {
		compare_str(e, n, r);
		return;
	}
	emit_expr(e, n->a, r);
	if ((eq || is_signed) && small(n->b, &v)) {
		emit_abc(e, imm[n->op], r, r, 0, v);
		return;
	}
	emit_expr(e, n->b, r + 1);
	if (eq)
		op = n->op == T_EQ ? DPROG_OP_EQ : DPROG_OP_NE;
	else if (is_signed)
		op = less ? DPROG_OP_LTS : DPROG_OP_LES;
	else
		op = less ? DPROG_OP_LTU : DPROG_OP_LEU;
	if (n->op == T_GT || n->op == T_GE)
		emit_abc(e, op, r, r + 1, r, 0);
	else
		emit_abc(e, op, r, r, r + 1, 0);
}

/* Operator with a small constant on its right.  Return: false if there is no such instruction */
static bool arithmetic_imm(struct emit *e, unsigned int op, bool is_signed, int32_t v,
			   unsigned int r)
{
	unsigned int o;

	switch (op) {
	case T_PLUS:
		o = DPROG_OP_ADDI;
		break;
	case T_MINUS:
		o = DPROG_OP_ADDI;
		v = -v;
		break;
	case T_STAR:
		o = DPROG_OP_MULI;
		break;
	case T_AND:
		o = DPROG_OP_ANDI;
		break;
	case T_SLASH:
		if (is_signed ? v == -1 : v < 0)
			return false;
		o = is_signed ? DPROG_OP_DIVSI : DPROG_OP_DIVUI;
		break;
	case T_PERCENT:
		if (is_signed ? v == -1 : v < 0)
			return false;
		o = is_signed ? DPROG_OP_MODSI : DPROG_OP_MODUI;
		break;
	case T_SHL:
		o = DPROG_OP_SHLI;
		v &= 63;
		break;
	case T_SHR:
		o = is_signed ? DPROG_OP_SHRSI : DPROG_OP_SHRUI;
		v &= 63;
		break;
	default:
		return false;
	}
	emit_abc(e, o, r, r, 0, v);
	return true;
}

static void arithmetic(struct emit *e, const struct node *n, unsigned int r)
{
	static const uint8_t ops[T_NR][2] = {
		[T_PLUS] = { DPROG_OP_ADD, DPROG_OP_ADD },
		[T_MINUS] = { DPROG_OP_SUB, DPROG_OP_SUB },
		[T_STAR] = { DPROG_OP_MUL, DPROG_OP_MUL },
		[T_SLASH] = { DPROG_OP_DIVU, DPROG_OP_DIVS },
		[T_PERCENT] = { DPROG_OP_MODU, DPROG_OP_MODS },
		[T_AND] = { DPROG_OP_AND, DPROG_OP_AND },
		[T_OR] = { DPROG_OP_OR, DPROG_OP_OR },
		[T_XOR] = { DPROG_OP_XOR, DPROG_OP_XOR },
		[T_SHL] = { DPROG_OP_SHL, DPROG_OP_SHL },
		[T_SHR] = { DPROG_OP_SHRU, DPROG_OP_SHRS },
	};
	const struct dtype *t = dtype_base(n->a->type);
	bool is_signed = t->is_signed && t->kind != DTYPE_PTR;
	int32_t v;

	emit_expr(e, n->a, r);
	if (!small(n->b, &v) || !arithmetic_imm(e, n->op, is_signed, v, r)) {
		emit_expr(e, n->b, r + 1);
		emit_abc(e, ops[n->op][is_signed], r, r, r + 1, 0);
	}
	switch (n->op) {
	case T_PLUS:
	case T_MINUS:
	case T_STAR:
	case T_SHL:
		emit_normal(e, n->type, r);
		break;
	case T_SLASH: /* INT_MIN / -1 */
		if (is_signed && !(n->b->kind == N_INT && n->b->value != -1))
			emit_normal(e, n->type, r);
		break;
	}
}

static void unary(struct emit *e, const struct node *n, unsigned int r)
{
	int32_t off;

	switch (n->op) {
	case T_AND:
		off = emit_addr(e, n->a, r);
		if (off)
			emit_abc(e, DPROG_OP_ADDI, r, r, 0, off);
		return;
	case T_NOT:
		emit_expr(e, n->a, r);
		emit_abc(e, DPROG_OP_LNOT, r, r, 0, 0);
		return;
	case T_MINUS:
		emit_expr(e, n->a, r);
		emit_abc(e, DPROG_OP_NEG, r, r, 0, 0);
		break;
	default:
		emit_expr(e, n->a, r);
		emit_abc(e, DPROG_OP_NOT, r, r, 0, 0);
	}
	emit_normal(e, n->type, r);
}

/* Must a value of type @from be cut or extended to become one of type @to? */
static bool needs_ext(const struct dtype *to, const struct dtype *from)
{
	to = dtype_base(to);
	from = dtype_base(from);
	if (to->size >= 8)
		return false;
	if (from->size == to->size)
		return from->is_signed != to->is_signed;
	return from->size > to->size || (from->is_signed && !to->is_signed);
}

static void conv(struct emit *e, const struct node *n, unsigned int r)
{
	const struct dtype *to = dtype_base(n->type), *from = dtype_base(n->a->type);

	emit_expr(e, n->a, r);
	if (to->kind == DTYPE_STRING) {
		if (from->kind == DTYPE_ARRAY)
			emit_abc(e, DPROG_OP_STRAT, r, r, 0, from->size);
		else if (from->kind == DTYPE_PTR)
			emit_abc(e, DPROG_OP_STRAT, r, r, 0, 0);
		else if (from->kind != DTYPE_STRING)
			emit_abc(e, DPROG_OP_ITOSTR, r, r, 0, 0);
	} else if (to->kind == DTYPE_PTR && from->kind == DTYPE_STRING) {
		emit_abc(e, DPROG_OP_STRMEM, r, r, 0, 0);
	} else if (type_is_scalar(to) && type_is_scalar(from) && needs_ext(to, from) &&
		   !(to->size == 4 && n->a->kind == N_MEMBER && n->a->len && n->a->len < 32)) {
		emit_normal(e, to, r);
	}
}

/* x[k] += v has an instruction of its own where the value is an integer */
static bool add_element(struct emit *e, const struct node *n, const struct node *v, int32_t step,
			unsigned int r)
{
	const struct node *l = n->a;
	const struct node *k;
	unsigned int at = r;

	if (l->kind != N_INDEX || !l->sym || l->sym->kind != SYM_VAR || !type_is_int(l->type))
		return false;
	for (k = l->list; k; k = k->next)
		emit_expr(e, k, at++);
	emit_reg(e, at);
	if (v)
		emit_expr(e, v, at);
	else
		emit_const(e, at, step);
	emit_abc(e, DPROG_OP_ADDA, r, r, at, emit_var(e, l->sym));
	return true;
}

static void assign(struct emit *e, const struct node *n, unsigned int r)
{
	struct place p;
	unsigned int q;

	/* the value first, as D does; then where it goes */
	emit_expr(e, n->b, r);
	q = emit_place(e, n->a, r + 1, &p);
	emit_store(e, &p, r, q);
	if (p.nr_bits)
		emit_abc(e, dtype_base(p.type)->is_signed ? DPROG_OP_BFXS : DPROG_OP_BFXU, r, r, 0,
			 p.nr_bits);
}

/*
 * The place is evaluated once and stays in registers r .. q-1; the operation
 * loads what is there when it comes to its left side (N_PARAM), works from q on,
 * and its result is stored and, if somebody wants it, moved down.
 */
static void compound(struct emit *e, const struct node *n, unsigned int r, bool want)
{
	const struct place *outer = e->lhs;
	struct place p;
	unsigned int q;

	if (n->op == T_ADDEQ && type_is_int(n->b->type) && add_element(e, n, n->b, 0, r))
		return;
	q = emit_place(e, n->a, r, &p);
	e->lhs = &p;
	emit_expr(e, n->data, q);
	e->lhs = outer;
	emit_store(e, &p, q, q + 1);
	if (want && q != r)
		emit_abc(e, DPROG_OP_MOV, r, q, 0, 0);
}

static void incdec(struct emit *e, const struct node *n, unsigned int r, bool want)
{
	const struct dtype *b = dtype_base(n->a->type);
	int32_t step = b->kind == DTYPE_PTR && dtype_base(b->ref)->size
			       ? (int32_t)dtype_base(b->ref)->size
			       : 1;
	bool post = n->value && want;
	struct place p;
	unsigned int q;

	if (n->op == T_DEC)
		step = -step;
	if (!post && add_element(e, n, NULL, step, r))
		return;
	q = emit_place(e, n->a, r + post, &p);
	emit_load(e, &p, q);
	if (post)
		emit_abc(e, DPROG_OP_MOV, r, q, 0, 0);
	emit_abc(e, DPROG_OP_ADDI, q, q, 0, step);
	if (p.nr_bits)
		emit_abc(e, b->is_signed ? DPROG_OP_BFXS : DPROG_OP_BFXU, q, q, 0, p.nr_bits);
	else
		emit_normal(e, n->a->type, q);
	emit_store(e, &p, q, q + 1);
	if (want && !post && q != r)
		emit_abc(e, DPROG_OP_MOV, r, q, 0, 0);
}

static void cond(struct emit *e, const struct node *n, unsigned int r)
{
	uint32_t no, end;

	emit_expr(e, n->a, r);
	no = emit_jump(e, DPROG_OP_JZ, r);
	emit_expr(e, n->b, r);
	end = emit_jump(e, DPROG_OP_JMP, 0);
	emit_land(e, no);
	emit_expr(e, n->c, r);
	emit_land(e, end);
}

static void stack_or_sym(struct emit *e, const struct act *act, unsigned int r)
{
	if (act->nr_values) {
		emit_expr(e, act->values[0], r);
		return;
	}
	emit_abc(e, DPROG_OP_STACK, r, act->stack, 0, act->frames);
	e->p->uses_stack |= act->stack == DPROG_STACK_ERLANG;
}

static void call(struct emit *e, const struct node *n, unsigned int r)
{
	const struct node *a;
	unsigned int nr = 0;

	if (n->sym->kind == SYM_ACTION) {
		stack_or_sym(e, n->data, r);
		return;
	}
	for (a = n->list; a; a = a->next)
		emit_expr(e, a, r + nr++);
	if (n->sym->number == DPROG_FN_COPYINSTR)
		emit_abc(e, DPROG_OP_COPYINSTR, r, r, nr > 1 ? r + 1 : DPROG_NOREG, 0);
	else if (n->sym->number == DPROG_FN_ALLOCA)
		emit_abc(e, DPROG_OP_ALLOCA, r, r, 0, 0);
	else
		emit_abc(e, DPROG_OP_CALL, type_is_void(n->type) ? DPROG_NOREG : r, r, nr,
			 n->sym->number);
}

static void let(struct emit *e, const struct node *n, unsigned int r)
{
	unsigned int q = r;
	const struct node *p;

	for (p = n->list; p; p = p->next)
		emit_expr(e, p->a, q++);
	for (p = n->list, q = r; p; p = p->next, q++)
		e->bindings[p->value] = q;
	emit_expr(e, n->b, q);
	if (q != r && !type_is_void(n->type))
		emit_abc(e, DPROG_OP_MOV, r, q, 0, 0);
}

static void ident(struct emit *e, const struct node *n, unsigned int r)
{
	const struct sym *s = n->sym;

	if (s->kind == SYM_ARG) {
		emit_abc(e, DPROG_OP_LDARG, r, 0, 0, s->number);
	} else {
		e->p->uses_bvars |= 1ull << s->number;
		if (s->number == DPROG_V_TIMESTAMP)
			emit_abc(e, DPROG_OP_LDTS, r, 0, 0, 0);
		else
			emit_abc(e, DPROG_OP_LDV, r, 0, 0, s->number);
	}
}

void emit_expr(struct emit *e, const struct node *n, unsigned int r)
{
	struct place p;

	r = emit_reg(e, r);
	if (e->failed)
		return;
	if (n->line)
		e->line = n->line;
	if (emit_is_place(n)) {
		emit_place(e, n, r, &p);
		emit_load(e, &p, r);
		return;
	}
	switch (n->kind) {
	case N_INT:
		emit_const(e, r, n->value);
		break;
	case N_STR:
		emit_abc(e, DPROG_OP_LDSC, r, 0, 0, emit_str(e, n->str, n->len));
		break;
	case N_IDENT:
		ident(e, n, r);
		break;
	case N_INDEX:
		if (n->sym) {
			emit_abc(e, DPROG_OP_LDARGS, r, 0, 0, (int32_t)n->value);
			break;
		}
		emit_expr(e, n->a, r);
		emit_expr(e, n->list, r + 1);
		emit_abc(e, DPROG_OP_STRCH, r, r, r + 1, 0);
		break;
	case N_UNARY:
		unary(e, n, r);
		break;
	case N_BINARY:
		if (n->op == T_LAND || n->op == T_LOR || n->op == T_LXOR)
			logical(e, n, r);
		else if (n->op >= T_LT && n->op <= T_NE)
			compare(e, n, r);
		else
			arithmetic(e, n, r);
		break;
	case N_ASSIGN:
		if (n->op == T_ASGN)
			assign(e, n, r);
		else
			compound(e, n, r, true);
		break;
	case N_INCDEC:
		incdec(e, n, r, true);
		break;
	case N_COND:
		cond(e, n, r);
		break;
	case N_COMMA:
		emit_effect(e, n->a, r);
		emit_expr(e, n->b, r);
		break;
	case N_CALL:
		call(e, n, r);
		break;
	case N_CAST:
		emit_effect(e, n->a, r);
		break;
	case N_CONV:
		conv(e, n, r);
		break;
	case N_LET:
		let(e, n, r);
		break;
	case N_PARAM:
		if (n->value < 0)
			emit_load(e, e->lhs, r);
		else
			emit_abc(e, DPROG_OP_MOV, r, e->bindings[n->value], 0, 0);
		break;
	default:
		emit_const(e, r, 0);
	}
}

void emit_effect(struct emit *e, const struct node *n, unsigned int r)
{
	if (n->kind == N_INCDEC) {
		emit_reg(e, r);
		e->line = n->line;
		incdec(e, n, r, false);
	} else if (n->kind == N_ASSIGN && n->op != T_ASGN) {
		emit_reg(e, r);
		e->line = n->line;
		compound(e, n, r, false);
	} else {
		emit_expr(e, n, r);
	}
}
