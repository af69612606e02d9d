// SPDX-License-Identifier: Apache-2.0
/*
 * merge.c - several sources as one; see merge.h
 *
 * The merge itself is kway.c's.  What is added: numbers of VMs and threads that
 * hold for all sources, and waiting for live ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "source/kway.h"
#include "source/merge.h"

struct input {
	struct src *s;
	uint32_t first_vm;
	uint32_t *thread; /* its thread -> ours */
	uint32_t nr_threads;
};

struct merge {
	struct src s; /* first: struct src * is struct merge * */
	struct input *in;
	unsigned int nr;
	struct kway k;
	size_t cap_threads;
	/* The first error of a source: told when the others have ended. */
	int error;
	struct diag why;
	bool is_told;
};

/* Sources learn of threads as they go on: number the new ones. */
static int map_threads(struct merge *m, struct input *in)
{
	uint32_t *map;

	if (in->nr_threads == in->s->nr_threads)
		return 0;
	map = realloc(in->thread, in->s->nr_threads * sizeof(*map));
	if (!map)
		return -ENOMEM;
	in->thread = map;
	for (; in->nr_threads < in->s->nr_threads; in->nr_threads++) {
		struct src_thread *th;

		if (m->s.nr_threads == m->cap_threads) {
			th = realloc(m->s.threads, (m->cap_threads * 2 + 64) * sizeof(*th));
			if (!th)
				return -ENOMEM;
			m->s.threads = th;
			m->cap_threads = m->cap_threads * 2 + 64;
		}
		th = &m->s.threads[m->s.nr_threads];
		*th = in->s->threads[in->nr_threads];
		th->vm += in->first_vm;
		map[in->nr_threads] = m->s.nr_threads++;
	}
	return 0;
}

static int fill(void *ctx, unsigned int i, struct src_run *run, struct diag *d)
{
	struct merge *m = ctx;
	struct input *in = &m->in[i];
	struct diag why = DIAG_INIT;
	int r = src_run(in->s, run, &why);

	if (r < 0 && !m->error) {
		m->error = r;
		m->why = why;
	}
	if (r <= 0)
		return 0;
	if (map_threads(m, in))
		return diag_fail(d, -ENOMEM, "no memory to merge");
	run->thread = in->thread[run->thread];
	return 1;
}

/* Facts of a live VM may change: its node gets a name. */
static void copy_vms(struct merge *m)
{
	for (unsigned int i = 0; i < m->nr; i++)
		memcpy(m->s.vms + m->in[i].first_vm, m->in[i].s->vms,
		       m->in[i].s->nr_vms * sizeof(*m->s.vms));
}

static bool is_live(const struct src *s)
{
	const struct merge *m = (const struct merge *)s;

	for (unsigned int i = 0; i < m->nr; i++)
		if (src_is_live(m->in[i].s))
			return true;
	return false;
}

static int run_merge(struct src *s, struct src_run *run, struct diag *d)
{
	struct merge *m = (struct merge *)s;
	struct timespec now;
	int r;

	m->k.limit = UINT64_MAX;
	if (is_live(s)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		m->k.limit =
			(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - MERGE_WINDOW_NS;
	}
	r = kway_run(&m->k, run, d);
	if (r)
		return r;
	r = kway_refill(&m->k, d);
	copy_vms(m);
	if (r > 0)
		r = kway_run(&m->k, run, d);
	if (r || is_live(s) || !m->error || m->is_told)
		return r;
	m->is_told = true;
	for (unsigned int i = 0; i < m->why.nr; i++)
		diag_fail(d, m->error, "%s", m->why.text[i]);
	return m->error;
}

static int enable_merge(struct src *s, const struct src_want *want, struct diag *d)
{
	struct merge *m = (struct merge *)s;
	int r;

	for (unsigned int i = 0; i < m->nr; i++) {
		r = src_enable(m->in[i].s, want, d);
		if (r)
			return r;
	}
	return 0;
}

static int disable_merge(struct src *s, struct diag *d)
{
	struct merge *m = (struct merge *)s;
	int r = 0, e;

	for (unsigned int i = 0; i < m->nr; i++) {
		e = src_disable(m->in[i].s, d);
		r = r ? r : e;
	}
	return r;
}

static void stats_merge(const struct src *s, struct src_stats *st)
{
	const struct merge *m = (const struct merge *)s;
	struct src_stats one;

	st->late = m->k.late;
	for (unsigned int i = 0; i < m->nr; i++) {
		src_stats(m->in[i].s, &one);
		st->records += one.records;
		st->bytes += one.bytes;
		st->lost += one.lost;
		st->late += one.late;
		st->strings_lost += one.strings_lost;
	}
}

static void close_merge(struct src *s)
{
	struct merge *m = (struct merge *)s;

	for (unsigned int i = 0; i < m->nr; i++) {
		src_close(m->in[i].s);
		free(m->in[i].thread);
	}
	kway_fini(&m->k);
	free(m->in);
	free(m->s.vms);
	free(m->s.threads);
	free(m);
}

static const struct src_ops merge_ops = {
	.name = "merge",
	.run = run_merge,
	.is_live = is_live,
	.enable = enable_merge,
	.disable = disable_merge,
	.stats = stats_merge,
	.close = close_merge,
};

static int set_up(struct merge *m, struct src **srcs)
{
	uint32_t nr_vms = 0;

	for (unsigned int i = 0; i < m->nr; i++) {
		m->in[i].s = srcs[i];
		m->in[i].first_vm = nr_vms;
		nr_vms += srcs[i]->nr_vms;
	}
	m->s.vms = calloc(nr_vms + 1, sizeof(*m->s.vms));
	if (!m->s.vms)
		return -ENOMEM;
	m->s.nr_vms = nr_vms;
	copy_vms(m);
	for (unsigned int i = 0; i < m->nr; i++)
		if (kway_add(&m->k) < 0 || map_threads(m, &m->in[i]))
			return -ENOMEM;
	return 0;
}

int merge_open(struct src **out, struct src **srcs, unsigned int nr, struct diag *d)
{
	struct merge *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (m)
		m->in = calloc(nr, sizeof(*m->in));
	if (!m || !m->in) {
		for (unsigned int i = 0; i < nr; i++)
			src_close(srcs[i]);
		free(m);
		return diag_fail(d, -ENOMEM, "no memory to merge");
	}
	m->s.ops = &merge_ops;
	m->nr = nr;
	kway_init(&m->k, fill, m);
	if (set_up(m, srcs)) {
		close_merge(&m->s);
		return diag_fail(d, -ENOMEM, "no memory to merge");
	}
	*out = &m->s;
	return 0;
}
