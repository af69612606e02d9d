// SPDX-License-Identifier: Apache-2.0
/* vm_init.c - setting up a machine, taking it down, and keeping its strings few */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "drun/ctx.h"
#include "drun/spec.h"

static int init_aggs(struct vm *vm, struct diag *d)
{
	const struct dprog *prog = vm->prog;

	vm->aggs = calloc(prog->nr_aggs + 1, sizeof(*vm->aggs));
	vm->agg_texts = calloc(prog->nr_aggs + 1, sizeof(*vm->agg_texts));
	if (!vm->aggs || !vm->agg_texts)
		return diag_fail(d, -ENOMEM, "no memory for aggregations");
	for (uint32_t i = 0; i < prog->nr_aggs; i++) {
		const struct dprog_agg *def = &prog->aggs[i];

		if (agg_init(&vm->aggs[i], def))
			return diag_fail(d, -EINVAL, "the distribution of @%s has too many buckets", def->name);
		for (uint32_t k = 0; k < def->nr_keys; k++)
			if (def->keys[k].kind == DPROG_STR || def->keys[k].kind == DPROG_STACK)
				vm->agg_texts[i] = true;
	}
	if (vm->opts.show_copies && vm_show_copies(vm, true))
		return diag_fail(d, -ENOMEM, "no memory for copies of aggregations");
	return 0;
}

static int init_strings(struct vm *vm, struct diag *d)
{
	const struct dprog *prog = vm->prog;

	vm->str_consts = calloc(prog->nr_strs + 1, sizeof(*vm->str_consts));
	if (!vm->str_consts)
		return diag_fail(d, -ENOMEM, "no memory for strings");
	for (uint32_t i = 0; i < prog->nr_strs; i++) {
		size_t len = strnlen(prog->strs[i].text, prog->strs[i].len);

		if (len >= vm->opts.strsize)
			len = vm->opts.strsize - 1;
		vm->str_consts[i] = str_word(str_intern_text(&vm->pool, prog->strs[i].text, len));
	}
	return 0;
}

int vm_init(struct vm *vm, const struct dprog *prog, const struct vm_opts *opts, const struct vm_env *env,
	    str_resolve_fn *resolve, struct diag *d)
{
	const char *why;
	int r;

	memset(vm, 0, sizeof(*vm));
	vm->opts = *opts;
	vm->env = *env;
	vm->prog = prog;
	vm->seed = (uint64_t)(uintptr_t)vm;
	vm->agg_budget.size = opts->aggsize;
	if (opts->strsize < 1)
		return diag_fail(d, -EINVAL, "strsize must be at least 1");
	if (!prog_check(prog, &why))
		return diag_fail(d, -EINVAL, "the compiled program is not sound: %s", why);
	vm->args = calloc(BTAP_MAX_EVENTS, sizeof(*vm->args));
	vm->spec = spec_new(opts->nspec, opts->specsize);
	if (!vm->args || !vm->spec || str_pool_init(&vm->pool, resolve, env->ctx) ||
	    mem_init(&vm->mem, opts->scratch_size) ||
	    vars_init(&vm->vars, prog, &vm->mem, opts->dynvarsize)) {
		r = diag_fail(d, -ENOMEM, "no memory for the machine");
		goto fini;
	}
	ctx_init_args(vm->args);
	r = init_aggs(vm, d);
	if (!r)
		r = init_strings(vm, d);
	if (!r)
		return 0;
fini:
	vm_fini(vm);
	return r;
}

void vm_fini(struct vm *vm)
{
	for (uint32_t i = 0; vm->aggs && i < vm->prog->nr_aggs; i++)
		agg_fini(&vm->aggs[i]);
	vm_show_copies(vm, false);
	free(vm->aggs);
	free(vm->agg_texts);
	free(vm->str_consts);
	spec_free(vm->spec);
	if (vm->vars.prog)
		vars_fini(&vm->vars);
	mem_fini(&vm->mem);
	str_pool_fini(&vm->pool);
	free(vm->args);
	free(vm->rec);
	memset(vm, 0, sizeof(*vm));
}

