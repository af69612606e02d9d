// SPDX-License-Identifier: Apache-2.0
/* text_test.c - fixtures: values become words, mistakes are told with their place */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/rec.h"

static struct src *open_text(const char *text)
{
	struct diag d = DIAG_INIT;
	struct src *s;

	if (text_open_mem(&s, "t.ev", text, strlen(text), &d)) {
		diag_print(&d, stderr, "text_test");
		fail();
	}
	return s;
}

static void values_become_words(void **state)
{
	struct src *s = open_text(
		"message_send ts=100 sender=<0.80.3> receiver=shop size=-1 msg=7\n"
		"process_spawn ts=101 p=<0.1.0> mfa='Elixir.Foo':bar/3 parent=#Port<0.5>\n");
	struct src_rec rec;
	uint64_t mfa;

	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.event, BTAP_EV_message_send);
	assert_int_equal(rec.ts, 100);
	assert_int_equal(rec.nr_words, 5);
	assert_int_equal(rec.words[1], 80 << 4 | 3ull << 19 | BTAP_TAG_PID);
	assert_string_equal(src_atom(s->vms[0].strs, rec.words[2], NULL), "shop");
	assert_int_equal(rec.words[3], UINT64_MAX);
	assert_int_equal(rec.words[4], 7);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	mfa = rec.words[2];
	assert_string_equal(src_atom(s->vms[0].strs, BTAP_ATOM_TERM(BTAP_MFA_MODULE(mfa)), NULL),
			    "Elixir.Foo");
	assert_string_equal(src_atom(s->vms[0].strs, BTAP_ATOM_TERM(BTAP_MFA_FUNCTION(mfa)), NULL),
			    "bar");
	assert_int_equal(BTAP_MFA_ARITY(mfa), 3);
	assert_int_equal(rec.words[3], 5 << 4 | BTAP_TAG_PORT);
	assert_int_equal(src_next(s, &rec, NULL), 0);
	src_close(s);
}

static void unknown_is_not_zero(void **state)
{
	struct src *s = open_text(
		"process_exit ts=1 p=? reason=?\nprocess_exit ts=2 p=<0.1.0> reason=\"\"\n"
		"gc_minor_end ts=3 p=<0.1.0> reclaimed=?\nprocess_scheduled ts=4 p=? mfa=?\n");
	struct src_rec rec;

	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[1], 0);
	assert_int_equal(rec.words[2], BTAP_TEXT_NONE);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[2], 0);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[2], BTAP_UNKNOWN);
	assert_int_equal(rec.nr_words, 3);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[2], 0);
	src_close(s);
}

static void texts_keep_their_bytes(void **state)
{
	struct src *s =
		open_text("tap_warning ts=1 message=\"a\\n\\x1b\\x{85}\\xff\\\"\\\\\u00e9\"\n");
	struct src_rec rec;

	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[1], 10);
	assert_memory_equal(&rec.words[2], "a\n\x1b\xc2\x85\xff\"\\\xc3\xa9\0\0\0\0\0\0", 16);
	assert_int_equal(rec.nr_words, 4);
	src_close(s);
}

static void wide_terms_of_later_releases(void **state)
{
	struct src *s = open_text("vm otp=26 node='a@my-host.org'\n"
				  "state_asked ts=1 p=<0.268435455.4294967295>\nport_busy ts=2 "
				  "port=#Port<0.268435456>\n");
	struct src_rec rec;

	assert_string_equal(s->vms[0].facts.node, "a@my-host.org");
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[1], UINT64_MAX << 4 | BTAP_TAG_PID);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[1], 1ull << 32 | BTAP_TAG_PORT);
	src_close(s);
}

static void numbers_used_by_the_file_are_kept(void **state)
{
	struct src *s = open_text("name_register ts=1 p=<0.1.0> name=first\n"
				  "name_register ts=2 p=#Term<0xff> name=#Atom<1>\n"
				  "driver_finish ts=3 name=#String<9>\n");
	struct src_rec rec;

	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[2], BTAP_ATOM_TERM(2));
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[1], 0xff);
	assert_int_equal(rec.words[2], BTAP_ATOM_TERM(1));
	assert_null(src_atom(s->vms[0].strs, rec.words[2], NULL));
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.words[1], 9);
	src_close(s);
}

static void threads_and_gaps(void **state)
{
	struct src *s = open_text("# all about threads\nthread scheduler/2 tid=17 name=\"two\"\n\n"
				  "state_asked ts=1 p=<0.1.0> on=scheduler/2  # the same\n"
				  "lost ts=5 count=3 from=5 to=9 on=dirty_cpu/1\n"
				  "state_asked ts=70368744177666 p=<0.1.0>\n");
	struct src_run run = { 0 };
	struct src_rec rec = { 0 };

	assert_int_equal(src_run(s, &run, NULL), 1);
	assert_true(src_run_next(&run, &rec));
	assert_string_equal(src_thread(s, rec.thread)->name, "two");
	assert_int_equal(src_thread(s, rec.thread)->tid, 17);
	assert_false(src_run_next(&run, &rec));
	assert_int_equal(src_run(s, &run, NULL), 1);
	assert_true(run.is_lost);
	assert_true(src_run_next(&run, &rec));
	assert_int_equal(rec.event, BTAP_LOST_EVENT);
	assert_int_equal(rec.words[1], 3);
	assert_int_equal(rec.words[3], 9);
	assert_int_equal(src_thread(s, rec.thread)->kind, BTAP_THREAD_DIRTY_CPU);
	assert_int_equal(src_run(s, &run, NULL), 1);
	assert_true(src_run_next(&run, &rec));
	assert_int_equal(rec.ts, 70368744177666ull);
	assert_int_equal(src_run(s, &run, NULL), 0);
	src_close(s);
}

