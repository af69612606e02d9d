// SPDX-License-Identifier: Apache-2.0
/* proc.c - section: processes by the time they ran, with messages, waits and garbage collection */
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

static const uint8_t need[] = {
	BTAP_EV_process_scheduled, BTAP_EV_process_unscheduled, BTAP_EV_dirty_scheduled,
	BTAP_EV_dirty_unscheduled, BTAP_EV_message_send,	BTAP_EV_message_receive,
	BTAP_EV_gc_major_end,	   BTAP_EV_gc_minor_end,	0,
};
static const uint8_t runs[] = { BTAP_EV_process_scheduled, BTAP_EV_process_unscheduled, 0 };
static const uint8_t messages[] = { BTAP_EV_message_send, BTAP_EV_message_receive, 0 };
static const uint8_t gcs[] = { BTAP_EV_gc_major_end, BTAP_EV_gc_minor_end, 0 };

enum { NODE, NAME, LIFE, RUN, SHARE, DIRTY, IN, OUT, WAIT, GC };

/* What processes are ordered by: time, or messages where times were not recorded. */
static uint64_t weight(const struct report *r, const struct ent *e)
{
	uint64_t ns = e->run_ns + e->dirty_ns;

	return sect_seen(r, runs) ? ns : ns + e->in + e->out + e->gc_ns;
}

static const struct report *cmp_report; /* qsort() hands on nothing of ours */

static int by_weight(const void *a, const void *b)
{
	const struct ent *x = *(struct ent *const *)a, *y = *(struct ent *const *)b;
	uint64_t wx = weight(cmp_report, x), wy = weight(cmp_report, y);

	if (wx != wy)
		return wx > wy ? -1 : 1;
	if (x->in + x->out != y->in + y->out)
		return x->in + x->out > y->in + y->out ? -1 : 1;
	return tab_before(cmp_report, x->vm, x->term, y->vm, y->term);
}

static void sums(struct report *r, struct tab *t, const struct ent_sum *s, uint64_t span)
{
	tab_ns(tab_cell(t, RUN), s->run_ns);
	tab_share(tab_cell(t, SHARE), s->run_ns, span);
	if (s->dirty_ns)
		tab_ns(tab_cell(t, DIRTY), s->dirty_ns);
	tab_count(tab_cell(t, IN), s->in);
	tab_count(tab_cell(t, OUT), s->out);
	/* Nobody was seen to wake it: that is not no time waited. */
	if (s->waits)
		tab_ns(tab_cell(t, WAIT), s->wait_ns);
	else
		snprintf(tab_cell(t, WAIT), TAB_CELL, "?");
	tab_ns(tab_cell(t, GC), s->gc_ns);
}

static void row(struct report *r, struct tab *t, const struct ent *e)
{
	struct ent_sum s = { 0 };

	ent_add(&s, e);
	tab_row(t);
	tab_node(r, tab_cell(t, NODE), e->vm);
	tab_ent(r, tab_cell(t, NAME), e);
	snprintf(tab_cell(t, LIFE), TAB_CELL, "%s%s%s", e->flags & ENT_SPAWNED ? "+" : "",
		 e->flags & ENT_EXITED ? "-" : "", e->flags & ENT_CUT ? "*" : "");
	sums(r, t, &s, sect_span(r, e->vm));
}

static void columns(struct report *r, struct tab *t, uint64_t dirty_ns)
{
	bool no_runs = !sect_seen(r, runs), no_gc = !sect_seen(r, gcs);

	tab_col(t, "node", true, r->nr_vms < 2);
	tab_col(t, "process", true, false);
	tab_col(t, "", true, !r->model->spawns && !r->model->exits && !r->lost);
	tab_col(t, "ran", false, no_runs);
	tab_col(t, "of span", false, no_runs);
	tab_col(t, "dirty", false, !dirty_ns);
	tab_col(t, "received", false, !r->counts[BTAP_EV_message_receive]);
	tab_col(t, "sent", false,
		!r->counts[BTAP_EV_message_send] && !r->counts[BTAP_EV_message_send_remote]);
	tab_col(t, "waited", false, !r->model->delays);
	tab_col(t, "in GC", false, no_gc);
}

