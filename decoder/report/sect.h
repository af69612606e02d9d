/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sect.h - what the sections of the report share: the pass, nodes, threads
 *
 * A section says which events it wants and is handed each of them, in time
 * order, inside the window of time that was asked for.  It keeps its own sums
 * and prints them at the end.  Who the processes are is kept in one place, ent.h.
 */
#ifndef BEAMTAP_REPORT_SECT_H
#define BEAMTAP_REPORT_SECT_H

#include "dout/hist.h"
#include "event/decode.h"
#include "event/msgpair.h"
#include "event/names.h"
#include "event/term.h"
#include "report/ent.h"
#include "report/report.h"

struct report;

/* A node: one VM of the source. */
struct vmst {
	uint64_t first;	     /* of its events, counted or not; 0: there was none yet */
	uint64_t begin, end; /* of what is counted */
	uint64_t events;     /* counted */
	uint64_t gap_end;    /* when its last gap ended; 0: none */
	uint32_t gaps;
	uint32_t readers; /* bits, of those that came (tap_start) and did not go */
	uint64_t lost;
	struct term_vm term;
	struct names *names;
	bool is_on; /* inside the window */
	bool has_runnable;
};

/* A thread: who runs on it. */
struct thr {
	uint32_t vm, kind, number;
	uint32_t run;	/* index of the process that runs; 0: none, or not known */
	uint32_t last;	/* that ran before */
	uint64_t since; /* counted up to here */
	uint64_t known; /* from when on all of its events are there */
	bool is_known;	/* whether one runs: something was seen since */
	uint64_t busy_ns, runs;
	uint64_t sleep_at, sleep_ns, sleeps;
	uint64_t lost, gaps, lost_from, lost_to;
};

struct sect_lost {
	uint64_t count, from, to;
	uint32_t thread, vm;
};

struct sect {
	const char *name;
	const char *want;      /* what -e would record it; NULL: it is never missed */
	const uint8_t *events; /* ids that event() gets; ends with 0 */
	const uint8_t *need;   /* it can be printed if one of these was recorded; NULL: events */
	int (*init)(struct report *r);
	void (*event)(struct report *r, const struct src_rec *rec, uint32_t vm);
	/* every record before the window, gaps included: to know what is so when it begins */
	void (*before)(struct report *r, const struct src_rec *rec, uint32_t vm);
	void (*lost)(struct report *r, const struct sect_lost *l);
	/* records of ents were given up (ENT_FOLDED): their indexes will mean others */
	void (*folded)(struct report *r);
	void (*end)(struct report *r); /* the last event was seen */
	void (*print)(struct report *r);
	void (*fini)(struct report *r);
};

#define SECT_HANDLERS 6
typedef void sect_fn(struct report *r, const struct src_rec *rec, uint32_t vm);

struct report {
	const struct report_opts *o;
	struct src *src;
	FILE *out;
	struct diag *d;
	unsigned int top;
	struct vmst *vms;
	uint32_t nr_vms;
	struct thr *threads;
	uint32_t nr_threads;
	struct ents ents;
	uint64_t counts[BTAP_MAX_EVENTS]; /* events counted, by id */
	uint64_t nr_events, lost;
	int error; /* of the source */
	sect_fn *handlers[BTAP_MAX_EVENTS][SECT_HANDLERS + 1];
	/* the sections' own */
	struct model *model;
	struct flow *flow;
	struct latency *latency;
	struct gc *gc;
	struct exits *exits;
	struct ports *ports;
	struct calls *calls;
	struct other *other;
	struct head *head;
};

extern const struct sect head_sect, model_sect, proc_sect, flow_sect, latency_sect, gc_sect,
	sched_sect, exits_sect, ports_sect, calls_sect, other_sect;

/**
 * sect_ent() - index of the process that an event of a thread speaks of
 *
 * Most often it is the one that runs there: then it need not be looked up.
 */
static inline uint32_t sect_ent(struct report *r, const struct src_rec *rec, uint32_t vm,
				uint64_t term)
{
	uint32_t i = r->threads[rec->thread].run;

	if (i && ent_at(&r->ents, i)->term == term && !(ent_at(&r->ents, i)->flags & ENT_OLD))
		return i;
	return ent_get(&r->ents, vm, term);
}

/** sect_seen() - Return: how many events of these ids (ended by 0) were counted */
uint64_t sect_seen(const struct report *r, const uint8_t *ids);
/** sect_title() - begin a section: empty line, title, and what it is computed from */
void sect_title(struct report *r, const char *title, const char *from);
/** sect_span() - Return: ns between first and last event counted of a node */
static inline uint64_t sect_span(const struct report *r, uint32_t vm)
{
	return r->vms[vm].end - r->vms[vm].begin;
}
/** sect_since() - Return: ns from a node's first event counted to a time; 0 if it was before */
static inline uint64_t sect_since(const struct report *r, uint32_t vm, uint64_t ts)
{
	return ts > r->vms[vm].begin ? ts - r->vms[vm].begin : 0;
}
/** sect_hist() - a distribution as DTrace draws it, with its unit in the line above */
void sect_hist(struct report *r, const char *what, const int64_t bins[HIST_QUANTIZE_BINS]);

#endif /* BEAMTAP_REPORT_SECT_H */
