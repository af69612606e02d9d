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
	PRINT_TEXT,    /* time, thread, event, then field=value ..., in columns for people */
	PRINT_FIXTURE, /* as docs/fixtures.md has it; reads back to the same records */
	PRINT_JSON,    /* an object a line */
	PRINT_DTRACE,  /* CPU ID FUNCTION:NAME arguments, as dtrace(1) prints a record */
};

enum print_time {
	PRINT_RELATIVE, /* seconds since the first record printed */
	PRINT_DELTA,	/* seconds since the line before */
	PRINT_MONO,	/* CLOCK_MONOTONIC, as in the recording */
	PRINT_WALL,	/* time of day here, from the VM's clocks */
};

/* What dtrace(1) says of the probe that a record fires. */
struct print_probe {
	unsigned int id;
	const char *func, *name;
};

struct print_opts {
	enum print_style style;
	enum print_time time;	 /* PRINT_TEXT */
	unsigned int term_flags; /* TERM_*; not for PRINT_FIXTURE */
	bool node;		 /* with the node's name */
	bool redact;		 /* of texts that users' data may be in, only the size */
	bool names;		 /* PRINT_TEXT: registered names behind pids: <0.44.0>(code_server) */
	/* PRINT_DTRACE: asked for each record but lost ones; its texts are borrowed until the next call */
	void (*probe)(void *ctx, const struct src_rec *rec, struct print_probe *probe);
	void *probe_ctx;
};

struct print;

/** print_new() - @s: source of the records, borrowed.  Return: owned, or NULL without memory */
struct print *print_new(const struct src *s, const struct print_opts *opts);
void print_free(struct print *p);
/** print_head() - append what stands before the first record in this style, if anything */
void print_head(struct print *p, struct outbuf *o);
/** print_start() - PRINT_RELATIVE counts from here on, not from the first record printed */
void print_start(struct print *p, uint64_t ns);
/** print_see() - learn names from a record that is not printed; needed with print_opts.names alone */
void print_see(struct print *p, const struct src_rec *rec);
/** print_rec() - append the line of a record */
void print_rec(struct print *p, struct outbuf *o, const struct src_rec *rec);
/** print_terms() - Return: the printer of terms of a VM, borrowed */
struct term_vm *print_terms(struct print *p, uint32_t vm);

#endif /* BEAMTAP_PRINT_H */
