// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_map_lease.c - the controller: who wants events, what is on, what time it is
 *
 * A lease is written by somebody else's program.  It is copied, then looked at; what
 * makes no sense is answered with -EINVAL and otherwise ignored.  Whether the
 * heartbeat beats is told by its change, in our own clock: the reader's may be set off
 * (time namespaces), or be a lie.
 */
#include "btapw_map_int.h"
#include "btapw_usdt.h"
#include <errno.h>
#include <stdio.h>
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* ThreadSanitizer does not model fences; all words here are atomics, so it needs not. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

#define SET(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)
#define GET(p)	  __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define TTL_MIN	  1000000000ull
#define TTL_MAX	  60000000000ull

void btapw_map_clock(struct btapw_map *m)
{
	struct btap_clock_pair p = { 0 }, *to;

	if (!m || m->is_closed)
		return;
	btapw_map_pair(m->is_tsc, &p);
	to = &m->clocks->pair[m->nr_pairs % BTAP_NR_CLOCK_PAIRS];
	/* Pairs with the fence in clock_load(): who copied a word of this pair sees the last count. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	SET(to->ticks, p.ticks);
	SET(to->mono_ns, p.mono_ns);
	SET(to->real_ns, p.real_ns);
	SET(to->boot_ns, p.boot_ns);
	m->nr_pairs++;
	__atomic_store_n(&m->clocks->count, m->nr_pairs, __ATOMIC_RELEASE);
}

static struct btap_lease *lease_of(const struct btapw_map *m, unsigned int i)
{
	return (struct btap_lease *)(m->base + m->lease_off + (uint64_t)i * BTAP_PAGE);
}

/* Copy a lease as a whole.  False: it is being written. */
static bool copy_lease(const struct btap_lease *from, uint64_t to[BTAP_PAGE / 8])
{
	const uint64_t *p = (const uint64_t *)from;
	uint64_t gen = __atomic_load_n(&from->gen, __ATOMIC_ACQUIRE);

	if (gen & 1)
		return false;
	for (unsigned int i = 0; i < BTAP_PAGE / 8; i++)
		to[i] = GET(p[i]);
	/* Pairs with the fence in the reader's src_enable(), between the odd gen and the rest. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return GET(from->gen) == gen && to[0] == gen;
}

static void take_lease(struct btapw_lease *l, const struct btap_lease *from)
{
	unsigned int i;

	l->gen = from->gen;
	memcpy(l->want, from->want, sizeof(l->want));
	l->want[0] &= ~1ull; /* 0 is no event */
	for (i = 0; i < BTAP_MASK_WORDS; i++)
		l->stack[i] = from->stack[i] & l->want[i];
	l->flags = from->flags;
	l->pid = from->pid;
	l->spec_len = from->spec_len;
	memcpy(l->spec, from->spec, l->spec_len);
	l->spec[l->spec_len] = '\0';
	for (i = 0; i < sizeof(l->who) - 1 && from->who[i]; i++)
		l->who[i] = from->who[i] > ' ' && from->who[i] <= '~' ? from->who[i] : '?';
	l->who[i] = '\0';
}

/* Does the holder of lease @i live?  It has to be held, and its heart to beat. */
static bool is_beating(struct btapw_map *m, unsigned int i, uint64_t now)
{
	struct btapw_watch *w = &m->watch[i];
	struct btap_lease *l = lease_of(m, i);
	uint64_t beat = GET(l->heartbeat_ns), ttl = GET(l->ttl_ns);

	if (!m->ops->is_held(m, i)) {
		w->changed_ns = 0;
		w->dead_gen = GET(l->gen);
		return false;
	}
	/* The next holder has it, but what stands there is still the last one's. */
	if (GET(l->gen) == w->dead_gen)
		return false;
	if (beat != w->heartbeat_ns || w->changed_ns == 0) {
		w->heartbeat_ns = beat;
		w->changed_ns = now;
	}
	w->ttl_ns = ttl < TTL_MIN ? TTL_MIN : ttl > TTL_MAX ? TTL_MAX : ttl;
	return now - w->changed_ns <= w->ttl_ns;
}

/* One lease.  Return: true when it came, changed or went. */
static bool scan_one(struct btapw_map *m, unsigned int i, struct btapw_lease *l, uint64_t now)
{
	uint64_t page[BTAP_PAGE / 8] = { 0 };
	const struct btap_lease *copy = (const struct btap_lease *)page;
	bool was_alive = l->is_alive;
	uint64_t was_gen = l->gen;

	l->is_alive = GET(lease_of(m, i)->gen) != 0 && is_beating(m, i, now);
	if (!l->is_alive) {
		/* What its holder left: 0 when it gave the lease back. */
		l->gen = GET(lease_of(m, i)->gen);
		return was_alive;
	}
	if (!copy_lease(lease_of(m, i), page)) {
		/* Being written: as it was, which may be that there was none. */
		l->is_alive = was_alive;
		return false;
	}
	if (copy->gen == 0 || copy->spec_len > BTAP_LEASE_SPEC_MAX) {
		l->is_alive = false;
		l->gen = copy->gen;
		if (copy->gen && m->watch[i].refused_gen != copy->gen) {
			m->watch[i].refused_gen = copy->gen;
			btapw_map_answer(m, i, copy->gen, -EINVAL, 0, NULL,
					 "the lease makes no sense: its list of functions is too long");
		}
		return was_alive;
	}
	if (was_alive && copy->gen == was_gen)
		return false;
	take_lease(l, copy);
	return true;
}

/* What tracepoints and USDT probes want.  The former the kernel sets, in memory that it holds. */
static void scan_other(struct btapw_map *m, struct btapw_leases *ls)
{
	uint64_t other[BTAP_MASK_WORDS], usdt[BTAP_MASK_WORDS];
	char why[BTAPW_WHY_MAX];

	btapw_usdt_wanted(usdt);
	/* Hooks that are on define strings: without memory for them, no probe. */
	for (unsigned int j = 0; m->is_lazy && j < BTAP_MASK_WORDS; j++)
		if (usdt[j] & m->facts.able[j] && btapw_map_fill(m, why) < 0)
			memset(usdt, 0, sizeof(usdt));
	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		other[j] = usdt[j] &= m->facts.able[j];
	m->ops->set(m, BTAP_ON_USDT, usdt);
	for (unsigned int i = 1; m->dev_fd >= 0 && i < BTAP_MAX_EVENTS; i++)
		if (GET(m->ctl->on[i]) & BTAP_ON_TRACEPOINT)
			other[i / 64] |= 1ull << (i % 64) & m->facts.able[i / 64];
	if (memcmp(other, ls->other, sizeof(other)) != 0)
		ls->changed |= BTAPW_CHANGED_OTHER;
	memcpy(ls->other, other, sizeof(other));
	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		ls->want[j] |= other[j];
}

static bool is_able(const struct btapw_map *m, unsigned int event)
{
	return m->facts.able[event / 64] >> (event % 64) & 1;
}

/* A lease that came or changed: may it have stacks? */
static void scan_stack(struct btapw_map *m, unsigned int i, struct btapw_lease *l)
{
	m->no_stack &= ~(1u << i);
	for (unsigned int j = 0; j < BTAP_MASK_WORDS && !is_able(m, BTAP_EV_stack); j++) {
		if (l->is_alive && l->stack[j])
			m->no_stack |= 1u << i;
		l->stack[j] = 0;
	}
}

/* Into the control page; a stack goes only with what is in the ring. */
static void switch_ring(struct btapw_map *m)
{
	uint64_t stack[BTAP_MASK_WORDS];

	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		stack[j] = m->stack[j] & m->on[j];
	m->ops->set(m, BTAP_ON_RING, m->on);
	m->ops->set(m, BTAP_ON_STACK, stack);
}

uint32_t btapw_map_leases(struct btapw_map *m, struct btapw_leases *ls)
{
	uint64_t now = btapw_map_now_ns(), want[BTAP_MASK_WORDS] = { 0 };
	uint64_t stack[BTAP_MASK_WORDS] = { 0 };
	bool is_stop = false, is_new = false;
	uint32_t was_alive = ls->nr_alive;

	ls->changed = 0;
	if (!m || m->is_closed)
		return 0;
	ls->nr_alive = 0;
	for (unsigned int i = 0; i < BTAP_MAX_LEASES; i++) {
		struct btapw_lease *l = &ls->lease[i];

		if (scan_one(m, i, l, now)) {
			ls->changed |= 1u << i;
			is_new |= l->is_alive;
			scan_stack(m, i, l);
		}
		if (!l->is_alive)
			continue;
		ls->nr_alive++;
		is_stop |= l->flags & BTAP_LEASE_STOP;
		for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++) {
			want[j] |= l->want[j];
			stack[j] |= l->stack[j];
		}
	}
	memcpy(ls->want, want, sizeof(want));
	memcpy(m->want, want, sizeof(want));
	memcpy(m->stack, stack, sizeof(stack));
	/* Off at once; on is the caller's, when the VM is ready for it. */
	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		m->on[j] &= want[j] & m->facts.able[j];
	m->stop_when_full = is_stop && m->ops->is_stop_held(m);
	if (ls->nr_alive)
		m->off_since_ns = 0;
	else if (was_alive)
		m->off_since_ns = now;
	switch_ring(m);
	scan_other(m, ls);
	if (m->dev_fd >= 0)
		btapw_map_str_send(m);
	if (is_new)
		btapw_map_clock(m);
	return ls->changed;
}

