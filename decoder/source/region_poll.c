// SPDX-License-Identifier: Apache-2.0
/*
 * region_poll.c - look into a mapped region: what is new, and the next piece of a ring
 *
 * The only file that touches the mapping (but for leases).  It goes through
 * region_guarded(), because the file may be cut under us.
 */
#include "source/region_int.h"
#include "base/guard.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often it is asked whether the VM lives: a system call. */
#define LIFE_NS 50000000ull
/* A gap inside a chunk that 46 bits of time can still tell. */
#define GAP_MAX ((1ull << (BTAP_TIME_BITS - 1)) - 1)

uint64_t region_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int region_guarded(struct region *r, int (*fn)(struct region *r, void *arg), void *arg,
		   struct diag *d)
{
	struct guard g;
	int n;

	if (r->life == REGION_CUT)
		return diag_fail(d, -EIO, "%s was cut off while it was read", r->path);
	guard_begin(&g, r->base, r->size);
	if (guard_faulted(&g)) {
		r->life = REGION_CUT;
		return diag_fail(d, -EIO, "%s was cut off while it was read: somebody truncated the"
				 " file", r->path);
	}
	n = fn(r, arg);
	guard_end(&g);
	return n;
}

static const struct btap_ring *entry_of(const struct region *r, uint32_t i)
{
	return (const struct btap_ring *)(r->base + r->hdr.ring_off +
					  (uint64_t)i * r->hdr.ring_entry_size);
}

/* -- what can be new: threads, strings, clock pairs -- */

/* The numbers of a ring, copied; false when they are impossible. */
static bool copy_entry(const struct region *r, const struct btap_ring *shared,
		       struct btap_ring *copy)
{
	memcpy(copy, shared, offsetof(struct btap_ring, turn));
	copy->name[sizeof(copy->name) - 1] = '\0';
	if (copy->sub_size < BTAP_SUB_MIN || copy->sub_size > BTAP_SUB_MAX ||
	    (copy->sub_size & (copy->sub_size - 1)) || copy->nr_subs < 2 ||
	    (copy->nr_subs & (copy->nr_subs - 1)) || copy->data_off % 8 ||
	    copy->data_off < r->hdr.data_off || copy->data_off > r->hdr.total_size)
		return false;
	if ((uint64_t)copy->sub_size * copy->nr_subs > r->hdr.total_size - copy->data_off)
		return false;
	/* Rings that lie over one another would make us allocate more than the file has. */
	return (uint64_t)copy->sub_size <= r->hdr.total_size - r->buf_bytes;
}

static int grow(struct region *r)
{
	uint32_t cap = r->cap_rings ? 2 * r->cap_rings : 16;
	void *p = realloc(r->rings, cap * sizeof(*r->rings));

	if (!p)
		return -ENOMEM;
	r->rings = p;
	p = realloc(r->src.threads, cap * sizeof(*r->src.threads));
	if (!p)
		return -ENOMEM;
	r->src.threads = p;
	r->cap_rings = cap;
	return 0;
}

/* Ring @i of the directory has come into use. */
static int add_ring(struct region *r, uint32_t i, struct diag *d)
{
	const struct btap_ring *shared = entry_of(r, i);
	bool from_now = !r->is_opened && r->life == REGION_LIVE && !r->opts.from_oldest;
	struct region_ring *in;
	struct src_thread *t;
	struct btap_ring copy;

	if (!copy_entry(r, shared, &copy)) {
		r->entry_state[i] = 2;
		return diag_fail(d, -EPROTO, "ring %u of %s is damaged: %u sub-buffers of %u bytes at"
				 " %llu are impossible; the others can be read", i, r->path,
				 copy.nr_subs, copy.sub_size, (unsigned long long)copy.data_off);
	}
	if (r->src.nr_threads == r->cap_rings && grow(r) < 0)
		return diag_fail(d, -ENOMEM, "no memory for another thread");
	if (kway_add(&r->kway) < 0)
		return diag_fail(d, -ENOMEM, "no memory for another thread");
	in = &r->rings[r->src.nr_threads];
	memset(in, 0, sizeof(*in));
	in->entry = i;
	ring_init(&in->ring, shared, r->base + copy.data_off, copy.sub_size, copy.nr_subs,
		  from_now ? RING_FROM_NOW : RING_FROM_OLDEST);
	r->buf_bytes += copy.sub_size;
	t = &r->src.threads[r->src.nr_threads++];
	*t = (struct src_thread){ 0, copy.kind, copy.number, copy.tid, { 0 } };
	memcpy(t->name, copy.name, sizeof(t->name));
	r->entry_state[i] = 1;
	return 0;
}

static int load_strings(struct region *r, struct diag *d)
{
	const struct btap_strtab *t = (const struct btap_strtab *)(r->base + r->hdr.strtab_off);
	/* Pairs with the release in btapw_map_string(). */
	uint64_t used = __atomic_load_n(&t->used, __ATOMIC_ACQUIRE);
	int n;

	if (used == r->str_next || r->is_str_bad)
		return 0;
	if (used > r->hdr.strtab_size - sizeof(*t) || used < r->str_next) {
		r->is_str_bad = true;
		return diag_fail(d, -EPROTO, "the string table of %s is damaged: it says it has %llu"
				 " bytes; names after this are not known", r->path,
				 (unsigned long long)used);
	}
	n = strings_load(r->strs, t->data, r->str_next, used, &r->str_next, d);
	if (n < 0) {
		r->is_str_bad = true;
		return n;
	}
	return 0;
}

