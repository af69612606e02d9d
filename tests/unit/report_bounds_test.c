// SPDX-License-Identifier: Apache-2.0
/*
 * report_bounds_test.c - the report's tables: the hash, records that are given up
 * when there are too many, and that sums stay whole when they are
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/ent.h"
#include "report/report.h"
#include "report/tab.h"
#include "source/text.h"

/* Against a plain array: put, overwrite, delete, find, in an order that repeats. */
static void imap_is_a_map(void **state)
{
	enum { KEYS = 500 };
	uint32_t want[KEYS];
	uint64_t rnd = 1;
	struct imap m;

	assert_int_equal(imap_init(&m, 16), 0);
	memset(want, 0xff, sizeof(want));
	for (uint32_t n = 0; n < 200000; n++) {
		uint32_t k;

		rnd = rnd * 6364136223846793005ULL + 1442695040888963407ULL;
		k = (uint32_t)(rnd >> 33) % KEYS;
		if (rnd >> 62) {
			assert_int_equal(imap_put(&m, k * 0x10001ULL, k % 3, n), 0);
			want[k] = n;
		} else {
			imap_del(&m, k * 0x10001ULL, k % 3);
			want[k] = IMAP_NONE;
		}
		k = (uint32_t)(rnd >> 17) % KEYS;
		assert_int_equal(imap_find(&m, k * 0x10001ULL, k % 3), want[k]);
		assert_int_equal(imap_find(&m, k * 0x10001ULL, k % 3 + 1), IMAP_NONE);
	}
	imap_fini(&m);
}

static uint64_t pid(uint32_t n)
{
	return (uint64_t)n << 4 | 3;
}

static void ended_processes_are_summed(void **state)
{
	struct ents es;
	uint64_t run = 0;
	uint32_t alive = 0, kept = 0;

	assert_int_equal(ent_init(&es, 64), 0);
	for (uint32_t i = 1; i <= 1000; i++) {
		uint32_t x = ent_get(&es, 0, pid(i));
		struct ent *e = ent_at(&es, x);

		assert_int_not_equal(x, 0);
		e->run_ns = i % 100 == 0 ? 1000000 : i; /* few run long: they stay */
		run += e->run_ns;
		if (i % 50 != 7)
			e->flags |= ENT_EXITED;
	}
	for (uint32_t i = 1; i <= 1000; i++) {
		uint32_t x = imap_find(&es.map, pid(i), 0);

		if (i % 50 == 7) {
			assert_int_not_equal(x, IMAP_NONE);
			alive++;
		}
		if (x != IMAP_NONE) {
			assert_int_equal(ent_at(&es, x)->term, pid(i));
			kept++;
			run -= ent_at(&es, x)->run_ns;
		}
	}
	assert_int_equal(alive, 20);
	assert_true(kept < 64);
	assert_int_equal(es.folded.run_ns, run);
	assert_int_equal(es.folded.nr, 1000 - kept);
	assert_int_equal(es.refused, 0);
	ent_fini(&es);
}

static void living_processes_are_not(void **state)
{
	struct ents es;

	assert_int_equal(ent_init(&es, 32), 0);
	for (uint32_t i = 1; i < 32; i++)
		assert_int_not_equal(ent_get(&es, 0, pid(i)), 0);
	assert_int_equal(ent_get(&es, 0, pid(32)), 0);
	assert_int_equal(ent_get(&es, 0, pid(33)), 0);
	assert_int_equal(es.refused, 2);
	assert_int_equal(es.folded.nr, 0);
	/* once enough have ended there is room again */
	for (uint32_t i = 1; i < 20; i++)
		ent_at(&es, ent_get(&es, 0, pid(i)))->flags |= ENT_EXITED;
	es.exits = 20;
	assert_int_not_equal(ent_get(&es, 0, pid(34)), 0);
	ent_fini(&es);
}

static void a_word_used_again_is_another_process(void **state)
{
	struct ents es;
	uint32_t a, b;

	assert_int_equal(ent_init(&es, 32), 0);
	a = ent_get(&es, 0, pid(5));
	b = ent_renew(&es, 0, pid(5));
	assert_int_not_equal(a, b);
	assert_int_equal(ent_get(&es, 0, pid(5)), b);
	assert_true(ent_at(&es, a)->flags & ENT_OLD);
	assert_int_not_equal(ent_get(&es, 1, pid(5)), b);
	ent_fini(&es);
}

