// SPDX-License-Identifier: Apache-2.0
/*
 * btapw.c - the ring writer's cold path; see btapw.h
 *
 * The order of stores when a sub-buffer is left (docs/ring.md):
 *
 *	close n:    sub[n].end_time, len, nr_records
 *	announce:   ring.turn = n + 1; release fence
 *	open n+1:   sub[n+1].number, begin_time, first, and zeroes
 *	publish:    ring.pos = (n+1) * sub_size + 64, release
 *
 * A reader that sees pos in n+1 sees n closed and n+1's head.  A reader that
 * copied any word stored after the fence sees turn, and knows that its copy of
 * sub-buffer n+1-nr_subs is torn.
 */
#include "btapw.h"
#include "btapw_other.h"
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* ThreadSanitizer does not model fences; all words here are atomics, so it needs not. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

void (*btapw_joiner)(struct btapw *w);

#define SET(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)

static struct btap_sub *sub_of(const struct btapw *w, uint64_t number)
{
	return (struct btap_sub *)(w->data + (number & (w->nr_subs - 1)) * (size_t)w->sub_size);
}

/* Write the head of sub-buffer w->number and make it the current one. */
static void open_sub(struct btapw *w, uint64_t now)
{
	struct btap_sub *sub = sub_of(w, w->number);
	uint64_t *words = (uint64_t *)(sub + 1);

	SET(sub->number, w->number);
	SET(sub->begin_time, now);
	SET(sub->end_time, 0);
	SET(sub->first, w->count);
	SET(sub->len, 0);
	SET(sub->nr_records, 0);
	w->until = now + BTAPW_SPAN;
	w->last = now;
	w->cur = words;
	w->end = (uint64_t *)((unsigned char *)sub + w->sub_size);
	w->fast = w->is_tsc ? w->end - (BTAPW_FAST_WORDS - 1) : NULL;
	w->sub_start = w->count - w->dropped;
	w->pos_bias = w->number * w->sub_size - (uintptr_t)sub;
	/* Pairs with the acquire of pos in ring_read(). */
	__atomic_store_n(&w->ring->pos, (uintptr_t)words + w->pos_bias, __ATOMIC_RELEASE);
}

void btapw_init(struct btapw *w, struct btap_ring *ring, void *data, uint32_t sub_size,
		uint32_t nr_subs, const struct btap_ctl *ctl, bool is_tsc)
{
	static const struct btap_ctl no_ctl;

	memset(w, 0, sizeof(*w));
	w->is_tsc = is_tsc;
	w->ctl = ctl ? ctl : &no_ctl;
	if (!ring)
		return;
	w->ring = ring;
	w->data = data;
	w->sub_size = sub_size;
	w->nr_subs = nr_subs;
	open_sub(w, btapw_now(is_tsc));
}

/* The record is lost: say so.  count last: a reader that sees it sees when it was. */
static uint64_t *drop(struct btapw *w, uint64_t now)
{
	struct btap_ring *ring = w->ring;

	w->count++;
	w->dropped++;
	w->last = now;
	SET(ring->drop_time, now);
	SET(ring->dropped, w->dropped);
	__atomic_store_n(&ring->count, w->count, __ATOMIC_RELEASE);
	return NULL;
}