static void notes(struct report *r)
{
	const struct model *m = r->model;

	if (m->spawns || m->exits)
		fprintf(r->out, "  + spawned and - ended in the recording%s\n",
			r->lost ? "; * running when events were lost: counted up to there" : "");
	if (m->at_start || m->at_end)
		fprintf(r->out,
			"  Runs cut by the recording, counted inside it: %llu at the start%s, "
			"%llu at the end\n",
			(unsigned long long)m->at_start, r->lost ? " or after a gap" : "",
			(unsigned long long)m->at_end);
	if (m->odd)
		fprintf(r->out, "  Runs not counted, their begin or end being nowhere: %llu\n",
			(unsigned long long)m->odd);
	if (r->ents.folded.nr)
		fprintf(r->out,
			"  %llu processes that had ended were summed early to bound memory; they "
			"are in\n  \"all others\".\n",
			(unsigned long long)r->ents.folded.nr);
	if (r->ents.refused)
		fprintf(r->out,
			"  There were more processes than the %u that are kept: %llu mentions are "
			"in\n  \"all others\" and in no process's row.\n",
			r->ents.max, (unsigned long long)r->ents.refused);
}

static const char *from_what(const struct report *r)
{
	if (!sect_seen(r, runs) && !sect_seen(r, messages))
		return "gc_*_start to gc_*_end";
	if (!sect_seen(r, runs))
		return sect_seen(r, gcs) ? "message_receive, message_send, gc_*_start to gc_*_end"
					 : "message_receive, message_send";
	return r->model->delays
		       ? "ran: process_scheduled to process_unscheduled; waited: see SCHEDULERS"
		       : "ran: process_scheduled to process_unscheduled";
}

static void print(struct report *r)
{
	struct ent **list = malloc(r->ents.nr * sizeof(*list));
	struct ent_sum rest = r->ents.folded, all = r->ents.folded;
	struct tab t = { 0 };
	uint32_t nr = 0;

	if (!list)
		return;
	for (uint32_t i = 1; i < r->ents.nr; i++) {
		struct ent *e = ent_at(&r->ents, i);

		if (e->flags & (ENT_FOLDED | ENT_NODE) || !term_is_pid(e->term))
			continue;
		list[nr++] = e;
		ent_add(&all, e);
	}
	cmp_report = r;
	qsort(list, nr, sizeof(*list), by_weight);
	sect_title(r,
		   sect_seen(r, runs)	    ? "PROCESSES by time running"
		   : sect_seen(r, messages) ? "PROCESSES by messages"
					    : "PROCESSES by time in GC",
		   from_what(r));
	columns(r, &t, all.dirty_ns);
	for (uint32_t i = 0; i < nr; i++) {
		if (i < r->top)
			row(r, &t, list[i]);
		else
			ent_add(&rest, list[i]);
	}
	if (r->ents.refused) {
		struct ent_sum nobody = { 0 };

		ent_add(&nobody, ent_at(&r->ents, 0));
		rest.run_ns += nobody.run_ns;
		rest.in += nobody.in;
		rest.out += nobody.out;
		all.run_ns += nobody.run_ns;
	}
	if (rest.nr) {
		tab_row(&t);
		snprintf(tab_cell(&t, NAME), TAB_CELL, "all others (%llu)",
			 (unsigned long long)rest.nr);
		sums(r, &t, &rest, r->nr_vms == 1 ? sect_span(r, 0) : 0);
	}
	tab_print(&t, r->out);
	notes(r);
	free(list);
}

const struct sect proc_sect = {
	.name = "processes",
	.want = "-e 'process-*scheduled' -e 'message-*' -e 'gc_*'",
	.need = need,
	.print = print,
};
