// SPDX-License-Identifier: GPL-2.0
/*
 * show.c - /sys/kernel/debug/beamtap, for root
 *
 *	regions  a line a region
 *	memory   what the module holds, in whatever state; a name and a number a line
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include "held.h"
#include "region.h"
#include "show.h"
#include "text.h"

static struct dentry *dir;

static const char *state_of(const struct btap_region *r)
{
	if (r->is_dead)
		return "dead";
	return r->is_published ? "alive" : "new";
}

static void show_region(struct seq_file *m, struct btap_region *r)
{
	char node[sizeof(r->facts.node) + 1];
	unsigned int i, nr_leases = 0;
	struct btap_counts sum;

	mutex_lock(&r->lock);
	for (i = 0; i < r->nr_leases; i++)
		nr_leases += !!r->lease[i].holder;
	btap_text_copy(node, sizeof(node) - 1, r->facts.node,
		       strnlen(r->facts.node, sizeof(r->facts.node)));
	mutex_unlock(&r->lock);
	btap_region_sum(r, &sum);
	seq_printf(m, "%u %s %d %u %llu %llu %llu %llu %u %u %u %zu %llu %s\n", r->id, state_of(r),
		   pid_vnr(r->pid), from_kuid_munged(seq_user_ns(m), r->uid), r->size, sum.fired,
		   sum.malformed, sum.unwanted, r->nr_readers, nr_leases,
		   READ_ONCE(r->strings.nr), r->strings.bytes, READ_ONCE(r->strings.lost),
		   node[0] ? node : "-");
}

static int regions_show(struct seq_file *m, void *v)
{
	struct btap_region *r;

	seq_puts(m, "# id state pid uid bytes fired malformed unwanted readers leases strings string_bytes strings_lost node\n");
	mutex_lock(&btap_regions_lock);
	list_for_each_entry(r, &btap_regions, node)
		show_region(m, r);
	mutex_unlock(&btap_regions_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(regions);

static int memory_show(struct seq_file *m, void *v)
{
	seq_printf(m, "files %ld\n", btap_held_read(BTAP_HELD_FILES));
	seq_printf(m, "regions %ld\n", btap_held_read(BTAP_HELD_REGIONS));
	seq_printf(m, "pages %ld\n", btap_held_read(BTAP_HELD_PAGES));
	seq_printf(m, "string_bytes %ld\n", btap_held_read(BTAP_HELD_STRING_BYTES));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(memory);

/* Without debugfs there is just nothing to see. */
void btap_show_init(void)
{
	dir = debugfs_create_dir("beamtap", NULL);
	debugfs_create_file("regions", 0400, dir, NULL, &regions_fops);
	debugfs_create_file("memory", 0400, dir, NULL, &memory_fops);
}

void btap_show_exit(void)
{
	debugfs_remove_recursive(dir);
}
