/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ioctl.h - /dev/beamtap: regions that the kernel module holds
 *
 * A region of the device is laid out as one in a file (region.h).  The kernel
 * never reads its memory: what it must know is passed by the calls below, is
 * copied once and checked, and is kept in memory of its own.  It writes there:
 * the whole control page, the lease pages, and ring.tail.
 *
 * An open file of the device plays one part, settled by its first call:
 *
 *	the VM     BTAP_IOC_NEW, mmap() of the whole region, read and write; it fills in the
 *	           header and so on; then BTAP_IOC_PUBLISH.  Strings are defined twice: in the
 *	           string table as ever, and by BTAP_IOC_STRINGS for the text of tracepoints.
 *	           What goes into the rings is set by BTAP_IOC_SWITCH, not in the control page.
 *	           write() of one record fires its tracepoint in the thread that writes; -EINVAL:
 *	           malformed, or not yet published.  Words behind the fields that the module knows
 *	           are passed over; a record that nobody waits for any more is no error.
 *	           poll(): POLLIN when a lease came, changed or went since the last
 *	           BTAP_IOC_SEEN.  The first close() of a descriptor of this file in the VM's own
 *	           process, by whatever means (exit, exec, dup2), says that the VM is dead; its
 *	           mappings do not count.  The region stays for readers.
 *	a reader   BTAP_IOC_NEXT walks the regions, BTAP_IOC_ATTACH binds the file to one, then
 *	           mmap(PROT_READ) of the whole.  One lease a file, by BTAP_IOC_LEASE, renewed by
 *	           BTAP_IOC_BEAT; it ends with the file.  poll(): POLLHUP when the VM is dead.
 *
 * A child of fork() shares the VM's file but may not use it: calls other than
 * those of a reader are -EPERM for a process other than the one that made the
 * region, and a mapping is not inherited (VM_DONTCOPY).
 *
 * Rights: a region may be read and leased by its owner's uid, and by whoever has
 * CAP_PERFMON.  Errors common to all: -ENOTTY unknown call, -EFAULT bad address,
 * -EPERM as above, -EINVAL wrong part for this call, or a field or reserved
 * word (must be 0) out of its range.
 */
#ifndef BEAMTAP_IOCTL_H
#define BEAMTAP_IOCTL_H

#include <linux/ioctl.h>
#include "region.h"

#define BTAP_DEVICE	"/dev/beamtap"
#define BTAP_IOC_MAGIC	0xbe
#define BTAP_REGION_MAX	(1ULL << 30) /* bytes; the module's parameters may allow less */

/*
 * BTAP_IOC_NEW: make a region of zeroed memory, not yet seen by readers.
 * -E2BIG: larger than a region may be; -ENOSPC: the module's memory for regions,
 * or this user's share of it, is used up; -ENOMEM; -EPROTONOSUPPORT: other ABI
 */
struct btap_new {
	__u32 abi;	  /* BTAP_ABI */
	__u32 id;	  /* out: number of the region, from 1, not used again soon */
	__u64 size;	  /* bytes, whole pages */
	__u64 ctl_off;	  /* one page */
	__u64 lease_off;  /* nr_leases pages */
	__u64 ring_off;	  /* nr_rings * sizeof(struct btap_ring), from a page's begin */
	__u32 nr_leases;  /* 1 to BTAP_MAX_LEASES */
	__u32 nr_rings;	  /* 1 to BTAP_MAX_RINGS */
	__u64 reserved[2];
};

/* BTAP_IOC_PUBLISH: facts as in the header; again when the node's name changed. */

/*
 * BTAP_IOC_STRINGS: entries of struct btap_string, one behind the other.  What is
 * defined already stays; tracepoints show 255 bytes of a text.
 * -ENOSPC: the table is full, those that found room are kept; -EINVAL: malformed
 */
struct btap_strings {
	__u64 data; /* address */
	__u64 len;  /* bytes, at most 1 MiB */
};

/*
 * BTAP_IOC_SWITCH: set purpose's bit in ctl.on[] for the events of the mask, and
 * clear it for all others.  Tracepoints are the kernel's own: -EINVAL.
 */
