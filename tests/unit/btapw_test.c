// SPDX-License-Identifier: Apache-2.0
/* btapw_test.c - the writer: records, texts, turns */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <btapw.h>

#define SUB  256
#define SUBS 4

struct bed {
	struct btap_ctl ctl;
	struct btap_ring ring;
	_Alignas(64) unsigned char data[SUB * SUBS];
	struct btapw w;
};

/* By the TSC records take the short way where they can. */
static bool is_tsc;

static struct bed *new_bed(void)
{
	struct bed *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	memset(b, 0, sizeof(*b));
	btapw_init(&b->w, &b->ring, b->data, SUB, SUBS, &b->ctl, is_tsc);
	return b;
}

static struct btap_sub *sub(struct bed *b, uint64_t n)
{
	return (struct btap_sub *)(b->data + n % SUBS * SUB);
}

static void a_record_is_its_words(void **state)
{
	struct bed *b = new_bed();
	uint64_t *rec = (uint64_t *)(b->data + 64);

	assert_int_equal(b->ring.pos, 64);
	assert_true(btapw_put3(&b->w, BTAP_EV_timer_set, 11, 22, 33));
	assert_int_equal(BTAP_HEAD_EVENT(rec[0]), BTAP_EV_timer_set);
	assert_int_equal(BTAP_HEAD_WORDS(rec[0]), 4);
	assert_int_equal(BTAP_TIME_FULL(rec[0], sub(b, 0)->begin_time), b->w.last);
	assert_int_equal(rec[1], 11);
	assert_int_equal(rec[3], 33);
	assert_int_equal(b->ring.pos, 64 + 32);
	assert_int_equal(b->ring.count, 1);
	btapw_put1(&b->w, 1, 2);
	btapw_put2(&b->w, 1, 2, 3);
	btapw_put4(&b->w, 1, 2, 3, 4, 5);
	btapw_put5(&b->w, 1, 2, 3, 4, 5, 6);
	assert_int_equal(b->ring.pos, 64 + 8 * (4 + 2 + 3 + 5 + 6));
	assert_true(btapw_put6(&b->w, 9, 1, 2, 3, 4, 5, 6)); /* does not fit: the next one */
	assert_int_equal(b->ring.pos, SUB + 64 + 8 * 7);
	assert_int_equal(((uint64_t *)(b->data + SUB + 64))[6], 6);
	assert_int_equal(b->ring.count, 6);
	free(b);
}

static void an_event_is_on_or_off(void **state)
{
	struct btap_ctl ctl = { .on = { [67] = BTAP_ON_USDT } };

	assert_true(btapw_on(&ctl, 67));
	assert_false(btapw_on(&ctl, 66));
	assert_false(btapw_on(&ctl, 3));
}

static void a_sub_buffer_is_closed_when_it_is_left(void **state)
{
	struct bed *b = new_bed();

	for (int i = 0; i < 7; i++) /* 6 of 32 bytes fit */
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_int_equal(b->ring.turn, 1);
	assert_int_equal(sub(b, 0)->len, SUB);
	assert_int_equal(sub(b, 0)->nr_records, 6);
	assert_true(sub(b, 0)->end_time >= sub(b, 0)->begin_time);
	assert_int_equal(sub(b, 1)->number, 1);
	assert_int_equal(sub(b, 1)->first, 6);
	assert_int_equal(sub(b, 1)->len, 0);
	assert_true(sub(b, 1)->begin_time >= sub(b, 0)->end_time);
	for (int i = 0; i < 6 * SUBS; i++)
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_int_equal(sub(b, 4)->number, 4);
	assert_int_equal(sub(b, 4)->first, 24);
	assert_int_equal(b->ring.dropped, 0);
	free(b);
}

static void time_has_46_bits(void **state)
{
	struct bed *b = new_bed();

	btapw_put1(&b->w, 1, 1);
	assert_int_equal(b->ring.turn, 0);
	/* As if the sub-buffer had begun long ago. */
	b->w.until -= BTAPW_SPAN;
	btapw_put1(&b->w, 1, 1);
	assert_int_equal(b->ring.turn, 1);
	assert_int_equal(sub(b, 0)->nr_records, 1);
	assert_int_equal(sub(b, 0)->len, 64 + 16);
	free(b);
}

static void time_does_not_go_back(void **state)
{
	struct bed *b = new_bed();
	uint64_t future = b->w.last + 1000000000000ull;

	b->w.last = future;
	btapw_put1(&b->w, 1, 1);
	assert_int_equal(b->w.last, future);
	assert_int_equal(BTAP_TIME_FULL(*(uint64_t *)(b->data + 64), sub(b, 0)->begin_time), future);
	free(b);
}

static void a_sub_buffer_is_used_to_its_end(void **state)
{
	struct bed *b = new_bed();

	for (int i = 0; i < 24; i += 2)
		assert_true(btapw_put1(&b->w, 1, i));
	assert_int_equal(b->ring.turn, 0);
	assert_int_equal(b->ring.pos, SUB);
	assert_int_equal(((uint64_t *)(b->data + SUB))[-1], 22);
	assert_int_equal(*(uint64_t *)(b->data + SUB), 0);
	btapw_put1(&b->w, 1, 24);
	assert_int_equal(b->ring.turn, 1);
	assert_int_equal(sub(b, 0)->len, SUB);
	assert_int_equal(sub(b, 0)->nr_records, 12);
	free(b);
}

