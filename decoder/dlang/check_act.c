// SPDX-License-Identifier: Apache-2.0
/*
 * check_act.c - statements that are calls of actions
 */
#include "dlang/check.h"

static void proto(struct dlang *dl, struct node *n, enum dl_tag tag, unsigned int arg,
		  const char *want, const char *have)
{
	err_at(dl, n->line, tag,
	       "%s( ) argument #%u is incompatible with prototype:\n\tprototype: %s\n\t argument: "
	       "%s",
	       n->str, arg, want, have);
}

struct sym *check_agg_arg(struct dlang *dl, struct node *arg, enum dl_tag tag, const char *func,
			  unsigned int nr)
{
	struct node n = { .line = arg->line, .str = func };
	struct sym *s;

	if (arg->kind != N_AGG) {
		arg = check_expr(dl, arg);
		if (arg->type)
			proto(dl, &n, tag, nr, "aggregation", arg->type->name);
		return NULL;
	}
	s = strmap_get(&dl->aggs, arg->str, strlen(arg->str));
	if (!s)
		err_at(dl, arg->line, D_IDENT_UNDEF, "failed to resolve @%s: %s", arg->str,
		       "Unknown variable name");
	if (s && arg->list) {
		err_at(dl, arg->line, D_AGG_MDIM,
		       "aggregation @%s may not be referenced with keys here", arg->str);
		return NULL;
	}
	return s;
}

/* clear, denormalize, normalize, trunc */
static bool agg_action(struct dlang *dl, struct node *n, struct act *act, unsigned int min,
		       unsigned int max)
{
	static const uint16_t tags[DPROG_NR_ACTS] = {
		[DPROG_ACT_CLEAR] = D_CLEAR_AGGARG,
		[DPROG_ACT_TRUNC] = D_TRUNC_AGGARG,
		[DPROG_ACT_NORMALIZE] = D_NORMALIZE_AGGARG,
		[DPROG_ACT_DENORMALIZE] = D_NORMALIZE_AGGARG,
	};
	unsigned int nr = check_nr_args(n);
	struct node *v;

	if (!nr) {
		check_len(dl, n, nr, min, max);
		return false;
	}
	v = n->list->next;
	act->aggs[0] = check_agg_arg(dl, n->list, tags[act->kind], n->str, 1);
	if (!act->aggs[0])
		return false;
	act->nr_aggs = 1;
	if (nr < min || nr > max) {
		check_len(dl, n, nr, min, max);
		return false;
	}
	if (!v)
		return true;
	v = check_expr(dl, v);
	if (!v->type)
		return false;
	if (!type_is_int(v->type)) {
		err_at(dl, n->line,
		       act->kind == DPROG_ACT_TRUNC ? D_TRUNC_SCALAR : D_NORMALIZE_SCALAR,
		       "%s( ) argument #2 must be of scalar type", n->str);
		return false;
	}
	act->values[act->nr_values++] = v;
	return true;
}

static bool trace(struct dlang *dl, struct node *n, struct act *act)
{
	struct node *a = n->list;
	const struct dtype *b;

	if (a && !a->next && a->kind == N_AGG && strmap_get(&dl->aggs, a->str, strlen(a->str))) {
		err_at(dl, n->line, D_TRACE_DYN,
		       "trace( ) may not be applied to a dynamic expression");
		return false;
	}
	if (!check_params(dl, n, "@"))
		return false;
	a = n->list;
	b = dtype_base(a->type);
	if (b->kind == DTYPE_VOID) {
		err_at(dl, n->line, D_TRACE_VOID,
		       "trace( ) may not be applied to a void expression");
		return false;
	}
	if (a->kind == N_INDEX && a->is_lval && type_is_array(a->type) && !b->size) {
		err_at(dl, n->line, D_TRACE_VOID,
		       "trace( ) may not be applied to a void expression");
		return false;
	}
	act->values[act->nr_values++] = a;
	return true;
}

static bool print(struct dlang *dl, struct node *n, struct act *act)
{
	const struct dtype *b;

	if (!check_params(dl, n, "@"))
		return false;
	b = dtype_base(n->list->type);
	if (b->kind != DTYPE_PTR) {
		proto(dl, n, D_PROTO_ARG, 1, "void *", n->list->type->name);
		return false;
	}
	act->type = b->ref;
	if (type_is_void(act->type) || dtype_base(act->type)->is_incomplete) {
		err_at(dl, n->line, D_PRINT_VOID,
		       "print( ) may not be applied to a pointer to void or to an incomplete type");
		return false;
	}
	act->values[act->nr_values++] = n->list;
	return true;
}

