/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diag.h - what went wrong: a chain of causes, the outermost first
 *
 * A function that fails returns a negative errno and adds the one cause it
 * knows; its caller adds the context it knows.  The command prints the chain:
 *
 *	beamtap: cannot read recording a
 *	beamtap:   because packet 17 of stream 2 at offset 65536 is damaged: ...
 *
 * All functions take a NULL struct diag: then nothing is kept.
 */
#ifndef BEAMTAP_DIAG_H
#define BEAMTAP_DIAG_H

#include <stdarg.h>
#include <stdio.h>

#define DIAG_MAX_CAUSES 8
#define DIAG_TEXT_MAX	400

struct diag {
	unsigned int nr; /* causes; the innermost was added first */
	char text[DIAG_MAX_CAUSES][DIAG_TEXT_MAX];
};

#define DIAG_INIT { 0 }

/**
 * diag_fail() - add a cause
 * @d:   chain, or NULL
 * @err: negative errno
 * @fmt: printf format of one sentence without full stop or newline
 *
 * When the chain is full the newest cause replaces the last one.
 * Return: @err, so that `return diag_fail(...)` reads well.
 */
int diag_fail(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int diag_vfail(struct diag *d, int err, const char *fmt, va_list ap);

/** diag_clear() - forget all causes */
void diag_clear(struct diag *d);

/**
 * diag_print() - write the chain, outermost cause first, as lines that begin with @prog
 */
void diag_print(const struct diag *d, FILE *f, const char *prog);

#endif /* BEAMTAP_DIAG_H */
