// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_map.c - the VM's region: its life, rings for threads; see btapw_map.h
 *
 * The layout is computed first, for ring sizes that are halved until there is room for
 * them; then the memory is taken, from the kernel module (btapw_map_dev.c) or in a file
 * (btapw_map_shm.c), mapped, set up, and published by its magic number.
 */
#include "btapw_map_int.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SET(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)

static void set_up(struct btapw_map *m, const struct btapw_plan *p, const struct btap_facts *facts)
{
	struct btap_region_hdr *h = m->hdr;
	uint64_t data = p->data;
	uint32_t i = 0, kind;

	h->abi = BTAP_ABI;
	h->hdr_size = sizeof(*h);
	h->total_size = p->total;
	h->state = BTAP_STATE_OPEN;
	h->nr_leases = BTAP_MAX_LEASES;
	h->ctl_off = p->ctl;
	h->lease_off = p->lease;
	h->answer_off = p->answer;
	h->clock_off = p->clock;
	h->strtab_off = p->strtab;
	h->strtab_size = p->ring - p->strtab;
	h->ring_off = p->ring;
	h->nr_rings = p->nr_rings;
	h->ring_entry_size = sizeof(struct btap_ring);
	h->data_off = p->data;
	h->facts = *facts;
	m->off_since_ns = btapw_map_now_ns();
	m->ops->set(m, BTAP_ON_RING, m->on);

	for (kind = 0; kind <= BTAP_THREAD_POLL; kind++) {
		uint64_t bytes = btapw_plan_ring_bytes(p, kind), sub = p->sub_bytes;

		/* Four sub-buffers or more if possible: a lapped reader loses one of them. */
		while (sub > bytes / 4 && sub > BTAP_SUB_MIN)
			sub /= 2;
		for (uint32_t n = 0; n < p->nr[kind]; n++, i++) {
			struct btapw_slot *s = &m->slot[i];

			*s = (struct btapw_slot){ data + n * bytes, (uint32_t)sub,
						  (uint32_t)(bytes / sub), kind, 0 };
			m->ring[i].kind = kind;
			m->ring[i].data_off = s->data_off;
			m->ring[i].sub_size = s->sub_size;
			m->ring[i].nr_subs = s->nr_subs;
		}
		data += btapw_plan_pages(p->nr[kind] * bytes);
	}
}

/* The memory is there: fill it in, and show it. */
static int publish(struct btapw_map *m, const struct btapw_plan *p, char why[BTAPW_WHY_MAX])
{
	const struct btap_facts *facts = &m->facts;
	int r;

	m->size = p->total;
	m->hdr = (struct btap_region_hdr *)m->base;
	m->ctl = (struct btap_ctl *)(m->base + p->ctl);
	m->lease_off = p->lease;
	m->answer = (struct btap_answer *)(m->base + p->answer);
	m->clocks = (struct btap_clocks *)(m->base + p->clock);
	m->strtab = (struct btap_strtab *)(m->base + p->strtab);
	m->ring = (struct btap_ring *)(m->base + p->ring);
	m->nr_slots = p->nr_rings;
	m->slot = calloc(p->nr_rings, sizeof(*m->slot));
	m->is_tsc = facts->clock == BTAP_CLOCK_TSC;
	if (!m->slot ||
	    btapw_map_str_init(m, p->ring - p->strtab - sizeof(struct btap_strtab)) < 0)
		return btapw_plan_why(why, -ENOMEM, "no memory for the region's tables");
	set_up(m, p, facts);
	btapw_map_clock(m);
	/* Pairs with the acquire in region_open(): all is set up. */
	__atomic_store_n(&m->hdr->magic, BTAP_MAGIC, __ATOMIC_RELEASE);
	r = m->ops->publish(m);
	if (r < 0)
		btapw_plan_why(why, r, "cannot publish %s: %s", m->path, strerror(-r));
	return r;
}

static int make(struct btapw_map **out, const struct btapw_map_ops *ops,
		const struct btapw_map_opts *opts, char why[BTAPW_WHY_MAX])
{
	struct btapw_map *m;
	struct btapw_plan plan;
	int r = btapw_plan_make(&plan, opts, why);

	if (r < 0)
		return r;
	m = calloc(1, sizeof(*m));
	if (!m)
		return btapw_plan_why(why, -ENOMEM, "no memory");
	m->ops = ops;
	m->fd = -1;
	m->dev_fd = -1;
	m->facts = opts->facts;
	btapw_map_facts(&m->facts, opts->clock);
	r = ops->make(m, &plan, opts, why);
	if (r == 0) {
		r = publish(m, &plan, why);
		if (r < 0)
			ops->undo(m);
	}
	if (r < 0) {
		btapw_map_free(m);
		return r;
	}
	*out = m;
	return 0;
}

int btapw_map_new(struct btapw_map **out, const struct btapw_map_opts *opts,
		  char why[BTAPW_WHY_MAX])
{
	char why_not[BTAPW_WHY_MAX] = "";
	int r;

	*out = NULL;
	why[0] = '\0';
	if (btapw_map_dev_is_wanted(opts)) {
		if (make(out, &btapw_map_dev_ops, opts, why) == 0)
			return 0;
		memcpy(why_not, why, sizeof(why_not));
		why[0] = '\0';
	}
	r = make(out, &btapw_map_shm_ops, opts, why);
	/* It works, but without tracepoints. */
	if (r == 0 && *why_not && !*why)
		memcpy(why, why_not, sizeof(why_not));
	return r;
}

