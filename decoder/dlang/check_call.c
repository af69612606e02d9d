// SPDX-License-Identifier: Apache-2.0
/*
 * check_call.c - calls of functions in expressions, and arguments against the
 * prototypes of builtin.def
 */
#include <ctype.h>
#include "dlang/check.h"

unsigned int check_nr_args(const struct node *n)
{
	unsigned int nr = 0;
	const struct node *a;

	for (a = n->list; a; a = a->next)
		nr++;
	return nr;
}

void check_len(struct dlang *dl, const struct node *n, unsigned int nr, unsigned int min,
	       unsigned int max)
{
	err_at(dl, n->line, D_PROTO_LEN, "%s( ) prototype mismatch: %u arg%s passed, %s%u expected",
	       n->str, nr, nr == 1 ? "" : "s",
	       min == max ? ""
	       : nr < min ? "at least "
			  : "at most ",
	       nr < min ? min : max);
}

/* One parameter of a prototype: its type's text; moves *pp behind it */
static const char *next_param(struct dlang *dl, const char **pp, bool *opt)
{
	const char *p = *pp, *from, *end;

	while (*p == ' ' || *p == ',')
		p++;
	if (!*p)
		return NULL;
	*opt = *p == '[';
	from = p += *opt;
	while (*p && *p != ',' && *p != ']')
		p++;
	end = p;
	*pp = *p == ']' ? p + 1 : p;
	return arena_memdup(&dl->mem, from, end - from);
}

static void count_params(struct dlang *dl, const char *params, unsigned int *min, unsigned int *max)
{
	const char *t;
	bool opt;

	*min = *max = 0;
	while ((t = next_param(dl, &params, &opt))) {
		if (!strcmp(t, "...")) {
			*max = DPROG_MAX_ARGS;
			return;
		}
		++*max;
		*min += !opt;
	}
}

/*
 * Does a checked argument fit a parameter?  A `char *` takes strings, a `void *` any pointer and
 * strings.
 */
static bool fits(const struct dtype *t, const char *text, const struct node *a)
{
	const struct dtype *b = dtype_base(a->type);

	if (!strcmp(text, "char *"))
		return b->kind == DTYPE_STRING || type_is_text(a->type) || check_is_zero(a);
	if (!strcmp(text, "void *"))
		return b->kind == DTYPE_PTR || b->kind == DTYPE_ARRAY ||
		       b->kind == DTYPE_STRING || check_is_zero(a);
	if (!strcmp(text, "uintptr_t"))
		return type_is_scalar(a->type) || b->kind == DTYPE_ARRAY;
	return type_is_int(t) && type_is_int(a->type);
}

bool check_params(struct dlang *dl, struct node *n, const char *params)
{
	unsigned int nr = check_nr_args(n), min, max, i = 0;
	struct node **at, *next, *a;
	const struct dtype *t;
	const char *text;
	bool opt, ok = true;

	count_params(dl, params, &min, &max);
	if (nr < min || nr > max) {
		check_len(dl, n, nr, min, max);
		ok = false;
	}
	for (at = &n->list; *at; at = &(*at)->next, i++) {
		text = next_param(dl, &params, &opt);
		next = (*at)->next;
		a = check_expr(dl, *at);
		t = text && strcmp(text, "@") && strcmp(text, "...") ? parse_type_text(dl, text)
								     : NULL;
		if (!a->type) {
			ok = false;
		} else if (t && ok) {
			if (!fits(t, text, a)) {
				err_at(dl, n->line, D_PROTO_ARG,
				       "%s( ) argument #%u is incompatible with "
				       "prototype:\n\tprototype: %s\n\t argument: %s",
				       n->str, i + 1, text, a->type->name);
				if (type_is_str(a->type) && !strcmp(n->str, "copyinstr"))
					err_hint(dl, "it is a string already: use it without "
						     "copyinstr()");
				ok = false;
			} else {
				a = check_conv(dl, a, strcmp(text, "char *") ? t : dl->t_string);
			}
		}
		a->next = next;
		*at = a;
	}
	return ok;
}

static struct node *fail(struct node *n)
{
	n->type = NULL;
	return n;
}

/* Arguments of a call that is wrong anyway: names in them are still to be told. */
static void check_rest(struct dlang *dl, struct node *n)
{
	struct node *a, *next;

	for (a = n->list; a; a = next) {
		next = a->next;
		if (a->kind != N_AGG)
			check_expr(dl, a);
	}
}

/* stack() and sym() and kin have values that can be keys and be printed by %k, %a */
static struct node *stack_value(struct dlang *dl, struct node *n, struct sym *s)
{
	struct node stmt = { .kind = N_STMT, .line = n->line, .a = n };
	struct act *act;

	check_action(dl, &stmt, s);
	act = stmt.data;
	if (!act)
		return fail(n);
	n->sym = s;
	n->data = act;
	n->type = act->nr_values ? dl->t_sym : dl->t_stack;
	return n;
}

struct node *check_call(struct dlang *dl, struct node *n)
{
	struct sym *s = check_lookup(dl, DPROG_GLOBAL, n->str);
	const struct strmap *maps[] = { &dl->builtins };
	const char *near;

	if (!s) {
		err_at(dl, n->line, D_FUNC_UNDEF, "undefined function name: %s", n->str);
		near = dl->nr_errs == DL_MAX_ERRORS
			       ? NULL
			       : err_near(dl, maps, 1,
					  1u << SYM_FUNC | 1u << SYM_ACTION | 1u << SYM_AGGFN,
					  n->str);
		if (near)
			err_hint(dl, "nearest name: %s", near);
		check_rest(dl, n);
		return fail(n);
	}
	switch (s->kind) {
	case SYM_FUNC:
		if (!check_params(dl, n, prog_funcs[s->number].params))
			return fail(n);
		n->sym = s;
		n->type = s->type;
		return n;
	case SYM_REFUSED:
		err_at(dl, n->line, s->tag, "%s", s->refused);
		break;
	case SYM_AGGFN:
		err_at(dl, n->line, D_AGG_LVAL, "%s( ) must be assigned to an aggregation", n->str);
		break;
	case SYM_ACTION:
		if ((prog_acts[s->number].flags & BF_SYM) || s->number == DPROG_ACT_STACK ||
		    s->number == DPROG_ACT_USTACK || s->number == DPROG_ACT_JSTACK)
			return stack_value(dl, n, s);
		err_at(dl, n->line, D_ACT_EXPR, "%s( ) is an action: its result can not be used",
		       n->str);
		break;
	default:
		err_at(dl, n->line, D_FUNC_IDENT, "%s '%s' may not be used as a function",
		       s->kind == SYM_INLINE ? "inline"
		       : s->kind == SYM_ENUM ? "enumerator"
					     : "variable",
		       n->str);
	}
	check_rest(dl, n);
	return fail(n);
}
