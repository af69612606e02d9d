/* SPDX-License-Identifier: GPL-2.0 */
/*
 * region.h - a VM's memory and what the kernel knows of it
 *
 * Locks, in the order in which they are taken:
 *	tracepoints_mutex (the kernel's); region.strings_lock	additions to strings
 *	btap_regions_lock	the list, the events switched on, counts of readers, strings.bytes
 *	region.lock		switches, leases, facts.node
 * Nobody touches user memory with one of them held.
 *
 * A region is counted: by the file of its VM, by the file of each reader (a
 * mapping holds its file), and by the list.  A region that was published stays in
 * the list when its VM is dead, until it is the oldest of too many.
 */
#ifndef BTAP_REGION_H
#define BTAP_REGION_H

#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/wait.h>
#include <beamtap/ioctl.h>
#include "strtab.h"

struct file;
struct vm_area_struct;

/* A cpu's counts of what became of the records handed over. */
struct btap_counts {
	u64 fired;
	u64 malformed;
	u64 unwanted; /* nobody listened any more */
};

/* What the kernel remembers of a lease; its page in the region is only written. */
struct btap_lease_state {
	const void *holder; /* the reader's file; NULL: free */
	u64 gen;	    /* even; that of the last one when free */
	u64 ttl_ns;
	u64 beat_ns;
	u32 flags;
};

struct btap_region {
	struct kref ref;
	struct list_head node; /* in the list, by the list's lock */
	u32 id;

	/* set when it is made */
	u64 size; /* bytes */
	unsigned long nr_pages;
	struct page **pages;
	u64 ctl_off, lease_off, ring_off;
	u32 nr_leases, nr_rings;
	kuid_t uid;
	struct pid *pid; /* of the VM's thread group, counted */
	struct btap_counts __percpu *counts;

	bool is_published; /* set once, release, when facts are whole */
	bool is_dead;	   /* set once, under both locks; read without */
	u64 died_ns;
	u32 nr_readers;

	struct mutex lock; /* guards what follows */
	struct btap_facts facts; /* all but node: constant once published */
	u8 on[BTAP_MAX_EVENTS]; /* what ctl.on[] shows */
	struct btap_lease_state lease[BTAP_MAX_LEASES];
	u32 lease_changes; /* came, changed or went */
	u32 lease_seen;	   /* of these, seen by the VM */
	wait_queue_head_t wait; /* for changes of leases, and the end of the VM */

	struct mutex strings_lock;
	struct btap_strtab_hash strings;
};

extern struct mutex btap_regions_lock;
extern struct list_head btap_regions;

/**
 * btap_region_new() - make a region for the calling process
 * @req: copied from the user, checked here; .id is set
 *
 * Return: the region, one count for the caller and one for the list; or an
 * ERR_PTR as in ioctl.h.
 */
struct btap_region *btap_region_new(struct btap_new *req);

/* btap_region_publish() - take the facts, show the region; again: the node's name.  Return: 0, -errno */
int btap_region_publish(struct btap_region *r, const struct btap_facts *facts);

/* btap_region_strings() - BTAP_IOC_STRINGS, copied.  Return: as btap_strtab_add() */
int btap_region_strings(struct btap_region *r, const void *data, size_t len);

/* btap_region_die() - the VM's file is closed; once */
void btap_region_die(struct btap_region *r);

void btap_region_put(struct btap_region *r);

/* btap_region_next() - smallest id >= @id that @file's opener may read.  Return: counted, or NULL */
struct btap_region *btap_region_next(u32 id, const struct file *file);

/* btap_region_attach() - bind a reader.  Return: counted; ERR_PTR -ENOENT, -EACCES */
struct btap_region *btap_region_attach(u32 id, const struct file *file);
void btap_region_detach(struct btap_region *r);

/* btap_region_info() - fill in what readers may know; ids as the caller sees them */
void btap_region_info(struct btap_region *r, struct btap_info *info);

/* btap_region_sum() - counts over all cpus */
void btap_region_sum(const struct btap_region *r, struct btap_counts *sum);

/**
 * btap_region_at() - kernel address of a byte in the region
 * @off: below its size; what is accessed there must not cross a page of BTAP_PAGE bytes
 */
void *btap_region_at(const struct btap_region *r, u64 off);

static inline struct btap_ctl *btap_region_ctl(const struct btap_region *r)
{
	return btap_region_at(r, r->ctl_off);
}

/* btap_region_free_orphans() - the module goes: drop all regions; there are no files any more */
void btap_region_free_orphans(void);

#endif /* BTAP_REGION_H */
