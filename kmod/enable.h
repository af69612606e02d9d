/* SPDX-License-Identifier: GPL-2.0 */
/* enable.h - a tracepoint goes on or off -> its bit in every control page */
#ifndef BTAP_ENABLE_H
#define BTAP_ENABLE_H

#include <linux/types.h>
#include <linux/bitmap.h>
#include <beamtap/records.h>

struct btap_region;
struct btap_switch;

/* Events whose tracepoint has a user; written under btap_regions_lock, read without. */
extern unsigned long btap_enable_mask[BITS_TO_LONGS(BTAP_MAX_EVENTS)];

/* btap_enable_set() - the first user of a tracepoint came, the last went.  Takes btap_regions_lock */
void btap_enable_set(unsigned int event, bool is_on);

/* btap_enable_region() - bits of a region that is being published; both locks are held */
void btap_enable_region(struct btap_region *r);

/* btap_enable_switch() - BTAP_IOC_SWITCH.  Return: 0, -EINVAL */
int btap_enable_switch(struct btap_region *r, const struct btap_switch *req);

#endif /* BTAP_ENABLE_H */
