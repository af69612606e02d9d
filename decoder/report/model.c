// SPDX-License-Identifier: Apache-2.0
/*
 * model.c - who runs where; see model.h
 *
 * The run of a process is from its process_scheduled to its process_unscheduled
 * on the same thread.  A thread whose events are all known from some moment on
 * (the start, the end of a gap) and whose first event of this kind is an
 * unscheduled had that process running since then.  What does not fit is counted
 * as odd and never estimated.
 *
 * Where a reader comes or goes (tap_start, tap_stop) events may go on or off, his or
 * all.  One that comes twice asked for others, or was without events: the agent was killed.
 *
 * A run on a dirty scheduler may be told twice, by dirty_* and by process_*, and
 * late: when the process already runs on a normal one again.
 */
#include "report/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t events[] = {
	BTAP_EV_process_scheduled, BTAP_EV_process_unscheduled, BTAP_EV_dirty_scheduled,
	BTAP_EV_dirty_unscheduled, BTAP_EV_process_runnable,	BTAP_EV_process_spawn,
	BTAP_EV_process_exit,	   BTAP_EV_name_register,	BTAP_EV_name_unregister,
	BTAP_EV_state_process,	   BTAP_EV_state_asked,		BTAP_EV_port_open,
	BTAP_EV_port_exit,	   BTAP_EV_port_connect,	BTAP_EV_state_port,
	BTAP_EV_scheduler_sleep,   BTAP_EV_scheduler_wakeup,	BTAP_EV_tap_start,
	BTAP_EV_tap_stop,	   0,
};

static int init(struct report *r)
{
	r->model = calloc(1, sizeof(*r->model));
	return r->model ? 0 : -ENOMEM;
}

static void fini(struct report *r)
{
	free(r->model);
}

static bool is_dirty(const struct thr *t)
{
	return t->kind == BTAP_THREAD_DIRTY_CPU || t->kind == BTAP_THREAD_DIRTY_IO;
}

/* Count the running time of the process on a thread up to @ts. */
static void credit(struct thr *t, struct ent *e, uint64_t ts)
{
	uint64_t ns = ts > t->since ? ts - t->since : 0;

	t->busy_ns += ns;
	if (is_dirty(t))
		e->dirty_ns += ns;
	else
		e->run_ns += ns;
	t->since = ts;
}

/* The thread's process no longer runs there, whatever was counted. */
static void leave(struct report *r, struct thr *t, uint64_t ts)
{
	struct ent *e = ent_at(&r->ents, t->run);

	if (t->run && (e->flags & ENT_RUNS) && &r->threads[e->thread] == t)
		e->flags &= ~ENT_RUNS;
	e->out_at = ts;
	t->last = t->run;
	t->run = 0;
}

/* What ran there did so until @ts, where it was not over before.  Return: whether it was counted so far */
static bool cut(struct report *r, struct thr *t, uint64_t ts)
{
	struct ent *e = ent_at(&r->ents, t->run);
	bool runs = t->run && !(e->flags & ENT_EXITED);

	if (runs)
		credit(t, e, ts);
	if (t->run)
		leave(r, t, ts);
	return runs;
}

static void scheduled(struct report *r, uint32_t thread, uint64_t term, uint64_t ts)
{
	struct thr *t = &r->threads[thread];
	uint32_t i = ent_get(&r->ents, t->vm, term);
	struct ent *e = ent_at(&r->ents, i);

	if (t->run == i && i && is_dirty(t))
		return; /* dirty_scheduled and process_scheduled tell of one run */
	if (t->run) {
		/* An exited process may leave without a word: it was counted to its exit. */
		r->model->odd += !(ent_at(&r->ents, t->run)->flags & ENT_EXITED);
		leave(r, t, ts);
	}
	t->run = i;
	t->since = ts;
	t->is_known = true;
	t->runs++;
	if (!i)
		return;
	/* What a dirty thread did may be told when the process runs elsewhere again. */
	if (!(e->flags & ENT_RUNS)) {
		e->flags |= ENT_RUNS;
		e->thread = thread;
	}
	if (e->woken_at) {
		if (e->woken_at > r->vms[t->vm].gap_end && ts >= e->woken_at) {
			uint64_t ns = ts - e->woken_at;

			e->wait_ns += ns;
			e->waits++;
			r->model->delay[hist_quantize_bin((int64_t)ns)]++;
			r->model->delays++;
		}
		e->woken_at = 0;
	}
}

