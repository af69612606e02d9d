// SPDX-License-Identifier: Apache-2.0
/*
 * calls.c - section: the slowest traced calls
 *
 * Each process has a stack of open calls.  A return ends the topmost call of its
 * function; calls above it, of which no end was seen, are dropped and counted.  A
 * function that is replaced by a tail call ends there, and what takes its place
 * stands on the stack for it, whether or not that is traced too.
 *
 * Time is that of the clock: what the process waited inside a call is in it.
 */
#include <errno.h>
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

#define MAX_FUNCTIONS 16384u
#define MAX_STACKS    65536u /* processes with open calls at a time */
#define MAX_FRAMES    (1u << 20)
#define MAX_DEPTH     4096u /* calls kept of one process */

struct fn {
	uint64_t mfa;
	uint32_t vm;
	uint32_t depth; /* most open calls of traced functions at its entry, itself included */
	uint64_t count, raised;
	uint64_t total_ns; /* outermost calls: a recursive one lies inside another */
	uint64_t self_ns, max_ns;
	/* how often it is open on the stack looked at last: recursion costs no search */
	uint64_t stack_id;
	uint32_t open;
};

struct frame {
	uint32_t fn;
	bool by_tail;	       /* took the place of another; its own entry may follow, or never */
	uint64_t at, below_ns; /* below: in traced calls that it made */
};

struct stack {
	uint64_t id;
	uint32_t ent, nr, cap, gaps;
	uint64_t over; /* calls deeper than what is kept */
	struct frame *frames;
};

struct calls {
	struct imap map; /* (mfa, node) -> fns */
	struct fn *fns;
	struct stack *stacks;
	uint32_t *free;
	uint32_t nr_fns, nr_stacks, nr_free, nr_frames;
	uint64_t next_id;
	uint64_t no_entry, no_return, open, with_process, too_deep, no_room;
};

static const uint8_t events[] = {
	BTAP_EV_function_entry,
	BTAP_EV_function_return,
	BTAP_EV_function_replaced,
	BTAP_EV_exception_throw,
	BTAP_EV_exception_catch,
	BTAP_EV_process_exit,
	0,
};
static const uint8_t need[] = {
	BTAP_EV_function_entry,
	BTAP_EV_function_return,
	BTAP_EV_function_replaced,
	0,
};

static uint32_t fn_of(struct calls *c, uint32_t vm, uint64_t mfa)
{
	uint32_t i = imap_find(&c->map, mfa, vm);

	if (i != IMAP_NONE)
		return i;
	if (c->nr_fns == MAX_FUNCTIONS || imap_put(&c->map, mfa, vm, c->nr_fns))
		return IMAP_NONE;
	c->fns[c->nr_fns] = (struct fn){ .mfa = mfa, .vm = vm };
	return c->nr_fns++;
}

/* Drop all open calls.  Return: how many there were. */
static uint64_t clear(struct stack *s)
{
	uint64_t nr = s->nr + s->over;

	s->nr = 0;
	s->over = 0;
	return nr;
}

static struct stack *stack_of(struct report *r, uint32_t ent)
{
	struct calls *c = r->calls;
	struct ent *e = ent_at(&r->ents, ent);
	struct stack *s;
	uint32_t i = e->stack;

	if (!ent)
		return NULL;
	if (!i) {
		if (!c->nr_free && c->nr_stacks == MAX_STACKS)
			return NULL;
		i = c->nr_free ? c->free[--c->nr_free] : ++c->nr_stacks;
		s = &c->stacks[i - 1];
		*s = (struct stack){ .frames = s->frames, .cap = s->cap };
		s->id = ++c->next_id;
		s->ent = ent;
		s->gaps = r->vms[e->vm].gaps;
		e->stack = i;
	}
	s = &c->stacks[i - 1];
	if (s->gaps != r->vms[e->vm].gaps) {
		/* Something was lost: nobody knows what is open now. */
		c->no_return += clear(s);
		s->id = ++c->next_id;
		s->gaps = r->vms[e->vm].gaps;
	}
	return s;
}

static bool grow(struct calls *c, struct stack *s)
{
	uint32_t cap = s->cap ? s->cap * 2 : 8;
	struct frame *f;

	if (cap > MAX_DEPTH || c->nr_frames + cap - s->cap > MAX_FRAMES)
		return false;
	f = realloc(s->frames, cap * sizeof(*f));
	if (!f)
		return false;
	c->nr_frames += cap - s->cap;
	s->frames = f;
	s->cap = cap;
	return true;
}

/* How often a function is open on a stack. */
static uint32_t *open_count(struct calls *c, const struct stack *s, uint32_t i)
{
	struct fn *f = &c->fns[i];

	if (f->stack_id != s->id) {
		f->stack_id = s->id;
		f->open = 0;
		for (uint32_t k = 0; k < s->nr; k++)
			f->open += s->frames[k].fn == i;
	}
	return &f->open;
}

