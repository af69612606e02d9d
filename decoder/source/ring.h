/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - read one ring: pure functions over mapped memory
 *
 * Any number of readers, each with a struct ring of his own; none of them is seen
 * by the writer (but for the one in charge of ring.tail, see ring_release()).
 * What is read is copied first and checked then; nothing in it is believed:
 *
 *   - a copy is whole when the writer has not come round to its sub-buffer
 *     meanwhile (ring.turn, looked at after the copy);
 *   - records offered before a sub-buffer are told by its head, so that what was
 *     missed is an exact number:  read + lost == offered;
 *   - a stretch that is damaged is told with its place; reading goes on at the next
 *     sub-buffer, and the records between are counted as lost.
 *
 * Times here are ticks of the ring clock.
 */
#ifndef BEAMTAP_RING_H
#define BEAMTAP_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <beamtap/region.h>

enum ring_from {
	RING_FROM_OLDEST, /* all that is there; what was overwritten before counts as lost */
	RING_FROM_NOW,	  /* what is written from now on; nothing before counts */
};

/* flags of ring_read() */
#define RING_WHOLE 1u /* only sub-buffers that the writer has left */
#define RING_FLUSH 2u /* account for records dropped since the last one, too (end of reading) */

struct ring {
	/* set by ring_init() */
	const struct btap_ring *shared;
	const unsigned char *data;
	uint32_t sub_size, nr_subs;
	/* where we are */
	bool is_skipping;  /* RING_FROM_NOW, and not there yet */
	bool has_head;	   /* head[] of this sub-buffer is ours */
	bool is_bad;	   /* nothing sensible comes from here any more */
	uint64_t number;   /* sub-buffer */
	uint32_t off;	   /* bytes of it that are done */
	uint32_t in_sub;   /* records of it that are done */
	uint64_t expected; /* records accounted for: read, lost, or before our time */
	uint64_t last;	   /* time of the last record read, or lower bound */
	struct btap_sub head;
	/* totals */
	uint64_t records, bytes, lost, damages;
};

/*
 * What ring_read() found: a gap, then records; either may be missing.
 * A chunk lies inside one sub-buffer.
 */
struct ring_chunk {
	/* records that are lost before `words` */
	uint64_t lost;
	uint64_t lost_begin, lost_end; /* not before, not after; begin 0: since the ring began */
	/* records, checked; in the caller's buffer */
	const uint64_t *words;
	uint32_t nr_words, nr_records;
	uint64_t number;      /* of the sub-buffer */
	uint64_t first;	      /* records offered to the ring before the first one here */
	uint64_t begin_time;  /* base of the first record for BTAP_TIME_FULL() */
	uint64_t end_time;    /* of the last record */
	bool is_whole;	      /* all of the sub-buffer's records, and it is closed */
	/* NULL, or what is damaged behind these records; the rest of the sub-buffer is skipped */
	const char *damage;
	uint32_t damage_off;  /* bytes from the sub-buffer's begin */
	char why[120];
};

/**
 * ring_init() - begin to read a ring
 * @shared: its entry in the directory; borrowed; only published words are read from it
 * @data:   its sub-buffers, @nr_subs * @sub_size bytes; borrowed
 * @sub_size, @nr_subs: the caller's checked copies: powers of two, BTAP_SUB_MIN or more, 2 or more
 *
 * Call it once ring.used was seen (acquire).
 */
void ring_init(struct ring *r, const struct btap_ring *shared, const void *data, uint32_t sub_size,
	       uint32_t nr_subs, enum ring_from from);

/**
 * ring_read() - the next piece
 * @buf:   @r->sub_size bytes, for the copy; c->words points into it
 * @flags: RING_WHOLE, RING_FLUSH
 * @c:     out
 *
 * Context: never blocks, never loops for longer than a ring has sub-buffers.
 * Return: 1 with something in @c (records, a gap or damage), 0 when there is nothing new.
 */
int ring_read(struct ring *r, uint64_t *buf, unsigned int flags, struct ring_chunk *c);

/**
 * ring_release() - let the writer have the sub-buffers that @r is done with
 * @shared: writable mapping of the same entry
 *
 * Only for the one reader who holds BTAP_LOCK_STOP.
 */
void ring_release(const struct ring *r, struct btap_ring *shared);

/** ring_backlog() - bytes that wait to be read, at most those of the whole ring */
uint64_t ring_backlog(const struct ring *r);

#endif /* BEAMTAP_RING_H */
