// SPDX-License-Identifier: Apache-2.0
/*
 * check_agg.c - @name[keys] = function(value, parameters, weight)
 */
#include <limits.h>
#include "dlang/check.h"

#define LQ_LEVELS_MAX 65535

static const char *nth(struct dlang *dl, const char *name)
{
	return *name ? arena_printf(&dl->mem, "@%s", name) : "@";
}

/* Parameter @at as a constant of at most 32 bits; each failure has its own tag */
static bool constant(struct dlang *dl, struct node *n, struct node *arg, unsigned int at,
		     enum dl_tag not_const, enum dl_tag not_32, const char *func, int64_t *v)
{
	if (!arg->type)
		return false;
	if (!check_is_const(arg) || !type_is_int(arg->type)) {
		err_at(dl, n->line, not_const, "%s( ) argument #%u must be an integer constant",
		       func, at);
		return false;
	}
	*v = arg->value;
	if (*v < INT32_MIN || *v > INT32_MAX) {
		err_at(dl, n->line, not_32, "%s( ) argument #%u must be a 32-bit quantity", func,
		       at);
		return false;
	}
	return true;
}

static bool lquantize(struct dlang *dl, struct node *n, struct node **arg, unsigned int nr,
		      int64_t *p)
{
	if (!constant(dl, n, arg[1], 1, D_LQUANT_BASETYPE, D_LQUANT_BASEVAL, "lquantize", &p[0]) ||
	    !constant(dl, n, arg[2], 2, D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL, "lquantize", &p[1]))
		return false;
	if (p[0] >= p[1]) {
		err_at(dl, n->line, D_LQUANT_MISMATCH,
		       "lquantize( ) base (argument #1) must be less than limit (argument #2)");
		return false;
	}
	p[2] = 1;
	if (nr < 4)
		goto levels;
	if (!arg[3]->type)
		return false;
	if (!check_is_const(arg[3]) || !type_is_int(arg[3]->type) || arg[3]->value <= 0) {
		err_at(dl, n->line, D_LQUANT_STEPTYPE,
		       "lquantize( ) argument #3 must be a non-zero positive integer constant");
		return false;
	}
	p[2] = arg[3]->value;
	if (p[2] > USHRT_MAX) {
		err_at(dl, n->line, D_LQUANT_STEPVAL,
		       "lquantize( ) argument #3 must be a 16-bit quantity");
		return false;
	}
	if ((p[1] - p[0]) / p[2] == 0) {
		err_at(dl, n->line, D_LQUANT_STEPLARGE,
		       "lquantize( ) step (argument #3) too large: must have at least one "
		       "quantization level");
		return false;
	}
levels:
	if ((p[1] - p[0]) / p[2] > LQ_LEVELS_MAX) {
		err_at(dl, n->line, D_LQUANT_STEPSMALL,
		       "lquantize( ) step (argument #3) too small: number of quantization levels "
		       "must be a 16-bit quantity");
		return false;
	}
	return true;
}

static bool llquantize(struct dlang *dl, struct node *n, struct node **arg, int64_t *p)
{
	static const uint16_t types[] = { D_LLQUANT_FACTORTYPE, D_LLQUANT_LMAGTYPE,
					  D_LLQUANT_HMAGTYPE, D_LLQUANT_STEPTYPE };
	unsigned int i;
	uint64_t v = 1;
	int64_t e;

	for (i = 0; i < 4; i++) {
		if (!arg[i + 1]->type)
			return false;
		if (!check_is_const(arg[i + 1]) || !type_is_int(arg[i + 1]->type)) {
			err_at(dl, n->line, types[i],
			       "llquantize( ) argument #%u must be an integer constant", i + 1);
			return false;
		}
		p[i] = arg[i + 1]->value;
	}
	if (p[0] < 2 || p[0] > USHRT_MAX) {
		err_at(dl, n->line, D_LLQUANT_FACTORVAL,
		       "llquantize( ) argument #1 must be an unsigned 16-bit quantity greater than "
		       "or equal to 2");
		return false;
	}
	if (p[1] < 0 || p[1] > USHRT_MAX) {
		err_at(dl, n->line, D_LLQUANT_LMAGVAL,
		       "llquantize( ) argument #2 must be an unsigned 16-bit quantity");
		return false;
	}
	if (p[2] < p[1]) {
		err_at(dl, n->line, D_LLQUANT_HMAGVAL,
		       "llquantize( ) argument #3 (high magnitude) must be at least argument #2 "
		       "(low magnitude)");
		return false;
	}
	/* steps divide the factor, or the factor divides the steps and they a power of it */
	if (p[3] < 1 || p[3] > USHRT_MAX || (p[3] < p[0] && p[0] % p[3]) ||
	    (p[3] >= p[0] && p[3] % p[0])) {
		err_at(dl, n->line, D_LLQUANT_STEPVAL,
		       "llquantize() argument #4 (steps) must evenly divide argument #1 (factor) "
		       "when steps<factor");
		return false;
	}
	for (e = 0; e <= p[2]; e++)
		if (__builtin_mul_overflow(v, (uint64_t)p[0], &v) || v > INT64_MAX) {
			err_at(dl, n->line, D_LLQUANT_MAGRANGE,
			       "llquantize( ) factor (argument #1) raised to power of high "
			       "magnitude (argument #3) overflows 64-bits");
			return false;
		}
	return true;
}