static void unscheduled(struct report *r, uint32_t thread, uint64_t term, uint64_t ts)
{
	struct thr *t = &r->threads[thread];
	bool is_same = t->run && ent_at(&r->ents, t->run)->term == term;
	uint32_t i = is_same ? t->run : ent_get(&r->ents, t->vm, term);
	struct ent *e = ent_at(&r->ents, i);

	if (t->run == i && i) {
		credit(t, e, ts);
		leave(r, t, ts);
	} else if (!t->is_known) {
		/* It ran when the recording began, or when the gap ended. */
		t->since = t->known > r->vms[t->vm].begin ? t->known : r->vms[t->vm].begin;
		credit(t, e, ts);
		e->out_at = ts;
		t->runs++;
		r->model->at_start++;
	} else if (i && !(e->flags & ENT_EXITED) && !(is_dirty(t) && t->last == i)) {
		r->model->odd++;
		e->out_at = ts;
	}
	e->woken_at = 0;
	t->is_known = true;
}

static void runnable(struct report *r, uint32_t vm, uint64_t term, uint64_t ts)
{
	struct ent *e = ent_at(&r->ents, ent_get(&r->ents, vm, term));

	if (!r->model->by_runnable) {
		/* From now on the VM itself says it: forget what was told from messages. */
		r->model->by_runnable = true;
		memset(r->model->delay, 0, sizeof(r->model->delay));
		r->model->delays = 0;
	}
	e->woken_at = ts;
}

static void exits(struct report *r, uint32_t vm, uint64_t term, uint64_t ts)
{
	uint32_t i = ent_get(&r->ents, vm, term);
	struct ent *e = ent_at(&r->ents, i);
	struct thr *t = e->flags & ENT_RUNS ? &r->threads[e->thread] : NULL;

	if (!i)
		return;
	if (t && t->run == i)
		credit(t, e, ts);
	e->flags |= ENT_EXITED;
	e->woken_at = 0;
	r->ents.exits++;
}

static void spawned(struct report *r, uint32_t vm, const struct src_rec *rec)
{
	uint64_t term = DECODE(rec, process_spawn, p);
	uint32_t i = ent_get(&r->ents, vm, term);
	struct ent *e = ent_at(&r->ents, i);

	if (e->flags & ENT_EXITED || (e->flags & ENT_SPAWNED && r->vms[vm].gaps))
		e = ent_at(&r->ents, i = ent_renew(&r->ents, vm, term));
	if (!i)
		return;
	e->flags |= ENT_SPAWNED;
	e->mfa = DECODE(rec, process_spawn, mfa);
}

static void named(struct report *r, uint32_t vm, uint64_t term, uint64_t name, uint64_t mfa)
{
	uint32_t i = ent_get(&r->ents, vm, term);

	if (!i)
		return;
	if (name)
		ent_at(&r->ents, i)->name = name;
	if (mfa)
		ent_at(&r->ents, i)->mfa = mfa;
}

/* Sleep of a scheduler thread; a sleep that was going on at the start is not counted. */
static void sleeps(struct thr *t, uint64_t ts, bool is_wake)
{
	if (!is_wake) {
		t->sleep_at = ts;
	} else if (t->sleep_at) {
		t->sleep_ns += ts - t->sleep_at;
		t->sleeps++;
		t->sleep_at = 0;
	}
}

/* Events go off: who runs did so until now, and what follows is known from now on. */
static void tap_stops(struct report *r, uint32_t vm, uint64_t reader, uint64_t ts)
{
	r->vms[vm].readers &= ~(1u << (reader % 32));
	r->vms[vm].gap_end = ts;
	for (uint32_t i = 0; i < r->nr_threads; i++) {
		struct thr *t = &r->threads[i];

		if (t->vm != vm)
			continue;
		r->model->at_end += cut(r, t, ts);
		t->is_known = false;
		t->known = ts;
		t->sleep_at = 0;
	}
}

