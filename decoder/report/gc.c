// SPDX-License-Identifier: Apache-2.0
/*
 * gc.c - section: garbage collection
 *
 * A pause is from the start to the end of the same kind in the same process; it
 * may end on another thread than it began on.  Ends without a start, starts
 * without an end, and pairs with a gap between are counted and not measured.
 */
#include <errno.h>
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

struct gc {
	int64_t bins[2][HIST_QUANTIZE_BINS];
	uint64_t nr[2], ns[2], max_ns[2];
	int64_t words[2];
	uint64_t unpaired; /* starts or ends */
	uint64_t open;	   /* going on at the end */
};

static const uint8_t events[] = {
	BTAP_EV_gc_major_start,
	BTAP_EV_gc_minor_start,
	BTAP_EV_gc_major_end,
	BTAP_EV_gc_minor_end,
	0,
};
static const char *const kinds[2] = { "minor", "major" };

static void starts(struct report *r, struct ent *e, enum ent_gc kind, uint64_t ts)
{
	if (e->gc_at)
		r->gc->unpaired++;
	e->gc_at = ts;
	e->gc_kind = kind;
}

static void ends(struct report *r, struct ent *e, enum ent_gc kind, const struct src_rec *rec)
{
	struct gc *g = r->gc;
	int64_t words = (int64_t)DECODE(rec, gc_minor_end, reclaimed);
	uint64_t began = e->gc_at, ns;

	e->gc_at = 0;
	if (words > 0 && words < INT64_MAX / 16) {
		e->gc_words += words;
		g->words[kind] += words;
	}
	if (!began || e->gc_kind != kind || began <= r->vms[e->vm].gap_end || rec->ts < began) {
		g->unpaired += began ? 2 : 1;
		return;
	}
	ns = rec->ts - began;
	e->gc_ns += ns;
	e->gcs[kind]++;
	if (ns > e->gc_max_ns)
		e->gc_max_ns = ns;
	g->nr[kind]++;
	g->ns[kind] += ns;
	if (ns > g->max_ns[kind])
		g->max_ns[kind] = ns;
	g->bins[kind][hist_quantize_bin((int64_t)ns)]++;
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	uint32_t i = sect_ent(r, rec, vm, DECODE(rec, gc_minor_start, p));
	struct ent *e = ent_at(&r->ents, i);
	bool is_major = rec->event == BTAP_EV_gc_major_start || rec->event == BTAP_EV_gc_major_end;
	enum ent_gc kind = is_major ? ENT_GC_MAJOR : ENT_GC_MINOR;

	if (!i) {
		r->gc->unpaired++;
		return;
	}
	if (rec->event == BTAP_EV_gc_major_start || rec->event == BTAP_EV_gc_minor_start)
		starts(r, e, kind, rec->ts);
	else
		ends(r, e, kind, rec);
}

static int init(struct report *r)
{
	r->gc = calloc(1, sizeof(*r->gc));
	return r->gc ? 0 : -ENOMEM;
}

static void fini(struct report *r)
{
	free(r->gc);
}

static void end(struct report *r)
{
	for (uint32_t i = 1; i < r->ents.nr; i++) {
		const struct ent *e = ent_at(&r->ents, i);

		if (e->gc_at && !(e->flags & ENT_FOLDED))
			r->gc->open++;
	}
}

static const struct report *cmp_report;

static int by_pause(const void *a, const void *b)
{
	const struct ent *x = *(struct ent *const *)a, *y = *(struct ent *const *)b;

	if (x->gc_ns != y->gc_ns)
		return x->gc_ns > y->gc_ns ? -1 : 1;
	return tab_before(cmp_report, x->vm, x->term, y->vm, y->term);
}

