// SPDX-License-Identifier: Apache-2.0
/* desc_test.c - the tables say what the catalogue says, and records are read by them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "event/decode.h"

static void test_tables(void **state)
{
	for (unsigned int i = 0; i < desc_nr; i++) {
		const struct desc *d = desc_all[i];

		assert_ptr_equal(desc_get(d->id), d);
		assert_ptr_equal(desc_find(d->name, strlen(d->name)), d);
		assert_ptr_equal(desc_find(d->dname, strlen(d->dname)), d);
		assert_ptr_equal(desc_find(d->usdt, strlen(d->usdt)), d);
		assert_null(strstr(d->dname, "__"));
		for (unsigned int f = 0; f < d->nr_fields; f++) {
			assert_int_equal(desc_field_index(d, d->fields[f].name,
							  strlen(d->fields[f].name)), f);
			assert_int_equal(desc_arg_index(d, d->fields[f].arg), f);
		}
		/* USDT takes twelve arguments at most. */
		assert_true(d->nr_args <= 12);
	}
	assert_null(desc_get(0));
	assert_null(desc_get(BTAP_LOST_EVENT));
	assert_null(desc_get(UINT32_MAX));
	assert_null(desc_find("message_sen", 11));
	assert_null(desc_find("message_send_", 13));
	assert_null(desc_find("", 0));
	assert_int_equal(desc_field_index(desc_get(BTAP_EV_message_send), "siz", 3), -1);
	assert_int_equal(desc_arg_index(desc_get(BTAP_EV_message_send), 99), -1);
}

/* Some by hand, as OTP's erlang_dtrace.d has them. */
static void test_by_hand(void **state)
{
	const struct desc *d = desc_get(BTAP_EV_message_send_remote);

	assert_string_equal(d->name, "message_send_remote");
	assert_string_equal(d->dname, "message-send-remote");
	assert_string_equal(d->fields[desc_arg_index(d, 2)].name, "receiver");
	assert_string_equal(d->fields[desc_arg_index(d, 3)].name, "size");
	assert_string_equal(d->fields[desc_arg_index(d, 4)].name, "token_label");
	assert_true(d->fields[desc_arg_index(d, 4)].is_opt);
	assert_int_equal(d->nr_req, 4);
	assert_int_equal(d->nr_fixed, 4);
	assert_int_equal(d->min_words, 5);
	assert_int_equal(d->nr_args, 7);
	d = desc_get(BTAP_EV_gc_major_start);
	assert_string_equal(d->dname, "gc_major-start");
	assert_string_equal(desc_types[d->fields[1].type].dtype, "int64_t");
	assert_string_equal(desc_types[d->fields[1].type].unit, "word");
	d = desc_get(BTAP_EV_user_trace_n);
	assert_string_equal(d->fields[desc_arg_index(d, 10)].name, "number");
}

#define HEAD(ev, nr) BTAP_HEAD(BTAP_EV_##ev, nr, 0)
static struct src_rec rec_of(const uint64_t *words)
{
	return (struct src_rec){ .words = words, .event = BTAP_HEAD_EVENT(words[0]),
				 .nr_words = BTAP_HEAD_WORDS(words[0]) };
}

static void test_decode(void **state)
{
	const uint64_t w[] = { HEAD(message_send, 5), 0x503, 0x513, 4, 77 };
	struct src_rec r = rec_of(w);
	const struct desc *d = desc_get(r.event);
	uint64_t v;

	assert_int_equal(DECODE(&r, message_send, size), 4);
	assert_int_equal(DECODE(&r, message_send, msg), 77);
	assert_int_equal(DECODE_OPT(&r, message_send, token_label, 123), 123);
	assert_true(decode_word(&r, d, 3, &v) && v == 77);
	assert_false(decode_word(&r, d, 4, &v));
	assert_false(decode_word(&r, d, 99, &v));
	assert_true(decode_is_known(DESC_words, 0));
	assert_false(decode_is_known(DESC_words, BTAP_UNKNOWN));
	assert_false(decode_is_known(DESC_pid, 0));
}

static void test_texts(void **state)
{
	uint64_t w[] = { HEAD(process_exit_signal_remote, 12), 0x503, 0xb, 9, 0, 0, BTAP_TEXT_NONE,
			 1, 2, 3, 0, 0 };
	struct src_rec r = rec_of(w);
	const struct desc *d = desc_get(r.event);
	struct decode_text t;
	uint64_t v;

	memcpy(&w[4], "receiver!", 9);
	assert_true(decode_text(&r, d, 2, &t));
	assert_int_equal(t.len, 9);
	assert_memory_equal(t.at, "receiver!", 9);
	assert_true(decode_text(&r, d, 3, &t));
	assert_null(t.at);
	assert_true(decode_word(&r, d, 4, &v) && v == 1);
	assert_true(decode_word(&r, d, 6, &v) && v == 3);
	t = DECODE_TEXT(&r, process_exit_signal_remote, receiver);
	assert_int_equal(t.len, 9);
	/* The record ends in the middle. */
	r.nr_words = 8;
	assert_true(decode_word(&r, d, 4, &v));
	assert_false(decode_word(&r, d, 5, &v));
	/* A length that leaves the record. */
	w[3] = 1000;
	assert_false(decode_word(&r, d, 4, &v));
	assert_null(DECODE_TEXT(&r, process_exit_signal_remote, receiver).at);
	w[3] = UINT64_MAX - 1;
	assert_false(decode_word(&r, d, 4, &v));
	r.nr_words = 3;
	assert_false(decode_text(&r, d, 2, &t));
}

static void test_lost(void **state)
{
	const uint64_t w[] = { BTAP_HEAD(BTAP_LOST_EVENT, 4, 0), 5, 100, 200 };
	struct src_rec r = rec_of(w);
	struct decode_lost l;

	assert_true(decode_lost(&r, &l));
	assert_true(l.count == 5 && l.begin_ns == 100 && l.end_ns == 200);
	r.nr_words = 3;
	assert_false(decode_lost(&r, &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables), cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_decode), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
