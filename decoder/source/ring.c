// SPDX-License-Identifier: Apache-2.0
/*
 * ring.c - read one ring; see ring.h
 *
 * One step: look where the writer is (count, then pos), copy the rest of our
 * sub-buffer, look whether the writer has come round to it meanwhile (turn), and
 * only then check and use the copy.  `expected` is what makes losses exact: it counts the
 * offered records that are accounted for, and a sub-buffer's head tells how many
 * had been offered before it.
 */
#include "source/ring.h"
#include "source/check.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* ThreadSanitizer does not model fences; all words here are atomics, so it needs not. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

#define HEAD ((uint32_t)sizeof(struct btap_sub))
#define SPAN (1ull << (BTAP_TIME_BITS - 1))
/* No ring has lost so many between two looks: a larger number is damage. */
#define LOST_MAX (1ull << 48)
/* Word of a stack that says which event it belongs to. */
#define STACK_EVENT 2
/* How often to try when the writer is faster than we copy. */
#define NR_TRIES 32

/* What the writer has published. */
struct look {
	uint64_t count, pos;
	uint64_t number; /* of its sub-buffer */
	uint32_t off;	 /* bytes of it that are written */
};

void ring_init(struct ring *r, const struct btap_ring *shared, const void *data, uint32_t sub_size,
	       uint32_t nr_subs, enum ring_from from)
{
	memset(r, 0, sizeof(*r));
	r->shared = shared;
	r->data = data;
	r->sub_size = sub_size;
	r->nr_subs = nr_subs;
	r->off = HEAD;
	r->is_skipping = from == RING_FROM_NOW;
}

/*
 * Words that were published do not change until the writer comes round, and then the copy
 * is thrown away; so it need not be made of atomic loads, but where ThreadSanitizer looks on.
 */
static void copy_words(uint64_t *to, const void *from, size_t nr)
{
	const uint64_t *p = from;

#if !defined(__SANITIZE_THREAD__)
	if (nr >= 16) {
		memcpy(to, from, nr * 8);
		/* Not moved behind the fence that follows. */
		__asm__ volatile("" ::: "memory");
		return;
	}
#endif
	for (size_t i = 0; i < nr; i++)
		to[i] = __atomic_load_n(&p[i], __ATOMIC_RELAXED);
}

static struct look look_at(const struct ring *r)
{
	struct look l;

	/* Both pair with the releases in btapw_commit(); count first, see there. */
	l.count = __atomic_load_n(&r->shared->count, __ATOMIC_ACQUIRE);
	l.pos = __atomic_load_n(&r->shared->pos, __ATOMIC_ACQUIRE);
	l.number = l.pos ? (l.pos - 1) / r->sub_size : 0;
	l.off = l.pos ? (uint32_t)(l.pos - l.number * r->sub_size) : HEAD;
	return l;
}

static void go_to(struct ring *r, uint64_t number)
{
	r->number = number;
	r->off = HEAD;
	r->in_sub = 0;
	r->has_head = false;
}

static void __attribute__((format(printf, 4, 5)))
damaged(struct ring *r, struct ring_chunk *c, uint32_t off, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
	c->damage = c->why;
	c->damage_off = off;
	c->number = r->number;
	r->damages++;
}

/* The ring makes no sense any more. */
static int give_up(struct ring *r, struct ring_chunk *c, const char *what)
{
	damaged(r, c, 0, "%s", what);
	r->is_bad = true;
	return 1;
}

/* Note the gap before a sub-buffer that begins with record @first.  False: it cannot be. */
static bool note_gap(struct ring *r, struct ring_chunk *c, uint64_t first, uint64_t end_time)
{
	if (first < r->expected || first - r->expected > LOST_MAX)
		return false;
	if (first > r->expected) {
		c->lost = first - r->expected;
		c->lost_begin = r->last;
		c->lost_end = end_time;
		r->lost += c->lost;
		r->expected = first;
	}
	return true;
}

/* Is the head that was copied one that a writer can have written?  NULL, or what is wrong. */
static const char *check_head(const struct ring *r, const struct btap_sub *h, bool is_closed,
			      uint64_t count)
{
	if (h->number != r->number)
		return "its head has another number";
	if (r->has_head && (h->begin_time != r->head.begin_time || h->first != r->head.first))
		return "its head has changed";
	if (!r->has_head && h->begin_time < r->last)
		return "it begins before the last record";
	if (h->first > count)
		return "more records before it than were offered";
	if (!is_closed)
		return NULL;
	if (h->len < r->off || h->len > r->sub_size || h->len % 8)
		return "impossible length";
	if (h->end_time < h->begin_time)
		return "it ends before it begins";
	return NULL;
}

