// SPDX-License-Identifier: Apache-2.0
/* term_test.c - terms as Erlang prints them, on the edges of every layout, and back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include "event/term.h"
#include "source/text.h"

/* What io_lib:write_atom/1 of OTP 25 says. */
static const struct {
	const char *in;
	size_t len;
	const char *out;
} atoms[] = {
	/* clang-format off */
	{ "ok", 2, "ok" },
	{ "Ok", 2, "'Ok'" },
	{ "a@b_C9", 6, "a@b_C9" },
	{ "", 0, "''" },
	{ "it's", 4, "'it\\'s'" },
	{ "a b", 3, "'a b'" },
	{ "a-b", 3, "'a-b'" },
	{ "end", 3, "'end'" },
	{ "receive", 7, "'receive'" },
	{ "maybe", 5, "maybe" },
	{ "else", 4, "else" },
	{ "andalso", 7, "'andalso'" },
	{ "\033[2J", 4, "'\\e[2J'" },
	{ "a\012b", 3, "'a\\nb'" },
	{ "\177", 1, "'\\d'" },
	{ "\302\200", 2, "'\\200'" },
	{ "\302\237", 2, "'\\237'" },
	{ "\302\240", 2, "'\302\240'" },
	{ "\303\237", 2, "\303\237" },
	{ "\303\267", 2, "'\303\267'" },
	{ "\303\251t\303\251", 5, "\303\251t\303\251" },
	{ "\303\211t\303\251", 5, "'\303\211t\303\251'" },
	{ "a\303\227", 3, "'a\303\227'" },
	{ "\303\277", 2, "\303\277" },
	{ "\304\201", 2, "'\304\201'" },
	{ "\342\202\254", 3, "'\342\202\254'" },
	{ "\360\237\230\200", 4, "'\360\237\230\200'" },
	{ "1a", 2, "'1a'" },
	{ "_a", 2, "'_a'" },
	{ "@a", 2, "'@a'" },
	{ "a.b", 3, "'a.b'" },
	{ "Elixir.Shop", 11, "'Elixir.Shop'" },
	{ "Elixir.", 7, "'Elixir.'" },
	{ "back\\slash", 10, "'back\\\\slash'" },
	{ "dq\"", 3, "'dq\"'" },
	{ "\011\013\010\014\015", 5, "'\\t\\v\\b\\f\\r'" },
	{ "\000\001", 2, "'\\000\\001'" },
	{ "a\304\200", 3, "'a\304\200'" },
	{ "nonode@nohost", 13, "nonode@nohost" },
	{ "-t/1-fun-0-", 11, "'-t/1-fun-0-'" },
	{ "when", 4, "'when'" },
	{ "xor", 3, "'xor'" },
	{ "bnot", 4, "'bnot'" },
	{ "fun", 3, "'fun'" },
	/* clang-format on */
};

static void check_text(struct outbuf *o, const char *want)
{
	assert_string_equal(outbuf_cstr(o), want);
	o->len = 0;
}

static void test_atoms(void **state)
{
	struct outbuf o;

	outbuf_init(&o, -1);
	for (size_t i = 0; i < sizeof(atoms) / sizeof(atoms[0]); i++) {
		atom_put(&o, atoms[i].in, atoms[i].len, 25);
		check_text(&o, atoms[i].out);
	}
	/* `maybe` and `else` are words of the language since OTP 27. */
	atom_put(&o, "maybe", 5, 27);
	check_text(&o, "'maybe'");
	atom_put(&o, "else", 4, 27);
	check_text(&o, "'else'");
	/* No VM has such an atom, but a spoilt recording may. */
	atom_put(&o, "a\xff" "b", 3, 25);
	check_text(&o, "'a\xef\xbf\xbd" "b'");
	/* A zero byte ends no name. */
	atom_put_elixir_function(&o, "+\0\x1b", 3);
	check_text(&o, "\"+\\x00\\x1b\"");
	atom_put(&o, "end\0", 4, 25);
	check_text(&o, "'end\\000'");
	outbuf_fini(&o);
}

static void test_quoted_back(void **state)
{
	struct term_name n;

	for (size_t i = 0; i < sizeof(atoms) / sizeof(atoms[0]); i++) {
		assert_int_equal(term_parse(&n, atoms[i].out, strlen(atoms[i].out), NULL), 0);
		assert_int_equal(n.kind, TERM_ATOM);
		assert_int_equal(n.len, atoms[i].len);
		assert_memory_equal(n.text, atoms[i].in, n.len);
	}
}

