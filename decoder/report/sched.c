// SPDX-License-Identifier: Apache-2.0
/* sched.c - section: what each scheduler thread did, and how long processes waited for one */
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

static const uint8_t need[] = {
	BTAP_EV_process_scheduled,
	BTAP_EV_process_unscheduled,
	BTAP_EV_dirty_scheduled,
	BTAP_EV_dirty_unscheduled,
	BTAP_EV_scheduler_sleep,
	BTAP_EV_scheduler_wakeup,
	0,
};

static const char *const kinds[] = {
	[BTAP_THREAD_OTHER] = "thread",	       [BTAP_THREAD_SCHEDULER] = "scheduler",
	[BTAP_THREAD_DIRTY_CPU] = "dirty CPU", [BTAP_THREAD_DIRTY_IO] = "dirty I/O",
	[BTAP_THREAD_ASYNC] = "async",	       [BTAP_THREAD_POLL] = "poll",
};

enum { NODE, NAME, BUSY, SHARE, RUNS, MEAN, SLEPT };

static bool has_run(const struct thr *t)
{
	return t->runs || t->sleeps;
}

/* Normal schedulers first, then the dirty ones, each by number. */
static int by_number(const void *a, const void *b)
{
	const struct thr *x = *(struct thr *const *)a, *y = *(struct thr *const *)b;

	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void row(struct report *r, struct tab *t, const struct thr *thr)
{
	const char *kind =
		thr->kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[thr->kind] : "thread";
	uint64_t span = sect_span(r, thr->vm);

	tab_row(t);
	tab_node(r, tab_cell(t, NODE), thr->vm);
	snprintf(tab_cell(t, NAME), TAB_CELL, "%s %u%s", kind, thr->number, thr->lost ? " *" : "");
	tab_ns(tab_cell(t, BUSY), thr->busy_ns);
	tab_share(tab_cell(t, SHARE), thr->busy_ns, span);
	tab_count(tab_cell(t, RUNS), thr->runs);
	if (thr->runs)
		tab_ns(tab_cell(t, MEAN), thr->busy_ns / thr->runs);
	if (thr->sleeps)
		tab_share(tab_cell(t, SLEPT), thr->sleep_ns, span);
}

static void print_threads(struct report *r)
{
	struct thr **list = malloc((r->nr_threads + 1) * sizeof(*list));
	struct tab t = { 0 };
	uint32_t nr = 0;

	if (!list)
		return;
	for (uint32_t i = 0; i < r->nr_threads; i++)
		if (has_run(&r->threads[i]))
			list[nr++] = &r->threads[i];
	qsort(list, nr, sizeof(*list), by_number);
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "thread", true, false);
	tab_col(&t, "ran processes", false, false);
	tab_col(&t, "of span", false, false);
	tab_col(&t, "switches", false, false);
	tab_col(&t, "mean run", false, false);
	tab_col(&t, "asleep", false, !r->counts[BTAP_EV_scheduler_wakeup]);
	for (uint32_t i = 0; i < nr; i++)
		row(r, &t, list[i]);
	tab_print(&t, r->out);
	if (nr < r->nr_threads)
		fprintf(r->out, "  Threads that ran no process are not shown (%u).\n",
			r->nr_threads - nr);
	free(list);
}

static void print(struct report *r)
{
	const struct model *m = r->model;

	sect_title(r, "SCHEDULERS",
		   "ran processes: process_scheduled to process_unscheduled on that "
		   "thread");
	print_threads(r);
	if (m->delays && m->by_runnable)
		sect_hist(r, "run-queue delay in ns: process_runnable to process_scheduled",
			  m->delay);
	else if (m->delays)
		sect_hist(
			r,
			"wake-up delay in ns: first message to a process that does not run, until "
			"it "
			"runs\n  (a process that gave way while it could still run counts too: its "
			"message came\n  later than its wait began; waking by anything else is not "
			"seen)",
			m->delay);
}

const struct sect sched_sect = {
	.name = "schedulers",
	.want = "-e 'process-*scheduled'",
	.need = need,
	.print = print,
};
