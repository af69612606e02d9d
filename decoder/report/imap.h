/* SPDX-License-Identifier: Apache-2.0 */
/*
 * imap.h - a hash from (64-bit key, 32-bit space) to an index
 *
 * Open addressing, at most half full, so that a look-up is one or two cache
 * lines.  The caller bounds how much goes in.
 */
#ifndef BEAMTAP_REPORT_IMAP_H
#define BEAMTAP_REPORT_IMAP_H

#include <stdint.h>

#define IMAP_NONE UINT32_MAX

struct imap_slot {
	uint64_t key;
	uint32_t space;
	uint32_t index; /* IMAP_NONE: free */
};

struct imap {
	struct imap_slot *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t nr;
};

/** imap_init() - an empty map.  Return: 0 or -ENOMEM */
int imap_init(struct imap *m, uint32_t slots);
void imap_fini(struct imap *m);
/** imap_clear() - forget all keys */
void imap_clear(struct imap *m);

static inline uint32_t imap_home(const struct imap *m, uint64_t key, uint32_t space)
{
	uint64_t h = (key ^ ((uint64_t)space << 40)) * 0x9e3779b97f4a7c15ULL;

	return (uint32_t)(h >> 32) & m->mask;
}

/** imap_find() - Return: the index, or IMAP_NONE */
static inline uint32_t imap_find(const struct imap *m, uint64_t key, uint32_t space)
{
	for (uint32_t i = imap_home(m, key, space);; i = (i + 1) & m->mask) {
		const struct imap_slot *s = &m->slots[i];

		if (s->index == IMAP_NONE)
			return IMAP_NONE;
		if (s->key == key && s->space == space)
			return s->index;
	}
}

/** imap_put() - set a key's index, whether it is there or not.  Return: 0 or -ENOMEM */
int imap_put(struct imap *m, uint64_t key, uint32_t space, uint32_t index);
/** imap_del() - forget a key; fine if it is not there */
void imap_del(struct imap *m, uint64_t key, uint32_t space);

#endif /* BEAMTAP_REPORT_IMAP_H */
