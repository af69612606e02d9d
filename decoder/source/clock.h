/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - ring clock to nanoseconds of CLOCK_MONOTONIC
 *
 * The VM writes a pair (ring clock, system's clocks) each second; between two
 * pairs time is a straight line, before the first and behind the last the nearest
 * line goes on.  Pairs that cannot be (out of order, or with an absurd slope) are
 * left out and counted.  Within one state of the table the result never goes back
 * when ticks do not; a newer pair can move times behind the last pair by some
 * nanoseconds: whoever hands on times of one ring holds them up (clock_ns_after()).
 */
#ifndef BEAMTAP_CLOCK_H
#define BEAMTAP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <beamtap/region.h>

struct clock_line {
	uint64_t ticks, ns; /* where it begins */
	uint64_t mul;	    /* ns per tick, 2^32 is 1 */
};

struct clock_map {
	bool is_ns;	    /* the ring clock is CLOCK_MONOTONIC itself */
	uint64_t hz;	    /* told by the VM; for a single pair */
	unsigned int nr;    /* pairs kept, in order */
	unsigned int cur;   /* line that was used last */
	uint64_t bad;	    /* pairs left out */
	uint64_t seen;	    /* clocks.count of the last look */
	struct btap_clock_pair pair[BTAP_NR_CLOCK_PAIRS];
	struct clock_line line[BTAP_NR_CLOCK_PAIRS]; /* line i begins at pair i */
};

/** clock_init() - @facts: clock and clock_hz are used, and checked */
void clock_init(struct clock_map *m, const struct btap_facts *facts);

/** clock_set() - take @nr pairs (private memory), oldest first; hostile ones are left out */
void clock_set(struct clock_map *m, const struct btap_clock_pair *pairs, unsigned int nr);

/**
 * clock_load() - take the pairs from a region if there are new ones
 *
 * Return: true when the table changed.
 */
bool clock_load(struct clock_map *m, const struct btap_clocks *shared);

/* Find the line for @ticks; m->nr > 0. */
void clock_seek(struct clock_map *m, uint64_t ticks);

/** clock_ns() - nanoseconds of CLOCK_MONOTONIC; 0 when there is no pair at all */
static inline uint64_t clock_ns(struct clock_map *m, uint64_t ticks)
{
	const struct clock_line *l;
	unsigned __int128 dns;

	if (m->is_ns)
		return ticks;
	if (m->nr == 0)
		return 0;
	l = &m->line[m->cur];
	if (ticks < l->ticks || (m->cur + 1 < m->nr && ticks >= l[1].ticks)) {
		clock_seek(m, ticks);
		l = &m->line[m->cur];
	}
	if (ticks >= l->ticks) {
		dns = ((unsigned __int128)(ticks - l->ticks) * l->mul) >> 32;
		return dns > UINT64_MAX - l->ns ? UINT64_MAX : l->ns + (uint64_t)dns;
	}
	dns = ((unsigned __int128)(l->ticks - ticks) * l->mul) >> 32;
	return dns > l->ns ? 0 : l->ns - (uint64_t)dns;
}

/** clock_ns_after() - the same, but not before @floor_ns */
static inline uint64_t clock_ns_after(struct clock_map *m, uint64_t ticks, uint64_t floor_ns)
{
	uint64_t ns = clock_ns(m, ticks);

	return ns < floor_ns ? floor_ns : ns;
}

/* A stretch of one line, for loops: it holds while ticks - lo < len. */
struct clock_span {
	uint64_t lo, len, ns, mul;
};
/** clock_span() - the stretch that @ticks lies in; len 0: none, use clock_ns() */
struct clock_span clock_span(struct clock_map *m, uint64_t ticks);

static inline uint64_t clock_span_ns(const struct clock_span *s, uint64_t ticks)
{
	return s->ns + (uint64_t)(((unsigned __int128)(ticks - s->lo) * s->mul) >> 32);
}

/** clock_real() - CLOCK_REALTIME at @mono_ns by the nearest pair; 0: not known */
uint64_t clock_real(const struct clock_map *m, uint64_t mono_ns);

#endif /* BEAMTAP_CLOCK_H */
