/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prog.h - a compiled D program: what the compiler and the machine agree on
 *
 * One struct dprog holds everything that one command was given (all of its -n,
 * -s, ...), since its programs share variables and aggregations.  It is made by
 * decoder/dlang, run by decoder/drun, printed by decoder/dout.
 *
 *	clause:  probe descriptions + code [start, end) in prog->code
 *	code:    [predicate ... PRED r] body ... END
 *	body:    ACT n   -> actions[n]: what is recorded, of which registers
 *		 AGG n   -> aggs[n]: key registers, value, weight
 *		 LDG/STG/LDA/... -> vars[n]
 *
 * A firing: for each enabled clause of the probe, in the order of prog->clauses,
 * the machine runs the code from `start`.  A clause that reaches END with
 * DPROG_C_RECORD set leaves one record: the data of its ACTs in order, possibly
 * none.  A fault leaves no record, throws away what the clause recorded so far,
 * and fires ERROR.  Effects on variables and aggregations before it stay.
 *
 * All memory of a program is owned by it (prog_free()); the machine must not
 * change it.  Registers, strings, normalisation: see op.def.
 */
#ifndef BEAMTAP_DPROG_PROG_H
#define BEAMTAP_DPROG_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DPROG_MAX_REGS 255
#define DPROG_NOREG    255
#define DPROG_MAX_KEYS 32  /* keys of an associative array or aggregation */
#define DPROG_MAX_ARGS 64  /* values of one action */
#define DPROG_STRSIZE  256 /* default of option strsize: bytes of a string with its NUL */

enum dprog_op {
#define OP(name, shape, doc) DPROG_OP_##name,
#include "op.def"
#undef OP
	DPROG_NR_OPS
};

struct dprog_insn {
	uint8_t op; /* enum dprog_op */
	uint8_t a, b, c;
	int32_t imm;
};

/* Flags of builtin.def */
#define BF_DESTR 0x1 /* destructive */
#define BF_EXT	 0x2 /* beyond DTrace */
#define BF_DATA	 0x4 /* writes into the record */
#define BF_AGG	 0x8 /* about aggregations */
#define BF_SYM	 0x10 /* an action whose value is an address that stands for a symbol */

enum dprog_bvar {
#define BVAR(id, name, type, flags, doc) DPROG_V_##id,
#include "builtin.def"
	DPROG_NR_BVARS
};

enum dprog_fn {
#define FUNC(id, name, result, params, flags, doc) DPROG_FN_##id,
#include "builtin.def"
	DPROG_NR_FNS
};

enum dprog_aggfn {
#define AGGFUNC(id, name, min, max, doc) DPROG_AGG_##id,
#include "builtin.def"
	DPROG_NR_AGGFNS
};

enum dprog_act {
#define ACTION(id, name, params, flags, doc) DPROG_ACT_##id,
#include "builtin.def"
	DPROG_NR_ACTS
};

/*
 * Faults; the numbers are what ERROR sees in arg4.  Text of a report:
 *	1 "invalid address (0x%lx)"  4 "divide-by-zero"  5 "out of scratch space"
 *	10 "invalid size (0x%lx)"  11 "index out of bounds (%ld)"
 */
enum dprog_fault {
	DPROG_F_NONE = 0,
	DPROG_F_BADADDR = 1,
	DPROG_F_BADALIGN = 2,
	DPROG_F_ILLOP = 3,
	DPROG_F_DIVZERO = 4,
	DPROG_F_NOSCRATCH = 5,
	DPROG_F_KPRIV = 6,
	DPROG_F_UPRIV = 7,
	DPROG_F_TUPOFLOW = 8,
	DPROG_F_BADSTACK = 9,
	DPROG_F_BADSIZE = 10,
	DPROG_F_BADINDEX = 11,
	DPROG_F_LIBRARY = 12,
};

/* ---- D types: only what has to be shown needs to look in here ---- */

