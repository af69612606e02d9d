/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a program over events: enabling, firing, timers, the end
 *
 *	run_init(&run, ...);
 *	run_enable(&run, d);       which clauses each probe has
 *	run_loop(&run, d);         BEGIN, events and ticks in order of time, END
 *	run_fini(&run);
 *
 * Over a recording, time is that of the events: BEGIN fires at the time of the
 * first one, ticks between those before and behind them.  Live, time is that of
 * the clock; ticks fire when the events up to their time have been seen.
 */
#ifndef BEAMTAP_RUN_H
#define BEAMTAP_RUN_H

#include <signal.h>
#include "drun/probes.h"
#include "drun/vm.h"
#include "event/term.h"

/* Who takes what a program leaves. */
struct run_sink {
	void *ctx;
	/* a record, in order */
	void (*record)(void *ctx, const struct vm_record *r);
	/* a message for standard error, without "dtrace: "; @tag: of a drop, or NULL */
	void (*message)(void *ctx, const char *tag, const char *text);
	/* the time has come to show what there is (switchrate); live only.  May be NULL */
	void (*flush)(void *ctx);
	/* the run was interrupted by a signal.  May be NULL */
	void (*interrupted)(void *ctx);
};

struct run_opts {
	struct vm_opts vm;
	uint64_t switch_ns; /* between two flushes, live */
	uint64_t agg_ns;    /* between two copies of aggregations for printa(), live; 0: it shows what is */
	uint64_t status_ns; /* between two looks for drops, live */
	uint32_t stack_frames, ustack_frames, jstack_frames; /* of stacks whose depth the script does not say */
	uint64_t now_ns;    /* time of BEGIN where no event says it; 0: the clock's */
	const volatile sig_atomic_t *stop; /* not 0: end; may be NULL */
	/* live: asked some times a second.  Return: all that was traced has ended.  NULL: never */
	bool (*is_ended)(void *ctx);
	void *ctx;
	bool is_flow; /* -F: records say whose calls begin and end, and which is the last of a firing */
	bool no_fast; /* let the machine do all: for tests, and to see what it costs */
	bool is_live; /* @src is a running VM, or there is none */
	/* live: ask the source for what the clauses need.  NULL: there is nothing to ask */
	int (*want)(void *ctx, const struct src_want *want, struct diag *d);
};

#define RUN_SLOTS (BTAP_LOST_EVENT + 1) /* every number that a record's head can hold */

struct run_timer;
struct eproc;
struct bvar_ids;

struct run {
	const struct dprog *prog;
	struct vm vm;
	struct probes *probes; /* borrowed */
	struct src *src;       /* borrowed; NULL: no events */
	struct run_opts opts;
	struct run_sink sink;
	struct vm_probe **slots; /* by vm * RUN_SLOTS + event: see run.c */
	struct vm_probe ask_first, ask_always, only_track; /* markers */
	struct vm_probe *begin, *end, *error;  /* NULL: no clauses */
	struct run_timer *timers;
	uint32_t nr_timers;
	uint64_t next_ns; /* of the timer that is due first */
	uint64_t now_ns;  /* of the event at hand */
	uint64_t flush_ns, look_ns, show_ns; /* live: when output, drops and copies of aggregations are due */
	bool in_error;
	bool wants_events; /* live: the source was asked for some */
	struct term_vm *terms; /* by VM */
	uint32_t nr_terms;
	struct bvar_ids *ids; /* by VM: whose process it is; NULL: never asked */
	struct outbuf term_buf;
	struct eproc *eproc; /* who runs where; NULL: nobody asks */
	struct vm_probe keep_stack; /* a marker, too */
	struct stack_kept **stacks; /* by thread: stack.c */
	uint32_t nr_stacks;
	bool wants_stacks; /* some clause looks at the stacks that events bring with them */
	uint8_t track[BTAP_MAX_EVENTS]; /* events that eproc wants: enum eproc_when */
	uint64_t told[4]; /* drops told so far */
	uint64_t fired; /* probes, for -v and benches */
	struct vm_record held; /* sink.c: waits for the next; its words are held_words */
	uint64_t *held_words;
	uint32_t held_cap;
	bool is_held;
};

/**
 * run_init() - set up a run
 * @prog, @probes, @src: borrowed; @src may be NULL
 *
 * Return: 0 or what vm_init() returns.
 */
int run_init(struct run *r, const struct dprog *prog, struct probes *probes, struct src *src,
	     const struct run_opts *opts, const struct run_sink *sink, struct diag *d);
void run_fini(struct run *r);

/** run_matched() - how many probes the descriptions of a unit match, each clause counted */
unsigned int run_matched(struct run *r, uint32_t unit);
/**
 * run_enable() - find the probes of all clauses; live: ask for their events
 * Return: 0, -EPERM: destructive and not allowed, or another -errno of the source
 */
int run_enable(struct run *r, struct diag *d);
/**
 * run_loop() - BEGIN, all events, END
 * Return: 0, or a negative errno of the source; what could be read has been used.
 * The status that exit() gave is r->vm.status.
 */
int run_loop(struct run *r, struct diag *d);

/**
 * run_rates() - set switch_ns and agg_ns while the loop runs, for setopt(); their times begin anew
 * Return: 0 or -ENOMEM
 */
int run_rates(struct run *r, uint64_t switch_ns, uint64_t agg_ns);

/** run_probe() - the machine's probe for one of the registry, made when first asked for; NULL: no clauses */
struct vm_probe *run_probe(struct run *r, struct provider_probe *p);

/* Between the files of the run loop. */
/** run_fire() - run the clauses of a probe; r->vm.ev has been filled in, but for its probe */
void run_fire(struct run *r, const struct vm_probe *probe);
/** run_own() - fire BEGIN, END or a timer: an event without record */
void run_own(struct run *r, const struct vm_probe *probe, uint64_t ts, uint32_t thread, uint64_t arg0);

/* sink.c */
/** sink_record() - hand on the record that the machine has made, of the event and clause at hand */
void sink_record(struct run *r, const struct vm_probe *probe);
/** sink_release() - hand on a record that waits; @is_more: the next is of the same firing */
void sink_release(struct run *r, bool is_more);

/* timer.c */
int timer_add(struct run *r, struct vm_probe *probe, uint64_t period_ns, bool is_profile);
/** timer_start() - all periods begin now */
void timer_start(struct run *r, uint64_t now_ns);
/** timer_run() - fire what is due up to a time, in order */
void timer_run(struct run *r, uint64_t ts);

#endif /* BEAMTAP_RUN_H */
