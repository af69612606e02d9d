// SPDX-License-Identifier: Apache-2.0
/*
 * region.c - a VM's region as a source; see region.h
 *
 * Each ring in use is a thread of the source and an input of the merge.  Words are
 * copied by ring_read() into the ring's own buffer, where their header words get
 * times in nanoseconds.  What touches the mapped file is in region_poll.c.
 */
#include "source/region_int.h"
#include "base/guard.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files are mapped page by page as they are read. */
#define POPULATE_MAX (256ull << 20)

/* -- merged -- */

static void lost_run(struct region *r, struct region_ring *in, struct src_run *run)
{
	const struct ring_chunk *c = &in->chunk;
	uint64_t begin = c->lost_begin ? clock_ns(&r->clock, c->lost_begin) : r->hdr.facts.mono_ns;
	uint64_t end = clock_ns_after(&r->clock, c->lost_end, in->last_ns);

	if (begin > end)
		begin = end;
	in->last_ns = end;
	in->lost_words[0] = BTAP_HEAD(BTAP_LOST_EVENT, 4, end);
	in->lost_words[1] = c->lost;
	in->lost_words[2] = begin;
	in->lost_words[3] = end;
	run->at = in->lost_words;
	run->end = in->lost_words + 4;
	run->base = end;
	run->is_lost = true;
}

/* Read the next chunk; what of it is to be handed on? */
static int take_chunk(struct region *r, uint32_t i, unsigned int flags, struct diag *d)
{
	struct region_ring *in = &r->rings[i];
	int n = region_poll_ring(r, i, flags, &in->chunk, d);

	if (n > 0) {
		in->has_lost = in->chunk.lost > 0;
		in->has_words = in->chunk.nr_records > 0;
		in->has_damage = in->chunk.damage != NULL;
	}
	return n;
}

/* The merge asks ring @i for its next run. */
static int fill(void *ctx, unsigned int i, struct src_run *run, struct diag *d)
{
	struct region *r = ctx;
	struct region_ring *in = &r->rings[i];
	bool is_over = r->life != REGION_LIVE || r->is_draining;
	int n;

	*run = (struct src_run){ .bound = UINT64_MAX, .thread = i };
	if (!in->has_lost && !in->has_words && !in->has_damage) {
		/* What was handed on before is used up: the writer may have those sub-buffers. */
		region_release_ring(r, i);
		n = take_chunk(r, i, is_over ? RING_FLUSH : 0, d);
		if (n <= 0)
			return n;
	}
	if (in->has_lost) {
		in->has_lost = false;
		lost_run(r, in, run);
		return 1;
	}
	if (in->has_words) {
		in->has_words = false;
		run->at = in->buf;
		run->end = in->buf + in->chunk.nr_words;
		region_turn_chunk(r, i, &in->chunk, &run->base, NULL);
		return 1;
	}
	in->has_damage = false;
	return diag_fail(d, -EPROTO, "%s is damaged: ring %u (%s), sub-buffer %llu, byte %u: %s;"
			 " reading goes on behind it", r->path, in->entry,
			 r->src.threads[i].name, (unsigned long long)in->chunk.number,
			 in->chunk.damage_off, in->chunk.why);
}

static int refill(struct region *r, struct diag *d)
{
	uint64_t window = r->opts.window_ns ? r->opts.window_ns : REGION_WINDOW_NS, now;
	int n;

	if (!r->is_refill_due) {
		/* Before the rings are read: what is older than the window is in them by now. */
		now = region_now_ns();
		n = region_poll(r, d);
		r->kway.limit = r->life != REGION_LIVE ? UINT64_MAX :
				r->is_draining ? r->drain_ns : now - window;
		if (n < 0) {
			r->is_refill_due = n == -EPROTO;
			return n;
		}
	}
	n = kway_refill(&r->kway, d);
	r->is_refill_due = n == -EPROTO;
	return n;
}