static struct src_vm vm_of(unsigned int otp)
{
	struct src_vm vm = { .facts = { .otp_release = otp, .pid_shift = 4, .port_shift = 4 } };

	vm.facts.pid_number_bits = otp >= 26 ? 28 : 15;
	vm.facts.pid_serial_bits = otp >= 26 ? 32 : 13;
	vm.facts.port_number_bits = otp >= 26 ? 60 : 28;
	return vm;
}

static void test_pids(void **state)
{
	static const struct {
		unsigned int otp;
		uint64_t number, serial;
		bool is_port, is_there;
		const char *text;
	} cases[] = {
		{ 25, 80, 0, false, true, "<0.80.0>" },
		{ 25, 32767, 8191, false, true, "<0.32767.8191>" },
		{ 25, 32768, 0, false, false, "<0.32768.0>" },
		{ 25, 0, 8192, false, false, "<0.0.8192>" },
		{ 26, 32768, 8192, false, true, "<0.32768.8192>" },
		{ 26, 268435455, 4294967295, false, true, "<0.268435455.4294967295>" },
		{ 26, 268435456, 0, false, false, "<0.268435456.0>" },
		{ 26, 0, 4294967296, false, false, "<0.0.4294967296>" },
		{ 25, 5, 0, true, true, "#Port<0.5>" },
		{ 25, 268435455, 0, true, true, "#Port<0.268435455>" },
		{ 25, 268435456, 0, true, false, "#Port<0.268435456>" },
		{ 26, 268435456, 0, true, true, "#Port<0.268435456>" },
		{ 26, 1152921504606846975, 0, true, true, "#Port<0.1152921504606846975>" },
		{ 26, 1152921504606846976, 0, true, false, "#Port<0.1152921504606846976>" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct src_vm vm = vm_of(cases[i].otp);
		struct term_name n;
		struct term_vm t;
		struct outbuf o;
		uint64_t term = 0;

		outbuf_init(&o, -1);
		assert_int_equal(term_init(&t, &vm, 0), 0);
		assert_int_equal(term_parse(&n, cases[i].text, strlen(cases[i].text), NULL), 0);
		assert_int_equal(n.kind, cases[i].is_port ? TERM_PORT : TERM_PID);
		assert_true(n.number == cases[i].number && n.serial == cases[i].serial);
		assert_int_equal(term_make(&t, &n, &term), cases[i].is_there);
		if (cases[i].is_there) {
			assert_true(cases[i].is_port ? term_is_port(term) : term_is_pid(term));
			term_put(&o, &t, term);
			check_text(&o, cases[i].text);
		}
		term_fini(&t);
		outbuf_fini(&o);
	}
}

/* As the emulator of OTP 25 has them: number and serial above the tag. */
static void test_pid_word(void **state)
{
	struct src_vm vm = vm_of(25);
	struct term_vm t;
	struct outbuf o;

	outbuf_init(&o, -1);
	term_init(&t, &vm, 0);
	term_put(&o, &t, 80 << 4 | 3);
	check_text(&o, "<0.80.0>");
	term_put(&o, &t, (1 << 15 | 80) << 4 | 3);
	check_text(&o, "<0.80.1>");
	term_put(&o, &t, 7 << 4 | 7);
	check_text(&o, "#Port<0.7>");
	term_put(&o, &t, 0);
	check_text(&o, "?");
	term_put(&o, &t, 0xff1);
	check_text(&o, "#Term<0xff1>");
	term_put(&o, &t, BTAP_ATOM_TERM(1234));
	check_text(&o, "#Atom<1234>");
	term_put_mfa(&o, &t, BTAP_MFA(1, 2, 3));
	check_text(&o, "#Atom<1>:#Atom<2>/3");
	term_put_mfa(&o, &t, 0);
	check_text(&o, "?");
	term_fini(&t);
	outbuf_fini(&o);
}

/* A VM's facts may be anything. */
static void test_mad_facts(void **state)
{
	struct src_vm vm = { 0 };
	struct term_name n = { .kind = TERM_PID, .number = 1, .serial = 1 };
	struct term_vm t;
	char buf[TERM_PID_MAX];
	uint64_t term;

	for (unsigned int shift = 0; shift < 256; shift += 5)
		for (unsigned int bits = 0; bits < 256; bits += 7) {
			vm.facts.pid_shift = vm.facts.port_shift = (uint8_t)shift;
			vm.facts.pid_number_bits = vm.facts.port_number_bits = (uint8_t)bits;
			vm.facts.pid_serial_bits = (uint8_t)(bits * 3);
			term_init(&t, &vm, 0);
			assert_true(term_put_pid(buf, &t, UINT64_MAX) <= buf + sizeof(buf));
			assert_true(term_put_port(buf, &t, UINT64_MAX) <= buf + sizeof(buf));
			term_make(&t, &n, &term);
			term_fini(&t);
		}
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		int r;
	} bad[] = {
		{ "", -EINVAL },	  { "<", -EINVAL },	      { "<0.80>", -EINVAL },
		{ "<0.80.0", -EINVAL },	  { "<0.80.0>x", -EINVAL },   { "<0.80.0>@", -EINVAL },
		{ "<0.-1.0>", -EINVAL },  { "#Port<0>", -EINVAL },    { "'abc", -EINVAL },
		{ "'a'b", -EINVAL },	  { "a b", -EINVAL },	      { "'\\x{110000}'", -EINVAL },
		{ "'\\x{d800}'", -EINVAL }, { "'\\", -EINVAL },	      { "<0.99999999999999999999.0>", -ERANGE },
		{ "\xff", -EINVAL },
	};
	struct diag d = DIAG_INIT;
	struct term_name n;
	char big[3000];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(term_parse(&n, bad[i].text, strlen(bad[i].text), &d), bad[i].r);
	assert_true(d.nr > 0);
	memset(big, 'a', sizeof(big));
	assert_int_equal(term_parse(&n, big, sizeof(big), NULL), -ERANGE);
	big[0] = big[sizeof(big) - 1] = '\'';
	assert_int_equal(term_parse(&n, big, sizeof(big), NULL), -ERANGE);

	/* The first number is that by which another node knows it. */
	assert_int_equal(term_parse(&n, "<9646.971.2>@b@host", 19, NULL), 0);
	assert_true(n.number == 971 && n.serial == 2);
	assert_int_equal(n.node_len, 6);
	assert_memory_equal(n.node, "b@host", 6);
	assert_int_equal(term_parse(&n, "Shop.Cart", 9, NULL), 0);
	assert_int_equal(n.len, 16);
	assert_memory_equal(n.text, "Elixir.Shop.Cart", 16);
	assert_int_equal(term_parse(&n, "Elixir.Shop", 11, NULL), 0);
	assert_memory_equal(n.text, "Elixir.Shop", n.len);
	assert_int_equal(n.len, 11);
}