/* Report a text, and give back what it prints. */
static char *report(const char *events, const struct report_opts *o, int want)
{
	struct diag d = DIAG_INIT;
	struct src *s = NULL;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (text_open_mem(&s, "test", events, strlen(events), &d))
		diag_print(&d, stderr, "test");
	assert_non_null(s);
	assert_int_equal(report_run(s, o, out, &d), want);
	src_close(s);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("'%s' is not in:\n%s", what, text);
}

/* 200 processes that come and go, with room for 32: no message and no run may be missing. */
static void sums_stay_whole(void **state)
{
	struct report_opts o = REPORT_OPTS_INIT;
	char *events = NULL, *text;
	size_t len = 0;
	FILE *f = open_memstream(&events, &len);

	for (unsigned int i = 0; i < 200; i++) {
		unsigned long long t = 1000000ULL + i * 1000;

		fprintf(f, "process_spawn ts=%llu p=<0.%u.0> mfa=m:f/0 parent=<0.1.0>\n", t,
			i + 100);
		fprintf(f, "process_scheduled ts=%llu p=<0.%u.0> mfa=m:f/0\n", t + 100, i + 100);
		fprintf(f, "message_send ts=%llu sender=<0.%u.0> receiver=<0.9.0> size=1 msg=?\n",
			t + 200, i + 100);
		fprintf(f, "process_exit ts=%llu p=<0.%u.0> reason=\"normal\"\n", t + 600, i + 100);
	}
	fclose(f);
	o.max_procs = 32;
	o.max_pairs = 16;
	o.top = 4;
	text = report(events, &o, 0);
	assert_has(text, "200 spawned");
	assert_has(text, "200 ended, 0 of them abnormally");
	/* 4 of 200 processes are shown, 500 ns each; <0.9.0> is one of "all others" */
	assert_has(text, "all others (197)");
	assert_has(text, "98.0 us");
	assert_has(text, "were summed early");
	/* 4 of 200 pairs of one message each */
	assert_has(text, "all others (196 pairs)");
	assert_has(text, "may have sent up to 1 messages");
	assert_has(text, "to <0.9.0>: 200 messages from at least ");
	free(text);
	free(events);
}

static void bad_sections_are_told(void **state)
{
	struct report_opts o = REPORT_OPTS_INIT;

	o.sections = "gc,nonsense";
	free(report("vm otp=25\n", &o, -EINVAL));
	o.sections = "gc,exits";
	free(report("vm otp=25\n", &o, 0));
	o.sections = "process"; /* the beginning of a name is not the name */
	free(report("vm otp=25\n", &o, -EINVAL));
}

/* What no VM in its senses writes must not break sums or the program. */
static void nonsense_is_survived(void **state)
{
	struct report_opts o = REPORT_OPTS_INIT;

	free(report(
		"process_unscheduled ts=5 p=?\n"
		"process_scheduled ts=5 p=#Term<0xffffffffffffffff> mfa=?\n"
		"process_scheduled ts=6 p=<0.1.0> mfa=?\n"
		"process_scheduled ts=6 p=<0.1.0> mfa=? on=scheduler/2\n"
		"process_exit ts=7 p=<0.1.0> reason=?\n"
		"process_exit ts=7 p=<0.1.0> reason=\"\"\n"
		"process_unscheduled ts=8 p=<0.1.0>\n"
		"gc_minor_end ts=9 p=? reclaimed=9223372036854775807\n"
		"gc_major_end ts=9 p=<0.1.0> reclaimed=-5\n"
		"message_send ts=9 sender=? receiver=? size=-9 msg=?\n"
		"message_send_remote ts=9 sender=? node_name=? size=? receiver=?\n"
		"message_receive ts=9 receiver=? size=? queue_len=-3 sender=? msg=7\n"
		"function_return ts=9 p=? mfa=?\tdepth=-1\n"
		"function_entry ts=9 p=<0.1.0> mfa=? depth=?\n"
		"function_replaced ts=9 p=<0.1.0> mfa=? by=?\n"
		"exception_throw ts=9 p=<0.1.0> class=? mfa=? reason=?\n"
		"exception_catch ts=9 p=<0.2.0> class=? mfa=m:f/1\n"
		"port_command ts=9 process=? port=? port_name=? command_type=? bytes=-7\n"
		"port_open ts=9 process=? port_name=? port=?\n"
		"port_exit ts=9 process=? port=#Port<0.1> port_name=? reason=?\n"
		"port_open ts=9 process=? port_name=? port=#Port<0.1>\n"
		"state_port ts=9 port=#Port<0.1> port_name=? owner=? name=? input=-1 output=-1\n"
		"tap_stop ts=9 reader=? reason=?\n"
		"user_probe ts=9 p=? name=? a1=? a2=? data=?\n",
		&o, 0));
}

