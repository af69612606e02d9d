/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctx.h - what the machine asks of the event at hand
 */
#ifndef BEAMTAP_CTX_H
#define BEAMTAP_CTX_H

#include "drun/vm.h"

/*
 * A string argument that has no number of its own (text in the record, or a
 * value the VM did not know) is addressed by its position.
 */
#define CTX_ARG_AREA 0x7fd2000000000000ULL

static inline bool ctx_is_string(unsigned int type)
{
	return type < DESC_words;
}

/*
 * A number that the VM did not know: -1 where D's type has a sign, as OTP's own probes
 * say it; 0 for identities and bits, none of which is 0.
 */
static inline uint64_t ctx_unknown(unsigned int type)
{
	return type <= DESC_int ? (uint64_t)-1 : 0;
}

static inline uint64_t ctx_number(unsigned int type, uint64_t w)
{
	return w == BTAP_UNKNOWN ? ctx_unknown(type) : w;
}

uint64_t ctx_arg_slow(struct vm *vm, unsigned int i);

/** ctx_arg() - arg<i>: the machine's most frequent question */
static inline uint64_t ctx_arg(struct vm *vm, unsigned int i)
{
	const struct src_rec *rec = vm->ev.rec;
	const struct vm_arg *a;

	vm->last_arg = (int)i;
	if (!rec) /* and no args */
		return ctx_arg_slow(vm, i);
	a = &vm->ev.args[i & (VM_NR_ARGS - 1)];
	if (i < VM_NR_ARGS && a->pos && a->pos < rec->nr_words && a->type != DESC_text) {
		uint64_t w = rec->words[a->pos];

		if (ctx_is_string(a->type))
			return w ? w : CTX_ARG_AREA + i;
		return ctx_number(a->type, w);
	}
	return ctx_arg_slow(vm, i);
}

/** ctx_init_args() - where each event's arguments are, from the catalogue */
void ctx_init_args(struct vm_arg (*args)[VM_NR_ARGS]);

/**
 * ctx_bytes_at() - bytes at an address that is an event's string argument or the script's memory
 * @room: out: how many there are
 * Return: borrowed until the end of the clause, or NULL when there is nothing
 */
const char *ctx_bytes_at(struct vm *vm, uint64_t addr, size_t *room);

#endif /* BEAMTAP_CTX_H */
