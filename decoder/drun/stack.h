/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - the frames of stack(), ustack() and jstack()
 *
 * Erlang frames are functions with the line they are in, innermost first.  A VM with
 * hooks writes them before the event, where a reader asked for them (`stack` of the
 * catalogue); they are kept until the event comes, and belong to no other.  Of an
 * event that brings none, the only frame known is the function that the process on
 * its thread was last seen in, as efunc says it; jstack() gives that.  Frames of C
 * functions, of the emulator or the kernel, no event carries.
 */
#ifndef BEAMTAP_DRUN_STACK_H
#define BEAMTAP_DRUN_STACK_H

#include "drun/run.h"

#define STACK_MAX_FRAMES 1024

/**
 * stack_text() - what a stack function gives; see struct vm_env
 * @ctx:    the run
 * @frames: at most so many; 0: as many as the option says
 *
 * Return: interned string, a line a frame; 0: no frame is known.
 */
uint64_t stack_text(void *ctx, struct vm *vm, enum dprog_stack kind, uint32_t frames);

/** stack_keep() - a `stack` record: its event is to come */
void stack_keep(struct run *r, const struct src_rec *rec);
/** stack_take() - r->vm.ev gets the frames that were kept for the event in @rec, or none */
void stack_take(struct run *r, const struct src_rec *rec);
/** stack_forget() - the thread's next event is lost */
void stack_forget(struct run *r, uint32_t thread);
void stack_fini(struct run *r);

#endif /* BEAMTAP_DRUN_STACK_H */
