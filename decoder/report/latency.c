// SPDX-License-Identifier: Apache-2.0
/*
 * latency.c - section: how long messages took
 *
 * Only sends and receives that are proved to be of the same message count, see
 * event/msgpair.h; the time in the mailbox needs message_queued with the
 * message's identity.
 */
#include <errno.h>
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

#define MAX_PAIRS  (1u << 18) /* sends that wait for their receive, a node */
#define MAX_QUEUED (1u << 18) /* messages in mailboxes, all nodes */

struct latency {
	struct msgpair **pairs;	    /* one a node */
	struct msgpair_stats *base; /* of each, when the window began */
	uint32_t nr_pairs;
	int64_t bins[HIST_QUANTIZE_BINS];
	uint64_t received, paired, sum_ns, max_ns;
	/* mailboxes */
	struct imap map; /* identity of a message -> number in queued_at */
	uint64_t *queued_at;
	uint32_t *free;
	uint32_t nr_free;
	int64_t waits[HIST_QUANTIZE_BINS];
	uint64_t nr_waits, no_room;
};

/* What pairing learns from: messages, and what says where counting can begin. */
static const uint8_t events[] = {
	BTAP_EV_message_send,	 BTAP_EV_message_receive,
	BTAP_EV_message_queued,	 BTAP_EV_process_spawn,
	BTAP_EV_process_exit,	 BTAP_EV_state_asked,
	BTAP_EV_state_process,	 BTAP_EV_name_register,
	BTAP_EV_name_unregister, 0,
};
static const uint8_t need[] = { BTAP_EV_message_receive, 0 };

static struct msgpair *pair_of(struct report *r, uint32_t vm)
{
	struct latency *l = r->latency;

	if (vm >= l->nr_pairs) {
		struct msgpair **p = realloc(l->pairs, r->nr_vms * sizeof(*p));
		struct msgpair_stats *b;

		if (!p)
			return NULL;
		l->pairs = p;
		b = realloc(l->base, r->nr_vms * sizeof(*b));
		if (!b)
			return NULL;
		l->base = b;
		for (uint32_t i = l->nr_pairs; i < r->nr_vms; i++) {
			p[i] = msgpair_new(r->vms[i].names, MAX_PAIRS);
			b[i] = (struct msgpair_stats){ 0 };
		}
		l->nr_pairs = r->nr_vms;
	}
	return l->pairs[vm];
}

static void queued(struct latency *l, uint64_t msg, uint32_t vm, uint64_t ts)
{
	uint32_t i;

	if (!l->queued_at) {
		l->queued_at = malloc(MAX_QUEUED * sizeof(*l->queued_at));
		l->free = malloc(MAX_QUEUED * sizeof(*l->free));
		if (!l->queued_at || !l->free || imap_init(&l->map, 1024)) {
			l->no_room++;
			free(l->queued_at);
			free(l->free);
			l->queued_at = NULL;
			l->free = NULL;
			return;
		}
		for (i = 0; i < MAX_QUEUED; i++)
			l->free[i] = MAX_QUEUED - 1 - i;
		l->nr_free = MAX_QUEUED;
	}
	i = imap_find(&l->map, msg, vm);
	if (i == IMAP_NONE) {
		if (!l->nr_free || imap_put(&l->map, msg, vm, l->free[l->nr_free - 1])) {
			l->no_room++;
			return;
		}
		i = l->free[--l->nr_free];
	}
	l->queued_at[i] = ts;
}

static void taken(struct latency *l, uint64_t msg, uint32_t vm, uint64_t ts)
{
	uint32_t i = l->queued_at && msg ? imap_find(&l->map, msg, vm) : IMAP_NONE;

	if (i == IMAP_NONE)
		return;
	imap_del(&l->map, msg, vm);
	l->free[l->nr_free++] = i;
	l->waits[hist_quantize_bin((int64_t)(ts - l->queued_at[i]))]++;
	l->nr_waits++;
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct latency *l = r->latency;
	struct msgpair *p = pair_of(r, vm);
	struct msgpair_hit hit;

	if (p && msgpair_feed(p, rec, &hit) == 1) {
		l->paired++;
		l->bins[hist_quantize_bin((int64_t)hit.latency_ns)]++;
		l->sum_ns += hit.latency_ns;
		if (hit.latency_ns > l->max_ns)
			l->max_ns = hit.latency_ns;
	}
	if (rec->event == BTAP_EV_message_receive) {
		l->received++;
		taken(l, DECODE(rec, message_receive, msg), vm, rec->ts);
	} else if (rec->event == BTAP_EV_message_queued && DECODE(rec, message_queued, msg)) {
		queued(l, DECODE(rec, message_queued, msg), vm, rec->ts);
	}
}

