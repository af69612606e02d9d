// SPDX-License-Identifier: Apache-2.0
/* eproc.c - which Erlang process and port run on which thread */
#include <stdlib.h>
#include <string.h>
#include "drun/eproc.h"
#include "drun/vtime.h"

#define MAX_NAMES (1u << 20)

struct thread {
	uint64_t proc, port, func;
	uint32_t vm;
};

struct eproc {
	bool with_names;
	struct vtime *vtime; /* NULL: nobody asks */
	struct thread *threads;
	uint32_t nr_threads;
	struct names **names; /* by VM */
	uint32_t nr_names;
};

struct eproc *eproc_new(bool with_names, bool with_time)
{
	struct eproc *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->with_names = with_names;
	e->vtime = with_time ? vtime_new() : NULL;
	if (!with_time || e->vtime)
		return e;
	free(e);
	return NULL;
}

void eproc_free(struct eproc *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->nr_names; i++)
		names_free(e->names[i]);
	free(e->names);
	vtime_free(e->vtime);
	free(e->threads);
	free(e);
}

enum eproc_when eproc_wanted(const struct eproc *e, unsigned int event)
{
	switch (event) {
	case BTAP_EV_process_unscheduled:
	case BTAP_EV_dirty_unscheduled:
	case BTAP_EV_process_exit:
	case BTAP_EV_port_unscheduled:
	case BTAP_EV_name_unregister:
		return EPROC_AFTER;
	case BTAP_EV_process_scheduled:
	case BTAP_EV_dirty_scheduled:
	case BTAP_EV_port_scheduled:
	case BTAP_EV_local_function_entry:
	case BTAP_EV_global_function_entry:
	case BTAP_EV_function_return:
	case BTAP_EV_nif_entry:
	case BTAP_EV_bif_entry:
	case BTAP_EV_tap_start:
	case BTAP_EV_tap_stop:
		return EPROC_BEFORE;
	default:
		return e->with_names && names_is_wanted(event) ? EPROC_BEFORE : EPROC_NEVER;
	}
}

static struct thread *thread_of(struct eproc *e, uint32_t i)
{
	uint32_t nr = e->nr_threads ? e->nr_threads : 16;
	struct thread *t;

	if (i < e->nr_threads)
		return &e->threads[i];
	if (i > BTAP_MAX_RINGS * 64)
		return NULL;
	while (nr <= i)
		nr *= 2;
	t = realloc(e->threads, nr * sizeof(*t));
	if (!t)
		return NULL;
	memset(t + e->nr_threads, 0, (nr - e->nr_threads) * sizeof(*t));
	e->threads = t;
	e->nr_threads = nr;
	return &t[i];
}

static void feed_names(struct eproc *e, uint32_t vm, const struct src_rec *rec)
{
	if (vm >= e->nr_names) {
		struct names **n = realloc(e->names, (vm + 1) * sizeof(*n));

		if (!n)
			return;
		e->names = n;
		while (e->nr_names <= vm)
			n[e->nr_names++] = names_new(MAX_NAMES);
	}
	if (e->names[vm])
		names_feed(e->names[vm], rec);
}

static void begin(struct eproc *e, struct thread *t, uint32_t vm, const struct src_rec *rec, uint64_t proc,
		  uint64_t func)
{
	t->proc = proc;
	t->func = func;
	if (e->vtime)
		vtime_begin(e->vtime, vm, rec->thread, proc, rec->ts);
}

static void end(struct eproc *e, struct thread *t, const struct src_rec *rec)
{
	t->proc = t->func = 0;
	if (e->vtime)
		vtime_end(e->vtime, rec->thread, rec->ts);
}

void eproc_lost(struct eproc *e, uint32_t thread)
{
	if (thread < e->nr_threads)
		memset(&e->threads[thread], 0, sizeof(e->threads[thread]));
	if (e->vtime)
		vtime_lost(e->vtime, thread);
}

/* Events go on or off: what went out or in meanwhile was not seen. */
static void all_lost(struct eproc *e, uint32_t vm)
{
	for (uint32_t i = 0; i < e->nr_threads; i++)
		if (e->threads[i].vm == vm)
			eproc_lost(e, i);
}

