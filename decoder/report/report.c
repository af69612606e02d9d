// SPDX-License-Identifier: Apache-2.0
/*
 * report.c - the pass over a source and the order of the sections; see report.h
 *
 * Each event goes to the few sections that want it, by a table made at the
 * start.  The model stands before all others, so that they find processes as
 * they are at that event.
 */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report/sect.h"
#include "report/tab.h"

#define DEFAULT_TOP   10
#define DEFAULT_PROCS (1u << 18)

static const struct sect *const sects[] = {
	&model_sect, &head_sect,  &proc_sect,  &flow_sect,  &latency_sect, &gc_sect,
	&sched_sect, &exits_sect, &ports_sect, &calls_sect, &other_sect,
};

#define NR_SECTS (sizeof(sects) / sizeof(sects[0]))

const char *report_sections(void)
{
	return "processes messages latency gc schedulers exits ports calls other";
}

static bool is_named(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += len)
		if ((p == list || p[-1] == ',') && (!p[len] || p[len] == ','))
			return true;
	return false;
}

/* The model and the head have no name: they always come. */
static bool is_wanted(const struct report_opts *o, const struct sect *s)
{
	return !s->name || !o->sections || is_named(o->sections, s->name);
}

static int check_sections(const char *list, struct diag *d)
{
	for (const char *p = list; p && *p; p += *p == ',') {
		size_t len = strcspn(p, ",");
		bool is_found = false;

		for (size_t i = 0; i < NR_SECTS; i++)
			is_found |= sects[i]->name && strlen(sects[i]->name) == len &&
				    !strncmp(sects[i]->name, p, len);
		if (!is_found)
			return diag_fail(d, -EINVAL,
					 "there is no section '%.*s'; the sections are %s",
					 (int)(len < 60 ? len : 60), p, report_sections());
		p += len;
	}
	return 0;
}

/* All sections count, those too that are not printed: some print what others count. */
static int add_handlers(struct report *r, const struct sect *s)
{
	for (const uint8_t *id = s->events; s->event && id && *id; id++) {
		unsigned int n = 0;

		while (r->handlers[*id][n])
			n++;
		if (n == SECT_HANDLERS)
			return diag_fail(r->d, -EINVAL, "too many sections want event %u",
					 (unsigned int)*id);
		r->handlers[*id][n] = s->event;
	}
	return 0;
}

/* Whatever tells who is who goes to the model, which feeds the names. */
static int add_names(struct report *r)
{
	for (unsigned int id = 1; id < BTAP_MAX_EVENTS; id++) {
		const uint8_t ids[2] = { (uint8_t)id, 0 };
		struct sect s = { .events = ids, .event = model_sect.event };
		int err;

		if (!names_is_wanted(id) ||
		    memchr(model_sect.events, (int)id, strlen((const char *)model_sect.events)))
			continue;
		err = add_handlers(r, &s);
		if (err)
			return err;
	}
	return 0;
}

/* Sources may find threads as they go. */
static int more_threads(struct report *r)
{
	uint32_t nr = r->src->nr_threads;
	struct thr *t = realloc(r->threads, nr * sizeof(*t));

	if (!t)
		return diag_fail(r->d, -ENOMEM, "no memory for %u threads", nr);
	r->threads = t;
	for (uint32_t i = r->nr_threads; i < nr; i++) {
		const struct src_thread *st = src_thread(r->src, i);

		t[i] = (struct thr){ .vm = st->vm, .kind = st->kind, .number = st->number };
	}
	r->nr_threads = nr;
	return 0;
}

static int more_vms(struct report *r)
{
	uint32_t nr = r->src->nr_vms;
	struct vmst *v = realloc(r->vms, (nr ? nr : 1) * sizeof(*v));
	unsigned int flags = TERM_FUNS | (r->o->elixir ? TERM_ELIXIR : 0);

	if (!v)
		return diag_fail(r->d, -ENOMEM, "no memory for %u nodes", nr);
	r->vms = v;
	for (uint32_t i = r->nr_vms; i < nr; i++) {
		v[i] = (struct vmst){ 0 };
		term_init(&v[i].term, &r->src->vms[i], flags);
		v[i].names = names_new(r->ents.max);
		r->nr_vms = i + 1;
		if (!v[i].names)
			return diag_fail(r->d, -ENOMEM, "no memory for the names of a node");
	}
	return 0;
}

static void folded(void *arg)
{
	struct report *r = arg;

	for (size_t i = 0; i < NR_SECTS; i++)
		if (sects[i]->folded)
			sects[i]->folded(r);
}

static int init(struct report *r)
{
	int err = check_sections(r->o->sections, r->d);

	if (err)
		return err;
	if (ent_init(&r->ents, r->o->max_procs ? r->o->max_procs : DEFAULT_PROCS))
		return diag_fail(r->d, -ENOMEM, "no memory for the table of processes");
	r->ents.on_fold = folded;
	r->ents.arg = r;
	err = more_vms(r);
	if (!err)
		err = more_threads(r);
	if (!err)
		err = add_names(r);
	for (size_t i = 0; !err && i < NR_SECTS; i++) {
		err = sects[i]->init ? sects[i]->init(r) : 0;
		if (err)
			return diag_fail(r->d, err, "no memory for the report's tables");
		err = add_handlers(r, sects[i]);
	}
	return err;
}

static void fini(struct report *r)
{
	for (size_t i = 0; i < NR_SECTS; i++)
		if (sects[i]->fini)
			sects[i]->fini(r);
	for (uint32_t i = 0; i < r->nr_vms; i++) {
		term_fini(&r->vms[i].term);
		names_free(r->vms[i].names);
	}
	ent_fini(&r->ents);
	free(r->vms);
	free(r->threads);
}

