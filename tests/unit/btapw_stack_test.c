// SPDX-License-Identifier: Apache-2.0
/* btapw_stack_test.c - a stack before its event: written as one, read as one, counted as one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <btapw.h>
#include "source/ring.h"

#define SUB   256 /* 24 words */
#define SUBS  4
#define ROOM  ((SUB - 64) / 8)
#define EV    BTAP_EV_process_link /* 3 words */
#define FIXED 6			    /* words of a stack without frames */

struct bed {
	struct btap_ctl ctl;
	struct btap_ring ring;
	_Alignas(64) unsigned char data[SUB * SUBS];
	struct btapw w;
	struct ring r;
	struct ring_chunk c;
	uint64_t buf[SUB / 8];
};

static unsigned int nr_frames, nr_asked, room_given;

/* A stack of nr_frames frames, or as many as there is room for. */
static unsigned int fake_stack(const uint64_t *rec, uint64_t *to, unsigned int max_words)
{
	unsigned int n = nr_frames;

	nr_asked++;
	room_given = max_words;
	if (max_words < 5)
		return 0;
	if (n > (max_words - 5) / 2)
		n = (max_words - 5) / 2;
	to[0] = 0x43;
	to[1] = BTAP_HEAD_EVENT(rec[0]);
	to[2] = nr_frames;
	to[3] = n < nr_frames;
	to[4] = n;
	for (unsigned int i = 0; i < n; i++) {
		to[5 + 2 * i] = BTAP_MFA(rec[1] & 0xff, i, 1);
		to[6 + 2 * i] = i;
	}
	return 5 + 2 * n;
}

static unsigned int no_stack(const uint64_t *rec, uint64_t *to, unsigned int max_words)
{
	nr_asked++;
	return 0;
}

