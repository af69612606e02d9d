/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agg.h - aggregations: a table of values by key, and one row of functions per kind
 *
 * What a key's data words are is said in agg.c; who prints asks agg_value()
 * and, of distributions, agg_bins().
 */
#ifndef BEAMTAP_AGG_H
#define BEAMTAP_AGG_H

#include "dprog/prog.h"
#include "drun/hist.h"
#include "drun/tab.h"

struct agg {
	const struct dprog_agg *def; /* borrowed from the program */
	struct hist_shape shape;     /* of the quantize family */
	struct tab tab;
	int64_t normal; /* what printed values are divided by; 1 */
	bool is_printed; /* by printa(): not printed again at the end */
	size_t key_bytes; /* what one key counts for in the budget */
	uint32_t gen;	  /* changes whenever rows get other numbers */
};

/* What all aggregations of a program may use together. */
struct agg_budget {
	size_t size, used;
	uint64_t drops; /* keys that found no room: one for each value that was not counted */
};

/**
 * agg_init() - empty aggregation
 * @def: borrowed
 * Return: 0, or -EINVAL when a distribution's parameters make no sense or too many bins
 */
int agg_init(struct agg *a, const struct dprog_agg *def);
void agg_fini(struct agg *a);

/** agg_is_dist() - is its value a distribution? */
static inline bool agg_is_dist(const struct agg *a)
{
	return a->def->func >= DPROG_AGG_QUANTIZE;
}

/** agg_add() - slow path of agg_update(): a new key.  Return: its data or NULL, counted in @b */
uint64_t *agg_add(struct agg *a, const uint64_t *key, struct agg_budget *b);
/** agg_apply() - add a value to the data of a key */
void agg_apply(struct agg *a, uint64_t *data, int64_t value, int64_t weight);

/** agg_update() - aggregate a value under a key of def->nr_keys words (strings interned) */
static inline void agg_update(struct agg *a, struct agg_budget *b, const uint64_t *key, int64_t value,
			      int64_t weight)
{
	uint64_t *row = tab_find(&a->tab, key), *data;

	data = row ? tab_data(&a->tab, row) : agg_add(a, key, b);
	if (!data)
		return;
	if (a->def->func == DPROG_AGG_COUNT)
		data[0]++;
	else
		agg_apply(a, data, value, weight);
}

/** agg_value() - a key's value as printed: mean for avg(), ...; divided by @normal; not of distributions */
int64_t agg_value(const struct agg *a, const uint64_t *data, int64_t normal);
/** agg_bins() - the bins of a distribution */
static inline const int64_t *agg_bins(const uint64_t *data)
{
	return (const int64_t *)data;
}
/** agg_cmp_values() - order of two keys' values: -1, 0, 1 */
int agg_cmp_values(const struct agg *a, const uint64_t *data1, const uint64_t *data2);

/** agg_clear() - clear(): keys stay, values become 0 */
void agg_clear(struct agg *a);
/** agg_drop_all() - trunc(@a) */
void agg_drop_all(struct agg *a, struct agg_budget *b);
/** agg_retain() - only these rows stay, in this order; @rows point into the table */
void agg_retain(struct agg *a, struct agg_budget *b, const uint64_t *const *rows, uint32_t nr);

#endif /* BEAMTAP_AGG_H */
