// SPDX-License-Identifier: Apache-2.0
/*
 * flow.c - section: who sends to whom
 *
 * Pairs of sender and receiver are kept up to a number.  Beyond it the half with
 * the fewest messages is summed into one, and from then on a pair may have been
 * counted too low by what was the largest such count: that is said.
 */
#include <errno.h>
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

#define DEFAULT_PAIRS (1u << 18)
#define RECEIVERS     3 /* the busiest ones, shown with their senders */
#define SENDERS	      5

struct pair {
	uint32_t from, to; /* indexes of ents */
	uint64_t count, sized, words;
};

struct flow {
	struct imap map; /* from << 32 | to -> pair */
	struct pair *pairs;
	uint32_t nr, max;
	uint64_t dropped;     /* messages of pairs given up */
	uint64_t dropped_nr;  /* pairs given up */
	uint64_t dropped_max; /* most messages of one of them */
	uint64_t remote;
};

static const uint8_t events[] = {
	BTAP_EV_message_send,
	BTAP_EV_message_send_remote,
	BTAP_EV_message_receive,
	BTAP_EV_message_queued,
	0,
};
static const uint8_t need[] = { BTAP_EV_message_send, BTAP_EV_message_send_remote, 0 };

static uint64_t key_of(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

static void keep(struct flow *f, const struct pair *p)
{
	f->pairs[f->nr] = *p;
	if (imap_put(&f->map, key_of(p->from, p->to), 0, f->nr)) {
		f->dropped += p->count;
		return;
	}
	f->nr++;
}

static void drop(struct flow *f, const struct pair *p)
{
	f->dropped += p->count;
	f->dropped_nr++;
	if (p->count > f->dropped_max)
		f->dropped_max = p->count;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Give up the half of the pairs that has the fewest messages. */
static void prune(struct flow *f)
{
	uint64_t *counts = malloc(f->nr * sizeof(*counts)), above;
	uint32_t nr = f->nr, room = f->max / 2;

	if (!counts)
		return;
	for (uint32_t i = 0; i < nr; i++)
		counts[i] = f->pairs[i].count;
	qsort(counts, nr, sizeof(*counts), by_number);
	above = counts[nr / 2];
	free(counts);
	imap_clear(&f->map);
	f->nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		struct pair p = f->pairs[i];

		if (p.count > above || (p.count == above && f->nr < room && i % 2))
			keep(f, &p);
		else
			drop(f, &p);
	}
}

/* The room of processes that were summed early is to be used again: give up their pairs. */
static void folded(struct report *r)
{
	struct flow *f = r->flow;
	uint32_t nr = f->nr;

	imap_clear(&f->map);
	f->nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		struct pair p = f->pairs[i];

		if ((ent_at(&r->ents, p.from)->flags | ent_at(&r->ents, p.to)->flags) & ENT_FOLDED)
			drop(f, &p);
		else
			keep(f, &p);
	}
}

static void count(struct flow *f, struct ent *sender, uint32_t from, uint32_t to, uint64_t words)
{
	uint32_t i = sender->pair; /* the last one is often the next one */
	struct pair *p;

	if (i >= f->nr || f->pairs[i].from != from || f->pairs[i].to != to)
		i = imap_find(&f->map, key_of(from, to), 0);

	if (i == IMAP_NONE) {
		struct pair fresh = { .from = from, .to = to };

		if (f->nr == f->max)
			prune(f);
		if (f->nr == f->max) {
			f->dropped++;
			return;
		}
		i = f->nr;
		keep(f, &fresh);
		if (i == f->nr)
			return;
	}
	sender->pair = i;
	p = &f->pairs[i];
	p->count++;
	if ((int64_t)words >= 0) {
		p->sized++;
		p->words += words;
	}
}

static void sent(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	uint64_t receiver = DECODE(rec, message_send, receiver);
	uint32_t from = sect_ent(r, rec, vm, DECODE(rec, message_send, sender)), to;
	struct ent *e;

	if (term_is_atom(receiver)) {
		uint64_t who = names_whereis(r->vms[vm].names, receiver);

		receiver = who ? who : receiver;
	}
	to = ent_get(&r->ents, vm, receiver);
	ent_at(&r->ents, from)->out++;
	e = ent_at(&r->ents, to);
	e->got++;
	if (!r->model->by_runnable)
		model_wake(r, e, rec->ts);
	count(r->flow, ent_at(&r->ents, from), from, to, DECODE(rec, message_send, size));
}

