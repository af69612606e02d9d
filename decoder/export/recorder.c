// SPDX-License-Identifier: Apache-2.0
/*
 * recorder.c - empty a VM's rings into a recording; see recorder.h
 *
 * A look goes in rounds over the rings.  Of each: first a batch of chunks, then the
 * strings and clock pairs that those may speak of, then all is written in one go.
 * How long to sleep between two looks follows from how fast the rings fill: waking up
 * costs more than to copy what came meanwhile, and what waits must stay far from a whole ring.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "export/ctfw.h"
#include "export/recorder.h"

#define PROGRESS_NS   250000000ULL
#define LIFE_NS	      50000000ULL
#define FACTS_NS      1000000000ULL
#define LAST_WORDS_NS 1000000000ULL /* at most: for what the VM's side says when a lease ends */
#define LAST_NAP_NS   15000000ULL   /* between two looks for them */
#define QUIET_NS      60000000ULL   /* nothing more comes after its last word for so long */
#define ROUNDS_MAX    64	    /* of one look */
#define BATCH_BYTES   (512u << 10)  /* of one ring at a time, to stay in the cache */
#define FILL_DIV      3		    /* a wake-up is due when a third of a ring waits */

struct recorder {
	struct region *r;
	struct src *s;
	const struct recorder_opts *o;
	struct recorder_result *res;
	struct ctfw *w;
	struct ring_chunk chunks[CTFW_BATCH]; /* of one ring; their words are in buf */
	uint64_t *buf;
	size_t buf_bytes;
	uint64_t *found; /* bytes of each ring since the last nap */
	uint32_t nr_found;
	uint64_t begin_ns, progress_ns, facts_ns, life_ns, pairs_seen;
	uint64_t unwritten_before;
	bool has_stopped; /* the VM's side said so: tap_stop */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int stop_wishes(const struct recorder *k)
{
	return k->o->stop ? *k->o->stop : 0;
}

/* For the counts of all rings, and a batch that has room for one sub-buffer of ring @i at least. */
static int make_room(struct recorder *k, uint32_t i, uint32_t sub_size, struct diag *d)
{
	size_t need = sub_size > BATCH_BYTES ? sub_size : BATCH_BYTES;
	void *p;

	if (i >= k->nr_found) {
		p = realloc(k->found, k->s->nr_threads * sizeof(*k->found));
		if (!p)
			return diag_fail(d, -ENOMEM, "no memory for %u rings", k->s->nr_threads);
		k->found = p;
		memset(k->found + k->nr_found, 0,
		       (k->s->nr_threads - k->nr_found) * sizeof(*k->found));
		k->nr_found = k->s->nr_threads;
	}
	if (need > k->buf_bytes) {
		free(k->buf);
		k->buf_bytes = 0;
		k->buf = malloc(need);
		if (!k->buf)
			return diag_fail(d, -ENOMEM, "no memory for a sub-buffer of %u bytes",
					 sub_size);
		k->buf_bytes = need;
	}
	return 0;
}

static void note_damage(struct recorder *k, uint32_t i, const struct ring_chunk *c)
{
	if (k->res->damages++)
		return;
	snprintf(k->res->damage, sizeof(k->res->damage),
		 "ring %u (%s), sub-buffer %llu, byte %u: %s", i, src_thread(k->s, i)->name,
		 (unsigned long long)c->number, c->damage_off, c->why);
}

/* Is the last word of the VM's side in it?  Asked of chunks at the end only. */
static bool has_tap_stop(const struct ring_chunk *c)
{
	for (uint32_t at = 0; at < c->nr_words; at += BTAP_HEAD_WORDS(c->words[at]))
		if (BTAP_HEAD_EVENT(c->words[at]) == BTAP_EV_tap_stop)
			return true;
	return false;
}

static int write_pairs(struct recorder *k, struct diag *d)
{
	const struct clock_map *m = region_clock(k->r);
	int r = 0;

	if (m->seen == k->pairs_seen)
		return 0;
	k->pairs_seen = m->seen;
	for (unsigned int i = 0; i < m->nr && !r; i++)
		r = ctfw_clock(k->w, &m->pair[i], d);
	return r;
}

static int write_chunk(struct recorder *k, uint32_t i, const struct ring_chunk *c, struct diag *d)
{
	struct clock_map *m = region_clock(k->r);
	const struct src_thread *th = src_thread(k->s, i);
	uint64_t from;
	int r = 0;

	if (c->damage)
		note_damage(k, i, c);
	if (c->lost) {
		from = c->lost_begin ? clock_ns(m, c->lost_begin) : k->s->vms[0].facts.mono_ns;
		r = ctfw_gap(k->w, i, th, c->lost, from, clock_ns(m, c->lost_end), d);
	}
	if (!r && c->nr_words)
		/* Its words are a copy in our buffer. */
		r = ctfw_queue(k->w, i, th, (uint64_t *)(uintptr_t)c->words, c->nr_words,
			       c->begin_time, m, d);
	return r;
}

/* Damage is noted; what is whole is recorded. */
static int poll_quietly(struct recorder *k, struct diag *d)
{
	struct diag why = DIAG_INIT;
	int r = region_poll(k->r, &why);

	if (r == -EPROTO) {
		if (!k->res->damages++)
			snprintf(k->res->damage, sizeof(k->res->damage), "%.*s",
				 (int)sizeof(k->res->damage) - 1, why.nr ? why.text[0] : "");
		return 0;
	}
	for (unsigned int i = 0; i < why.nr; i++)
		diag_fail(d, r, "%s", why.text[i]);
	return r;
}

/* As many chunks of ring @i as there are and as fit.  Return: their number, or negative */
static int read_batch(struct recorder *k, uint32_t i, unsigned int flags, struct diag *d)
{
	uint32_t nr_subs, sub_size = region_ring_size(k->r, i, &nr_subs);
	int nr = 0, r = make_room(k, i, sub_size, d);
	size_t used = 0;

	while (r >= 0 && nr < CTFW_BATCH && k->buf_bytes - used >= sub_size) {
		r = region_poll_ring_into(k->r, i, flags, k->buf + used / 8, &k->chunks[nr], d);
		if (r <= 0)
			break;
		used += 8ull * k->chunks[nr++].nr_words;
	}
	if (r >= 0)
		k->found[i] += used;
	return r < 0 ? r : nr;
}

/* A batch of one ring.  Return: 1, 0 when there was nothing, or negative */
static int drain(struct recorder *k, uint32_t i, unsigned int flags, bool is_last, struct diag *d)
{
	int nr = read_batch(k, i, flags, d), r;

	if (nr <= 0)
		return nr;
	/* Strings first: a record that we have may speak of one that was not there before. */
	r = poll_quietly(k, d);
	if (!r)
		r = write_pairs(k, d);
	for (int j = 0; j < nr && !r; j++) {
		if (is_last && has_tap_stop(&k->chunks[j]))
			k->has_stopped = true;
		r = write_chunk(k, i, &k->chunks[j], d);
	}
	if (!r)
		r = ctfw_flush(k->w, d);
	region_release_ring(k->r, i);
	return r ? r : 1;
}

/* One round over all rings.  Return: number of rings that had something, or negative */
static int round_of(struct recorder *k, unsigned int flags, bool is_last, struct diag *d)
{
	int found = 0, r = 0;

	for (uint32_t i = 0; i < k->s->nr_threads && r >= 0; i++) {
		r = drain(k, i, flags, is_last, d);
		found += r > 0;
	}
	return r < 0 ? r : found;
}

/* All that is there now.  Return: rounds that found something, or negative */
static int look(struct recorder *k, unsigned int flags, bool is_last, struct diag *d)
{
	int rounds = 0, r;

	do {
		r = round_of(k, flags, is_last, d);
	} while (r > 0 && ++rounds < ROUNDS_MAX);
	return r < 0 ? r : rounds;
}

static void tell(struct recorder *k, uint64_t now, bool is_last)
{
	struct ctfw_totals t;

	if (!is_last && now - k->progress_ns < PROGRESS_NS)
		return;
	k->progress_ns = now;
	ctfw_totals(k->w, &t);
	k->res->st = (struct recorder_state){ now - k->begin_ns, t.records, t.bytes, t.lost };
	if (k->o->progress)
		k->o->progress(k->o->ctx, &k->res->st);
}

static void nap(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

/*
 * Until 1/FILL_DIV of the ring that fills fastest is full again.  A nap grows slowly and
 * shrinks at once: a burst must not find us asleep.
 */
static uint64_t next_nap(struct recorder *k, uint64_t nap, uint64_t shortest, uint64_t took_ns)
{
	uint64_t most = 2 * nap, due;
	uint32_t nr_subs;

	for (uint32_t i = 0; i < k->nr_found; i++) {
		if (!k->found[i])
			continue;
		due = (uint64_t)((double)region_ring_size(k->r, i, &nr_subs) * nr_subs /
				 FILL_DIV / (double)k->found[i] * (double)took_ns);
		most = due < most ? due : most;
		k->found[i] = 0;
	}
	most = most < RECORDER_IDLE_NS ? most : RECORDER_IDLE_NS;
	return most > shortest ? most : shortest;
}

static int record_live(struct recorder *k, struct diag *d)
{
	uint64_t shortest = k->o->poll_ns ? k->o->poll_ns : RECORDER_POLL_NS;
	uint64_t wait = shortest, now, before = now_ns();
	int r;

	while (!stop_wishes(k)) {
		now = now_ns();
		if (k->o->duration_ns && now - k->begin_ns >= k->o->duration_ns)
			return 0;
		r = poll_quietly(k, d);
		if (r < 0)
			return r;
		if (now - k->life_ns > LIFE_NS) {
			k->life_ns = now;
			k->res->life = region_alive(k->r, NULL, 0);
			if (k->res->life != REGION_LIVE)
				return 0;
		}
		r = look(k, RING_WHOLE, false, d);
		if (r < 0)
			return r;
		wait = next_nap(k, wait, shortest, now - before);
		before = now;
		if (now - k->facts_ns > FACTS_NS) {
			k->facts_ns = now;
			r = ctfw_facts(k->w, &k->s->vms[0].facts, d);
			if (r)
				return r;
		}
		tell(k, now, false);
		nap(wait);
	}
	return 0;
}

/* The lease has ended; the VM's side still has something to say. */
static int record_last_words(struct recorder *k, struct diag *d)
{
	uint64_t begin = now_ns(), last = begin, now;
	int r;

	while (stop_wishes(k) < 2) {
		r = poll_quietly(k, d);
		if (r < 0)
			return r;
		k->res->life = region_alive(k->r, NULL, 0);
		r = look(k, 0, true, d);
		if (r < 0)
			return r;
		now = now_ns();
		if (r > 0)
			last = now;
		if (k->res->life != REGION_LIVE || now - begin > LAST_WORDS_NS ||
		    (k->has_stopped && now - last > QUIET_NS))
			break;
		nap(LAST_NAP_NS);
	}
	return 0;
}

static int record_all(struct recorder *k, struct diag *d)
{
	bool is_on = false;
	int r = 0, n;

	k->res->life = region_alive(k->r, NULL, 0);
	k->begin_ns = k->progress_ns = k->facts_ns = now_ns();
	if (k->o->want && k->res->life == REGION_LIVE) {
		r = src_enable(k->s, k->o->want, d);
		if (r) {
			k->res->is_empty = true;
			return r;
		}
		is_on = true;
		k->begin_ns = now_ns();
		snprintf(k->res->answer, sizeof(k->res->answer), "%s", region_answer(k->r));
		r = record_live(k, d);
	}
	if (is_on)
		src_disable(k->s, NULL);
	if (!r && is_on)
		r = record_last_words(k, d);
	/* Partial sub-buffers, and what a dead VM left.  A look has an end: a busy VM is no trap. */
	if (!r)
		r = poll_quietly(k, d);
	for (n = ROUNDS_MAX; !r && n == ROUNDS_MAX && stop_wishes(k) < 2;) {
		n = look(k, RING_FLUSH, true, d);
		if (n < 0)
			r = n;
		if (k->res->life == REGION_LIVE)
			break;
	}
	return r;
}

int recorder_run(struct region *r, const struct recorder_opts *opts, struct recorder_result *res,
		 struct diag *d)
{
	struct recorder k = { .r = r, .s = region_src(r), .o = opts, .res = res };
	struct src_stats st;
	int err, e;

	memset(res, 0, sizeof(*res));
	k.unwritten_before = region_unwritten(r);
	err = ctfw_open(&k.w, opts->dir, &k.s->vms[0].facts, region_strings(r), d);
	if (err)
		return err;
	err = record_all(&k, d);
	tell(&k, now_ns(), true);
	src_stats(k.s, &st);
	res->strings_lost = st.strings_lost;
	res->unwritten = region_unwritten(r) - (opts->want ? k.unwritten_before : 0);
	e = ctfw_close(k.w, res->strings_lost, res->unwritten, err ? NULL : d);
	free(k.buf);
	free(k.found);
	/* Nothing was recorded: do not leave an empty one in the way of the next try. */
	if (res->is_empty)
		ctfw_remove_empty(opts->dir);
	return err ? err : e;
}