static bool tracemem(struct dlang *dl, struct node *n, struct act *act)
{
	struct node *addr, *size;

	if (!check_params(dl, n, "@, size_t, [size_t]"))
		return false;
	addr = n->list;
	size = addr->next;
	if (!type_is_scalar(addr->type) && !type_is_array(addr->type)) {
		proto(dl, n, D_TRACEMEM_ADDR, 1, "pointer or integer", addr->type->name);
		return false;
	}
	if (!check_is_const(size) || size->value <= 0 || size->value > DL_MAX_OBJECT) {
		err_at(dl, n->line, D_TRACEMEM_SIZE,
		       "tracemem( ) argument #2 must be a non-zero positive integral constant "
		       "expression");
		return false;
	}
	act->size = size->value;
	if (size->next)
		act->values[1] = size->next;
	act->nr_values = size->next ? 2 : 1;
	act->values[0] = check_decay(dl, addr);
	return true;
}

/* printf, system, freopen: a format that is there in the program, and its arguments */
static bool format(struct dlang *dl, struct node *n, struct act *act)
{
	struct node *str, **at, *next, *a;
	bool ok = true;

	if (!n->list) {
		err_at(dl, n->line, D_PROTO_LEN,
		       "%s( ) prototype mismatch: %u args passed, %s%u expected", n->str, 0,
		       "at least ", 1);
		return false;
	}
	for (at = &n->list; *at; at = &(*at)->next) {
		next = (*at)->next;
		a = check_expr(dl, *at);
		ok &= a->type != NULL;
		a->next = next;
		*at = a;
	}
	str = n->list;
	if (str->type && !type_is_str(str->type) && act->kind == DPROG_ACT_PRINTF) {
		proto(dl, n, D_PROTO_ARG, 1, "string", str->type->name);
		return false;
	}
	if (str->type && str->kind != N_STR) {
		proto(dl, n, D_PRINTF_ARG_FMT, 1, "string constant", str->type->name);
		return false;
	}
	if (!ok)
		return false;
	act->fmt = fmt_parse(dl, n->str, str, act, str->next);
	return act->fmt != NULL;
}

static const char *keys_text(struct dlang *dl, const struct sym *s)
{
	return arena_printf(&dl->mem, "@%s has %u key%s", s->name, s->nr_keys,
			    s->nr_keys == 1 ? "" : "s");
}

static bool same_keys(struct dlang *dl, struct node *n, const struct sym *a, const struct sym *b)
{
	unsigned int i;

	if (a->nr_keys != b->nr_keys) {
		err_at(dl, n->line, D_PRINTA_AGGKEY,
		       "printa( ): @%s and @%s do not have matching key signatures: %s, %s",
		       a->name, b->name, keys_text(dl, a), keys_text(dl, b));
		return false;
	}
	for (i = 0; i < a->nr_keys; i++)
		if (!type_is_void(a->keys[i]) && !type_is_void(b->keys[i]) &&
		    !type_assignable(a->keys[i], b->keys[i]) &&
		    dtype_base(a->keys[i]) != dtype_base(b->keys[i])) {
			err_at(dl, n->line, D_PRINTA_AGGPROTO,
			       "printa( ): @%s and @%s do not have matching key signatures: @%s "
			       "key #%u is incompatible:\n%9s @%s: %s\n%9s @%s: %s",
			       a->name, b->name, b->name, i + 1, "", a->name, a->keys[i]->name, "",
			       b->name, b->keys[i]->name);
			return false;
		}
	return true;
}