/* Events go on: what was before is known of those alone that were seen. */
static void tap_starts(struct report *r, uint32_t vm, uint64_t reader, uint64_t ts)
{
	struct vmst *v = &r->vms[vm];
	bool is_again = v->readers >> (reader % 32) & 1;

	v->readers |= 1u << (reader % 32);
	if (is_again) {
		v->gap_end = ts;
		v->gaps++;
	}
	for (uint32_t i = 0; i < r->nr_threads; i++) {
		struct thr *t = &r->threads[i];

		if (t->vm != vm)
			continue;
		if (is_again) {
			if (t->run) {
				leave(r, t, ts);
				r->model->odd++;
			}
			t->is_known = false;
			t->sleep_at = 0;
		}
		if (!t->is_known)
			t->known = ts;
	}
}

static void rare(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	names_feed(r->vms[vm].names, rec);
	switch (rec->event) {
	case BTAP_EV_process_spawn:
		r->model->spawns += r->vms[vm].is_on;
		spawned(r, vm, rec);
		break;
	case BTAP_EV_process_exit:
		r->model->exits += r->vms[vm].is_on;
		exits(r, vm, DECODE(rec, process_exit, p), rec->ts);
		break;
	case BTAP_EV_name_register:
		named(r, vm, DECODE(rec, name_register, p), DECODE(rec, name_register, name), 0);
		break;
	case BTAP_EV_state_process:
		named(r, vm, DECODE(rec, state_process, p), DECODE(rec, state_process, name),
		      DECODE(rec, state_process, mfa));
		break;
	case BTAP_EV_scheduler_sleep:
	case BTAP_EV_scheduler_wakeup:
		sleeps(&r->threads[rec->thread], rec->ts, rec->event == BTAP_EV_scheduler_wakeup);
		break;
	case BTAP_EV_tap_start:
		tap_starts(r, vm, DECODE(rec, tap_start, reader), rec->ts);
		break;
	case BTAP_EV_tap_stop:
		tap_stops(r, vm, DECODE(rec, tap_stop, reader), rec->ts);
		break;
	default:
		break;
	}
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	switch (rec->event) {
	case BTAP_EV_process_scheduled:
	case BTAP_EV_dirty_scheduled:
		scheduled(r, rec->thread, DECODE(rec, process_scheduled, p), rec->ts);
		break;
	case BTAP_EV_process_unscheduled:
	case BTAP_EV_dirty_unscheduled:
		unscheduled(r, rec->thread, DECODE(rec, process_unscheduled, p), rec->ts);
		break;
	case BTAP_EV_process_runnable:
		runnable(r, vm, DECODE(rec, process_runnable, p), rec->ts);
		break;
	default:
		rare(r, rec, vm);
		break;
	}
}

/* Names that were given, processes that were there. */
static void before(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	if (rec->event < BTAP_MAX_EVENTS && names_is_wanted(rec->event))
		rare(r, rec, vm);
}

/* Who ran there did so until the gap began; what came after is not known. */
static void lost(struct report *r, const struct sect_lost *l)
{
	struct thr *t = &r->threads[l->thread];
	struct ent *e = ent_at(&r->ents, t->run);

	if (cut(r, t, l->from)) {
		e->flags |= ENT_CUT;
		e->out_at = 0;
	}
	t->is_known = false;
	t->known = l->to;
	t->sleep_at = 0;
}

static void folded(struct report *r)
{
	for (uint32_t i = 0; i < r->nr_threads; i++) {
		struct thr *t = &r->threads[i];

		if (ent_at(&r->ents, t->run)->flags & ENT_FOLDED)
			t->run = 0;
		if (ent_at(&r->ents, t->last)->flags & ENT_FOLDED)
			t->last = 0;
	}
}

static void end(struct report *r)
{
	for (uint32_t i = 0; i < r->nr_threads; i++) {
		struct thr *t = &r->threads[i];
		struct ent *e = ent_at(&r->ents, t->run);

		if (!t->run || (e->flags & ENT_EXITED))
			continue;
		credit(t, e, r->vms[t->vm].end);
		r->model->at_end++;
	}
}

const struct sect model_sect = {
	.events = events,
	.init = init,
	.event = event,
	.before = before,
	.lost = lost,
	.folded = folded,
	.end = end,
	.fini = fini,
};
