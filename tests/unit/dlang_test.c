// SPDX-License-Identifier: Apache-2.0
/*
 * dlang_test.c - the compiler as its callers use it: several units, options, the
 * text of errors; and scripts made to make it slow, deep or big
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "dlang/compile.h"

static int compile(struct dlang *dl, const char *text)
{
	struct dlang_unit u = { .text = text, .len = strlen(text), .name = text };

	return dlang_compile(dl, &u);
}

static const char *first_tag(struct dlang *dl)
{
	const struct dlang_error *e;

	return dlang_errors(dl, &e) ? e[0].tag : "";
}

/* Units share globals, self->, aggregations, types and inlines; not this-> */
static void units(void **state)
{
	struct dlang_opts o = { 0 };
	struct dlang *dl = dlang_new(&o);
	const struct dprog *p;

	assert_int_equal(compile(dl, "struct s { int a; }; inline int TWO = 2; BEGIN { x = TWO; "
				     "self->y = 1; this->z = 1; @a[x] = count(); }"),
			 0);
	assert_int_equal(
		compile(dl, "struct s v; END { trace(x + self->y + TWO + v.a); printa(@a); }"), 0);
	assert_int_equal(compile(dl, "END { trace(this->z); }"), -EINVAL);
	assert_string_equal(first_tag(dl), "D_VAR_UNDEF");
	assert_int_equal(
		compile(dl, "END { this->z = \"now a string\"; trace(x); @a[\"k\"] = count(); }"),
		-EINVAL);
	assert_string_equal(first_tag(dl), "D_PROTO_ARG");
	/* what was wrong there is unknown again here */
	assert_int_equal(compile(dl, "END { trace(nosuch); @w[nosuch] = count(); }"), -EINVAL);
	assert_int_equal(compile(dl, "END { trace(nosuch); }"), -EINVAL);
	assert_int_equal(compile(dl, "END { printa(@w); }"), -EINVAL);
	assert_string_equal(first_tag(dl), "D_IDENT_UNDEF");
	assert_int_equal(compile(dl, "END { this->z = \"now a string\"; }"), 0);
	p = dlang_finish(dl);
	assert_non_null(p);
	assert_int_equal(p->nr_units, 3);
	assert_int_equal(p->nr_clauses, 3);
	assert_int_equal(p->units[1].clause, 1);
	assert_int_equal(p->clauses[1].unit, 1);
	assert_int_equal(p->nr_aggs, 1);
	assert_int_equal(p->nr_slots[DPROG_CLAUSE], 2);
	assert_true(p->clauses[1].flags & DPROG_C_DATA);
	assert_false(p->clauses[0].flags & DPROG_C_RECORD);
	dlang_free(dl);
}

static void error_text(void **state)
{
	struct dlang_opts o = { 0 };
	struct dlang *dl = dlang_new(&o);
	struct dlang_unit u = { .text = "BEGIN\n{\n\ttrace(y);\n}\n", .name = "f.d" };
	const struct dlang_error *e;
	char buf[300];

	u.len = strlen(u.text);
	assert_int_equal(dlang_compile(dl, &u), -EINVAL);
	assert_int_equal(dlang_errors(dl, &e), 1);
	dlang_error_text(&e[0], &u, false, buf, sizeof(buf));
	assert_string_equal(buf, "invalid probe specifier f.d: in action list: failed to resolve "
				 "y: Unknown variable name");
	u.is_file = true;
	dlang_error_text(&e[0], &u, false, buf, sizeof(buf));
	assert_string_equal(
		buf,
		"failed to compile script f.d: line 3: failed to resolve y: Unknown variable name");
	dlang_error_text(&e[0], &u, true, buf, sizeof(buf));
	assert_string_equal(buf, "failed to compile script f.d: [D_IDENT_UNDEF] line 3: failed to "
				 "resolve y: Unknown variable name");
	dlang_error_text(&e[0], &u, true, buf, 10);
	assert_string_equal(buf, "failed to");
	dlang_free(dl);
}

static int set_option(void *ctx, const char *name, const char *value)
{
	return !strcmp(name, "strsize") ? value ? 0 : -EINVAL : -ENOENT;
}

