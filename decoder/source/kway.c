// SPDX-License-Identifier: Apache-2.0
/*
 * kway.c - merge the runs of several inputs; see kway.h
 *
 * A binary heap of those inputs that have a record, by (time, number).  The run on
 * top is handed out up to the time of the next input; when it comes back, walked, its
 * rest sinks to its place.  Only the top is ever out with the caller.
 */
#include "source/kway.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kway_init(struct kway *k, kway_fill *fill, void *ctx)
{
	memset(k, 0, sizeof(*k));
	k->fill = fill;
	k->ctx = ctx;
	k->cur = -1;
	k->limit = UINT64_MAX;
}

void kway_fini(struct kway *k)
{
	free(k->in);
	free(k->heap);
	k->in = NULL;
	k->heap = NULL;
	k->nr = k->cap = k->nr_heap = 0;
	k->cur = -1;
}

int kway_add(struct kway *k)
{
	if (k->nr == k->cap) {
		unsigned int cap = k->cap ? 2 * k->cap : 16;
		struct kway_in *in = realloc(k->in, cap * sizeof(*in));
		struct kway_key *heap;

		if (!in)
			return -ENOMEM;
		k->in = in;
		heap = realloc(k->heap, cap * sizeof(*heap));
		if (!heap)
			return -ENOMEM;
		k->heap = heap;
		k->cap = cap;
	}
	memset(&k->in[k->nr], 0, sizeof(k->in[0]));
	return (int)k->nr++;
}

static inline bool is_before(struct kway_key a, struct kway_key b)
{
	return a.ts < b.ts || (a.ts == b.ts && a.i < b.i);
}

/* Put @v in the place of the top and let it sink. */
static inline void sink(struct kway *k, struct kway_key v)
{
	struct kway_key *heap = k->heap;
	unsigned int i = 0, child, nr = k->nr_heap;

	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr)
			child += is_before(heap[child + 1], heap[child]);
		if (!is_before(heap[child], v))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = v;
}

static void push(struct kway *k, struct kway_key v)
{
	unsigned int i = k->nr_heap++, up;

	while (i > 0 && is_before(v, k->heap[up = (i - 1) / 2])) {
		k->heap[i] = k->heap[up];
		i = up;
	}
	k->heap[i] = v;
}

/* Is there a record at run.at that belongs to the run?  *@ts: its time. */
static inline bool look(struct kway_in *in, uint64_t *ts)
{
	in->has = false;
	if (in->run.at == in->run.end)
		return false;
	*ts = BTAP_TIME_FULL(*in->run.at, in->run.base);
	in->has = *ts <= in->run.bound;
	return in->has;
}

/* Make the input have a record, if there is one.  1, 0 or a negative errno. */
static int refill(struct kway *k, unsigned int i, uint64_t *ts, struct diag *d)
{
	struct kway_in *in = &k->in[i];
	int r;

	do {
		r = k->fill(k->ctx, i, &in->run, d);
		if (r <= 0) {
			in->has = false;
			k->is_dry = true;
			return r;
		}
	} while (!look(in, ts));
	return 1;
}

int kway_refill(struct kway *k, struct diag *d)
{
	uint64_t ts = 0;
	int r;

	k->is_dry = false;
	for (unsigned int i = 0; i < k->nr; i++) {
		if (k->in[i].has || (int)i == k->cur)
			continue;
		r = refill(k, i, &ts, d);
		if (r < 0)
			return r;
		if (r > 0)
			push(k, (struct kway_key){ ts, i });
	}
	return (int)k->nr_heap;
}

/* The walked part of a run that came too late: how many of its records did? */
static void count_late(struct kway *k, const struct src_run *run)
{
	struct src_run walked = *run;
	struct src_rec rec;

	walked.at = k->cur_at;
	walked.end = run->at;
	walked.base = k->cur_base;
	while (src_run_next(&walked, &rec) && rec.ts < k->last_ts)
		k->late++;
}

/* Take back the run that the caller has walked. */
static inline int settle(struct kway *k, const struct src_run *run, struct diag *d)
{
	unsigned int cur = (unsigned int)k->cur;
	struct kway_in *in = &k->in[cur];
	uint64_t ts = k->cur_ts;
	int r = 1;

	k->cur = -1;
	if (run->at != k->cur_at) {
		if (ts < k->last_ts)
			count_late(k, run);
		if (run->base > k->last_ts)
			k->last_ts = run->base;
		in->run.at = run->at;
		in->run.base = run->base;
		if (!look(in, &ts))
			r = refill(k, cur, &ts, d);
	}
	if (r > 0) {
		sink(k, (struct kway_key){ ts, cur });
		return r;
	}
	if (--k->nr_heap)
		sink(k, k->heap[k->nr_heap]);
	return r;
}

int kway_run(struct kway *k, struct src_run *run, struct diag *d)
{
	struct kway_key top, next;
	struct kway_in *in;
	uint64_t bound;
	int r;

	if (k->cur >= 0) {
		r = settle(k, run, d);
		if (r < 0)
			return r;
	}
	if (k->nr_heap == 0)
		return 0;
	top = k->heap[0];
	in = &k->in[top.i];
	if (top.ts > k->limit)
		return 0;
	bound = in->run.bound < k->limit ? in->run.bound : k->limit;
	if (k->nr_heap > 1) {
		next = k->heap[1];
		if (k->nr_heap > 2 && is_before(k->heap[2], next))
			next = k->heap[2];
		/* Of equal times the lower number is first; then next's time is above ours. */
		next.ts -= next.i < top.i;
		bound = next.ts < bound ? next.ts : bound;
	}
	k->cur = (int)top.i;
	k->cur_ts = top.ts;
	k->cur_at = in->run.at;
	k->cur_base = in->run.base;
	*run = in->run;
	run->bound = bound;
	return 1;
}
