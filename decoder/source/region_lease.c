// SPDX-License-Identifier: Apache-2.0
/*
 * region_lease.c - ask a live VM for events; and how that is done in a file
 *
 * A lease is a page of the region and, in a file, a lock on one byte of it.  We write our
 * wishes there, renew the heartbeat, and wait for the VM's answer; both end with us, however
 * we end.
 */
#include "source/region_int.h"
#include "base/guard.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* ThreadSanitizer does not model fences; all words here are atomics, so it needs not. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

#define SET(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)
#define GET(p)	  __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define WAIT_NS	  3000000000ull
#define BEAT_NS	  (BTAP_TTL_NS / 10)

static int lock_byte(int fd, uint64_t byte, short type)
{
	struct flock fl = { .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte,
			    .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &fl) < 0 ? -errno : 0;
}

static struct btap_lease *lease_at(const struct region *r, unsigned int i)
{
	return (struct btap_lease *)((unsigned char *)r->lease_map + (size_t)i * BTAP_PAGE);
}

/* As region_guarded(), for the writable mappings. */
static int guarded(struct region *r, void (*fn)(struct region *r, const struct src_want *want),
		   const struct src_want *want)
{
	struct guard lease;

	guard_begin(&lease, r->lease_map, (size_t)r->hdr.nr_leases * BTAP_PAGE);
	if (guard_faulted(&lease)) {
		r->life = REGION_CUT;
		return -EIO;
	}
	fn(r, want);
	guard_end(&lease);
	return 0;
}

static void write_beat(struct region *r, const struct src_want *want)
{
	SET(lease_at(r, (unsigned int)r->lease)->heartbeat_ns, r->beat_ns);
}

void region_heartbeat(struct region *r)
{
	uint64_t now;

	if (r->lease < 0 || r->life == REGION_CUT)
		return;
	now = region_now_ns();
	if (now - r->beat_ns < BEAT_NS)
		return;
	r->beat_ns = now;
	r->ops->beat(r);
}

static void file_beat(struct region *r)
{
	guarded(r, write_beat, NULL);
}

static void write_lease(struct region *r, const struct src_want *want)
{
	struct btap_lease *l = lease_at(r, (unsigned int)r->lease);
	size_t spec_len = want->functions ? strlen(want->functions) : 0;
	uint64_t old = GET(l->gen);

	/* Larger than what stood here and than what was answered last, whoever's it was. */
	if (r->gen < old)
		r->gen = old;
	r->gen = ((r->gen & (UINT64_MAX >> 2)) | 1) + 1;
	SET(l->gen, r->gen - 1);
	/* Pairs with the fence in btapw_map_leases(): who saw a new word sees the odd gen. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	r->beat_ns = region_now_ns();
	SET(l->heartbeat_ns, r->beat_ns);
	SET(l->ttl_ns, BTAP_TTL_NS);
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++)
		SET(l->want[i], want->events[i]);
	SET(l->flags, want->flags);
	SET(l->pid, (uint32_t)getpid());
	SET(l->spec_len, (uint32_t)spec_len);
	for (size_t i = 0; i < sizeof(l->who); i++)
		SET(l->who[i], want->who && i < strnlen(want->who, sizeof(l->who) - 1) ?
				       want->who[i] : '\0');
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++)
		SET(l->stack[i], want->stacks[i]);
	for (size_t i = 0; i < spec_len; i++)
		SET(l->spec[i], want->functions[i]);
	/* Pairs with the acquire in btapw_map_leases(). */
	__atomic_store_n(&l->gen, r->gen, __ATOMIC_RELEASE);
}

static void clear_lease(struct region *r, const struct src_want *want)
{
	__atomic_store_n(&lease_at(r, (unsigned int)r->lease)->gen, 0, __ATOMIC_RELEASE);
}

struct answer_copy {
	uint64_t gen; /* in: of which lease; out: whose answer it is */
	int error;
	char text[sizeof(((struct btap_answer *)0)->text)];
};

static const struct btap_answer *answer_at(const struct region *r, int i)
{
	return (const struct btap_answer *)(r->base + r->hdr.answer_off +
					    (size_t)i * sizeof(struct btap_answer));
}

static int copy_answer(struct region *r, void *arg)
{
	struct answer_copy *a = arg;
	const struct btap_answer *s = answer_at(r, r->lease);

	/* Pairs with the release in btapw_map_answer(). */
	a->gen = __atomic_load_n(&s->gen, __ATOMIC_ACQUIRE);
	a->error = GET(s->error);
	for (size_t i = 0; i < sizeof(a->text); i++)
		a->text[i] = GET(s->text[i]);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (GET(s->gen) != a->gen)
		a->gen = 0;
	a->text[sizeof(a->text) - 1] = '\0';
	for (char *p = a->text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return 0;
}

static int take_lease(struct region *r, struct diag *d)
{
	struct answer_copy a = { 0 };
	void *p;

	if (!r->is_writable)
		return diag_fail(d, -EACCES, "%s may only be read: to switch events on, run beamtap as"
				 " the node's user or as root", r->path);
	if (!r->lease_map) {
		p = mmap(NULL, (size_t)r->hdr.nr_leases * BTAP_PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED, r->fd, (off_t)r->hdr.lease_off);
		if (p == MAP_FAILED)
			return diag_fail(d, -errno, "cannot map the leases of %s: %s", r->path,
					 strerror(errno));
		r->lease_map = p;
	}
	for (uint32_t i = 0; i < r->hdr.nr_leases; i++) {
		if (lock_byte(r->fd, BTAP_LOCK_LEASE + i, F_WRLCK) < 0)
			continue;
		r->lease = (int)i;
		r->gen = 0;
		if (region_guarded(r, copy_answer, &a, d) < 0)
			return -EIO;
		r->gen = a.gen;
		return 0;
	}
	return diag_fail(d, -EBUSY, "all %u readers that %s can serve are there already; end one of"
			 " them", r->hdr.nr_leases, r->path);
}

static int release_tails(struct region *r, void *arg)
{
	for (uint32_t i = 0; i < r->src.nr_threads; i++)
		region_release_ring(r, i);
	return 0;
}

/* Become the one whom rings wait for when they are full. */
static int take_charge(struct region *r, struct diag *d)
{
	/* A mapping begins at a page, and the directory does. */
	size_t len = (size_t)r->hdr.nr_rings * r->hdr.ring_entry_size;
	void *p;

	if (r->tail_map)
		return 0;
	if (lock_byte(r->fd, BTAP_LOCK_STOP, F_WRLCK) < 0)
		return diag_fail(d, -EBUSY, "another reader of %s has its rings stop when they are full;"
				 " only one at a time can", r->path);
	p = len ? mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		       (off_t)r->hdr.ring_off) : MAP_FAILED;
	if (p == MAP_FAILED) {
		lock_byte(r->fd, BTAP_LOCK_STOP, F_UNLCK);
		return diag_fail(d, -ENOMEM, "cannot map the rings of %s", r->path);
	}
	r->tail_map = p;
	return region_guarded(r, release_tails, NULL, d);
}