static void look_at_life(struct region *r, uint64_t now)
{
	const struct btap_region_hdr *h = (const struct btap_region_hdr *)r->base;

	/* Pairs with the release in btapw_map_close(). */
	if (__atomic_load_n(&h->state, __ATOMIC_ACQUIRE) == BTAP_STATE_CLOSED)
		r->life = REGION_CLOSED;
	else if (!r->ops->is_alive(r))
		r->life = REGION_DEAD;
	/* The node may have got its name meanwhile. */
	for (size_t i = 0; i < sizeof(h->facts.node) - 1; i++)
		r->vm.facts.node[i] = __atomic_load_n(&h->facts.node[i], __ATOMIC_RELAXED);
	r->life_ns = now;
}

int region_look(struct region *r, void *arg)
{
	look_at_life(r, region_now_ns());
	return 0;
}

struct poll_args {
	uint64_t now;
	struct diag *d;
};

static int poll_shared(struct region *r, void *arg)
{
	const struct poll_args *a = arg;
	int err = 0, n;

	/* First: what a dead VM has written is all there for the steps below. */
	if (r->life == REGION_LIVE && a->now - r->life_ns >= LIFE_NS)
		look_at_life(r, a->now);
	clock_load(&r->clock, (const struct btap_clocks *)(r->base + r->hdr.clock_off));
	for (uint32_t i = 0; i < r->hdr.nr_rings; i++) {
		/* Pairs with the release in btapw_map_thread(). */
		if (r->entry_state[i] ||
		    !__atomic_load_n(&entry_of(r, i)->used, __ATOMIC_ACQUIRE))
			continue;
		n = add_ring(r, i, a->d);
		if (n < 0 && !err)
			err = n;
	}
	n = load_strings(r, a->d);
	return err ? err : n;
}

int region_poll(struct region *r, struct diag *d)
{
	struct poll_args a = { region_now_ns(), d };

	if (r->is_opened && r->damage.nr) {
		diag_fail(d, -EPROTO, "%s", r->damage.text[--r->damage.nr]);
		return -EPROTO;
	}
	region_heartbeat(r);
	return region_guarded(r, poll_shared, &a, d);
}

/* -- by the ring -- */

struct read_args {
	struct region_ring *in;
	uint64_t *buf;
	unsigned int flags;
	struct ring_chunk *c;
};

static int read_shared(struct region *r, void *arg)
{
	struct read_args *a = arg;

	return ring_read(&a->in->ring, a->buf, a->flags, a->c);
}

int region_poll_ring_into(struct region *r, uint32_t i, unsigned int flags, uint64_t *buf,
			  struct ring_chunk *c, struct diag *d)
{
	struct read_args a;

	if (i >= r->src.nr_threads)
		return diag_fail(d, -EINVAL, "there is no thread %u", i);
	a = (struct read_args){ &r->rings[i], buf, flags, c };
	return region_guarded(r, read_shared, &a, d);
}

int region_poll_ring(struct region *r, uint32_t i, unsigned int flags, struct ring_chunk *c,
		     struct diag *d)
{
	struct region_ring *in;

	if (i >= r->src.nr_threads)
		return diag_fail(d, -EINVAL, "there is no thread %u", i);
	in = &r->rings[i];
	if (!in->buf) {
		in->buf = malloc(in->ring.sub_size);
		if (!in->buf)
			return diag_fail(d, -ENOMEM, "no memory for a sub-buffer of %u bytes",
					 in->ring.sub_size);
	}
	return region_poll_ring_into(r, i, flags, in->buf, c, d);
}

uint32_t region_ring_size(const struct region *r, uint32_t i, uint32_t *nr_subs)
{
	*nr_subs = r->rings[i].ring.nr_subs;
	return r->rings[i].ring.sub_size;
}

void region_turn_chunk(struct region *r, uint32_t i, struct ring_chunk *c, uint64_t *begin_ns,
		       uint64_t *end_ns)
{
	struct region_ring *in = &r->rings[i];
	uint64_t *w = in->buf, *end = w + c->nr_words;
	uint64_t ticks = c->begin_time, last = in->last_ns, first = 0, ns, head;
	struct clock_span span = clock_span(&r->clock, ticks);

	while (w < end) {
		head = *w;
		ticks = BTAP_TIME_FULL(head, ticks);
		if (ticks - span.lo >= span.len)
			span = clock_span(&r->clock, ticks);
		if (ticks - span.lo < span.len)
			ns = clock_span_ns(&span, ticks);
		else
			ns = clock_ns(&r->clock, ticks);
		if (ns < last)
			ns = last;
		if (!first)
			first = ns;
		else if (ns - last > GAP_MAX)
			ns = last + GAP_MAX;
		last = ns;
		*w = (head & ((1ull << BTAP_TIME_SHIFT) - 1)) | ns << BTAP_TIME_SHIFT;
		w += BTAP_HEAD_WORDS(head);
	}
	in->last_ns = last;
	if (begin_ns)
		*begin_ns = first ? first : last;
	if (end_ns)
		*end_ns = last;
}
