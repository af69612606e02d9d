// SPDX-License-Identifier: Apache-2.0
/* run_init.c - setting up a run: which clauses each probe has, what to ask the source for */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "drun/bvar.h"
#include "drun/eproc.h"
#include "drun/fast.h"
#include "drun/run.h"
#include "drun/spec.h"
#include "drun/stack.h"
#include "provider/erlang.h"

#define SPEC_MAX BTAP_LEASE_SPEC_MAX

static bool wants_eproc(const struct dprog *prog)
{
	const uint64_t vars = 1ULL << DPROG_V_EPROC | 1ULL << DPROG_V_ENAME | 1ULL << DPROG_V_EFUNC |
			      1ULL << DPROG_V_EPORT | 1ULL << DPROG_V_VTIMESTAMP;

	return prog->uses_proc || prog->uses_stack || (prog->uses_bvars & vars);
}

int run_init(struct run *r, const struct dprog *prog, struct probes *probes, struct src *src,
	     const struct run_opts *opts, const struct run_sink *sink, struct diag *d)
{
	struct vm_env env;
	int err;

	memset(r, 0, sizeof(*r));
	r->prog = prog;
	r->probes = probes;
	r->src = src;
	r->opts = *opts;
	r->sink = *sink;
	r->next_ns = UINT64_MAX;
	bvar_init(r, &env);
	err = vm_init(&r->vm, prog, &opts->vm, &env, bvar_resolve, d);
	if (err)
		return err;
	r->vm.spec->commit = sink->record;
	r->vm.spec->ctx = sink->ctx;
	r->slots = calloc((src ? src->nr_vms : 0) + 1, RUN_SLOTS * sizeof(*r->slots));
	if (!r->slots || (wants_eproc(prog) &&
			  !(r->eproc = eproc_new(prog->uses_bvars & 1ULL << DPROG_V_ENAME,
						 prog->uses_bvars & 1ULL << DPROG_V_VTIMESTAMP)))) {
		run_fini(r);
		return diag_fail(d, -ENOMEM, "no memory for the run");
	}
	for (unsigned int i = 0; r->eproc && i < BTAP_MAX_EVENTS; i++)
		r->track[i] = eproc_wanted(r->eproc, i);
	for (uint32_t v = 0; src && v < src->nr_vms; v++) {
		struct vm_probe **slots = r->slots + (size_t)v * RUN_SLOTS;

		for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++)
			slots[i] = r->track[i] ? &r->only_track : NULL;
		slots[BTAP_LOST_EVENT] = &r->only_track;
	}
	return 0;
}

static void free_probe(struct provider_probe *p)
{
	struct vm_probe *v = p->user;

	if (!v)
		return;
	free(v->clauses);
	free(v->names);
	fast_free(v->fast);
	free(v);
	p->user = NULL;
}

void run_fini(struct run *r)
{
	for (uint32_t i = 1; i < 4; i++)
		free_probe(&r->probes->own[i]);
	for (uint32_t i = 0; i < provider_nr(r->probes->set); i++)
		free_probe(provider_at(r->probes->set, i));
	free(r->slots);
	stack_fini(r);
	free(r->timers);
	free(r->held_words);
	eproc_free(r->eproc);
	bvar_fini(r);
	vm_fini(&r->vm);
	memset(r, 0, sizeof(*r));
}

/* "entry" or "...-entry" */
static bool is_named(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end) && (n == m || s[n - m - 1] == '-');
}

static bool add_clause(struct vm_probe *v, uint32_t clause)
{
	uint32_t *c = realloc(v->clauses, (v->nr_clauses + 1) * sizeof(*c));

	if (!c)
		return false;
	v->clauses = c;
	c[v->nr_clauses++] = clause;
	return true;
}

struct vm_probe *run_probe(struct run *r, struct provider_probe *p)
{
	struct vm_probe *v = p->user;

	if (v)
		return v->nr_clauses ? v : NULL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	*v = (struct vm_probe){ .id = p->id, .prov = p->prov, .mod = p->mod, .func = p->func, .name = p->name };
	v->names = calloc(4, sizeof(*v->names));
	v->is_entry = is_named(p->name, "entry");
	v->is_return = is_named(p->name, "return");
	for (uint32_t c = 0; c < r->prog->nr_clauses; c++) {
		const struct dprog_clause *clause = &r->prog->clauses[c];

		for (uint32_t k = 0; k < clause->nr_pdescs; k++)
			if (probes_matches(&clause->pdescs[k], p) ||
			    (p->tmpl && clause->pdescs[k].id == (int32_t)p->tmpl->id))
				add_clause(v, c);
	}
	p->user = v;
	return v->nr_clauses ? v : NULL;
}

/* -- counting -- */

static int count_one(void *ctx, struct provider_probe *p)
{
	++*(unsigned int *)ctx;
	return 0;
}

unsigned int run_matched(struct run *r, uint32_t unit)
{
	const struct dprog_unit *u = &r->prog->units[unit];
	unsigned int nr = 0;

	for (uint32_t c = u->clause; c < u->clause + u->nr_clauses; c++)
		for (uint32_t k = 0; k < r->prog->clauses[c].nr_pdescs; k++)
			probes_each(r->probes, &r->prog->clauses[c].pdescs[k], count_one, &nr);
	return nr;
}