static void leave_charge(struct region *r)
{
	if (!r->tail_map)
		return;
	munmap(r->tail_map, (size_t)r->hdr.nr_rings * r->hdr.ring_entry_size);
	r->tail_map = NULL;
	lock_byte(r->fd, BTAP_LOCK_STOP, F_UNLCK);
}

static int file_want(struct region *r, const struct src_want *want, struct diag *d)
{
	int n = r->lease < 0 ? take_lease(r, d) : 0;

	if (n == 0 && (want->flags & BTAP_LEASE_STOP))
		n = take_charge(r, d);
	else
		leave_charge(r);
	return n ? n : guarded(r, write_lease, want);
}

static void file_give(struct region *r)
{
	if (r->life != REGION_CUT)
		guarded(r, clear_lease, NULL);
	leave_charge(r);
	lock_byte(r->fd, BTAP_LOCK_LEASE + (uint64_t)r->lease, F_UNLCK);
}

static bool file_is_alive(const struct region *r)
{
	return region_hdr_is_locked(r->fd, BTAP_LOCK_VM);
}

static void file_release(struct region *r, uint32_t i)
{
	struct guard g;

	if (!r->tail_map)
		return;
	guard_begin(&g, r->tail_map, (size_t)r->hdr.nr_rings * r->hdr.ring_entry_size);
	if (guard_faulted(&g)) {
		r->life = REGION_CUT;
		return;
	}
	ring_release(&r->rings[i].ring,
		     (struct btap_ring *)((unsigned char *)r->tail_map +
					  (size_t)r->rings[i].entry * r->hdr.ring_entry_size));
	guard_end(&g);
}

static int wait_answer(struct region *r, struct diag *d)
{
	static const struct timespec nap = { 0, 5000000 };
	uint64_t begin = region_now_ns();
	struct answer_copy a;
	char why[120];

	for (;;) {
		if (region_guarded(r, copy_answer, &a, d) < 0)
			return -EIO;
		if (a.gen == r->gen)
			break;
		if (region_alive(r, why, sizeof(why)) != REGION_LIVE)
			return diag_fail(d, -ESRCH, "%s", why);
		if (region_now_ns() - begin > WAIT_NS)
			return diag_fail(d, -ETIMEDOUT, "the node has not answered in %llu s; is its"
					 " agent running (application beamtap), or the node stopped?",
					 WAIT_NS / 1000000000u);
		region_heartbeat(r);
		nanosleep(&nap, NULL);
	}
	memcpy(r->answer, a.text, sizeof(r->answer));
	if (a.error == 0)
		return 0;
	/* Whatever number it is, ours is an errno. */
	if (a.error > 0 || a.error < -4095)
		a.error = -EPROTO;
	return diag_fail(d, a.error, "the node refused: %s", a.text[0] ? a.text : strerror(-a.error));
}

int region_lease_enable(struct src *s, const struct src_want *want, struct diag *d)
{
	struct region *r = (struct region *)s;
	char why[120];
	int n;

	if (region_alive(r, why, sizeof(why)) != REGION_LIVE)
		return diag_fail(d, -ESRCH, "events cannot be switched on: %s", why);
	if (want->functions && strlen(want->functions) > BTAP_LEASE_SPEC_MAX)
		return diag_fail(d, -E2BIG, "the list of functions has %zu bytes, %zu are possible; use"
				 " patterns", strlen(want->functions), (size_t)BTAP_LEASE_SPEC_MAX);
	n = r->lease < 0 ? region_begin_now(r, d) : 0;
	if (n == 0)
		n = r->ops->want(r, want, d);
	r->is_draining = false;
	if (n == 0)
		n = wait_answer(r, d);
	if (n < 0)
		region_lease_disable(s, NULL);
	return n;
}

int region_lease_disable(struct src *s, struct diag *d)
{
	struct region *r = (struct region *)s;

	r->is_draining = true;
	r->drain_ns = region_now_ns();
	if (r->lease < 0)
		return 0;
	r->ops->give(r);
	r->lease = -1;
	return 0;
}

void region_release_ring(struct region *r, uint32_t i)
{
	if (i < r->src.nr_threads && r->life != REGION_CUT)
		r->ops->release(r, i);
}

const struct region_ops region_lease_ops = {
	.open = region_hdr_open,
	.is_alive = file_is_alive,
	.want = file_want,
	.beat = file_beat,
	.give = file_give,
	.release = file_release,
};
