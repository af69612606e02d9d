/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_stream.h - the packets of one stream of a recording, as runs of records
 *
 * A window of the file is read into memory of our own; records are checked and
 * put into the ring's form there, so that a file that changes under us, or is
 * cut, does no harm.  A damaged packet is left out, told, and counted as lost;
 * reading goes on with the next one.
 */
#ifndef BEAMTAP_CTF_STREAM_H
#define BEAMTAP_CTF_STREAM_H

#include "source/ctf_format.h"
#include "source/src.h"

#define CTF_WINDOW (256u << 10) /* bytes of the file in memory at a time */

/* What reading a record needs of its class; event 0: no such class. */
struct ctf_reader_class {
	uint16_t event;
	uint8_t min_words, spare_words; /* up to min + spare */
	bool is_plain;			/* as it is in the ring: the event's own class, without texts */
	bool has_text;
	uint8_t pad[2];
};

/* What all streams of a recording share. */
struct ctf_shared {
	uint8_t uuid[16];
	struct ctf_reader_class classes[CTF_MAX_CLASSES];
	int64_t shift_ns;
	const char *path;
	unsigned int nr_damages;
	char damage[DIAG_TEXT_MAX]; /* the first: a whole sentence */
};

struct ctf_stream {
	struct ctf_shared *c;
	int fd;
	uint32_t ring;
	uint32_t thread; /* index in the source */
	bool is_cut;	 /* its end is no whole packet */
	bool has_ended;
	uint64_t size;	 /* bytes of the file when it was opened */
	uint64_t cut_at; /* where the first packet that is not whole begins */
	/* the window */
	uint64_t *win;
	uint64_t win_off, win_len;
	/* the packet */
	struct ctf_packet h;
	struct ctf_trailer t;
	uint64_t packet_off, packet_end; /* in the file; packet_end is where the next begins */
	uint64_t at, body_end;		 /* records not read yet */
	uint64_t seen;			 /* records of it handed on */
	/* the stream */
	uint64_t next_seq, records, discarded, last_ns;
	uint64_t gap[4]; /* a lost record */
	/* totals */
	uint64_t total_records, total_lost, total_bytes; /* stacks are no records here */
	unsigned int new_stacks; /* that turn_records() met last */
};

/** ctf_stream_class() - say that records of a class are of an event; others are refused */
void ctf_stream_class(struct ctf_shared *c, uint32_t class_id, uint32_t event);

/** ctf_stream_open() - @dir: descriptor of the recording.  Return: 0 or -errno */
int ctf_stream_open(struct ctf_stream *s, struct ctf_shared *c, int dir, uint32_t ring);
void ctf_stream_close(struct ctf_stream *s);

/** ctf_stream_peek() - the first packet's header.  Return: whether there is one */
bool ctf_stream_peek(struct ctf_stream *s, struct ctf_packet *h);

/**
 * ctf_stream_run() - the next run of this stream
 * @run: out: borrowed until the next call
 *
 * Return: 1, or 0 at the end (damage is noted in the shared part).
 */
int ctf_stream_run(struct ctf_stream *s, struct src_run *run);

#endif /* BEAMTAP_CTF_STREAM_H */
