// SPDX-License-Identifier: Apache-2.0
/* vars.c - a script's variables */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "drun/vars.h"

#define ROW_BYTES 24 /* what a row costs besides its words, for the budget */

/* Words of a table's key: the tuple, then whose it is. */
static uint32_t nr_key_words(const struct dprog_var *var)
{
	uint32_t n = var->is_assoc ? var->nr_keys : 0;

	if (var->scope == DPROG_THREAD)
		return n + 1;
	if (var->scope == DPROG_PROC)
		return n + 2;
	return n;
}

int vars_init(struct vars *v, const struct dprog *prog, struct mem *mem, size_t size)
{
	memset(v, 0, sizeof(*v));
	v->prog = prog;
	v->mem = mem;
	v->size = size;
	v->globals = calloc(prog->nr_slots[DPROG_GLOBAL] + 1, 8);
	v->locals = calloc(prog->nr_slots[DPROG_CLAUSE] + 1, 8);
	v->tabs = calloc(prog->nr_vars + 1, sizeof(*v->tabs));
	for (int i = 0; i < DPROG_NR_SCOPES; i++)
		v->is_str[i] = calloc(prog->nr_slots[i] + 1, 1);
	if (!v->globals || !v->locals || !v->tabs || !v->is_str[0] || !v->is_str[1] || !v->is_str[2] ||
	    !v->is_str[3]) {
		vars_fini(v);
		return -ENOMEM;
	}
	tab_init(&v->procs, 2, prog->nr_slots[DPROG_PROC]);
	for (uint32_t i = 0; i < prog->nr_vars; i++) {
		const struct dprog_var *var = &prog->vars[i];

		/* a local of aggregate type has a second word: the firing it is of */
		tab_init(&v->tabs[i], nr_key_words(var), var->scope == DPROG_CLAUSE ? 2 : 1);
		if (var->slot < prog->nr_slots[var->scope])
			v->is_str[var->scope][var->slot] = var->val.kind == DPROG_STR ||
							   var->val.kind == DPROG_STACK;
	}
	return 0;
}

void vars_fini(struct vars *v)
{
	if (v->tabs)
		for (uint32_t i = 0; i < v->prog->nr_vars; i++)
			tab_fini(&v->tabs[i]);
	for (uint32_t i = 0; i < v->nr_threads; i++)
		free(v->threads[i]);
	for (int i = 0; i < DPROG_NR_SCOPES; i++)
		free(v->is_str[i]);
	free(v->threads);
	free(v->no_thread);
	tab_fini(&v->procs);
	free(v->tabs);
	free(v->globals);
	free(v->locals);
	memset(v, 0, sizeof(*v));
}

static bool charge(struct vars *v, size_t n)
{
	if (n > v->size - v->used) {
		v->drops++;
		return false;
	}
	v->used += n;
	return true;
}

static size_t row_cost(const struct vars *v, enum dprog_scope scope)
{
	return ROW_BYTES + 8 * (size_t)v->prog->nr_slots[scope];
}

static bool is_zero(const uint64_t *w, uint32_t n)
{
	while (n--)
		if (w[n])
			return false;
	return true;
}

/* -- self-> -- */

static uint64_t *const *thread_row(const struct vars *v, uint32_t thread)
{
	if (thread == VARS_NO_THREAD)
		return (uint64_t *const *)&v->no_thread;
	return thread < v->nr_threads ? (uint64_t *const *)&v->threads[thread] : NULL;
}

uint64_t vars_get_thread(const struct vars *v, const struct vars_who *w, uint32_t slot)
{
	uint64_t *const *row = thread_row(v, w->thread);

	return row && *row ? (*row)[slot] : 0;
}

static uint64_t **thread_row_new(struct vars *v, uint32_t thread)
{
	uint32_t nr = v->nr_threads ? v->nr_threads * 2 : 16;
	uint64_t **p;

	if (thread == VARS_NO_THREAD)
		return &v->no_thread;
	if (thread < v->nr_threads)
		return &v->threads[thread];
	while (nr <= thread)
		nr *= 2;
	p = realloc(v->threads, nr * sizeof(*p));
	if (!p)
		return NULL;
	memset(p + v->nr_threads, 0, (nr - v->nr_threads) * sizeof(*p));
	v->threads = p;
	v->nr_threads = nr;
	return &p[thread];
}

void vars_set_thread(struct vars *v, const struct vars_who *w, uint32_t slot, uint64_t value)
{
	uint64_t **row = (uint64_t **)thread_row(v, w->thread);
	uint32_t n = v->prog->nr_slots[DPROG_THREAD];

	if (!row || !*row) {
		if (!value)
			return;
		row = thread_row_new(v, w->thread);
		if (!row || !charge(v, row_cost(v, DPROG_THREAD)))
			return;
		*row = calloc(n, 8);
		if (!*row)
			return;
	}
	(*row)[slot] = value;
	if (!value && is_zero(*row, n)) {
		free(*row);
		*row = NULL;
		v->used -= row_cost(v, DPROG_THREAD);
	}
}

/* -- eself-> -- */

uint64_t vars_get_proc(const struct vars *v, const struct vars_who *w, uint32_t slot)
{
	uint64_t key[2] = { w->vm, w->proc }, *row;

	if (!w->proc)
		return 0;
	row = tab_find(&v->procs, key);
	return row ? tab_data(&v->procs, row)[slot] : 0;
}

