// SPDX-License-Identifier: Apache-2.0
/*
 * print_test.c - lines of every event in every style
 *
 * Over the whole catalogue, with ordinary and extreme values, text -> records ->
 * text is the identity, and so is records -> text -> records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "event/print.h"
#include "source/text.h"

#define NR_VARIANTS 7

/* Values of each type in canonical form; a type has as many as it has, then begins again. */
static const char *const values[DESC_NR_TYPES][NR_VARIANTS] = {
	[DESC_pid] = { "<0.80.0>", "<0.32767.8191>", "?", "#Term<0xffffffffffffff01>" },
	[DESC_port] = { "#Port<0.5>", "?", "#Port<0.268435455>" },
	[DESC_ident] = { "<0.81.2>", "#Port<0.0>", "ok", "'my name'", "?", "#Term<0x5>" },
	[DESC_atom] = { "ok", "'Elixir.Shop'", "'it\\'s'", "'\\x1b[2J'", "?", "#Atom<77>", "'\xc3\xa9'" },
	[DESC_mfa] = { "lists:map/2", "'Elixir.Shop':'do_it?'/255", "?", "m:'-f/1-fun-0-'/0", "#Atom<9>:f/1" },
	[DESC_str] = { "\"tcp_inet\"", "?", "\"\"", "#String<99>", "\"a\\nb \\\"c\\\" \\\\\"" },
	[DESC_text] = { "\"normal\"", "?", "\"\"", "\"\xe2\x82\xac \\x00\\x7f\\xff\\x{9b}\"",
			"\"{'EXIT',\\\"it's\\\"}\"" },
	[DESC_words] = { "233", "-1", "?", "9223372036854775807" },
	[DESC_bytes] = { "1024", "?", "-9223372036854775807" },
	[DESC_count] = { "0", "17", "?" },
	[DESC_ns] = { "1500", "?" },
	[DESC_int] = { "-1", "2147483647", "?" },
	[DESC_u64] = { "18446744073709551615", "0", "?" },
	[DESC_hex] = { "0x0", "0xffffffffffffffff", "?" },
	[DESC_msgid] = { "0", "123456789", "?" },
};

static const char *value_of(unsigned int type, unsigned int variant)
{
	unsigned int nr = 0;

	while (nr < NR_VARIANTS && values[type][nr])
		nr++;
	assert_true(nr > 0); /* a new type: give it values above */
	return values[type][variant % nr];
}

/* One line of every event, for each variant, with all fields or without some that are optional. */
static char *whole_catalogue(void)
{
	size_t size = 4u << 20;
	char *text = malloc(size), *p = text;
	unsigned int ts = 1000;

	p += sprintf(p, "vm otp=25 node=a@host pid=4711 schedulers=4\n");
	p += sprintf(p, "thread scheduler/3 tid=77 name=\"3_scheduler\"\n");
	p += sprintf(p, "scheduler_sleep ts=999 scheduler=3 on=scheduler/3\n");
	for (unsigned int v = 0; v < NR_VARIANTS; v++)
		for (unsigned int i = 0; i < desc_nr; i++) {
			const struct desc *d = desc_all[i];
			unsigned int nr = d->nr_fields - (v ? v % (d->nr_fields - d->nr_req + 1u) : 0);

			p += sprintf(p, "%s ts=%u", d->name, ts++);
			for (unsigned int f = 0; f < nr; f++)
				p += sprintf(p, " %s=%s", d->fields[f].name,
					     value_of(d->fields[f].type, v + f));
			p += sprintf(p, "%s\n", v == 1 ? " on=dirty_cpu/1" : v == 2 ? " on=async/12" :
					       v == 3 ? " on=scheduler/3" : "");
			assert_true((size_t)(p - text) < size - 20000);
		}
	sprintf(p, "lost ts=%u count=5 from=%u to=%u on=poll/0\n", ts, ts - 1, ts + 10);
	return text;
}

static struct src *open_text(const char *text, size_t len)
{
	struct diag d = DIAG_INIT;
	struct src *s;

	if (text_open_mem(&s, "fixture", text, len, &d)) {
		diag_print(&d, stderr, "print_test");
		fail();
	}
	return s;
}

static void print_all(struct src *s, const struct print_opts *opts, struct outbuf *o)
{
	struct print *p = print_new(s, opts);
	struct src_rec rec;

	print_head(p, o);
	while (src_next(s, &rec, NULL) > 0)
		print_rec(p, o, &rec);
	print_free(p);
}

