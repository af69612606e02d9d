// SPDX-License-Identifier: Apache-2.0
/*
 * msgpair.c - which receive belongs to which send
 *
 * Without identities, a pair of processes A -> B is either *aligned*: the
 * messages that are on their way are exactly those in its queue, or it is not,
 * and then nothing is said of its messages.  A pair is first seen with its first
 * message and is aligned then, if all messages from A to B since some moment are
 * known and none from before that moment can still be on its way:
 *
 *  - A was born in sight: nothing had been heard of it before its
 *    process_spawn, so it had sent nothing;
 *  - B was born in sight: nothing could have been sent to it;
 *  - B answered a question: `state_asked` (time t) ... `state_process`.  The
 *    question is a signal in B's own queue, behind all that was sent before t,
 *    and B receives signals in their order.
 *
 * A pair that is not aligned becomes so when B answers, if A sent B nothing
 * since t, and if A's last send before t was over: the event of a send is
 * written just before the message is put into the queue, so it is over for sure
 * when the thread that wrote it has written another record since.
 *
 * What takes alignment away: a loss in any ring (all pairs); a send of A to a
 * name of which the owner is not beyond doubt (all pairs of A: it may have gone
 * to any of them); an exit signal from A to B (B may get it as a message, which
 * looks as if A had sent it); two sizes that differ; a message from A when none
 * is on its way; no memory.  When B ends, its pairs go.
 *
 * Messages that the VM makes of signals (exit signals, answers to process_info()
 * and the like) come in the name of a process that has not sent them.  The writer
 * knows their shapes, but not whether a process has sent such a message itself: it
 * marks both, where they are sent and where they are received, and neither is in
 * any queue here.
 *
 * Times: what begins before `since_ns` counts for nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "event/idmap.h"
#include "event/msgid.h"
#include "event/msgpair.h"

#define NONE UINT32_MAX

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
	uint32_t *buckets; /* of pairs; NONE: empty */
	uint32_t nr_pairs, cap_pairs, mask, free_pair;

	struct sent *sent;
	uint32_t nr_sent, cap_sent, free_sent;

	struct msgid ids;

	uint64_t *thread_ns; /* time of the last record of each thread */
	uint32_t nr_threads;
};

struct msgpair *msgpair_new(const struct names *names, uint32_t max)
{
	struct msgpair *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->names = names;
	m->max = max < 64 ? 64 : max > 1u << 28 ? 1u << 28 : max;
	m->free_peer = m->free_pair = m->free_sent = NONE;
	return m;
}

void msgpair_free(struct msgpair *m)
{
	if (!m)
		return;
	idmap_fini(&m->peers_by_pid);
	free(m->peers);
	free(m->pairs);
	free(m->buckets);
	free(m->sent);
	msgid_fini(&m->ids);
	free(m->thread_ns);
	free(m);
}

const struct msgpair_stats *msgpair_stats(const struct msgpair *m)
{
	return &m->st;
}

static bool is_pid(uint64_t w)
{
	return (w & BTAP_TAG_MASK4) == BTAP_TAG_PID;
}

static bool grow(const struct msgpair *m, void *tab, uint32_t nr, uint32_t *cap, size_t size)
{
	uint32_t want = *cap ? *cap * 2 : 1024;
	void *p;

	if (nr < *cap)
		return true;
	if (nr >= m->max)
		return false;
	if (want > m->max)
		want = m->max;
	p = realloc(*(void **)tab, (size_t)want * size);
	if (!p)
		return false;
	*(void **)tab = p;
	*cap = want;
	return true;
}

/* No room to remember something: what is known stays, but nothing new rests on the past. */
static void no_room(struct msgpair *m, uint64_t ts)
{
	m->st.no_room++;
	if (ts >= m->since_ns)
		m->since_ns = ts + 1;
}

/* -- sends on their way -- */

static void drop_sent(struct msgpair *m, struct pair *p)
{
	if (p->first == NONE)
		return;
	m->sent[p->last].next = m->free_sent;
	m->free_sent = p->first;
	p->first = p->last = NONE;
}

