// SPDX-License-Identifier: Apache-2.0
/*
 * prog.c - tables projected from builtin.def, and the soundness check of a program
 *
 * The compiler is trusted to be right, not to be free of bugs: prog_check() runs
 * before a program is handed on, so that the machine need not look at registers,
 * indices and targets again.
 */
#include <stdlib.h>
#include "dprog/prog.h"

const struct dprog_builtin prog_bvars[DPROG_NR_BVARS] = {
#define BVAR(id_, name_, type_, flags_, doc_)                                                      \
	[DPROG_V_##id_] = {                                                                        \
		.name = name_, .type = type_, .params = "", .flags = flags_, .doc = doc_           \
	},
#include "builtin.def"
};

const struct dprog_builtin prog_funcs[DPROG_NR_FNS] = {
#define FUNC(id_, name_, result_, params_, flags_, doc_)                                           \
	[DPROG_FN_##id_] = {                                                                       \
		.name = name_, .type = result_, .params = params_, .flags = flags_, .doc = doc_    \
	},
#include "builtin.def"
};

const struct dprog_builtin prog_aggfuncs[DPROG_NR_AGGFNS] = {
#define AGGFUNC(id_, name_, min_, max_, doc_)                                                      \
	[DPROG_AGG_##id_] = {                                                                      \
		.name = name_, .type = "void", .params = "", .min = min_, .max = max_, .doc = doc_ \
	},
#include "builtin.def"
};

const struct dprog_builtin prog_acts[DPROG_NR_ACTS] = {
#define ACTION(id_, name_, params_, flags_, doc_)                                                  \
	[DPROG_ACT_##id_] = {                                                                      \
		.name = name_, .type = "void", .params = params_, .flags = flags_, .doc = doc_     \
	},
#include "builtin.def"
};

void prog_free(struct dprog *p)
{
	if (p && p->free_mem)
		p->free_mem(p->mem);
}

enum shape { S_N, S_A, S_AB, S_ABC, S_ABI, S_AI, S_AK, S_AS, S_AV, S_J, S_AJ, S_ABV, S_ABCV };

static const uint8_t shapes[DPROG_NR_OPS] = {
#define OP(name, shape, doc) [DPROG_OP_##name] = S_##shape,
#include "op.def"
#undef OP
};

static bool bad(const char **why, const char *text)
{
	*why = text;
	return false;
}

/* Keys and values sit in consecutive registers. */
static bool range_ok(unsigned int first, unsigned int nr, uint32_t nr_regs)
{
	return !nr || first + nr <= nr_regs;
}

static bool regs_ok(const struct dprog_insn *i, uint32_t nr_regs)
{
	switch (shapes[i->op]) {
	case S_ABC:
		return i->a < nr_regs && i->b < nr_regs &&
		       (i->c < nr_regs || i->op == DPROG_OP_COPYINSTR);
	case S_AB:
	case S_ABI:
		return i->a < nr_regs && i->b < nr_regs;
	case S_A:
	case S_AK:
	case S_AS:
	case S_AV:
	case S_AJ:
		return i->a < nr_regs;
	case S_AI:
		return i->op == DPROG_OP_ACT || i->a < nr_regs;
	case S_ABV:
		return i->a < nr_regs;
	default:
		return true;
	}
}

static bool var_ok(const struct dprog *p, const struct dprog_insn *i, uint32_t nr_regs)
{
	const struct dprog_var *v;

	if ((uint32_t)i->imm >= p->nr_vars)
		return false;
	v = &p->vars[i->imm];
	if (i->op == DPROG_OP_VADDR)
		return !v->is_assoc && v->val.kind == DPROG_BYTES;
	return v->is_assoc && range_ok(i->b, v->nr_keys, nr_regs) &&
	       (i->op == DPROG_OP_AADDR) == (v->val.kind == DPROG_BYTES);
}

static bool agg_ok(const struct dprog *p, const struct dprog_insn *i, uint32_t nr_regs)
{
	const struct dprog_agg *g;

	if ((uint32_t)i->imm >= p->nr_aggs)
		return false;
	g = &p->aggs[i->imm];
	if (g->func != DPROG_AGG_COUNT && i->a >= nr_regs)
		return false;
	return range_ok(i->b, g->nr_keys, nr_regs) && (i->c == DPROG_NOREG || i->c < nr_regs);
}

