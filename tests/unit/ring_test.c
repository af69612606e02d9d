// SPDX-License-Identifier: Apache-2.0
/* ring_test.c - reading a ring: pieces, gaps, drops, damage */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <btapw.h>
#include "source/ring.h"

#define SUB  256
#define SUBS 4
#define EV   BTAP_EV_process_link /* 3 words: 8 of them fill a sub-buffer */

struct bed {
	struct btap_ctl ctl;
	struct btap_ring ring;
	_Alignas(64) unsigned char data[SUB * SUBS];
	struct btapw w;
	struct ring r;
	struct ring_chunk c;
	uint64_t buf[SUB / 8];
	uint64_t next;
};

static int setup(void **state)
{
	struct bed *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	memset(b, 0, sizeof(*b));
	btapw_init(&b->w, &b->ring, b->data, SUB, SUBS, &b->ctl, false);
	ring_init(&b->r, &b->ring, b->data, SUB, SUBS, RING_FROM_OLDEST);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void put(struct bed *b, int nr)
{
	while (nr--)
		btapw_put2(&b->w, EV, b->next++, 0);
}

static struct btap_sub *sub(struct bed *b, uint64_t n)
{
	return (struct btap_sub *)(b->data + n % SUBS * SUB);
}

static int get(struct bed *b, unsigned int flags)
{
	return ring_read(&b->r, b->buf, flags, &b->c);
}

/* The next chunk has records first .. first + nr - 1 after a gap of @lost. */
static void want(struct bed *b, uint64_t lost, uint64_t first, uint32_t nr)
{
	assert_int_equal(get(b, 0), 1);
	assert_null(b->c.damage);
	assert_int_equal(b->c.lost, lost);
	assert_int_equal(b->c.nr_records, nr);
	assert_int_equal(b->c.nr_words, 3 * nr);
	assert_int_equal(b->c.first, first);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(b->c.words[3 * i + 1], first + i);
}

static void want_damage(struct bed *b, uint32_t nr, uint32_t off, const char *text)
{
	assert_int_equal(get(b, 0), 1);
	assert_non_null(b->c.damage);
	if (!strstr(b->c.why, text))
		fail_msg("\"%s\" is not in: %s", text, b->c.why);
	assert_int_equal(b->c.nr_records, nr);
	assert_int_equal(b->c.damage_off, off);
}

static void nothing_is_nothing(void **state)
{
	struct bed *b = *state;

	assert_int_equal(get(b, 0), 0);
	assert_int_equal(get(b, RING_FLUSH), 0);
	b->ring.pos = 0;
	assert_int_equal(get(b, 0), 0);
}

static void pieces_add_up(void **state)
{
	struct bed *b = *state;

	put(b, 3);
	want(b, 0, 0, 3);
	assert_false(b->c.is_whole);
	assert_int_equal(get(b, 0), 0);
	put(b, 2);
	want(b, 0, 3, 2);
	put(b, 3); /* full, not left */
	want(b, 0, 5, 3);
	assert_int_equal(get(b, 0), 0);
	put(b, 9);
	want(b, 0, 8, 8);
	assert_true(b->c.is_whole);
	assert_int_equal(b->c.number, 1);
	want(b, 0, 16, 1);
	assert_int_equal(b->r.records, 17);
	assert_int_equal(ring_backlog(&b->r), 0);
	put(b, 1);
	assert_int_equal(ring_backlog(&b->r), 24);
}

static void whole_ones_alone(void **state)
{
	struct bed *b = *state;

	put(b, 8);
	assert_int_equal(get(b, RING_WHOLE), 0);
	put(b, 1);
	assert_int_equal(get(b, RING_WHOLE), 1);
	assert_true(b->c.is_whole);
	assert_int_equal(b->c.nr_records, 8);
	assert_int_equal(get(b, RING_WHOLE), 0);
	want(b, 0, 8, 1);
}

static void a_lapped_reader_knows_what_it_missed(void **state)
{
	struct bed *b = *state;
	uint64_t last;

	put(b, 3);
	want(b, 0, 0, 3);
	last = b->w.last;
	put(b, 7 * 8); /* number 59 is the last: sub-buffer 7 */
	want(b, 4 * 8 - 3, 32, 8);
	assert_int_equal(b->c.lost_begin, last);
	assert_int_equal(b->c.lost_end, sub(b, 4)->begin_time);
	want(b, 0, 40, 8);
	want(b, 0, 48, 8);
	want(b, 0, 56, 3);
	assert_int_equal(b->r.records + b->r.lost, b->ring.count);
}

static void from_now_counts_nothing_before(void **state)
{
	struct bed *b = *state;

	put(b, 100);
	ring_init(&b->r, &b->ring, b->data, SUB, SUBS, RING_FROM_NOW);
	assert_int_equal(get(b, 0), 0);
	put(b, 2);
	want(b, 0, 100, 2);
	put(b, 100);
	assert_int_equal(get(b, 0), 1);
	assert_int_equal(b->r.lost + b->r.expected - b->r.lost, b->c.first + b->c.nr_records);
}

static void drops_are_told_when_asked(void **state)
{
	struct bed *b = *state;

	b->ctl.stop_when_full = 1;
	put(b, 40); /* 32 fit */
	for (int i = 0; i < 4; i++)
		want(b, 0, 8 * i, 8);
	assert_int_equal(get(b, 0), 0);
	assert_int_equal(get(b, RING_FLUSH), 1);
	assert_int_equal(b->c.lost, 8);
	assert_int_equal(b->c.nr_records, 0);
	assert_true(b->c.lost_begin <= b->c.lost_end);
	assert_int_equal(b->c.lost_end, b->ring.drop_time);
	assert_int_equal(get(b, RING_FLUSH), 0);
	ring_release(&b->r, &b->ring);
	assert_int_equal(b->ring.tail, 3);
	put(b, 1);
	want(b, 0, 40, 1);
}

static void drops_are_told_by_the_next_head(void **state)
{
	struct bed *b = *state;

	b->ctl.stop_when_full = 1;
	put(b, 40);
	for (int i = 0; i < 4; i++)
		want(b, 0, 8 * i, 8);
	ring_release(&b->r, &b->ring);
	put(b, 1);
	want(b, 8, 40, 1);
	assert_int_equal(b->r.records + b->r.lost, b->ring.count);
}

static void a_long_gap_turns_the_sub_buffer(void **state)
{
	struct bed *b = *state;

	put(b, 1);
	want(b, 0, 0, 1);
	b->w.until -= BTAPW_SPAN; /* as if it had begun long ago */
	put(b, 1);
	want(b, 0, 1, 1);
	assert_int_equal(b->c.number, 1);
	assert_true(b->c.end_time >= b->c.begin_time);
}

/* Damage: what was there before it, then where it is, then the next sub-buffer; the rest is lost. */
static void a_bad_record(void **state)
{
	struct bed *b = *state;

	put(b, 20);
	((uint64_t *)b->data)[8 + 3 * 3] = BTAP_HEAD(EV, 200, 0);
	want_damage(b, 3, 64 + 72, "record 3: process_link says 200 words");
	want(b, 5, 8, 8);
	want(b, 0, 16, 4);
	assert_int_equal(b->r.records + b->r.lost, 20);
}

static void a_bad_record_in_the_current_one(void **state)
{
	struct bed *b = *state;

	put(b, 4);
	((uint64_t *)b->data)[8] = 0;
	want_damage(b, 0, 64, "there is no event 0");
	assert_int_equal(get(b, 0), 0);
	put(b, 2); /* still the same sub-buffer */
	assert_int_equal(get(b, 0), 0);
	assert_int_equal(get(b, RING_FLUSH), 1);
	assert_int_equal(b->c.lost, 6);
	put(b, 3);
	want(b, 2, 8, 1);
	assert_int_equal(b->r.records + b->r.lost, 9);
}

static void time_that_goes_back(void **state)
{
	struct bed *b = *state;
	uint64_t *w = (uint64_t *)b->data + 8 + 3;

	put(b, 3);
	*w = BTAP_HEAD(EV, 3, b->w.until - BTAPW_SPAN - 1000000);
	want_damage(b, 1, 64 + 24, "record 1: its time goes back");
}

static void bad_heads(void **state)
{
	static const struct { size_t off; uint64_t value; const char *text; } bad[] = {
		{ offsetof(struct btap_sub, number), 7, "another number" },
		{ offsetof(struct btap_sub, begin_time), 0, "begins before" },
		{ offsetof(struct btap_sub, first), 1ull << 40, "than were offered" },
		{ offsetof(struct btap_sub, first), 3, "fewer records" },
		{ offsetof(struct btap_sub, len), 0, "impossible length" },
		{ offsetof(struct btap_sub, len), SUB + 8, "impossible length" },
		{ offsetof(struct btap_sub, len), UINT64_MAX, "impossible length" },
		{ offsetof(struct btap_sub, len), 100, "impossible length" },
		{ offsetof(struct btap_sub, end_time), 1, "ends before" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bed *b;

		teardown(state);
		setup(state);
		b = *state;
		put(b, 20);
		want(b, 0, 0, 8);
		*(uint64_t *)(b->data + SUB + bad[i].off) = bad[i].value;
		want_damage(b, 0, 0, bad[i].text);
		want(b, 8, 16, 4);
	}
}

static void a_wrong_number_of_records(void **state)
{
	struct bed *b = *state;

	put(b, 20);
	sub(b, 0)->nr_records = 9;
	want_damage(b, 8, SUB, "its head says 9 records, 8 are there");
	want(b, 0, 8, 8);
}

static void a_mad_writer(void **state)
{
	static const uint64_t pos[] = { 63, 1, 3 * SUB + 1, 3 * SUB + 8, UINT64_MAX,
					UINT64_MAX & ~7ull, 100 * SUB + 64, 2 * SUB };
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(pos) / sizeof(pos[0]); i++)
		for (uint64_t turn = 0; turn < 3; turn++) {
			teardown(state);
			setup(state);
			b = *state;
			put(b, 20);
			want(b, 0, 0, 8);
			b->ring.pos = pos[i];
			b->ring.turn = turn == 2 ? UINT64_MAX : turn;
			for (int j = 0; j < 20; j++)
				get(b, j & 1 ? RING_FLUSH : 0);
			assert_true(b->r.lost < 1ull << 48);
		}
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_is_nothing), T(pieces_add_up), T(whole_ones_alone),
		T(a_lapped_reader_knows_what_it_missed), T(from_now_counts_nothing_before),
		T(drops_are_told_when_asked), T(drops_are_told_by_the_next_head),
		T(a_long_gap_turns_the_sub_buffer), T(a_bad_record),
		T(a_bad_record_in_the_current_one), T(time_that_goes_back), T(bad_heads),
		T(a_wrong_number_of_records), T(a_mad_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
