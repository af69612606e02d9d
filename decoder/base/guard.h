/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - survive a file that is truncated while it is mapped
 *
 * Touching a page behind the end of a mapped file is SIGBUS.  Code that reads such
 * memory runs inside a guard:
 *
 *	struct guard g;
 *	guard_begin(&g, base, len);
 *	if (guard_faulted(&g))
 *		return diag_fail(d, -EIO, "the file was cut while it was read");
 *	... read; no allocation, no lock, nothing that must be undone ...
 *	guard_end(&g);
 *
 * Guards nest, each thread has its own.  A SIGBUS elsewhere goes where it went
 * before.  What is changed between begin and a fault must not live in registers
 * of the function that calls guard_faulted(): call a function for the work.
 */
#ifndef BEAMTAP_GUARD_H
#define BEAMTAP_GUARD_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct guard {
	sigjmp_buf env;
	uintptr_t lo, hi;
	struct guard *outer;
};

/** guard_install() - install the handler, if it is not ours; the first guard_begin() does it */
void guard_install(void);
/** guard_begin() - faults in [base, base + len) now come to @g.  Installs the handler once */
void guard_begin(struct guard *g, const void *base, size_t len);
/** guard_end() - the work is done; not after a fault */
void guard_end(struct guard *g);
/* Must be a macro: the frame that sets the jump has to be there when it is taken. */
#define guard_faulted(g) (sigsetjmp((g)->env, 0) != 0)

#endif /* BEAMTAP_GUARD_H */