static int run(struct src *s, struct src_run *out, struct diag *d)
{
	struct region *r = (struct region *)s;
	bool is_polled = false, is_over;
	int n;

	for (;;) {
		/* After damage: first what the merge did not get to. */
		if (r->is_refill_due && (n = refill(r, d)) < 0)
			return n;
		n = kway_run(&r->kway, out, d);
		r->is_refill_due = n == -EPROTO;
		if (n || r->is_ended || is_polled)
			return n;
		is_over = r->life != REGION_LIVE;
		n = refill(r, d);
		is_polled = true;
		if (n < 0)
			return n;
		if (n == 0 && is_over)
			r->is_ended = true;
		/* It has just died: look once more, for all that is left. */
		if (!is_over && r->life != REGION_LIVE)
			is_polled = false;
	}
}

static int read_counters(struct region *r, void *arg)
{
	uint64_t *v = arg;
	const struct btap_region_hdr *h = (const struct btap_region_hdr *)r->base;
	const struct btap_strtab *t = (const struct btap_strtab *)(r->base + r->hdr.strtab_off);

	v[0] = __atomic_load_n(&h->unwritten, __ATOMIC_RELAXED);
	v[1] = __atomic_load_n(&t->lost, __ATOMIC_RELAXED);
	return 0;
}

static void stats(const struct src *s, struct src_stats *st)
{
	struct region *r = (struct region *)(uintptr_t)s;
	uint64_t v[2] = { r->unwritten_before, 0 };

	region_guarded(r, read_counters, v, NULL);
	memset(st, 0, sizeof(*st));
	for (uint32_t i = 0; i < s->nr_threads; i++) {
		st->records += r->rings[i].ring.records;
		st->bytes += r->rings[i].ring.bytes;
		st->lost += r->rings[i].ring.lost;
	}
	st->lost += v[0] - r->unwritten_before;
	st->late = r->kway.late;
	st->strings_lost = v[1];
}

/* Until what a dead VM left has been read to its end. */
static bool is_live(const struct src *s)
{
	return !((const struct region *)s)->is_ended;
}

static void close_region(struct src *s)
{
	struct region *r = (struct region *)s;

	if (r->lease >= 0)
		region_lease_disable(s, NULL);
	for (uint32_t i = 0; i < r->src.nr_threads; i++)
		free(r->rings[i].buf);
	if (r->lease_map)
		munmap(r->lease_map, (size_t)r->hdr.nr_leases * BTAP_PAGE);
	if (r->base)
		munmap((void *)(uintptr_t)r->base, r->size);
	if (r->fd >= 0)
		close(r->fd);
	kway_fini(&r->kway);
	strings_free(r->strs);
	free(r->rings);
	free(r->src.threads);
	free(r);
}

static const struct src_ops region_ops = {
	.name = "region",
	.run = run,
	.is_live = is_live,
	.enable = region_lease_enable,
	.disable = region_lease_disable,
	.stats = stats,
	.close = close_region,
};

/* -- open -- */

