// SPDX-License-Identifier: GPL-2.0
/*
 * lease.c - what readers ask for
 *
 * A lease is kept here, and its page in the region shows it to the VM: the kernel
 * writes the page and never reads it.  The VM's controller sees by itself when one
 * expires (the heartbeat in the page is old), so that no timer is needed here.
 */
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include "lease.h"
#include "region.h"

#define TTL_MIN_NS NSEC_PER_SEC
#define TTL_MAX_NS (60 * NSEC_PER_SEC)

static struct btap_lease *page_of(const struct btap_region *r, unsigned int i)
{
	return btap_region_at(r, r->lease_off + (u64)i * BTAP_PAGE);
}

static bool is_expired(const struct btap_lease_state *l, u64 now)
{
	return now - l->beat_ns > l->ttl_ns;
}

/* With the lock.  Return: index, or -ENOENT. */
static int find(const struct btap_region *r, const void *holder)
{
	unsigned int i;

	for (i = 0; i < r->nr_leases; i++)
		if (r->lease[i].holder == holder)
			return i;
	return -ENOENT;
}

static void changed(struct btap_region *r)
{
	struct btap_ctl *ctl = btap_region_ctl(r);
	unsigned int i, nr = 0;

	for (i = 0; i < r->nr_leases; i++)
		nr += !!r->lease[i].holder;
	WRITE_ONCE(ctl->off_since_ns, nr ? 0 : ktime_get_ns());
	WRITE_ONCE(r->lease_changes, r->lease_changes + 1);
	wake_up_interruptible(&r->wait);
}

static void clear(struct btap_region *r, unsigned int i)
{
	r->lease[i].holder = NULL;
	r->lease[i].flags = 0;
	/* Pairs with the acquire of the VM's controller. */
	smp_store_release(&page_of(r, i)->gen, 0);
}

static int check(const struct btap_lease_req *req)
{
	if (req->reserved || (req->flags & ~(BTAP_LEASE_STATE | BTAP_LEASE_STOP)))
		return -EINVAL;
	if (req->ttl_ns < TTL_MIN_NS || req->ttl_ns > TTL_MAX_NS)
		return -EINVAL;
	if (req->spec_len > BTAP_LEASE_SPEC_MAX || (req->want[0] & 1))
		return -EINVAL;
	return 0;
}

/* A page for this holder: his own, a free one, one that has expired. */
static int choose(struct btap_region *r, const void *holder, const struct btap_lease_req *req,
		  u64 now)
{
	int i, own = find(r, holder), free = -1, expired = -1;

	for (i = 0; i < (int)r->nr_leases; i++) {
		struct btap_lease_state *l = &r->lease[i];

		if (!l->holder) {
			if (free < 0)
				free = i;
			continue;
		}
		if (i == own)
			continue;
		if (is_expired(l, now)) {
			expired = i;
			/* He may have stopped the rings when full: that would be for ever. */
			if ((req->flags & l->flags) & BTAP_LEASE_STOP)
				clear(r, i);
		} else if ((req->flags & l->flags) & BTAP_LEASE_STOP) {
			return -EBUSY;
		}
	}
	if (own >= 0)
		return own;
	if (free >= 0)
		return free;
	return expired >= 0 ? expired : -EBUSY;
}

static void show(struct btap_region *r, unsigned int i, const struct btap_lease_req *req,
		 const char *spec)
{
	struct btap_lease_state *l = &r->lease[i];
	struct btap_lease *page = page_of(r, i);
	unsigned int w;

	/* Odd: being written.  The VM copies, and looks at gen again. */
	WRITE_ONCE(page->gen, l->gen - 1);
	/* Pairs with the acquire fence of the VM's controller, before it looks again. */
	smp_wmb();
	WRITE_ONCE(page->heartbeat_ns, l->beat_ns);
	WRITE_ONCE(page->ttl_ns, l->ttl_ns);
	for (w = 0; w < BTAP_MASK_WORDS; w++)
		WRITE_ONCE(page->want[w], req->want[w]);
	WRITE_ONCE(page->flags, req->flags);
	WRITE_ONCE(page->pid, task_tgid_vnr(current));
	WRITE_ONCE(page->spec_len, req->spec_len);
	memcpy(page->who, req->who, sizeof(page->who));
	for (w = 0; w < BTAP_MASK_WORDS; w++)
		WRITE_ONCE(page->stack[w], req->stack[w]);
	if (req->spec_len)
		memcpy(page->spec, spec, req->spec_len);
	/* Pairs with the acquire of the VM's controller. */
	smp_store_release(&page->gen, l->gen);
}

int btap_lease_set(struct btap_region *r, const void *holder, struct btap_lease_req *req,
		   const char *spec)
{
	struct btap_lease_state *l;
	u64 now = ktime_get_ns();
	int i = check(req);

	if (i)
		return i;
	mutex_lock(&r->lock);
	i = r->is_dead ? -ESRCH : choose(r, holder, req, now);
	if (i >= 0) {
		l = &r->lease[i];
		l->holder = holder;
		l->gen += 2;
		l->ttl_ns = req->ttl_ns;
		l->beat_ns = now;
		l->flags = req->flags;
		show(r, i, req, spec);
		changed(r);
		req->index = i;
		req->gen = l->gen;
	}
	mutex_unlock(&r->lock);
	return i < 0 ? i : 0;
}

int btap_lease_beat(struct btap_region *r, const void *holder)
{
	int i;

	mutex_lock(&r->lock);
	i = r->is_dead ? -ESRCH : find(r, holder);
	if (i >= 0) {
		r->lease[i].beat_ns = ktime_get_ns();
		WRITE_ONCE(page_of(r, i)->heartbeat_ns, r->lease[i].beat_ns);
	}
	mutex_unlock(&r->lock);
	return i < 0 ? i : 0;
}

int btap_lease_return(struct btap_region *r, const void *holder)
{
	int i;

	mutex_lock(&r->lock);
	i = find(r, holder);
	if (i >= 0) {
		clear(r, i);
		changed(r);
	}
	mutex_unlock(&r->lock);
	return i < 0 ? i : 0;
}

int btap_lease_tail(struct btap_region *r, const void *holder, const struct btap_tail *req)
{
	u64 off;
	int i;

	if (req->ring >= r->nr_rings || req->reserved)
		return -EINVAL;
	mutex_lock(&r->lock);
	i = r->is_dead ? -ESRCH : find(r, holder);
	if (i == -ENOENT || (i >= 0 && !(r->lease[i].flags & BTAP_LEASE_STOP)))
		i = -EACCES;
	if (i >= 0) {
		off = r->ring_off + req->ring * sizeof(struct btap_ring) +
		      offsetof(struct btap_ring, tail);
		/* Pairs with the writer's acquire: what lies below has been copied. */
		smp_store_release((u64 *)btap_region_at(r, off), req->tail);
	}
	mutex_unlock(&r->lock);
	return i < 0 ? i : 0;
}

void btap_lease_seen(struct btap_region *r)
{
	mutex_lock(&r->lock);
	r->lease_seen = r->lease_changes;
	mutex_unlock(&r->lock);
}
