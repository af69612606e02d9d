/* SPDX-License-Identifier: GPL-2.0 */
/*
 * held.h - what the module holds, counted where it is taken and where it is given back
 *
 * Not used for any decision: limits.h bounds what is in the list of regions.  What is
 * held but in no list any more is a leak, and can be seen here.
 */
#ifndef BTAP_HELD_H
#define BTAP_HELD_H

enum btap_held {
	BTAP_HELD_FILES,
	BTAP_HELD_REGIONS,
	BTAP_HELD_PAGES,
	BTAP_HELD_STRING_BYTES,
	BTAP_HELD_NR
};

void btap_held_add(enum btap_held what, long nr);
long btap_held_read(enum btap_held what);

#endif /* BTAP_HELD_H */
