/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - empty a VM's rings into a recording
 */
#ifndef BEAMTAP_RECORDER_H
#define BEAMTAP_RECORDER_H

#include <signal.h>
#include "source/region.h"

struct recorder_state {
	uint64_t elapsed_ns; /* since events were switched on */
	uint64_t records, bytes, lost;
};

struct recorder_opts {
	const char *dir;	     /* see ctfw_open() */
	const struct src_want *want; /* NULL: switch nothing on, save what lies in the rings (a dead VM) */
	uint64_t duration_ns;	     /* 0: until stopped, or the VM ends */
	uint64_t poll_ns;	     /* shortest time between two looks; 0: RECORDER_POLL_NS */
	const volatile sig_atomic_t *stop; /* grows with each wish to stop; borrowed */
	void (*progress)(void *ctx, const struct recorder_state *st); /* some times a second; NULL: none */
	void *ctx;
};
#define RECORDER_POLL_NS 1000000ULL
#define RECORDER_IDLE_NS 20000000ULL /* the longest between two looks */

struct recorder_result {
	struct recorder_state st;
	enum region_life life;	/* of the VM at the end */
	uint64_t unwritten;	/* records of threads that found no ring */
	uint64_t strings_lost;	/* names the VM had no room for */
	unsigned int damages;	/* places in the rings that could not be read; what was there counts as lost */
	char damage[200];	/* the first of them */
	char answer[400];	/* what the VM said to our wishes: a warning, or "" */
	bool is_empty;		/* nothing could be switched on, so there is no recording */
};

/**
 * recorder_run() - record until the time is over, we are asked to stop, or the VM ends
 * @r: open region, borrowed; not read by others meanwhile
 *
 * The directory is made first: what cannot be kept is not asked for.  Whatever
 * ends it, what was read before is kept, and the VM is told to stop.
 * Return: 0 (also when the VM ended: see res->life), or -errno.
 */
int recorder_run(struct region *r, const struct recorder_opts *opts, struct recorder_result *res,
		 struct diag *d);

#endif /* BEAMTAP_RECORDER_H */