static void deep_recursion_is_bounded(void **state)
{
	struct report_opts o = REPORT_OPTS_INIT;
	char *events = NULL, *text;
	size_t len = 0;
	FILE *f = open_memstream(&events, &len);

	for (unsigned int i = 0; i < 6000; i++)
		fprintf(f, "function_entry ts=%u p=<0.1.0> mfa=m:f/1 depth=%u\n", 1000 + i, i);
	for (unsigned int i = 0; i < 6000; i++)
		fprintf(f, "function_return ts=%u p=<0.1.0> mfa=m:f/1 depth=%u\n", 7000 + i,
			5999 - i);
	fclose(f);
	o.sections = "calls";
	text = report(events, &o, 0);
	assert_has(text, "m:f/1      4096  12.0 us");
	assert_has(text, "1904 deeper than what is kept");
	free(text);
	free(events);
}

/* A source that hands out what it has and then is damaged. */
struct broken {
	struct src src;
	uint64_t words[4];
	int runs;
};

static int broken_run(struct src *s, struct src_run *run, struct diag *d)
{
	struct broken *b = (struct broken *)s;

	if (b->runs++)
		return diag_fail(d, -EPROTO, "packet 2 is damaged");
	*run = (struct src_run){
		.at = b->words, .end = b->words + 3, .base = 5, .bound = UINT64_MAX
	};
	return 1;
}

static void what_could_be_read_is_reported(void **state)
{
	static const struct src_ops ops = { .name = "broken", .run = broken_run };
	struct report_opts o = REPORT_OPTS_INIT;
	struct src_thread thread = { .kind = BTAP_THREAD_SCHEDULER, .number = 1 };
	struct src_vm vm = { .facts = { .pid_shift = 4,
					.pid_number_bits = 15,
					.port_shift = 4,
					.port_number_bits = 28 } };
	struct broken b = {
		.src = { .ops = &ops, .vms = &vm, .nr_vms = 1, .threads = &thread, .nr_threads = 1 }
	};
	struct diag d = DIAG_INIT;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	b.words[0] = BTAP_HEAD(BTAP_EV_process_scheduled, 3, 5);
	b.words[1] = pid(7);
	assert_int_equal(report_run(&b.src, &o, out, &d), -EPROTO);
	fclose(out);
	assert_has(text, "1 process_scheduled");
	assert_has(text, "<0.7.0>");
	assert_has(text, "NOT WHOLE");
	assert_int_equal(d.nr, 1);
	free(text);
}

static void units(void **state)
{
	char b[TAB_CELL];

	assert_string_equal(tab_ns(b, 0), "0 ns");
	assert_string_equal(tab_ns(b, 999), "999 ns");
	assert_string_equal(tab_ns(b, 1000), "1.00 us");
	assert_string_equal(tab_ns(b, 12345), "12.3 us");
	assert_string_equal(tab_ns(b, 999499), "999 us");
	assert_string_equal(tab_ns(b, 999500), "1.00 ms");
	assert_string_equal(tab_ns(b, 9995000), "10.0 ms");
	assert_string_equal(tab_ns(b, 86400000000000), "86400 s");
	assert_string_equal(tab_bytes(b, 1023), "1023 B");
	assert_string_equal(tab_bytes(b, 1024), "1.00 KiB");
	assert_string_equal(tab_rate(b, 5, 1000000000), "5.00/s");
	assert_string_equal(tab_rate(b, 1, 60000000000), "0.02/s");
	assert_string_equal(tab_rate(b, 12345, 1000000000), "12.3 k/s");
	assert_string_equal(tab_rate(b, 12345, 0), "-");
	assert_string_equal(tab_text(b, "a\x1b[1m\xff", 6, 30), "a\\x1b[1m\\xff");
	assert_string_equal(tab_text(b, "0123456789", 10, 10), "0123456789");
	assert_string_equal(tab_text(b, "01234567890", 11, 10), "0123456...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(imap_is_a_map),
		cmocka_unit_test(ended_processes_are_summed),
		cmocka_unit_test(living_processes_are_not),
		cmocka_unit_test(a_word_used_again_is_another_process),
		cmocka_unit_test(sums_stay_whole),
		cmocka_unit_test(bad_sections_are_told),
		cmocka_unit_test(nonsense_is_survived),
		cmocka_unit_test(deep_recursion_is_bounded),
		cmocka_unit_test(what_could_be_read_is_reported),
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