/* A stack is told with the event that it belongs to: in one piece, and with the same time. */
static bool has_its_event(const uint64_t *stack, unsigned int nr_words, uint32_t avail)
{
	const uint64_t *next = stack + nr_words;

	return nr_words < avail && BTAP_HEAD_TIME(*next) == BTAP_HEAD_TIME(*stack) &&
	       BTAP_HEAD_EVENT(*next) == stack[STACK_EVENT] && BTAP_HEAD_EVENT(*next) != BTAP_EV_stack;
}

/* Check the records in [words, words + nr_words) that begin at byte r->off; fill in @c. */
static void take_records(struct ring *r, struct ring_chunk *c, const uint64_t *words,
			 uint32_t nr_words)
{
	uint64_t begin = r->head.begin_time, now = r->in_sub ? r->last : begin, ts;
	uint32_t at = 0, nr = 0, done = 0;
	char why[96];
	int n;

	c->number = r->number;
	c->first = r->expected;
	c->begin_time = now;
	while (at < nr_words) {
		n = check_record(words + at, nr_words - at);
		if (n < 0) {
			damaged(r, c, r->off + 8 * at, "record %u: %s", r->in_sub + nr,
				check_why(words + at, nr_words - at, why, sizeof(why)));
			break;
		}
		ts = BTAP_TIME_FULL(words[at], now);
		if (ts - begin >= SPAN) {
			damaged(r, c, r->off + 8 * at, "record %u: its time goes back",
				r->in_sub + nr);
			break;
		}
		if (BTAP_HEAD_EVENT(words[at]) == BTAP_EV_stack) {
			if (!has_its_event(words + at, (unsigned int)n, nr_words - at)) {
				damaged(r, c, r->off + 8 * at, "record %u: a stack without its event",
					r->in_sub + nr);
				break;
			}
		} else {
			nr++;
			done = at + (uint32_t)n;
		}
		now = ts;
		at += (uint32_t)n;
	}
	/* Of a stack whose event turned out to be no record nothing is known either. */
	at = done;
	if (nr)
		r->last = now;
	c->end_time = now;
	c->words = words;
	c->nr_words = at;
	c->nr_records = nr;
	r->off += 8 * at;
	r->in_sub += nr;
	r->expected += nr;
	r->records += nr;
	r->bytes += 8ull * at;
}

/* Records were dropped since the last one that was written: account for them. */
static int flush(struct ring *r, const struct look *l, struct ring_chunk *c)
{
	uint64_t when;

	if (l->count <= r->expected)
		return 0;
	/* Of a drop after another look at pos we know nothing: leave it to the next time. */
	when = __atomic_load_n(&r->shared->drop_time, __ATOMIC_ACQUIRE);
	if (__atomic_load_n(&r->shared->pos, __ATOMIC_RELAXED) != l->pos)
		return 0;
	if (!note_gap(r, c, l->count, when > r->last ? when : r->last))
		return give_up(r, c, "the number of records offered cannot be");
	return 1;
}

/* The copy is torn or too late: go to a sub-buffer that is still there. */
static void run_after(struct ring *r, uint64_t newest, uint64_t oldest, unsigned int try)
{
	uint64_t to = oldest + (uint64_t)try * (1 + r->nr_subs / 8);

	if (to > newest || try > NR_TRIES / 2)
		to = newest;
	if (to > r->number)
		go_to(r, to);
}

/*
 * Copy and check what is new in sub-buffer r->number; @l->number is it or a later one.
 * Return: 1 with something in @c, 0 with nothing in it, -1: it was overwritten meanwhile.
 */
