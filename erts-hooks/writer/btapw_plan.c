// SPDX-License-Identifier: Apache-2.0
/* btapw_plan.c - how a region is laid out: what is asked for, and less where there is little room */
#include "btapw_map_int.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define DEFAULT_RING   (2ull << 20)
#define DEFAULT_SUB    (64u << 10)
#define DEFAULT_STRTAB (2ull << 20)
#define DEFAULT_SPARE  6
#define SMALLEST_RING  (64ull << 10) /* when the file system is nearly full */
#define LARGEST_RING   (1ull << 30)

int btapw_plan_why(char why[BTAPW_WHY_MAX], int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, BTAPW_WHY_MAX, fmt, ap);
	va_end(ap);
	return err;
}

uint64_t btapw_plan_pages(uint64_t bytes)
{
	return (bytes + BTAP_PAGE - 1) & ~(uint64_t)(BTAP_PAGE - 1);
}

static uint64_t power_of_two(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

uint64_t btapw_plan_ring_bytes(const struct btapw_plan *p, unsigned int kind)
{
	return kind == BTAP_THREAD_SCHEDULER ? p->ring_bytes : p->small_bytes;
}

static void lay_out(struct btapw_plan *p)
{
	p->ctl = btapw_plan_pages(sizeof(struct btap_region_hdr));
	p->lease = p->ctl + btapw_plan_pages(sizeof(struct btap_ctl));
	p->answer = p->lease + (uint64_t)BTAP_MAX_LEASES * BTAP_PAGE;
	p->clock = p->answer + btapw_plan_pages(BTAP_MAX_LEASES * sizeof(struct btap_answer));
	p->strtab = p->clock + btapw_plan_pages(sizeof(struct btap_clocks));
	p->ring = p->strtab + btapw_plan_pages(p->strtab_bytes);
	p->data = p->ring + btapw_plan_pages(p->nr_rings * sizeof(struct btap_ring));
	p->total = p->data;
	for (unsigned int kind = 0; kind <= BTAP_THREAD_POLL; kind++)
		p->total += btapw_plan_pages(p->nr[kind] * btapw_plan_ring_bytes(p, kind));
}

int btapw_plan_make(struct btapw_plan *p, const struct btapw_map_opts *o, char why[BTAPW_WHY_MAX])
{
	uint64_t ring = o->ring_bytes ? o->ring_bytes : DEFAULT_RING;
	uint64_t sub = o->sub_bytes ? o->sub_bytes : DEFAULT_SUB, small;

	memset(p, 0, sizeof(*p));
	if (ring < 2 * BTAP_SUB_MIN || ring > LARGEST_RING)
		return btapw_plan_why(why, -EINVAL, "a ring of %llu bytes is not possible: %u to %llu are",
				      (unsigned long long)ring, 2 * BTAP_SUB_MIN,
			    (unsigned long long)LARGEST_RING);
	if (sub < BTAP_SUB_MIN || sub > BTAP_SUB_MAX || sub != power_of_two(sub))
		return btapw_plan_why(why, -EINVAL, "a sub-buffer of %llu bytes is not possible:"
			    " powers of two from %u to %u are", (unsigned long long)sub,
			    BTAP_SUB_MIN, BTAP_SUB_MAX);
	p->ring_bytes = power_of_two(ring);
	small = p->ring_bytes / 8;
	if (small < SMALLEST_RING)
		small = p->ring_bytes < SMALLEST_RING ? p->ring_bytes : SMALLEST_RING;
	p->small_bytes = small;
	p->sub_bytes = sub;
	p->strtab_bytes = o->strtab_bytes ? o->strtab_bytes : DEFAULT_STRTAB;
	if (p->strtab_bytes < BTAP_PAGE || p->strtab_bytes > LARGEST_RING)
		return btapw_plan_why(why, -EINVAL, "a string table of %llu bytes is not possible: %u to %llu"
			    " are", (unsigned long long)p->strtab_bytes, BTAP_PAGE,
			    (unsigned long long)LARGEST_RING);

	p->nr[BTAP_THREAD_SCHEDULER] = o->facts.nr_schedulers ? o->facts.nr_schedulers : 1;
	p->nr[BTAP_THREAD_DIRTY_CPU] = o->facts.nr_dirty_cpu;
	p->nr[BTAP_THREAD_DIRTY_IO] = o->facts.nr_dirty_io;
	p->nr[BTAP_THREAD_ASYNC] = o->nr_async ? o->nr_async : 1;
	p->nr[BTAP_THREAD_POLL] = o->nr_poll ? o->nr_poll : 1;
	p->nr[BTAP_THREAD_OTHER] = o->nr_spare ? o->nr_spare : DEFAULT_SPARE;
	/* Schedulers first; threads for which none is left are counted when they write. */
	static const unsigned int order[] = { BTAP_THREAD_SCHEDULER, BTAP_THREAD_OTHER,
					      BTAP_THREAD_DIRTY_CPU, BTAP_THREAD_DIRTY_IO,
					      BTAP_THREAD_POLL, BTAP_THREAD_ASYNC };
	for (unsigned int i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint32_t *nr = &p->nr[order[i]];

		if (*nr > BTAP_MAX_RINGS - p->nr_rings)
			*nr = BTAP_MAX_RINGS - p->nr_rings;
		p->nr_rings += *nr;
	}
	lay_out(p);
	return 0;
}

/* Halve what is larger than the smallest.  False: nothing is left to halve. */
bool btapw_plan_shrink(struct btapw_plan *p)
{
	bool did = false;

	if (p->small_bytes > SMALLEST_RING && p->small_bytes >= p->ring_bytes / 8) {
		p->small_bytes /= 2;
		did = true;
	}
	if (p->ring_bytes > SMALLEST_RING) {
		p->ring_bytes /= 2;
		did = true;
	}
	if (p->strtab_bytes > (256u << 10)) {
		p->strtab_bytes /= 2;
		did = true;
	}
	lay_out(p);
	return did;
}
