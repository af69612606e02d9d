// SPDX-License-Identifier: Apache-2.0
/*
 * clock.c - ring clock to nanoseconds; see clock.h
 *
 * Lines are kept as (begin, slope): slope in 2^-32 ns a tick, rounded down, so
 * that a line ends at or below where the next begins and times never go back.
 */
#include "source/clock.h"
#include <string.h>
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* ThreadSanitizer does not model fences; all words here are atomics, so it needs not. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* A clock is believed from 1 MHz to 100 GHz. */
#define HZ_MIN 1000000ull
#define HZ_MAX 100000000000ull
#define MUL_OF(hz) ((uint64_t)(((unsigned __int128)1000000000u << 32) / (hz)))

void clock_init(struct clock_map *m, const struct btap_facts *facts)
{
	m->is_ns = facts->clock != BTAP_CLOCK_TSC;
	m->hz = facts->clock_hz;
	if (m->hz < HZ_MIN || m->hz > HZ_MAX)
		m->hz = 1000000000;
	m->nr = m->cur = 0;
	m->bad = m->seen = 0;
}

/* The slope between two pairs, or 0 when there is no sane one. */
static uint64_t slope(const struct btap_clock_pair *a, const struct btap_clock_pair *b)
{
	uint64_t dt = b->ticks - a->ticks, dns = b->mono_ns - a->mono_ns;
	unsigned __int128 mul;

	if (b->ticks <= a->ticks || b->mono_ns <= a->mono_ns)
		return 0;
	mul = ((unsigned __int128)dns << 32) / dt;
	if (mul < MUL_OF(HZ_MAX) || mul > MUL_OF(HZ_MIN))
		return 0;
	return (uint64_t)mul;
}

void clock_set(struct clock_map *m, const struct btap_clock_pair *pairs, unsigned int nr)
{
	m->nr = m->cur = 0;
	m->bad = 0;
	for (unsigned int i = 0; i < nr && m->nr < BTAP_NR_CLOCK_PAIRS; i++) {
		uint64_t mul = 0;

		/* Times near the ends of 64 bits would wrap when extrapolated. */
		if (pairs[i].mono_ns == 0 || pairs[i].mono_ns >> 62 ||
		    (m->nr > 0 && (mul = slope(&m->pair[m->nr - 1], &pairs[i])) == 0)) {
			m->bad++;
			continue;
		}
		if (m->nr > 0)
			m->line[m->nr - 1].mul = mul;
		m->pair[m->nr] = pairs[i];
		m->line[m->nr].ticks = pairs[i].ticks;
		m->line[m->nr].ns = pairs[i].mono_ns;
		/* Until there is a next one: the last known slope goes on. */
		m->line[m->nr].mul = mul ? mul : MUL_OF(m->hz);
		m->nr++;
	}
	if (m->nr)
		m->cur = m->nr - 1;
}

bool clock_load(struct clock_map *m, const struct btap_clocks *shared)
{
	/* Not on the stack of whoever calls: 32 KiB. */
	static _Thread_local struct btap_clock_pair copy[BTAP_NR_CLOCK_PAIRS];
	uint64_t count, again, first, i;

	/* Pairs with the release in btapw_map_clock(). */
	count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE);
	if (count == m->seen)
		return false;
	first = count > BTAP_NR_CLOCK_PAIRS ? count - BTAP_NR_CLOCK_PAIRS : 0;
	for (i = first; i < count; i++) {
		const struct btap_clock_pair *p = &shared->pair[i % BTAP_NR_CLOCK_PAIRS];
		struct btap_clock_pair *c = &copy[i - first];

		c->ticks = __atomic_load_n(&p->ticks, __ATOMIC_RELAXED);
		c->mono_ns = __atomic_load_n(&p->mono_ns, __ATOMIC_RELAXED);
		c->real_ns = __atomic_load_n(&p->real_ns, __ATOMIC_RELAXED);
		c->boot_ns = __atomic_load_n(&p->boot_ns, __ATOMIC_RELAXED);
	}
	/* A pair may have been overwritten meanwhile, and the next one be half written. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	again = __atomic_load_n(&shared->count, __ATOMIC_RELAXED);
	if (again < count)
		again = count;
	m->seen = count;
	i = again + 1 > BTAP_NR_CLOCK_PAIRS ? again + 1 - BTAP_NR_CLOCK_PAIRS : 0;
	i = i > first ? i - first : 0;
	if (i >= count - first)
		return false;
	clock_set(m, copy + i, (unsigned int)(count - first - i));
	return true;
}

void clock_seek(struct clock_map *m, uint64_t ticks)
{
	unsigned int lo = 0, hi = m->nr; /* line[lo].ticks <= ticks < line[hi].ticks */

	while (hi - lo > 1) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (m->line[mid].ticks <= ticks)
			lo = mid;
		else
			hi = mid;
	}
	m->cur = lo;
}

struct clock_span clock_span(struct clock_map *m, uint64_t ticks)
{
	const struct clock_line *l;
	struct clock_span s = { 0 };

	if (m->is_ns)
		return (struct clock_span){ 0, UINT64_MAX, 0, 1ull << 32 };
	if (m->nr == 0)
		return s;
	clock_seek(m, ticks);
	l = &m->line[m->cur];
	if (ticks < l->ticks)
		return s;
	s = (struct clock_span){ l->ticks, UINT64_MAX, l->ns, l->mul };
	if (m->cur + 1 < m->nr)
		s.len = l[1].ticks - l->ticks;
	else /* not so far that the sum could wrap: pairs are below 2^62 ns, slopes below 2^42 */
		s.len = 1ull << 51;
	return s;
}

uint64_t clock_real(const struct clock_map *m, uint64_t mono_ns)
{
	const struct btap_clock_pair *best = NULL;
	uint64_t dist, best_dist = UINT64_MAX;

	for (unsigned int i = 0; i < m->nr; i++) {
		const struct btap_clock_pair *p = &m->pair[i];

		dist = p->mono_ns > mono_ns ? p->mono_ns - mono_ns : mono_ns - p->mono_ns;
		if (dist < best_dist) {
			best_dist = dist;
			best = p;
		}
	}
	return best ? best->real_ns + (mono_ns - best->mono_ns) : 0;
}
