// SPDX-License-Identifier: Apache-2.0
/*
 * flow.c - -F: how deep each Erlang process, or each thread where none runs, is in calls
 *
 * Processes take turns on a scheduler, so the depth is theirs and not the scheduler's.  Where
 * events say how many calls are open, that is what counts: a call that ends as a tail call
 * has no return, and what was lost has none, either.  The least number seen stands at the
 * left.
 */
#include <stdlib.h>
#include "dout/flow.h"

#define FIRST_CAP 64
#define MOST	  65536 /* processes with open calls; then all are forgotten */

struct flow_slot {
	uint64_t proc; /* or the thread, with all bits above it set */
	uint32_t vm, depth; /* depth 0: free, or ended */
	uint32_t least;	    /* open calls that an event told; 0: none has */
	bool is_used;
};

static uint64_t name_of(const struct vars_who *who)
{
	return who->proc ? who->proc : ~(uint64_t)0 << 32 | who->thread;
}

static struct flow_slot *probe_for(struct flow_slot *slots, uint32_t cap, uint64_t proc, uint32_t vm)
{
	uint64_t h = (proc + vm) * 0x9e3779b97f4a7c15ULL;

	for (uint32_t i = (uint32_t)(h >> 40);; i++) {
		struct flow_slot *s = &slots[i & (cap - 1)];

		if (!s->is_used || (s->proc == proc && s->vm == vm))
			return s;
	}
}

/* Twice as many slots, without those whose calls have all ended. */
static bool grow(struct flow *f)
{
	uint32_t cap = f->cap ? f->cap * 2 : FIRST_CAP, nr = 0;
	struct flow_slot *slots;

	if (cap > MOST * 2)
		cap = FIRST_CAP;
	slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return false;
	for (uint32_t i = 0; i < f->cap && cap > FIRST_CAP; i++) {
		struct flow_slot *s = &f->slots[i];

		if (!s->is_used || !s->depth)
			continue;
		*probe_for(slots, cap, s->proc, s->vm) = *s;
		nr++;
	}
	free(f->slots);
	*f = (struct flow){ slots, cap, nr };
	return true;
}

static struct flow_slot *find(struct flow *f, const struct vars_who *who)
{
	struct flow_slot *s;

	if (who->thread == VARS_NO_THREAD)
		return NULL;
	if ((f->nr + 1) * 4 > f->cap * 3 && !grow(f))
		return NULL;
	s = probe_for(f->slots, f->cap, name_of(who), who->vm);
	if (!s->is_used) {
		*s = (struct flow_slot){ name_of(who), who->vm, 0, 0, true };
		f->nr++;
	}
	return s;
}

/* Where a call with @open calls, it among them, stands. */
static uint32_t level(struct flow_slot *s, uint32_t open)
{
	if (!s->least || open < s->least)
		s->least = open;
	return open - s->least;
}

uint32_t flow_enter(struct flow *f, const struct vars_who *who, uint32_t open)
{
	struct flow_slot *s = find(f, who);
	uint32_t at;

	if (!s)
		return 0;
	at = open ? level(s, open) : s->depth;
	s->depth = at + 1;
	return at;
}

uint32_t flow_leave(struct flow *f, const struct vars_who *who, uint32_t open)
{
	struct flow_slot *s = find(f, who);

	if (!s)
		return 0;
	if (open)
		s->depth = level(s, open);
	else if (s->depth)
		s->depth--;
	return s->depth;
}

uint32_t flow_depth(struct flow *f, const struct vars_who *who)
{
	struct flow_slot *s = find(f, who);

	return s ? s->depth : 0;
}

void flow_fini(struct flow *f)
{
	free(f->slots);
	*f = (struct flow){ NULL, 0, 0 };
}
