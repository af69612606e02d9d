// SPDX-License-Identifier: Apache-2.0
/* head.c - the head of the report: which node, when, how many events, what was lost */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "event/desc.h"
#include "event/outbuf.h"
#include "report/model.h"
#include "report/tab.h"

#define MAX_REMARKS 8

/* What the VM's side had to say: warnings, and why it stopped. */
struct remark {
	char text[400];
};

struct head {
	struct remark remarks[MAX_REMARKS];
	uint32_t nr;
	uint64_t more;
};

static const uint8_t events[] = { BTAP_EV_tap_warning, BTAP_EV_tap_stop, 0 };

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct head *h = r->head;
	bool is_stop = rec->event == BTAP_EV_tap_stop;
	struct decode_text t = is_stop ? DECODE_TEXT(rec, tap_stop, reason)
				       : DECODE_TEXT(rec, tap_warning, message);
	struct remark *m = &h->remarks[h->nr];
	char at[TAB_CELL];
	struct outbuf o;

	/* A reader that closed, or that nobody can tell from one: all recordings end so. */
	if (!t.at || (is_stop && t.len >= 6 && !memcmp(t.at, "closed", 6)))
		return;
	if (h->nr == MAX_REMARKS) {
		h->more++;
		return;
	}
	if (outbuf_init(&o, -1))
		return;
	h->nr++;
	outbuf_escaped(&o, t.at, t.len, 0);
	if (is_stop)
		snprintf(m->text, sizeof(m->text), "stopped after %s: %s",
			 tab_ns(at, sect_since(r, vm, rec->ts)), outbuf_cstr(&o));
	else
		snprintf(m->text, sizeof(m->text), "warning: %s", outbuf_cstr(&o));
	outbuf_fini(&o);
}

/* A paragraph of words, two blanks before its first line and four before the others. */
static void print_wrapped(FILE *f, const char *s)
{
	size_t col = 2;

	fputc(' ', f);
	while (*s) {
		size_t len = strcspn(s, " ");

		if (col > 4 && col + len > TAB_WIDTH - 1) {
			fputs("\n   ", f);
			col = 4;
		}
		fprintf(f, " %.*s", (int)len, s);
		col += len + 1;
		s += len;
		s += strspn(s, " ");
	}
	fputc('\n', f);
}

static int init(struct report *r)
{
	r->head = calloc(1, sizeof(*r->head));
	return r->head ? 0 : -ENOMEM;
}

static void fini(struct report *r)
{
	free(r->head);
}

static void print_node(struct report *r, uint32_t vm)
{
	const struct btap_facts *f = &r->src->vms[vm].facts;
	char node[TAB_CELL], erts[TAB_CELL];

	tab_text(node, f->node, strnlen(f->node, sizeof(f->node)), 60);
	tab_text(erts, f->erts_version, strnlen(f->erts_version, sizeof(f->erts_version)), 20);
	fprintf(r->out, "%s%s: OTP %u (erts %s, %s), OS process %u, events by %s\n", vm ? "\n" : "",
		node, f->otp_release, erts, f->jit ? "JIT" : "interpreter", f->os_pid,
		f->way == BTAP_WAY_HOOKS ? "hooks in the VM" : "the agent");
	fprintf(r->out, "  schedulers  %u, dirty: %u CPU, %u I/O\n", f->nr_schedulers,
		f->nr_dirty_cpu, f->nr_dirty_io);
}

/* The time of day when counting began, by the two clocks that the VM noted together. */
static void print_span(struct report *r, uint32_t vm)
{
	const struct btap_facts *f = &r->src->vms[vm].facts;
	const struct vmst *v = &r->vms[vm];
	char span[TAB_CELL], from[TAB_CELL], to[TAB_CELL], when[64] = "?";
	uint64_t real_ns = f->real_ns + (v->begin - f->mono_ns);
	time_t s = (time_t)(real_ns / 1000000000);
	struct tm tm;

	if (!v->events) {
		fprintf(r->out, "  span        no event\n");
		return;
	}
	if (f->real_ns && gmtime_r(&s, &tm) &&
	    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm))
		fprintf(r->out, "  began       %s.%03u UTC\n", when,
			(unsigned int)(real_ns / 1000000 % 1000));
	fprintf(r->out, "  span        %s", tab_ns(span, v->end - v->begin));
	if (r->o->from_ns || r->o->to_ns != UINT64_MAX)
		fprintf(r->out, ", from %s to %s after the first event\n",
			tab_ns(from, v->begin - v->first), tab_ns(to, v->end - v->first));
	else
		fprintf(r->out, " between the first and the last event\n");
}

static const struct report *cmp_report;

