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

#define BTAPW_USDT_ARGS	    12	 /* SystemTap's limit */
#define BTAPW_USDT_TEXT_MAX 511	 /* bytes of a text, without its end */
#define BTAPW_USDT_TEXTS    4096 /* of all texts of one probe */

/* The arguments of a probe, and the texts that some of them point at, one behind the other. */
struct btapw_usdt_args {
	uint64_t arg[BTAPW_USDT_ARGS];
	const struct btapw_map *m;
	char *to, *end; /* where the text that is being made goes on; where it has to end */
	char buf[BTAPW_USDT_TEXTS];
};

/**
 * btapw_usdt_args() - make the arguments of a record's probe
 * @m:        for the texts of atoms and strings
 * @rec:      the record, header included; the writer's own, whole; of an event in the catalogue
 * @nr_words: of it
 * @a:        out
 *
 * They stand in the order of their positions in D: numbers as 64 bits, everything else
 * as the address of a text that ends with NUL.  What is not known is an empty text, or
 * BTAP_UNKNOWN.
 */
void btapw_usdt_args(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words,
		     struct btapw_usdt_args *a);

/** btapw_usdt_fire() - fire the probe of a record's event, if somebody listens; as above */
void btapw_usdt_fire(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words);

#endif /* BEAMTAP_BTAPW_USDT_H */