/* -- enabling -- */

struct enable {
	struct run *r;
	int err;
};

static int enable_one(void *ctx, struct provider_probe *p)
{
	struct enable *e = ctx;
	struct run *r = e->r;
	uint64_t period = p->kind->event ? 0 : probes_period(p->name);
	bool is_new = !p->user;
	struct vm_probe *v;

	if (p->kind->event) { /* of the source: made when it fires first */
		if (r->src && p->vm < r->src->nr_vms && p->kind->event < BTAP_MAX_EVENTS)
			r->slots[(size_t)p->vm * RUN_SLOTS + p->kind->event] = &r->ask_first;
		return 0;
	}
	v = run_probe(r, p);
	if (!v)
		return e->err = -ENOMEM;
	if (p->id == PROBES_BEGIN)
		r->begin = v;
	else if (p->id == PROBES_END)
		r->end = v;
	else if (p->id == PROBES_ERROR)
		r->error = v;
	else if (is_new && period && timer_add(r, v, period, *p->name == 'p'))
		return e->err = -ENOMEM;
	return 0;
}

/* Does it print a stack that an event may bring with it? */
static bool has_stack(const struct dprog *prog, const struct dprog_clause *clause)
{
	for (uint32_t i = clause->start; i < clause->end; i++)
		if (prog->code[i].op == DPROG_OP_STACK && prog->code[i].b != DPROG_STACK_KERNEL)
			return true;
	return false;
}

/* On a live node somebody must say which functions are meant: all of them would bring it to its knees. */
static bool names_no_function(const struct match_desc *m)
{
	const char *mod = m->glob[MATCH_MOD], *name = m->glob[MATCH_NAME];

	return !mod[strspn(mod, "*")] && (!strcmp(name, "function-entry") || !strcmp(name, "function-return"));
}

static int ask_source(struct run *r, struct diag *d)
{
	char spec[SPEC_MAX] = "";
	struct src_want want = { .who = "beamtap dtrace" };
	uint64_t events[BTAP_MASK_WORDS];
	struct diag why;
	int err;

	for (uint32_t c = 0; c < r->prog->nr_clauses; c++) {
		const struct dprog_clause *clause = &r->prog->clauses[c];
		bool with_stack = has_stack(r->prog, clause);

		for (uint32_t k = 0; k < clause->nr_pdescs; k++) {
			struct match_desc m = probes_desc(&clause->pdescs[k]);

			if (names_no_function(&m))
				return diag_fail(d, -EINVAL,
						 "probe %s names no module, and not all functions of a live node can "
						 "be traced: write erlang*:MODULE:FUNCTION:%s or erlang*:MODULE::%s",
						 clause->pdescs[k].text, m.glob[MATCH_NAME], m.glob[MATCH_NAME]);
			why = (struct diag)DIAG_INIT; /* that BEGIN is no probe of a VM is no cause of anything */
			memset(events, 0, sizeof(events));
			err = erlang_want(r->probes->set, &m, events, spec, sizeof(spec), &why);
			if (err && err != -ENOENT) {
				if (d)
					*d = why;
				return err;
			}
			for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++) {
				want.events[i] |= events[i];
				want.stacks[i] |= with_stack ? events[i] : 0;
			}
		}
	}
	for (unsigned int i = 0; r->eproc && i < BTAP_MAX_EVENTS; i++)
		if (r->track[i] && desc_get(i) && !strstr(desc_get(i)->name, "function") &&
		    !strstr(desc_get(i)->name, "bif_") && !strstr(desc_get(i)->name, "nif_"))
			want.events[i / 64] |= 1ULL << (i % 64);
	want.functions = *spec ? spec : NULL;
	if (!(want.events[0] | want.events[1] | want.events[2] | want.events[3]))
		return 0; /* only BEGIN, ticks and the like */
	r->wants_events = true;
	return r->opts.want(r->opts.ctx, &want, d);
}

int run_enable(struct run *r, struct diag *d)
{
	struct enable e = { .r = r };

	for (uint32_t c = 0; c < r->prog->nr_clauses; c++)
		if ((r->prog->clauses[c].flags & DPROG_C_DESTR) && !r->opts.vm.destructive)
			return diag_fail(d, -EPERM, "Destructive actions not allowed");
	for (uint32_t c = 0; c < r->prog->nr_clauses; c++)
		r->wants_stacks |= has_stack(r->prog, &r->prog->clauses[c]);
	for (uint32_t v = 0; r->wants_stacks && r->src && v < r->src->nr_vms; v++)
		r->slots[(size_t)v * RUN_SLOTS + BTAP_EV_stack] = &r->keep_stack;
	for (uint32_t c = 0; c < r->prog->nr_clauses; c++)
		for (uint32_t k = 0; k < r->prog->clauses[c].nr_pdescs; k++)
			probes_each(r->probes, &r->prog->clauses[c].pdescs[k], enable_one, &e);
	if (e.err)
		return diag_fail(d, e.err, "no memory for probes");
	if (r->opts.want)
		return ask_source(r, d);
	return 0;
}
