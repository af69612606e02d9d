/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idmap.h - a hash table from a word that is not 0 to a number, open addressing
 *
 * At most half full; removal moves what follows back, so that nothing is left
 * behind however often things come and go.
 */
#ifndef BEAMTAP_IDMAP_H
#define BEAMTAP_IDMAP_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct idmap_slot {
	uint64_t key; /* 0: free */
	uint32_t value;
};

struct idmap {
	struct idmap_slot *tab;
	uint32_t mask, nr;
};

static inline uint32_t idmap_hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(key >> 32);
}

/** idmap_get() - Return: where the value of a key is, or NULL; borrowed until the next change */
static inline uint32_t *idmap_get(const struct idmap *m, uint64_t key)
{
	uint32_t i;

	if (!m->tab)
		return NULL;
	for (i = idmap_hash(key) & m->mask; m->tab[i].key; i = (i + 1) & m->mask)
		if (m->tab[i].key == key)
			return &m->tab[i].value;
	return NULL;
}

static inline int idmap_grow(struct idmap *m)
{
	uint32_t size = m->tab ? (m->mask + 1) * 2 : 64, i, j;
	struct idmap_slot *tab;

	if (!size || size > 1u << 30)
		return -ENOMEM;
	tab = (struct idmap_slot *)calloc(size, sizeof(*tab));
	if (!tab)
		return -ENOMEM;
	for (i = 0; m->tab && i <= m->mask; i++) {
		if (!m->tab[i].key)
			continue;
		for (j = idmap_hash(m->tab[i].key) & (size - 1); tab[j].key; j = (j + 1) & (size - 1))
			;
		tab[j] = m->tab[i];
	}
	free(m->tab);
	m->tab = tab;
	m->mask = size - 1;
	return 0;
}

/** idmap_put() - set the value of a key.  Return: 0 or -ENOMEM */
static inline int idmap_put(struct idmap *m, uint64_t key, uint32_t value)
{
	uint32_t i;

	if ((!m->tab || m->nr * 2 > m->mask) && idmap_grow(m))
		return -ENOMEM;
	for (i = idmap_hash(key) & m->mask; m->tab[i].key && m->tab[i].key != key;
	     i = (i + 1) & m->mask)
		;
	if (!m->tab[i].key)
		m->nr++;
	m->tab[i].key = key;
	m->tab[i].value = value;
	return 0;
}

static inline void idmap_remove(struct idmap *m, uint64_t key)
{
	uint32_t i, j, home;

	if (!m->tab)
		return;
	for (i = idmap_hash(key) & m->mask; m->tab[i].key != key; i = (i + 1) & m->mask)
		if (!m->tab[i].key)
			return;
	for (j = (i + 1) & m->mask; m->tab[j].key; j = (j + 1) & m->mask) {
		home = idmap_hash(m->tab[j].key) & m->mask;
		/* May it stand at i?  Not if its home lies cyclically in (i, j]. */
		if (((j - home) & m->mask) >= ((j - i) & m->mask)) {
			m->tab[i] = m->tab[j];
			i = j;
		}
	}
	m->tab[i].key = 0;
	m->nr--;
}

static inline void idmap_clear(struct idmap *m)
{
	for (uint32_t i = 0; m->tab && i <= m->mask; i++)
		m->tab[i].key = 0;
	m->nr = 0;
}

static inline void idmap_fini(struct idmap *m)
{
	free(m->tab);
	m->tab = NULL;
	m->mask = m->nr = 0;
}

#endif /* BEAMTAP_IDMAP_H */
