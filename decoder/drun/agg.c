// SPDX-License-Identifier: Apache-2.0
/*
 * agg.c - aggregating functions
 *
 *	count, sum	1 word
 *	min, max	1 word
 *	avg		count, sum (2 words: 128 bits)
 *	stddev		count, sum, sum of squares (128 bits each)
 *	quantize ...	a word for each bin
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "drun/agg.h"
#include "drun/str.h"

#define MAX_BINS   (1u << 20)
#define ROW_BYTES  24 /* what a key costs besides its words, for the budget */

typedef __int128 wide; /* kept in two words: rows are aligned to 8 only */

static wide load_wide(const uint64_t *w)
{
	return (wide)((unsigned __int128)w[1] << 64 | w[0]);
}

static void store_wide(uint64_t *w, unsigned __int128 v)
{
	w[0] = (uint64_t)v;
	w[1] = (uint64_t)(v >> 64);
}

static void add_wide(uint64_t *w, wide v)
{
	store_wide(w, (unsigned __int128)load_wide(w) + (unsigned __int128)v);
}

static void sum_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	data[0] += (uint64_t)v;
}

static void count_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	data[0]++;
}

/* min() of unsigned values too is by the sign that the script's type says. */
static bool below(const struct agg *a, uint64_t x, uint64_t y)
{
	return a->def->is_signed ? (int64_t)x < (int64_t)y : x < y;
}

static void min_init(const struct agg *a, uint64_t *data)
{
	data[0] = a->def->is_signed ? INT64_MAX : UINT64_MAX;
}

static void min_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	if (below(a, (uint64_t)v, data[0]))
		data[0] = (uint64_t)v;
}

static void max_init(const struct agg *a, uint64_t *data)
{
	data[0] = a->def->is_signed ? (uint64_t)INT64_MIN : 0;
}

static void max_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	if (below(a, data[0], (uint64_t)v))
		data[0] = (uint64_t)v;
}

static int64_t divide(wide v, int64_t by)
{
	return by ? (int64_t)(v / by) : (int64_t)v;
}

static int64_t plain_value(const struct agg *a, const uint64_t *data, int64_t normal)
{
	if (!a->def->is_signed && a->def->func != DPROG_AGG_COUNT)
		return divide((wide)data[0], normal);
	return divide((int64_t)data[0], normal);
}

static void avg_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	data[0]++;
	add_wide(data + 1, a->def->is_signed ? (wide)v : (wide)(uint64_t)v);
}

static int64_t avg_value(const struct agg *a, const uint64_t *data, int64_t normal)
{
	wide sum = load_wide(data + 1);

	if (normal)
		sum /= normal;
	return divide(sum, (int64_t)data[0]);
}

static void stddev_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	wide w = a->def->is_signed ? (wide)v : (wide)(uint64_t)v;

	avg_apply(a, data, v, weight);
	add_wide(data + 3, (wide)((unsigned __int128)w * (unsigned __int128)w));
}

static uint64_t root(unsigned __int128 v)
{
	unsigned __int128 r = 0, bit = (unsigned __int128)1 << 126;

	while (bit > v)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return (uint64_t)r;
}

/* Root of (mean of squares - square of mean), each cut to a whole number as dtrace(1) does. */
static int64_t stddev_value(const struct agg *a, const uint64_t *data, int64_t normal)
{
	unsigned __int128 squares = (unsigned __int128)load_wide(data + 3), n = data[0];
	wide mean;

	if (!n)
		return 0;
	mean = load_wide(data + 1) / (wide)n;
	squares /= n;
	if (normal) {
		unsigned __int128 div = (unsigned __int128)((wide)normal * normal);

		mean /= normal;
		squares /= div;
	}
	mean *= mean;
	return squares > (unsigned __int128)mean ? (int64_t)root(squares - (unsigned __int128)mean) : 0;
}

static void quantize_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	data[hist_quantize_bin(v)] += (uint64_t)weight;
}

static void hist_apply(struct agg *a, uint64_t *data, int64_t v, int64_t weight)
{
	data[hist_bin(&a->shape, v)] += (uint64_t)weight;
}

static const struct agg_ops {
	uint32_t nr_words; /* 0: as many as the distribution has bins */
	void (*init)(const struct agg *a, uint64_t *data); /* NULL: zeros will do */
	void (*apply)(struct agg *a, uint64_t *data, int64_t v, int64_t weight);
	int64_t (*value)(const struct agg *a, const uint64_t *data, int64_t normal);
} agg_ops[DPROG_NR_AGGFNS] = {
	[DPROG_AGG_COUNT] = { 1, NULL, count_apply, plain_value },
	[DPROG_AGG_SUM] = { 1, NULL, sum_apply, plain_value },
	[DPROG_AGG_AVG] = { 3, NULL, avg_apply, avg_value },
	[DPROG_AGG_MIN] = { 1, min_init, min_apply, plain_value },
	[DPROG_AGG_MAX] = { 1, max_init, max_apply, plain_value },
	[DPROG_AGG_STDDEV] = { 5, NULL, stddev_apply, stddev_value },
	[DPROG_AGG_QUANTIZE] = { HIST_QUANTIZE_BINS, NULL, quantize_apply, NULL },
	[DPROG_AGG_LQUANTIZE] = { 0, NULL, hist_apply, NULL },
	[DPROG_AGG_LLQUANTIZE] = { 0, NULL, hist_apply, NULL },
};