void vars_set_proc(struct vars *v, const struct vars_who *w, uint32_t slot, uint64_t value)
{
	uint64_t key[2] = { w->vm, w->proc }, *row, *data;

	if (!w->proc)
		return;
	row = tab_find(&v->procs, key);
	if (!row) {
		if (!value || !charge(v, row_cost(v, DPROG_PROC)))
			return;
		row = tab_add(&v->procs, key);
		if (!row)
			return;
	}
	data = tab_data(&v->procs, row);
	data[slot] = value;
	if (!value && is_zero(data, v->prog->nr_slots[DPROG_PROC])) {
		tab_drop(&v->procs, row);
		v->used -= row_cost(v, DPROG_PROC);
	}
}

void vars_drop_proc(struct vars *v, uint32_t vm, uint64_t proc)
{
	uint64_t key[2] = { vm, proc }, *row = tab_find(&v->procs, key);

	if (row) {
		tab_drop(&v->procs, row);
		v->used -= row_cost(v, DPROG_PROC);
	}
}

/* -- arrays and aggregate types -- */

static bool full_key(const struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys,
		     uint64_t *key)
{
	const struct dprog_var *d = &v->prog->vars[var];
	uint32_t n = d->is_assoc ? d->nr_keys : 0;

	if (n)
		memcpy(key, keys, n * sizeof(*key));
	if (d->scope == DPROG_THREAD) {
		key[n] = w->thread;
	} else if (d->scope == DPROG_PROC) {
		key[n] = w->vm;
		key[n + 1] = w->proc;
		return w->proc != 0;
	}
	return true;
}

static bool is_text(const struct dprog_val *val)
{
	return val->kind == DPROG_STR || val->kind == DPROG_STACK;
}

static size_t elem_cost(const struct vars *v, uint32_t var)
{
	const struct dprog_var *d = &v->prog->vars[var];
	size_t cost = ROW_BYTES + 8 * (size_t)v->tabs[var].stride;

	if (d->val.kind == DPROG_BYTES)
		cost += d->val.size;
	if (is_text(&d->val))
		cost += STR_COST;
	for (uint32_t k = 0; d->is_assoc && k < d->nr_keys; k++)
		if (is_text(&d->keys[k]))
			cost += STR_COST;
	return cost;
}

uint64_t vars_elem_get(const struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys)
{
	const struct tab *t = &v->tabs[var];
	uint64_t key[DPROG_MAX_KEYS + 2], *row;

	if (t->nr_keys == v->prog->vars[var].nr_keys) { /* a global: the registers are the key */
		row = tab_find(t, keys);
	} else {
		if (!full_key(v, w, var, keys, key))
			return 0;
		row = tab_find(t, key);
	}
	return row ? *tab_data(t, row) : 0;
}

uint64_t *vars_elem_ref(struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys)
{
	struct tab *t = &v->tabs[var];
	uint64_t key[DPROG_MAX_KEYS + 2], *row;

	if (!full_key(v, w, var, keys, key))
		return NULL;
	row = tab_find(t, key);
	if (!row) {
		if (!charge(v, elem_cost(v, var)))
			return NULL;
		row = tab_add(t, key);
	}
	return row ? tab_data(t, row) : NULL;
}

void vars_elem_set(struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys,
		   uint64_t value)
{
	struct tab *t = &v->tabs[var];
	uint64_t key[DPROG_MAX_KEYS + 2], *row, *ref;

	if (value) {
		ref = vars_elem_ref(v, w, var, keys);
		if (ref)
			*ref = value;
		return;
	}
	if (!full_key(v, w, var, keys, key))
		return;
	row = tab_find(t, key);
	if (!row)
		return;
	tab_drop(t, row);
	v->used -= elem_cost(v, var);
}

uint64_t vars_addr(struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys)
{
	const struct dprog_var *d = &v->prog->vars[var];
	uint64_t *ref = vars_elem_ref(v, w, var, keys), addr;

	if (!ref)
		return 0;
	if (!*ref) {
		addr = mem_new(v->mem, d->val.size);
		*ref = addr;
	} else if (d->scope == DPROG_CLAUSE && ref[1] != v->firing) {
		char *p = mem_at(v->mem, *ref, d->val.size);

		if (p)
			memset(p, 0, d->val.size);
	}
	if (d->scope == DPROG_CLAUSE)
		ref[1] = v->firing;
	return *ref;
}

/* -- which strings are held -- */

static void mark_slots(const struct vars *v, enum dprog_scope scope, const uint64_t *w)
{
	for (uint32_t i = 0; w && i < v->prog->nr_slots[scope]; i++)
		if (v->is_str[scope][i])
			str_mark(w[i]);
}

static void mark_tab(const struct dprog_var *d, const struct tab *t)
{
	for (uint32_t r = 0; r < t->nr; r++) {
		uint64_t *row = tab_row(t, r);

		for (uint32_t k = 0; d->is_assoc && k < d->nr_keys; k++)
			if (is_text(&d->keys[k]))
				str_mark(row[k]);
		if (is_text(&d->val))
			str_mark(*tab_data(t, row));
	}
}

void vars_mark(const struct vars *v)
{
	mark_slots(v, DPROG_GLOBAL, v->globals);
	mark_slots(v, DPROG_THREAD, v->no_thread);
	for (uint32_t i = 0; i < v->nr_threads; i++)
		mark_slots(v, DPROG_THREAD, v->threads[i]);
	for (uint32_t i = 0; i < v->procs.nr; i++)
		mark_slots(v, DPROG_PROC, tab_data(&v->procs, tab_row(&v->procs, i)));
	for (uint32_t i = 0; i < v->prog->nr_vars; i++)
		if (v->tabs[i].nr)
			mark_tab(&v->prog->vars[i], &v->tabs[i]);
}
