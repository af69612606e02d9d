// SPDX-License-Identifier: Apache-2.0
/* ctx.c - what the machine asks of the event at hand: arguments, strings at addresses, built-in variables */
#include <string.h>
#include "drun/ctx.h"

void ctx_init_args(struct vm_arg (*args)[VM_NR_ARGS])
{
	for (unsigned int id = 0; id < BTAP_MAX_EVENTS; id++) {
		const struct desc *d = desc_get(id);

		for (unsigned int i = 0; i < VM_NR_ARGS; i++) {
			int f = d ? desc_arg_index(d, i) : -1;

			args[id][i].field = (int8_t)f;
			if (f < 0)
				continue;
			args[id][i].type = d->fields[f].type;
			args[id][i].pos = d->fields[f].pos;
		}
	}
}

static uint64_t slow_word(struct vm *vm, unsigned int i)
{
	const struct vm_arg *a = &vm->ev.args[i];
	struct decode_text t;
	uint64_t w;

	if (a->field < 0)
		return 0;
	if (a->type == DESC_text) {
		if (!decode_text(vm->ev.rec, vm->ev.desc, (unsigned int)a->field, &t) || !t.at)
			return 0;
		return CTX_ARG_AREA + i;
	}
	if (!decode_word(vm->ev.rec, vm->ev.desc, (unsigned int)a->field, &w))
		/* Where there is no trace token OTP's probes give 0; of other numbers it is not known. */
		w = ctx_is_string(a->type) || a->type == DESC_int ? 0 : BTAP_UNKNOWN;
	if (ctx_is_string(a->type))
		return w ? w : CTX_ARG_AREA + i;
	return ctx_number(a->type, w);
}

uint64_t ctx_arg_slow(struct vm *vm, unsigned int i)
{
	if (!vm->ev.rec)
		return i < 10 ? vm->ev.arg[i] : 0;
	if (i >= VM_NR_ARGS)
		return 0;
	return slow_word(vm, i);
}

uint64_t vm_arg_word(struct vm *vm, unsigned int i)
{
	return ctx_arg(vm, i);
}

/* String argument @i; 0 is NULL. */
static uint64_t arg_string(struct vm *vm, unsigned int i)
{
	const struct vm_arg *a = &vm->ev.args[i];
	struct decode_text t;
	struct str *s;
	uint64_t w;

	if (a->type == DESC_text) {
		if (!decode_text(vm->ev.rec, vm->ev.desc, (unsigned int)a->field, &t) || !t.at)
			return 0;
		s = str_temp_copy(&vm->pool, t.at, t.len);
	} else {
		if (!decode_word(vm->ev.rec, vm->ev.desc, (unsigned int)a->field, &w))
			w = 0;
		s = str_lazy(&vm->pool, a->type, vm->ev.who.vm, w);
	}
	if (!s)
		return vm_fail(vm, DPROG_F_NOSCRATCH, 0);
	return str_word(s);
}

uint64_t vm_arg_value(struct vm *vm, unsigned int i)
{
	const struct vm_arg *a;

	if (!vm->ev.rec || i >= VM_NR_ARGS)
		return vm_arg_word(vm, i);
	a = &vm->ev.args[i];
	if (a->field < 0)
		return 0;
	if (ctx_is_string(a->type))
		return arg_string(vm, i);
	return a->type == DESC_int ? (uint64_t)(int64_t)(int32_t)vm_arg_word(vm, i) : vm_arg_word(vm, i);
}

static bool is_arg_at(struct vm *vm, unsigned int i, uint64_t addr)
{
	const struct vm_arg *a = &vm->ev.args[i];

	return a->field >= 0 && ctx_is_string(a->type) && vm_arg_word(vm, i) == addr;
}

/* Which string argument of the event has this number?  -1: none */
static int arg_at(struct vm *vm, uint64_t addr)
{
	unsigned int last = (unsigned int)vm->last_arg;

	if (!vm->ev.rec || !addr)
		return -1;
	if (last < VM_NR_ARGS && is_arg_at(vm, last, addr))
		return (int)last;
	for (unsigned int i = 0; i < VM_NR_ARGS; i++)
		if (is_arg_at(vm, i, addr))
			return (int)i;
	return -1;
}

uint64_t vm_string_at(struct vm *vm, uint64_t addr, uint64_t max)
{
	int arg = arg_at(vm, addr);
	size_t room, n;
	const char *p;
	uint64_t s;

	if (!max || max > vm->opts.strsize - 1)
		max = vm->opts.strsize - 1;
	if (arg >= 0) {
		s = arg_string(vm, (unsigned int)arg);
		if (max == vm->opts.strsize - 1 || vm->fault)
			return s;
		p = str_text(&vm->pool, str_of(s), &n);
		return n > max ? vm_new_text(vm, p, max) : s;
	}
	room = mem_room(&vm->mem, addr);
	if (!room)
		return vm_fail(vm, DPROG_F_BADADDR, addr);
	p = mem_at(&vm->mem, addr, 0);
	return vm_new_text(vm, p, strnlen(p, room < max ? room : max));
}

const char *ctx_bytes_at(struct vm *vm, uint64_t addr, size_t *room)
{
	int arg = arg_at(vm, addr);

	if (arg >= 0) {
		const char *p = str_text(&vm->pool, str_of(arg_string(vm, (unsigned int)arg)), room);

		return p;
	}
	*room = mem_room(&vm->mem, addr);
	return *room ? mem_at(&vm->mem, addr, 0) : NULL;
}

uint64_t vm_new_text(struct vm *vm, const char *text, size_t len)
{
	struct str *s;

	if (len >= vm->opts.strsize)
		len = vm->opts.strsize - 1;
	s = str_temp_copy(&vm->pool, text, len);
	return s ? str_word(s) : vm_fail(vm, DPROG_F_NOSCRATCH, len);
}

static uint64_t name(struct vm *vm, const char *text)
{
	return str_word(str_intern_text(&vm->pool, text, strlen(text)));
}

/* A probe's name: made once, for scripts like to count by it. */
static uint64_t probe_name(struct vm *vm, unsigned int i, const char *text)
{
	uint64_t *names = vm->ev.probe->names;

	if (!names)
		return name(vm, text);
	if (!names[i]) {
		names[i] = name(vm, text);
		if (names[i])
			str_of(names[i])->flags |= STR_PINNED;
	}
	return names[i];
}

uint64_t vm_bvar(struct vm *vm, enum dprog_bvar id)
{
	const struct vm_probe *p = vm->ev.probe;

	switch (id) {
	case DPROG_V_TIMESTAMP:
		return vm->ev.ts;
	case DPROG_V_WALLTIMESTAMP:
		return vm->ev.ts + (vm->env.epoch_offset ? vm->env.epoch_offset(vm->env.ctx, vm->ev.who.vm) : 0);
	case DPROG_V_ID:
		return p->id;
	case DPROG_V_EPID:
		return (uint64_t)p->id << 32 | vm->clause;
	case DPROG_V_PROBEPROV:
		return probe_name(vm, 0, p->prov);
	case DPROG_V_PROBEMOD:
		return probe_name(vm, 1, p->mod);
	case DPROG_V_PROBEFUNC:
		return probe_name(vm, 2, p->func);
	case DPROG_V_PROBENAME:
		return probe_name(vm, 3, p->name);
	case DPROG_V_CPU:
		return vm->ev.cpu;
	case DPROG_V_ZONENAME:
		return name(vm, "global");
	default:
		return vm->env.bvar ? vm->env.bvar(vm->env.ctx, vm, id) : 0;
	}
}
