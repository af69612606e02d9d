/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctx.h - what the machine asks of the event at hand
 */
#ifndef BEAMTAP_CTX_H
#define BEAMTAP_CTX_H

#include "drun/vm.h"

/** ctx_init_args() - where each event's arguments are, from the catalogue */
void ctx_init_args(struct vm_arg (*args)[VM_NR_ARGS]);

/**
 * ctx_bytes_at() - bytes at an address that is an event's string argument or the script's memory
 * @room: out: how many there are
 * Return: borrowed until the end of the clause, or NULL when there is nothing
 */
const char *ctx_bytes_at(struct vm *vm, uint64_t addr, size_t *room);

#endif /* BEAMTAP_CTX_H */
