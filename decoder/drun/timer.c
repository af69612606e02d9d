// SPDX-License-Identifier: Apache-2.0
/* timer.c - tick-N and profile-N */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "drun/run.h"

#define MAX_DUE 10000000 /* firings of one timer between two events */

struct run_timer {
	struct vm_probe *probe;
	uint64_t period_ns, next_ns;
	bool is_profile;
};

int timer_add(struct run *r, struct vm_probe *probe, uint64_t period_ns, bool is_profile)
{
	struct run_timer *t = realloc(r->timers, (r->nr_timers + 1) * sizeof(*t));

	if (!t)
		return -ENOMEM;
	r->timers = t;
	t[r->nr_timers++] = (struct run_timer){ probe, period_ns, UINT64_MAX, is_profile };
	return 0;
}

static void find_next(struct run *r)
{
	r->next_ns = UINT64_MAX;
	for (uint32_t i = 0; i < r->nr_timers; i++)
		if (r->timers[i].next_ns < r->next_ns)
			r->next_ns = r->timers[i].next_ns;
}

void timer_start(struct run *r, uint64_t now_ns)
{
	for (uint32_t i = 0; i < r->nr_timers; i++)
		r->timers[i].next_ns = now_ns + r->timers[i].period_ns;
	find_next(r);
}

/* profile-N looks at every scheduler thread, tick-N fires once. */
static void fire(struct run *r, const struct run_timer *t)
{
	bool any = false;

	for (uint32_t i = 0; t->is_profile && r->src && i < r->src->nr_threads && !r->vm.is_over; i++) {
		if (src_thread(r->src, i)->kind != BTAP_THREAD_SCHEDULER)
			continue;
		any = true;
		run_own(r, t->probe, t->next_ns, i, 0);
	}
	if (!any)
		run_own(r, t->probe, t->next_ns, VARS_NO_THREAD, 0);
}

/*
 * Times in a recording can be anything: a jump over years is not walked through
 * in nanoseconds.  What is left out is told.
 */
static void leap(struct run *r, struct run_timer *t, uint64_t ts)
{
	uint64_t due = t->next_ns <= ts ? (ts - t->next_ns) / t->period_ns : 0;
	char text[160];

	if (due <= MAX_DUE)
		return;
	snprintf(text, sizeof(text), "%llu firings of %s left out", (unsigned long long)(due - MAX_DUE),
		 t->probe->name);
	r->sink.message(r->sink.ctx, NULL, text);
	t->next_ns += (due - MAX_DUE) * t->period_ns;
}

void timer_run(struct run *r, uint64_t ts)
{
	for (uint32_t i = 0; i < r->nr_timers; i++)
		leap(r, &r->timers[i], ts);
	find_next(r);
	while (r->next_ns <= ts && !r->vm.is_over) {
		uint64_t due = r->next_ns;

		/* those due at one time fire in the order in which the script names them */
		for (uint32_t i = 0; i < r->nr_timers && !r->vm.is_over; i++) {
			struct run_timer *t = &r->timers[i];

			if (t->next_ns != due)
				continue;
			fire(r, t);
			t->next_ns += t->period_ns;
		}
		find_next(r);
	}
}
