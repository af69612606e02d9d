/* SPDX-License-Identifier: Apache-2.0 */
/* writer_map.h - a small region of this process, for tests of the writer */
#ifndef BEAMTAP_TESTS_WRITER_MAP_H
#define BEAMTAP_TESTS_WRITER_MAP_H

#include <btapw_map.h>
#include "lib/shm_dir.h"

static inline int try_map(struct btapw_map **m, char *why)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 64 << 10, .nr_spare = 1,
				    .strtab_bytes = 4096, .clock = 1 + BTAP_CLOCK_MONOTONIC };

	memset(o.facts.able, 0xff, sizeof(o.facts.able));
	return btapw_map_new(m, &o, why);
}

static inline struct btapw_map *new_map(void)
{
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	if (try_map(&m, why) < 0)
		fail_msg("%s", why);
	return m;
}

#endif /* BEAMTAP_TESTS_WRITER_MAP_H */
