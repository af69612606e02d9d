/* SPDX-License-Identifier: Apache-2.0 */
/* ctfwalk.h - records of a ring become those of a recording; for ctfw.c */
#ifndef BEAMTAP_CTFWALK_H
#define BEAMTAP_CTFWALK_H

#include "export/ctfmeta.h"
#include "export/ctfw.h"

struct ctfwalk {
	uint64_t first_ns, last_ns, nr_records, nr_stacks; /* the latter among the former */
	unsigned int pad; /* of the last record */
};

/** ctfwalk_init() - once, before the first packet */
void ctfwalk_init(void);
/**
 * ctfwalk_packet() - rewrite records in place
 * @meta:  learns of classes and names
 * @words, @nr_words: whole records, checked
 * @ticks: time from which the first counts
 * @map:   ticks to nanoseconds; NULL: they are such
 * @k:     in: last_ns, before which nothing may lie; out: what was there
 */
void ctfwalk_packet(struct ctfmeta *meta, uint64_t *words, size_t nr_words, uint64_t ticks,
		    struct clock_map *map, struct ctfwalk *k);

#endif /* BEAMTAP_CTFWALK_H */