static void unalign(struct msgpair *m, struct pair *p)
{
	p->is_aligned = false;
	drop_sent(m, p);
}

static bool push_sent(struct msgpair *m, struct pair *p, uint64_t ns, uint64_t size)
{
	uint32_t i = m->free_sent;

	if (i != NONE)
		m->free_sent = m->sent[i].next;
	else if (grow(m, &m->sent, m->nr_sent, &m->cap_sent, sizeof(*m->sent)))
		i = m->nr_sent++;
	else
		return false;
	m->sent[i] = (struct sent){ ns, size >= UINT32_MAX ? UINT32_MAX : (uint32_t)size, NONE };
	if (p->first == NONE)
		p->first = i;
	else
		m->sent[p->last].next = i;
	p->last = i;
	return true;
}

/* -- peers -- */

static struct peer *find_peer(struct msgpair *m, uint64_t pid)
{
	const uint32_t *i = idmap_get(&m->peers_by_pid, pid);

	return i ? &m->peers[*i] : NULL;
}

static struct peer *get_peer(struct msgpair *m, uint64_t pid, uint64_t ts)
{
	struct peer *p = find_peer(m, pid);
	uint32_t i = m->free_peer;

	if (p)
		return p;
	if (i == NONE && grow(m, &m->peers, m->nr_peers, &m->cap_peers, sizeof(*m->peers)))
		i = m->nr_peers;
	if (i == NONE || idmap_put(&m->peers_by_pid, pid, i)) {
		no_room(m, ts);
		return NULL;
	}
	p = &m->peers[i];
	if (i == m->nr_peers)
		m->nr_peers++;
	else
		m->free_peer = p->in;
	*p = (struct peer){ .pid = pid, .in = NONE, .out = NONE };
	return p;
}

/* A process that has ended and of which nothing is on its way any more. */
static void drop_dead_peer(struct msgpair *m, struct peer *p)
{
	if (!p->is_dead || p->in != NONE || p->out != NONE)
		return;
	idmap_remove(&m->peers_by_pid, p->pid);
	p->pid = 0;
	p->in = m->free_peer;
	m->free_peer = (uint32_t)(p - m->peers);
}

static bool has_ended(const struct msgpair *m, uint64_t pid)
{
	const struct names_proc *p = names_proc(m->names, pid);

	return p && p->exit_ns;
}

/* -- pairs -- */

static inline uint32_t pair_hash(uint64_t from, uint64_t to)
{
	return idmap_hash(from ^ (to << 29 | to >> 35));
}

static inline struct pair *find_pair(const struct msgpair *m, uint64_t from, uint64_t to)
{
	uint32_t i;

	if (!m->buckets)
		return NULL;
	for (i = m->buckets[pair_hash(from, to) & m->mask]; i != NONE; i = m->pairs[i].next_hash)
		if (m->pairs[i].from == from && m->pairs[i].to == to)
			return &m->pairs[i];
	return NULL;
}

static bool grow_buckets(struct msgpair *m)
{
	uint32_t size = m->buckets ? (m->mask + 1) * 2 : 1024, i, b;
	uint32_t *buckets;

	if (m->buckets && m->nr_pairs < m->mask)
		return true;
	buckets = malloc(size * sizeof(*buckets));
	if (!buckets)
		return m->buckets != NULL;
	memset(buckets, 0xff, size * sizeof(*buckets));
	free(m->buckets);
	m->buckets = buckets;
	m->mask = size - 1;
	for (i = 0; i < m->nr_pairs; i++) {
		if (!m->pairs[i].from)
			continue;
		b = pair_hash(m->pairs[i].from, m->pairs[i].to) & m->mask;
		m->pairs[i].next_hash = buckets[b];
		buckets[b] = i;
	}
	return true;
}

/* Is all known of what A sends B, from a moment when nothing was on its way? */
static bool is_aligned_at_first(const struct msgpair *m, const struct peer *a, const struct peer *b)
{
	if (a->doubt_ns >= m->since_ns && a->doubt_ns)
		return b->answered_ns > a->doubt_ns && b->answered_ns >= m->since_ns;
	return (a->born_ns && a->born_ns >= m->since_ns) ||
	       (b->born_ns && b->born_ns >= m->since_ns) ||
	       (b->answered_ns && b->answered_ns >= m->since_ns);
}

