// SPDX-License-Identifier: Apache-2.0
/*
 * dlang_c_test.c - random expressions over integers of all widths: what the
 * machine makes of the compiled D against what a C compiler makes of the same text
 *
 * Each expression is tried twice in D: over variables, so that the machine
 * computes it, and over literals, so that the compiler folds it.
 */
#include "lib/dlang_c.h"

#define NR_EXPRS 400

static const char *const suffixed[] = { "", "", "", "", "", "u", "ll", "ull" };


static int64_t values[NR_VARS];

/* Operand: variable, or with @literal its value cast to the variable's type */
static void operand(FILE *f, unsigned int v, bool literal)
{
	int64_t n = values[v];

	if (!literal)
		fprintf(f, "v%u", v);
	else if (v >= 7)
		fprintf(f, "((%s)0x%" PRIx64 "ull)", types[v], (uint64_t)n);
	else if (n == INT64_MIN)
		fprintf(f, "((%s)(-9223372036854775807ll - 1))", types[v]);
	else
		fprintf(f, "((%s)%s%" PRIu64 "%s)", types[v], n < 0 ? "-" : "",
			n < 0 ? -(uint64_t)n : (uint64_t)n, n < 0 ? "ll" : suffixed[v]);
}

/* The same random choices give the same tree, whatever its leaves look like. */
static void gen(FILE *f, unsigned int depth, bool literal)
{
	static const char *const unary[] = { "-", "~", "!", "+" };
	static const char *const arith[] = { "+", "-", "*", "&", "|", "^" };
	static const char *const rel[] = { "<", "<=", ">", ">=", "==", "!=", "&&", "||" };
	unsigned int k = rnd() % 12;

	if (!depth || k == 0) {
		operand(f, rnd() % NR_VARS, literal);
		return;
	}
	fputc('(', f);
	if (k == 1)
		fprintf(f, "%s", unary[rnd() % 4]);
	else if (k == 2)
		fprintf(f, "(%s)", types[rnd() % NR_VARS]);
	fputc('(', f);
	gen(f, depth - 1, literal);
	fputc(')', f);
	switch (k) {
	case 1:
	case 2:
		break;
	case 3:
		fputs(" ? (", f);
		gen(f, depth - 1, literal);
		fputs(") : (", f);
		gen(f, depth - 1, literal);
		fputc(')', f);
		break;
	case 4: /* what C leaves undefined is kept out: the count is below the width */
		fputs(rnd() & 1 ? " << ((" : " >> ((", f);
		gen(f, depth - 1, literal);
		fputs(") & 31)", f);
		break;
	case 5: /* nor is anything divided by 0 or -1 */
		fputs(rnd() & 1 ? " / (((" : " % (((", f);
		gen(f, depth - 1, literal);
		fputs(") & 0xff) + 2)", f);
		break;
	default:
		fprintf(f, " %s (", k < 9 ? rel[rnd() % 8] : arith[rnd() % 6]);
		gen(f, depth - 1, literal);
		fputc(')', f);
	}
	fputc(')', f);
}

static void gen_text(char **text, unsigned int depth, bool literal)
{
	size_t len;
	FILE *f = open_memstream(text, &len);

	gen(f, depth, literal);
	fclose(f);
}

static char *vars_text[NR_EXPRS], *lits_text[NR_EXPRS];
static int64_t expected[NR_EXPRS], sets[NR_EXPRS][NR_VARS];

static void make_expressions(void)
{
	uint64_t at;
	unsigned int i, v;

	for (i = 0; i < NR_EXPRS; i++) {
		for (v = 0; v < NR_VARS; v++)
			sets[i][v] = values[v] = interesting(v);
		at = seed;
		gen_text(&vars_text[i], 1 + i % 4, false);
		seed = at;
		gen_text(&lits_text[i], 1 + i % 4, true);
	}
}

