/* SPDX-License-Identifier: Apache-2.0 */
/*
 * btapw_usdt.h - a USDT probe an event: beamtap:message__send and so on
 *
 * What is linked with the writer has them: the agent's library, or the emulator that
 * was built with hooks.  Each has a semaphore, which the kernel (or a tracer) raises
 * while somebody listens; the VM's controller looks at it.
 */
#ifndef BEAMTAP_BTAPW_USDT_H
#define BEAMTAP_BTAPW_USDT_H

#include <stdint.h>
#include <beamtap/records.h>

struct btapw_map;

/**
 * btapw_usdt_wanted() - whose probe does somebody listen to?
 * @want: out: a bit an event
 */
void btapw_usdt_wanted(uint64_t want[BTAP_MASK_WORDS]);

/**
 * btapw_usdt_fire() - fire the probe of a record's event
 * @m:        for the texts of atoms and strings
 * @rec:      the record, header included; the writer's own, whole
 * @nr_words: of it
 *
 * The probe's arguments stand in the order of their positions in D: numbers as 64 bits,
 * everything else as the address of a text that ends with NUL, cut at 511 bytes.  What
 * is not known is an empty text, or BTAP_UNKNOWN.
 */
void btapw_usdt_fire(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words);

#endif /* BEAMTAP_BTAPW_USDT_H */
