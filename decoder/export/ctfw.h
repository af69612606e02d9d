/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctfw.h - write a recording: the files of source/ctf_format.h
 *
 * One struct ctfw a recording, used by one thread.  Whatever happens, what was
 * written whole before can be read: on an error the file is cut back to its last
 * whole packet.
 */
#ifndef BEAMTAP_CTFW_H
#define BEAMTAP_CTFW_H

#include "source/clock.h"
#include "source/ctf_format.h"
#include "source/src.h"

#define CTFW_BATCH 16 /* packets of a ring that are written together */

struct ctfw;

struct ctfw_totals {
	uint64_t records, bytes, lost;
};

/**
 * ctfw_open() - make a recording's directory and its first files
 * @out:   owned; end it with ctfw_close()
 * @path:  made with mode 0700; if it is there it must be an empty directory
 * @facts: of the VM
 * @strs:  its strings, borrowed until ctfw_close(); those added later go out with the next packet
 *
 * Return: 0, -EEXIST with the remedy when something is there, or another -errno.
 */
int ctfw_open(struct ctfw **out, const char *path, const struct btap_facts *facts,
	      const struct src_strings *strs, struct diag *d);

/** ctfw_facts() - write the VM's facts again if they have changed (its name does) */
int ctfw_facts(struct ctfw *w, const struct btap_facts *facts, struct diag *d);

/** ctfw_clock() - keep a clock pair; pairs up to the last one kept are left out */
int ctfw_clock(struct ctfw *w, const struct btap_clock_pair *pair, struct diag *d);

/**
 * ctfw_packet() - write records of one ring as a packet
 * @ring:  number of the stream, below CTF_MAX_STREAMS
 * @th:    the ring's thread; written once
 * @words: checked records, @nr_words > 0 of them; changed here
 * @base:  a time in the ring's clock at most 2^45 ticks before the first record
 * @map:   ring clock to ns; NULL: times are ns already
 *
 * Times that would go back in the stream are held up to the last one.
 * Return: 0 or -errno (-ENOSPC, ...), after which nothing more can be written.
 */
int ctfw_packet(struct ctfw *w, uint32_t ring, const struct src_thread *th, uint64_t *words,
		size_t nr_words, uint64_t base, struct clock_map *map, struct diag *d);

/**
 * ctfw_queue() - the same, but it is written later, together with those behind it
 * @words: borrowed until ctfw_flush()
 *
 * Up to CTFW_BATCH packets of a ring wait; one more, or one of another ring, has them written.
 */
int ctfw_queue(struct ctfw *w, uint32_t ring, const struct src_thread *th, uint64_t *words,
	       size_t nr_words, uint64_t base, struct clock_map *map, struct diag *d);

/** ctfw_flush() - write what waits, in one go.  Return: as ctfw_packet() */
int ctfw_flush(struct ctfw *w, struct diag *d);

/**
 * ctfw_gap() - say that records of a ring were lost; waits as what ctfw_queue() is given
 * @from_ns, @to_ns: not before, not after
 */
int ctfw_gap(struct ctfw *w, uint32_t ring, const struct src_thread *th, uint64_t count,
	     uint64_t from_ns, uint64_t to_ns, struct diag *d);

/** ctfw_totals() - what is in the files by now */
void ctfw_totals(const struct ctfw *w, struct ctfw_totals *t);

/**
 * ctfw_close() - write the last metadata and end the recording
 * @strings_lost, @unwritten: what the VM itself could not keep
 *
 * Frees @w in any case.  Return: 0 or the first error there was.
 */
int ctfw_close(struct ctfw *w, uint64_t strings_lost, uint64_t unwritten, struct diag *d);

/** ctfw_remove_empty() - remove a recording into which no packet was written */
void ctfw_remove_empty(const char *path);

#endif /* BEAMTAP_CTFW_H */