static int setup(void **state)
{
	struct bed *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	memset(b, 0, sizeof(*b));
	btapw_init(&b->w, &b->ring, b->data, SUB, SUBS, &b->ctl, false);
	b->w.stack = fake_stack;
	b->ctl.on[EV] = BTAP_ON_RING | BTAP_ON_STACK;
	ring_init(&b->r, &b->ring, b->data, SUB, SUBS, RING_FROM_OLDEST);
	nr_frames = nr_asked = 0;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void a_stack_stands_before_its_event(void **state)
{
	struct bed *b = *state;
	const uint64_t *p = (const uint64_t *)(b->data + 64);

	nr_frames = 2;
	assert_true(btapw_put2(&b->w, EV, 7, 8));
	assert_int_equal(BTAP_HEAD_EVENT(p[0]), BTAP_EV_stack);
	assert_int_equal(BTAP_HEAD_WORDS(p[0]), FIXED + 4);
	assert_int_equal(p[2], EV);
	assert_int_equal(p[5], 2);
	assert_int_equal(p[6], BTAP_MFA(7, 0, 1));
	assert_int_equal(BTAP_HEAD(EV, 3, BTAP_HEAD_TIME(p[0])), p[10]);
	assert_int_equal(p[11], 7);
	assert_int_equal(p[12], 8);
	/* Both at once, and one record. */
	assert_int_equal(b->ring.pos, 64 + 13 * 8);
	assert_int_equal(b->ring.count, 1);
	/* Others pay nothing. */
	b->ctl.on[EV] = BTAP_ON_RING;
	assert_true(btapw_put2(&b->w, EV, 9, 9));
	assert_int_equal(nr_asked, 1);
	assert_int_equal(b->ring.pos, 64 + 16 * 8);
}

static void who_has_none_writes_the_event_alone(void **state)
{
	struct bed *b = *state;

	b->w.stack = NULL;
	assert_true(btapw_put2(&b->w, EV, 1, 1));
	b->w.stack = no_stack;
	assert_true(btapw_put2(&b->w, EV, 2, 2));
	assert_int_equal(nr_asked, 1);
	assert_int_equal(b->ring.pos, 64 + 6 * 8);
	assert_int_equal(b->ring.count, 2);
	/* The bit alone asks for nothing. */
	b->ctl.on[EV] = BTAP_ON_STACK;
	b->w.stack = fake_stack;
	btapw_put2(&b->w, EV, 3, 3);
	assert_int_equal(b->ring.count, 2);
	assert_int_equal(nr_asked, 1);
	/* A thread without a ring. */
	btapw_init(&b->w, NULL, NULL, 0, 0, &b->ctl, false);
	b->w.stack = fake_stack;
	b->ctl.on[EV] = BTAP_ON_RING | BTAP_ON_STACK;
	btapw_put2(&b->w, EV, 3, 3);
	assert_int_equal(nr_asked, 1);
}

static void it_is_cut_to_the_room_there_is(void **state)
{
	struct bed *b = *state;
	uint64_t *p;

	nr_frames = 50;
	assert_true(btapw_put2(&b->w, EV, 1, 2));
	assert_int_equal(room_given, ROOM - 3 - 1);
	p = (uint64_t *)(b->data + 64);
	assert_int_equal(p[3], 50);
	assert_int_equal(p[4], 1);
	assert_int_equal(p[5], 7); /* 24 - 3 - 6 = 15 words */
	/* An event that fills a sub-buffer has no stack. */
	b->ctl.on[BTAP_EV_process_exit] = BTAP_ON_RING | BTAP_ON_STACK;
	nr_asked = 0;
	p = btapw_reserve(&b->w, BTAP_EV_process_exit, ROOM);
	assert_non_null(p);
	btapw_commit(&b->w);
	assert_int_equal(nr_asked, 0);
	assert_int_equal(b->ring.count, 2);
	assert_int_equal(b->ring.dropped, 0);
	/* One that leaves no room for a stack has none. */
	p = btapw_reserve(&b->w, BTAP_EV_process_exit, ROOM - 2);
	btapw_commit(&b->w);
	assert_int_equal(b->ring.count, 3);
	assert_int_equal(b->ring.dropped, 0);
}

/* Whatever their lengths: what is read is pairs, and every event is accounted for. */
static void pairs_are_never_parted(void **state)
{
	struct bed *b = *state;
	uint64_t next = 0, lost = 0, events = 0;
	uint32_t seed = 1;

	for (unsigned int round = 0; round < 3000; round++) {
		unsigned int burst = (seed = seed * 1664525 + 1013904223) >> 24 & 31;

		while (burst--) {
			nr_frames = (seed = seed * 1664525 + 1013904223) >> 24 & 7;
			btapw_put2(&b->w, EV, next & 0xff, next);
			next++;
		}
		while (ring_read(&b->r, b->buf, 0, &b->c) > 0) {
			assert_null(b->c.damage);
			lost += b->c.lost;
			for (uint32_t at = 0, n; at < b->c.nr_words; at += n) {
				const uint64_t *p = b->c.words + at;

				n = BTAP_HEAD_WORDS(p[0]);
				assert_int_equal(BTAP_HEAD_EVENT(p[0]), BTAP_EV_stack);
				assert_int_equal(n, FIXED + 2 * p[5]);
				p += n;
				assert_true(at + n < b->c.nr_words);
				assert_int_equal(BTAP_HEAD_EVENT(p[0]), EV);
				assert_int_equal(p[2], events + lost);
				if (p[-(int)n + 5])
					assert_int_equal(p[-(int)n + 6], BTAP_MFA(p[1], 0, 1));
				n += 3;
				events++;
			}
		}
	}
	assert_int_equal(events + lost, next);
	assert_true(lost > 100 && events > 100);
	assert_int_equal(b->r.records, events);
	assert_int_equal(b->r.lost, lost);
}

static void a_full_ring_drops_both(void **state)
{
	struct bed *b = *state;
	uint64_t pos;

	b->ctl.stop_when_full = 1;
	nr_frames = 5; /* 16 + 3 words: one a sub-buffer */
	for (unsigned int i = 0; i < SUBS; i++)
		assert_true(btapw_put2(&b->w, EV, i, i));
	pos = b->ring.pos;
	/* Out of the scratch memory: that there is no room turns out at the end. */
	btapw_put2(&b->w, EV, 9, 9);
	assert_int_equal(b->ring.pos, pos);
	assert_int_equal(b->ring.count, SUBS + 1);
	assert_int_equal(b->ring.dropped, 1);
	for (unsigned int i = 0; i < SUBS; i++) {
		assert_int_equal(ring_read(&b->r, b->buf, 0, &b->c), 1);
		assert_int_equal(b->c.nr_records, 1);
		assert_int_equal(b->c.nr_words, 19);
	}
	assert_int_equal(ring_read(&b->r, b->buf, RING_FLUSH, &b->c), 1);
	assert_int_equal(b->c.lost, 1);
}

/* A stack, an event; @at: word that is spoilt. */
static void spoil(struct bed *b, unsigned int at, uint64_t value, const char *why)
{
	uint64_t *p = (uint64_t *)(b->data + 64);

	nr_frames = 1;
	btapw_put2(&b->w, EV, 1, 1);
	p[at] = value;
	assert_int_equal(ring_read(&b->r, b->buf, 0, &b->c), 1);
	assert_non_null(b->c.damage);
	if (!strstr(b->c.why, why))
		fail_msg("\"%s\" is not in: %s", why, b->c.why);
	assert_int_equal(b->c.nr_records, 0);
	assert_int_equal(b->c.nr_words, 0);
}

static void of_another_event(void **state)
{
	spoil(*state, 2, BTAP_EV_message_send, "a stack without its event");
}

static void of_no_event(void **state)
{
	spoil(*state, 2, ~0ull, "a stack without its event");
}

static void of_another_time(void **state)
{
	struct bed *b = *state;

	spoil(b, 8, BTAP_HEAD(EV, 3, b->w.last + 1000), "a stack without its event");
}

static void before_another_stack(void **state)
{
	struct bed *b = *state;
	uint64_t *p = (uint64_t *)(b->data + 64);

	/* 8 words: a stack with one frame; then 3 words that say they are a stack, too. */
	nr_frames = 1;
	btapw_put2(&b->w, EV, 1, 1);
	p[2] = BTAP_EV_stack;
	p[8] = BTAP_HEAD(BTAP_EV_stack, 3, BTAP_HEAD_TIME(p[0]));
	assert_int_equal(ring_read(&b->r, b->buf, 0, &b->c), 1);
	assert_non_null(b->c.damage);
	assert_int_equal(b->c.nr_words, 0);
}

static void at_the_end(void **state)
{
	struct bed *b = *state;

	nr_frames = 1;
	btapw_put2(&b->w, EV, 1, 1);
	b->ring.pos -= 3 * 8;
	assert_int_equal(ring_read(&b->r, b->buf, 0, &b->c), 1);
	assert_non_null(b->c.damage);
	assert_int_equal(b->c.nr_words, 0);
}

static void with_too_many_frames(void **state)
{
	spoil(*state, 5, 2, "does not fit");
}

static void with_far_too_many_frames(void **state)
{
	spoil(*state, 5, ~0ull, "does not fit");
}

static void with_too_few_frames(void **state)
{
	spoil(*state, 5, 0, "its fields take 6");
}

static void whose_event_is_damaged(void **state)
{
	struct bed *b = *state;
	uint64_t *p = (uint64_t *)(b->data + 64);

	nr_frames = 1;
	btapw_put2(&b->w, EV, 1, 1);
	p[8] = BTAP_HEAD(EV, 2, BTAP_HEAD_TIME(p[0]));
	assert_int_equal(ring_read(&b->r, b->buf, 0, &b->c), 1);
	assert_non_null(strstr(b->c.why, "expected 3"));
	assert_int_equal(b->c.nr_records, 0);
	assert_int_equal(b->c.nr_words, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_stack_stands_before_its_event),
		T(who_has_none_writes_the_event_alone),
		T(it_is_cut_to_the_room_there_is),
		T(pairs_are_never_parted),
		T(a_full_ring_drops_both),
		T(of_another_event),
		T(of_no_event),
		T(of_another_time),
		T(before_another_stack),
		T(at_the_end),
		T(with_too_many_frames),
		T(with_far_too_many_frames),
		T(with_too_few_frames),
		T(whose_event_is_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