void eproc_feed(struct eproc *e, uint32_t vm, const struct src_rec *rec)
{
	struct thread *t = thread_of(e, rec->thread);

	if (e->with_names && names_is_wanted(rec->event))
		feed_names(e, vm, rec);
	if (!t)
		return;
	t->vm = vm;
	switch (rec->event) {
	case BTAP_EV_tap_start:
	case BTAP_EV_tap_stop:
		all_lost(e, vm);
		return;
	case BTAP_EV_process_scheduled:
		begin(e, t, vm, rec, DECODE(rec, process_scheduled, p), DECODE(rec, process_scheduled, mfa));
		return;
	case BTAP_EV_dirty_scheduled:
		begin(e, t, vm, rec, DECODE(rec, dirty_scheduled, p), DECODE(rec, dirty_scheduled, mfa));
		return;
	case BTAP_EV_process_unscheduled:
	case BTAP_EV_dirty_unscheduled:
		end(e, t, rec);
		return;
	case BTAP_EV_process_exit:
		if (t->proc == DECODE(rec, process_exit, p))
			end(e, t, rec);
		if (e->vtime)
			vtime_forget(e->vtime, vm, DECODE(rec, process_exit, p));
		return;
	case BTAP_EV_port_scheduled:
		t->port = DECODE(rec, port_scheduled, port);
		return;
	case BTAP_EV_port_unscheduled:
		t->port = 0;
		return;
	case BTAP_EV_local_function_entry:
	case BTAP_EV_global_function_entry:
	case BTAP_EV_function_return:
	case BTAP_EV_nif_entry:
	case BTAP_EV_bif_entry:
		t->func = rec->words[2]; /* all are: p, mfa */
		return;
	default:
		return;
	}
}

/* Field of each event that names who acts in it: the first, if it is one of these. */
static int8_t actor_pos[BTAP_MAX_EVENTS]; /* position of its word; -1: none; 0: not looked for yet */

static int8_t find_actor(const struct desc *d)
{
	static const char *const actors[] = { "p", "sender", "process", "proc" };

	if (!d || !d->nr_req || d->id == BTAP_EV_name_register || d->id == BTAP_EV_name_unregister ||
	    d->id == BTAP_EV_process_runnable || d->id == BTAP_EV_process_spawn ||
	    d->id == BTAP_EV_process_port_unblocked)
		return -1; /* their process is not the one that runs */
	if (d->id == BTAP_EV_message_receive)
		return (int8_t)d->fields[0].pos;
	for (unsigned int i = 0; i < sizeof(actors) / sizeof(*actors); i++)
		if (!strcmp(d->fields[0].name, actors[i]) && desc_is_term(d->fields[0].type))
			return (int8_t)d->fields[0].pos;
	return -1;
}

uint64_t eproc_actor(const struct src_rec *rec)
{
	int8_t pos;
	uint64_t w;

	if (rec->event >= BTAP_MAX_EVENTS)
		return 0;
	pos = actor_pos[rec->event];
	if (!pos)
		pos = actor_pos[rec->event] = find_actor(desc_get(rec->event));
	if (pos < 0 || (uint32_t)pos >= rec->nr_words)
		return 0;
	w = rec->words[pos];
	return (w & BTAP_TAG_MASK4) == BTAP_TAG_PID ? w : 0;
}

uint64_t eproc_proc(const struct eproc *e, uint32_t thread)
{
	return thread < e->nr_threads ? e->threads[thread].proc : 0;
}

uint64_t eproc_port(const struct eproc *e, uint32_t thread)
{
	return thread < e->nr_threads ? e->threads[thread].port : 0;
}

uint64_t eproc_func(const struct eproc *e, uint32_t thread)
{
	return thread < e->nr_threads ? e->threads[thread].func : 0;
}

uint64_t eproc_ran(const struct eproc *e, uint32_t thread, uint64_t ts)
{
	return e && e->vtime ? vtime_now(e->vtime, thread, ts) : 0;
}

uint64_t eproc_name(const struct eproc *e, uint32_t vm, uint64_t proc)
{
	const struct names_proc *p;

	if (vm >= e->nr_names || !e->names[vm])
		return 0;
	p = names_proc(e->names[vm], proc);
	return p ? p->name : 0;
}
