/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src.h - a source: something that records come from, in time order
 *
 * A live region, a recording and a text fixture are sources; so is the merge of
 * several.  Records are handed on in runs: a stretch of words of one thread,
 * walked in place by src_run_next(), so that the cost of a record is that of
 * reading its header word.  src_next() is for those who want one at a time.
 *
 *	struct src_run run;
 *	struct src_rec rec;
 *	while ((r = src_run(s, &run, d)) > 0)
 *		while (src_run_next(&run, &rec))
 *			use(&rec);
 *
 * A `stack` record and the event it belongs to, which follows it, are in one run.
 * Every record handed on has been checked: its id is in the catalogue, its
 * length is possible, its fixed fields are there, its texts lie inside it.
 */
#ifndef BEAMTAP_SRC_H
#define BEAMTAP_SRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <beamtap/region.h>
#include "base/diag.h"

/* A VM that records come from. */
struct src_vm {
	struct btap_facts facts;
	const char *path;		/* where it was read from; borrowed from the source */
	const struct src_strings *strs; /* its strings; borrowed from the source */
};

/* A thread of a VM: one ring. */
struct src_thread {
	uint32_t vm;	 /* index of its VM */
	uint32_t kind;	 /* enum btap_thread_kind */
	uint32_t number; /* scheduler number, from 1 */
	uint32_t tid;
	char name[32];
};

struct src_rec {
	uint64_t ts;	       /* ns, CLOCK_MONOTONIC of the machine it was written on */
	const uint64_t *words; /* header word, then the fields; borrowed until the next src_run()/src_next() */
	uint32_t event;	       /* enum btap_event_id, or BTAP_LOST_EVENT */
	uint32_t nr_words;     /* header included */
	uint32_t thread;       /* index of the thread, see src_thread() */
};

struct src_run {
	const uint64_t *at, *end;
	uint64_t base;	/* a time at most 2^45 ns before that of the record at `at` */
	uint64_t bound; /* last time (inclusive) that belongs to this run */
	uint32_t thread;
	bool is_lost; /* the run is one lost record */
};

/**
 * src_run_next() - step to the next record of a run
 *
 * Times never go back inside a run: the source has seen to it.
 * Return: false when the run is used up.
 */
static inline bool src_run_next(struct src_run *r, struct src_rec *rec)
{
	uint64_t w, ts;

	if (r->at == r->end)
		return false;
	w = *r->at;
	ts = BTAP_TIME_FULL(w, r->base);
	if (ts > r->bound)
		return false;
	r->base = ts;
	rec->ts = ts;
	rec->words = r->at;
	rec->event = BTAP_HEAD_EVENT(w);
	rec->nr_words = BTAP_HEAD_WORDS(w);
	rec->thread = r->thread;
	r->at += rec->nr_words;
	return true;
}

/* What a reader of a live VM wants; ignored by sources that only read. */
struct src_want {
	uint64_t events[BTAP_MASK_WORDS];
	uint64_t stacks[BTAP_MASK_WORDS]; /* of these, with the Erlang stack */
	const char *functions; /* as btap_lease.spec; borrowed; NULL: none */
	uint32_t flags;	       /* BTAP_LEASE_* */
	const char *who;       /* name of the command */
};

/* Totals so far: written == read + lost once a source has ended. */
struct src_stats {
	uint64_t records, bytes, lost, late; /* late: came after a later one had been handed on */
	uint64_t strings_lost;		     /* strings that the VM found no room for */
};

struct src;
struct src_ops {
	const char *name;
	/* as src_run(), src_enable(), ...; NULL where there is nothing to do */
	int (*run)(struct src *s, struct src_run *run, struct diag *d);
	bool (*is_live)(const struct src *s);
	int (*enable)(struct src *s, const struct src_want *want, struct diag *d);
	int (*disable)(struct src *s, struct diag *d);
	void (*stats)(const struct src *s, struct src_stats *st);
	void (*close)(struct src *s);
};

struct src {
	const struct src_ops *ops;
	struct src_vm *vms;
	struct src_thread *threads; /* may grow while the source lives: ask again after src_run() */
	uint32_t nr_vms, nr_threads;
	/* of src_next() */
	struct src_run cur;
};

/**
 * src_run() - the next run of records
 * @s:   open source, borrowed; one thread at a time
 * @run: in: what the last call gave, walked as far as the caller liked (a rest
 *       is handed out again); out: the next run, borrowed until the next call.  Zero it before the first call
 * @d:   out: causes are appended when the result is negative
 *
 * A gap is a run of its own of one record BTAP_LOST_EVENT: count, begin ns, end ns.
 * Context: never blocks; a live source without news returns 0, and src_is_live()
 * says whether more may come.
 * Return: 1 with a run, 0 when there is nothing (more), or a negative errno:
 * -EPROTO on damage; what could be read has been handed out before.
 */
int src_run(struct src *s, struct src_run *run, struct diag *d);

/** src_is_live() - Return: whether src_run() may give more later though it returned 0 */
bool src_is_live(const struct src *s);

/** src_next() - one record; the same rules.  Return: 1, 0 or a negative errno */
int src_next(struct src *s, struct src_rec *rec, struct diag *d);

/**
 * src_enable() - ask the VM behind a live source for events
 *
 * Takes a lease and renews its heartbeat from src_run() and src_poll(); waits
 * up to 3 s for the VM's answer.  Calling it again changes the wishes.
 * Return: 0, -EOPNOTSUPP when this source has nothing to switch on, -EBUSY when
 * all leases are taken, -ETIMEDOUT, or what the VM answered.
 */
int src_enable(struct src *s, const struct src_want *want, struct diag *d);
/** src_disable() - give the lease back; what is in the rings can still be read */
int src_disable(struct src *s, struct diag *d);
void src_stats(const struct src *s, struct src_stats *st);
/** src_close() - end a source and free it; NULL is fine */
void src_close(struct src *s);

static inline const struct src_thread *src_thread(const struct src *s, uint32_t i)
{
	return &s->threads[i];
}
static inline const struct src_vm *src_vm_of(const struct src *s, const struct src_rec *rec)
{
	return &s->vms[s->threads[rec->thread].vm];
}

/*
 * Strings of a VM.  Numbers and atoms are looked up by what records carry.
 * Text is UTF-8, checked, ends with NUL, and lives as long as the source.
 */
struct src_strings;
/** Return: text of an atom term or NULL if it is not known; @len may be NULL */
const char *src_atom(const struct src_strings *t, uint64_t term, size_t *len);
/** Return: text of a `str` field or NULL */
const char *src_string(const struct src_strings *t, uint64_t number, size_t *len);

#endif /* BEAMTAP_SRC_H */
