// SPDX-License-Identifier: Apache-2.0
/* imap.c - a hash from keys to indexes; see imap.h */
#include "report/imap.h"

#include <errno.h>
#include <stdlib.h>

int imap_init(struct imap *m, uint32_t slots)
{
	m->slots = malloc(slots * sizeof(*m->slots));
	if (!m->slots)
		return -ENOMEM;
	m->mask = slots - 1;
	imap_clear(m);
	return 0;
}

void imap_fini(struct imap *m)
{
	free(m->slots);
	m->slots = NULL;
}

void imap_clear(struct imap *m)
{
	m->nr = 0;
	for (uint32_t i = 0; i <= m->mask; i++)
		m->slots[i].index = IMAP_NONE;
}

static void place(struct imap *m, struct imap_slot s)
{
	uint32_t i = imap_home(m, s.key, s.space);

	while (m->slots[i].index != IMAP_NONE)
		i = (i + 1) & m->mask;
	m->slots[i] = s;
	m->nr++;
}

static int grow(struct imap *m)
{
	struct imap old = *m;

	if (imap_init(m, (old.mask + 1) * 2)) {
		*m = old;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i <= old.mask; i++)
		if (old.slots[i].index != IMAP_NONE)
			place(m, old.slots[i]);
	free(old.slots);
	return 0;
}

int imap_put(struct imap *m, uint64_t key, uint32_t space, uint32_t index)
{
	uint32_t i = imap_home(m, key, space);

	for (; m->slots[i].index != IMAP_NONE; i = (i + 1) & m->mask) {
		if (m->slots[i].key == key && m->slots[i].space == space) {
			m->slots[i].index = index;
			return 0;
		}
	}
	if (m->nr >= m->mask / 2 && grow(m))
		return -ENOMEM;
	place(m, (struct imap_slot){ key, space, index });
	return 0;
}

void imap_del(struct imap *m, uint64_t key, uint32_t space)
{
	uint32_t i = imap_home(m, key, space), hole;

	for (;; i = (i + 1) & m->mask) {
		if (m->slots[i].index == IMAP_NONE)
			return;
		if (m->slots[i].key == key && m->slots[i].space == space)
			break;
	}
	/* Move up what would no longer be found across the hole. */
	hole = i;
	for (;;) {
		uint32_t home;

		i = (i + 1) & m->mask;
		if (m->slots[i].index == IMAP_NONE)
			break;
		home = imap_home(m, m->slots[i].key, m->slots[i].space);
		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].index = IMAP_NONE;
	m->nr--;
}