static void take_lost(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct vmst *v = &r->vms[vm];
	struct thr *t = &r->threads[rec->thread];
	struct decode_lost lost;
	struct sect_lost l;

	if (!decode_lost(rec, &lost))
		return;
	l = (struct sect_lost){ lost.count, lost.begin_ns, lost.end_ns, rec->thread, vm };
	if (!t->gaps || l.from < t->lost_from)
		t->lost_from = l.from;
	if (l.to > t->lost_to)
		t->lost_to = l.to;
	t->gaps++;
	t->lost += l.count;
	v->gaps++;
	v->lost += l.count;
	r->lost += l.count;
	if (l.to > v->gap_end)
		v->gap_end = l.to;
	for (size_t i = 0; i < NR_SECTS; i++)
		if (sects[i]->lost)
			sects[i]->lost(r, &l);
}

/* The first event of a node; those before the window only tell who is who. */
static void begin(struct report *r, struct vmst *v, uint64_t ts)
{
	if (!v->first)
		v->first = ts ? ts : 1;
	if (ts - v->first >= r->o->from_ns) {
		v->is_on = true;
		v->begin = r->o->from_ns ? v->first + r->o->from_ns : ts;
		v->end = v->begin;
	}
}

/* What is told before the window is known in it, and not counted. */
static void before(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct decode_lost lost;

	for (size_t i = 0; i < NR_SECTS; i++)
		if (sects[i]->before)
			sects[i]->before(r, rec, vm);
	/* a gap that reaches into the window */
	if (decode_lost(rec, &lost) && lost.end_ns > r->vms[vm].first + r->o->from_ns)
		take_lost(r, rec, vm);
}

static inline void take(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct vmst *v = &r->vms[vm];
	sect_fn **fn;

	if (!v->is_on) {
		begin(r, v, rec->ts);
		if (!v->is_on) {
			before(r, rec, vm);
			return;
		}
	}
	if (rec->ts > v->first && rec->ts - v->first > r->o->to_ns) {
		v->end = v->first + r->o->to_ns;
		return;
	}
	if (rec->event >= BTAP_MAX_EVENTS) {
		take_lost(r, rec, vm);
		return;
	}
	if (rec->ts > v->end)
		v->end = rec->ts;
	if (rec->event == BTAP_EV_stack) /* part of the event that follows */
		return;
	v->events++;
	r->counts[rec->event]++;
	for (fn = r->handlers[rec->event]; *fn; fn++)
		(*fn)(r, rec, vm);
}

static int pass(struct report *r)
{
	struct src_run run = { 0 };
	struct src_rec rec;
	int err;

	while ((err = src_run(r->src, &run, r->d)) > 0) {
		uint32_t vm;

		if (r->src->nr_vms > r->nr_vms && (err = more_vms(r)))
			return err;
		if (r->src->nr_threads > r->nr_threads && (err = more_threads(r)))
			return err;
		vm = r->threads[run.thread].vm;
		while (src_run_next(&run, &rec))
			take(r, &rec, vm);
	}
	return err;
}

uint64_t sect_seen(const struct report *r, const uint8_t *ids)
{
	uint64_t n = 0;

	for (; *ids; ids++)
		n += r->counts[*ids];
	return n;
}

void sect_title(struct report *r, const char *title, const char *from)
{
	fprintf(r->out, "\n%s%s\n", title,
		r->lost ? " *  (events were lost: figures may be too low)" : "");
	if (from)
		fprintf(r->out, "  %s\n", from);
}

void sect_hist(struct report *r, const char *what, const int64_t bins[HIST_QUANTIZE_BINS])
{
	static const struct hist_shape shape = { .kind = HIST_QUANTIZE };

	fprintf(r->out, "\n  %s\n", what);
	hist_print(r->out, &shape, bins, 1);
}

/* One line for what is not there: which section, and what would record it. */
static void print_missing(struct report *r)
{
	bool is_first = true;

	for (size_t i = 0; i < NR_SECTS; i++) {
		const struct sect *s = sects[i];

		if (!s->want || !is_wanted(r->o, s) || sect_seen(r, s->need ? s->need : s->events))
			continue;
		fprintf(r->out, "%s    %-11s %s\n",
			is_first ? "\nNOT RECORDED, so not shown"
				   " (what `beamtap record` takes to record it)\n"
				 : "",
			s->name, s->want);
		is_first = false;
	}
}

static void print(struct report *r)
{
	for (size_t i = 0; i < NR_SECTS; i++)
		if (sects[i]->end)
			sects[i]->end(r);
	for (size_t i = 0; i < NR_SECTS; i++) {
		const struct sect *s = sects[i];
		const uint8_t *need = s->need ? s->need : s->want ? s->events : NULL;

		if (s->print && is_wanted(r->o, s) && (!need || sect_seen(r, need)))
			s->print(r);
	}
	print_missing(r);
}

int report_run(struct src *s, const struct report_opts *o, FILE *out, struct diag *d)
{
	struct report *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return diag_fail(d, -ENOMEM, "no memory for the report");
	r->o = o;
	r->src = s;
	r->out = out;
	r->d = d;
	r->top = o->top ? o->top : DEFAULT_TOP;
	err = init(r);
	if (!err) {
		err = pass(r);
		r->error = err;
		for (uint32_t i = 0; i < r->nr_vms; i++)
			r->nr_events += r->vms[i].events;
		print(r);
	}
	fini(r);
	free(r);
	return err;
}