void btapw_map_enable(struct btapw_map *m, const uint64_t on[BTAP_MASK_WORDS])
{
	if (!m || m->is_closed)
		return;
	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		m->on[j] = on[j] & m->want[j] & m->facts.able[j];
	switch_ring(m);
}

void btapw_map_on(const struct btapw_map *m, uint64_t on[BTAP_MASK_WORDS])
{
	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		on[j] = m && !m->is_closed ? m->on[j] : 0;
}

void btapw_map_answer(struct btapw_map *m, unsigned int i, uint64_t gen, int error,
		      uint32_t nr_functions, const uint64_t on[BTAP_MASK_WORDS], const char *text)
{
	static const char no_stack[] = "this VM does not tell the stacks of Erlang functions: it needs"
				       " beamtap's hooks for that";
	struct btap_answer *a;
	char both[sizeof(a->text)];
	size_t len;

	if (!m || m->is_closed || i >= BTAP_MAX_LEASES)
		return;
	a = &m->answer[i];
	if (m->no_stack >> i & 1 && error == 0) {
		snprintf(both, sizeof(both), "%s%s%s", no_stack, text && *text ? "; " : "", text ? text : "");
		text = both;
	}
	/* 0: being written.  The fence keeps new words from being taken for the old answer's. */
	SET(a->gen, 0);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	SET(a->error, error);
	SET(a->nr_functions, nr_functions);
	for (unsigned int j = 0; j < BTAP_MASK_WORDS; j++)
		SET(a->on[j], on ? on[j] : 0);
	len = text ? strnlen(text, sizeof(a->text) - 1) : 0;
	for (size_t j = 0; j < sizeof(a->text); j++)
		SET(a->text[j], j < len ? text[j] : '\0');
	/* Pairs with the acquire in the reader's src_enable(). */
	__atomic_store_n(&a->gen, gen, __ATOMIC_RELEASE);
}
