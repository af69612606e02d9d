// SPDX-License-Identifier: GPL-2.0
/*
 * enable.c - a tracepoint goes on or off -> its bit in every control page
 *
 * The kernel calls back for the first user of a tracepoint and for the last one,
 * however he went, with tracepoints_mutex held.
 */
#include <linux/bitops.h>
#include "enable.h"
#include "region.h"

unsigned long btap_enable_mask[BITS_TO_LONGS(BTAP_MAX_EVENTS)];

/* The page is the VM's to spoil: what it shows is kept in @r->on. */
static void set_on(struct btap_region *r, struct btap_ctl *ctl, unsigned int event, u8 purpose,
		   bool is_on)
{
	u8 on = is_on ? r->on[event] | purpose : r->on[event] & ~purpose;

	/* Hooks on all cores have this line in their caches. */
	if (r->on[event] == on)
		return;
	r->on[event] = on;
	WRITE_ONCE(ctl->on[event], on);
}

void btap_enable_set(unsigned int event, bool is_on)
{
	struct btap_region *r;

	mutex_lock(&btap_regions_lock);
	if (is_on)
		set_bit(event, btap_enable_mask);
	else
		clear_bit(event, btap_enable_mask);
	list_for_each_entry(r, &btap_regions, node) {
		if (!r->is_published || r->is_dead)
			continue;
		mutex_lock(&r->lock);
		set_on(r, btap_region_ctl(r), event, BTAP_ON_TRACEPOINT, is_on);
		mutex_unlock(&r->lock);
	}
	mutex_unlock(&btap_regions_lock);
}

void btap_enable_region(struct btap_region *r)
{
	struct btap_ctl *ctl = btap_region_ctl(r);
	unsigned int event;

	lockdep_assert_held(&btap_regions_lock);
	lockdep_assert_held(&r->lock);
	for_each_set_bit(event, btap_enable_mask, BTAP_MAX_EVENTS)
		set_on(r, ctl, event, BTAP_ON_TRACEPOINT, true);
}

int btap_enable_switch(struct btap_region *r, const struct btap_switch *req)
{
	struct btap_ctl *ctl = btap_region_ctl(r);
	unsigned int event;

	if ((req->purpose != BTAP_ON_RING && req->purpose != BTAP_ON_USDT &&
	     req->purpose != BTAP_ON_STACK) ||
	    req->reserved || req->stop_when_full > 1 || (req->mask[0] & 1))
		return -EINVAL;
	if (req->purpose != BTAP_ON_RING && (req->stop_when_full || req->nr_functions))
		return -EINVAL;
	mutex_lock(&r->lock);
	if (req->purpose == BTAP_ON_RING) {
		/* Before the events: the first record shall find the ring's mode set. */
		WRITE_ONCE(ctl->stop_when_full, req->stop_when_full);
		WRITE_ONCE(ctl->nr_functions, req->nr_functions);
	}
	for (event = 1; event < BTAP_MAX_EVENTS; event++)
		set_on(r, ctl, event, req->purpose, req->mask[event / 64] >> (event % 64) & 1);
	mutex_unlock(&r->lock);
	return 0;
}