static void test_identity(void **state)
{
	struct print_opts opts = { .style = PRINT_FIXTURE };
	char *text = whole_catalogue();
	struct src *s = open_text(text, strlen(text));
	const char *a, *b;
	struct outbuf o;

	outbuf_init(&o, -1);
	print_all(s, &opts, &o);
	for (a = text, b = outbuf_cstr(&o); *a && *a == *b; a++, b++)
		;
	if (*a != *b) {
		while (a > text && a[-1] != '\n') {
			a--;
			b--;
		}
		fail_msg("expected %.*s\ngot      %.*s", (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
	}
	outbuf_fini(&o);
	src_close(s);
	free(text);
}

/* Words of one are words of the other. */
static void test_words(void **state)
{
	struct print_opts opts = { .style = PRINT_FIXTURE };
	char *text = whole_catalogue();
	struct src *s = open_text(text, strlen(text)), *again;
	struct src_rec r, q;
	struct outbuf o;

	outbuf_init(&o, -1);
	print_all(s, &opts, &o);
	src_close(s);
	s = open_text(text, strlen(text));
	again = open_text(o.buf, o.len);
	while (src_next(s, &r, NULL) > 0) {
		assert_int_equal(src_next(again, &q, NULL), 1);
		assert_true(r.ts == q.ts && r.event == q.event && r.nr_words == q.nr_words);
		assert_memory_equal(r.words, q.words, r.nr_words * 8);
	}
	assert_int_equal(src_next(again, &q, NULL), 0);
	src_close(again);
	src_close(s);
	outbuf_fini(&o);
	free(text);
}

/* Whatever an event holds, it is one line without control bytes, and JSON is valid UTF-8 in balance. */
static void check_lines(const char *s, size_t len, unsigned int want)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < len; i++) {
		nr += s[i] == '\n';
		assert_true(s[i] == '\n' || ((unsigned char)s[i] >= ' ' && s[i] != 0x7f));
	}
	assert_int_equal(nr, want);
}

static void test_lines(void **state)
{
	static const struct print_opts styles[] = {
		{ .style = PRINT_TEXT },
		{ .style = PRINT_TEXT, .term_flags = TERM_ELIXIR | TERM_FUNS, .names = true, .node = true },
		{ .style = PRINT_TEXT, .time = PRINT_WALL },
		{ .style = PRINT_JSON },
		{ .style = PRINT_DTRACE },
	};
	char *text = whole_catalogue();

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		struct src *s = open_text(text, strlen(text));
		struct outbuf o;

		outbuf_init(&o, -1);
		print_all(s, &styles[i], &o);
		check_lines(o.buf, o.len, desc_nr * NR_VARIANTS + 2 + (styles[i].style == PRINT_DTRACE));
		outbuf_fini(&o);
		src_close(s);
	}
	free(text);
}

/* A long text, in a buffer that has to be written out many times. */
static void test_long(void **state)
{
	char text[2100], *p = text;
	struct print_opts opts = { .style = PRINT_JSON };
	struct outbuf o;

	p += sprintf(p, "process_exit ts=1 p=<0.1.0> reason=\"");
	for (int i = 0; i < 1900; i++)
		*p++ = i % 2 ? 'x' : '\'';
	sprintf(p, "\"\n");
	outbuf_init(&o, -1);
	for (int i = 0; i < 300; i++) {
		struct src *s = open_text(text, strlen(text));

		print_all(s, &opts, &o);
		src_close(s);
	}
	assert_int_equal(o.error, 0);
	check_lines(o.buf, o.len, 300);
	outbuf_fini(&o);
}

static void test_errors(void **state)
{
	struct outbuf o;
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		skip();
	outbuf_init(&o, fd);
	for (int i = 0; i < 100000; i++)
		outbuf_str(&o, "a line that nobody will ever see\n");
	assert_int_equal(outbuf_flush(&o), -ENOSPC);
	/* It stays so, and nothing breaks. */
	outbuf_str(&o, "more");
	assert_int_equal(outbuf_flush(&o), -ENOSPC);
	outbuf_fini(&o);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity), cmocka_unit_test(test_words),
		cmocka_unit_test(test_lines),	 cmocka_unit_test(test_long),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
