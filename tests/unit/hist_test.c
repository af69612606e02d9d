// SPDX-License-Identifier: Apache-2.0
/* hist_test.c - bins and pictures of distributions, against tables that dtrace(1) printed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dout/hist.h"

#define HEAD  "           value  ------------- Distribution ------------- count    \n"
#define BAR40 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"

static const struct hist_shape quantize = { .kind = HIST_QUANTIZE };

static struct hist_shape lq(int64_t base, int64_t limit, int64_t step)
{
	return (struct hist_shape){
		.kind = HIST_LQUANTIZE, .base = base, .limit = limit, .step = step
	};
}

static struct hist_shape llq(uint32_t factor, uint32_t low, uint32_t high, uint32_t steps)
{
	return (struct hist_shape){
		.kind = HIST_LLQUANTIZE, .factor = factor, .low = low, .high = high, .steps = steps
	};
}

struct sample {
	int64_t value, by;
};

static void expect(struct hist_shape s, const struct sample *v, size_t nr, int64_t normal,
		   const char *want)
{
	int64_t *bins = calloc(hist_nr_bins(&s), sizeof(*bins));
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < nr; i++) {
		unsigned int bin = hist_bin(&s, v[i].value);

		assert_true(bin < hist_nr_bins(&s));
		bins[bin] += v[i].by;
	}
	hist_print(f, &s, bins, normal);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
	free(bins);
}

#define EXPECT(shape, normal, want, ...)                                                           \
	do {                                                                                       \
		const struct sample v_[] = { __VA_ARGS__ };                                        \
		expect(shape, v_, sizeof(v_) / sizeof(v_[0]), normal, HEAD want);                  \
	} while (0)

static void both_signs_of_values(void **state)
{
	EXPECT(quantize, 1,
	       "              -8 |                                         0        \n"
	       "              -4 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
	       "              -2 |                                         0        \n"
	       "              -1 |                                         0        \n"
	       "               0 |@@@@@@@@@@                               1        \n"
	       "               1 |                                         0        \n"
	       "               2 |@@@@@@@@@@                               1        \n"
	       "               4 |                                         0        \n",
	       { -5, 1 }, { -6, 1 }, { 3, 1 }, { 0, 1 });
}

static void one_value(void **state)
{
	EXPECT(quantize, 1,
	       "               2 |                                         0        \n"
	       "               4 |" BAR40 " 1        \n"
	       "               8 |                                         0        \n",
	       { 5, 1 });
}

static void counts_of_both_signs(void **state)
{
	EXPECT(quantize, 1,
	       "               2                     |                     0        \n"
	       "               4                     |@@@@                 1        \n"
	       "               8         @@@@@@@@@@@@|                     -3       \n"
	       "              16                     |                     0        \n"
	       "              32                     |                     0        \n"
	       "              64                     |@@@@                 1        \n"
	       "             128                     |                     0        \n",
	       { 7, 1 }, { 64, 1 }, { 8, -3 });
	EXPECT(lq(0, 5, 1), 1,
	       "               1                     |                     0        \n"
	       "               2                     |@@@@@@@@@@           4        \n"
	       "               3           @@@@@@@@@@|                     -4       \n"
	       "               4                     |                     0        \n",
	       { 3, -4 }, { 2, 4 });
}

static void negative_counts(void **state)
{
	EXPECT(quantize, 1,
	       "               0                                         | 0        \n"
	       "               1        @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -5       \n"
	       "               2                                         | 0        \n"
	       "               4                                         | 0        \n"
	       "               8                                  @@@@@@@| -1       \n"
	       "              16                                         | 0        \n",
	       { 1, -5 }, { 8, -1 });
}

static void huge_counts(void **state)
{
	EXPECT(quantize, 1,
	       "               0 |                                         0        \n"
	       "               1 |                                         1000000  \n"
	       "               2 |" BAR40 " 123456789\n"
	       "               4 |                                         3        \n"
	       "               8 |                                         0        \n",
	       { 1, 1000000 }, { 2, 123456789 }, { 4, 3 });
	/* more than nine digits push nothing away; totals beyond 64 bits do not wrap */
	EXPECT(quantize, 1,
	       "               0 |                                         0        \n"
	       "               1 |@@@@@@@@@@@@@@@@@@@@                     9223372036854775807\n"
	       "               2 |@@@@@@@@@@@@@@@@@@@@                     9223372036854775807\n"
	       "               4 |                                         0        \n",
	       { 1, INT64_MAX }, { 2, INT64_MAX });
	EXPECT(quantize, -1,
	       "               0                                         | 0        \n"
	       "               1 " BAR40 "| -9223372036854775808\n"
	       "               2                                         | 0        \n",
	       { 1, INT64_MIN });
}

static void rounding(void **state)
{
	EXPECT(quantize, 1,
	       "               0 |                                         0        \n"
	       "               1 |@@@@@@@@@@@@@@@@@@@@@@@@                 3        \n"
	       "               2 |@@@@@@@@                                 1        \n"
	       "               4 |@@@@@@@@                                 1        \n"
	       "               8 |                                         0        \n",
	       { 1, 3 }, { 2, 1 }, { 4, 1 });
	EXPECT(quantize, 1,
	       "               0 |                                         0        \n"
	       "               1 |" BAR40 " 1000     \n"
	       "               2 |                                         1        \n"
	       "               4 |                                         0        \n",
	       { 1, 1000 }, { 2, 1 });
}