/* Leave this sub-buffer and begin the next; or drop and count, and return NULL. */
static uint64_t *turn(struct btapw *w, unsigned int nr_words, uint64_t now)
{
	struct btap_ring *ring = w->ring;
	struct btap_sub *sub;
	uint64_t tail;

	if (!ring) {
		if (w->unwritten)
			__atomic_fetch_add(w->unwritten, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (nr_words == 0 || nr_words > btapw_max_words(w))
		return drop(w, now);
	if (__atomic_load_n(&w->ctl->stop_when_full, __ATOMIC_RELAXED)) {
		/* Pairs with the release in ring_release(): its reader has copied what is below. */
		tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
		/* A tail ahead of us is nonsense; it then counts as "free". */
		if ((int64_t)(w->number + 1 - tail) >= (int64_t)w->nr_subs)
			return drop(w, now);
	}

	sub = sub_of(w, w->number);
	SET(sub->end_time, w->last);
	SET(sub->nr_records, w->count - w->dropped - w->sub_start);
	SET(sub->len, (uint64_t)((unsigned char *)w->cur - (unsigned char *)sub));

	w->number++;
	SET(ring->turn, w->number);
	/* Pairs with the fence in ring_read(): it has copied, then looks at turn. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	open_sub(w, now);
	return w->cur;
}

/* With a stack before it: both are in one sub-buffer and become visible at once. */
static uint64_t *ring_reserve(struct btapw *w, const uint64_t *stack, unsigned int nr_stack,
			      uint64_t head, uint64_t now)
{
	unsigned int nr_words = BTAP_HEAD_WORDS(head);
	uint64_t *p = w->cur;

	if ((size_t)(w->end - p) < nr_stack + nr_words || nr_words == 0 ||
	    now >= w->until)
		p = turn(w, nr_words, now);
	if (!p)
		return NULL;
	for (unsigned int i = 0; i < nr_stack; i++)
		btapw_set(p, i, stack[i]);
	p += nr_stack;
	w->last = now;
	w->next = p + nr_words;
	btapw_set(p, 0, head);
	return p;
}

/* The stack that goes before the record in w->rec.  Return: its words; 0: there is none. */
static unsigned int take_stack(struct btapw *w, uint64_t now, uint64_t stack[BTAP_MAX_WORDS])
{
	size_t room = w->ring ? (w->sub_size - sizeof(struct btap_sub)) / 8 : 0;
	unsigned int nr_words = BTAP_HEAD_WORDS(w->rec[0]), nr;

	if (!w->stack || room <= nr_words)
		return 0;
	room -= nr_words;
	if (room > BTAP_MAX_WORDS)
		room = BTAP_MAX_WORDS;
	nr = w->stack(w->rec, stack + 1, (unsigned int)room - 1);
	if (nr == 0 || nr >= room)
		return 0;
	stack[0] = BTAP_HEAD(BTAP_EV_stack, nr + 1, now);
	return nr + 1;
}

uint64_t *btapw_reserve_slow(struct btapw *w, unsigned int event, unsigned int nr_words,
			     uint64_t now)
{
	uint8_t on;

	if (!w->ctl && btapw_joiner) {
		btapw_joiner(w);
		now = btapw_now(w->is_tsc);
		if (now < w->last)
			now = w->last;
	}
	on = w->ctl ? __atomic_load_n(&w->ctl->on[event], __ATOMIC_RELAXED) : 0;
	/* Too long for its header: dropped in any case. */
	if (nr_words > BTAP_MAX_WORDS)
		return turn(w, nr_words, now);
	if (!(on & ~BTAP_ON_RING) || nr_words == 0)
		return ring_reserve(w, NULL, 0, BTAP_HEAD(event, nr_words, now), now);
	w->other_on = on;
	w->next = NULL;
	w->rec[0] = BTAP_HEAD(event, nr_words, now);
	return w->rec;
}

bool btapw_put_slow(struct btapw *w, unsigned int event, unsigned int nr, const uint64_t *words)
{
	uint64_t *p = btapw_reserve(w, event, 1 + nr);

	if (!p)
		return false;
	for (unsigned int i = 0; i < nr; i++)
		btapw_set(p, 1 + i, words[i]);
	btapw_commit(w);
	return true;
}

void btapw_commit_other(struct btapw *w)
{
	uint64_t head = w->rec[0], stack[BTAP_MAX_WORDS], *p;
	unsigned int i, nr_words = BTAP_HEAD_WORDS(head), nr_stack = 0;
	uint64_t now = w->last + ((BTAP_HEAD_TIME(head) - w->last) & BTAP_TIME_MASK);

	/* What is written without being asked for is written for readers of the ring. */
	if (w->other_on & BTAP_ON_RING || BTAP_HEAD_EVENT(head) >= BTAP_EV_state_asked) {
		if (w->other_on & BTAP_ON_STACK)
			nr_stack = take_stack(w, now, stack);
		p = ring_reserve(w, stack, nr_stack, head, now);
		for (i = 1; p && i < nr_words; i++)
			btapw_set(p, i, w->rec[i]);
		if (p)
			btapw_commit(w);
	}
	btapw_other(w->map, w->other_on, w->rec, nr_words);
}

uint64_t *btapw_text_store(uint64_t *p, const struct btapw_text *t)
{
	size_t len = t->len, total = len + (t->is_cut ? 3 : 0), i, n;
	uint64_t word;

	if (!t->s) {
		btapw_set(p, 0, BTAP_TEXT_NONE);
		return p + 1;
	}
	btapw_set(p++, 0, total);
	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, t->s + i, 8);
		btapw_set(p++, 0, word);
	}
	/* The rest, and the mark, which may reach into one more word. */
	if (i < total) {
		char tail[16] = { 0 };

		memcpy(tail, t->s + i, len - i);
		memcpy(tail + (len - i), "...", total - len);
		for (n = 0; i + n < total; n += 8) {
			memcpy(&word, tail + n, 8);
			btapw_set(p++, 0, word);
		}
	}
	return p;
}
