// SPDX-License-Identifier: Apache-2.0
/*
 * emit_mem.c - loads and stores: variables, elements of associative arrays,
 * members, array elements, what pointers point to, bit-fields
 */
#include "dlang/emit.h"

bool emit_is_place(const struct node *n)
{
	switch (n->kind) {
	case N_IDENT:
	case N_SCOPED:
		return n->sym && n->sym->kind == SYM_VAR;
	case N_INDEX:
		return !(n->sym && n->sym->kind == SYM_ARGS) &&
		       !(!n->sym && type_is_str(n->a->type));
	case N_MEMBER:
		return true;
	case N_UNARY:
		return n->op == T_STAR;
	default:
		return false;
	}
}

static unsigned int emit_keys(struct emit *e, const struct node *keys, unsigned int r)
{
	for (; keys; keys = keys->next)
		emit_expr(e, keys, r++);
	return r;
}

/* A constant offset must fit an instruction; what does not is added in code. */
static int32_t add_off(struct emit *e, unsigned int r, int64_t off)
{
	if (off >= INT32_MIN && off <= INT32_MAX)
		return off;
	emit_const(e, emit_reg(e, r + 1), off);
	emit_abc(e, DPROG_OP_ADD, r, r, r + 1, 0);
	return 0;
}

static int32_t element(struct emit *e, const struct node *n, unsigned int r)
{
	const struct dtype *t = dtype_base(n->a->type);
	uint32_t size = n->type->size ? dtype_base(n->type)->size : 1;
	int64_t off = 0;

	if (type_is_void(t->ref))
		size = 1;
	if (t->kind == DTYPE_ARRAY)
		off = emit_addr(e, n->a, r);
	else
		emit_expr(e, n->a, r);
	if (n->list->kind == N_INT) {
		int64_t more;

		if (!__builtin_mul_overflow(n->list->value, (int64_t)size, &more) &&
		    !__builtin_add_overflow(off, more, &off))
			return add_off(e, r, off);
		off -= more;
	}
	emit_expr(e, n->list, r + 1);
	if (t->kind == DTYPE_ARRAY && t->nr)
		emit_abc(e, DPROG_OP_BOUND, r + 1, 0, 0, t->nr);
	if (size != 1)
		emit_abc(e, DPROG_OP_MULI, r + 1, r + 1, 0, size);
	emit_abc(e, DPROG_OP_ADD, r, r, r + 1, 0);
	return off;
}

int32_t emit_addr(struct emit *e, const struct node *n, unsigned int r)
{
	emit_reg(e, r);
	switch (n->kind) {
	case N_IDENT:
	case N_SCOPED:
		if (n->sym && n->sym->kind == SYM_VAR) {
			emit_abc(e, DPROG_OP_VADDR, r, 0, 0, emit_var(e, n->sym));
			return 0;
		}
		break;
	case N_MEMBER: {
		int32_t off = 0;
		uint32_t bit = n->value;

		if (type_is_agg(n->a->type))
			off = emit_addr(e, n->a, r);
		else
			emit_expr(e, n->a, r);
		if (n->len) { /* the unit of a bit-field */
			uint32_t unit = n->type->size * 8;

			bit = bit / unit * unit;
		}
		return add_off(e, r, (int64_t)off + bit / 8);
	}
	case N_INDEX:
		if (n->sym && n->sym->kind == SYM_VAR) {
			emit_keys(e, n->list, r);
			emit_abc(e, DPROG_OP_AADDR, r, r, 0, emit_var(e, n->sym));
			return 0;
		}
		if (!n->sym && !type_is_str(n->a->type))
			return element(e, n, r);
		break;
	case N_UNARY:
		if (n->op == T_STAR) {
			emit_expr(e, n->a, r);
			return 0;
		}
		break;
	}
	emit_expr(e, n, r);
	return 0;
}

unsigned int emit_place(struct emit *e, const struct node *n, unsigned int r, struct place *p)
{
	*p = (struct place){ .type = n->type, .reg = r };
	if (n->sym && n->sym->kind == SYM_VAR && !type_is_agg(n->type)) {
		p->sym = n->sym;
		if (n->kind == N_INDEX) {
			p->kind = PLACE_KEYS;
			return emit_keys(e, n->list, r);
		}
		p->kind = PLACE_SLOT;
		return r;
	}
	p->kind = PLACE_MEM;
	p->off = emit_addr(e, n, r);
	if (n->kind == N_MEMBER && n->len) {
		p->bit = n->value % (n->type->size * 8);
		p->nr_bits = n->len;
	}
	return r + 1;
}

