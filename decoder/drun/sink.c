// SPDX-License-Identifier: Apache-2.0
/*
 * sink.c - records on their way to whoever prints them
 *
 * With -F it matters where a call begins and ends.  When several clauses print at one
 * return, it ends at the last of them: which that is shows when the firing is over, so
 * each record waits for the next.
 */
#include <stdlib.h>
#include <string.h>
#include "drun/run.h"

static void copy_aside(struct run *r, const struct vm_record *rec)
{
	uint64_t *w = r->held_words;

	if (r->held_cap < rec->nr_words) {
		w = realloc(w, (size_t)rec->nr_words * sizeof(*w));
		if (!w) { /* then it goes at once: an indent is not worth an error */
			r->sink.record(r->sink.ctx, rec);
			return;
		}
		r->held_words = w;
		r->held_cap = rec->nr_words;
	}
	if (rec->nr_words)
		memcpy(w, rec->words, (size_t)rec->nr_words * sizeof(*w));
	r->held = *rec;
	r->held.words = w;
	r->is_held = true;
}

void sink_release(struct run *r, bool is_more)
{
	if (!r->is_held)
		return;
	r->is_held = false;
	r->held.is_more = is_more;
	r->sink.record(r->sink.ctx, &r->held);
}

/* What an entry or a return says of how many calls are open in its process; 0: nothing. */
static uint32_t depth_of(const struct vm *vm, const struct vm_probe *probe)
{
	const struct src_rec *rec = vm->ev.rec;
	const struct desc *d = vm->ev.desc;

	if (!rec || !d || !(probe->is_entry || probe->is_return))
		return 0;
	for (unsigned int i = 0; i < d->nr_fields; i++) {
		const struct desc_field *f = &d->fields[i];

		if (!strcmp(f->name, "depth") && f->pos && f->pos < rec->nr_words)
			return rec->words[f->pos] <= INT32_MAX ? (uint32_t)rec->words[f->pos] : 0;
	}
	return 0;
}

void sink_record(struct run *r, const struct vm_probe *probe)
{
	const struct vm *vm = &r->vm;
	struct vm_record rec = { .probe = probe, .clause = vm->clause, .cpu = vm->ev.cpu,
				 .nr_words = vm->rec_used, .words = vm->rec, .who = vm->ev.who,
				 .firing = r->fired };

	if (r->opts.is_flow)
		rec.depth = depth_of(vm, probe);
	sink_release(r, r->held.probe == probe); /* else ERROR's record comes in between */
	if (r->opts.is_flow && probe->is_return && probe->nr_clauses > 1)
		copy_aside(r, &rec);
	else
		r->sink.record(r->sink.ctx, &rec);
}