static int read_sub(struct ring *r, const struct look *l, uint64_t *buf, struct ring_chunk *c)
{
	const unsigned char *sub = r->data + (r->number & (r->nr_subs - 1)) * (size_t)r->sub_size;
	bool is_closed = r->number < l->number, is_start = !r->has_head;
	struct btap_sub head = r->head;
	uint32_t end, nr_words;
	const char *wrong;

	if (is_closed || is_start)
		copy_words((uint64_t *)&head, sub, HEAD / 8);
	end = l->off;
	if (is_closed) /* the copy needs a sane length, what is wrong with it is said below */
		end = head.len <= r->sub_size ? (uint32_t)head.len & ~7u : r->sub_size;
	nr_words = end > r->off ? (end - r->off) / 8 : 0;
	copy_words(buf, sub + r->off, nr_words);

	/* Pairs with the fence in btapw_turn(): who saw a word of the next round sees turn. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&r->shared->turn, __ATOMIC_RELAXED) - r->number >= r->nr_subs)
		return -1;

	wrong = check_head(r, &head, is_closed,
			   __atomic_load_n(&r->shared->count, __ATOMIC_ACQUIRE));
	if (!wrong && is_start && r->is_skipping)
		r->expected = head.first;
	if (!wrong && is_start && !note_gap(r, c, head.first, head.begin_time))
		wrong = "fewer records before it than were read";
	if (wrong) {
		damaged(r, c, 0, "%s", wrong);
		go_to(r, r->number + 1);
		return 1;
	}
	r->head = head;
	r->has_head = true;
	c->is_whole = is_closed && r->off == HEAD;
	take_records(r, c, buf, nr_words);
	if (is_closed && !c->damage && r->in_sub != head.nr_records)
		damaged(r, c, r->off, "its head says %llu records, %u are there",
			(unsigned long long)head.nr_records, r->in_sub);
	if (c->damage)
		c->is_whole = false;
	if (is_closed || c->damage)
		go_to(r, r->number + 1);
	return c->nr_records || c->lost || c->damage;
}

/* RING_FROM_NOW: pass over what there is in the current sub-buffer. */
static void skip(struct ring *r, const struct look *l, uint64_t *buf, struct ring_chunk *c)
{
	go_to(r, l->number);
	r->last = 0;
	if (read_sub(r, l, buf, c) < 0 || (c->damage && c->damage_off == 0))
		return;
	/* Drops among what was passed over are not our loss. */
	if (l->count > r->expected)
		r->expected = l->count;
	r->records = r->bytes = r->lost = r->damages = 0;
	r->is_skipping = false;
}

/* Nothing to copy: is there something to account for? */
static int nothing(struct ring *r, const struct look *l, unsigned int flags, struct ring_chunk *c)
{
	return flags & RING_FLUSH ? flush(r, l, c) : 0;
}

/* The writer overwrote what was copied: go on where it will not be so soon. */
static bool evade(struct ring *r, unsigned int try)
{
	uint64_t turn = __atomic_load_n(&r->shared->turn, __ATOMIC_RELAXED);

	if (turn < r->number || turn - r->number < r->nr_subs)
		return false;
	run_after(r, turn, turn - r->nr_subs + 1, try);
	return true;
}

int ring_read(struct ring *r, uint64_t *buf, unsigned int flags, struct ring_chunk *c)
{
	unsigned int try = 0;
	struct look l;
	bool is_last;
	int got;

	for (uint64_t step = 0; step < r->nr_subs + NR_TRIES; step++) {
		memset(c, 0, sizeof(*c));
		if (r->is_bad)
			return 0;
		l = look_at(r);
		if (l.pos == 0)
			return 0;
		if (l.off < HEAD || l.off % 8)
			return give_up(r, c, "the writer's position cannot be");
		if (r->is_skipping) {
			skip(r, &l, buf, c);
			if (r->is_skipping) /* it was overwritten meanwhile */
				continue;
			memset(c, 0, sizeof(*c));
			return 0;
		}
		if (l.number + 1 < r->number || (l.number == r->number && r->off > l.off))
			return give_up(r, c, "the writer's position went back");
		if (l.number < r->number) /* the rest of it was damaged */
			return nothing(r, &l, flags, c);
		if (l.number - r->number >= r->nr_subs)
			run_after(r, l.number, l.number - r->nr_subs + 1, try);
		is_last = l.number == r->number;
		if (is_last && (flags & RING_WHOLE))
			return 0;
		if (is_last && r->has_head && r->off == l.off)
			return nothing(r, &l, flags, c);

		got = read_sub(r, &l, buf, c);
		if (got > 0)
			return 1;
		if (got == 0 && is_last) /* it has just begun */
			return nothing(r, &l, flags, c);
		if (got < 0 && !evade(r, try++))
			return give_up(r, c, "the writer's turn went back");
		if (try >= NR_TRIES)
			return 0;
	}
	return 0;
}

void ring_release(const struct ring *r, struct btap_ring *shared)
{
	/* Pairs with the acquire in btapw_turn(): the copies are made before it overwrites. */
	__atomic_store_n(&shared->tail, r->number, __ATOMIC_RELEASE);
}

uint64_t ring_backlog(const struct ring *r)
{
	struct look l = look_at(r);
	uint64_t done = r->number * r->sub_size + r->off;
	uint64_t whole = (uint64_t)r->sub_size * r->nr_subs;

	if (r->is_bad || l.pos <= done)
		return 0;
	return l.pos - done < whole ? l.pos - done : whole;
}