/* Pairs are counted from the beginning of all, or they would be paired wrongly. */
static void before(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct msgpair *p = pair_of(r, vm);
	struct msgpair_hit hit;

	if (!p)
		return;
	msgpair_feed(p, rec, &hit);
	r->latency->base[vm] = *msgpair_stats(p);
}

/* Pairing must know of gaps: it gets the record itself. */
static void lost(struct report *r, const struct sect_lost *s)
{
	uint64_t words[4] = { BTAP_HEAD(BTAP_LOST_EVENT, 4, s->to), s->count, s->from, s->to };
	struct src_rec rec = { .ts = s->to,
			       .words = words,
			       .event = BTAP_LOST_EVENT,
			       .nr_words = 4,
			       .thread = s->thread };
	struct msgpair *p = pair_of(r, s->vm);
	struct msgpair_hit hit;

	if (p)
		msgpair_feed(p, &rec, &hit);
}

static int init(struct report *r)
{
	r->latency = calloc(1, sizeof(*r->latency));
	return r->latency ? 0 : -ENOMEM;
}

static void fini(struct report *r)
{
	struct latency *l = r->latency;

	if (!l)
		return;
	for (uint32_t i = 0; i < l->nr_pairs; i++)
		if (l->pairs[i])
			msgpair_free(l->pairs[i]);
	if (l->queued_at)
		imap_fini(&l->map);
	free(l->pairs);
	free(l->base);
	free(l->queued_at);
	free(l->free);
	free(l);
}

static void print_why(struct report *r)
{
	uint64_t unaligned = 0, unknown = 0, not_by_order = 0, no_room = 0;

	for (uint32_t i = 0; i < r->latency->nr_pairs; i++) {
		const struct msgpair_stats *base = &r->latency->base[i], *s;

		if (!r->latency->pairs[i])
			continue;
		s = msgpair_stats(r->latency->pairs[i]);
		unaligned += s->unaligned - base->unaligned;
		unknown += s->unknown - base->unknown;
		not_by_order += s->not_by_order - base->not_by_order;
		no_room += s->no_room - base->no_room;
	}
	if (unaligned)
		fprintf(r->out,
			"  %llu not paired: the first message of their pair was not seen, or a "
			"loss "
			"came between.\n",
			(unsigned long long)unaligned);
	if (unknown)
		fprintf(r->out, "  %llu not paired: who sent them is not recorded.\n",
			(unsigned long long)unknown);
	if (not_by_order)
		fprintf(r->out, "  %llu not paired: the VM may have made them itself, of exit signals "
				"and the like.\n",
			(unsigned long long)not_by_order);
	if (no_room)
		fprintf(r->out, "  %llu times there were more messages under way than are kept.\n",
			(unsigned long long)no_room);
}

/*
 * In a stock VM the trace event comes when the receiver moves a message from the
 * queue that its senders fill to its own; a receive expression may take it later.
 */
static bool is_by_agent(const struct report *r)
{
	for (uint32_t i = 0; i < r->nr_vms; i++)
		if (r->src->vms[i].facts.way == BTAP_WAY_AGENT)
			return true;
	return false;
}

static void print(struct report *r)
{
	struct latency *l = r->latency;
	char mean[TAB_CELL], max[TAB_CELL];

	sect_title(r, "MESSAGE LATENCY",
		   "message_send to message_receive, where both are proved to be "
		   "of one message");
	if (is_by_agent(r))
		fprintf(r->out, "  the agent sees a receive when the receiver takes a message over from its "
				"senders;\n  until a receive expression takes it more time may pass\n");
	fprintf(r->out, "  %llu of %llu messages received are paired with their send",
		(unsigned long long)l->paired, (unsigned long long)l->received);
	if (l->paired)
		fprintf(r->out, ": mean %s, longest %s", tab_ns(mean, l->sum_ns / l->paired),
			tab_ns(max, l->max_ns));
	fprintf(r->out, "\n");
	print_why(r);
	if (l->paired)
		sect_hist(r, "send to receive, in ns", l->bins);
	if (l->nr_waits)
		sect_hist(r, "time in the mailbox, in ns: message_queued to message_receive",
			  l->waits);
	if (l->no_room)
		fprintf(r->out,
			"  %llu messages in mailboxes were more than are kept: not in this "
			"picture.\n",
			(unsigned long long)l->no_room);
}

const struct sect latency_sect = {
	.name = "latency",
	.want = "-e message-send -e message-receive",
	.events = events,
	.need = need,
	.init = init,
	.event = event,
	.before = before,
	.lost = lost,
	.print = print,
	.fini = fini,
};