struct btap_switch {
	__u32 purpose;	      /* BTAP_ON_RING, BTAP_ON_USDT or BTAP_ON_STACK */
	__u32 stop_when_full; /* with BTAP_ON_RING: for ctl */
	__u32 nr_functions;   /* likewise */
	__u32 reserved;
	__u64 mask[BTAP_MASK_WORDS];
};

/* BTAP_IOC_NEXT: the published region with the smallest id >= .id that the caller may read. -ENOENT: none */
struct btap_info {
	__u32 id;	  /* in, out */
	__u32 is_alive;	  /* the VM has its file open */
	__u32 os_pid;	  /* in the caller's pid namespace; 0: not in it */
	__u32 uid;	  /* of the owner, as the caller sees it */
	__u64 size;	  /* bytes */
	__u64 fired;	  /* records that fired their tracepoint */
	__u64 refused;	  /* records handed over that were malformed, or not wanted any more */
	__u64 died_ns;	  /* CLOCK_MONOTONIC; 0 while alive */
	__u32 nr_readers; /* files attached */
	__u32 nr_leases;  /* of these, with a lease */
	__u64 reserved[4];
};

/*
 * BTAP_IOC_ATTACH: bind this file to region .id; fills in the rest.  -ENOENT, -EACCES
 * BTAP_IOC_INFO: of the region this file is bound to
 */

/*
 * BTAP_IOC_LEASE: take a lease or change it; the kernel writes it into a free
 * lease page with the next even gen.  -EBUSY: all leases are taken, or
 * BTAP_LEASE_STOP is held by another; -ESRCH: the VM is dead.  A lease that was
 * not renewed in time is taken from its holder when another needs it.
 * BTAP_IOC_BEAT, BTAP_IOC_RETURN: -ENOENT: this file has no lease (any more); -ESRCH
 */
struct btap_lease_req {
	__u32 index;	/* out: which lease */
	__u32 flags;	/* BTAP_LEASE_* */
	__u64 gen;	/* out: what the answer will carry */
	__u64 ttl_ns;	/* 1 s to 60 s */
	__u64 want[BTAP_MASK_WORDS];
	__u64 spec;	/* address of spec_len bytes */
	__u32 spec_len; /* at most BTAP_LEASE_SPEC_MAX */
	__u32 reserved;
	char who[32];
	__u64 stack[BTAP_MASK_WORDS]; /* as in the lease */
};

/*
 * BTAP_IOC_TAIL: the holder of BTAP_LEASE_STOP has read ring .ring up to sub-buffer .tail.
 * -EACCES: that is another, or nobody; -ESRCH
 */
struct btap_tail {
	__u32 ring;
	__u32 reserved;
	__u64 tail;
};

#define BTAP_IOC_NEW	 _IOWR(BTAP_IOC_MAGIC, 0x01, struct btap_new)
#define BTAP_IOC_PUBLISH _IOW(BTAP_IOC_MAGIC, 0x02, struct btap_facts)
#define BTAP_IOC_STRINGS _IOW(BTAP_IOC_MAGIC, 0x03, struct btap_strings)
#define BTAP_IOC_SWITCH	 _IOW(BTAP_IOC_MAGIC, 0x04, struct btap_switch)
#define BTAP_IOC_SEEN	 _IO(BTAP_IOC_MAGIC, 0x05)
#define BTAP_IOC_NEXT	 _IOWR(BTAP_IOC_MAGIC, 0x10, struct btap_info)
#define BTAP_IOC_ATTACH	 _IOWR(BTAP_IOC_MAGIC, 0x11, struct btap_info)
#define BTAP_IOC_INFO	 _IOR(BTAP_IOC_MAGIC, 0x12, struct btap_info)
#define BTAP_IOC_LEASE	 _IOWR(BTAP_IOC_MAGIC, 0x13, struct btap_lease_req)
#define BTAP_IOC_BEAT	 _IO(BTAP_IOC_MAGIC, 0x14)
#define BTAP_IOC_RETURN	 _IO(BTAP_IOC_MAGIC, 0x15) /* give the lease back */
#define BTAP_IOC_TAIL	 _IOW(BTAP_IOC_MAGIC, 0x16, struct btap_tail)

#endif /* BEAMTAP_IOCTL_H */