static void normalised(void **state)
{
	/* bars keep their length, counts are divided and cut off */
	EXPECT(lq(0, 100, 10), 2,
	       "               0 |                                         0        \n"
	       "              10 |@@@@@@@@@@@@@@@@@@@@                     0        \n"
	       "              20 |                                         0        \n"
	       "              30 |                                         0        \n"
	       "              40 |                                         0        \n"
	       "              50 |                                         0        \n"
	       "              60 |                                         0        \n"
	       "              70 |                                         0        \n"
	       "              80 |                                         0        \n"
	       "              90 |                                         0        \n"
	       "          >= 100 |@@@@@@@@@@@@@@@@@@@@                     0        \n",
	       { 15, 1 }, { 105, 1 });
}

static void linear(void **state)
{
	EXPECT(lq(0, 10, 2), 1,
	       "             < 0 |@@@@@@@@                                 1        \n"
	       "               0 |@@@@@@@@                                 1        \n"
	       "               2 |                                         0        \n"
	       "               4 |@@@@@@@@                                 1        \n"
	       "               6 |                                         0        \n"
	       "               8 |                                         0        \n"
	       "           >= 10 |@@@@@@@@@@@@@@@@                         2        \n",
	       { 5, 1 }, { -1, 1 }, { 10, 1 }, { 100, 1 }, { 0, 1 });
	EXPECT(lq(0, 10, 3), 1,
	       "               0 |                                         0        \n"
	       "               3 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "               6 |                                         0        \n"
	       "            >= 9 |@@@@@@@@@@@@@@@@@@@@                     1        \n",
	       { 3, 1 }, { 9, 1 });
	EXPECT(lq(7, 8, 1), 1,
	       "             < 7 |                                         0        \n"
	       "               7 |" BAR40 " 1        \n"
	       "            >= 8 |                                         0        \n",
	       { 7, 1 });
	EXPECT(lq(-10, 10, 5), 1,
	       "           < -10 |@@@@@@@@@@@@@                            1        \n"
	       "             -10 |@@@@@@@@@@@@@                            1        \n"
	       "              -5 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@                            1        \n"
	       "               5 |                                         0        \n",
	       { 0, 1 }, { -7, 1 }, { -11, 1 });
}

static void log_linear(void **state)
{
	EXPECT(llq(10, 1, 2, 10), 1,
	       "            -600 |                                         0        \n"
	       "            -500 |@@@@@@@@@@                               1        \n"
	       "            -400 |                                         0        \n"
	       "            -300 |                                         0        \n"
	       "            -200 |                                         0        \n"
	       "            -100 |                                         0        \n"
	       "             -90 |                                         0        \n"
	       "             -80 |                                         0        \n"
	       "             -70 |                                         0        \n"
	       "             -60 |                                         0        \n"
	       "             -50 |                                         0        \n"
	       "             -40 |                                         0        \n"
	       "             -30 |                                         0        \n"
	       "             -20 |@@@@@@@@@@                               1        \n"
	       "             -10 |                                         0        \n"
	       "      abs() < 10 |@@@@@@@@@@                               1        \n"
	       "              10 |                                         0        \n"
	       "              20 |                                         0        \n"
	       "              30 |                                         0        \n"
	       "              40 |                                         0        \n"
	       "              50 |@@@@@@@@@@                               1        \n"
	       "              60 |                                         0        \n",
	       { -5, 1 }, { -500, 1 }, { -20, 1 }, { 50, 1 });
	EXPECT(llq(2, 0, 5, 2), 1,
	       "               1 |                                         0        \n"
	       "               2 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "               4 |                                         0        \n"
	       "               8 |                                         0        \n"
	       "              16 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "              32 |                                         0        \n",
	       { 3, 1 }, { 17, 1 });
	EXPECT(llq(10, 0, 3, 10), 1,
	       "              -4 |                                         0        \n"
	       "              -3 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "              -2 |                                         0        \n"
	       "              -1 |                                         0        \n"
	       "               0 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
	       "               1 |                                         0        \n",
	       { -3, 1 }, { 0, 1 });
	EXPECT(llq(10, 1, 3, 20), 1,
	       "            9500 |                                         0        \n"
	       "        >= 10000 |" BAR40 " 1        \n",
	       { 100000, 1 });
	EXPECT(llq(10, 1, 3, 20), 1,
	       "              10 |                                         0        \n"
	       "              15 |" BAR40 " 1        \n"
	       "              20 |                                         0        \n",
	       { 19, 1 });
}

static void nothing_counted(void **state)
{
	EXPECT(quantize, 1,
	       "              -1 |                                         0        \n"
	       "               0 |                                         0        \n"
	       "               1 |                                         0        \n",
	       { 7, 0 });
}

static void ends_of_the_range(void **state)
{
	assert_int_equal(hist_bin(&quantize, INT64_MAX), HIST_QUANTIZE_BINS - 1);
	assert_int_equal(hist_bin(&quantize, INT64_MIN), 0);
	assert_int_equal(hist_bin(&quantize, INT64_MIN + 1), 0);
	assert_int_equal(hist_bin(&quantize, -1), HIST_QUANTIZE_ZERO - 1);
	assert_int_equal(hist_bin(&quantize, 1), HIST_QUANTIZE_ZERO + 1);
	EXPECT(quantize, 1,
	       "2305843009213693952 |                                         0        \n"
	       "4611686018427387904 |" BAR40 " 1        \n",
	       { INT64_MAX, 1 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_signs_of_values), cmocka_unit_test(one_value),
		cmocka_unit_test(counts_of_both_signs), cmocka_unit_test(negative_counts),
		cmocka_unit_test(huge_counts),		cmocka_unit_test(rounding),
		cmocka_unit_test(normalised),		cmocka_unit_test(linear),
		cmocka_unit_test(log_linear),		cmocka_unit_test(nothing_counted),
		cmocka_unit_test(ends_of_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
