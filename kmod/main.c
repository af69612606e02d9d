// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - init and exit, in the order things start
 *
 * The tracepoints are the module loader's business (trace.c), before init and
 * after exit: a tracepoint that is on when the module goes is switched off after
 * btap_exit(), which finds an empty list.
 */
#include <linux/module.h>
#include "device.h"
#include "region.h"
#include "show.h"

static int __init btap_init(void)
{
	int error = btap_device_init();

	if (error)
		return error;
	btap_show_init();
	return 0;
}

static void __exit btap_exit(void)
{
	btap_show_exit();
	btap_device_exit();
	btap_region_free_orphans();
}

module_init(btap_init);
module_exit(btap_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("beamtap: events of Erlang VMs as tracepoints, and memory for their rings");
MODULE_VERSION("0.1.0");