int vm_show_copies(struct vm *vm, bool on)
{
	struct agg *shown;
	uint32_t i;

	vm->opts.show_copies = on;
	if (on == (vm->shown != NULL))
		return 0;
	if (!on) {
		for (i = 0; i < vm->prog->nr_aggs; i++)
			agg_fini(&vm->shown[i]);
		free(vm->shown);
		vm->shown = NULL;
		return 0;
	}
	shown = calloc(vm->prog->nr_aggs + 1, sizeof(*shown));
	for (i = 0; shown && i < vm->prog->nr_aggs; i++)
		if (agg_init(&shown[i], &vm->prog->aggs[i]))
			break;
	if (!shown || i < vm->prog->nr_aggs) {
		while (shown && i--)
			agg_fini(&shown[i]);
		free(shown);
		vm->opts.show_copies = false;
		return -ENOMEM;
	}
	vm->shown = shown;
	vm_show(vm);
	return 0;
}

void vm_show(struct vm *vm)
{
	for (uint32_t i = 0; vm->shown && i < vm->prog->nr_aggs; i++)
		tab_copy(&vm->shown[i].tab, &vm->aggs[i].tab);
}

static void mark_agg(const struct agg *a)
{
	for (uint32_t r = 0; r < a->tab.nr; r++) {
		const uint64_t *row = tab_row(&a->tab, r);

		for (uint32_t k = 0; k < a->def->nr_keys; k++)
			if (a->def->keys[k].kind == DPROG_STR || a->def->keys[k].kind == DPROG_STACK)
				str_mark(row[k]);
	}
}

void vm_tidy(struct vm *vm)
{
	if (!str_wants_sweep(&vm->pool))
		return;
	for (uint32_t i = 0; i < vm->prog->nr_strs; i++)
		str_mark(vm->str_consts[i]);
	for (uint32_t i = 0; i < vm->prog->nr_aggs; i++)
		if (vm->agg_texts[i]) {
			mark_agg(&vm->aggs[i]);
			if (vm->shown)
				mark_agg(&vm->shown[i]);
		}
	vars_mark(&vm->vars);
	spec_mark(vm->spec, vm->prog);
	str_mark(vm->strtok_rest);
	str_sweep(&vm->pool);
}

void vm_fault_text(enum dprog_fault fault, uint64_t value, char *buf, size_t size)
{
	switch (fault) {
	case DPROG_F_BADADDR:
		snprintf(buf, size, "invalid address (0x%llx)", (unsigned long long)mem_shown(value));
		return;
	case DPROG_F_BADALIGN:
		snprintf(buf, size, "invalid alignment (0x%llx)", (unsigned long long)mem_shown(value));
		return;
	case DPROG_F_DIVZERO:
		snprintf(buf, size, "divide-by-zero");
		return;
	case DPROG_F_NOSCRATCH:
		snprintf(buf, size, "out of scratch space");
		return;
	case DPROG_F_BADSIZE:
		snprintf(buf, size, "invalid size (0x%llx)", (unsigned long long)value);
		return;
	case DPROG_F_BADINDEX:
		snprintf(buf, size, "index out of bounds (%lld)", (long long)value);
		return;
	case DPROG_F_BADSTACK:
		snprintf(buf, size, "bad stack");
		return;
	case DPROG_F_TUPOFLOW:
		snprintf(buf, size, "invalid tuple stack");
		return;
	case DPROG_F_KPRIV:
	case DPROG_F_UPRIV:
		snprintf(buf, size, "invalid %s access", fault == DPROG_F_KPRIV ? "kernel" : "user");
		return;
	case DPROG_F_ILLOP:
		snprintf(buf, size, "illegal operation");
		return;
	case DPROG_F_LIBRARY:
	case DPROG_F_NONE:
		break;
	}
	snprintf(buf, size, "library-level fault");
}
