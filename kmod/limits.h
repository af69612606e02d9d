/* SPDX-License-Identifier: GPL-2.0 */
/* limits.h - how much memory regions may take: the module's parameters */
#ifndef BTAP_LIMITS_H
#define BTAP_LIMITS_H

#include <linux/types.h>

/* All can be changed at any time; what is there already stays. */
u64 btap_limits_region_bytes(void);	    /* one region */
u64 btap_limits_total_bytes(void);	    /* all regions, with their strings */
u64 btap_limits_user_bytes(void);	    /* those of one user */
u64 btap_limits_orphan_bytes(void);	    /* those of dead VMs */
unsigned int btap_limits_regions(void);	    /* number of regions */
unsigned int btap_limits_user_regions(void); /* those of one user */
unsigned int btap_limits_orphans(void);	    /* those of dead VMs */
size_t btap_limits_string_bytes(void);	    /* strings of one region */

#endif /* BTAP_LIMITS_H */