static void options(void **state)
{
	static const char *const argv[] = { "dtrace", "5", "b" };
	struct dlang_opts o = { .set_option = set_option, .argc = 3, .argv = argv };
	struct dlang *dl = dlang_new(&o);
	const struct dprog *p;

	assert_int_equal(
		compile(dl,
			"#pragma D option strsize=16\nBEGIN { trace(sizeof(string)); trace($1); }"),
		0);
	assert_null(dlang_finish(dl)); /* $2 is not used */
	assert_string_equal(first_tag(dl), "D_MACRO_UNUSED");
	assert_int_equal(compile(dl, "END { trace($$2); }"), 0);
	p = dlang_finish(dl);
	assert_non_null(p);
	assert_int_equal(p->nr_options, 1);
	assert_string_equal(p->options[0].name, "strsize");
	assert_string_equal(p->options[0].value, "16");
	assert_int_equal(p->code[0].op, DPROG_OP_LDI);
	assert_int_equal(p->code[0].imm, 16);
	assert_int_equal(compile(dl, "#pragma D option strsize\nBEGIN {}"), -EINVAL);
	assert_int_equal(compile(dl, "#pragma D option quiet\nBEGIN {}"), -EINVAL);
	assert_string_equal(first_tag(dl), "D_PRAGMA_OPTSET");
	dlang_free(dl);
}

static void formats(void **state)
{
	struct dlang_opts o = { 0 };
	struct dlang *dl = dlang_new(&o);
	const struct dprog *p;
	const struct dfmt *f;

	assert_int_equal(compile(dl, "BEGIN { printf(\"a%%b%-*.*d|%#5s\", 8, 3, 7, \"x\"); "
				     "@[\"k\", 2] = sum(1); printa(\"%s %@5d %d %@x\", @); }"),
			 0);
	p = dlang_finish(dl);
	f = p->actions[0].fmt;
	assert_int_equal(f->nr, 2);
	assert_int_equal(f->convs[0].lit_len, 3);
	assert_memory_equal(f->convs[0].lit, "a%b", 3);
	assert_int_equal(f->convs[0].conv, 'd');
	assert_int_equal(f->convs[0].flags, DFMT_LEFT | DFMT_WIDTH_ARG | DFMT_PREC_ARG);
	assert_int_equal(f->convs[0].width_arg, 0);
	assert_int_equal(f->convs[0].prec_arg, 1);
	assert_int_equal(f->convs[0].arg, 2);
	assert_int_equal(f->convs[1].arg, 3);
	assert_int_equal(f->convs[1].width, 5);
	assert_int_equal(f->convs[1].prec, -1);
	f = p->actions[1].fmt;
	assert_int_equal(f->nr, 4);
	assert_int_equal(f->convs[0].arg, 0);
	assert_int_equal(f->convs[1].flags, DFMT_AGG);
	assert_int_equal(f->convs[1].width, 5);
	assert_int_equal(f->convs[2].arg, 1);
	assert_int_equal(f->convs[3].agg, 0);
	dlang_free(dl);
}

/* ---- hostile scripts: each must be answered within seconds ---- */

static char *repeat(const char *head, const char *piece, unsigned int nr, const char *tail)
{
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);
	unsigned int i;
	const char *p;

	fputs(head, f);
	for (i = 0; i < nr; i++)
		for (p = piece; *p; p++)
			if (*p == '#')
				fprintf(f, "%u", i);
			else
				fputc(*p, f);
	fputs(tail, f);
	fclose(f);
	return text;
}

