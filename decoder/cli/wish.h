/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wish.h - from what a user writes (-e, -f) to what a node is asked for
 */
#ifndef BEAMTAP_CLI_WISH_H
#define BEAMTAP_CLI_WISH_H

#include "source/src.h"

struct wish {
	const char **globs; /* of -e; borrowed from argv */
	unsigned int nr_globs;
	const char **functions; /* of -f */
	unsigned int nr_functions;
	bool with_state;
	/* made by wish_make() */
	struct src_want want;
	char spec[BTAP_LEASE_SPEC_MAX + 1];
};

/**
 * wish_make() - fill w->want for a VM
 *
 * Without globs: all that a report needs and this VM can do.  All globs that
 * match nothing, and all that this VM cannot do, are told at once.
 * Return: 0, -ENOENT, -EOPNOTSUPP, -E2BIG or -EINVAL.
 */
int wish_make(struct wish *w, const struct src *s, struct diag *d);

#endif /* BEAMTAP_CLI_WISH_H */
