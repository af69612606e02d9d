/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kway.h - merge the runs of several inputs into one order of time
 *
 * Each input gives runs (struct src_run) whose times never go back.  kway_run()
 * hands them on, cut by their `bound`, so that all records come out in the order
 * of time; of equal times the input with the lower number is first.
 *
 *	kway_init(&k, fill, ctx);
 *	i = kway_add(&k);              ... one a ring
 *	k.limit = now - window;        live: nothing younger than this is handed on
 *	while ((r = kway_run(&k, &run, d)) > 0)
 *		while (src_run_next(&run, &rec))
 *			...
 *
 * An input that comes too late (its record is older than one that has been
 * handed on) is handed on all the same, and counted in `late`.
 */
#ifndef BEAMTAP_KWAY_H
#define BEAMTAP_KWAY_H

#include "source/src.h"

struct kway_in {
	struct src_run run; /* what is left of it; its own bound */
	bool has;	    /* there is a record at run.at */
};
struct kway_key {
	uint64_t ts; /* of its record */
	unsigned int i;
};

/**
 * kway_fill() - the next run of an input
 * @ctx: as given to kway_init()
 * @i:   input
 * @run: out: borrowed until the next fill of the same input; never empty; its bound is set
 *       (UINT64_MAX: all of it)
 *
 * Return: 1, 0 when there is nothing now, or a negative errno.
 */
typedef int kway_fill(void *ctx, unsigned int i, struct src_run *run, struct diag *d);

struct kway {
	kway_fill *fill;
	void *ctx;
	struct kway_in *in;
	struct kway_key *heap; /* inputs that have a record; the oldest on top */
	unsigned int nr, cap, nr_heap;
	int cur;	   /* input whose run is with the caller; -1: none */
	bool is_dry;	   /* an input had nothing when it was asked last */
	uint64_t limit;	   /* last time (inclusive) to hand on; UINT64_MAX at first */
	uint64_t last_ts;  /* of the newest record handed on */
	uint64_t late;	   /* records that came too late */
	const uint64_t *cur_at; /* where the caller's run began, and with what base */
	uint64_t cur_base, cur_ts;
};

void kway_init(struct kway *k, kway_fill *fill, void *ctx);
void kway_fini(struct kway *k);

/**
 * kway_add() - one more input, empty; call kway_refill() before the next run
 *
 * Return: its number or -ENOMEM.
 */
int kway_add(struct kway *k);

/**
 * kway_refill() - ask every input that has nothing for its next run
 *
 * kway_run() asks an input itself when its run is used up, but not again after
 * it had nothing: a live source calls this once a poll, others once at first.
 * Return: number of inputs that have a record, or a negative errno.
 */
int kway_refill(struct kway *k, struct diag *d);

/**
 * kway_run() - the next run
 * @run: in: what the last call gave, walked as far as the caller liked; out: the next; as src_run()
 *
 * Return: 1 with a run, 0 when no input has a record up to k->limit, or a negative errno.
 */
int kway_run(struct kway *k, struct src_run *run, struct diag *d);

#endif /* BEAMTAP_KWAY_H */
