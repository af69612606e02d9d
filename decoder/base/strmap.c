// SPDX-License-Identifier: Apache-2.0
/*
 * strmap.c - linear probing, at most two thirds full.  The hash is FNV-1a with
 * a final mix; the text of a script is not trusted, so the probe length is kept
 * short by size alone, and nothing here is quadratic for less than 2^32 equal hashes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/strmap.h"

static uint64_t hash_of(const char *key, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ull;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)key[i]) * 0x100000001b3ull;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15ull;
	return h ^ (h >> 29);
}

static struct strmap_slot *slot_of(const struct strmap *m, const char *key, size_t len, uint64_t h)
{
	size_t i = h & (m->cap - 1);

	while (m->slots[i].key && (m->slots[i].hash != h || m->slots[i].len != len ||
				   memcmp(m->slots[i].key, key, len)))
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

void *strmap_get(const struct strmap *m, const char *key, size_t len)
{
	return m->cap ? slot_of(m, key, len, hash_of(key, len))->value : NULL;
}

static int grow(struct strmap *m)
{
	struct strmap n = { .cap = m->cap ? m->cap * 2 : 64, .nr = m->nr };
	size_t i;

	n.slots = calloc(n.cap, sizeof(*n.slots));
	if (!n.slots)
		return -ENOMEM;
	for (i = 0; i < m->cap; i++)
		if (m->slots[i].key)
			*slot_of(&n, m->slots[i].key, m->slots[i].len, m->slots[i].hash) = m->slots[i];
	free(m->slots);
	*m = n;
	return 0;
}

int strmap_put(struct strmap *m, const char *key, size_t len, void *value)
{
	struct strmap_slot *s;
	uint64_t h = hash_of(key, len);

	if ((m->nr + 1) * 3 > m->cap * 2 && grow(m))
		return -ENOMEM;
	s = slot_of(m, key, len, h);
	if (!s->key) {
		*s = (struct strmap_slot){ .key = key, .len = len, .hash = h };
		m->nr++;
	}
	s->value = value;
	return 0;
}

void strmap_fini(struct strmap *m)
{
	free(m->slots);
	*m = (struct strmap){ 0 };
}
