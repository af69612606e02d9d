/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - checked trees to a program; private to this folder
 *
 * Registers are used like a stack: emit_expr(e, n, r) leaves n's value in r and
 * uses none below r.  So values that must lie side by side - keys, arguments -
 * are made in consecutive registers without moves.
 */
#ifndef BEAMTAP_DLANG_EMIT_H
#define BEAMTAP_DLANG_EMIT_H

#include "dlang/check.h"

struct place;

struct emit {
	struct dlang *dl;
	struct dprog *p;
	size_t cap_code, cap_lines, cap_consts, cap_strs, cap_vars, cap_aggs, cap_actions,
		cap_clauses, cap_units, cap_options;
	struct strmap strs;   /* text -> index + 1 */
	struct strmap consts; /* bytes of the number -> index + 1 */
	uint8_t *bindings;    /* by number: register of a parameter */
	uint32_t nr_bindings;
	unsigned int nr_regs; /* of the clause */
	uint32_t line;
	const struct place *lhs; /* left side of the compound assignment at hand */
	bool failed;
};

/** emit_init() - once a session */
void emit_init(struct dlang *dl);
void emit_fini(struct dlang *dl);
/**
 * emit_unit() - all clauses of the unit.  Return: false when one could not be emitted (reported)
 */
bool emit_unit(struct dlang *dl, const struct node *clauses);
void emit_option(struct dlang *dl, const char *name, const char *value, uint32_t line);

/* ---- instructions ---- */
void emit_abc(struct emit *e, unsigned int op, unsigned int a, unsigned int b, unsigned int c,
	      int32_t imm);
uint32_t emit_jump(struct emit *e, unsigned int op, unsigned int a);
/** emit_land() - a jump made before goes here */
void emit_land(struct emit *e, uint32_t jump);
void emit_const(struct emit *e, unsigned int r, int64_t v);
uint32_t emit_str(struct emit *e, const char *text, uint32_t len);
/** emit_reg() - note that register @r is used.  Past the last: an error, and 0 */
unsigned int emit_reg(struct emit *e, unsigned int r);
/** emit_var() - index of a variable in the program, made at its first use */
uint32_t emit_var(struct emit *e, struct sym *s);
struct dprog_val emit_val(const struct dtype *t, const struct node *n);

/* ---- emit_expr.c ---- */
void emit_expr(struct emit *e, const struct node *n, unsigned int r);
/** emit_effect() - for what it does, not for its value */
void emit_effect(struct emit *e, const struct node *n, unsigned int r);
void emit_normal(struct emit *e, const struct dtype *t, unsigned int r);

/* ---- emit_mem.c: things that can be stored to ---- */
struct place {
	enum { PLACE_SLOT, PLACE_KEYS, PLACE_MEM } kind;
	struct sym *sym;
	const struct dtype *type;
	unsigned int reg;      /* first key, or the address */
	int32_t off;	       /* MEM */
	uint32_t bit, nr_bits; /* MEM: of a bit-field, inside its unit */
};
/**
 * emit_place() - evaluate what a place depends on, from register @r on.  Return: next free
 * register
 */
unsigned int emit_place(struct emit *e, const struct node *n, unsigned int r, struct place *p);
void emit_load(struct emit *e, const struct place *p, unsigned int r);
/** emit_store() - store register @r; uses @tmp.  Bytes: @r is the address of the source */
void emit_store(struct emit *e, const struct place *p, unsigned int r, unsigned int tmp);
/** emit_addr() - address of what lies in memory: base in @r.  Return: offset to be added */
int32_t emit_addr(struct emit *e, const struct node *n, unsigned int r);
bool emit_is_place(const struct node *n);

#endif /* BEAMTAP_DLANG_EMIT_H */
