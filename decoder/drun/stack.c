// SPDX-License-Identifier: Apache-2.0
/* stack.c - the frames of stack(), ustack() and jstack() */
#include "drun/bvar.h"
#include "drun/eproc.h"
#include "drun/stack.h"

#define FRAME_MAX 1100 /* bytes of module:function/arity, escapes and all */

/* One frame of no event that carries any: lives as long as the caller's @last. */
static const uint64_t *frames_of(const struct run *r, const struct vm *vm, enum dprog_stack kind, uint64_t *last,
				 uint32_t *nr)
{
	*nr = 0;
	if (kind != DPROG_STACK_ERLANG || vm->ev.who.thread == VARS_NO_THREAD)
		return NULL;
	if (vm->ev.nr_frames) {
		*nr = vm->ev.nr_frames < STACK_MAX_FRAMES ? vm->ev.nr_frames : STACK_MAX_FRAMES;
		return vm->ev.frames;
	}
	*last = r->eproc ? eproc_func(r->eproc, vm->ev.who.thread) : 0;
	*nr = *last != 0;
	return last;
}

uint64_t stack_text(void *ctx, struct vm *vm, enum dprog_stack kind, uint32_t frames)
{
	struct run *r = ctx;
	const uint32_t limits[] = { [DPROG_STACK_KERNEL] = r->opts.stack_frames,
				    [DPROG_STACK_USER] = r->opts.ustack_frames,
				    [DPROG_STACK_ERLANG] = r->opts.jstack_frames };
	uint32_t nr, limit = frames ? frames : limits[kind];
	uint64_t last;
	const uint64_t *f = frames_of(r, vm, kind, &last, &nr);
	char buf[FRAME_MAX];
	struct outbuf text;
	uint64_t s;

	if (nr > limit)
		nr = limit;
	if (!nr || outbuf_init(&text, -1))
		return 0;
	for (uint32_t i = 0; i < nr; i++) {
		long n = bvar_resolve(r, DESC_mfa, vm->ev.who.vm, f[i], buf, sizeof(buf));

		outbuf_mem(&text, buf, (size_t)(n < 0 ? -n - 1 : n));
		outbuf_char(&text, '\n');
	}
	s = str_word(str_intern_text(&vm->pool, text.buf, text.len));
	if (s)
		str_of(s)->flags |= STR_WHOLE;
	outbuf_fini(&text);
	return s;
}