static unsigned int load_op(const struct dtype *t)
{
	t = dtype_base(t);
	switch (t->size) {
	case 1:
		return t->is_signed ? DPROG_OP_LD8S : DPROG_OP_LD8U;
	case 2:
		return t->is_signed ? DPROG_OP_LD16S : DPROG_OP_LD16U;
	case 4:
		return t->is_signed ? DPROG_OP_LD32S : DPROG_OP_LD32U;
	default:
		return DPROG_OP_LD64;
	}
}

static unsigned int store_op(const struct dtype *t)
{
	switch (dtype_base(t)->size) {
	case 1:
		return DPROG_OP_ST8;
	case 2:
		return DPROG_OP_ST16;
	case 4:
		return DPROG_OP_ST32;
	default:
		return DPROG_OP_ST64;
	}
}

static const uint8_t slot_load[DPROG_NR_SCOPES] = {
	[DPROG_GLOBAL] = DPROG_OP_LDG,
	[DPROG_THREAD] = DPROG_OP_LDS,
	[DPROG_CLAUSE] = DPROG_OP_LDT,
	[DPROG_PROC] = DPROG_OP_LDP,
};
static const uint8_t slot_store[DPROG_NR_SCOPES][2] = {
	[DPROG_GLOBAL] = { DPROG_OP_STG, DPROG_OP_STGS },
	[DPROG_THREAD] = { DPROG_OP_STS, DPROG_OP_STSS },
	[DPROG_CLAUSE] = { DPROG_OP_STT, DPROG_OP_STTS },
	[DPROG_PROC] = { DPROG_OP_STP, DPROG_OP_STPS },
};

static int32_t field_of(const struct place *p)
{
	return (int32_t)(p->bit << 8 | p->nr_bits);
}

static int32_t slot_of(struct emit *e, struct sym *s)
{
	uint32_t at = emit_var(e, s); /* may move vars */

	return e->p->vars[at].slot;
}

void emit_load(struct emit *e, const struct place *p, unsigned int r)
{
	const struct dtype *b = dtype_base(p->type);

	emit_reg(e, r);
	switch (p->kind) {
	case PLACE_SLOT:
		emit_abc(e, slot_load[p->sym->scope], r, 0, 0, slot_of(e, p->sym));
		return;
	case PLACE_KEYS:
		emit_abc(e, DPROG_OP_LDA, r, p->reg, 0, emit_var(e, p->sym));
		return;
	default:
		break;
	}
	if (type_is_agg(b)) {
		if (p->off)
			emit_abc(e, DPROG_OP_ADDI, r, p->reg, 0, p->off);
		else if (r != p->reg)
			emit_abc(e, DPROG_OP_MOV, r, p->reg, 0, 0);
	} else if (b->kind == DTYPE_STRING) {
		if (p->off)
			emit_abc(e, DPROG_OP_ADDI, r, p->reg, 0, p->off);
		emit_abc(e, DPROG_OP_STRAT, r, p->off ? r : p->reg, 0, b->size);
	} else {
		emit_abc(e, load_op(b), r, p->reg, 0, p->off);
		if (p->nr_bits)
			emit_abc(e, b->is_signed ? DPROG_OP_BFXS : DPROG_OP_BFXU, r, r, 0,
				 field_of(p));
	}
}

void emit_store(struct emit *e, const struct place *p, unsigned int r, unsigned int tmp)
{
	const struct dtype *b = dtype_base(p->type);
	bool str = b->kind == DTYPE_STRING;

	switch (p->kind) {
	case PLACE_SLOT:
		emit_abc(e, slot_store[p->sym->scope][str], r, 0, 0, slot_of(e, p->sym));
		return;
	case PLACE_KEYS:
		emit_abc(e, str ? DPROG_OP_STAS : DPROG_OP_STA, r, p->reg, 0, emit_var(e, p->sym));
		return;
	default:
		break;
	}
	if (type_is_agg(b) || str) {
		unsigned int to = p->reg;

		if (p->off) {
			to = emit_reg(e, tmp);
			emit_abc(e, DPROG_OP_ADDI, to, p->reg, 0, p->off);
		}
		if (str)
			emit_abc(e, DPROG_OP_STSTR, r, to, 0, b->size);
		else
			emit_abc(e, DPROG_OP_COPY, to, r, 0, b->size);
	} else if (p->nr_bits) {
		emit_reg(e, tmp);
		emit_abc(e, load_op(b), tmp, p->reg, 0, p->off);
		emit_abc(e, DPROG_OP_BFI, tmp, r, 0, field_of(p));
		emit_abc(e, store_op(b), tmp, p->reg, 0, p->off);
	} else {
		emit_abc(e, store_op(b), r, p->reg, 0, p->off);
	}
}
