// SPDX-License-Identifier: Apache-2.0
/* check_test.c - records of the catalogue and others; strings */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "source/check.h"
#include "source/strings.h"

static uint64_t rec[300];

static int check(unsigned int event, unsigned int nr_words, size_t avail)
{
	rec[0] = BTAP_HEAD(event, nr_words, 0);
	return check_record(rec, avail);
}

static void refused(unsigned int event, unsigned int nr_words, size_t avail, const char *text)
{
	char why[100];

	assert_int_equal(check(event, nr_words, avail), -EPROTO);
	check_why(rec, avail, why, sizeof(why));
	if (!strstr(why, text))
		fail_msg("\"%s\" is not in: %s", text, why);
}

static void records_of_words(void **state)
{
	memset(rec, 0xff, sizeof(rec));
	/* 4 fields that must be there, 3 that may */
	for (unsigned int n = 5; n <= 8; n++)
		assert_int_equal(check(BTAP_EV_message_send, n, 300), n);
	refused(BTAP_EV_message_send, 4, 300, "message_send has 4 words, expected 5 to 8");
	refused(BTAP_EV_message_send, 9, 300, "message_send has 9 words, expected 5 to 8");
	refused(BTAP_EV_message_send, 5, 4, "says 5 words, but 4 are left");
	refused(BTAP_EV_message_send, 0, 300, "expected 5 to 8");
	refused(0, 1, 300, "there is no event 0");
	refused(255, 1, 300, "there is no event 255");
	refused(1023, 4, 300, "there is no event 1023");
	refused(1, 1, 0, "there is no record");
}

static void records_with_texts(void **state)
{
	/* process_exit: pid, reason */
	memset(rec, 0, sizeof(rec));
	rec[2] = 6;
	assert_int_equal(check(BTAP_EV_process_exit, 4, 300), 4);
	refused(BTAP_EV_process_exit, 5, 300, "process_exit has 5 words, its fields take 4");
	refused(BTAP_EV_process_exit, 3, 300, "field 2 of process_exit does not fit");
	refused(BTAP_EV_process_exit, 2, 300, "expected 3 to 255");
	rec[2] = 0;
	assert_int_equal(check(BTAP_EV_process_exit, 3, 300), 3);
	rec[2] = BTAP_TEXT_NONE;
	assert_int_equal(check(BTAP_EV_process_exit, 3, 300), 3);
	rec[2] = 8 * 252;
	assert_int_equal(check(BTAP_EV_process_exit, 255, 300), 255);
	rec[2]++;
	refused(BTAP_EV_process_exit, 255, 300, "does not fit");
	/* Lengths that would wrap. */
	rec[2] = BTAP_TEXT_NONE - 1;
	refused(BTAP_EV_process_exit, 255, 300, "does not fit");
	rec[2] = 1ull << 63;
	refused(BTAP_EV_process_exit, 255, 300, "does not fit");
	/* A text and three fields that may be missing behind it. */
	rec[4] = 3; /* sender, node, size, receiver */
	assert_int_equal(check(BTAP_EV_message_send_remote, 6, 300), 6);
	assert_int_equal(check(BTAP_EV_message_send_remote, 9, 300), 9);
	refused(BTAP_EV_message_send_remote, 10, 300, "its fields take 9");
	refused(BTAP_EV_message_send_remote, 5, 300, "field 4");
}

static void every_event_has_a_shape(void **state)
{
#define AS_TEST(id, name, usdt, doc) \
	assert_true(check_shapes[id].min_words >= 2); \
	assert_true(check_shapes[id].max_words >= check_shapes[id].min_words); \
	assert_true(check_shapes[id].nr_req <= check_shapes[id].nr_fields);
	BTAP_EVENTS(AS_TEST)
#undef AS_TEST
}

static void random_words_never_hurt(void **state)
{
	uint64_t *page;
	char why[100];

	srand(1);
	for (int i = 0; i < 200000; i++) {
		size_t avail = 1 + (size_t)rand() % 20;

		/* Just as long as it says, so that a sanitizer sees what lies beyond. */
		page = malloc(avail * 8);
		for (size_t j = 0; j < avail; j++)
			page[j] = (uint64_t)(rand() % 70);
		page[0] = BTAP_HEAD((unsigned int)rand() % 256, (unsigned int)rand() % 22, 0);
		if (check_record(page, avail) > 0)
			assert_in_range(check_record(page, avail), 1, avail);
		else
			check_why(page, avail, why, sizeof(why));
		free(page);
	}
}