enum dtype_kind {
	DTYPE_VOID,
	DTYPE_INT,
	DTYPE_FLOAT, /* exists so that it can be refused by name */
	DTYPE_ENUM,
	DTYPE_PTR,
	DTYPE_ARRAY,
	DTYPE_STRUCT,
	DTYPE_UNION,
	DTYPE_STRING, /* D's string: a handle in a register; inline text of `size` bytes in memory */
	DTYPE_TYPEDEF, /* ref: the type named */
	DTYPE_FUNC,
	DTYPE_STACK, /* result of stack() and kin */
	DTYPE_SYM,   /* result of sym() and kin */
	DTYPE_DYN,   /* an associative array as a whole: never a value */
	DTYPE_AGG,   /* an aggregation as a whole: never a value */
};

struct dtype_member {
	const char *name; /* "" for an anonymous struct or union */
	const struct dtype *type;
	uint32_t bit_off; /* from the beginning of the struct */
	uint32_t nr_bits; /* of a bit-field; 0: an ordinary member */
};

struct dtype_enumerator {
	const char *name;
	int32_t value;
};

struct dtype {
	uint8_t kind; /* enum dtype_kind */
	bool is_signed;
	bool is_char;	    /* char, signed or not: printed as a character by print() */
	bool is_incomplete; /* a struct, union or enum that was never defined */
	uint32_t size;	    /* bytes */
	uint32_t align;
	uint32_t nr;	  /* array: elements; struct: members; enum: enumerators */
	const char *name; /* as messages and print() show it: "int", "struct s", "char [8]" */
	const struct dtype *ref; /* what it points to, is an array of, is a name for */
	union {
		const struct dtype_member *members;
		const struct dtype_enumerator *enums;
	};
};

/** dtype_base() - @t without the names given to it by typedef */
static inline const struct dtype *dtype_base(const struct dtype *t)
{
	while (t->kind == DTYPE_TYPEDEF)
		t = t->ref;
	return t;
}

/* ---- values that are stored, keyed on, printed ---- */

enum dprog_kind {
	DPROG_INT,   /* integer, enum, pointer: size and is_signed say how to print it */
	DPROG_STR,   /* string handle */
	DPROG_BYTES, /* struct, union, array: the register holds its address, size says how many bytes; copy them when recorded */
	DPROG_STACK, /* stack handle; sub: enum dprog_stack */
	DPROG_SYM,   /* address that prints as a symbol; sub: enum dprog_sym */
};

enum dprog_stack { DPROG_STACK_KERNEL, DPROG_STACK_USER, DPROG_STACK_ERLANG };
enum dprog_sym { DPROG_SYM_SYM, DPROG_SYM_MOD, DPROG_SYM_USYM, DPROG_SYM_UMOD, DPROG_SYM_UADDR };

struct dprog_val {
	uint8_t kind; /* enum dprog_kind */
	uint8_t sub;
	bool is_signed;
	bool is_ptr;
	uint32_t size; /* bytes: 1, 2, 4, 8 of an integer; of BYTES any; of STR strsize */
	const struct dtype *type;
};

/* ---- variables ---- */

enum dprog_scope {
	DPROG_GLOBAL, /* x, x[...] */
	DPROG_THREAD, /* self->x */
	DPROG_CLAUSE, /* this->x; never associative */
	DPROG_PROC,   /* eself->x: bound to the Erlang process on the thread that fired */
	DPROG_NR_SCOPES
};

struct dprog_var {
	const char *name; /* without self-> */
	uint8_t scope;	  /* enum dprog_scope */
	bool is_assoc;
	uint8_t nr_keys;
	/*
	 * Scalar integers, pointers and strings: slot number in their scope, from
	 * 0 (prog->nr_slots says how many).  Of aggregate type (val.kind is
	 * DPROG_BYTES) and associative ones: reached by their index in
	 * prog->vars, and slot is 0xffffffff.
	 */
	uint32_t slot;
	struct dprog_val val;
	struct dprog_val *keys; /* nr_keys; the registers hold values normalised to these */
	uint32_t line;
};

