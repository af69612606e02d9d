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
#include "event/msgtab.h"

struct msgpair *msgpair_new(const struct names *names, uint32_t max)
{
	struct msgpair *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->names = names;
	m->max = max < 64 ? 64 : max > 1u << 28 ? 1u << 28 : max;
	m->free_peer = m->free_pair = m->free_sent = MSGTAB_NONE;
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

static bool has_ended(const struct msgpair *m, uint64_t pid)
{
	const struct names_proc *p = names_proc(m->names, pid);

	return p && p->exit_ns;
}

/* -- events -- */

/* Something of @from went somewhere unknown: it may be any of its pairs. */
static void doubt(struct msgpair *m, uint64_t from, uint64_t ts)
{
	struct peer *a = msgtab_get_peer(m, from, ts);

	if (!a)
		return;
	a->doubt_ns = ts;
	if (!a->has_aligned)
		return;
	a->has_aligned = false;
	for (uint32_t i = a->out; i != MSGTAB_NONE; i = m->pairs[i].next_out)
		msgtab_unalign(m, &m->pairs[i]);
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
	p = msgtab_pair(m, from, to);
	if (!p && has_ended(m, to))
		return; /* it goes nowhere */
	if (!p)
		p = msgtab_new_pair(m, from, to, rec->ts);
	if (!p)
		return;
	p->sent_ns = rec->ts;
	p->sent_thread = rec->thread;
	if (p->is_aligned && !msgtab_push(m, p, rec->ts, DECODE(rec, message_send, size))) {
		m->st.no_room++;
		msgtab_unalign(m, p);
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
	p = msgtab_pair(m, from, to);
	if (!p) {
		/* Its send is not there.  Should it yet come, out of order, it must not count. */
		if (!has_ended(m, from))
			p = msgtab_new_pair(m, from, to, rec->ts);
		if (p)
			msgtab_unalign(m, p);
	}
	if (!p || !p->is_aligned)
		goto not_aligned;
	i = p->first;
	if (i == MSGTAB_NONE)
		goto contradicted;
	s = &m->sent[i];
	if ((int64_t)size >= 0 && s->size != UINT32_MAX && size < UINT32_MAX && size != s->size)
		goto contradicted;
	p->first = s->next;
	if (p->first == MSGTAB_NONE)
		p->last = MSGTAB_NONE;
	s->next = m->free_sent;
	m->free_sent = i;
	*hit = (struct msgpair_hit){ s->ns, rec->ts > s->ns ? rec->ts - s->ns : 0, from, false };
	m->st.paired++;
	if (p->first == MSGTAB_NONE && p->is_from_dead)
		msgtab_remove(m, (uint32_t)(p - m->pairs));
	return 1;
contradicted:
	msgtab_unalign(m, p);
not_aligned:
	m->st.unaligned++;
	return 0;
}

static void on_spawn(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, process_spawn, p);
	struct peer *p;

	/* Heard of before: then its beginning is not in sight. */
	if (!is_pid(pid) || msgtab_peer(m, pid))
		return;
	p = msgtab_get_peer(m, pid, rec->ts);
	if (p)
		p->born_ns = rec->ts;
}

static void on_asked(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, state_asked, p);
	struct peer *b = is_pid(pid) ? msgtab_get_peer(m, pid, rec->ts) : NULL;

	if (!b)
		return;
	b->asked_ns = 0;
	if (m->walked / 16 > m->fed + 65536)
		return; /* too much work for what is told: no proof by this question */
	b->asked_ns = rec->ts;
	for (uint32_t i = b->in; i != MSGTAB_NONE; i = m->pairs[i].next_in) {
		struct pair *p = &m->pairs[i];

		m->walked++;
		p->is_over = !p->sent_ns || (p->sent_thread < m->nr_threads &&
					     m->thread_ns[p->sent_thread] > p->sent_ns);
	}
}

static void on_answered(struct msgpair *m, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, state_process, p);
	struct peer *b = is_pid(pid) ? msgtab_peer(m, pid) : NULL, *a;

	if (!b || !b->asked_ns || b->asked_ns < m->since_ns || b->answered_ns == b->asked_ns)
		return;
	b->answered_ns = b->asked_ns;
	for (uint32_t i = b->in; i != MSGTAB_NONE; i = m->pairs[i].next_in) {
		struct pair *p = &m->pairs[i];

		if (p->is_aligned && (p->first == MSGTAB_NONE || m->sent[p->first].ns >= b->asked_ns))
			continue;
		msgtab_unalign(m, p);
		a = msgtab_peer(m, p->from);
		p->is_aligned = p->is_over && p->sent_ns < b->asked_ns &&
				a->doubt_ns < b->asked_ns;
		a->has_aligned |= p->is_aligned;
	}
}

static void on_exit_(struct msgpair *m, const struct src_rec *rec)
{
	struct peer *b = msgtab_peer(m, DECODE(rec, process_exit, p));
	uint32_t i, next;

	if (!b)
		return;
	/* What was on its way to it is gone; what it sent is not. */
	for (i = b->in; i != MSGTAB_NONE; i = next) {
		next = m->pairs[i].next_in;
		msgtab_remove(m, i);
	}
	for (i = b->out; i != MSGTAB_NONE; i = next) {
		next = m->pairs[i].next_out;
		m->pairs[i].is_from_dead = true;
		if (m->pairs[i].first == MSGTAB_NONE)
			msgtab_remove(m, i);
	}
	b->is_dead = true;
	b->born_ns = b->answered_ns = 0;
	msgtab_drop_dead(m, b);
}

static void on_exit_signal(struct msgpair *m, const struct src_rec *rec)
{
	struct pair *p = msgtab_pair(m, DECODE(rec, process_exit_signal, sender),
				   DECODE(rec, process_exit_signal, receiver));

	if (p)
		msgtab_unalign(m, p);
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
		msgtab_reset(m, rec->ts);
		break;
	case BTAP_LOST_EVENT:
		m->st.losses++;
		msgtab_reset(m, decode_lost(rec, &lost) && lost.end_ns > rec->ts ? lost.end_ns : rec->ts);
		break;
	}
	note_thread(m, rec);
	m->fed++;
	return r;
}