/* Functions: as a fixture gives them, and how they are shown. */
static void test_functions(void **state)
{
	static const struct {
		const char *mfa, *plain, *elixir, *funs;
	} cases[] = {
		{ "lists:map/2", "lists:map/2", "lists:map/2", "lists:map/2" },
		{ "'Elixir.Shop.Cart':total/1", "'Elixir.Shop.Cart':total/1", "Shop.Cart.total/1",
		  "'Elixir.Shop.Cart':total/1" },
		{ "'Elixir.Shop':'do_it?'/0", "'Elixir.Shop':'do_it?'/0", "Shop.do_it?/0",
		  "'Elixir.Shop':'do_it?'/0" },
		{ "'Elixir.Shop':'+'/2", "'Elixir.Shop':'+'/2", "Shop.+/2", "'Elixir.Shop':'+'/2" },
		{ "'Elixir.Shop':'a b'/2", "'Elixir.Shop':'a b'/2", "Shop.\"a b\"/2",
		  "'Elixir.Shop':'a b'/2" },
		{ "'Elixir.':f/0", "'Elixir.':f/0", "'Elixir.':f/0", "'Elixir.':f/0" },
		{ "'Elixir.foo':f/0", "'Elixir.foo':f/0", "'Elixir.foo':f/0", "'Elixir.foo':f/0" },
		{ "t:'-t_call/1-fun-1-'/2", "t:'-t_call/1-fun-1-'/2", "t:'-t_call/1-fun-1-'/2",
		  "fun 1 in t:t_call/1" },
		{ "t:'-n/1-lc$^0/1-0-'/1", "t:'-n/1-lc$^0/1-0-'/1", "t:'-n/1-lc$^0/1-0-'/1",
		  "list comprehension 0 in t:n/1" },
		{ "t:'-t_call/1-lbc$^4/2-5-'/2", "t:'-t_call/1-lbc$^4/2-5-'/2",
		  "t:'-t_call/1-lbc$^4/2-5-'/2", "binary comprehension 5 in t:t_call/1" },
		{ "t:'-t_call/1-G/1-2-'/1", "t:'-t_call/1-G/1-2-'/1", "t:'-t_call/1-G/1-2-'/1",
		  "fun G in t:t_call/1" },
		{ "t:'--a b/1-fun-0-/0-fun-3-'/0", "t:'--a b/1-fun-0-/0-fun-3-'/0",
		  "t:'--a b/1-fun-0-/0-fun-3-'/0", "fun 3 in fun 0 in t:'a b'/1" },
		{ "t:'-fun-1-'/0", "t:'-fun-1-'/0", "t:'-fun-1-'/0", "t:'-fun-1-'/0" },
		{ "t:'-a/b-fun-1-'/0", "t:'-a/b-fun-1-'/0", "t:'-a/b-fun-1-'/0", "t:'-a/b-fun-1-'/0" },
		{ "t:'-'/0", "t:'-'/0", "t:'-'/0", "t:'-'/0" },
		{ "t:'--'/0", "t:'--'/0", "t:'--'/0", "t:'--'/0" },
	};
	static const unsigned int flags[] = { 0, TERM_ELIXIR, TERM_FUNS };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *want[] = { cases[i].plain, cases[i].elixir, cases[i].funs };
		char text[200];
		struct src_rec rec;
		struct diag d = DIAG_INIT;
		struct src *s;

		snprintf(text, sizeof(text), "process_hibernate ts=1 p=<0.1.0> mfa=%s\n", cases[i].mfa);
		assert_int_equal(text_open_mem(&s, "t", text, strlen(text), &d), 0);
		assert_int_equal(src_next(s, &rec, &d), 1);
		for (int k = 0; k < 3; k++) {
			struct term_vm t;

			term_init(&t, &s->vms[0], flags[k]);
			assert_string_equal(term_mfa_text(&t, rec.words[2], NULL), want[k]);
			/* A second time, from what was kept. */
			assert_string_equal(term_mfa_text(&t, rec.words[2], NULL), want[k]);
			term_fini(&t);
		}
		src_close(s);
	}
}

