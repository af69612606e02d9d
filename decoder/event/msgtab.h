/* SPDX-License-Identifier: Apache-2.0 */
/* msgtab.h - the tables behind msgpair.h; nobody else's */
#ifndef BEAMTAP_MSGTAB_H
#define BEAMTAP_MSGTAB_H

#include "event/idmap.h"
#include "event/msgid.h"
#include "event/msgpair.h"

#define MSGTAB_NONE UINT32_MAX

/* A process as far as messages go. */
struct peer {
	uint64_t pid;
	uint64_t born_ns;	       /* 0: not in sight */
	uint64_t asked_ns, answered_ns; /* last question; last question answered */
	uint64_t doubt_ns;	       /* last send of which the receiver is in doubt */
	uint32_t in, out;	       /* first pair with it as receiver, as sender */
	bool has_aligned;	       /* some pair with it as sender may be aligned */
	bool is_dead;
};

struct pair {
	uint64_t from, to;
	uint64_t sent_ns;     /* of the last send */
	uint32_t sent_thread; /* that wrote it */
	uint32_t first, last; /* sends on their way; aligned pairs alone */
	uint32_t next_in, prev_in, next_out, prev_out; /* lists of the peers */
	uint32_t next_hash;
	bool is_aligned;
	bool is_from_dead;
	bool is_over; /* at its receiver's last question the last send was over */
};

struct sent {
	uint64_t ns;
	uint32_t size;
	uint32_t next;
};

struct msgpair {
	const struct names *names;
	struct msgpair_stats st;
	uint32_t max;
	uint64_t since_ns;
	uint64_t fed, walked; /* records; pairs walked over for questions */

	struct idmap peers_by_pid;
	struct peer *peers;
	uint32_t nr_peers, cap_peers, free_peer;

	struct pair *pairs;
	uint32_t *buckets; /* of pairs; MSGTAB_NONE: empty */
	uint32_t nr_pairs, cap_pairs, mask, free_pair;

	struct sent *sent;
	uint32_t nr_sent, cap_sent, free_sent;

	struct msgid ids;

	uint64_t *thread_ns; /* time of the last record of each thread */
	uint32_t nr_threads;
};

static inline uint32_t msgtab_hash(uint64_t from, uint64_t to)
{
	return idmap_hash(from ^ (to << 29 | to >> 35));
}

static inline struct pair *msgtab_pair(const struct msgpair *m, uint64_t from, uint64_t to)
{
	uint32_t i;

	if (!m->buckets)
		return NULL;
	for (i = m->buckets[msgtab_hash(from, to) & m->mask]; i != MSGTAB_NONE; i = m->pairs[i].next_hash)
		if (m->pairs[i].from == from && m->pairs[i].to == to)
			return &m->pairs[i];
	return NULL;
}

/** msgtab_unalign() - nothing is known any more of what is on its way */
void msgtab_unalign(struct msgpair *m, struct pair *p);
/** msgtab_push() - a send of an aligned pair.  Return: false without room for it */
bool msgtab_push(struct msgpair *m, struct pair *p, uint64_t ns, uint64_t size);

/** msgtab_peer() - Return: what is known of a process, borrowed until the next is made; or NULL */
struct peer *msgtab_peer(struct msgpair *m, uint64_t pid);
/** msgtab_get_peer() - the same, made where it is new.  Return: NULL without room, counted */
struct peer *msgtab_get_peer(struct msgpair *m, uint64_t pid, uint64_t ts);
/** msgtab_drop_dead() - forget a process that has ended, if nothing of it is on its way any more */
void msgtab_drop_dead(struct msgpair *m, struct peer *p);

/**
 * msgtab_new_pair() - a pair that is not there yet, aligned if its beginning is known
 * Return: borrowed until the next is made; NULL without room, counted
 */
struct pair *msgtab_new_pair(struct msgpair *m, uint64_t from, uint64_t to, uint64_t ts);
/** msgtab_remove() - forget the pair with this index */
void msgtab_remove(struct msgpair *m, uint32_t i);
/** msgtab_reset() - forget all: what began before @since_ns counts no more */
void msgtab_reset(struct msgpair *m, uint64_t since_ns);

#endif /* BEAMTAP_MSGTAB_H */
