/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ent.h - the report's record of each process, port, name or node that events speak of
 *
 * Found by (node, term).  When there are more than allowed, processes that have
 * ended and ran little are summed into one record and their room is used again;
 * where that frees nothing, new ones are not kept and what they do is counted as
 * done by nobody known (index 0).
 *
 * The VM uses the word of a process again after it has ended: the spawn of a
 * process that is already there begins a new record, and the old one stays.
 */
#ifndef BEAMTAP_REPORT_ENT_H
#define BEAMTAP_REPORT_ENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "report/imap.h"

enum ent_flag {
	ENT_RUNS = 1,	 /* on a thread now */
	ENT_SPAWNED = 2, /* its spawn was seen */
	ENT_EXITED = 4,	 /* its end was seen */
	ENT_CUT = 8,	 /* a gap hid a part of what it did */
	ENT_FOLDED = 16, /* given up: its room is free */
	ENT_OLD = 32,	 /* another process has its word now */
	ENT_NODE = 64,	 /* term is the name of a remote node */
};

enum ent_gc { ENT_GC_MINOR, ENT_GC_MAJOR };

/* What every run and message touches stands in the first cache line, then by how rare it is. */
struct ent {
	uint64_t term;
	uint32_t vm;
	uint16_t flags;
	uint8_t gc_kind;
	uint8_t pad;
	uint32_t thread;   /* on which it runs, with ENT_RUNS */
	uint32_t stack;	   /* number of its open calls' stack, see calls.c; 0: none */
	uint64_t got;	   /* messages sent to it */
	uint64_t out_at;   /* when it last stopped running; 0: not seen */
	uint64_t woken_at; /* when something first gave it reason to run since; 0: nothing did */
	uint64_t run_ns;
	uint64_t in;

	uint64_t out, max_queue;
	uint64_t wait_ns, waits;
	uint64_t gc_at; /* when the collection began that goes on; 0: none */
	uint64_t gc_ns, gc_max_ns;
	int64_t gc_words; /* given back */

	uint64_t gcs[2];
	uint64_t dirty_ns;
	uint32_t pair;	    /* that it sent to last, see flow.c */
	uint64_t mfa, name; /* first function; registered name */
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct ent, out) == 64, "the first cache line");

/* Sums over the processes given up. */
struct ent_sum {
	uint64_t nr, run_ns, dirty_ns, wait_ns, waits, in, out, gc_ns, gcs;
	int64_t gc_words;
};

#define ENT_CHUNK 1024u

struct ents {
	struct imap map;
	struct ent **chunks;
	uint32_t nr; /* indexes handed out so far; index 0 is nobody */
	uint32_t max;
	uint32_t *free; /* indexes to be used again */
	uint32_t nr_free;
	uint32_t exits;	  /* processes that ended since folding was tried last */
	bool is_full;	  /* folding frees nothing at present: new ones go to index 0 */
	uint64_t refused; /* look-ups that ended at index 0 */
	struct ent_sum folded;
	/* Told before the room of folded records (ENT_FOLDED) is used again. */
	void (*on_fold)(void *arg);
	void *arg;
};

/** ent_init() - @max: records kept at a time.  Return: 0 or -ENOMEM */
int ent_init(struct ents *es, uint32_t max);
void ent_fini(struct ents *es);

static inline struct ent *ent_at(const struct ents *es, uint32_t i)
{
	return &es->chunks[i / ENT_CHUNK][i % ENT_CHUNK];
}

/** ent_make() - slow path of ent_get() */
uint32_t ent_make(struct ents *es, uint32_t vm, uint64_t term, uint16_t flags);

/** ent_get() - Return: index of a process, port or name, new if need be; 0: no room */
static inline uint32_t ent_get(struct ents *es, uint32_t vm, uint64_t term)
{
	uint32_t i = imap_find(&es->map, term, vm);

	return i != IMAP_NONE ? i : ent_make(es, vm, term, 0);
}

/** ent_node() - the same for a remote node by its name */
uint32_t ent_node(struct ents *es, uint32_t vm, uint64_t atom);
/** ent_renew() - begin a new record for a word that the VM uses again.  Return: its index */
uint32_t ent_renew(struct ents *es, uint32_t vm, uint64_t term);
/** ent_add() - add a record to a sum */
void ent_add(struct ent_sum *sum, const struct ent *e);

#endif /* BEAMTAP_REPORT_ENT_H */
