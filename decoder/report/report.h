/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - what happened in a recording, as text for someone who runs the node
 *
 * One pass over a source, then one section of text after the other.  What is
 * kept is bounded and does not grow with the length of the recording.
 */
#ifndef BEAMTAP_REPORT_H
#define BEAMTAP_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"
#include "source/src.h"

struct report_opts {
	unsigned int top;     /* rows of a table; 0: 10 */
	const char *sections; /* names with commas; NULL: all; the head always comes */
	bool elixir;	      /* names of modules as Elixir writes them */
	bool redact;	      /* of reasons and texts only their sizes */
	/* times since a node's first event: what is before and after is not counted */
	uint64_t from_ns;
	uint64_t to_ns;	    /* UINT64_MAX: to the end */
	uint32_t max_procs; /* processes and ports kept at a time; 0: 262144 */
	uint32_t max_pairs; /* pairs of sender and receiver kept at a time; 0: 262144 */
};

/* clang-format off */
#define REPORT_OPTS_INIT { .to_ns = UINT64_MAX }
/* clang-format on */

/**
 * report_run() - read a source to its end and write the report
 * @s:   open source, borrowed
 * @o:   options
 * @out: where to
 * @d:   out: causes are appended when the result is negative
 *
 * When the source ends by an error (a damaged recording), what could be read is
 * reported all the same, and says so, and the error is returned.
 * Return: 0, -EINVAL for a section that does not exist, -ENOMEM, or the source's error.
 */
int report_run(struct src *s, const struct report_opts *o, FILE *out, struct diag *d);

/** report_sections() - Return: the names of all sections, with blanks between them */
const char *report_sections(void);

#endif /* BEAMTAP_REPORT_H */