static bool slot_ok(const struct dprog *p, const struct dprog_insn *i)
{
	static const uint8_t scope[DPROG_NR_OPS] = {
		[DPROG_OP_LDT] = DPROG_CLAUSE,	[DPROG_OP_STT] = DPROG_CLAUSE,
		[DPROG_OP_STTS] = DPROG_CLAUSE, [DPROG_OP_LDS] = DPROG_THREAD,
		[DPROG_OP_STS] = DPROG_THREAD,	[DPROG_OP_STSS] = DPROG_THREAD,
		[DPROG_OP_LDP] = DPROG_PROC,	[DPROG_OP_STP] = DPROG_PROC,
		[DPROG_OP_STPS] = DPROG_PROC,
	};

	return (uint32_t)i->imm < p->nr_slots[scope[i->op]];
}

static bool insn_ok(const struct dprog *p, const struct dprog_clause *c, uint32_t pc,
		    const char **why)
{
	const struct dprog_insn *i = &p->code[pc];
	uint32_t imm = (uint32_t)i->imm;

	if (i->op >= DPROG_NR_OPS)
		return bad(why, "unknown instruction");
	if (!regs_ok(i, c->nr_regs))
		return bad(why, "register out of range");
	switch (i->op) {
	case DPROG_OP_JMP:
	case DPROG_OP_JZ:
	case DPROG_OP_JNZ:
		return (imm > pc && imm < c->end) || bad(why, "jump out of its clause or backward");
	case DPROG_OP_LDC:
		return imm < p->nr_consts || bad(why, "constant out of range");
	case DPROG_OP_LDSC:
		return imm < p->nr_strs || bad(why, "string out of range");
	case DPROG_OP_LDARG:
		return imm < 10 || bad(why, "argument out of range");
	case DPROG_OP_LDARGS:
		return imm < 32 || bad(why, "argument out of range");
	case DPROG_OP_LDV:
		return imm < DPROG_NR_BVARS || bad(why, "built-in variable out of range");
	case DPROG_OP_DIVSI:
	case DPROG_OP_MODSI:
		return (i->imm && i->imm != -1) || bad(why, "constant divisor 0 or -1");
	case DPROG_OP_DIVUI:
	case DPROG_OP_MODUI:
		return i->imm > 0 || bad(why, "constant divisor not positive");
	case DPROG_OP_SHLI:
	case DPROG_OP_SHRSI:
	case DPROG_OP_SHRUI:
		return imm < 64 || bad(why, "shift out of range");
	case DPROG_OP_BFXS:
	case DPROG_OP_BFXU:
	case DPROG_OP_BFI:
		return ((imm & 0xff) && (imm >> 8) + (imm & 0xff) <= 64) ||
		       bad(why, "bit-field out of range");
	case DPROG_OP_LDG ... DPROG_OP_STPS:
		return slot_ok(p, i) || bad(why, "slot out of range");
	case DPROG_OP_LDA:
	case DPROG_OP_STA:
	case DPROG_OP_STAS:
	case DPROG_OP_AADDR:
	case DPROG_OP_VADDR:
		return var_ok(p, i, c->nr_regs) || bad(why, "variable does not fit");
	case DPROG_OP_ADDA:
		return (var_ok(p, i, c->nr_regs) && i->a < c->nr_regs && i->c < c->nr_regs) ||
		       bad(why, "variable does not fit");
	case DPROG_OP_STSTR:
		return (i->a < c->nr_regs && i->b < c->nr_regs && i->imm > 0) ||
		       bad(why, "string store does not fit");
	case DPROG_OP_COPY:
		return i->imm >= 0 || bad(why, "negative size");
	case DPROG_OP_CALL:
		return (imm < DPROG_NR_FNS && range_ok(i->b, i->c, c->nr_regs) &&
			(i->a < c->nr_regs || i->a == DPROG_NOREG)) ||
		       bad(why, "call does not fit");
	case DPROG_OP_STACK:
		return (i->a < c->nr_regs && i->b <= DPROG_STACK_ERLANG && i->imm >= 0) ||
		       bad(why, "stack does not fit");
	case DPROG_OP_AGG:
		return agg_ok(p, i, c->nr_regs) || bad(why, "aggregation does not fit");
	case DPROG_OP_ACT:
		return (imm < p->nr_actions &&
			range_ok(i->a, p->actions[imm].nr_values, c->nr_regs)) ||
		       bad(why, "action does not fit");
	default:
		return true;
	}
}

bool prog_check(const struct dprog *p, const char **why)
{
	const char *dummy;
	uint32_t n, pc;

	if (!why)
		why = &dummy;
	for (n = 0; n < p->nr_clauses; n++) {
		const struct dprog_clause *c = &p->clauses[n];

		if (c->start >= c->end || c->end > p->nr_code || c->nr_regs > DPROG_MAX_REGS)
			return bad(why, "clause without code");
		if (p->code[c->end - 1].op != DPROG_OP_END)
			return bad(why, "clause does not end with END");
		for (pc = c->start; pc < c->end; pc++)
			if (!insn_ok(p, c, pc, why))
				return false;
	}
	return true;
}
