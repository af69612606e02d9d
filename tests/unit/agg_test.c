// SPDX-License-Identifier: Apache-2.0
/* agg_test.c - tables and aggregations against slow models of them, on random input */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "drun/agg.h"

/* one word; room for more, or the compiler warns of loops over keys that never get there */
#define KEY(k) ((const uint64_t[DPROG_MAX_KEYS]){ k })

static uint64_t seed;

static uint64_t rnd(uint64_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/* -- tables -- */

#define MODEL 512

struct model {
	uint64_t key[3], value;
	bool is_there;
};

static struct model *model_of(struct model *m, const uint64_t *key, uint32_t nr_keys)
{
	for (int i = 0; i < MODEL; i++)
		if (m[i].is_there && !memcmp(m[i].key, key, nr_keys * 8))
			return &m[i];
	return NULL;
}

static void random_table(uint32_t nr_keys)
{
	struct model *m = calloc(MODEL, sizeof(*m)), *known;
	struct tab t;
	uint32_t nr = 0;

	tab_init(&t, nr_keys, 1);
	for (int step = 0; step < 20000; step++) {
		uint64_t key[3] = { rnd(40) << (rnd(3) * 20), rnd(3), rnd(3) }, *row;

		known = model_of(m, key, nr_keys);
		row = tab_find(&t, key);
		assert_int_equal(row != NULL, known != NULL);
		if (row)
			assert_int_equal(*tab_data(&t, row), known->value);
		if (!row && nr < MODEL) {
			row = tab_add(&t, key);
			assert_non_null(row);
			assert_int_equal(*tab_data(&t, row), 0);
			*tab_data(&t, row) = (uint64_t)step + 1;
			for (known = m; known->is_there; known++)
				;
			memcpy(known->key, key, sizeof(key));
			known->value = (uint64_t)step + 1;
			known->is_there = true;
			nr++;
		} else if (row && rnd(2)) {
			tab_drop(&t, row);
			known->is_there = false;
			nr--;
		}
		assert_int_equal(t.nr, nr);
		if (!rnd(5000)) {
			tab_clear(&t);
			memset(m, 0, MODEL * sizeof(*m));
			nr = 0;
		}
	}
	tab_fini(&t);
	free(m);
}

static void tables(void **state)
{
	for (uint32_t k = 1; k <= 3; k++)
		random_table(k);
}

static void table_without_key(void **state)
{
	struct tab t;
	uint64_t *row;

	tab_init(&t, 0, 2);
	assert_null(tab_find(&t, NULL));
	row = tab_add(&t, NULL);
	assert_ptr_equal(tab_find(&t, NULL), row);
	tab_drop(&t, row);
	assert_null(tab_find(&t, NULL));
	tab_fini(&t);
}

/* -- aggregations -- */

#define NR_KEYS	  7
#define NR_VALUES 400

static int64_t random_value(void)
{
	int64_t v = (int64_t)(rnd(1u << 31) << rnd(32)) + (int64_t)rnd(3) - 1;

	if (!rnd(20))
		return rnd(2) ? INT64_MIN : INT64_MAX;
	return rnd(2) ? v : -v;
}

/* What a function's value should be, worked out in the plainest way. */
static int64_t slow(uint8_t func, const int64_t *v, int nr, int64_t normal)
{
	__int128 sum = 0, squares = 0;
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (int i = 0; i < nr; i++) {
		sum += v[i];
		squares += (__int128)v[i] * v[i];
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	switch (func) {
	case DPROG_AGG_COUNT: return nr / normal;
	case DPROG_AGG_SUM: return (int64_t)sum / normal;
	case DPROG_AGG_AVG: return (int64_t)(sum / normal / nr);
	case DPROG_AGG_MIN: return least / normal;
	default: return most / normal;
	}
}

static void one_function(uint8_t func)
{
	struct dprog_val key = { .kind = DPROG_INT, .size = 8 };
	struct dprog_agg def = { .name = "a", .func = func, .nr_keys = 1, .is_signed = true, .keys = &key };
	struct agg_budget b = { .size = 1 << 20 };
	int64_t values[NR_KEYS][NR_VALUES];
	int nr[NR_KEYS] = { 0 };
	struct agg a;

	assert_int_equal(agg_init(&a, &def), 0);
	for (int i = 0; i < NR_VALUES; i++) {
		uint64_t k = rnd(NR_KEYS);

		/* a sum of 64 bits goes round; the model's does not */
		values[k][nr[k]] = func == DPROG_AGG_SUM ? (int64_t)rnd(1u << 30) - (1 << 29) : random_value();
		agg_update(&a, &b, KEY(k), values[k][nr[k]], 1);
		nr[k]++;
	}
	for (uint32_t r = 0; r < a.tab.nr; r++) {
		uint64_t *row = tab_row(&a.tab, r);

		assert_int_equal(agg_value(&a, tab_data(&a.tab, row), 1), slow(func, values[*row], nr[*row], 1));
		assert_int_equal(agg_value(&a, tab_data(&a.tab, row), 7), slow(func, values[*row], nr[*row], 7));
	}
	agg_clear(&a);
	assert_int_equal(a.tab.nr, NR_KEYS);
	agg_drop_all(&a, &b);
	assert_int_equal(b.used, 0);
	agg_fini(&a);
}

static void functions(void **state)
{
	for (int i = 0; i < 50; i++)
		for (uint8_t f = DPROG_AGG_COUNT; f <= DPROG_AGG_MAX; f++)
			one_function(f);
}

static void stddev(void **state)
{
	struct dprog_agg def = { .name = "a", .func = DPROG_AGG_STDDEV, .is_signed = true };
	struct agg_budget b = { .size = 1 << 20 };

	for (int round = 0; round < 200; round++) {
		int nr = 1 + (int)rnd(50);
		double sum = 0, squares = 0, want;
		struct agg a;
		int64_t got;

		assert_int_equal(agg_init(&a, &def), 0);
		for (int i = 0; i < nr; i++) {
			int64_t v = (int64_t)rnd(1000000) - 500000;

			agg_update(&a, &b, NULL, v, 1);
			sum += (double)v;
			squares += (double)v * (double)v;
		}
		want = sqrt(squares / nr - sum / nr * (sum / nr));
		got = agg_value(&a, tab_data(&a.tab, tab_row(&a.tab, 0)), 1);
		/* means are cut to whole numbers before the root is taken */
		assert_true(fabs((double)got - want) <= 2 + 500000 / (want + 1));
		agg_fini(&a);
	}
}

static void unsigned_values(void **state)
{
	struct dprog_agg def = { .name = "a", .func = DPROG_AGG_MAX };
	struct agg_budget b = { .size = 1 << 20 };
	struct agg a;

	assert_int_equal(agg_init(&a, &def), 0);
	agg_update(&a, &b, NULL, 5, 1);
	agg_update(&a, &b, NULL, -1, 1); /* the largest number without sign */
	assert_int_equal(agg_value(&a, tab_data(&a.tab, tab_row(&a.tab, 0)), 1), -1);
	agg_fini(&a);
}

static void budget(void **state)
{
	struct dprog_val key = { .kind = DPROG_INT, .size = 4 };
	struct dprog_agg def = { .name = "a", .func = DPROG_AGG_COUNT, .nr_keys = 1, .keys = &key };
	struct agg_budget b = { .size = 512 };
	struct agg a;

	assert_int_equal(agg_init(&a, &def), 0);
	for (uint64_t k = 0; k < 100; k++)
		agg_update(&a, &b, KEY(k), 0, 1);
	for (uint64_t k = 0; k < 12; k++) /* known keys go on counting */
		agg_update(&a, &b, KEY(k), 0, 1);
	assert_int_equal(a.tab.nr, 12); /* as many as dtrace(1) keeps in 512 bytes */
	assert_int_equal(b.drops, 88);
	assert_int_equal(*tab_data(&a.tab, tab_row(&a.tab, 3)), 2);
	agg_fini(&a);
}

static void distributions(void **state)
{
	struct dprog_agg def = { .name = "a", .func = DPROG_AGG_LQUANTIZE, .is_signed = true,
				 .param = { -100, 100, 7 } };
	struct agg_budget b = { .size = 1 << 20 };
	int64_t model[40] = { 0 };
	struct agg a;

	assert_int_equal(agg_init(&a, &def), 0);
	for (int i = 0; i < 10000; i++) {
		int64_t v = (int64_t)rnd(400) - 200, w = (int64_t)rnd(5) - 2;
		int bin = v < -100 ? 0 : v >= -100 + 7 * 28 ? 29 : (int)((v + 100) / 7) + 1;

		model[bin] += w;
		agg_update(&a, &b, NULL, v, w);
	}
	assert_int_equal(hist_nr_bins(&a.shape), 30);
	assert_memory_equal(agg_bins(tab_data(&a.tab, tab_row(&a.tab, 0))), model, 30 * 8);
	agg_fini(&a);
}

static void bad_parameters(void **state)
{
	static const int64_t bad[][5] = {
		{ DPROG_AGG_LQUANTIZE, 0, 10, 0, 0 },	   { DPROG_AGG_LQUANTIZE, 10, 0, 1, 0 },
		{ DPROG_AGG_LQUANTIZE, INT64_MIN, INT64_MAX, 1, 0 }, { DPROG_AGG_LQUANTIZE, 0, 1LL << 40, 1, 0 },
		{ DPROG_AGG_LLQUANTIZE, 1, 0, 3, 10 },	   { DPROG_AGG_LLQUANTIZE, 10, 3, 1, 10 },
		{ DPROG_AGG_LLQUANTIZE, 10, 0, 30, 10 },   { DPROG_AGG_LLQUANTIZE, 10, -1, 3, 10 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct dprog_agg def = { .name = "a", .func = (uint8_t)bad[i][0] };
		struct agg a;

		memcpy(def.param, &bad[i][1], sizeof(def.param));
		assert_int_not_equal(agg_init(&a, &def), 0);
	}
}

static void retain(void **state)
{
	struct dprog_val key = { .kind = DPROG_INT, .size = 8 };
	struct dprog_agg def = { .name = "a", .func = DPROG_AGG_COUNT, .nr_keys = 1, .keys = &key };
	struct agg_budget b = { .size = 1 << 20 };
	const uint64_t *rows[2];
	struct agg a;

	assert_int_equal(agg_init(&a, &def), 0);
	for (uint64_t k = 0; k < 10; k++)
		agg_update(&a, &b, KEY(k), 0, 1);
	rows[0] = tab_row(&a.tab, 7);
	rows[1] = tab_row(&a.tab, 3);
	agg_retain(&a, &b, rows, 2);
	assert_int_equal(a.tab.nr, 2);
	assert_int_equal(b.used, 2 * a.key_bytes);
	for (uint64_t k = 0; k < 10; k++)
		assert_int_equal(tab_find(&a.tab, KEY(k)) != NULL, k == 3 || k == 7);
	agg_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),	   cmocka_unit_test(table_without_key),
		cmocka_unit_test(functions),	   cmocka_unit_test(stddev),
		cmocka_unit_test(unsigned_values), cmocka_unit_test(budget),
		cmocka_unit_test(distributions),   cmocka_unit_test(bad_parameters),
		cmocka_unit_test(retain),
	};

	seed = 42;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
