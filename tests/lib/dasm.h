/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dasm.h - D programs put together by hand, for tests of the machine
 *
 *	struct dasm a;
 *	dasm_init(&a);
 *	dasm_op(&a, DPROG_OP_LDARG, 0, 0, 0, 2);
 *	dasm_clause(&a, "dtrace", "BEGIN", DPROG_C_RECORD);	ends the clause
 *	... a.prog is the program
 */
#ifndef TESTS_DASM_H
#define TESTS_DASM_H

#include <string.h>
#include "dprog/prog.h"

#define DASM_MAX 64

struct dasm {
	struct dprog prog;
	struct dprog_insn code[4096];
	uint64_t consts[DASM_MAX];
	struct dprog_str strs[DASM_MAX];
	struct dprog_var vars[DASM_MAX];
	struct dprog_agg aggs[DASM_MAX];
	struct dprog_action actions[DASM_MAX];
	struct dprog_clause clauses[DASM_MAX];
	struct dprog_pdesc pdescs[DASM_MAX];
	struct dprog_val vals[DASM_MAX * 4];
	uint32_t nr_vals, start;
};

static inline void dasm_init(struct dasm *a)
{
	memset(a, 0, sizeof(*a));
	a->prog.code = a->code;
	a->prog.consts = a->consts;
	a->prog.strs = a->strs;
	a->prog.vars = a->vars;
	a->prog.aggs = a->aggs;
	a->prog.actions = a->actions;
	a->prog.clauses = a->clauses;
}

static inline void dasm_op(struct dasm *a, enum dprog_op op, uint8_t ra, uint8_t rb, uint8_t rc, int32_t imm)
{
	a->code[a->prog.nr_code++] = (struct dprog_insn){ (uint8_t)op, ra, rb, rc, imm };
}

static inline int32_t dasm_const(struct dasm *a, uint64_t v)
{
	a->consts[a->prog.nr_consts] = v;
	return (int32_t)a->prog.nr_consts++;
}

static inline int32_t dasm_str(struct dasm *a, const char *s)
{
	a->strs[a->prog.nr_strs] = (struct dprog_str){ s, (uint32_t)strlen(s) };
	return (int32_t)a->prog.nr_strs++;
}

static inline struct dprog_val *dasm_val(struct dasm *a, enum dprog_kind kind, uint32_t size)
{
	struct dprog_val *v = &a->vals[a->nr_vals++];

	*v = (struct dprog_val){ .kind = (uint8_t)kind, .size = size, .is_signed = true };
	return v;
}

/* A clause of what was put since the last one; for the probe named. */
static inline void dasm_clause(struct dasm *a, const char *prov, const char *name, uint32_t flags)
{
	uint32_t i = a->prog.nr_clauses++;

	dasm_op(a, DPROG_OP_END, 0, 0, 0, 0);
	a->pdescs[i] = (struct dprog_pdesc){ prov, "", "", name, 0, name, 1 };
	a->clauses[i] = (struct dprog_clause){ .pdescs = &a->pdescs[i], .nr_pdescs = 1, .start = a->start,
					       .end = a->prog.nr_code, .nr_regs = DPROG_MAX_REGS,
					       .flags = flags };
	a->start = a->prog.nr_code;
}

#endif /* TESTS_DASM_H */
