/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - one event, one line
 */
#ifndef BEAMTAP_PRINT_H
#define BEAMTAP_PRINT_H

#include <stdbool.h>
#include "event/decode.h"
#include "event/outbuf.h"
#include "event/term.h"

enum print_style {
	PRINT_TEXT,    /*     0.000123456 +1234 1_scheduler message_send sender=<0.80.0> ... */
	PRINT_FIXTURE, /* as docs/fixtures.md has it; reads back to the same records */
	PRINT_JSON,    /* an object a line */
	PRINT_DTRACE,  /* CPU ID FUNCTION:NAME arguments, as dtrace(1) prints a record */
};

enum print_time {
	PRINT_RELATIVE, /* seconds since the first record printed */
	PRINT_MONO,	/* CLOCK_MONOTONIC, as in the recording */
	PRINT_WALL,	/* time of day, from the VM's clock pair */
};

struct print_opts {
	enum print_style style;
	enum print_time time;
	unsigned int term_flags; /* TERM_* */
	bool node;		 /* with a column for the node */
	/* PRINT_DTRACE: probe's id and function; set by those who know probes */
	unsigned int (*probe)(void *ctx, const struct src_rec *rec, const char **func, const char **name);
	void *probe_ctx;
};

struct print;

/** print_new() - @s: source of the records, borrowed.  Return: owned, or NULL without memory */
struct print *print_new(const struct src *s, const struct print_opts *opts);
void print_free(struct print *p);
/** print_head() - append what stands before the first record in this style, if anything */
void print_head(struct print *p, struct outbuf *o);
/** print_rec() - append the line of a record */
void print_rec(struct print *p, struct outbuf *o, const struct src_rec *rec);
/** print_terms() - Return: the printer of terms of a VM, borrowed */
struct term_vm *print_terms(struct print *p, uint32_t vm);

#endif /* BEAMTAP_PRINT_H */