static int by_count(const void *a, const void *b)
{
	uint8_t x = *(const uint8_t *)a, y = *(const uint8_t *)b;
	uint64_t cx = cmp_report->counts[x], cy = cmp_report->counts[y];

	if (cx != cy)
		return cx > cy ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void print_events(struct report *r)
{
	uint8_t ids[BTAP_MAX_EVENTS];
	unsigned int nr = 0, col = 0;
	uint64_t span = 0;
	char rate[TAB_CELL];

	for (unsigned int id = 1; id < BTAP_MAX_EVENTS; id++)
		if (r->counts[id])
			ids[nr++] = (uint8_t)id;
	for (uint32_t i = 0; i < r->nr_vms; i++)
		span = sect_span(r, i) > span ? sect_span(r, i) : span;
	cmp_report = r;
	qsort(ids, nr, 1, by_count);
	fprintf(r->out, "  events      %llu", (unsigned long long)r->nr_events);
	if (span)
		fprintf(r->out, " (%s)", tab_rate(rate, r->nr_events, span));
	fprintf(r->out, nr ? ":" : "\n");
	for (unsigned int i = 0; i < nr; i++) {
		const struct desc *d = desc_get(ids[i]);
		char text[TAB_CELL];
		int len = snprintf(text, sizeof(text), "%llu %s%s",
				   (unsigned long long)r->counts[ids[i]], d ? d->name : "?",
				   i + 1 < nr ? "," : "");

		if (!i || col + 1 + (unsigned int)len > TAB_WIDTH - 1) {
			fprintf(r->out, "\n              ");
			col = 14;
		} else {
			fputc(' ', r->out);
			col++;
		}
		fputs(text, r->out);
		col += (unsigned int)len;
	}
	if (nr)
		fputc('\n', r->out);
}

static void thread_name(struct report *r, char *buf, uint32_t i)
{
	const struct src_thread *t = src_thread(r->src, i);

	if (t->name[0])
		tab_text(buf, t->name, strnlen(t->name, sizeof(t->name)), 30);
	else
		snprintf(buf, TAB_CELL, "thread %u", t->tid);
}

static void print_lost(struct report *r)
{
	char share[TAB_CELL], name[TAB_CELL], from[TAB_CELL], to[TAB_CELL];
	struct tab t = { 0 };

	if (!r->lost) {
		fprintf(r->out, "  lost        nothing\n");
		return;
	}
	fprintf(r->out,
		"  LOST        %llu events, %s of all: written and overwritten before they were "
		"read\n",
		(unsigned long long)r->lost, tab_share(share, r->lost, r->lost + r->nr_events));
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "thread", true, false);
	tab_col(&t, "lost", false, false);
	tab_col(&t, "gaps", false, false);
	tab_col(&t, "from", false, false);
	tab_col(&t, "to", false, false);
	for (uint32_t i = 0; i < r->nr_threads; i++) {
		const struct thr *thr = &r->threads[i];
		uint64_t begin = r->vms[thr->vm].begin;

		if (!thr->lost)
			continue;
		thread_name(r, name, i);
		tab_row(&t);
		tab_node(r, tab_cell(&t, 0), thr->vm);
		snprintf(tab_cell(&t, 1), TAB_CELL, "%s", name);
		tab_count(tab_cell(&t, 2), thr->lost);
		tab_count(tab_cell(&t, 3), thr->gaps);
		tab_ns(from, thr->lost_from > begin ? thr->lost_from - begin : 0);
		tab_ns(to, thr->lost_to > begin ? thr->lost_to - begin : 0);
		snprintf(tab_cell(&t, 4), TAB_CELL, "%s", from);
		snprintf(tab_cell(&t, 5), TAB_CELL, "%s", to);
	}
	tab_print(&t, r->out);
}

static void print_remarks(struct report *r)
{
	const struct head *h = r->head;
	struct src_stats st = { 0 };

	for (uint32_t i = 0; i < h->nr; i++)
		print_wrapped(r->out, h->remarks[i].text);
	if (h->more)
		fprintf(r->out, "  and %llu more warnings\n", (unsigned long long)h->more);
	src_stats(r->src, &st);
	if (st.late)
		fprintf(r->out, "  %llu events came too late to be put in their place\n",
			(unsigned long long)st.late);
	if (st.strings_lost)
		fprintf(r->out,
			"  %llu names found no room in the VM's table: they are shown by number\n",
			(unsigned long long)st.strings_lost);
	if (r->error)
		fprintf(r->out,
			"  NOT WHOLE   reading ended with an error; this is what could be read\n");
}

static void print(struct report *r)
{
	for (uint32_t i = 0; i < r->nr_vms; i++) {
		print_node(r, i);
		print_span(r, i);
	}
	if (r->nr_vms > 1)
		fputc('\n', r->out);
	print_events(r);
	print_lost(r);
	print_remarks(r);
}

const struct sect head_sect = {
	.events = events,
	.init = init,
	.event = event,
	.print = print,
	.fini = fini,
};
