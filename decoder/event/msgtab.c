// SPDX-License-Identifier: Apache-2.0
/*
 * msgtab.c - what is remembered of processes that send each other messages:
 * them, their pairs, and the sends on their way
 */
#include <stdlib.h>
#include <string.h>
#include "event/msgtab.h"

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
	if (p->first == MSGTAB_NONE)
		return;
	m->sent[p->last].next = m->free_sent;
	m->free_sent = p->first;
	p->first = p->last = MSGTAB_NONE;
}

void msgtab_unalign(struct msgpair *m, struct pair *p)
{
	p->is_aligned = false;
	drop_sent(m, p);
}

bool msgtab_push(struct msgpair *m, struct pair *p, uint64_t ns, uint64_t size)
{
	uint32_t i = m->free_sent;

	if (i != MSGTAB_NONE)
		m->free_sent = m->sent[i].next;
	else if (grow(m, &m->sent, m->nr_sent, &m->cap_sent, sizeof(*m->sent)))
		i = m->nr_sent++;
	else
		return false;
	m->sent[i] = (struct sent){ ns, size >= UINT32_MAX ? UINT32_MAX : (uint32_t)size, MSGTAB_NONE };
	if (p->first == MSGTAB_NONE)
		p->first = i;
	else
		m->sent[p->last].next = i;
	p->last = i;
	return true;
}

/* -- peers -- */

struct peer *msgtab_peer(struct msgpair *m, uint64_t pid)
{
	const uint32_t *i = idmap_get(&m->peers_by_pid, pid);

	return i ? &m->peers[*i] : NULL;
}

struct peer *msgtab_get_peer(struct msgpair *m, uint64_t pid, uint64_t ts)
{
	struct peer *p = msgtab_peer(m, pid);
	uint32_t i = m->free_peer;

	if (p)
		return p;
	if (i == MSGTAB_NONE && grow(m, &m->peers, m->nr_peers, &m->cap_peers, sizeof(*m->peers)))
		i = m->nr_peers;
	if (i == MSGTAB_NONE || idmap_put(&m->peers_by_pid, pid, i)) {
		no_room(m, ts);
		return NULL;
	}
	p = &m->peers[i];
	if (i == m->nr_peers)
		m->nr_peers++;
	else
		m->free_peer = p->in;
	*p = (struct peer){ .pid = pid, .in = MSGTAB_NONE, .out = MSGTAB_NONE };
	return p;
}

/* A process that has ended and of which nothing is on its way any more. */
void msgtab_drop_dead(struct msgpair *m, struct peer *p)
{
	if (!p->is_dead || p->in != MSGTAB_NONE || p->out != MSGTAB_NONE)
		return;
	idmap_remove(&m->peers_by_pid, p->pid);
	p->pid = 0;
	p->in = m->free_peer;
	m->free_peer = (uint32_t)(p - m->peers);
}

/* -- pairs -- */

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
		b = msgtab_hash(m->pairs[i].from, m->pairs[i].to) & m->mask;
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

struct pair *msgtab_new_pair(struct msgpair *m, uint64_t from, uint64_t to, uint64_t ts)
{
	struct peer *a, *b;
	struct pair *p;
	uint32_t i, bucket;

	/* Both must exist before either is pointed to: the table may move. */
	if (!msgtab_get_peer(m, from, ts) || !msgtab_get_peer(m, to, ts))
		return NULL;
	a = msgtab_peer(m, from);
	b = msgtab_peer(m, to);
	i = m->free_pair;
	if (i != MSGTAB_NONE) {
		m->free_pair = m->pairs[i].next_hash;
	} else if (grow_buckets(m) &&
		   grow(m, &m->pairs, m->nr_pairs, &m->cap_pairs, sizeof(*m->pairs))) {
		i = m->nr_pairs++;
	} else {
		no_room(m, ts);
		return NULL;
	}
	p = &m->pairs[i];
	*p = (struct pair){ .from = from, .to = to, .first = MSGTAB_NONE, .last = MSGTAB_NONE,
			    .next_in = b->in, .prev_in = MSGTAB_NONE, .next_out = a->out, .prev_out = MSGTAB_NONE };
	p->is_aligned = is_aligned_at_first(m, a, b);
	a->has_aligned |= p->is_aligned;
	if (b->in != MSGTAB_NONE)
		m->pairs[b->in].prev_in = i;
	if (a->out != MSGTAB_NONE)
		m->pairs[a->out].prev_out = i;
	b->in = i;
	a->out = i;
	bucket = msgtab_hash(from, to) & m->mask;
	p->next_hash = m->buckets[bucket];
	m->buckets[bucket] = i;
	return p;
}

void msgtab_remove(struct msgpair *m, uint32_t i)
{
	struct pair *p = &m->pairs[i];
	struct peer *a = msgtab_peer(m, p->from), *b = msgtab_peer(m, p->to);
	uint32_t *at;

	drop_sent(m, p);
	for (at = &m->buckets[msgtab_hash(p->from, p->to) & m->mask]; *at != i;
	     at = &m->pairs[*at].next_hash)
		;
	*at = p->next_hash;
	if (p->next_in != MSGTAB_NONE)
		m->pairs[p->next_in].prev_in = p->prev_in;
	if (p->prev_in != MSGTAB_NONE)
		m->pairs[p->prev_in].next_in = p->next_in;
	else
		b->in = p->next_in;
	if (p->next_out != MSGTAB_NONE)
		m->pairs[p->next_out].prev_out = p->prev_out;
	if (p->prev_out != MSGTAB_NONE)
		m->pairs[p->prev_out].next_out = p->next_out;
	else
		a->out = p->next_out;
	p->from = p->to = 0;
	p->next_hash = m->free_pair;
	m->free_pair = i;
	msgtab_drop_dead(m, a);
	if (b != a)
		msgtab_drop_dead(m, b);
}

/* Costs what was there, not what there is room for. */
void msgtab_reset(struct msgpair *m, uint64_t since_ns)
{
	for (uint32_t i = 0; i < m->nr_pairs; i++)
		if (m->pairs[i].from)
			m->buckets[msgtab_hash(m->pairs[i].from, m->pairs[i].to) & m->mask] = MSGTAB_NONE;
	for (uint32_t i = 0; i < m->nr_peers; i++)
		if (m->peers[i].pid)
			idmap_remove(&m->peers_by_pid, m->peers[i].pid);
	m->nr_peers = m->nr_pairs = m->nr_sent = 0;
	m->free_peer = m->free_pair = m->free_sent = MSGTAB_NONE;
	if (since_ns > m->since_ns)
		m->since_ns = since_ns;
}
