// SPDX-License-Identifier: Apache-2.0
/* aggsort.c - keys of aggregations, joined and in order */
#include <errno.h>
#include <stdlib.h>
#include "dout/aggsort.h"

/* What qsort_r() hands to the comparison. */
struct order {
	struct dout *o;
	const struct aggsort *s;
};

/* Numbers are compared as unsigned ones of their own size, as dtrace(1) does. */
static int cmp_key_word(struct dout *o, const struct dprog_val *v, uint64_t a, uint64_t b)
{
	if (v->kind == DPROG_STR || v->kind == DPROG_STACK)
		return str_cmp(&o->run->vm.pool, str_of(a), str_of(b));
	if (v->size < 8) {
		a &= (1ULL << (8 * v->size)) - 1;
		b &= (1ULL << (8 * v->size)) - 1;
	}
	return (a > b) - (a < b);
}

static int cmp_keys(const struct order *ord, const struct aggsort_row *a, const struct aggsort_row *b)
{
	const struct dprog_agg *def = ord->s->aggs[0]->def;
	uint32_t first = ord->o->opts.agg_sort_key_pos;

	if (first >= def->nr_keys)
		first = 0;
	for (uint32_t i = 0; i < def->nr_keys; i++) {
		uint32_t k = (first + i) % def->nr_keys;
		int r = cmp_key_word(ord->o, &def->keys[k], a->key[k], b->key[k]);

		if (r)
			return r;
	}
	return 0;
}

/* A key that an aggregation has not is less than one that it has. */
static int cmp_values(const struct order *ord, const struct aggsort_row *a, const struct aggsort_row *b)
{
	uint32_t first = ord->o->opts.agg_sort_pos, nr = ord->s->nr_aggs;

	if (first >= nr)
		first = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t n = (first + i) % nr;
		const uint64_t *x = a->data[n], *y = b->data[n];
		int r;

		if (!x || !y)
			r = (x != NULL) - (y != NULL);
		else
			r = agg_cmp_values(ord->s->aggs[n], x, y);
		if (r)
			return r;
	}
	return 0;
}

static int cmp(const void *pa, const void *pb, void *ctx)
{
	const struct order *ord = ctx;
	const struct aggsort_row *a = pa, *b = pb;
	int r;

	if (ord->o->opts.agg_sort_rev) {
		a = pb;
		b = pa;
	}
	r = ord->o->opts.agg_sort_key ? cmp_keys(ord, a, b) : cmp_values(ord, a, b);
	if (!r)
		r = ord->o->opts.agg_sort_key ? cmp_values(ord, a, b) : cmp_keys(ord, a, b);
	return r ? r : (a->nr > b->nr) - (a->nr < b->nr);
}

/* Where the first @n aggregations have this key. */
static bool is_seen(const struct aggsort *s, uint32_t n, const uint64_t *key)
{
	for (uint32_t i = 0; i < n; i++)
		if (tab_find(&s->aggs[i]->tab, key))
			return true;
	return false;
}

static void fill(struct aggsort *s, struct aggsort_row *row, const uint64_t *key)
{
	row->key = key;
	for (uint32_t i = 0; i < s->nr_aggs; i++) {
		uint64_t *found = tab_find(&s->aggs[i]->tab, key);

		row->data[i] = found ? tab_data(&s->aggs[i]->tab, found) : NULL;
	}
}

int aggsort_join(struct aggsort *s, struct dout *o, struct agg **aggs, uint32_t nr)
{
	struct order ord = { o, s };
	size_t most = 0;

	*s = (struct aggsort){ .aggs = aggs, .nr_aggs = nr };
	for (uint32_t i = 0; i < nr; i++)
		most += aggs[i]->tab.nr;
	s->rows = malloc((most + 1) * sizeof(*s->rows));
	s->cells = malloc((most + 1) * nr * sizeof(*s->cells));
	if (!s->rows || !s->cells) {
		aggsort_fini(s);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < aggs[i]->tab.nr; k++) {
			const uint64_t *key = tab_row(&aggs[i]->tab, k);
			struct aggsort_row *row = &s->rows[s->nr_rows];

			if (is_seen(s, i, key))
				continue;
			row->nr = s->nr_rows;
			row->data = s->cells + (size_t)s->nr_rows * nr;
			fill(s, row, key);
			s->nr_rows++;
		}
	}
	qsort_r(s->rows, s->nr_rows, sizeof(*s->rows), cmp, &ord);
	return 0;
}

void aggsort_fini(struct aggsort *s)
{
	free(s->rows);
	free(s->cells);
	s->rows = NULL;
	s->cells = NULL;
	s->nr_rows = 0;
}