static void sent_remote(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	uint32_t from = sect_ent(r, rec, vm, DECODE(rec, message_send_remote, sender));
	uint32_t to = ent_node(&r->ents, vm, DECODE(rec, message_send_remote, node_name));

	ent_at(&r->ents, from)->out++;
	ent_at(&r->ents, to)->got++;
	r->flow->remote++;
	count(r->flow, ent_at(&r->ents, from), from, to, DECODE(rec, message_send_remote, size));
}

static void queue(struct ent *e, uint64_t len)
{
	if ((int64_t)len > (int64_t)e->max_queue)
		e->max_queue = len;
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct ent *e;

	switch (rec->event) {
	case BTAP_EV_message_send:
		sent(r, rec, vm);
		break;
	case BTAP_EV_message_receive:
		e = ent_at(&r->ents, sect_ent(r, rec, vm, DECODE(rec, message_receive, receiver)));
		e->in++;
		queue(e, DECODE(rec, message_receive, queue_len));
		break;
	case BTAP_EV_message_queued:
		e = ent_at(&r->ents, ent_get(&r->ents, vm, DECODE(rec, message_queued, receiver)));
		if (!r->model->by_runnable)
			model_wake(r, e, rec->ts);
		queue(e, DECODE(rec, message_queued, queue_len));
		break;
	default:
		sent_remote(r, rec, vm);
		break;
	}
}

static int init(struct report *r)
{
	struct flow *f = calloc(1, sizeof(*f));

	r->flow = f;
	if (!f)
		return -ENOMEM;
	f->max = r->o->max_pairs ? r->o->max_pairs : DEFAULT_PAIRS;
	f->pairs = malloc(f->max * sizeof(*f->pairs));
	if (!f->pairs || imap_init(&f->map, 1024))
		return -ENOMEM;
	return 0;
}

static void fini(struct report *r)
{
	if (!r->flow)
		return;
	imap_fini(&r->flow->map);
	free(r->flow->pairs);
	free(r->flow);
}

/* -- printing -- */

static const struct report *cmp_report;

static const struct ent *from_of(const struct pair *p)
{
	return ent_at(&cmp_report->ents, p->from);
}

static const struct ent *to_of(const struct pair *p)
{
	return ent_at(&cmp_report->ents, p->to);
}

static int by_count(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int d;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	d = tab_before(cmp_report, from_of(x)->vm, from_of(x)->term, from_of(y)->vm,
		       from_of(y)->term);
	return d ? d
		 : tab_before(cmp_report, to_of(x)->vm, to_of(x)->term, to_of(y)->vm,
			      to_of(y)->term);
}

static void mean_size(char *buf, const struct pair *p)
{
	if (p->sized)
		tab_bytes(buf, p->words * 8 / p->sized);
}

/* Whether the first so many pairs, the ones shown, have sizes. */
static bool has_sizes(const struct flow *f, uint32_t nr)
{
	for (uint32_t i = 0; i < f->nr && i < nr; i++)
		if (f->pairs[i].sized)
			return true;
	return false;
}

static void print_pairs(struct report *r, bool no_sizes)
{
	struct flow *f = r->flow;
	struct tab t = { 0 };
	uint64_t rest = f->dropped;

	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "sender", true, false);
	tab_col(&t, "receiver", true, false);
	tab_col(&t, "messages", false, false);
	tab_col(&t, "rate", false, false);
	tab_col(&t, "mean size", false, no_sizes);
	for (uint32_t i = 0; i < f->nr; i++) {
		const struct pair *p = &f->pairs[i];
		uint32_t vm = from_of(p)->vm;

		if (i >= r->top) {
			rest += p->count;
			continue;
		}
		tab_row(&t);
		tab_node(r, tab_cell(&t, 0), vm);
		tab_ent(r, tab_cell(&t, 1), from_of(p));
		tab_ent(r, tab_cell(&t, 2), to_of(p));
		tab_count(tab_cell(&t, 3), p->count);
		tab_rate(tab_cell(&t, 4), p->count, sect_span(r, vm));
		mean_size(tab_cell(&t, 5), p);
	}
	if (rest) {
		uint64_t others = f->dropped_nr + (f->nr > r->top ? f->nr - r->top : 0);

		tab_row(&t);
		snprintf(tab_cell(&t, 1), TAB_CELL, "all others (%llu pairs)",
			 (unsigned long long)others);
		tab_count(tab_cell(&t, 3), rest);
	}
	tab_print(&t, r->out);
	if (f->dropped)
		fprintf(r->out,
			"  There were more pairs than are kept: one shown may have sent up to %llu "
			"messages\n  more than shown; those are in \"all others\".\n",
			(unsigned long long)f->dropped_max);
}