static int copy_hdr(struct region *r, void *arg)
{
	const uint64_t *from = (const uint64_t *)r->base;
	uint64_t *to = (uint64_t *)&r->hdr;

	/* Word 0 is the magic number; pairs with the release in btapw_map_new(). */
	to[0] = __atomic_load_n(&from[0], __ATOMIC_ACQUIRE);
	for (size_t i = 1; i < sizeof(r->hdr) / 8; i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	return 0;
}

/* RING_FROM_NOW begins at the first look. */
static int skip_old(struct region *r, struct diag *d)
{
	int n;

	for (uint32_t i = 0; i < r->src.nr_threads; i++) {
		if (!r->rings[i].ring.is_skipping)
			continue;
		n = take_chunk(r, i, 0, d);
		if (n < 0)
			return n;
	}
	return 0;
}

/* What is damaged now is told by the next region_poll(): the rest can be read. */
static int find_rings(struct region *r, struct diag *d)
{
	int n = region_poll(r, &r->damage);

	if (n < 0 && n != -EPROTO)
		return diag_fail(d, n, "%s", r->damage.nr ? r->damage.text[0] : strerror(-n));
	return 0;
}

int region_begin_now(struct region *r, struct diag *d)
{
	int n = r->damage.nr ? 0 : find_rings(r, d); /* damage that waits is told first */

	if (n < 0)
		return n;
	for (uint32_t i = 0; i < r->src.nr_threads && !r->opts.from_oldest; i++) {
		struct ring *in = &r->rings[i].ring;

		if (!in->records && !in->lost && !in->damages)
			in->is_skipping = true;
	}
	return skip_old(r, d);
}

static int map_region(struct region *r, uint64_t size, struct diag *d)
{
	int n, flags = MAP_SHARED;
	uint64_t v[2] = { 0 };
	struct stat st;
	void *p;

	if (size < BTAP_PAGE)
		return diag_fail(d, -EPROTO, "not a region of beamtap: it has only %llu bytes",
				 (unsigned long long)size);
	/* All at once, if it is all there: a page fault costs more than the records of a page. */
	if (r->ops == &region_dev_ops ||
	    (fstat(r->fd, &st) == 0 && (uint64_t)st.st_blocks * 512 >= size && size <= POPULATE_MAX))
		flags |= MAP_POPULATE;
	p = mmap(NULL, size, PROT_READ, flags, r->fd, 0);
	if (p == MAP_FAILED)
		return diag_fail(d, -errno, "cannot map it: %s", strerror(errno));
	r->base = p;
	r->size = size;
	n = region_guarded(r, copy_hdr, NULL, d);
	if (n == 0)
		n = region_hdr_check(&r->hdr, size, d);
	if (n < 0)
		return n;
	r->vm.facts = r->hdr.facts;
	clock_init(&r->clock, &r->hdr.facts);
	n = region_guarded(r, region_look, NULL, d);
	if (n < 0)
		return n;
	if (r->life == REGION_LIVE && !r->opts.from_oldest)
		region_guarded(r, read_counters, v, NULL);
	r->unwritten_before = v[0];
	n = find_rings(r, d);
	if (n < 0)
		return n;
	r->is_opened = true;
	return skip_old(r, d);
}

int region_open(struct region **out, const char *path, const struct region_opts *opts,
		struct diag *d)
{
	struct region *r = calloc(1, sizeof(*r));
	uint64_t size = 0;
	int n;

	*out = NULL;
	if (!r)
		return diag_fail(d, -ENOMEM, "no memory");
	r->fd = -1;
	r->lease = -1;
	r->ops = strncmp(path, REGION_DEV_PREFIX, strlen(REGION_DEV_PREFIX)) == 0 ?
			 &region_dev_ops : &region_lease_ops;
	if (opts)
		r->opts = *opts;
	snprintf(r->path, sizeof(r->path), "%s", path);
	guard_install();
	kway_init(&r->kway, fill, r);
	r->strs = strings_new();
	r->vm.path = r->path;
	r->vm.strs = r->strs;
	r->src = (struct src){ .ops = &region_ops, .vms = &r->vm, .nr_vms = 1 };
	n = !r->strs ? diag_fail(d, -ENOMEM, "no memory") : 0;
	if (n == 0)
		n = r->fd = r->ops->open(path, &r->is_writable, &size, d);
	if (n >= 0) {
		n = map_region(r, size, d);
		if (n < 0)
			diag_fail(d, n, "cannot read the region %s", path);
	}
	if (n < 0) {
		close_region(&r->src);
		return n;
	}
	*out = r;
	return 0;
}

struct src *region_src(struct region *r)
{
	return &r->src;
}

const struct btap_region_hdr *region_hdr(const struct region *r)
{
	return &r->hdr;
}

const char *region_path(const struct region *r)
{
	return r->path;
}

struct clock_map *region_clock(struct region *r)
{
	return &r->clock;
}

struct src_strings *region_strings(struct region *r)
{
	return r->strs;
}

const char *region_answer(const struct region *r)
{
	return r->answer;
}

uint64_t region_unwritten(struct region *r)
{
	uint64_t v[2] = { 0 };

	region_guarded(r, read_counters, v, NULL);
	return v[0];
}

enum region_life region_alive(struct region *r, char *why, size_t size)
{
	static const char *const text[] = {
		[REGION_LIVE] = "the VM runs",
		[REGION_CLOSED] = "the VM's side of beamtap was stopped, or the VM ended in order",
		[REGION_DEAD] = "the VM has ended without a word: it was killed, or it crashed",
		[REGION_CUT] = "the region's file was truncated while it was read",
	};

	if (r->life == REGION_LIVE)
		region_guarded(r, region_look, NULL, NULL);
	if (why)
		snprintf(why, size, "%s", text[r->life]);
	return r->life;
}
