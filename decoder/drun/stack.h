/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - the frames of stack(), ustack() and jstack()
 *
 * Erlang frames are functions, innermost first.  An event may carry them
 * (struct vm_event, frames); of one that does not, the only frame known is the
 * function that the process on its thread was last seen in, as efunc says it.
 * Frames of C functions, of the emulator or the kernel, no event carries.
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

#endif /* BEAMTAP_DRUN_STACK_H */