/* A receiver, and how much it was sent by all. */
struct receiver {
	uint32_t to;
	uint32_t senders; /* of which pairs are kept */
	uint64_t count;	  /* by all */
};

static int by_received(const void *a, const void *b)
{
	const struct receiver *x = a, *y = b;
	const struct ent *p, *q;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	p = ent_at(&cmp_report->ents, x->to);
	q = ent_at(&cmp_report->ents, y->to);
	return tab_before(cmp_report, p->vm, p->term, q->vm, q->term);
}

static void print_senders(struct report *r, const struct receiver *v, bool no_sizes)
{
	const struct ent *e = ent_at(&r->ents, v->to);
	char name[TAB_CELL], queued[64] = "";
	unsigned int nr = 0;
	struct tab t = { 0 };

	if (e->max_queue)
		snprintf(queued, sizeof(queued), "; mailbox up to %llu",
			 (unsigned long long)e->max_queue);
	fprintf(r->out, "\n  to %s: %llu messages from %s%u senders%s\n", tab_ent(r, name, e),
		(unsigned long long)v->count, r->flow->dropped_nr ? "at least " : "", v->senders,
		queued);
	tab_col(&t, "  sender", true, false);
	tab_col(&t, "messages", false, false);
	tab_col(&t, "of all", false, false);
	tab_col(&t, "rate", false, false);
	tab_col(&t, "mean size", false, no_sizes);
	for (uint32_t i = 0; i < r->flow->nr && nr < SENDERS; i++) {
		const struct pair *p = &r->flow->pairs[i];
		char text[TAB_CELL];

		if (p->to != v->to)
			continue;
		nr++;
		tab_row(&t);
		snprintf(tab_cell(&t, 0), TAB_CELL, "  %.90s", tab_ent(r, text, from_of(p)));
		tab_count(tab_cell(&t, 1), p->count);
		tab_share(tab_cell(&t, 2), p->count, v->count);
		tab_rate(tab_cell(&t, 3), p->count, sect_span(r, e->vm));
		mean_size(tab_cell(&t, 4), p);
	}
	tab_print(&t, r->out);
}

/* The receivers with most messages that have more than one sender. */
static void print_receivers(struct report *r, bool no_sizes)
{
	struct flow *f = r->flow;
	struct receiver *v = calloc(r->ents.nr, sizeof(*v));
	unsigned int shown = 0;
	uint32_t nr = 0;

	if (!v)
		return;
	for (uint32_t i = 0; i < r->ents.nr; i++)
		v[i].to = i;
	for (uint32_t i = 0; i < f->nr; i++) {
		v[f->pairs[i].to].count = ent_at(&r->ents, f->pairs[i].to)->got;
		v[f->pairs[i].to].senders++;
	}
	for (uint32_t i = 0; i < r->ents.nr; i++)
		if (v[i].senders > 1 && ent_at(&r->ents, i)->term)
			v[nr++] = v[i];
	qsort(v, nr, sizeof(*v), by_received);
	for (uint32_t i = 0; i < nr && shown < RECEIVERS; i++) {
		print_senders(r, &v[i], no_sizes);
		shown++;
	}
	free(v);
}

static void print(struct report *r)
{
	struct flow *f = r->flow;
	bool no_sizes = !has_sizes(f, r->top);

	cmp_report = r;
	qsort(f->pairs, f->nr, sizeof(*f->pairs), by_count);
	sect_title(r, "WHO SENDS TO WHOM",
		   r->flow->remote
			   ? "message_send and message_send_remote; size: of the messages whose "
			     "size is recorded"
		   : no_sizes ? "message_send"
			      : "message_send; size: of the messages whose size is recorded");
	print_pairs(r, no_sizes);
	print_receivers(r, no_sizes);
}

const struct sect flow_sect = {
	.name = "messages",
	.want = "-e 'message-send*'",
	.events = events,
	.need = need,
	.init = init,
	.event = event,
	.folded = folded,
	.print = print,
	.fini = fini,
};
