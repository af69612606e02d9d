// SPDX-License-Identifier: Apache-2.0
/* tab.c - rows found by a tuple of words: open addressing, linear probing */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "drun/tab.h"

#define FIRST_ROWS 16

void tab_init(struct tab *t, uint32_t nr_keys, uint32_t nr_data)
{
	memset(t, 0, sizeof(*t));
	t->nr_keys = nr_keys;
	t->stride = nr_keys + nr_data;
}

void tab_fini(struct tab *t)
{
	free(t->rows);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

static void put_slot(struct tab *t, uint64_t h, uint32_t row)
{
	uint64_t i = h;

	while (t->slots[i & t->mask])
		i++;
	t->slots[i & t->mask] = (h >> 32 << 32) | (row + 1);
}

/* Room for one more row, and an index that is at most half full. */
static bool grow(struct tab *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : FIRST_ROWS;
	uint64_t *rows, *slots = NULL;

	if (cap > 1u << 30)
		return false;
	rows = realloc(t->rows, (size_t)cap * (t->stride ? t->stride : 1) * sizeof(*rows));
	if (!rows)
		return false;
	t->rows = rows;
	if (t->nr_keys) {
		slots = calloc((size_t)cap * 2, sizeof(*slots));
		if (!slots)
			return false;
		free(t->slots);
		t->slots = slots;
		t->mask = cap * 2 - 1;
		for (uint32_t i = 0; i < t->nr; i++)
			put_slot(t, tab_hash(tab_row(t, i), t->nr_keys), i);
	}
	t->cap = cap;
	return true;
}

uint64_t *tab_add(struct tab *t, const uint64_t *key)
{
	uint64_t *row;

	if (t->nr == t->cap && !grow(t))
		return NULL;
	row = tab_row(t, t->nr);
	memset(row, 0, t->stride * sizeof(*row));
	if (t->nr_keys)
		memcpy(row, key, t->nr_keys * sizeof(*row));
	if (t->nr_keys)
		put_slot(t, tab_hash(key, t->nr_keys), t->nr);
	t->nr++;
	return row;
}

static uint32_t slot_of(const struct tab *t, uint32_t row)
{
	uint64_t i = tab_hash(tab_row(t, row), t->nr_keys);

	while ((uint32_t)t->slots[i & t->mask] != row + 1)
		i++;
	return (uint32_t)i & t->mask;
}

/* Empty slot @i and move up what had been pushed behind it. */
static void empty_slot(struct tab *t, uint32_t i)
{
	uint32_t j = i;

	for (;;) {
		uint64_t s;
		uint32_t home;

		j = (j + 1) & t->mask;
		s = t->slots[j];
		if (!s)
			break;
		home = (uint32_t)tab_hash(tab_row(t, (uint32_t)s - 1), t->nr_keys) & t->mask;
		/* may it stand at i?  Only if its home is not behind i on the way to j */
		if (((j - home) & t->mask) >= ((j - i) & t->mask)) {
			t->slots[i] = s;
			i = j;
		}
	}
	t->slots[i] = 0;
}

void tab_drop(struct tab *t, uint64_t *row)
{
	uint32_t i = t->stride ? (uint32_t)((size_t)(row - t->rows) / t->stride) : 0, last = t->nr - 1;

	if (t->nr_keys) {
		empty_slot(t, slot_of(t, i));
		if (i != last) {
			uint32_t s = slot_of(t, last);

			t->slots[s] = (t->slots[s] >> 32 << 32) | (i + 1);
			memcpy(row, tab_row(t, last), t->stride * sizeof(*row));
		}
	}
	t->nr--;
}

int tab_copy(struct tab *to, const struct tab *from)
{
	size_t words = (size_t)from->nr * from->stride, slots = from->slots ? (size_t)from->mask + 1 : 0;
	struct tab t = *from;

	t.cap = from->nr;
	t.rows = malloc(words * sizeof(*t.rows) + 8);
	t.slots = slots ? malloc(slots * sizeof(*t.slots)) : NULL;
	tab_fini(to);
	tab_init(to, from->nr_keys, from->stride - from->nr_keys);
	if (!t.rows || (slots && !t.slots)) {
		free(t.rows);
		free(t.slots);
		return -ENOMEM;
	}
	if (words)
		memcpy(t.rows, from->rows, words * sizeof(*t.rows));
	if (slots)
		memcpy(t.slots, from->slots, slots * sizeof(*t.slots));
	*to = t;
	return 0;
}

void tab_clear(struct tab *t)
{
	t->nr = 0;
	if (t->slots)
		memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof(*t->slots));
}