int btapw_map_fill(struct btapw_map *m, char why[BTAPW_WHY_MAX])
{
	int r;

	why[0] = '\0';
	if (!m || m->is_closed)
		return -ENODEV;
	if (!m->is_lazy)
		return 0;
	r = m->ops->fill(m, why);
	if (r == 0)
		m->is_lazy = false;
	return r;
}

int btapw_map_ctl_at(struct btapw_map *m, void *page)
{
	if (!m || m->is_closed)
		return -ENODEV;
	if (mmap(page, BTAP_PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, m->fd,
		 (off_t)((unsigned char *)m->ctl - m->base)) == MAP_FAILED)
		return -errno;
	return 0;
}

void btapw_map_close(struct btapw_map *m)
{
	if (!m || m->is_closed)
		return;
	m->is_closed = true;
	if (m->hdr) {
		memset(m->on, 0, sizeof(m->on));
		m->ops->set(m, BTAP_ON_RING, m->on);
		m->ops->set(m, BTAP_ON_STACK, m->on);
		m->ops->set(m, BTAP_ON_USDT, m->on);
		/* Pairs with the acquire in region_poll(): nothing is written any more. */
		__atomic_store_n(&m->hdr->state, BTAP_STATE_CLOSED, __ATOMIC_RELEASE);
	}
	if (m->fd >= 0)
		m->ops->close(m);
	/* Tracepoints, too: the kernel's bits are nobody's any more. */
	for (unsigned int i = 0; m->hdr && i < BTAP_MAX_EVENTS; i++)
		SET(m->ctl->on[i], 0);
}

void btapw_map_free(struct btapw_map *m)
{
	if (!m)
		return;
	btapw_map_close(m);
	if (m->dev_fd >= 0)
		close(m->dev_fd);
	if (m->hdr)
		btapw_map_str_fini(m);
	if (m->base)
		munmap(m->base, m->size);
	free(m->slot);
	free(m);
}

const char *btapw_map_path(const struct btapw_map *m)
{
	return m ? m->path : "";
}

uint64_t btapw_map_size(const struct btapw_map *m)
{
	return m ? m->size : 0;
}

const struct btap_ctl *btapw_map_ctl(const struct btapw_map *m)
{
	return m ? m->ctl : NULL;
}

bool btapw_map_is_tsc(const struct btapw_map *m)
{
	return m && m->is_tsc;
}

/* A free ring meant for @kind; NULL: none. */
static struct btapw_slot *claim(struct btapw_map *m, uint32_t kind)
{
	for (uint32_t i = 0; i < m->nr_slots; i++) {
		uint32_t is_free = 0;

		if (m->slot[i].kind == kind &&
		    __atomic_compare_exchange_n(&m->slot[i].taken, &is_free, 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return &m->slot[i];
	}
	return NULL;
}

int btapw_map_thread(struct btapw_map *m, struct btapw *w, unsigned int kind, unsigned int number,
		     const char *name)
{
	static const uint32_t small[] = { BTAP_THREAD_OTHER, BTAP_THREAD_ASYNC, BTAP_THREAD_POLL,
					  BTAP_THREAD_DIRTY_IO, BTAP_THREAD_DIRTY_CPU };
	struct btapw_slot *s;
	struct btap_ring *ring;
	char own[32] = { 0 };

	if (!m || m->is_closed) {
		memset(w, 0, sizeof(*w));
		return -ENODEV;
	}
	s = claim(m, kind);
	for (unsigned int i = 0; !s && i < sizeof(small) / sizeof(small[0]); i++)
		s = claim(m, small[i]);
	if (!s) {
		btapw_init(w, NULL, NULL, 0, 0, m->ctl, m->is_tsc);
		w->unwritten = (uint64_t *)&m->hdr->unwritten;
		w->map = m;
		return -ENOSPC;
	}
	ring = &m->ring[s - m->slot];
	if (!name && prctl(PR_GET_NAME, own) == 0)
		name = own;
	ring->kind = kind;
	ring->number = number;
	ring->tid = (uint32_t)syscall(SYS_gettid);
	if (name)
		snprintf(ring->name, sizeof(ring->name), "%.31s", name);
	btapw_init(w, ring, m->base + s->data_off, s->sub_size, s->nr_subs, m->ctl, m->is_tsc);
	w->map = m;
	/* Pairs with the acquire in region_poll(). */
	__atomic_store_n(&ring->used, 1, __ATOMIC_RELEASE);
	return 0;
}

void btapw_map_node(struct btapw_map *m, const char *node)
{
	size_t len;

	if (!m || !node)
		return;
	len = strnlen(node, sizeof(m->facts.node) - 1);
	for (size_t i = 0; i < sizeof(m->facts.node); i++) {
		m->facts.node[i] = i < len ? node[i] : '\0';
		SET(m->hdr->facts.node[i], m->facts.node[i]);
	}
	if (!m->is_closed)
		m->ops->publish(m);
}

void btapw_map_functions(struct btapw_map *m, uint32_t nr)
{
	if (!m || m->is_closed)
		return;
	m->nr_functions = nr;
	m->ops->set(m, BTAP_ON_RING, m->on);
}