/* The compiler checks parameters and has better words for it; here nothing may overflow. */
static bool shape_of(const struct dprog_agg *def, struct hist_shape *s)
{
	const int64_t *p = def->param;
	int64_t span;

	switch (def->func) {
	case DPROG_AGG_LQUANTIZE:
		*s = (struct hist_shape){ .kind = HIST_LQUANTIZE, .base = p[0], .limit = p[1], .step = p[2] };
		if (__builtin_sub_overflow(p[1], p[0], &span) || p[2] <= 0 || span < p[2])
			return false;
		return span / p[2] < MAX_BINS;
	case DPROG_AGG_LLQUANTIZE:
		if (p[0] < 2 || p[0] > UINT16_MAX || p[1] < 0 || p[2] < p[1] || p[2] > 62 || p[3] < 1 ||
		    p[3] > UINT16_MAX)
			return false;
		*s = (struct hist_shape){ .kind = HIST_LLQUANTIZE, .factor = (uint32_t)p[0],
					  .low = (uint32_t)p[1], .high = (uint32_t)p[2],
					  .steps = (uint32_t)p[3] };
		span = 1;
		for (int64_t i = 0; i <= p[2]; i++)
			if (__builtin_mul_overflow(span, p[0], &span))
				return false;
		return hist_nr_bins(s) < MAX_BINS;
	default:
		*s = (struct hist_shape){ .kind = HIST_QUANTIZE };
		return true;
	}
}

int agg_init(struct agg *a, const struct dprog_agg *def)
{
	uint32_t nr_words;

	memset(a, 0, sizeof(*a));
	a->def = def;
	a->normal = 1;
	if (def->func >= DPROG_NR_AGGFNS || !shape_of(def, &a->shape))
		return -EINVAL;
	nr_words = agg_ops[def->func].nr_words;
	if (!nr_words)
		nr_words = hist_nr_bins(&a->shape);
	tab_init(&a->tab, def->nr_keys, nr_words);
	a->key_bytes = ROW_BYTES + 8 * ((size_t)def->nr_keys + nr_words);
	for (uint32_t i = 0; i < def->nr_keys; i++)
		if (def->keys[i].kind == DPROG_STR || def->keys[i].kind == DPROG_STACK)
			a->key_bytes += STR_COST;
	return 0;
}

void agg_fini(struct agg *a)
{
	tab_fini(&a->tab);
}

static void init_data(const struct agg *a, uint64_t *data)
{
	if (agg_ops[a->def->func].init)
		agg_ops[a->def->func].init(a, data);
}

uint64_t *agg_add(struct agg *a, const uint64_t *key, struct agg_budget *b)
{
	uint64_t *row = NULL;

	if (b->used + a->key_bytes <= b->size)
		row = tab_add(&a->tab, key);
	if (!row) {
		b->drops++;
		return NULL;
	}
	b->used += a->key_bytes;
	init_data(a, tab_data(&a->tab, row));
	return tab_data(&a->tab, row);
}

void agg_apply(struct agg *a, uint64_t *data, int64_t value, int64_t weight)
{
	agg_ops[a->def->func].apply(a, data, value, weight);
}

int64_t agg_value(const struct agg *a, const uint64_t *data, int64_t normal)
{
	return agg_ops[a->def->func].value ? agg_ops[a->def->func].value(a, data, normal) : 0;
}

int agg_cmp_values(const struct agg *a, const uint64_t *data1, const uint64_t *data2)
{
	if (agg_is_dist(a)) {
		double w1 = hist_weight(&a->shape, agg_bins(data1));
		double w2 = hist_weight(&a->shape, agg_bins(data2));
		unsigned int zero = hist_middle(&a->shape);

		if (w1 != w2)
			return w1 < w2 ? -1 : 1;
		/* Nothing but the bin that weighs nothing tells them apart. */
		return (agg_bins(data1)[zero] > agg_bins(data2)[zero]) -
		       (agg_bins(data1)[zero] < agg_bins(data2)[zero]);
	}
	if (!a->def->is_signed && (a->def->func == DPROG_AGG_MIN || a->def->func == DPROG_AGG_MAX))
		return (data1[0] > data2[0]) - (data1[0] < data2[0]);
	return (agg_value(a, data1, 1) > agg_value(a, data2, 1)) -
	       (agg_value(a, data1, 1) < agg_value(a, data2, 1));
}

void agg_clear(struct agg *a)
{
	for (uint32_t i = 0; i < a->tab.nr; i++) {
		uint64_t *data = tab_data(&a->tab, tab_row(&a->tab, i));

		memset(data, 0, (a->tab.stride - a->tab.nr_keys) * sizeof(*data));
		init_data(a, data);
	}
}

void agg_drop_all(struct agg *a, struct agg_budget *b)
{
	a->gen++;
	b->used -= a->tab.nr * a->key_bytes;
	tab_clear(&a->tab);
}

void agg_retain(struct agg *a, struct agg_budget *b, const uint64_t *const *rows, uint32_t nr)
{
	struct tab old = a->tab;
	uint64_t *row;

	a->gen++;
	b->used -= old.nr * a->key_bytes;
	tab_init(&a->tab, old.nr_keys, old.stride - old.nr_keys);
	for (uint32_t i = 0; i < nr; i++) {
		row = tab_add(&a->tab, rows[i]);
		if (!row)
			break;
		memcpy(row, rows[i], old.stride * sizeof(*row));
		b->used += a->key_bytes;
	}
	tab_fini(&old);
}