static void push(struct calls *c, struct stack *s, uint32_t fn, uint64_t ts, bool by_tail)
{
	if (s->over || (s->nr == s->cap && !grow(c, s))) {
		s->over++;
		c->too_deep++;
		return;
	}
	++*open_count(c, s, fn);
	s->frames[s->nr++] = (struct frame){ .fn = fn, .by_tail = by_tail, .at = ts };
	if (s->nr > c->fns[fn].depth)
		c->fns[fn].depth = s->nr;
}

/* Take the topmost call off without counting it. */
static struct frame pop(struct calls *c, struct stack *s)
{
	struct frame f = s->frames[s->nr - 1];

	--*open_count(c, s, f.fn);
	s->nr--;
	return f;
}

/* The topmost call ends. */
static void finish(struct calls *c, struct stack *s, uint64_t ts, bool is_raised)
{
	struct frame f = pop(c, s);
	struct fn *fn = &c->fns[f.fn];
	uint64_t ns = ts > f.at ? ts - f.at : 0;

	fn->count++;
	fn->raised += is_raised;
	fn->self_ns += ns > f.below_ns ? ns - f.below_ns : 0;
	if (!fn->open)
		fn->total_ns += ns;
	if (ns > fn->max_ns)
		fn->max_ns = ns;
	if (s->nr)
		s->frames[s->nr - 1].below_ns += ns;
}

/* Drop what stands above the topmost call of a function.  Return: whether there is one. */
static bool unwind(struct calls *c, struct stack *s, uint32_t fn)
{
	uint32_t at = s->nr;

	if (s->nr && s->frames[s->nr - 1].fn == fn)
		return true;
	while (at > 0 && s->frames[at - 1].fn != fn)
		at--;
	if (!at)
		return false;
	while (s->nr > at)
		c->no_return += !pop(c, s).by_tail;
	return true;
}

static void entered(struct calls *c, struct stack *s, uint32_t fn, uint64_t ts)
{
	struct frame *top = s->nr && !s->over ? &s->frames[s->nr - 1] : NULL;

	if (top && top->by_tail && top->fn == fn && !top->below_ns) {
		top->by_tail = false;
		return;
	}
	push(c, s, fn, ts, false);
}

static void left(struct calls *c, struct stack *s, uint32_t fn, uint64_t ts, bool is_raised)
{
	if (s->over)
		s->over--;
	else if (unwind(c, s, fn))
		finish(c, s, ts, is_raised);
	else if (!is_raised)
		c->no_entry++;
}

/* A process needs its stack no longer. */
static void give_back(struct calls *c, struct ent *e)
{
	struct stack *s;

	if (!e->stack)
		return;
	s = &c->stacks[e->stack - 1];
	c->with_process += clear(s);
	c->free[c->nr_free++] = e->stack;
	e->stack = 0;
	/* What a process needed once another need not need. */
	c->nr_frames -= s->cap;
	free(s->frames);
	s->frames = NULL;
	s->cap = 0;
}

static void folded(struct report *r)
{
	for (uint32_t i = 1; i < r->ents.nr; i++)
		if (ent_at(&r->ents, i)->flags & ENT_FOLDED)
			give_back(r->calls, ent_at(&r->ents, i));
}

/* Or is it raised, and nothing left yet?  The agent tells only of what is left, and no depth. */
static bool leaves(const struct src_rec *rec)
{
	struct decode_text reason = DECODE_TEXT(rec, exception_throw, reason);
	size_t pos = DECODE_POS(exception_throw, reason) + 1 + (reason.len + 7) / 8;

	return pos >= rec->nr_words || rec->words[pos] != 0;
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct calls *c = r->calls;
	uint32_t ent = sect_ent(r, rec, vm, DECODE(rec, function_entry, p)), fn;
	bool is_exception =
		rec->event == BTAP_EV_exception_throw || rec->event == BTAP_EV_exception_catch;
	struct stack *s;
	uint64_t mfa, by;

	if (rec->event == BTAP_EV_process_exit) {
		if (ent)
			give_back(c, ent_at(&r->ents, ent));
		return;
	}
	mfa = is_exception ? DECODE(rec, exception_throw, mfa) : DECODE(rec, function_entry, mfa);
	/* An exception says nothing of a function that is not traced. */
	fn = is_exception ? imap_find(&c->map, mfa, vm) : fn_of(c, vm, mfa);
	if (fn == IMAP_NONE || (ent && is_exception && !ent_at(&r->ents, ent)->stack)) {
		c->no_room += !is_exception;
		return;
	}
	s = stack_of(r, ent);
	if (!s) {
		c->no_room++;
		return;
	}
	switch (rec->event) {
	case BTAP_EV_function_entry:
		entered(c, s, fn, rec->ts);
		break;
	case BTAP_EV_function_return:
		left(c, s, fn, rec->ts, false);
		break;
	case BTAP_EV_function_replaced:
		left(c, s, fn, rec->ts, false);
		by = DECODE(rec, function_replaced, by);
		fn = by ? fn_of(c, vm, by) : IMAP_NONE;
		if (fn != IMAP_NONE)
			push(c, s, fn, rec->ts, true);
		break;
	case BTAP_EV_exception_throw:
		if (leaves(rec))
			left(c, s, fn, rec->ts, true);
		break;
	default:
		if (!s->over)
			unwind(c, s, fn);
		break;
	}
}

