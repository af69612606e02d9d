// SPDX-License-Identifier: GPL-2.0
/* limits.c - how much memory regions may take: the module's parameters */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <beamtap/ioctl.h>
#include "limits.h"

static unsigned int region_mb = 1024;
module_param(region_mb, uint, 0644);
MODULE_PARM_DESC(region_mb, "MiB that one region may have; at most 1024 (default 1024)");

static unsigned int total_mb;
module_param(total_mb, uint, 0644);
MODULE_PARM_DESC(total_mb, "MiB for all regions and their strings; 0: an eighth of the memory (default 0)");

static unsigned int user_mb;
module_param(user_mb, uint, 0644);
MODULE_PARM_DESC(user_mb, "MiB for the regions of one user and their strings; 0: half of total_mb (default 0)");

static unsigned int regions_max = 1024;
module_param(regions_max, uint, 0644);
MODULE_PARM_DESC(regions_max, "regions, those of dead VMs included (default 1024)");

static unsigned int user_regions_max = 256;
module_param(user_regions_max, uint, 0644);
MODULE_PARM_DESC(user_regions_max, "regions of one user (default 256)");

static unsigned int orphans_max = 16;
module_param(orphans_max, uint, 0644);
MODULE_PARM_DESC(orphans_max, "regions of dead VMs that are kept; the oldest goes first (default 16)");

static unsigned int orphans_mb;
module_param(orphans_mb, uint, 0644);
MODULE_PARM_DESC(orphans_mb, "MiB for regions of dead VMs; 0: a quarter of total_mb (default 0)");

static unsigned int strings_kb = 4096;
module_param(strings_kb, uint, 0644);
MODULE_PARM_DESC(strings_kb, "KiB for the kernel's copy of one region's atoms and names (default 4096)");

u64 btap_limits_region_bytes(void)
{
	return min_t(u64, (u64)READ_ONCE(region_mb) * SZ_1M, BTAP_REGION_MAX);
}

u64 btap_limits_total_bytes(void)
{
	u64 mb = READ_ONCE(total_mb);

	return mb ? mb * SZ_1M : ((u64)totalram_pages() << PAGE_SHIFT) / 8;
}

u64 btap_limits_user_bytes(void)
{
	u64 mb = READ_ONCE(user_mb);

	return mb ? mb * SZ_1M : btap_limits_total_bytes() / 2;
}

u64 btap_limits_orphan_bytes(void)
{
	u64 mb = READ_ONCE(orphans_mb);

	return mb ? mb * SZ_1M : btap_limits_total_bytes() / 4;
}

unsigned int btap_limits_regions(void)
{
	return READ_ONCE(regions_max);
}

unsigned int btap_limits_user_regions(void)
{
	return READ_ONCE(user_regions_max);
}

unsigned int btap_limits_orphans(void)
{
	return READ_ONCE(orphans_max);
}

size_t btap_limits_string_bytes(void)
{
	return min_t(size_t, READ_ONCE(strings_kb), SZ_1M) * SZ_1K;
}