static void the_whole_catalogue_is_read(void **state)
{
	unsigned int nr;
	char *text = rec_catalogue(&nr);
	struct src *s = open_text(text);
	struct rec_all a;

	rec_read(&a, s, NULL);
	assert_int_equal(a.records, nr);
	assert_int_equal(a.result, 0);
	rec_done(&a);
	src_close(s);
	free(text);
}

/* No field may be called as the keys that each event line has. */
static void keys_are_no_fields(void **state)
{
	static const char *const fields[] = {
#define AS_NAME(t, n, arg, need, doc) #n,
#define AS_NAMES(id, name, usdt, doc) BTAP_FIELDS_##name(AS_NAME)
		BTAP_EVENTS(AS_NAMES)
#undef AS_NAMES
#undef AS_NAME
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		assert_string_not_equal(fields[i], "ts");
		assert_string_not_equal(fields[i], "on");
	}
}

static void mistakes_are_told_with_their_place(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "state_asked ts=1\n", "t.ev:1:17: state_asked lacks the field p" },
		{ "\nfoo ts=1\n", "t.ev:2:1: there is no event 'foo' in the catalogue" },
		{ "state_asked p=<0.1.0>\n", "t.ev:1:22: ts= is missing" },
		{ "state_asked ts=5 p=?\nstate_asked ts=4 p=?",
		  "t.ev:2:1: time goes back: 4 after 5" },
		{ "state_asked ts=1 p=? p=?", "t.ev:1:22: p stands here twice" },
		{ "state_asked ts=1 szie=4 p=?",
		  "t.ev:1:18: state_asked has no field 'szie'; its fields are p" },
		{ "state_asked ts=1 p=<1.1.0>", "t.ev:1:21: number is above 0" },
		{ "state_asked ts=1 p=<0.40000.0>", "t.ev:1:23: number is above 32767" },
		{ "state_asked ts=1 p=<0.4.0", "t.ev:1:26: expected '>'" },
		{ "state_asked ts=1 p=<0.4.0>x", "t.ev:1:27: the value should end here" },
		{ "state_asked ts=1 p=Foo", "t.ev:1:20: expected an atom" },
		{ "state_asked ts=18446744073709551615 p=?", "t.ev:1:16: number is above" },
		{ "state_asked ts= p=?", "t.ev:1:16: expected a number" },
		{ "state_asked ts p=?", "t.ev:1:15: expected '='" },
		{ "state_asked ts=1 p=? on=boat/1", "t.ev:1:25: expected a thread" },
		{ "tap_warning ts=1 message=\"\u00e9\\q\"", "t.ev:1:28: there is no escape" },
		{ "tap_warning ts=1 message=\"abc", "t.ev:1:26: the closing \" is missing" },
		{ "tap_warning ts=1 message=\"\\xg0\"", "two hexadecimal digits" },
		{ "tap_warning ts=1 message=\"\\x{d800}\"", "no character with this number" },
		{ "process_scheduled ts=1 p=? mfa=a:b/256", "number is above 255" },
		{ "process_scheduled ts=1 p=? mfa=a:b", "t.ev:1:35: expected '/'" },
		{ "gc_minor_end ts=1 p=? reclaimed=1 old_heap=3",
		  "gc_minor_end has old_heap without heap before it" },
		{ "gc_minor_end ts=1 p=? reclaimed=9223372036854775808", "number is above" },
		{ "state_asked ts=1 p=?\nvm otp=25",
		  "t.ev:2:1: vm stands once, before all events" },
		{ "vm otp=0", "number is below 1" },
		{ "vm pid_bits=4/40/30", "these are 74 bits" },
		{ "vm color=red", "vm has no 'color'" },
		{ "thread scheduler/1 cpu=1", "thread has no 'cpu'" },
		{ "lost ts=1 count=2", "lost lacks the field from" },
		{ "=", "expected a name" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct diag d = DIAG_INIT;
		struct src *s;

		assert_int_equal(text_open_mem(&s, "t.ev", bad[i].text, strlen(bad[i].text), &d),
				 -EINVAL);
		assert_null(s);
		if (!strstr(d.text[0], bad[i].says))
			fail_msg("'%s' gives '%s', expected '%s'", bad[i].text, d.text[0],
				 bad[i].says);
	}
}

static void long_texts_are_refused(void **state)
{
	struct diag d = DIAG_INIT;
	char text[4096];
	struct src *s;

	memset(text, 'a', sizeof(text));
	memcpy(text, "tap_warning ts=1 message=\"", 26);
	text[2060] = '"';
	text[2061] = 0;
	assert_int_equal(text_open_mem(&s, "t.ev", text, strlen(text), &d), -EINVAL);
	assert_non_null(strstr(d.text[0], "words; more than 255 do not go"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_become_words),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(texts_keep_their_bytes),
		cmocka_unit_test(wide_terms_of_later_releases),
		cmocka_unit_test(numbers_used_by_the_file_are_kept),
		cmocka_unit_test(threads_and_gaps),
		cmocka_unit_test(the_whole_catalogue_is_read),
		cmocka_unit_test(keys_are_no_fields),
		cmocka_unit_test(mistakes_are_told_with_their_place),
		cmocka_unit_test(long_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