/* ---- aggregations ---- */

struct dprog_agg {
	const char *name; /* without @; "" for @ itself */
	uint8_t func;	  /* enum dprog_aggfn */
	uint8_t nr_keys;
	bool is_signed; /* of the values aggregated */
	struct dprog_val *keys;
	/*
	 * lquantize: base, limit, step (a limit that is no whole number of steps
	 * from base is as written; cut it).  llquantize: factor, low, high, steps.
	 */
	int64_t param[4];
	uint32_t line;
	/* Order of first appearance is the order in prog->aggs. */
};

/* ---- formats: parsed and checked by the compiler ---- */

#define DFMT_ALT       0x01  /* # */
#define DFMT_ZERO      0x02  /* 0 */
#define DFMT_LEFT      0x04  /* - */
#define DFMT_PLUS      0x08  /* + */
#define DFMT_SPACE     0x10  /* blank */
#define DFMT_GROUP     0x20  /* ' */
#define DFMT_AGG       0x40  /* @: takes the next aggregation's value (printa) */
#define DFMT_WIDTH_ARG 0x100 /* width is the value before the converted one */
#define DFMT_PREC_ARG  0x200 /* precision likewise, behind the width's */

struct dfmt_conv {
	const char *lit; /* text before the conversion, escapes resolved, %% made % */
	uint32_t lit_len;
	char conv; /* one of d i u o x X c s S p a A k T Y; 0: none, only the text at the end; a bare %@ is d with DFMT_AGG */
	uint8_t mod; /* number of l, or 'h', 'w', as written; the value's own size rules */
	uint16_t flags;
	int32_t width, prec; /* -1: not given */
	uint8_t arg; /* index of the value among the action's (printf) or the key columns (printa); meaningless with DFMT_AGG */
	uint8_t width_arg, prec_arg; /* of WIDTH_ARG, PREC_ARG: index likewise */
	uint8_t agg;		     /* with DFMT_AGG: index among the action's aggregations */
};

struct dfmt {
	const char *text; /* as written, escapes resolved */
	struct dfmt_conv *convs;
	uint32_t nr;
};

/* ---- actions ---- */

/*
 * ACT's register a holds values[0], the following ones the others.
 *
 *	action			values			other fields
 *	trace			value
 *	print			address			type: what it points to
 *	tracemem		address [, shown]	size: bytes to copy; with 2 values the 2nd limits what is shown
 *	tracemem (size not constant)	address, size [, shown]	size: 0
 *	printf system freopen	the arguments		fmt
 *	printa			none			aggs; fmt or NULL
 *	clear denormalize	none			aggs[0]
 *	trunc			number, or none		aggs[0]
 *	normalize		divisor			aggs[0]
 *	stack ustack jstack	stack handle
 *	sym mod usym ...	address
 *	exit			status
 *	speculate commit discard	speculation's number
 *	setopt			name [, value]
 *	raise			signal
 *	ftruncate stop		none
 *
 * speculate: from here on what the clause records goes to that speculation; the
 * compiler has seen to it that nothing was recorded before.  raise, stop act at
 * once; all others when the record is printed, in order.
 */
struct dprog_action {
	uint8_t kind; /* enum dprog_act */
	uint8_t nr_values;
	uint8_t nr_aggs;
	bool is_destructive;
	struct dprog_val *values;
	uint32_t *aggs; /* indices in prog->aggs */
	struct dfmt *fmt;
	const struct dtype *type;
	uint32_t size;
	uint32_t line;
};

/* ---- probes and clauses ---- */

struct dprog_pdesc {
	const char *prov, *mod, *func, *name; /* globs; "" matches all */
	int32_t id;			      /* -i N: N; else 0 */
	const char *text;		      /* as messages show it: "prov:mod:func:name" */
	uint32_t line;
};