static void strings_are_found(void **state)
{
	struct src_strings *t = strings_new();
	char key[20];
	size_t len;

	assert_null(src_atom(t, 0x2cb, NULL));
	assert_null(src_atom(NULL, 0x2cb, NULL));
	for (uint64_t i = 0; i < 10000; i++) {
		snprintf(key, sizeof(key), "atom%d", (int)i);
		assert_int_equal(strings_add(t, BTAP_STRING_ATOM, BTAP_ATOM_TERM(i), key, strlen(key)), 0);
	}
	assert_int_equal(strings_add(t, BTAP_STRING_NAME, BTAP_ATOM_TERM(5), "name", 4), 0);
	assert_int_equal(strings_add(t, BTAP_STRING_NAME, BTAP_ATOM_TERM(5), "again", 5), -EEXIST);
	assert_int_equal(strings_add(t, 3, 1, "x", 1), -EPROTO);
	for (uint64_t i = 0; i < 10000; i++) {
		snprintf(key, sizeof(key), "atom%d", (int)i);
		assert_string_equal(src_atom(t, BTAP_ATOM_TERM(i), &len), key);
		assert_int_equal(len, strlen(key));
	}
	assert_string_equal(src_string(t, BTAP_ATOM_TERM(5), NULL), "name");
	assert_int_equal(strings_count(t), 10001);
	assert_string_equal(strings_entry(t, 9999)->text, "atom9999");
	assert_null(strings_entry(t, 10001));
	strings_free(t);
}

static void what_is_not_utf8_is_replaced(void **state)
{
	static const char *const in_out[][2] = {
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "caf\xe9", "caf\xef\xbf\xbd" },
		{ "\xf0\x9f\x90\xb0", "\xf0\x9f\x90\xb0" },
		{ "\xf0\x9f\x90", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "", "" },
	};
	struct src_strings *t = strings_new();
	size_t len;

	for (uint64_t i = 0; i < sizeof(in_out) / sizeof(in_out[0]); i++) {
		strings_add(t, BTAP_STRING_NAME, i, in_out[i][0], strlen(in_out[i][0]));
		assert_string_equal(src_string(t, i, NULL), in_out[i][1]);
	}
	strings_add(t, BTAP_STRING_NAME, 99, "a\0b", 3);
	assert_memory_equal(src_string(t, 99, &len), "a\0b", 4);
	assert_int_equal(len, 3);
	strings_free(t);
}

static void string_tables(void **state)
{
	struct src_strings *t = strings_new();
	struct diag d = DIAG_INIT;
	_Alignas(8) char data[64] = { 0 };
	struct btap_string *s = (struct btap_string *)data;
	size_t next;

	*s = (struct btap_string){ .key = 9, .kind = BTAP_STRING_NAME, .len = 5 };
	memcpy(s->text, "efile", 5);
	assert_int_equal(strings_load(t, data, 0, 24, &next, &d), 1);
	assert_int_equal(next, 24);
	assert_string_equal(src_string(t, 9, NULL), "efile");
	s->len = 100;
	assert_int_equal(strings_load(t, data, 0, 64, &next, &d), -EPROTO);
	assert_int_equal(next, 0);
	s->len = 5;
	s->kind = 77;
	assert_int_equal(strings_load(t, data, 0, 24, &next, &d), -EPROTO);
	s->kind = 1;
	assert_int_equal(strings_load(t, data, 0, 30, &next, &d), -EPROTO);
	assert_int_equal(next, 24);
	strings_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_words),
		cmocka_unit_test(records_with_texts),
		cmocka_unit_test(every_event_has_a_shape),
		cmocka_unit_test(random_words_never_hurt),
		cmocka_unit_test(strings_are_found),
		cmocka_unit_test(what_is_not_utf8_is_replaced),
		cmocka_unit_test(string_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