static bool printa(struct dlang *dl, struct node *n, struct act *act)
{
	struct node *a = n->list, *str = NULL, *next;
	unsigned int nr = 1;
	struct sym *s;
	bool ok = true;

	if (!a) {
		err_at(dl, n->line, D_PROTO_LEN,
		       "%s( ) prototype mismatch: %u args passed, %s%u expected", n->str, 0,
		       "at least ", 1);
		return false;
	}
	if (a->kind != N_AGG) {
		next = a->next;
		str = check_expr(dl, a);
		if (!str->type)
			return false;
		if (str->kind != N_STR) {
			proto(dl, n, D_PRINTA_PROTO, 1, "string constant or aggregation",
			      str->type->name);
			return false;
		}
		a = next;
		nr++;
	}
	if (!a) {
		err_at(dl, n->line, D_PRINTA_PROTO,
		       "printa( ) prototype mismatch: at least one aggregation expected");
		return false;
	}
	for (; a; a = next, nr++) {
		next = a->next;
		s = check_agg_arg(dl, a, D_PRINTA_AGGARG, n->str, nr);
		if (!s || act->nr_aggs == DPROG_MAX_ARGS) {
			ok = false;
			continue;
		}
		act->aggs[act->nr_aggs++] = s;
		if (ok)
			ok = same_keys(dl, n, act->aggs[0], s);
	}
	if (!ok)
		return false;
	if (str) {
		act->fmt = fmt_parse(dl, n->str, str, act, NULL);
		return act->fmt != NULL;
	}
	return true;
}

static bool stack(struct dlang *dl, struct node *n, struct act *act)
{
	bool user = act->kind != DPROG_ACT_STACK;
	unsigned int nr = check_nr_args(n), max = user ? 2 : 1;
	struct node *a, *next;
	bool ok = true;

	act->stack = act->kind == DPROG_ACT_STACK    ? DPROG_STACK_KERNEL
		     : act->kind == DPROG_ACT_USTACK ? DPROG_STACK_USER
						     : DPROG_STACK_ERLANG;
	if (nr > max) {
		check_len(dl, n, nr, 0, max);
		return false;
	}
	for (a = n->list, nr = 1; a; a = next, nr++) {
		next = a->next;
		a = check_expr(dl, a);
		if (!a->type) {
			ok = false;
			continue;
		}
		if (!check_is_const(a) || !type_is_int(a->type) || a->value < (nr == 1) ||
		    a->value > INT32_MAX) {
			err_at(dl, n->line,
			       nr == 2 ? D_USTACK_STRSIZE
			       : user  ? D_USTACK_FRAMES
				       : D_STACK_SIZE,
			       nr == 1 ? "%s( ) argument #1 must be a non-zero positive integer "
					 "constant"
				       : "%s( ) argument #2 must be a positive integer constant",
			       n->str);
			ok = false;
		} else if (nr == 1) {
			act->frames = a->value;
		}
	}
	return ok;
}

static bool plain(struct dlang *dl, struct node *n, struct act *act)
{
	struct node *a, *next;

	if (!check_params(dl, n, prog_acts[act->kind].params))
		return false;
	for (a = n->list; a; a = next) {
		next = a->next;
		a->next = NULL;
		act->values[act->nr_values++] = a;
	}
	return true;
}

void check_action(struct dlang *dl, struct node *stmt, struct sym *sym)
{
	struct act *act = arena_alloc(&dl->mem, sizeof(*act));
	struct node *n = stmt->a;
	bool ok;

	act->kind = sym->number;
	switch (act->kind) {
	case DPROG_ACT_TRACE:
		ok = trace(dl, n, act);
		break;
	case DPROG_ACT_PRINT:
		ok = print(dl, n, act);
		break;
	case DPROG_ACT_TRACEMEM:
		ok = tracemem(dl, n, act);
		break;
	case DPROG_ACT_PRINTF:
	case DPROG_ACT_SYSTEM:
	case DPROG_ACT_FREOPEN:
		ok = format(dl, n, act);
		break;
	case DPROG_ACT_PRINTA:
		ok = printa(dl, n, act);
		break;
	case DPROG_ACT_CLEAR:
	case DPROG_ACT_DENORMALIZE:
		ok = agg_action(dl, n, act, 1, 1);
		break;
	case DPROG_ACT_NORMALIZE:
		ok = agg_action(dl, n, act, 2, 2);
		break;
	case DPROG_ACT_TRUNC:
		ok = agg_action(dl, n, act, 1, 2);
		break;
	case DPROG_ACT_STACK:
	case DPROG_ACT_USTACK:
	case DPROG_ACT_JSTACK:
		ok = stack(dl, n, act);
		break;
	default:
		ok = plain(dl, n, act);
	}
	if (!ok)
		return;
	stmt->op = STMT_ACT;
	stmt->data = act;
}