static void what_cannot_fit_is_dropped_and_counted(void **state)
{
	struct bed *b = new_bed();
	struct btapw none = { 0 };
	uint64_t unwritten = 0;

	assert_int_equal(btapw_max_words(&b->w), 24);
	assert_non_null(btapw_reserve(&b->w, 1, 24));
	btapw_commit(&b->w);
	assert_null(btapw_reserve(&b->w, 1, 25));
	assert_int_equal(b->ring.count, b->ring.dropped + 1);
	assert_false(btapw_put1(&none, 1, 1));
	btapw_init(&none, NULL, NULL, 0, 0, &b->ctl, false);
	none.unwritten = &unwritten;
	assert_false(btapw_put6(&none, 1, 1, 2, 3, 4, 5, 6));
	assert_int_equal(unwritten, 1);
	free(b);
}

static void a_full_ring_stops_until_it_is_read(void **state)
{
	struct bed *b = new_bed();

	b->ctl.stop_when_full = 1;
	for (int i = 0; i < 30; i++) /* 24 fit */
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_int_equal(b->ring.turn, SUBS - 1);
	assert_int_equal(b->ring.count, 30);
	assert_int_equal(b->ring.dropped, 6);
	assert_true(b->ring.drop_time >= sub(b, 3)->begin_time);
	assert_int_equal(sub(b, 0)->number, 0);
	b->ring.tail = 1;
	assert_true(btapw_put3(&b->w, 1, 30, 0, 0));
	assert_int_equal(sub(b, 4)->number, 4);
	assert_int_equal(sub(b, 4)->first, 30);
	/* Nonsense from the reader: no harm, at worst the oldest is overwritten. */
	b->ring.tail = UINT64_MAX;
	for (int i = 0; i < 100; i++)
		btapw_put3(&b->w, 1, i, 0, 0);
	b->ring.tail = b->w.number + 1000;
	for (int i = 0; i < 100; i++)
		btapw_put3(&b->w, 1, i, 0, 0);
	assert_true((b->ring.pos - 1) / SUB == b->w.number);
	free(b);
}

static void check_text(const char *s, size_t len, size_t max, const char *want)
{
	struct btapw_text t = btapw_text_fit(s, len, max);
	uint64_t buf[40], *end;

	memset(buf, 0xee, sizeof(buf));
	end = btapw_text_store(buf, &t);
	assert_int_equal(end - buf, btapw_text_words(&t));
	assert_int_equal(*end, 0xeeeeeeeeeeeeeeeeull);
	if (!want) {
		assert_int_equal(buf[0], BTAP_TEXT_NONE);
		return;
	}
	assert_int_equal(buf[0], strlen(want));
	assert_memory_equal(buf + 1, want, strlen(want));
	/* Padded with zeroes. */
	for (char *p = (char *)(buf + 1) + strlen(want); p < (char *)end; p++)
		assert_int_equal(*p, 0);
}

static void texts_are_cut_between_characters(void **state)
{
	check_text(NULL, 0, 20, NULL);
	check_text("", 0, 20, "");
	check_text("normal", 6, 20, "normal");
	check_text("12345678", 8, 8, "12345678");
	check_text("123456789", 9, 8, "12345...");
	check_text("12345678901234567", 17, 16, "1234567890123...");
	/* Four bytes a character: cut before it. */
	check_text("abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0zzzzzzzz", 19, 12, "abc\xf0\x9f\x90\xb0...");
	check_text("abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0zzzzzzzz", 19, 13, "abc\xf0\x9f\x90\xb0...");
	check_text("abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0zzzzzzzz", 19, 14,
		   "abc\xf0\x9f\x90\xb0\xf0\x9f\x90\xb0...");
	check_text("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 10, 8, "...");
	for (size_t len = 0; len < 60; len++) {
		char s[64], want[64];

		memset(s, 'x', sizeof(s));
		snprintf(want, sizeof(want), "%.*s%s", (int)(len > 30 ? 27 : len), s,
			 len > 30 ? "..." : "");
		check_text(s, len, 30, want);
	}
}

static int by_monotonic(void **state)
{
	is_tsc = false;
	return 0;
}

#if defined(__x86_64__)
static int by_tsc(void **state)
{
	is_tsc = true;
	return 0;
}

#define BY_EACH_CLOCK(f) { #f, f, by_monotonic, NULL, NULL }, { #f " (TSC)", f, by_tsc, NULL, NULL }
#else
#define BY_EACH_CLOCK(f) { #f, f, by_monotonic, NULL, NULL }
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		BY_EACH_CLOCK(a_record_is_its_words),
		BY_EACH_CLOCK(an_event_is_on_or_off),
		BY_EACH_CLOCK(a_sub_buffer_is_closed_when_it_is_left),
		BY_EACH_CLOCK(time_has_46_bits),
		BY_EACH_CLOCK(time_does_not_go_back),
		BY_EACH_CLOCK(a_sub_buffer_is_used_to_its_end),
		BY_EACH_CLOCK(what_cannot_fit_is_dropped_and_counted),
		BY_EACH_CLOCK(a_full_ring_stops_until_it_is_read),
		cmocka_unit_test(texts_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
