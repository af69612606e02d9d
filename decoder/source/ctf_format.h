/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_format.h - what lies in a recording's files; docs/recording.md has it in prose
 *
 *	DIR/metadata     CTF 1.8 text, for other readers; replaced as names are learned
 *	DIR/ring_N       packets of ring N: header, records, trailer
 *	DIR/.beamtap     entries, only ever appended to: facts, threads, strings, clock pairs
 *
 * An entry is written before the packet that needs it, so that a recording cut
 * off anywhere is whole up to its last whole packet.  All numbers little-endian.
 */
#ifndef BEAMTAP_CTF_FORMAT_H
#define BEAMTAP_CTF_FORMAT_H

#include <stdint.h>
#include <stddef.h>
#include <beamtap/region.h>

#define CTF_ENTRIES_NAME ".beamtap"
#define CTF_STREAM_NAME	 "ring_%u"
#define CTF_MAGIC	 0xc1fc1fc1u
#define CTF_VERSION	 1
#define CTF_FILE_MAGIC	 0x0a43455250415442ULL /* "BTAPREC\n" */
#define CTF_MAX_STREAMS	 BTAP_MAX_RINGS
#define CTF_MAX_CLASSES	 (1u << BTAP_EVENT_BITS)
#define CTF_PACKET_MAX	 (BTAP_SUB_MAX + 4096ull) /* bytes */

/* A packet's first bytes: trace packet header and packet context of the CTF metadata. */
struct ctf_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;	  /* 0: all streams are of one class */
	uint64_t timestamp_begin; /* ns; of the first record, or where a gap begins */
	uint64_t timestamp_end;	  /* ns; of the last record, or where a gap ends */
	uint64_t content_size;	  /* bits, to the last byte of the last record */
	uint64_t packet_size;	  /* bits, with padding and trailer */
	uint64_t packet_seq_num;  /* 0, 1, 2, ... in each stream */
	uint64_t events_discarded; /* lost in this stream so far; grows only in packets without records */
	uint32_t thread;	  /* enum btap_thread_kind */
	uint32_t number;
	uint64_t tid;
};
_Static_assert(sizeof(struct ctf_packet) == 88, "the metadata say so");

/*
 * A packet's last bytes, beyond content_size, where other readers do not look.
 * With `first` a reader knows how many records a damaged packet before it had.
 */
struct ctf_trailer {
	uint64_t first;	     /* records in the stream before this packet */
	uint64_t nr_records; /* in it; 0: it tells of a gap */
	uint64_t sum;	     /* ctf_packet_sum() */
};

/*
 * In a recording the id in a record's header word is that of a CTF event class:
 * the event's own, where all its fields are there; one from 256 up, given by a
 * CTF_ENTRY_CLASS, where optional ones are missing.  A text that is not there
 * (BTAP_TEXT_NONE) has this length word: length 0 in 63 bits, and the bit above.
 */
#define CTF_TEXT_NONE 0x8000000000000000ULL

enum ctf_entry_kind {
	CTF_ENTRY_FACTS = 1,  /* struct ctf_facts; a later one replaces it */
	CTF_ENTRY_CLASS = 2,  /* struct ctf_class */
	CTF_ENTRY_THREAD = 3, /* struct ctf_thread */
	CTF_ENTRY_STRING = 4, /* struct btap_string and its text, as in a region */
	CTF_ENTRY_CLOCK = 5,  /* struct btap_clock_pair */
	CTF_ENTRY_END = 6,    /* struct ctf_end: the recorder ended in order */
};

/* Behind the file's magic; len bytes follow, padded to 8. */
struct ctf_entry {
	uint32_t kind; /* entries of unknown kind are skipped */
	uint32_t len;
	uint64_t sum; /* ctf_sum() of kind, len and the bytes */
};
#define CTF_ENTRY_MAX (1u << 20)

struct ctf_facts {
	uint32_t version; /* CTF_VERSION */
	uint32_t abi;	  /* BTAP_ABI of the region */
	uint8_t uuid[16]; /* of the trace, as in its packets */
	char hostname[64];
	struct btap_facts vm;
};
struct ctf_class {
	uint32_t class_id;
	uint32_t event;	     /* enum btap_event_id */
	uint32_t nr_missing; /* optional fields that are not there */
	uint32_t pad;
};
struct ctf_thread {
	uint32_t ring; /* N of ring_N */
	uint32_t kind, number, tid;
	char name[32];
};
struct ctf_end {
	uint64_t records, bytes, lost;
	uint64_t strings_lost, unwritten;
};

/* FNV-1a over 64-bit words, then bytes: a check against accidents, not against malice. */
static inline uint64_t ctf_sum(uint64_t sum, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t w;

		__builtin_memcpy(&w, p, 8);
		sum = (sum ^ w) * 0x100000001b3ULL;
		sum ^= sum >> 29;
	}
	for (; len; p++, len--)
		sum = (sum ^ *p) * 0x100000001b3ULL;
	return sum;
}
#define CTF_SUM_INIT 0xcbf29ce484222325ULL

static inline uint64_t ctf_entry_sum(const struct ctf_entry *e, const void *bytes)
{
	uint64_t head = (uint64_t)e->kind << 32 | e->len;

	return ctf_sum(ctf_sum(CTF_SUM_INIT, &head, 8), bytes, e->len);
}

static inline uint64_t ctf_packet_sum(const struct ctf_packet *p, const struct ctf_trailer *t)
{
	return ctf_sum(ctf_sum(CTF_SUM_INIT, p, sizeof(*p)), t, offsetof(struct ctf_trailer, sum));
}

#endif /* BEAMTAP_CTF_FORMAT_H */
