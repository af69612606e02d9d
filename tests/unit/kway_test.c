// SPDX-License-Identifier: Apache-2.0
/* kway_test.c - merging runs: order, ties, limit, late ones, runs walked in part */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "source/kway.h"

/* An input: times, handed out in runs of a few. */
struct in {
	uint64_t ts[600];
	unsigned int nr, at, run_len;
	uint64_t words[600];
	int err; /* returned once when the input is used up */
};
static struct in ins[8];

static int fill(void *ctx, unsigned int i, struct src_run *run, struct diag *d)
{
	struct in *in = &ins[i];
	unsigned int n = in->nr - in->at, j;

	if (n == 0) {
		j = (unsigned int)-in->err;
		in->err = 0;
		return j ? diag_fail(d, -(int)j, "input %u", i) : 0;
	}
	if (n > in->run_len)
		n = in->run_len;
	for (j = 0; j < n; j++)
		in->words[j] = BTAP_HEAD(1, 1, in->ts[in->at + j]);
	*run = (struct src_run){ in->words, in->words + n, in->ts[in->at], UINT64_MAX, i, false };
	in->at += n;
	return 1;
}

static void add(struct kway *k, unsigned int i, unsigned int run_len, const uint64_t *ts,
		unsigned int nr)
{
	memset(&ins[i], 0, sizeof(ins[i]));
	memcpy(ins[i].ts, ts, nr * sizeof(*ts));
	ins[i].nr = nr;
	ins[i].run_len = run_len;
	if (k)
		assert_int_equal(kway_add(k), i);
}

#define ADD(k, i, len, ...) \
	add(k, i, len, (uint64_t[]){ __VA_ARGS__ }, \
	    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Take up to @step records of each run; note "thread:time ". */
static void drain(struct kway *k, int step, char *out)
{
	struct src_run run = { 0 };
	struct src_rec rec;

	*out = '\0';
	while (kway_run(k, &run, NULL) > 0)
		for (int i = 0; i < step && src_run_next(&run, &rec); i++)
			out += sprintf(out, "%u:%llu ", rec.thread, (unsigned long long)rec.ts);
}

static void in_order_and_ties_by_number(void **state)
{
	char out[400];
	struct kway k;

	for (int step = 1; step < 4; step++) {
		kway_init(&k, fill, NULL);
		ADD(&k, 0, 2, 1, 5, 5, 9);
		ADD(&k, 1, 3, 2, 5, 6, 7);
		ADD(&k, 2, 9, 5);
		assert_int_equal(kway_refill(&k, NULL), 3);
		drain(&k, step, out);
		assert_string_equal(out, "0:1 1:2 0:5 0:5 1:5 2:5 1:6 1:7 0:9 ");
		assert_int_equal(k.late, 0);
		kway_fini(&k);
	}
}

static void not_beyond_the_limit(void **state)
{
	char out[400];
	struct kway k;

	kway_init(&k, fill, NULL);
	ADD(&k, 0, 9, 1, 5, 9);
	ADD(&k, 1, 9, 2, 6);
	k.limit = 0;
	kway_refill(&k, NULL);
	drain(&k, 9, out);
	assert_string_equal(out, "");
	k.limit = 5;
	drain(&k, 9, out);
	assert_string_equal(out, "0:1 1:2 0:5 ");
	k.limit = UINT64_MAX;
	drain(&k, 9, out);
	assert_string_equal(out, "1:6 0:9 ");
	kway_fini(&k);
}

static void late_ones_are_handed_on_and_counted(void **state)
{
	char out[400];
	struct kway k;

	kway_init(&k, fill, NULL);
	ADD(&k, 0, 9, 10, 20);
	ADD(&k, 1, 9, 15);
	kway_refill(&k, NULL);
	drain(&k, 9, out);
	assert_string_equal(out, "0:10 1:15 0:20 ");
	ADD(NULL, 1, 9, 17, 18, 25);
	ADD(NULL, 0, 9, 21);
	kway_refill(&k, NULL);
	drain(&k, 9, out);
	assert_string_equal(out, "1:17 1:18 0:21 1:25 ");
	assert_int_equal(k.late, 2);
	kway_fini(&k);
}

static void an_error_stops_one_input_only(void **state)
{
	struct src_run run = { 0 };
	struct diag d = DIAG_INIT;
	struct src_rec rec;
	struct kway k;
	int n, nr = 0, nr_errors = 0;

	kway_init(&k, fill, NULL);
	ADD(&k, 0, 1, 1, 3);
	ADD(&k, 1, 1, 2, 4);
	ins[0].err = -EPROTO;
	kway_refill(&k, &d);
	while ((n = kway_run(&k, &run, &d)) != 0) {
		if (n < 0) {
			nr_errors++;
			kway_refill(&k, &d);
			continue;
		}
		while (src_run_next(&run, &rec))
			nr++;
	}
	assert_int_equal(nr, 4);
	assert_int_equal(nr_errors, 1);
	kway_fini(&k);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void random_inputs(void **state)
{
	struct src_run run;
	struct src_rec rec;
	struct kway k;

	srand(7);
	for (int round = 0; round < 300; round++) {
		unsigned int nr_in = 1 + (unsigned int)rand() % 8, total = 0, nr = 0, last_thread = 0;
		uint64_t last = 0;

		kway_init(&k, fill, NULL);
		for (unsigned int i = 0; i < nr_in; i++) {
			uint64_t ts[600];
			unsigned int n = (unsigned int)rand() % 600;

			for (unsigned int j = 0; j < n; j++)
				ts[j] = (uint64_t)(rand() % (1 + round * 5));
			qsort(ts, n, sizeof(*ts), by_value);
			add(&k, i, 1 + (unsigned int)rand() % 20, ts, n);
			total += n;
		}
		kway_refill(&k, NULL);
		memset(&run, 0, sizeof(run));
		while (kway_run(&k, &run, NULL) > 0)
			for (int take = rand() % 5; take >= 0 && src_run_next(&run, &rec); take--) {
				assert_true(rec.ts > last || (rec.ts == last && rec.thread >= last_thread));
				last = rec.ts;
				last_thread = rec.thread;
				nr++;
			}
		assert_int_equal(nr, total);
		assert_int_equal(k.late, 0);
		kway_fini(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_and_ties_by_number),
		cmocka_unit_test(not_beyond_the_limit),
		cmocka_unit_test(late_ones_are_handed_on_and_counted),
		cmocka_unit_test(an_error_stops_one_input_only),
		cmocka_unit_test(random_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
