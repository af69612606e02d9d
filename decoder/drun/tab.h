/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tab.h - rows found by a tuple of 64-bit words
 *
 * A row is nr_keys words of key and then nr_data words of data.  Rows lie one
 * behind the other in one array, so walking them is walking memory; a hash index
 * of 8 bytes a slot (hash's upper half, row's number + 1) finds them.  Addresses
 * of rows are valid until the next tab_add() or tab_drop().
 */
#ifndef BEAMTAP_TAB_H
#define BEAMTAP_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tab {
	uint64_t *rows;
	uint64_t *slots; /* power of two of them; 0: empty */
	uint32_t mask;
	uint32_t nr, cap; /* rows used, allocated */
	uint32_t nr_keys, stride;
};

/** tab_init() - no memory is taken before the first row */
void tab_init(struct tab *t, uint32_t nr_keys, uint32_t nr_data);
void tab_fini(struct tab *t);

static inline uint64_t tab_hash(const uint64_t *key, uint32_t n)
{
	uint64_t h = key[0] * 0x9e3779b97f4a7c15ULL;

	for (uint32_t i = 1; i < n; i++)
		h = ((h ^ (h >> 29)) + key[i]) * 0xbf58476d1ce4e5b9ULL;
	return h ^ (h >> 32);
}

static inline uint64_t *tab_row(const struct tab *t, uint32_t i)
{
	return t->rows + (size_t)i * t->stride;
}
static inline uint64_t *tab_data(const struct tab *t, uint64_t *row)
{
	return row + t->nr_keys;
}

static inline bool tab_same(const uint64_t *a, const uint64_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* Keys of one word are most of all keys: what is below, without its loops. */
static inline uint64_t *tab_find_word(const struct tab *t, uint64_t key)
{
	uint64_t h = tab_hash(&key, 1), s, *row;

	for (uint64_t i = h;; i++) {
		s = t->slots[i & t->mask];
		if (!s)
			return NULL;
		if ((s ^ h) >> 32)
			continue;
		row = tab_row(t, (uint32_t)s - 1);
		if (*row == key)
			return row;
	}
}

/** tab_find() - Return: the row with this key, or NULL */
static inline uint64_t *tab_find(const struct tab *t, const uint64_t *key)
{
	uint64_t h, s;

	if (!t->nr_keys)
		return t->nr ? t->rows : NULL;
	if (!t->slots)
		return NULL;
	if (t->nr_keys == 1)
		return tab_find_word(t, *key);
	h = tab_hash(key, t->nr_keys);
	for (uint64_t i = h;; i++) {
		s = t->slots[i & t->mask];
		if (!s)
			return NULL;
		if (s >> 32 == h >> 32) {
			uint64_t *row = tab_row(t, (uint32_t)s - 1);

			if (tab_same(row, key, t->nr_keys))
				return row;
		}
	}
}

/**
 * tab_add() - a new row, its data zeroed; the key must not be there yet
 * Return: row, or NULL without memory
 */
uint64_t *tab_add(struct tab *t, const uint64_t *key);
/** tab_drop() - take a row out; the last row takes its place */
void tab_drop(struct tab *t, uint64_t *row);
/** tab_copy() - a copy that is not to grow, in place of what @to held.  Return: 0 or -ENOMEM, and @to is empty */
int tab_copy(struct tab *to, const struct tab *from);
/** tab_clear() - take all rows out */
void tab_clear(struct tab *t);

#endif /* BEAMTAP_TAB_H */
