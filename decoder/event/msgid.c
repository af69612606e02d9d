// SPDX-License-Identifier: Apache-2.0
/* msgid.c - messages on their way, by their identity */
#include <stdlib.h>
#include "event/idmap.h"
#include "event/msgid.h"

#define PROBES 8

/*
 * Where the slots of an identity begin.  Writers count identities up, so those of
 * one time lie side by side: a few cache lines serve them, not one each.
 */
static uint32_t home(const struct msgid *m, uint64_t id)
{
	return ((uint32_t)(id & 4095) + idmap_hash(id >> 12)) & m->mask &
	       ~(uint32_t)(PROBES - 1);
}

bool msgid_put(struct msgid *m, uint64_t id, uint64_t ns, uint64_t sender, uint32_t max)
{
	struct msgid_sent *slot, *old;
	uint32_t size, i;

	if (!m->tab) {
		for (size = PROBES * 64; size < max; size *= 2)
			;
		m->tab = calloc(size, sizeof(*m->tab));
		if (!m->tab)
			return false;
		m->mask = size - 1;
	}
	slot = old = &m->tab[home(m, id)];
	for (i = 0; i < PROBES; i++, slot++) {
		if (!slot->id)
			break;
		if (slot->id == id) {
			slot->ns = ns;
			slot->sender = MSGID_TWO;
			return true;
		}
		if (slot->ns < old->ns)
			old = slot;
	}
	*(i < PROBES ? slot : old) = (struct msgid_sent){ id, ns, sender };
	return i < PROBES;
}

bool msgid_take(struct msgid *m, uint64_t id, struct msgid_sent *sent)
{
	struct msgid_sent *slot;

	if (!m->tab)
		return false;
	slot = &m->tab[home(m, id)];
	for (int i = 0; i < PROBES; i++, slot++) {
		if (slot->id != id)
			continue;
		if (slot->sender == MSGID_TWO)
			return false;
		*sent = *slot;
		slot->id = slot->ns = 0;
		return true;
	}
	return false;
}

void msgid_fini(struct msgid *m)
{
	free(m->tab);
	m->tab = NULL;
}
