// SPDX-License-Identifier: GPL-2.0
/* held.c - what the module holds */
#include <linux/atomic.h>
#include "held.h"

static atomic_long_t held[BTAP_HELD_NR];

void btap_held_add(enum btap_held what, long nr)
{
	atomic_long_add(nr, &held[what]);
}

long btap_held_read(enum btap_held what)
{
	return atomic_long_read(&held[what]);
}