static struct pair *new_pair(struct msgpair *m, uint64_t from, uint64_t to, uint64_t ts)
{
	struct peer *a, *b;
	struct pair *p;
	uint32_t i, bucket;

	/* Both must exist before either is pointed to: the table may move. */
	if (!get_peer(m, from, ts) || !get_peer(m, to, ts))
		return NULL;
	a = find_peer(m, from);
	b = find_peer(m, to);
	i = m->free_pair;
	if (i != NONE) {
		m->free_pair = m->pairs[i].next_hash;
	} else if (grow_buckets(m) &&
		   grow(m, &m->pairs, m->nr_pairs, &m->cap_pairs, sizeof(*m->pairs))) {
		i = m->nr_pairs++;
	} else {
		no_room(m, ts);
		return NULL;
	}
	p = &m->pairs[i];
	*p = (struct pair){ .from = from, .to = to, .first = NONE, .last = NONE,
			    .next_in = b->in, .prev_in = NONE, .next_out = a->out, .prev_out = NONE };
	p->is_aligned = is_aligned_at_first(m, a, b);
	a->has_aligned |= p->is_aligned;
	if (b->in != NONE)
		m->pairs[b->in].prev_in = i;
	if (a->out != NONE)
		m->pairs[a->out].prev_out = i;
	b->in = i;
	a->out = i;
	bucket = pair_hash(from, to) & m->mask;
	p->next_hash = m->buckets[bucket];
	m->buckets[bucket] = i;
	return p;
}

static void remove_pair(struct msgpair *m, uint32_t i)
{
	struct pair *p = &m->pairs[i];
	struct peer *a = find_peer(m, p->from), *b = find_peer(m, p->to);
	uint32_t *at;

	drop_sent(m, p);
	for (at = &m->buckets[pair_hash(p->from, p->to) & m->mask]; *at != i;
	     at = &m->pairs[*at].next_hash)
		;
	*at = p->next_hash;
	if (p->next_in != NONE)
		m->pairs[p->next_in].prev_in = p->prev_in;
	if (p->prev_in != NONE)
		m->pairs[p->prev_in].next_in = p->next_in;
	else
		b->in = p->next_in;
	if (p->next_out != NONE)
		m->pairs[p->next_out].prev_out = p->prev_out;
	if (p->prev_out != NONE)
		m->pairs[p->prev_out].next_out = p->next_out;
	else
		a->out = p->next_out;
	p->from = p->to = 0;
	p->next_hash = m->free_pair;
	m->free_pair = i;
	drop_dead_peer(m, a);
	if (b != a)
		drop_dead_peer(m, b);
}

/* Forget all: nothing that began before @since_ns counts any more.  Costs what was there, not what there is room for. */
static void reset(struct msgpair *m, uint64_t since_ns)
{
	for (uint32_t i = 0; i < m->nr_pairs; i++)
		if (m->pairs[i].from)
			m->buckets[pair_hash(m->pairs[i].from, m->pairs[i].to) & m->mask] = NONE;
	for (uint32_t i = 0; i < m->nr_peers; i++)
		if (m->peers[i].pid)
			idmap_remove(&m->peers_by_pid, m->peers[i].pid);
	m->nr_peers = m->nr_pairs = m->nr_sent = 0;
	m->free_peer = m->free_pair = m->free_sent = NONE;
	if (since_ns > m->since_ns)
		m->since_ns = since_ns;
}

/* -- events -- */

/* Something of @from went somewhere unknown: it may be any of its pairs. */
static void doubt(struct msgpair *m, uint64_t from, uint64_t ts)
{
	struct peer *a = get_peer(m, from, ts);

	if (!a)
		return;
	a->doubt_ns = ts;
	if (!a->has_aligned)
		return;
	a->has_aligned = false;
	for (uint32_t i = a->out; i != NONE; i = m->pairs[i].next_out)
		unalign(m, &m->pairs[i]);
}

