/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probes.h - all probes that a D program can name: those of the source, and D's own
 *
 * D's own are BEGIN, END and ERROR of provider dtrace (numbers 1 to 3), and
 * tick-N and profile-N of provider profile, of which any rate comes into being
 * when it is named.
 */
#ifndef BEAMTAP_PROBES_H
#define BEAMTAP_PROBES_H

#include "dprog/prog.h"
#include "provider/provider.h"

enum { PROBES_BEGIN = 1, PROBES_END = 2, PROBES_ERROR = 3 };

struct probes {
	struct provider_set *set; /* owned */
	struct provider_probe own[4]; /* [1] .. [3] */
};

/** probes_init() - D's own probes and an empty set for those of the source.  Return: 0 or -ENOMEM */
int probes_init(struct probes *p);
void probes_fini(struct probes *p);

/** probes_desc() - a program's description as match.h has it; borrows its texts */
struct match_desc probes_desc(const struct dprog_pdesc *pd);

/**
 * probes_each() - call @fn for each probe that a description names, numbers ascending
 * @fn: a result other than 0 ends the walk
 *
 * A tick-N or profile-N that is named in full and is a rate is made.
 * Return: how many, or what @fn returned
 */
int probes_each(struct probes *p, const struct dprog_pdesc *pd,
		int (*fn)(void *ctx, struct provider_probe *probe), void *ctx);

/** probes_matches() - does a description name this probe? */
bool probes_matches(const struct dprog_pdesc *pd, const struct provider_probe *probe);

/**
 * probes_period() - the time between two firings of tick-N or profile-N
 * @name: "tick-10ms", "profile-97": without a unit it is hertz
 * Return: ns, or 0: it is not such a name
 */
uint64_t probes_period(const char *name);

#endif /* BEAMTAP_PROBES_H */
