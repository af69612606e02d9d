// SPDX-License-Identifier: Apache-2.0
/* clock_test.c - ticks to nanoseconds: interpolation, hostile pairs, monotone */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include "source/clock.h"

static struct clock_map *new_map(uint32_t clock, uint64_t hz)
{
	struct clock_map *m = calloc(1, sizeof(*m));
	struct btap_facts f = { .clock = clock, .clock_hz = hz };

	clock_init(m, &f);
	return m;
}

static void nanoseconds_stay(void **state)
{
	struct clock_map *m = new_map(BTAP_CLOCK_MONOTONIC, 0);

	assert_int_equal(clock_ns(m, 12345), 12345);
	free(m);
}

static void between_before_and_behind(void **state)
{
	/* 2 GHz, then 2.5 GHz */
	struct btap_clock_pair p[] = { { 1000000, 5000000, 0, 0 }, { 3000000, 6000000, 0, 0 },
				       { 5500000, 7000000, 100, 0 } };
	struct clock_map *m = new_map(BTAP_CLOCK_TSC, 2000000000);

	assert_int_equal(clock_ns(m, 17), 0); /* no pair: not known */
	clock_set(m, p, 1);
	assert_int_equal(clock_ns(m, 1000000 + 2000), 5000000 + 1000);
	assert_int_equal(clock_ns(m, 1000000 - 2000), 5000000 - 1000);
	clock_set(m, p, 3);
	assert_int_equal(m->nr, 3);
	assert_int_equal(clock_ns(m, 1000000), 5000000);
	assert_int_equal(clock_ns(m, 2000000), 5500000);
	assert_int_equal(clock_ns(m, 3000000), 6000000);
	assert_in_range(clock_ns(m, 4250000), 6499999, 6500000);
	assert_in_range(clock_ns(m, 8000000), 7999999, 8000000); /* the last slope goes on */
	assert_int_equal(clock_ns(m, 800000), 4900000);	   /* so does the first */
	assert_int_equal(clock_ns_after(m, 800000, 4900007), 4900007);
	assert_int_equal(clock_real(m, 7000050), 150);
	free(m);
}

static void hostile_pairs_are_left_out(void **state)
{
	struct btap_clock_pair p[] = {
		{ 1000000, 0, 0, 0 },		     /* no time */
		{ 1000000, 1000000, 0, 0 },
		{ 900000, 2000000, 0, 0 },	     /* back */
		{ 2000000, 900000, 0, 0 },	     /* back */
		{ 2000000, 2000000, 0, 0 },
		{ UINT64_MAX, 2000001, 0, 0 },	     /* too steep */
		{ 2000001, UINT64_MAX, 0, 0 },	     /* beyond the end */
		{ 2000001, 1ull << 61, 0, 0 },	     /* too flat */
		{ 3000000, 3000000, 0, 0 },
	};
	struct clock_map *m = new_map(BTAP_CLOCK_TSC, 7); /* nonsense, too */

	clock_set(m, p, sizeof(p) / sizeof(p[0]));
	assert_int_equal(m->nr, 3);
	assert_int_equal(m->bad, 6);
	assert_int_equal(clock_ns(m, 2500000), 2500000);
	free(m);
}

static void never_goes_back(void **state)
{
	struct clock_map *m = new_map(BTAP_CLOCK_TSC, 3000000000);
	struct btap_clock_pair p[200];
	uint64_t ticks = 1000000, ns = 1000000, last = 0, at;

	srand(1);
	for (int i = 0; i < 200; i++) {
		p[i] = (struct btap_clock_pair){ ticks, ns, 0, 0 };
		ticks += 2000 + (uint64_t)rand() % 100000;
		ns += 700 + (uint64_t)rand() % 30000;
	}
	clock_set(m, p, 200);
	assert_true(m->nr > 100);
	for (at = 0; at < ticks + 1000000; at += 1 + (uint64_t)rand() % 200) {
		uint64_t now = clock_ns(m, at);
		struct clock_span s = clock_span(m, at);

		if (at - s.lo < s.len)
			assert_int_equal(clock_span_ns(&s, at), now);
		else
			assert_true(at < p[0].ticks);

		assert_true(now >= last);
		last = now;
	}
	/* And at the ends of 64 bits. */
	assert_true(clock_ns(m, UINT64_MAX) >= last);
	assert_true(clock_ns(m, UINT64_MAX / 2) <= clock_ns(m, UINT64_MAX));
	assert_true(clock_ns(m, 0) <= clock_ns(m, 1));
	free(m);
}

static void a_table_that_wraps(void **state)
{
	struct clock_map *m = new_map(BTAP_CLOCK_TSC, 1000000000);
	struct btap_clocks *c = calloc(1, sizeof(*c));

	assert_false(clock_load(m, c));
	for (uint64_t i = 0; i < 3000; i++) {
		c->pair[i % BTAP_NR_CLOCK_PAIRS] =
			(struct btap_clock_pair){ 1000000 * (i + 1), 1000000 * (i + 1), 0, 0 };
		c->count++;
	}
	assert_true(clock_load(m, c));
	assert_false(clock_load(m, c));
	assert_int_equal(m->bad, 0);
	/* All but the one that may be being overwritten. */
	assert_int_equal(m->nr, BTAP_NR_CLOCK_PAIRS - 1);
	assert_int_equal(m->pair[m->nr - 1].ticks, 3000000000u);
	c->count = UINT64_MAX;
	clock_load(m, c);
	c->count = 5;
	clock_load(m, c);
	free(c);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nanoseconds_stay),
		cmocka_unit_test(between_before_and_behind),
		cmocka_unit_test(hostile_pairs_are_left_out),
		cmocka_unit_test(never_goes_back),
		cmocka_unit_test(a_table_that_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
