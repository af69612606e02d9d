// SPDX-License-Identifier: Apache-2.0
/* stack.c - the frames of stack(), ustack() and jstack(); see stack.h */
#include <stdlib.h>
#include <string.h>
#include "drun/bvar.h"
#include "drun/eproc.h"
#include "drun/stack.h"

#define FRAME_MAX 1100 /* bytes of module:function/arity, escapes and all */

/* A thread's stack whose event has not come yet. */
struct stack_kept {
	uint64_t ts;
	uint32_t event; /* 0: none is kept */
	uint32_t nr;
	uint64_t frames[BTAP_MAX_WORDS];
};

/* -- from a stack to its event -- */

static struct stack_kept *kept_of(struct run *r, uint32_t thread)
{
	struct stack_kept **p;

	if (thread >= r->nr_stacks) {
		p = realloc(r->stacks, (thread + 1) * sizeof(*p));
		if (!p)
			return NULL;
		memset(p + r->nr_stacks, 0, (thread + 1 - r->nr_stacks) * sizeof(*p));
		r->stacks = p;
		r->nr_stacks = thread + 1;
	}
	if (!r->stacks[thread])
		r->stacks[thread] = calloc(1, sizeof(**r->stacks));
	return r->stacks[thread];
}

void stack_keep(struct run *r, const struct src_rec *rec)
{
	struct decode_frames f = DECODE_FRAMES(rec, stack, frames);
	uint64_t event = DECODE(rec, stack, event);
	struct stack_kept *k = kept_of(r, rec->thread);

	if (!k)
		return; /* without memory there is no stack */
	k->event = event < BTAP_MAX_EVENTS ? (uint32_t)event : 0;
	k->ts = rec->ts;
	k->nr = f.nr;
	if (f.nr)
		memcpy(k->frames, f.at, 16ul * f.nr);
}

/* The same thread, the same time and no loss between: no other event of this kind can have all that. */
void stack_take(struct run *r, const struct src_rec *rec)
{
	struct stack_kept *k = rec->thread < r->nr_stacks ? r->stacks[rec->thread] : NULL;
	struct vm_event *ev = &r->vm.ev;

	ev->nr_frames = 0;
	if (!k || k->event != rec->event || k->ts != rec->ts)
		return;
	ev->frames = k->frames;
	ev->nr_frames = k->nr;
	k->event = 0;
}

void stack_forget(struct run *r, uint32_t thread)
{
	if (thread < r->nr_stacks && r->stacks[thread])
		r->stacks[thread]->event = 0;
}

void stack_fini(struct run *r)
{
	for (uint32_t i = 0; i < r->nr_stacks; i++)
		free(r->stacks[i]);
	free(r->stacks);
}

/* -- to text -- */

/* Pairs; one frame of no event that carries any: lives as long as the caller's @last. */
static const uint64_t *frames_of(const struct run *r, const struct vm *vm, enum dprog_stack kind,
				 uint64_t last[2], uint32_t *nr)
{
	*nr = 0;
	if (kind == DPROG_STACK_KERNEL || vm->ev.who.thread == VARS_NO_THREAD)
		return NULL;
	if (vm->ev.nr_frames) {
		*nr = vm->ev.nr_frames < STACK_MAX_FRAMES ? vm->ev.nr_frames : STACK_MAX_FRAMES;
		return vm->ev.frames;
	}
	/* Of a user's stack one function is no answer. */
	if (kind == DPROG_STACK_USER)
		return NULL;
	last[0] = r->eproc ? eproc_func(r->eproc, vm->ev.who.thread) : 0;
	last[1] = 0;
	*nr = last[0] != 0;
	return last;
}

uint64_t stack_text(void *ctx, struct vm *vm, enum dprog_stack kind, uint32_t frames)
{
	struct run *r = ctx;
	const uint32_t limits[] = { [DPROG_STACK_KERNEL] = r->opts.stack_frames,
				    [DPROG_STACK_USER] = r->opts.ustack_frames,
				    [DPROG_STACK_ERLANG] = r->opts.jstack_frames };
	uint32_t nr, limit = frames ? frames : limits[kind];
	uint64_t last[2];
	const uint64_t *f = frames_of(r, vm, kind, last, &nr);
	char buf[FRAME_MAX];
	struct outbuf text;
	uint64_t s;

	if (nr > limit)
		nr = limit;
	if (!nr || outbuf_init(&text, -1))
		return 0;
	for (uint32_t i = 0; i < nr; i++) {
		long n = bvar_resolve(r, DESC_mfa, vm->ev.who.vm, f[2 * i], buf, sizeof(buf));

		outbuf_mem(&text, buf, (size_t)(n < 0 ? -n - 1 : n));
		if (f[2 * i + 1]) {
			outbuf_char(&text, '+');
			outbuf_u64(&text, f[2 * i + 1]);
		}
		outbuf_char(&text, '\n');
	}
	s = str_word(str_intern_text(&vm->pool, text.buf, text.len));
	if (s)
		str_of(s)->flags |= STR_WHOLE;
	outbuf_fini(&text);
	return s;
}
