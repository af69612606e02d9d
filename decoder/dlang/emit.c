// SPDX-License-Identifier: Apache-2.0
/*
 * emit.c - the program's tables, statements and clauses
 */
#include <stdlib.h>
#include "dlang/emit.h"

void emit_init(struct dlang *dl)
{
	struct emit *e = arena_alloc(&dl->mem, sizeof(*e));

	e->dl = dl;
	e->p = &dl->prog;
	dl->emit = e;
}

void emit_fini(struct dlang *dl)
{
	strmap_fini(&dl->emit->strs);
	strmap_fini(&dl->emit->consts);
	free(dl->emit->bindings);
}

unsigned int emit_reg(struct emit *e, unsigned int r)
{
	if (r >= DPROG_MAX_REGS) {
		if (!e->failed)
			err_at(e->dl, e->line, D_NOREG,
			       "expression is too complex: more than %u values at once",
			       DPROG_MAX_REGS);
		e->failed = true;
		return 0;
	}
	if (r + 1 > e->nr_regs)
		e->nr_regs = r + 1;
	return r;
}

static unsigned int reg_or_none(struct emit *e, unsigned int r)
{
	return r == DPROG_NOREG ? r : emit_reg(e, r);
}

void emit_abc(struct emit *e, unsigned int op, unsigned int a, unsigned int b, unsigned int c,
	      int32_t imm)
{
	struct dprog *p = e->p;

	if (e->failed)
		return;
	/* b and c may be a kind or a number of registers instead: the callers see to those */
	a = op == DPROG_OP_ACT || op == DPROG_OP_AGG ? a : reg_or_none(e, a);
	p->code = arena_grow(&e->dl->mem, p->code, p->nr_code, &e->cap_code, sizeof(*p->code));
	p->lines = arena_grow(&e->dl->mem, p->lines, p->nr_code, &e->cap_lines, sizeof(*p->lines));
	p->code[p->nr_code] = (struct dprog_insn){ .op = op, .a = a, .b = b, .c = c, .imm = imm };
	p->lines[p->nr_code++] = e->line;
}

uint32_t emit_jump(struct emit *e, unsigned int op, unsigned int a)
{
	emit_abc(e, op, a, 0, 0, -1);
	return e->p->nr_code - 1;
}

void emit_land(struct emit *e, uint32_t jump)
{
	if (!e->failed)
		e->p->code[jump].imm = (int32_t)e->p->nr_code;
}

void emit_const(struct emit *e, unsigned int r, int64_t v)
{
	struct dprog *p = e->p;
	uintptr_t i;
	char *key;

	if (v >= INT32_MIN && v <= INT32_MAX) {
		emit_abc(e, DPROG_OP_LDI, r, 0, 0, (int32_t)v);
		return;
	}
	i = (uintptr_t)strmap_get(&e->consts, (const char *)&v, sizeof(v));
	if (!i) {
		p->consts = arena_grow(&e->dl->mem, p->consts, p->nr_consts, &e->cap_consts,
				       sizeof(*p->consts));
		p->consts[p->nr_consts++] = (uint64_t)v;
		i = p->nr_consts;
		key = arena_memdup(&e->dl->mem, &v, sizeof(v));
		strmap_put(&e->consts, key, sizeof(v), (void *)i);
	}
	emit_abc(e, DPROG_OP_LDC, r, 0, 0, (int32_t)i - 1);
}

uint32_t emit_str(struct emit *e, const char *text, uint32_t len)
{
	struct dprog *p = e->p;
	uintptr_t i = (uintptr_t)strmap_get(&e->strs, text, len);

	if (!i) {
		p->strs = arena_grow(&e->dl->mem, p->strs, p->nr_strs, &e->cap_strs,
				     sizeof(*p->strs));
		p->strs[p->nr_strs++] = (struct dprog_str){ text, len };
		i = p->nr_strs;
		strmap_put(&e->strs, text, len, (void *)i);
	}
	return i - 1;
}

static unsigned int sym_kind(unsigned int act)
{
	switch (act) {
	case DPROG_ACT_MOD:
		return DPROG_SYM_MOD;
	case DPROG_ACT_UFUNC:
	case DPROG_ACT_USYM:
		return DPROG_SYM_USYM;
	case DPROG_ACT_UMOD:
		return DPROG_SYM_UMOD;
	case DPROG_ACT_UADDR:
		return DPROG_SYM_UADDR;
	default:
		return DPROG_SYM_SYM;
	}
}

/* @n: the expression it comes from, for what its type does not say; may be NULL */
struct dprog_val emit_val(const struct dtype *t, const struct node *n)
{
	const struct dtype *b = dtype_base(t);
	struct dprog_val v = {
		.kind = DPROG_INT, .size = b->size, .is_signed = b->is_signed, .type = t
	};