static void print_kinds(struct report *r)
{
	struct gc *g = r->gc;
	struct tab t = { 0 };

	tab_col(&t, "kind", true, false);
	tab_col(&t, "count", false, false);
	tab_col(&t, "total", false, false);
	tab_col(&t, "mean", false, false);
	tab_col(&t, "longest", false, false);
	tab_col(&t, "reclaimed", false, false);
	for (int k = 0; k < 2; k++) {
		if (!g->nr[k])
			continue;
		tab_row(&t);
		snprintf(tab_cell(&t, 0), TAB_CELL, "%s", kinds[k]);
		tab_count(tab_cell(&t, 1), g->nr[k]);
		tab_ns(tab_cell(&t, 2), g->ns[k]);
		tab_ns(tab_cell(&t, 3), g->ns[k] / g->nr[k]);
		tab_ns(tab_cell(&t, 4), g->max_ns[k]);
		tab_bytes(tab_cell(&t, 5), (uint64_t)g->words[k] * 8);
	}
	tab_print(&t, r->out);
}

static void print_procs(struct report *r)
{
	struct ent **list = malloc(r->ents.nr * sizeof(*list));
	struct ent_sum rest = r->ents.folded;
	struct tab t = { 0 };
	uint32_t nr = 0;

	if (!list)
		return;
	for (uint32_t i = 1; i < r->ents.nr; i++) {
		struct ent *e = ent_at(&r->ents, i);

		if (!(e->flags & ENT_FOLDED) && e->gcs[0] + e->gcs[1])
			list[nr++] = e;
	}
	cmp_report = r;
	qsort(list, nr, sizeof(*list), by_pause);
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "process", true, false);
	tab_col(&t, "minor", false, false);
	tab_col(&t, "major", false, false);
	tab_col(&t, "total", false, false);
	tab_col(&t, "longest", false, false);
	tab_col(&t, "reclaimed", false, false);
	for (uint32_t i = 0; i < nr; i++) {
		if (i >= r->top) {
			ent_add(&rest, list[i]);
			continue;
		}
		tab_row(&t);
		tab_node(r, tab_cell(&t, 0), list[i]->vm);
		tab_ent(r, tab_cell(&t, 1), list[i]);
		tab_count(tab_cell(&t, 2), list[i]->gcs[ENT_GC_MINOR]);
		tab_count(tab_cell(&t, 3), list[i]->gcs[ENT_GC_MAJOR]);
		tab_ns(tab_cell(&t, 4), list[i]->gc_ns);
		tab_ns(tab_cell(&t, 5), list[i]->gc_max_ns);
		tab_bytes(tab_cell(&t, 6), (uint64_t)list[i]->gc_words * 8);
	}
	if (rest.gcs) {
		tab_row(&t);
		snprintf(tab_cell(&t, 1), TAB_CELL, "all others (%llu)",
			 (unsigned long long)rest.nr);
		tab_ns(tab_cell(&t, 4), rest.gc_ns);
		tab_bytes(tab_cell(&t, 6), (uint64_t)rest.gc_words * 8);
	}
	fputc('\n', r->out);
	tab_print(&t, r->out);
	free(list);
}

static void print(struct report *r)
{
	struct gc *g = r->gc;

	sect_title(r, "GARBAGE COLLECTION",
		   "pause: gc_*_start to gc_*_end of the same process, on whatever thread");
	if (g->nr[0] + g->nr[1]) {
		print_kinds(r);
		print_procs(r);
	}
	for (int k = 0; k < 2; k++) {
		char what[64];

		snprintf(what, sizeof(what), "%s collections: pause in ns", kinds[k]);
		if (g->nr[k])
			sect_hist(r, what, g->bins[k]);
	}
	if (g->open)
		fprintf(r->out, "  Going on at the end of the recording, and not counted: %llu\n",
			(unsigned long long)g->open);
	if (g->unpaired)
		fprintf(r->out,
			"  Starts and ends not measured, the other being before the recording or a "
			"gap "
			"between: %llu\n",
			(unsigned long long)g->unpaired);
}

const struct sect gc_sect = {
	.name = "gc",
	.want = "-e 'gc_*'",
	.events = events,
	.init = init,
	.event = event,
	.end = end,
	.print = print,
	.fini = fini,
};