/* Ask the C compiler.  Return: false if there is none */
static bool ask_c(void)
{
	static char out[NR_EXPRS * 24];
	unsigned int i, v;
	char *c, *at = out;
	size_t len;
	bool ok;
	FILE *f = open_memstream(&c, &len);

	fprintf(f, "int main(void)\n{\n");
	for (i = 0; i < NR_EXPRS; i++) {
		fprintf(f, "\t{");
		for (v = 0; v < NR_VARS; v++)
			fprintf(f, " volatile %s v%u = (%s)0x%" PRIx64 "ull;", types[v], v,
				types[v], (uint64_t)sets[i][v]);
		fprintf(f, "\n\tprintf(\"%%lld\\n\", (long long)(%s)); }\n", vars_text[i]);
	}
	fprintf(f, "\treturn 0;\n}\n");
	fclose(f);
	ok = run_c(c, out, sizeof(out));
	free(c);
	for (i = 0; ok && i < NR_EXPRS; i++)
		expected[i] = strtoll(at, &at, 10);
	return ok;
}

static void same_as_c(void **state)
{
	const char *s = getenv("SEED");
	unsigned int i, v;
	char *text;
	size_t len;
	FILE *f;

	seed = s ? strtoull(s, NULL, 0) : 0x9e3779b97f4a7c15ull;
	make_expressions();
	if (!ask_c()) {
		print_message("no C compiler\n");
		skip();
	}
	for (i = 0; i < NR_EXPRS; i++) {
		int64_t got;

		f = open_memstream(&text, &len);
		for (v = 0; v < NR_VARS; v++)
			fprintf(f, "%s v%u; ", types[v], v);
		fprintf(f, "BEGIN { ");
		for (v = 0; v < NR_VARS; v++)
			fprintf(f, "v%u = 0x%" PRIx64 "ull; ", v, (uint64_t)sets[i][v]);
		fprintf(f, "trace((int64_t)(%s)); }", vars_text[i]);
		fclose(f);
		got = run_d(text);
		if (got != expected[i])
			fail_msg("machine: %" PRId64 ", C: %" PRId64 " for\n%s", got, expected[i],
				 text);
		free(text);
		f = open_memstream(&text, &len);
		fprintf(f, "BEGIN { trace((int64_t)(%s)); }", lits_text[i]);
		fclose(f);
		got = run_d(text);
		if (got != expected[i])
			fail_msg("folded: %" PRId64 ", C: %" PRId64 " for\n%s", got, expected[i],
				 text);
		free(text);
		free(vars_text[i]);
		free(lits_text[i]);
	}
}

/* Assignment operators: as in C, x op= y is x = (type of x)(x op y), of all pairs of types */
static void compound(void **state)
{
	static const char *const ops[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>" };
	char text[600];
	unsigned int i;

	seed = 0x2545f4914f6cdd1dull;
	for (i = 0; i < 600; i++) {
		unsigned int a = rnd() % NR_VARS, b = rnd() % NR_VARS, op = rnd() % 10;
		int64_t x = interesting(a), y = interesting(b);
		const char *fmt = i & 1 ? "%s x[int]; %s y; BEGIN { x[3] = 0x%" PRIx64
					  "ull; y = 0x%" PRIx64
					  "ull; x[3] %s= y; trace((int64_t)x[3]); }"
					: "%s x; %s y; BEGIN { x = 0x%" PRIx64 "ull; y = 0x%" PRIx64
					  "ull; x %s= y; trace((int64_t)x); }";
		const char *fmt2 = "%s x; %s y; BEGIN { x = 0x%" PRIx64 "ull; y = 0x%" PRIx64
				   "ull; trace((int64_t)(%s)(x %s y)); }";
		int64_t got, want;

		if (op == 3 || op == 4)
			y = 2 + (y & 63);
		if (op >= 8)
			y &= 31;
		snprintf(text, sizeof(text), fmt, types[a], types[b], (uint64_t)x, (uint64_t)y,
			 ops[op]);
		got = run_d(text);
		snprintf(text, sizeof(text), fmt2, types[a], types[b], (uint64_t)x, (uint64_t)y,
			 types[a], ops[op]);
		want = run_d(text);
		if (got != want)
			fail_msg("%s=: %" PRId64 ", not %" PRId64 " for\n%s", ops[op], got, want,
				 text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_c),
		cmocka_unit_test(compound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
