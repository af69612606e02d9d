/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * records.h - the record: its header word, the ids of events, the special values
 *
 * A record is a run of 64-bit words in the machine's byte order: a header word,
 * then the fields of its event in the catalogue's order.
 *
 *	 63                           18 17       10 9          0
 *	+-------------------------------+-----------+------------+
 *	| time: low 46 bits             | nr_words  | event id   |
 *	+-------------------------------+-----------+------------+
 *
 * nr_words counts the whole record, header included: 1 to 255.  The time is in
 * the ring's clock (region.h) while the record is in a ring, and in nanoseconds
 * of CLOCK_MONOTONIC in a recording; its high bits come from the sub-buffer's or
 * packet's begin time, no record being 2^45 ticks younger than that.
 *
 * A `text` field is a word with its length in bytes, then the bytes, padded with
 * zeros to a whole word.  A length of BTAP_TEXT_NONE says that there is no text
 * (D's NULL); no bytes follow.  A `frames` field is a word with a number n, then
 * 2 n words.
 */
#ifndef BEAMTAP_RECORDS_H
#define BEAMTAP_RECORDS_H

#include <linux/types.h>
#include "catalog.h"

#define BTAP_EVENT_BITS	 10
#define BTAP_WORDS_BITS	 8
#define BTAP_TIME_BITS	 46
#define BTAP_TIME_SHIFT	 (BTAP_EVENT_BITS + BTAP_WORDS_BITS)
#define BTAP_TIME_MASK	 ((1ULL << BTAP_TIME_BITS) - 1)
#define BTAP_MAX_EVENTS	 256 /* ids are 1 .. 255; 0 is padding, never an event */
#define BTAP_MASK_WORDS	 (BTAP_MAX_EVENTS / 64)
#define BTAP_MAX_WORDS	 255

/* Ids from here up stand for nothing in a ring; the decoder makes such records itself. */
#define BTAP_LOST_EVENT	 1023 /* words: count, begin ns, end ns */

#define BTAP_HEAD(id, nr_words, time) \
	(((__u64)(time) << BTAP_TIME_SHIFT) | ((__u64)(nr_words) << BTAP_EVENT_BITS) | (__u64)(id))
#define BTAP_HEAD_EVENT(w) ((unsigned int)((w) & ((1u << BTAP_EVENT_BITS) - 1)))
#define BTAP_HEAD_WORDS(w) ((unsigned int)(((w) >> BTAP_EVENT_BITS) & ((1u << BTAP_WORDS_BITS) - 1)))
#define BTAP_HEAD_TIME(w)  ((__u64)(w) >> BTAP_TIME_SHIFT)
/* The whole time of a record from its header word and a time at most 2^45 ticks before it. */
#define BTAP_TIME_FULL(w, base) ((base) + ((BTAP_HEAD_TIME(w) - (base)) & BTAP_TIME_MASK))

#define BTAP_UNKNOWN	 0x8000000000000000ULL /* a number that the writer does not know */
#define BTAP_TEXT_NONE	 0xffffffffffffffffULL

/* A function: atom numbers (term >> 6) of module and function, and the arity.  0 is no function. */
#define BTAP_MFA_ATOM_BITS 28
#define BTAP_MFA(m, f, a) \
	(((__u64)(m) << 36) | ((__u64)(f) << 8) | (__u64)((a) & 0xff))
#define BTAP_MFA_MODULE(w)   ((__u32)((w) >> 36))
#define BTAP_MFA_FUNCTION(w) ((__u32)((w) >> 8) & 0xfffffff)
#define BTAP_MFA_ARITY(w)    ((__u32)((w) & 0xff))

/* The VM's immediate terms: what the low bits say (the same in OTP 25 to 29, on 64 bits). */
#define BTAP_TAG_MASK4	   0xf
#define BTAP_TAG_PID	   0x3
#define BTAP_TAG_PORT	   0x7
#define BTAP_TAG_MASK6	   0x3f
#define BTAP_TAG_ATOM	   0xb
#define BTAP_ATOM_NUMBER(t) ((t) >> 6)
#define BTAP_ATOM_TERM(n)   (((__u64)(n) << 6) | BTAP_TAG_ATOM)

/* BTAP_EV_message_send and so on */
enum btap_event_id {
#define AS_ID(id, name, usdt, doc) BTAP_EV_##name = (id),
	BTAP_EVENTS(AS_ID)
	BTAP_RING_EVENTS(AS_ID)
#undef AS_ID
};

#endif /* BEAMTAP_RECORDS_H */
