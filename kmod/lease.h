/* SPDX-License-Identifier: GPL-2.0 */
/* lease.h - what readers ask for: written into the region's lease pages, for the VM to read */
#ifndef BTAP_LEASE_H
#define BTAP_LEASE_H

#include <linux/types.h>

struct btap_lease_req;
struct btap_region;
struct btap_tail;

/* All take region.lock.  @holder: the reader's file; it has one lease at most. */

/**
 * btap_lease_set() - take a lease or change it
 * @req:  copied from the user; .index and .gen are set
 * @spec: its functions, .spec_len bytes, copied
 *
 * A lease whose holder has not renewed it in time is taken over where no other is free.
 * Return: 0; -EINVAL; -EBUSY: none is free, or another has BTAP_LEASE_STOP; -ESRCH
 */
int btap_lease_set(struct btap_region *r, const void *holder, struct btap_lease_req *req,
		   const char *spec);
/* btap_lease_beat() - renew.  Return: 0; -ENOENT: this file has none (any more); -ESRCH */
int btap_lease_beat(struct btap_region *r, const void *holder);
/* btap_lease_return() - give it back.  Return: 0, -ENOENT */
int btap_lease_return(struct btap_region *r, const void *holder);
/* btap_lease_tail() - move ring.tail.  Return: 0; -EINVAL; -EACCES: not its BTAP_LEASE_STOP; -ESRCH */
int btap_lease_tail(struct btap_region *r, const void *holder, const struct btap_tail *req);
/* btap_lease_seen() - the VM is about to look at the leases */
void btap_lease_seen(struct btap_region *r);

#endif /* BTAP_LEASE_H */