/* More functions than are kept: the texts stay right. */
static void test_many_functions(void **state)
{
	static const char text[] = "process_hibernate ts=1 p=<0.1.0> mfa=m:f/1\n";
	struct src_rec rec;
	struct term_vm t;
	struct src *s;
	char want[32];
	uint64_t mfa;

	assert_int_equal(text_open_mem(&s, "t", text, strlen(text), NULL), 0);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	mfa = rec.words[2];
	term_init(&t, &s->vms[0], 0);
	for (unsigned int i = 0; i < 256; i++) {
		snprintf(want, sizeof(want), "m:f/%u", i);
		assert_string_equal(term_mfa_text(&t, (mfa & ~0xffULL) | i, NULL), want);
	}
	term_fini(&t);
	src_close(s);
}

static void test_numbers(void **state)
{
	static const uint64_t n[] = { 0, 9, 10, 99, 100, 12345, 999999999, 1000000000, UINT64_MAX };
	char want[32], got[32];

	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		snprintf(want, sizeof(want), "%llu", (unsigned long long)n[i]);
		*outbuf_put_u64(got, n[i]) = 0;
		assert_string_equal(got, want);
		snprintf(want, sizeof(want), "%lld", (long long)n[i]);
		*outbuf_put_i64(got, (int64_t)n[i]) = 0;
		assert_string_equal(got, want);
		snprintf(want, sizeof(want), "0x%llx", (unsigned long long)n[i]);
		*outbuf_put_hex(got, n[i]) = 0;
		assert_string_equal(got, want);
	}
	*outbuf_put_i64(got, INT64_MIN) = 0;
	assert_string_equal(got, "-9223372036854775808");
	*outbuf_put_pad9(got, 1020304) = 0;
	assert_string_equal(got, "001020304");
	*outbuf_put_pad9(got, 987654321) = 0;
	assert_string_equal(got, "987654321");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atoms),	  cmocka_unit_test(test_quoted_back),
		cmocka_unit_test(test_pids),	  cmocka_unit_test(test_pid_word),
		cmocka_unit_test(test_mad_facts), cmocka_unit_test(test_parse),
		cmocka_unit_test(test_functions), cmocka_unit_test(test_many_functions),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
