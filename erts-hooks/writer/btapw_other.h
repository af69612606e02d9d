/* SPDX-License-Identifier: Apache-2.0 */
/* btapw_other.h - what a record is wanted for besides the ring */
#ifndef BEAMTAP_BTAPW_OTHER_H
#define BEAMTAP_BTAPW_OTHER_H

#include <stdint.h>

struct btapw_map;

/**
 * btapw_other() - hand a record to the kernel module, fire its USDT probe
 * @m:        of the thread's region; NULL: nothing is done
 * @on:       BTAP_ON_*; that for the ring is not looked at
 * @rec:      the record, header included, as in a ring; borrowed
 * @nr_words: 1 to BTAP_MAX_WORDS
 *
 * Leaves errno as it was.
 */
void btapw_other(struct btapw_map *m, uint8_t on, const uint64_t *rec, unsigned int nr_words);

#endif /* BEAMTAP_BTAPW_OTHER_H */