static void on_send(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t from = DECODE(rec, message_send, sender), to = DECODE(rec, message_send, receiver);
	uint64_t id = DECODE(rec, message_send, msg);
	struct pair *p;

	m->st.sent++;
	if (id == BTAP_UNKNOWN)
		return;
	if (id) {
		if (!msgid_put(&m->ids, id, rec->ts, from, m->max))
			m->st.no_room++;
		return;
	}
	if (!is_pid(from))
		return;
	if ((to & BTAP_TAG_MASK6) == BTAP_TAG_ATOM) {
		to = names_target(m->names, to);
		if (!to) {
			doubt(m, from, rec->ts);
			return;
		}
	}
	if (!is_pid(to)) {
		if (!to)
			doubt(m, from, rec->ts);
		return;
	}
	p = find_pair(m, from, to);
	if (!p && has_ended(m, to))
		return; /* it goes nowhere */
	if (!p)
		p = new_pair(m, from, to, rec->ts);
	if (!p)
		return;
	p->sent_ns = rec->ts;
	p->sent_thread = rec->thread;
	if (p->is_aligned && !push_sent(m, p, rec->ts, DECODE(rec, message_send, size))) {
		m->st.no_room++;
		unalign(m, p);
	}
}

static int receive_by_id(struct msgpair *m, const struct src_rec *rec, uint64_t id,
			 struct msgpair_hit *hit)
{
	struct msgid_sent sent;

	uint64_t from = DECODE(rec, message_receive, sender);

	if (!msgid_take(&m->ids, id, &sent) || (is_pid(from) && from != sent.sender)) {
		m->st.unaligned++;
		return 0;
	}
	*hit = (struct msgpair_hit){ sent.ns, rec->ts > sent.ns ? rec->ts - sent.ns : 0,
				     sent.sender, true };
	m->st.paired++;
	return 1;
}

static int on_receive(struct msgpair *m, const struct src_rec *rec, struct msgpair_hit *hit)
{
	uint64_t to = DECODE(rec, message_receive, receiver);
	uint64_t from = DECODE(rec, message_receive, sender);
	uint64_t id = DECODE(rec, message_receive, msg), size = DECODE(rec, message_receive, size);
	struct sent *s;
	struct pair *p;
	uint32_t i;

	m->st.received++;
	if (id == BTAP_UNKNOWN) {
		m->st.not_by_order++;
		return 0;
	}
	if (id)
		return receive_by_id(m, rec, id, hit);
	if (!is_pid(from) || !is_pid(to)) {
		m->st.unknown++;
		return 0;
	}
	p = find_pair(m, from, to);
	if (!p) {
		/* Its send is not there.  Should it yet come, out of order, it must not count. */
		if (!has_ended(m, from))
			p = new_pair(m, from, to, rec->ts);
		if (p)
			unalign(m, p);
	}
	if (!p || !p->is_aligned)
		goto not_aligned;
	i = p->first;
	if (i == NONE)
		goto contradicted;
	s = &m->sent[i];
	if ((int64_t)size >= 0 && s->size != UINT32_MAX && size < UINT32_MAX && size != s->size)
		goto contradicted;
	p->first = s->next;
	if (p->first == NONE)
		p->last = NONE;
	s->next = m->free_sent;
	m->free_sent = i;
	*hit = (struct msgpair_hit){ s->ns, rec->ts > s->ns ? rec->ts - s->ns : 0, from, false };
	m->st.paired++;
	if (p->first == NONE && p->is_from_dead)
		remove_pair(m, (uint32_t)(p - m->pairs));
	return 1;
contradicted:
	unalign(m, p);
not_aligned:
	m->st.unaligned++;
	return 0;
}

static void on_spawn(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, process_spawn, p);
	struct peer *p;

	/* Heard of before: then its beginning is not in sight. */
	if (!is_pid(pid) || find_peer(m, pid))
		return;
	p = get_peer(m, pid, rec->ts);
	if (p)
		p->born_ns = rec->ts;
}