static void hostile(void **state)
{
	static const struct {
		const char *head, *piece;
		unsigned int nr;
		const char *tail;
	} c[] = {
		{ "BEGIN { x = ", "(", 100000, "" },
		{ "BEGIN { x = ", "-", 100000, "1; }" },
		{ "BEGIN { x = 1", "+1", 100000, "; }" },
		{ "BEGIN { x = ", "1?", 100000, "" },
		{ "BEGIN { x = ", "y=", 100000, "1; }" },
		{ "BEGIN { x = ", "y[", 100000, "" },
		{ "BEGIN { x = ", "f(", 100000, "" },
		{ "BEGIN { x = ", "sizeof ", 100000, "1; }" },
		{ "BEGIN { x = ", "(int)", 100000, "1; }" },
		{ "int ", "*", 100000, "x;" },
		{ "int x", "[2]", 100000, ";" },
		{ "", "struct s# { ", 100000, "" },
		{ "", "{", 100000, "" },
		{ "", "}", 100000, "" },
		{ "", "BEGIN{}", 100000, "" },
		{ "BEGIN {", "x#=#;", 100000, "}" },
		{ "BEGIN {", "trace(y#);", 100000, "}" },
		{ "BEGIN {", "@a#=count();", 50000, "}" },
		{ "BEGIN {", "printf(\"%d\",#);", 50000, "}" },
		{ "BEGIN { printf(\"", "%d", 100000, "\"); }" },
		{ "BEGIN { printf(\"", "%%", 500000, "\"); }" },
		{ "enum e {", "A#,", 100000, "};" },
		{ "", "typedef int t#;", 50000, "" },
		{ "", "int a#[#];", 50000, "" },
		{ "", "struct s# { int a; }; translator struct s# <struct in6_addr *p> { a = 1; };",
		  20000, "" },
		{ "inline int i0 = 1;", "inline int j# = i0 + i0;", 20000, "" },
		{ "struct s {", "int m#;", 100000, "};" },
		{ "", "BEGIN,", 100000, "BEGIN{}" },
		{ "", "/*", 200000, "" },
		{ "BEGIN /", "x/", 100000, "" },
		{ "", "'", 200000, "" },
		{ "", "#pragma D option a\n", 50000, "" },
		{ "BEGIN { trace(\"", "\\\\", 500000, "\"); }" },
		{ "BEGIN { trace(", "\"", 500000, "); }" },
		{ "BEGIN { ", "eproc                    ", 50000, "; }" },
	};
	struct dlang_opts o = { 0 };
	struct timespec a, b;
	struct dlang *dl;
	unsigned int i;
	double s;
	char *text;

	for (i = 0; i < sizeof(c) / sizeof(*c); i++) {
		text = repeat(c[i].head, c[i].piece, c[i].nr, c[i].tail);
		dl = dlang_new(&o);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		if (!compile(dl, text))
			assert_true(prog_check(dlang_finish(dl), NULL));
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		s = b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9;
		if (s > 5)
			fail_msg("%.1f s for %s%s... (%s)", s, c[i].head, c[i].piece,
				 first_tag(dl));
		if (getenv("VERBOSE"))
			print_message("%.2f s %s %s%s...\n", s, first_tag(dl), c[i].head,
				      c[i].piece);
		dlang_free(dl);
		free(text);
	}
}

/* Inlines of inlines: 2^n nodes, and n * depth levels */
static void blowup(void **state)
{
	struct dlang_opts o = { 0 };
	struct dlang *dl = dlang_new(&o);
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);
	int i;

	fprintf(f, "inline int i0 = pid;");
	for (i = 1; i < 60; i++)
		fprintf(f, "inline int i%d = i%d + i%d;", i, i - 1, i - 1);
	fprintf(f, "BEGIN { trace(i59); }");
	fclose(f);
	assert_int_equal(compile(dl, text), -EINVAL);
	assert_string_equal(first_tag(dl), "D_TOOBIG");
	dlang_free(dl);
	free(text);

	dl = dlang_new(&o);
	f = open_memstream(&text, &len);
	fprintf(f, "inline int i0 = pid;");
	for (i = 1; i < 140; i++) {
		int k;

		fprintf(f, "inline int i%d = i%d", i, i - 1);
		for (k = 0; k < 900; k++)
			fprintf(f, "+1");
		fprintf(f, ";");
	}
	fprintf(f, "BEGIN { trace(i139); }");
	fclose(f);
	assert_int_equal(compile(dl, text), -EINVAL);
	assert_string_equal(first_tag(dl), "D_TOOBIG");
	dlang_free(dl);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),   cmocka_unit_test(error_text), cmocka_unit_test(options),
		cmocka_unit_test(formats), cmocka_unit_test(hostile),	 cmocka_unit_test(blowup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
