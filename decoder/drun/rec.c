// SPDX-License-Identifier: Apache-2.0
/* rec.c - actions and the records they make */
#include <stdlib.h>
#include <string.h>
#include "drun/ctx.h"
#include "drun/rec.h"
#include "drun/spec.h"

#define MAX_RECORD_WORDS (1u << 22)

static uint64_t *room(struct vm *vm, uint64_t nr)
{
	uint64_t *p;

	if (vm->rec_cap - vm->rec_used < nr) {
		uint64_t cap = vm->rec_cap ? vm->rec_cap * 2 : 256;

		while (cap - vm->rec_used < nr && cap < MAX_RECORD_WORDS)
			cap *= 2;
		p = cap - vm->rec_used < nr ? NULL : realloc(vm->rec, cap * sizeof(*p));
		if (!p) {
			vm_fail(vm, DPROG_F_NOSCRATCH, nr * 8);
			return NULL;
		}
		vm->rec = p;
		vm->rec_cap = (uint32_t)cap;
	}
	p = vm->rec + vm->rec_used;
	vm->rec_used += (uint32_t)nr;
	return p;
}

static uint64_t words_of(uint64_t bytes)
{
	return bytes / 8 + (bytes % 8 != 0);
}

/* Bytes at an address of the script, in whole words. */
static void put_bytes(struct vm *vm, uint64_t addr, uint64_t size)
{
	const char *p = mem_at(&vm->mem, addr, size);
	uint64_t *w, nr = words_of(size);

	if (!p) {
		vm_fail(vm, DPROG_F_BADADDR, addr);
		return;
	}
	w = room(vm, nr);
	if (!w || !nr)
		return;
	w[nr - 1] = 0;
	memcpy(w, p, size);
}

static void put_memory(struct vm *vm, const struct dprog_action *act, const uint64_t *values)
{
	uint64_t size = act->size, shown, have = act->size ? 1 : 2, *w;
	const char *p;
	size_t left;

	if (!act->size)
		size = values[1];
	shown = act->nr_values > have ? values[have] : size;
	if (shown > size)
		shown = size;
	if (size > MAX_RECORD_WORDS) {
		vm_fail(vm, DPROG_F_BADSIZE, size);
		return;
	}
	p = ctx_bytes_at(vm, values[0], &left);
	if (!p || left < size) {
		vm_fail(vm, DPROG_F_BADADDR, values[0]);
		return;
	}
	w = room(vm, 2 + words_of(size));
	if (!w)
		return;
	w[0] = size;
	w[1] = shown;
	if (size) {
		w[1 + words_of(size)] = 0;
		memcpy(w + 2, p, size);
	}
}

/*
 * NULL from a function (strchr() that found nothing) is an address that cannot
 * be printed; a variable that was never set prints as nothing.  Only the code
 * can tell them apart.
 */
static bool is_result(const struct vm *vm, unsigned int reg)
{
	const struct dprog_insn *first = &vm->prog->code[vm->prog->clauses[vm->clause].start];

	for (const struct dprog_insn *in = vm->at; in-- > first;)
		if (in->a == reg && in->op != DPROG_OP_ACT && in->op != DPROG_OP_AGG)
			return in->op == DPROG_OP_CALL;
	return false;
}

static void put_values(struct vm *vm, const struct dprog_action *act, const uint64_t *values)
{
	for (unsigned int i = 0; i < act->nr_values && !vm->fault; i++) {
		const struct dprog_val *v = &act->values[i];
		uint64_t *w;

		if (v->kind == DPROG_BYTES) {
			put_bytes(vm, values[i], v->size);
			continue;
		}
		if (v->kind == DPROG_STR && !values[i] && is_result(vm, vm->at->a + i)) {
			vm_fail(vm, DPROG_F_BADADDR, 0);
			return;
		}
		w = room(vm, 1);
		if (w)
			*w = values[i];
	}
}

