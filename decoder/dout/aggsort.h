/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggsort.h - the keys of one or several aggregations, joined and in order
 */
#ifndef BEAMTAP_AGGSORT_H
#define BEAMTAP_AGGSORT_H

#include "dout/dout.h"

/* One key, with its data in each of the aggregations; NULL where it is not. */
struct aggsort_row {
	const uint64_t *key;
	const uint64_t **data;
	uint32_t nr; /* order in which keys were first used: ties stay so */
};

struct aggsort {
	struct aggsort_row *rows;
	const uint64_t **cells; /* memory of all rows' data */
	uint32_t nr_rows, nr_aggs;
	struct agg **aggs;
};

/**
 * aggsort_join() - all keys of these aggregations, in the order that the options say
 * @aggs: 1 or more with the same kinds of keys; borrowed as long as @s
 *
 * Ascending by value, then by key; aggsortkey turns that round, aggsortrev the
 * whole order.  Return: 0 or -ENOMEM; end it with aggsort_fini().
 */
int aggsort_join(struct aggsort *s, struct dout *o, struct agg **aggs, uint32_t nr);
void aggsort_fini(struct aggsort *s);

#endif /* BEAMTAP_AGGSORT_H */