	switch (b->kind) {
	case DTYPE_PTR:
		v.is_ptr = true;
		break;
	case DTYPE_STRING:
		v.kind = DPROG_STR;
		break;
	case DTYPE_STRUCT:
	case DTYPE_UNION:
	case DTYPE_ARRAY:
		v.kind = DPROG_BYTES;
		break;
	case DTYPE_STACK:
		v.kind = DPROG_STACK;
		v.sub = n && n->data ? ((const struct act *)n->data)->stack : 0;
		break;
	case DTYPE_SYM:
		v.kind = DPROG_SYM;
		v.sub = sym_kind(n && n->kind == N_CALL && n->sym ? n->sym->number : DPROG_ACT_SYM);
		break;
	}
	return v;
}

uint32_t emit_var(struct emit *e, struct sym *s)
{
	struct dprog *p = e->p;
	struct dprog_var *v;
	unsigned int i;

	if (s->number != UINT32_MAX)
		return s->number;
	p->vars = arena_grow(&e->dl->mem, p->vars, p->nr_vars, &e->cap_vars, sizeof(*p->vars));
	s->number = p->nr_vars;
	v = &p->vars[p->nr_vars++];
	*v = (struct dprog_var){ .name = s->name,
				 .scope = s->scope,
				 .is_assoc = s->is_assoc,
				 .nr_keys = s->nr_keys,
				 .slot = UINT32_MAX,
				 .val = emit_val(s->type, NULL),
				 .line = s->line };
	if (s->scope == DPROG_PROC)
		p->uses_proc = true;
	if (s->is_assoc) {
		v->keys = arena_alloc(&e->dl->mem, s->nr_keys * sizeof(*v->keys));
		for (i = 0; i < s->nr_keys; i++)
			v->keys[i] = emit_val(s->keys[i], NULL);
	} else if (v->val.kind != DPROG_BYTES) {
		v->slot = p->nr_slots[s->scope]++;
	}
	return s->number;
}

static uint32_t emit_aggregation(struct emit *e, struct sym *s, const struct node *keys)
{
	struct dprog *p = e->p;
	struct dprog_agg *a;
	unsigned int i;

	if (s->number != UINT32_MAX)
		return s->number;
	p->aggs = arena_grow(&e->dl->mem, p->aggs, p->nr_aggs, &e->cap_aggs, sizeof(*p->aggs));
	s->number = p->nr_aggs;
	a = &p->aggs[p->nr_aggs++];
	*a = (struct dprog_agg){ .name = s->name,
				 .func = s->value,
				 .nr_keys = s->nr_keys,
				 .is_signed = s->is_signed,
				 .line = s->line };
	memcpy(a->param, s->param, sizeof(a->param));
	a->keys = arena_alloc(&e->dl->mem, (s->nr_keys ? s->nr_keys : 1) * sizeof(*a->keys));
	for (i = 0; i < s->nr_keys; i++) {
		a->keys[i] = emit_val(s->keys[i], keys);
		keys = keys ? keys->next : NULL;
	}
	return s->number;
}

static void emit_agg(struct emit *e, const struct agg *g)
{
	unsigned int r = 0, value = DPROG_NOREG, weight = DPROG_NOREG;
	const struct node *k;
	uint32_t at;

	for (k = g->keys; k; k = k->next)
		emit_expr(e, k, r++);
	if (g->value) {
		value = r;
		emit_expr(e, g->value, r++);
	}
	if (g->weight) {
		weight = r;
		emit_expr(e, g->weight, r++);
	}
	at = emit_aggregation(e, g->sym, g->keys);
	emit_abc(e, DPROG_OP_AGG, value, 0, weight, at);
}

static void emit_action(struct emit *e, const struct act *act, uint32_t *flags)
{
	struct dprog *p = e->p;
	struct dprog_action *a;
	unsigned int i;

	p->actions = arena_grow(&e->dl->mem, p->actions, p->nr_actions, &e->cap_actions,
				sizeof(*p->actions));
	a = &p->actions[p->nr_actions++];
	*a = (struct dprog_action){ .kind = act->kind,
				    .nr_aggs = act->nr_aggs,
				    .fmt = act->fmt,
				    .type = act->type,
				    .size = act->size,
				    .line = e->line,
				    .is_destructive = prog_acts[act->kind].flags & BF_DESTR };
	a->values = arena_alloc(&e->dl->mem, (act->nr_values + 1) * sizeof(*a->values));
	a->aggs = arena_alloc(&e->dl->mem, (act->nr_aggs + 1) * sizeof(*a->aggs));
	for (i = 0; i < act->nr_aggs; i++)
		a->aggs[i] = emit_aggregation(e, act->aggs[i], NULL);
	switch (act->kind) {
	case DPROG_ACT_STACK:
	case DPROG_ACT_USTACK:
	case DPROG_ACT_JSTACK:
		a->nr_values = 1;
		a->values[0] = (struct dprog_val){
			.kind = DPROG_STACK, .sub = act->stack, .size = 8, .type = e->dl->t_stack
		};
		emit_abc(e, DPROG_OP_STACK, 0, act->stack, 0, act->frames);
		p->uses_stack |= act->stack == DPROG_STACK_ERLANG;
		break;
	default:
		a->nr_values = act->nr_values;
		for (i = 0; i < act->nr_values; i++) {
			a->values[i] = emit_val(act->values[i]->type, act->values[i]);
			emit_expr(e, act->values[i], i);
		}
	}
	if (prog_acts[act->kind].flags & BF_SYM) {
		a->values[0].kind = DPROG_SYM;
		a->values[0].sub = sym_kind(act->kind);
	}
	emit_abc(e, DPROG_OP_ACT, 0, 0, 0, p->nr_actions - 1);
	if (prog_acts[act->kind].flags & BF_DATA)
		*flags |= DPROG_C_RECORD | DPROG_C_DATA;
	if (prog_acts[act->kind].flags & BF_DESTR)
		*flags |= DPROG_C_DESTR;
	if (act->kind == DPROG_ACT_SPECULATE || act->kind == DPROG_ACT_COMMIT ||
	    act->kind == DPROG_ACT_DISCARD)
		*flags |= DPROG_C_SPEC;
}

