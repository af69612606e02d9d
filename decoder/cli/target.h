/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - the node that a user means: by pid, by name, by file, or a command to start
 */
#ifndef BEAMTAP_CLI_TARGET_H
#define BEAMTAP_CLI_TARGET_H

#include <sys/types.h>
#include "base/diag.h"
#include "source/region.h"

/**
 * target_open() - open the region of a node
 * @what: OS pid (as seen here, or as its container sees it), node name `a@host`, or `a`
 *
 * Live ones are meant before dead ones.  Return: 0, -ENOENT, -EMLINK with all that match, or
 * what region_open() returns.
 */
int target_open(struct region **out, const char *what, const struct region_opts *opts,
		struct diag *d);

/** target_start() - run a command.  Return: its pid, or -errno when it cannot be executed */
pid_t target_start(char *const argv[], struct diag *d);

/**
 * target_wait() - wait until a process or one that it started has a region
 * @ended: out: true with *@status when @pid ended before
 * @stop:  ends the waiting when it is not 0
 *
 * Return: 0 with a region, -ECHILD when the process ended, -EINTR, -ETIMEDOUT.
 */
int target_wait(struct region **out, pid_t pid, uint64_t timeout_ns, const struct region_opts *opts,
		const volatile int *stop, bool *ended, int *status, struct diag *d);

#endif /* BEAMTAP_CLI_TARGET_H */