static void on_asked(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, state_asked, p);
	struct peer *b = is_pid(pid) ? get_peer(m, pid, rec->ts) : NULL;

	if (!b)
		return;
	b->asked_ns = 0;
	if (m->walked / 16 > m->fed + 65536)
		return; /* too much work for what is told: no proof by this question */
	b->asked_ns = rec->ts;
	for (uint32_t i = b->in; i != NONE; i = m->pairs[i].next_in) {
		struct pair *p = &m->pairs[i];

		m->walked++;
		p->is_over = !p->sent_ns || (p->sent_thread < m->nr_threads &&
					     m->thread_ns[p->sent_thread] > p->sent_ns);
	}
}

static void on_answered(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, state_process, p);
	struct peer *b = is_pid(pid) ? find_peer(m, pid) : NULL, *a;

	if (!b || !b->asked_ns || b->asked_ns < m->since_ns || b->answered_ns == b->asked_ns)
		return;
	b->answered_ns = b->asked_ns;
	for (uint32_t i = b->in; i != NONE; i = m->pairs[i].next_in) {
		struct pair *p = &m->pairs[i];

		if (p->is_aligned && (p->first == NONE || m->sent[p->first].ns >= b->asked_ns))
			continue;
		unalign(m, p);
		a = find_peer(m, p->from);
		p->is_aligned = p->is_over && p->sent_ns < b->asked_ns &&
				a->doubt_ns < b->asked_ns;
		a->has_aligned |= p->is_aligned;
	}
}

static void on_exit_(struct msgpair *m, const struct src_rec *rec)
{
	struct peer *b = find_peer(m, DECODE(rec, process_exit, p));
	uint32_t i, next;

	if (!b)
		return;
	/* What was on its way to it is gone; what it sent is not. */
	for (i = b->in; i != NONE; i = next) {
		next = m->pairs[i].next_in;
		remove_pair(m, i);
	}
	for (i = b->out; i != NONE; i = next) {
		next = m->pairs[i].next_out;
		m->pairs[i].is_from_dead = true;
		if (m->pairs[i].first == NONE)
			remove_pair(m, i);
	}
	b->is_dead = true;
	b->born_ns = b->answered_ns = 0;
	drop_dead_peer(m, b);
}

static void on_exit_signal(struct msgpair *m, const struct src_rec *rec)
{
	struct pair *p = find_pair(m, DECODE(rec, process_exit_signal, sender),
				   DECODE(rec, process_exit_signal, receiver));

	if (p)
		unalign(m, p);
}

static void note_thread(struct msgpair *m, const struct src_rec *rec)
{
	if (rec->thread >= m->nr_threads) {
		uint32_t nr = rec->thread + 64;
		uint64_t *ns = realloc(m->thread_ns, nr * sizeof(*ns));

		if (!ns)
			return;
		memset(ns + m->nr_threads, 0, (nr - m->nr_threads) * sizeof(*ns));
		m->thread_ns = ns;
		m->nr_threads = nr;
	}
	m->thread_ns[rec->thread] = rec->ts;
}

int msgpair_feed(struct msgpair *m, const struct src_rec *rec, struct msgpair_hit *hit)
{
	struct decode_lost lost;
	int r = 0;

	switch (rec->event) {
	case BTAP_EV_message_send:
		on_send(m, rec);
		break;
	case BTAP_EV_message_receive:
		r = on_receive(m, rec, hit);
		break;
	case BTAP_EV_process_spawn:
		on_spawn(m, rec);
		break;
	case BTAP_EV_process_exit:
		on_exit_(m, rec);
		break;
	case BTAP_EV_process_exit_signal:
		on_exit_signal(m, rec);
		break;
	case BTAP_EV_state_asked:
		on_asked(m, rec);
		break;
	case BTAP_EV_state_process:
		on_answered(m, rec);
		break;
	case BTAP_EV_tap_start:
	case BTAP_EV_tap_stop:
		/* Which events are on has changed: before this, not all may have been seen. */
		reset(m, rec->ts);
		break;
	case BTAP_LOST_EVENT:
		m->st.losses++;
		reset(m, decode_lost(rec, &lost) && lost.end_ns > rec->ts ? lost.end_ns : rec->ts);
		break;
	}
	note_thread(m, rec);
	m->fed++;
	return r;
}
