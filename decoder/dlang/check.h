/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - names, types, rules; private to this folder
 *
 * Checking gives every expression a type, resolves names, folds constants and
 * puts CONV nodes where a value changes its type, so that emit has nothing left
 * to decide.  An expression in error has the type NULL: whoever meets it says
 * nothing more.
 */
#ifndef BEAMTAP_DLANG_CHECK_H
#define BEAMTAP_DLANG_CHECK_H

#include "dlang/parse.h"

/* ---- check.c: names and declarations ---- */
void check_init(struct dlang *dl);
void check_enumerator(struct dlang *dl, const char *name, int64_t value, const struct dtype *t,
		      uint32_t line);
/** check_param() - a parameter of an inline or translator, put into @map */
struct sym *check_param(struct dlang *dl, struct strmap *map, const char *name,
			const struct dtype *t, uint32_t line);
void check_inline(struct dlang *dl, const char *name, const struct dtype *type, struct sym **params,
		  unsigned int nr_params, struct strmap *map, struct node *expr, uint32_t line);
void check_translator(struct dlang *dl, const struct dtype *to, const struct dtype *from,
		      const char *param, struct node *members, uint32_t line);
void check_var_decl(struct dlang *dl, enum storage st, const struct declarator *dcl);
/** check_const() - check and fold; Return: true with its value if it is an integer constant */
bool check_const(struct dlang *dl, struct node *n, int64_t *value);
/** check_scan_own() - which names beyond DTrace's does this text use for itself? */
void check_scan_own(struct dlang *dl, const char *text, size_t len);
/** check_lint() - after a unit without errors */
void check_lint(struct dlang *dl);
const char *check_scope_prefix(unsigned int scope);

/* ---- check_clause.c ---- */
void check_clause(struct dlang *dl, struct node *clause);

/* ---- attr.c ---- */
/** attr_check() - is all that a clause, not checked yet, names at least as stable as -x amin wants? */
void attr_check(struct dlang *dl, const struct node *clause);
/** attr_is_too_new() - did a built-in name come after -x version? */
bool attr_is_too_new(const struct dlang *dl, const struct sym *s);

/* What a statement does: node->op of N_STMT */
enum stmt_op { STMT_EXPR, STMT_AGG, STMT_ACT, STMT_STRUCT_COPY, STMT_NOTHING };

/* ---- check_expr.c ---- */
/** check_expr() - check a tree in place.  Return: what stands in its place */
struct node *check_expr(struct dlang *dl, struct node *n);
/** check_conv() - convert a checked expression; constants are folded */
struct node *check_conv(struct dlang *dl, struct node *n, const struct dtype *to);
/** check_assignable() - as type_assignable(), and 0 is NULL for strings and pointers */
bool check_assignable(const struct dtype *to, const struct node *from);
static inline bool check_is_const(const struct node *n)
{
	return n->kind == N_INT;
}
static inline bool check_is_zero(const struct node *n)
{
	return n->kind == N_INT && !n->value;
}

/* ---- check_op.c: one function an operator class ---- */
struct node *check_unary(struct dlang *dl, struct node *n);
struct node *check_binary(struct dlang *dl, struct node *n);
/** check_operands() - the rules of a binary operator whose operands have been checked */
struct node *check_operands(struct dlang *dl, struct node *n);
/** check_decay() - an array as a value is a pointer to its first element, a bit-field an int */
struct node *check_decay(struct dlang *dl, struct node *n);
/** check_incompat() - report that the operands do not go together */
struct node *check_incompat(struct dlang *dl, struct node *n);

/* ---- check_assign.c ---- */
struct node *check_assign(struct dlang *dl, struct node *n);
struct node *check_incdec(struct dlang *dl, struct node *n);
struct node *check_cond(struct dlang *dl, struct node *n);
struct node *check_cast(struct dlang *dl, struct node *n);
const char *check_op_name(unsigned int op);

/* ---- fold.c ---- */
/** fold_binary() - operator on two integers of the (converted) type @t */
int64_t fold_binary(unsigned int op, const struct dtype *t, int64_t a, int64_t b);

/* ---- check_var.c ---- */
struct node *check_ident(struct dlang *dl, struct node *n);
struct node *check_index(struct dlang *dl, struct node *n);
struct node *check_member(struct dlang *dl, struct node *n);
/** check_has_xlator() - is there a translator for xlate<T>(e)?  Reports if not */
bool check_has_xlator(struct dlang *dl, struct node *n);
struct node *check_xlate_member(struct dlang *dl, struct node *n);
struct node *check_agg_use(struct dlang *dl, struct node *n);
/** check_lookup() - the name's symbol, NULL if there is none */
struct sym *check_lookup(struct dlang *dl, unsigned int scope, const char *name);
/** check_new_var() - define a variable at its first assignment */
struct sym *check_new_var(struct dlang *dl, unsigned int scope, const char *name,
			  const struct dtype *t, uint32_t line);
void check_undef(struct dlang *dl, const struct node *n);
/**
 * check_keys() - keys against a signature; @what: "x" or "@a", for messages.  Return: false when
 * reported
 */
bool check_keys(struct dlang *dl, struct node *n, const char *what, struct node **list,
		const struct dtype ***keys, unsigned int *nr_keys, bool define);
const struct dtype *check_key_type(struct dlang *dl, const struct dtype *t);

/* ---- check_call.c ---- */
struct node *check_call(struct dlang *dl, struct node *n);
/**
 * check_params() - arguments against a prototype of builtin.def; converts them.  Return: false
 * when reported
 */
bool check_params(struct dlang *dl, struct node *n, const char *params);
unsigned int check_nr_args(const struct node *n);
void check_len(struct dlang *dl, const struct node *n, unsigned int nr, unsigned int min,
	       unsigned int max);

/* ---- check_act.c, check_agg.c ---- */
/** check_action() - a statement that is a call of an action.  Leaves a struct act in stmt->data */
void check_action(struct dlang *dl, struct node *stmt, struct sym *sym);
/** check_agg() - a statement @x[...] = f(...) */
void check_agg(struct dlang *dl, struct node *stmt);
struct sym *check_agg_arg(struct dlang *dl, struct node *arg, enum dl_tag tag, const char *func,
			  unsigned int nr);

/* What check leaves for emit of an action: values in order, aggregations, format */
struct act {
	uint8_t kind; /* enum dprog_act */
	struct node *values[DPROG_MAX_ARGS];
	unsigned int nr_values;
	struct sym *aggs[DPROG_MAX_ARGS];
	unsigned int nr_aggs;
	struct dfmt *fmt;
	const struct dtype *type;
	uint32_t size;
	uint8_t stack; /* enum dprog_stack */
	uint32_t frames;
};
/* and of an aggregation */
struct agg {
	struct sym *sym;
	struct node *keys, *value, *weight;
};
/* and of a stack in an expression: N_CALL with data */
struct stack_call {
	uint8_t kind;
	uint32_t frames;
};

/* ---- fmt.c ---- */
/**
 * fmt_parse() - a format, checked against the arguments.  @aggs: of printa.  Return: NULL when
 * reported
 */
struct dfmt *fmt_parse(struct dlang *dl, const char *func, const struct node *str, struct act *act,
		       struct node *args);

#endif /* BEAMTAP_DLANG_CHECK_H */