#define DPROG_C_RECORD 0x1  /* leaves a record even if it has no data: exit() alone, empty clause */
#define DPROG_C_DATA   0x2  /* has a data-recording action */
#define DPROG_C_DESTR  0x4  /* has a destructive action */
#define DPROG_C_PRED   0x8  /* has a predicate */
#define DPROG_C_SPEC   0x10 /* speculates, commits or discards */
#define DPROG_C_EMPTY  0x20 /* no statements at all: leaves a record (RECORD is set) */

struct dprog_clause {
	/* any that matches enables it; a probe that two of them match fires it twice */
	struct dprog_pdesc *pdescs;
	uint32_t nr_pdescs;
	uint32_t start, end; /* code; ends with END */
	uint32_t nr_regs;
	uint32_t flags; /* DPROG_C_* */
	uint32_t unit;	/* index in prog->units */
	uint32_t line;
};

/* One -n, -s, -P, ... */
struct dprog_unit {
	const char *name; /* "script 'f.d'" or "description 'BEGIN'", for the `matched` line */
	uint32_t clause, nr_clauses;
};

/* An option set by `#pragma D option`; value NULL when none was given */
struct dprog_option {
	const char *name, *value;
	uint32_t line;
};

struct dprog_str {
	const char *text; /* NUL behind it; may contain NULs */
	uint32_t len;
};

struct dprog {
	struct dprog_insn *code;
	uint32_t *lines; /* of the source, one each instruction */
	uint32_t nr_code;
	uint64_t *consts;
	uint32_t nr_consts;
	struct dprog_str *strs;
	uint32_t nr_strs;
	struct dprog_var *vars;
	uint32_t nr_vars;
	uint32_t nr_slots[DPROG_NR_SCOPES];
	struct dprog_agg *aggs;
	uint32_t nr_aggs;
	struct dprog_action *actions;
	uint32_t nr_actions;
	struct dprog_clause *clauses;
	uint32_t nr_clauses;
	struct dprog_unit *units;
	uint32_t nr_units;
	struct dprog_option *options;
	uint32_t nr_options;
	/* What the program looks at, so that a source need not provide the rest. */
	uint64_t uses_bvars; /* bit n: enum dprog_bvar n */
	bool uses_proc;	     /* process-bound variables */
	bool uses_stack;
	void *mem; /* of whoever made it; released by prog_free() through free_mem */
	void (*free_mem)(void *mem);
};

/* -- names and properties of the built-in things, by their number -- */
struct dprog_builtin {
	const char *name;
	const char *type;   /* of a variable, or result of a function */
	const char *params; /* "" none */
	uint32_t flags;	    /* BF_* */
	uint8_t min, max;   /* aggregating functions */
	const char *doc;
};
extern const struct dprog_builtin prog_bvars[DPROG_NR_BVARS];
extern const struct dprog_builtin prog_funcs[DPROG_NR_FNS];
extern const struct dprog_builtin prog_aggfuncs[DPROG_NR_AGGFNS];
extern const struct dprog_builtin prog_acts[DPROG_NR_ACTS];

/** prog_free() - release a program; NULL is fine */
void prog_free(struct dprog *p);

/**
 * prog_check() - is this program sound?
 * @p: program
 * @why: out: static text, what is wrong
 *
 * Every register is below the clause's nr_regs, every index below its table's
 * size, every jump goes forward and stays inside its clause, every clause ends
 * with END, no constant divisor is 0.  The machine relies on it.
 * Return: true if so.
 */
bool prog_check(const struct dprog *p, const char **why);

/** dis_clause() - disassemble one clause; dis_prog() - all, with the tables */
void dis_clause(const struct dprog *p, uint32_t clause, FILE *f);
void dis_prog(const struct dprog *p, FILE *f);

#endif /* BEAMTAP_DPROG_PROG_H */
