// SPDX-License-Identifier: Apache-2.0
/* match_test.c - globs, descriptions, the probes of the catalogue, and names that are near */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include "provider/erlang.h"
#include "source/text.h"

static void test_globs(void **state)
{
	static const struct {
		const char *glob, *text;
		bool is;
	} cases[] = {
		{ "", "", true },	       { "", "anything", true },
		{ "*", "", true },	       { "a", "a", true },
		{ "a", "ab", false },	       { "a*", "ab", true },
		{ "*b", "ab", true },	       { "a*c*e", "abcde", true },
		{ "a*c*e", "abcd", false },    { "?", "a", true },
		{ "?", "", false },	       { "a?c", "abc", true },
		{ "[abc]x", "bx", true },      { "[a-c]x", "dx", false },
		{ "[!a-c]x", "dx", true },     { "[!a-c]x", "bx", false },
		{ "[]]", "]", true },	       { "[!]]", "]", false },
		{ "[a-]", "-", true },	       { "[\\]]", "]", true },
		{ "\\*", "*", true },	       { "\\*", "a", false },
		{ "gc_*-start", "gc_minor-start", true },
		{ "gc_*-start", "gc_minor-end", false },
		{ "**a**", "bab", true },      { "*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaa", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (match_glob(cases[i].glob, cases[i].text) != cases[i].is)
			fail_msg("'%s' against '%s'", cases[i].glob, cases[i].text);
	assert_true(match_is_literal("message-send"));
	assert_false(match_is_literal("message-*"));
	assert_false(match_is_literal(""));
}

static void test_descriptions(void **state)
{
	struct match m = { 0 };
	struct diag d = DIAG_INIT;

	assert_int_equal(match_add(&m, "message-send,gc:, erlang*:::message-*,f:n", NULL), 0);
	assert_int_equal(m.nr, 4);
	assert_string_equal(m.descs[0].glob[MATCH_NAME], "message-send");
	assert_string_equal(m.descs[0].glob[MATCH_FUNC], "");
	assert_string_equal(m.descs[1].glob[MATCH_FUNC], "gc");
	assert_string_equal(m.descs[1].glob[MATCH_NAME], "");
	assert_string_equal(m.descs[2].glob[MATCH_PROV], "erlang*");
	assert_string_equal(m.descs[2].glob[MATCH_NAME], "message-*");
	assert_true(match_probe(&m, "erlang1", "beam.smp", "x", "message-queued"));
	assert_false(match_probe(&m, "other", "beam.smp", "x", "message-queued"));
	match_fini(&m);
	assert_false(match_probe(&m, "a", "b", "c", "d"));
	assert_int_equal(match_add(&m, "a:b:c:d:e", &d), -EINVAL);
	assert_non_null(strstr(d.text[0], "5 fields"));
	assert_int_equal(match_add(&m, "a,,b", NULL), -EINVAL);
	assert_int_equal(match_add(&m, "", NULL), -EINVAL);
	assert_int_equal(match_add(&m, "[a", NULL), -EINVAL);
	assert_int_equal(match_add(&m, "a\\", NULL), -EINVAL);
	match_fini(&m);
}

static void test_distance(void **state)
{
	assert_int_equal(match_distance("message-send", "message-send", 3), 0);
	assert_int_equal(match_distance("mesage-send", "message-send", 3), 1);
	assert_int_equal(match_distance("message-snd", "message-send", 3), 1);
	assert_int_equal(match_distance("mesasge-send", "message-send", 3), 1);
	assert_int_equal(match_distance("abc", "xyz", 1), 2);
	assert_int_equal(match_distance("", "abc", 5), 3);
}

static int count_matches(struct provider_set *set, const char *text)
{
	struct match m = { 0 };
	int nr;

	assert_int_equal(match_add(&m, text, NULL), 0);
	nr = provider_each(set, &m.descs[0], NULL, NULL);
	match_fini(&m);
	return nr;
}

static void check_suggests(struct provider_set *set, const char *text, const char *want)
{
	struct match m = { 0 };
	char buf[300];

	assert_int_equal(match_add(&m, text, NULL), 0);
	provider_suggest(set, &m.descs[0], buf, sizeof(buf));
	if (!strstr(buf, want))
		fail_msg("'%s' suggests '%s', not '%s'", text, buf, want);
	match_fini(&m);
}

static const char fixture[] =
	"vm otp=25 node=a@host pid=4711\n"
	"message_send ts=1 sender=<0.1.0> receiver=<0.2.0> size=1 msg=0\n"
	"function_entry ts=2 p=<0.1.0> mfa=lists:map/2 depth=0\n"
	"function_return ts=3 p=<0.1.0> mfa=lists:map/2 depth=0\n"
	"function_entry ts=4 p=<0.1.0> mfa='Elixir.Shop.Cart':total/1 depth=0\n"
	"function_entry ts=5 p=<0.1.0> mfa=lists:map/2 depth=0\n"
	"function_entry ts=6 p=<0.1.0> mfa=lists:map/3 depth=0\n"
	"user_trace_n ts=7 proc=<0.1.0> number=950 user_tag=\"\" i1=0 i2=0 i3=0 i4=0 s1=\"\" s2=\"\" s3=\"\" s4=\"\"\n"
	"user_trace_n ts=8 proc=<0.1.0> number=951 user_tag=\"\" i1=0 i2=0 i3=0 i4=0 s1=\"\" s2=\"\" s3=\"\" s4=\"\"\n"
	"lost ts=9 count=1 from=8 to=9\n";

static void test_probes(void **state)
{
	struct provider_set *set = provider_set_new();
	struct provider_probe *p[9];
	struct diag d = DIAG_INIT;
	struct match m = { 0 };
	struct src_rec rec;
	struct src *s;
	int nr;

	assert_int_equal(text_open_mem(&s, "t", fixture, sizeof(fixture) - 1, &d), 0);
	assert_int_equal(erlang_provide(set, s->vms, s->nr_vms, &d), 0);
	assert_int_equal(provider_nr(set), desc_nr + 950);
	assert_int_equal(count_matches(set, "erlang*:::message-send"), 1);
	assert_int_equal(count_matches(set, "erlang4711:beam.smp:erts_send_message:message-send"), 1);
	assert_int_equal(count_matches(set, "erlang4712:::message-send"), 0);
	assert_int_equal(count_matches(set, "gc_*"), 4);
	assert_int_equal(count_matches(set, "user_trace-n*"), 951);
	assert_int_equal(count_matches(set, "user_trace-n950"), 1);
	assert_int_equal(count_matches(set, "erlang*:lists:map:function-entry"), 1);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(src_next(s, &rec, &d), 1);
		p[i] = erlang_probe_of(set, s, &rec);
	}
	assert_string_equal(p[0]->name, "message-send");
	assert_string_equal(p[0]->prov, "erlang4711");
	assert_int_equal(p[0]->kind->nr_args, 7);
	assert_string_equal(p[0]->kind->args[2].name, "size");
	assert_string_equal(p[0]->kind->args[2].dtype, "int64_t");
	assert_string_equal(p[1]->mod, "lists");
	assert_string_equal(p[1]->func, "map");
	assert_ptr_equal(provider_by_id(set, p[1]->id), p[1]);
	assert_true(p[1]->flags & PROVIDER_FUNCTION);
	assert_string_equal(p[2]->name, "function-return");
	assert_ptr_not_equal(p[1], p[2]);
	assert_ptr_equal(p[4], p[1]);
	assert_ptr_not_equal(p[5], p[1]);
	assert_string_equal(p[6]->name, "user_trace-n950");
	assert_null(p[7]); /* there is no such probe */
	assert_null(p[8]); /* a lost record */
	assert_int_equal(match_add(&m, "erlang*:Shop.Cart:total:function-entry", NULL), 0);
	assert_true(provider_matches(&m.descs[0], p[3]));
	assert_false(provider_matches(&m.descs[0], p[1]));
	match_fini(&m);
	/* Now the template and its three functions. */
	nr = count_matches(set, "erlang*:::function-entry");
	assert_int_equal(nr, 4);
	check_suggests(set, "mesage-send", "message-send");
	check_suggests(set, "message", "message-send");
	check_suggests(set, "erlang:::message-send", "erlang4711:beam.smp:erts_send_message:message-send");
	provider_set_free(set);
	src_close(s);
}

static int want(struct provider_set *set, const char *text, uint64_t ev[BTAP_MASK_WORDS],
		char *spec, size_t size)
{
	struct match m = { 0 };
	int r = 0;

	assert_int_equal(match_add(&m, text, NULL), 0);
	for (unsigned int i = 0; !r && i < m.nr; i++)
		r = erlang_want(set, &m.descs[i], ev, spec, size, NULL);
	match_fini(&m);
	return r;
}

static void test_want(void **state)
{
	struct provider_set *set = provider_set_new();
	uint64_t ev[BTAP_MASK_WORDS] = { 0 };
	char spec[100] = "";

	static const struct provider_kind of_no_event = { .doc = "" };
	const struct provider_probe tick = { .prov = "profile", .mod = "", .func = "", .name = "tick-1s",
					     .kind = &of_no_event };

	assert_non_null(provider_add(set, &tick));
	assert_int_equal(erlang_provide(set, NULL, 0, NULL), 0);
	assert_int_equal(want(set, "tick-1s", ev, spec, sizeof(spec)), 0);
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++)
		assert_true(!ev[i]); /* no VM is to be asked for it */
	assert_int_equal(want(set, "message-send", ev, spec, sizeof(spec)), 0);
	assert_true(ev[0] == 1ULL << BTAP_EV_message_send);
	assert_string_equal(spec, "");
	assert_int_equal(want(set, "erlang*:lists:map:function-entry", ev, spec, sizeof(spec)), 0);
	assert_true(ev[0] >> BTAP_EV_function_entry & 1);
	assert_string_equal(spec, "lists:map/_\n");
	assert_int_equal(want(set, ":Shop.Cart::function-return", ev, spec, sizeof(spec)), 0);
	assert_string_equal(spec, "lists:map/_\nElixir.Shop.Cart:_/_ return\n");
	assert_int_equal(want(set, "erlang*:*:map:function-entry", ev, spec, sizeof(spec)), -EINVAL);
	assert_int_equal(want(set, "erlang*::map:function-entry", ev, spec, sizeof(spec)), -EINVAL);
	assert_int_equal(want(set, "nosuch", ev, spec, sizeof(spec)), -ENOENT);
	assert_int_equal(want(set, "erlang*:beam.smp::", ev, spec, sizeof(spec)), 0);
	assert_string_equal(spec, "lists:map/_\nElixir.Shop.Cart:_/_ return\n");
	assert_int_equal(want(set, ":shop_*::function-entry", ev, spec, sizeof(spec)), 0);
	assert_string_equal(spec, "lists:map/_\nElixir.Shop.Cart:_/_ return\nshop_*:_/_\n");
	spec[0] = '\0';
	assert_int_equal(want(set, ":a_rather_long_module_name::function-entry", ev, spec, 20), -E2BIG);
	provider_set_free(set);
}

static void test_sites(void **state)
{
	assert_string_equal(erlang_site(BTAP_EV_message_send), "erts_send_message");
	assert_string_equal(erlang_site(BTAP_EV_function_entry), "");
	assert_string_equal(erlang_site(9999), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_globs),	 cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_distance), cmocka_unit_test(test_probes),
		cmocka_unit_test(test_want),	 cmocka_unit_test(test_sites),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
