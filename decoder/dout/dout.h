/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dout.h - the state of a script's output
 *
 * Layout of the folder: dout.c takes a record and does its actions in order,
 * with line.c (heads), trace.c, object.c (values), fmt.c (formats), printa.c and aggsort.c
 * (aggregations) and hist.c (distributions).
 */
#ifndef BEAMTAP_DOUT_H
#define BEAMTAP_DOUT_H

#include <stdio.h>
#include "dout/flow.h"
#include "drun/run.h"
#include "event/outbuf.h"

struct dout_opts {
	bool quiet, flowindent;
	bool testing;	 /* _DTRACE_TESTING=t: heads without CPU and id */
	bool raw_bytes;	 /* never guess that bytes are text */
	bool no_data;	 /* -B: print nothing */
	uint32_t stack_indent;
	uint32_t agg_sort_pos, agg_sort_key_pos;
	bool agg_sort_key, agg_sort_rev;
	bool agg_hist, agg_pack, agg_zoom;
	uint32_t strsize;
	bool destructive;
};
#define DOUT_OPTS_INIT { .stack_indent = 14, .strsize = DPROG_STRSIZE }

struct dout {
	struct outbuf buf;
	struct dout_opts opts;
	struct run *run; /* borrowed: its program, strings and aggregations */
	bool is_headed;	 /* the heading has been printed */
	struct flow flow; /* -F: open calls */
	uint64_t firing; /* -F: of the last record, from 1; 0: there was none */
	int fd;		 /* of standard output, or the -o file */
	int other_fd;	 /* of freopen(), or -1 */
	/* options that setopt() may change.  Return: NULL, or why not */
	const char *(*set_option)(void *ctx, const char *name, const char *value);
	void *ctx;
};

/** dout_init() - output to @fd, borrowed.  Return: 0 or -ENOMEM */
int dout_init(struct dout *o, int fd, const struct dout_opts *opts);
void dout_fini(struct dout *o);
/** dout_record() - print a record; for struct run_sink */
void dout_record(void *ctx, const struct vm_record *r);
/** dout_flush() - write out what there is; for struct run_sink */
void dout_flush(void *ctx);
/** dout_interrupted() - the newline that a signal is answered with */
void dout_interrupted(void *ctx);
/** dout_end() - the empty line, and the aggregations that the script has not printed itself */
void dout_end(struct dout *o);

#endif /* BEAMTAP_DOUT_H */