static bool same_params(struct dlang *dl, struct node *n, const struct sym *s, unsigned int func,
			const int64_t *p)
{
	static const char *const lq[] = { "base", "limit", "step" };
	static const char *const llq[] = { "factor", "low magnitude", "high magnitude", "steps" };
	static const uint16_t tags[] = { D_LQUANT_MATCHBASE, D_LQUANT_MATCHLIM,
					 D_LQUANT_MATCHSTEP };
	unsigned int i, nr = func == DPROG_AGG_LQUANTIZE ? 3 : func == DPROG_AGG_LLQUANTIZE ? 4 : 0;

	for (i = 0; i < nr; i++)
		if (s->param[i] != p[i]) {
			err_at(dl, n->line, nr == 3 ? (enum dl_tag)tags[i] : D_LLQUANT_MATCH,
			       "%s( ) %s (argument #%u) doesn't match previous declaration: "
			       "expected %lld, found %lld",
			       prog_aggfuncs[func].name, nr == 3 ? lq[i] : llq[i], i + 1,
			       (long long)s->param[i], (long long)p[i]);
			return false;
		}
	return true;
}

static struct sym *agg_sym(struct dlang *dl, struct node *a, unsigned int func, bool *is_new)
{
	struct sym *s = strmap_get(&dl->aggs, a->str, strlen(a->str));

	*is_new = !s;
	if (s && s->value != (int64_t)func) {
		err_at(dl, a->line, D_AGG_REDEF,
		       "aggregation redefined: @%s\n\t current: @%s = %s( )\n\tprevious: @%s = %s( "
		       ") : line %u",
		       a->str, a->str, prog_aggfuncs[func].name, a->str,
		       prog_aggfuncs[s->value].name, s->line);
		return NULL;
	}
	if (!s) {
		s = arena_alloc(&dl->mem, sizeof(*s));
		*s = (struct sym){ .kind = SYM_AGG,
				   .name = a->str,
				   .value = func,
				   .line = a->line,
				   .number = UINT32_MAX };
	}
	return s;
}

/* Arguments of the function: value, constants, weight.  Return: false when reported */
static bool function_args(struct dlang *dl, struct node *call, unsigned int func, struct agg *g,
			  int64_t *param)
{
	struct node *arg[8] = { 0 }, *next, *a;
	unsigned int nr = check_nr_args(call), i = 0, w;
	bool ok = true;

	if (nr < prog_aggfuncs[func].min || nr > prog_aggfuncs[func].max) {
		check_len(dl, call, nr, prog_aggfuncs[func].min, prog_aggfuncs[func].max);
		return false;
	}
	for (a = call->list; a; a = next) {
		next = a->next;
		a->next = NULL;
		arg[i] = check_expr(dl, a);
		ok &= arg[i++]->type != NULL;
	}
	if (!ok)
		return false;
	if (nr && !type_is_scalar(arg[0]->type)) {
		err_at(dl, call->line, D_AGG_SCALAR, "%s( ) argument #1 must be of scalar type",
		       call->str);
		return false;
	}
	if (func == DPROG_AGG_LQUANTIZE && !lquantize(dl, call, arg, nr, param))
		return false;
	if (func == DPROG_AGG_LLQUANTIZE && !llquantize(dl, call, arg, param))
		return false;
	g->value = arg[0];
	w = func == DPROG_AGG_QUANTIZE	   ? 1
	    : func == DPROG_AGG_LQUANTIZE  ? 4
	    : func == DPROG_AGG_LLQUANTIZE ? 5
					   : 0;
	if (w && nr > w) {
		g->weight = arg[w];
		if (!type_is_scalar(arg[w]->type)) {
			err_at(dl, call->line, D_AGG_SCALAR,
			       "%s( ) argument #%u must be of scalar type", call->str, w + 1);
			return false;
		}
	}
	return true;
}

void check_agg(struct dlang *dl, struct node *stmt)
{
	struct node *n = stmt->a, *a = n->a, *call = n->b;
	struct agg *g = arena_alloc(&dl->mem, sizeof(*g));
	bool is_new, ok;
	int64_t param[4] = { 0 };
	struct sym *f, *s;

	if (n->op != T_ASGN) {
		err_at(dl, n->line, D_AGG_OP,
		       "aggregation %s may only be assigned with =", nth(dl, a->str));
		return;
	}
	f = call->kind == N_CALL ? check_lookup(dl, DPROG_GLOBAL, call->str) : NULL;
	if (call->kind == N_CALL && !f) {
		check_call(dl, call);
		return;
	}
	if (!f || f->kind != SYM_AGGFN) {
		err_at(dl, n->line, D_AGG_FUNC,
		       "%s must be assigned the result of an aggregating function",
		       nth(dl, a->str));
		return;
	}
	s = agg_sym(dl, a, f->number, &is_new);
	if (!s)
		return;
	ok = check_keys(dl, a, nth(dl, a->str), &a->list, &s->keys, &s->nr_keys, is_new);
	ok &= function_args(dl, call, f->number, g, param);
	if (is_new) {
		/*
		 * known from here on even when it is wrong, so that it is not complained of again
		 */
		memcpy(s->param, param, sizeof(param));
		s->is_signed =
			!g->value || !g->value->type || dtype_base(g->value->type)->is_signed;
		strmap_put(&dl->aggs, s->name, strlen(s->name), s);
	} else if (ok) {
		ok = same_params(dl, call, s, f->number, param);
	}
	if (!ok)
		return;
	g->sym = s;
	g->keys = a->list;
	stmt->op = STMT_AGG;
	stmt->data = g;
}