static void record(struct vm *vm, uint32_t action, const uint64_t *values)
{
	const struct dprog_action *act = &vm->prog->actions[action];
	uint64_t *w = room(vm, 1);

	if (!w)
		return;
	*w = action;
	switch (act->kind) {
	case DPROG_ACT_TRACEMEM:
		put_memory(vm, act, values);
		break;
	case DPROG_ACT_PRINT:
		w = room(vm, 1);
		if (!w)
			return;
		*w = values[0];
		put_bytes(vm, values[0], act->type ? act->type->size : 0);
		break;
	default:
		put_values(vm, act, values);
	}
}

void rec_act(struct vm *vm, uint32_t action, uint64_t *values)
{
	const struct dprog_action *act = &vm->prog->actions[action];

	switch (act->kind) {
	case DPROG_ACT_SPECULATE:
		vm->speculating = spec_live(vm->spec, values[0]);
		vm->is_void = !vm->speculating;
		return;
	case DPROG_ACT_COMMIT:
	case DPROG_ACT_DISCARD:
		spec_end(vm, values[0], act->kind == DPROG_ACT_COMMIT);
		return;
	case DPROG_ACT_EXIT:
		vm->is_over = true;
		vm->status = (int32_t)values[0];
		return;
	case DPROG_ACT_RAISE:
	case DPROG_ACT_STOP:
		if (vm->env.destroy)
			vm->env.destroy(vm->env.ctx, vm, act, act->nr_values ? values[0] : 0);
		return;
	default:
		record(vm, action, values);
	}
}

uint32_t rec_words(const struct dprog *prog, const uint64_t *at)
{
	const struct dprog_action *act = &prog->actions[at[0]];
	uint64_t nr = 1;

	if (act->kind == DPROG_ACT_TRACEMEM)
		return (uint32_t)(3 + words_of(at[1]));
	if (act->kind == DPROG_ACT_PRINT)
		return (uint32_t)(2 + words_of(act->type ? act->type->size : 0));
	for (unsigned int i = 0; i < act->nr_values; i++)
		nr += act->values[i].kind == DPROG_BYTES ? words_of(act->values[i].size) : 1;
	return (uint32_t)nr;
}

/* Calls @fn for each word of a record that is a string. */
static void each_string(const struct dprog *prog, uint64_t *words, uint32_t nr,
			void (*fn)(struct vm *vm, uint64_t *w), struct vm *vm)
{
	for (uint32_t at = 0; at < nr; at += rec_words(prog, &words[at])) {
		const struct dprog_action *act = &prog->actions[words[at]];
		uint64_t *w = &words[at + 1];

		if (act->kind == DPROG_ACT_TRACEMEM || act->kind == DPROG_ACT_PRINT)
			continue;
		for (unsigned int i = 0; i < act->nr_values; i++) {
			const struct dprog_val *v = &act->values[i];

			if (v->kind == DPROG_STR || v->kind == DPROG_STACK)
				fn(vm, w);
			w += v->kind == DPROG_BYTES ? words_of(v->size) : 1;
		}
	}
}

static void keep_word(struct vm *vm, uint64_t *w)
{
	*w = vm_keep(vm, *w);
}

static void mark_word(struct vm *vm, uint64_t *w)
{
	str_mark(*w);
}

void rec_keep(struct vm *vm, uint64_t *words, uint32_t nr)
{
	each_string(vm->prog, words, nr, keep_word, vm);
}

void rec_mark(const struct dprog *prog, const uint64_t *words, uint32_t nr)
{
	each_string(prog, (uint64_t *)(uintptr_t)words, nr, mark_word, NULL);
}

/* dtrace(1): 12 bytes of head; data aligned to their size; strings take strsize and 4 bytes of length. */
size_t rec_size(const struct dprog *prog, uint32_t clause, uint32_t strsize)
{
	const struct dprog_clause *c = &prog->clauses[clause];
	size_t size = 12;

	for (uint32_t pc = c->start; pc < c->end; pc++) {
		const struct dprog_action *act;

		if (prog->code[pc].op != DPROG_OP_ACT)
			continue;
		act = &prog->actions[prog->code[pc].imm];
		if (act->kind == DPROG_ACT_EXIT)
			size += 4;
		if (act->kind == DPROG_ACT_TRACEMEM)
			size += act->size;
		for (unsigned int i = 0; i < act->nr_values; i++)
			size += act->values[i].kind == DPROG_STR ? strsize + 4 : act->values[i].size;
	}
	return size;
}
