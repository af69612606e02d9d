// SPDX-License-Identifier: Apache-2.0
/*
 * run.c - the run loop
 *
 * For each VM there is a row of slots by event.  NULL: no clause wants it, and
 * that is all that happens to such a record.  A machine's probe: fire it.  Two
 * markers stand for "ask the provider": ask_first, whose answer replaces it, and
 * ask_always, for events that are a probe a function (or a number); a third,
 * only_track, for events that no clause wants, but eproc; a fourth, keep_stack, for the
 * stack that goes before an event.  A loss has a slot, too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "drun/eproc.h"
#include "drun/fast.h"
#include "drun/rec.h"
#include "drun/run.h"
#include "drun/spec.h"
#include "drun/stack.h"
#include "provider/erlang.h"

#define POLL_NS	 1000000ULL  /* between two looks at a live source that had nothing */
#define LATE_NS	 10000000ULL /* live: a tick waits so long for events from before it */
#define RUNS_AT_ONCE 256	     /* live: between two looks at the clock */

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void message(struct run *r, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void message(struct run *r, const char *tag, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->sink.message(r->sink.ctx, tag, text);
}

/* -- firing -- */

static void tell_fault(struct run *r)
{
	const struct vm_probe *p = r->vm.ev.probe;
	char text[80];

	vm_fault_text(r->vm.fault, r->vm.fault_value, text, sizeof(text));
	message(r, NULL, "error in dt_clause_%u for probe ID %u (%s:%s:%s:%s): %s at BPF pc %u", r->vm.clause,
		p->id, p->prov, p->mod, p->func, p->name, text, r->vm.fault_pc);
}

/* A fault: tell it, and fire ERROR in the place of the clause. */
static void fault(struct run *r)
{
	struct vm *vm = &r->vm;
	uint32_t nr = vm->prog->nr_slots[DPROG_CLAUSE];
	struct vm_event ev = vm->ev;
	uint64_t *locals;

	if (r->in_error) /* a fault inside ERROR is not reported again */
		return;
	tell_fault(r);
	locals = r->error ? malloc(nr * 8 + 8) : NULL;
	if (!locals)
		return;
	memcpy(locals, vm->vars.locals, nr * 8);
	r->in_error = true;
	vm->ev.rec = NULL;
	vm->ev.arg[0] = 0;
	vm->ev.arg[1] = ev.probe->id;
	vm->ev.arg[2] = vm->clause;
	vm->ev.arg[3] = vm->fault_pc;
	vm->ev.arg[4] = (uint64_t)vm->fault;
	vm->ev.arg[5] = mem_shown(vm->fault_value);
	for (unsigned int i = 6; i < 10; i++)
		vm->ev.arg[i] = 0;
	memset(vm->vars.locals, 0, nr * 8);
	run_fire(r, r->error);
	r->in_error = false;
	memcpy(vm->vars.locals, locals, nr * 8);
	free(locals);
	vm->ev = ev;
}

void run_fire(struct run *r, const struct vm_probe *probe)
{
	struct vm *vm = &r->vm;

	vm->ev.probe = probe;
	if (!r->in_error)
		vm_begin(vm);
	for (uint32_t i = 0; i < probe->nr_clauses; i++) {
		if (__builtin_expect(vm->is_over, 0) && probe != r->end && !r->in_error)
			break;
		switch (vm_run(vm, probe->clauses[i])) {
		case VM_NOTHING:
			break;
		case VM_RECORD:
			if (vm->speculating)
				spec_put(vm, r->fired);
			else
				sink_record(r, probe);
			break;
		case VM_FAULTED:
			fault(r);
			vm->ev.probe = probe;
			break;
		}
	}
	sink_release(r, false);
	r->fired++;
}

void run_own(struct run *r, const struct vm_probe *probe, uint64_t ts, uint32_t thread, uint64_t arg0)
{
	struct vm_event *ev = &r->vm.ev;

	if (!probe)
		return;
	memset(ev, 0, sizeof(*ev));
	ev->ts = ts;
	ev->arg[0] = arg0;
	ev->who.thread = thread;
	if (thread != VARS_NO_THREAD) {
		ev->who.vm = src_thread(r->src, thread)->vm;
		ev->cpu = src_thread(r->src, thread)->number;
		if (r->eproc)
			ev->who.proc = eproc_proc(r->eproc, thread);
	}
	run_fire(r, probe);
}

static void fire_record(struct run *r, const struct vm_probe *probe, const struct src_rec *rec, uint32_t vm_index)
{
	struct vm_event *ev = &r->vm.ev;

	ev->rec = rec;
	ev->desc = desc_table[rec->event];
	ev->args = r->vm.args[rec->event];
	ev->ts = rec->ts;
	if (r->wants_stacks)
		stack_take(r, rec);
	if (r->eproc) {
		ev->who.proc = eproc_actor(rec);
		if (!ev->who.proc)
			ev->who.proc = eproc_proc(r->eproc, rec->thread);
	} else if (r->opts.is_flow) {
		ev->who.proc = eproc_actor(rec);
	}
	run_fire(r, probe);
	if (r->eproc && rec->event == BTAP_EV_process_exit)
		vars_drop_proc(&r->vm.vars, vm_index, ev->who.proc);
}

/* What is the same for all records of a run; to be said again after a timer has fired. */
static void set_thread(struct run *r, uint32_t thread, uint32_t vm_index)
{
	r->vm.ev.cpu = src_thread(r->src, thread)->number;
	r->vm.ev.who = (struct vars_who){ .thread = thread, .vm = vm_index };
}

static struct vm_probe *with_fast(struct run *r, struct vm_probe *probe, uint32_t event, uint32_t vm)
{
	if (!r->opts.no_fast && !r->eproc && !probe->fast)
		probe->fast = fast_new(&r->vm, probe, event, vm);
	return probe;
}

/* Ask the provider which probe a record fires. */
static const struct vm_probe *asked(struct run *r, struct vm_probe **slot, const struct src_rec *rec)
{
	struct provider_probe *p = erlang_probe_of(r->probes->set, r->src, rec);
	struct vm_probe *probe = p ? run_probe(r, p) : NULL;

	if (!p || p->tmpl || (p->flags & PROVIDER_TEMPLATE) || p->number >= 0)
		*slot = &r->ask_always;
	else if (probe)
		*slot = with_fast(r, probe, rec->event, r->src->threads[rec->thread].vm);
	else
		*slot = r->track[rec->event] ? &r->only_track : NULL;
	return probe;
}

/* -- losses -- */

static void tell(struct run *r, unsigned int what, uint64_t now, const char *tag, const char *one,
		 const char *many, const char *behind)
{
	uint64_t n = now - r->told[what];

	if (!n)
		return;
	r->told[what] = now;
	message(r, tag, "%llu %s%s", (unsigned long long)n, n == 1 ? one : many, behind);
}

static void tell_drops(struct run *r)
{
	tell(r, 0, r->vm.agg_budget.drops, "DTRACEDROP_AGGREGATION", "aggregation drop", "aggregation drops",
	     " on CPU 0");
	tell(r, 1, r->vm.vars.drops, "DTRACEDROP_DYNAMIC", "dynamic variable drop", "dynamic variable drops", "");
	tell(r, 2, r->vm.spec->drops, "DTRACEDROP_SPEC", "speculative drop", "speculative drops", "");
	tell(r, 3, r->vm.spec->failed, "DTRACEDROP_SPECUNAVAIL", "failed speculation", "failed speculations",
	     " (no speculative buffer available)");
}

static void lost(struct run *r, const struct src_rec *rec, uint32_t vm)
{
	struct decode_lost l;

	if (!decode_lost(rec, &l))
		return;
	stack_forget(r, rec->thread);
	if (r->eproc && l.begin_ns >= r->next_ns) { /* until then it is known who runs */
		timer_run(r, l.begin_ns);
		set_thread(r, rec->thread, vm);
	}
	if (l.count)
		message(r, "DTRACEDROP_PRINCIPAL", "%llu drop%s on CPU %u", (unsigned long long)l.count,
			l.count == 1 ? "" : "s", src_thread(r->src, rec->thread)->number);
	if (r->eproc)
		eproc_lost(r->eproc, rec->thread);
}

/* -- the loop -- */

/* A record that some clause wants, or that eproc has to know of, or a loss. */
static void use_record(struct run *r, struct vm_probe **slot, const struct src_rec *rec, uint32_t vm)
{
	const struct vm_probe *probe = *slot;
	uint8_t track = EPROC_NEVER;

	if (__builtin_expect(rec->event >= BTAP_MAX_EVENTS, 0)) {
		lost(r, rec, vm);
		return;
	}
	if (probe == &r->keep_stack) {
		stack_keep(r, rec);
		return;
	}
	if (r->eproc) {
		track = r->track[rec->event];
		if (track == EPROC_BEFORE)
			eproc_feed(r->eproc, vm, rec);
	}
	if (probe == &r->ask_first || probe == &r->ask_always)
		probe = asked(r, slot, rec);
	if (probe && probe != &r->only_track) {
		if (__builtin_expect(rec->ts >= r->next_ns, 0)) {
			timer_run(r, rec->ts);
			if (r->vm.is_over)
				return;
			set_thread(r, rec->thread, vm);
		}
		fire_record(r, probe, rec, vm);
	}
	if (track == EPROC_AFTER)
		eproc_feed(r->eproc, vm, rec);
}

/* All records of one run of one thread. */
static void use_run(struct run *r, struct src_run *run)
{
	uint32_t vm = r->src->threads[run->thread].vm;
	struct vm_probe **slots = r->slots + (size_t)vm * RUN_SLOTS;
	struct src_run walk = *run; /* these two stay in registers */
	struct src_rec rec;

	set_thread(r, run->thread, vm);
	while (src_run_next(&walk, &rec)) {
		const struct vm_probe *probe = slots[rec.event];
		struct src_rec copy;

		if (!probe)
			continue;
		if (probe->fast && rec.ts < r->next_ns && rec.nr_words >= probe->fast->nr_words) {
			fast_fire(&r->vm, probe->fast, rec.words);
			r->fired++;
			continue;
		}
		copy = rec;
		use_record(r, &slots[rec.event], &copy, vm);
		if (__builtin_expect(r->vm.is_over, 0))
			break;
	}
	*run = walk;
	if (r->vm.is_over)
		return;
	r->now_ns = run->base > r->now_ns ? run->base : r->now_ns;
}

static bool is_stopped(struct run *r)
{
	if (r->vm.is_over)
		return true;
	return r->opts.stop && *r->opts.stop;
}

/* The first record's time, without using it up. */
static int first_time(struct run *r, struct src_run *run, uint64_t *ts, struct diag *d)
{
	struct src_rec rec;
	struct src_run copy;
	int n = src_run(r->src, run, d);

	if (n <= 0)
		return n;
	copy = *run;
	if (src_run_next(&copy, &rec))
		*ts = rec.ts;
	return 1;
}

static int recording(struct run *r, struct diag *d)
{
	struct src_run run;
	uint64_t t0 = r->opts.now_ns;
	int n = 0;

	memset(&run, 0, sizeof(run));
	if (r->src)
		n = first_time(r, &run, &t0, d);
	timer_start(r, t0);
	r->now_ns = t0;
	run_own(r, r->begin, t0, VARS_NO_THREAD, 0);
	while (n > 0 && !is_stopped(r)) {
		use_run(r, &run);
		vm_tidy(&r->vm);
		if (is_stopped(r))
			break;
		n = src_run(r->src, &run, d);
	}
	if (!is_stopped(r))
		timer_run(r, r->now_ns);
	return n < 0 ? n : 0;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

/* As many runs as are there, but not for so long that ticks wait.  Return: as src_run() the last time */
static int use_news(struct run *r, struct src *src, struct src_run *run, struct diag *d)
{
	int n = 0;

	for (unsigned int i = 0; i < RUNS_AT_ONCE && !is_stopped(r); i++) {
		n = src_run(src, run, d);
		if (n <= 0)
			break;
		use_run(r, run);
	}
	return n;
}

/* What is to be done now and then, live. */
static void housekeep(struct run *r, uint64_t now, bool has_events)
{
	if (r->opts.agg_ns && now >= r->show_ns) {
		vm_show(&r->vm);
		r->show_ns = now + r->opts.agg_ns;
	}
	if (r->next_ns <= now && (!has_events || r->next_ns + LATE_NS <= now))
		timer_run(r, has_events ? now - LATE_NS : now);
	if (now >= r->flush_ns) {
		if (r->sink.flush)
			r->sink.flush(r->sink.ctx);
		r->flush_ns = now + r->opts.switch_ns;
	}
	if (now >= r->look_ns) {
		tell_drops(r);
		r->look_ns = now + r->opts.status_ns;
	}
	vm_tidy(&r->vm);
}

static int live(struct run *r, struct diag *d)
{
	struct src *src = r->wants_events ? r->src : NULL;
	uint64_t now = clock_ns();
	struct src_run run;
	int n = 0;

	memset(&run, 0, sizeof(run));
	timer_start(r, now);
	run_own(r, r->begin, now, VARS_NO_THREAD, 0);
	r->flush_ns = now + r->opts.switch_ns;
	r->look_ns = now + r->opts.status_ns;
	r->show_ns = now + r->opts.agg_ns;
	while (!is_stopped(r)) {
		n = src ? use_news(r, src, &run, d) : 0;
		if (n < 0)
			break;
		now = clock_ns();
		housekeep(r, now, src != NULL);
		if (n > 0)
			continue;
		if (r->opts.is_ended && r->opts.is_ended(r->opts.ctx))
			break;
		sleep_ns(r->next_ns > now && r->next_ns - now < POLL_NS ? r->next_ns - now : POLL_NS);
	}
	return n < 0 ? n : 0;
}

int run_rates(struct run *r, uint64_t switch_ns, uint64_t agg_ns)
{
	uint64_t now = clock_ns();

	if (!r->opts.is_live)
		return 0;
	if (switch_ns != r->opts.switch_ns)
		r->flush_ns = now + switch_ns;
	r->opts.switch_ns = switch_ns;
	if (agg_ns == r->opts.agg_ns)
		return 0;
	r->opts.agg_ns = agg_ns;
	r->show_ns = now + agg_ns;
	return vm_show_copies(&r->vm, agg_ns > 0);
}

int run_loop(struct run *r, struct diag *d)
{
	int err = r->opts.is_live ? live(r, d) : recording(r, d);

	if (r->opts.stop && *r->opts.stop && !r->vm.is_over && r->sink.interrupted)
		r->sink.interrupted(r->sink.ctx);
	if (r->opts.is_live)
		r->now_ns = clock_ns();
	vm_show(&r->vm); /* END sees all */
	run_own(r, r->end, r->now_ns, VARS_NO_THREAD, 0);
	tell_drops(r);
	return err;
}
