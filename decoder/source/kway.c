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
		unsigned int *heap;

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

static bool is_before(const struct kway *k, unsigned int a, unsigned int b)
{
	uint64_t ta = k->in[a].ts, tb = k->in[b].ts;

	return ta < tb || (ta == tb && a < b);
}

static void sink(struct kway *k)
{
	unsigned int i = 0, child, v = k->heap[0];

	while ((child = 2 * i + 1) < k->nr_heap) {
		if (child + 1 < k->nr_heap && is_before(k, k->heap[child + 1], k->heap[child]))
			child++;
		if (!is_before(k, k->heap[child], v))
			break;
		k->heap[i] = k->heap[child];
		i = child;
	}
	k->heap[i] = v;
}

static void push(struct kway *k, unsigned int v)
{
	unsigned int i = k->nr_heap++, up;

	while (i > 0 && is_before(k, v, k->heap[up = (i - 1) / 2])) {
		k->heap[i] = k->heap[up];
		i = up;
	}
	k->heap[i] = v;
}

/* Is there a record at run.at that belongs to the run?  Notes its time. */
static bool look(struct kway_in *in)
{
	in->has = false;
	if (in->run.at == in->run.end)
		return false;
	in->ts = BTAP_TIME_FULL(*in->run.at, in->run.base);
	in->has = in->ts <= in->run.bound;
	return in->has;
}

/* Make the input have a record, if there is one.  1, 0 or a negative errno. */
static int refill(struct kway *k, unsigned int i, struct diag *d)
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
	} while (!look(in));
	return 1;
}

int kway_refill(struct kway *k, struct diag *d)
{
	int r;

	k->is_dry = false;
	for (unsigned int i = 0; i < k->nr; i++) {
		if (k->in[i].has || (int)i == k->cur)
			continue;
		r = refill(k, i, d);
		if (r < 0)
			return r;
		if (r > 0)
			push(k, i);
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
static int settle(struct kway *k, const struct src_run *run, struct diag *d)
{
	struct kway_in *in = &k->in[k->cur];
	int r = 1;

	if (run->at != k->cur_at) {
		if (in->ts < k->last_ts)
			count_late(k, run);
		if (run->base > k->last_ts)
			k->last_ts = run->base;
		in->run.at = run->at;
		in->run.base = run->base;
		if (!look(in))
			r = refill(k, (unsigned int)k->cur, d);
	}
	k->cur = -1;
	if (r <= 0) {
		k->heap[0] = k->heap[--k->nr_heap];
		if (k->nr_heap == 0)
			return r;
	}
	sink(k);
	return r;
}

int kway_run(struct kway *k, struct src_run *run, struct diag *d)
{
	unsigned int top, next;
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
	in = &k->in[top];
	if (in->ts > k->limit)
		return 0;
	bound = in->run.bound < k->limit ? in->run.bound : k->limit;
	if (k->nr_heap > 1) {
		next = k->heap[1];
		if (k->nr_heap > 2 && is_before(k, k->heap[2], next))
			next = k->heap[2];
		/* Of equal times the lower number is first; then next's time is above ours. */
		if (k->in[next].ts - (next < top) < bound)
			bound = k->in[next].ts - (next < top);
	}
	k->cur = (int)top;
	k->cur_at = in->run.at;
	k->cur_base = in->run.base;
	*run = in->run;
	run->bound = bound;
	return 1;
}