/* Does a tree call a destructive function (copyout and kin)? */
static bool has_destructive(const struct node *n)
{
	for (; n; n = n->next)
		if ((n->kind == N_CALL && n->sym && n->sym->kind == SYM_FUNC &&
		     (prog_funcs[n->sym->number].flags & BF_DESTR)) ||
		    has_destructive(n->a) || has_destructive(n->b) || has_destructive(n->c) ||
		    has_destructive(n->list))
			return true;
	return false;
}

static void emit_clause(struct emit *e, const struct node *clause)
{
	struct dprog *p = e->p;
	struct dprog_clause *c;
	const struct node *n;
	size_t nr = 0;

	p->clauses = arena_grow(&e->dl->mem, p->clauses, p->nr_clauses, &e->cap_clauses,
				sizeof(*p->clauses));
	c = &p->clauses[p->nr_clauses++];
	*c = (struct dprog_clause){ .start = p->nr_code,
				    .line = clause->line,
				    .unit = p->nr_units };
	for (n = clause->list; n; n = n->next)
		nr++;
	c->pdescs = arena_alloc(&e->dl->mem, nr * sizeof(*c->pdescs));
	for (n = clause->list; n; n = n->next)
		if (n->data)
			c->pdescs[c->nr_pdescs++] = *(const struct dprog_pdesc *)n->data;
	e->nr_regs = 0;
	e->line = clause->line;
	emit_reg(e, 0);
	if (clause->a) {
		emit_expr(e, clause->a, 0);
		emit_abc(e, DPROG_OP_PRED, 0, 0, 0, 0);
		c->flags |= DPROG_C_PRED;
	}
	if (!clause->b)
		c->flags |= DPROG_C_RECORD | DPROG_C_EMPTY;
	for (n = clause->b; n; n = n->next) {
		e->line = n->line;
		switch (n->op) {
		case STMT_EXPR:
			emit_effect(e, n->a, 0);
			break;
		case STMT_AGG:
			emit_agg(e, n->data);
			break;
		case STMT_ACT:
			emit_action(e, n->data, &c->flags);
			break;
		}
	}
	if (has_destructive(clause->a) || has_destructive(clause->b))
		c->flags |= DPROG_C_DESTR;
	emit_abc(e, DPROG_OP_END, 0, 0, 0, 0);
	c->end = p->nr_code;
	c->nr_regs = e->nr_regs;
	if (e->dl->dump[DLANG_DIS] && !e->failed)
		dis_clause(p, p->nr_clauses - 1, e->dl->dump[DLANG_DIS]);
}

bool emit_unit(struct dlang *dl, const struct node *clauses)
{
	struct emit *e = dl->emit;
	struct dprog *p = e->p;
	uint32_t code = p->nr_code, nr_clauses = p->nr_clauses, nr_actions = p->nr_actions;
	struct dprog_unit *u;
	const struct node *n;

	e->failed = false;
	if (dl->nr_bindings >= e->nr_bindings) {
		uint32_t cap = dl->nr_bindings * 2 + 64;
		uint8_t *b = realloc(e->bindings, cap);

		if (!b)
			abort();
		e->bindings = b;
		e->nr_bindings = cap;
	}
	for (n = clauses; n && !e->failed; n = n->next)
		emit_clause(e, n);
	if (e->failed) {
		p->nr_code = code;
		p->nr_clauses = nr_clauses;
		p->nr_actions = nr_actions;
		return false;
	}
	p->units = arena_grow(&dl->mem, p->units, p->nr_units, &e->cap_units, sizeof(*p->units));
	u = &p->units[p->nr_units++];
	*u = (struct dprog_unit){ .name = arena_strdup(&dl->mem,
						       dl->unit->name ? dl->unit->name : ""),
				  .clause = nr_clauses,
				  .nr_clauses = p->nr_clauses - nr_clauses };
	return true;
}

void emit_option(struct dlang *dl, const char *name, const char *value, uint32_t line)
{
	struct dprog *p = &dl->prog;

	p->options = arena_grow(&dl->mem, p->options, p->nr_options, &dl->emit->cap_options,
				sizeof(*p->options));
	p->options[p->nr_options++] = (struct dprog_option){ name, value, line };
}