static int init(struct report *r)
{
	struct calls *c = calloc(1, sizeof(*c));

	r->calls = c;
	if (!c)
		return -ENOMEM;
	c->fns = calloc(MAX_FUNCTIONS, sizeof(*c->fns));
	c->stacks = calloc(MAX_STACKS, sizeof(*c->stacks));
	c->free = malloc(MAX_STACKS * sizeof(*c->free));
	if (!c->fns || !c->stacks || !c->free || imap_init(&c->map, 256))
		return -ENOMEM;
	return 0;
}

static void end(struct report *r)
{
	struct calls *c = r->calls;

	for (uint32_t i = 0; i < c->nr_stacks; i++)
		for (uint32_t k = 0; k < c->stacks[i].nr; k++)
			c->open += !c->stacks[i].frames[k].by_tail;
}

static void fini(struct report *r)
{
	struct calls *c = r->calls;

	if (!c)
		return;
	for (uint32_t i = 0; c->stacks && i < c->nr_stacks; i++)
		free(c->stacks[i].frames);
	imap_fini(&c->map);
	free(c->fns);
	free(c->stacks);
	free(c->free);
	free(c);
}

static int by_total(const void *a, const void *b)
{
	const struct fn *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	return x->mfa < y->mfa ? -1 : x->mfa > y->mfa;
}

static void note(struct report *r, uint64_t n, const char *what)
{
	if (n)
		fprintf(r->out, "    %llu %s\n", (unsigned long long)n, what);
}

static void row(struct report *r, struct tab *t, const struct fn *f)
{
	tab_row(t);
	tab_node(r, tab_cell(t, 0), f->vm);
	tab_mfa(r, tab_cell(t, 1), f->vm, f->mfa, 60);
	tab_count(tab_cell(t, 2), f->count);
	tab_ns(tab_cell(t, 3), f->total_ns);
	tab_ns(tab_cell(t, 4), f->self_ns);
	tab_ns(tab_cell(t, 5), f->max_ns);
	tab_count(tab_cell(t, 6), f->depth);
	tab_count(tab_cell(t, 7), f->raised);
}

static void print_functions(struct report *r)
{
	struct calls *c = r->calls;
	struct tab t = { 0 };
	uint64_t raised = 0, rest = 0, others = 0;

	for (uint32_t i = 0; i < c->nr_fns; i++)
		raised += c->fns[i].raised;
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "function", true, false);
	tab_col(&t, "calls", false, false);
	tab_col(&t, "total", false, false);
	tab_col(&t, "self", false, false);
	tab_col(&t, "longest", false, false);
	tab_col(&t, "deepest", false, false);
	tab_col(&t, "raised", false, !raised);
	for (uint32_t i = 0; i < c->nr_fns; i++) {
		const struct fn *f = &c->fns[i];

		if (f->count && t.nr_rows < r->top) {
			row(r, &t, f);
		} else if (f->count) {
			rest += f->count;
			others++;
		}
	}
	if (others) {
		tab_row(&t);
		snprintf(tab_cell(&t, 1), TAB_CELL, "all others (%llu)",
			 (unsigned long long)others);
		tab_count(tab_cell(&t, 2), rest);
	}
	if (t.nr_rows)
		tab_print(&t, r->out);
}

static void print(struct report *r)
{
	struct calls *c = r->calls;

	qsort(c->fns, c->nr_fns, sizeof(*c->fns), by_total);
	sect_title(r, "SLOWEST TRACED CALLS",
		   "function_entry to function_return, tail call or exception; by the clock, "
		   "waiting\n  included; total: a recursive call counts once; self: without traced "
		   "calls made");
	print_functions(r);
	if (c->open + c->with_process + c->no_return + c->no_entry + c->too_deep + c->no_room)
		fprintf(r->out, "  Calls that are not in these figures:\n");
	note(r, c->open, "open at the end");
	note(r, c->with_process, "ended with their process");
	note(r, c->no_return, "entered, their end not seen");
	note(r, c->no_entry, "returned, their entry not seen");
	note(r, c->too_deep, "deeper than what is kept");
	note(r, c->no_room, "events of more functions or processes than are kept");
}

const struct sect calls_sect = {
	.name = "calls",
	.want = "-f 'MODULE:FUNCTION/ARITY:return', for the functions to trace",
	.events = events,
	.need = need,
	.init = init,
	.event = event,
	.folded = folded,
	.end = end,
	.print = print,
	.fini = fini,
};
