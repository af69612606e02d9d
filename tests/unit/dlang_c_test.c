// SPDX-License-Identifier: Apache-2.0
/*
 * dlang_c_test.c - random expressions over integers of all widths: what the
 * machine makes of the compiled D against what a C compiler makes of the same text
 *
 * Each expression is tried twice in D: over variables, so that the machine
 * computes it, and over literals, so that the compiler folds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "dlang/compile.h"
#include "drun/vm.h"

#define NR_EXPRS 400
#define NR_VARS	 8

static const char *const types[NR_VARS] = { "int8_t",  "uint8_t",  "int16_t", "uint16_t",
					    "int32_t", "uint32_t", "int64_t", "uint64_t" };
static const char *const suffixed[] = { "", "", "", "", "", "u", "ll", "ull" };

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int64_t values[NR_VARS];

static int64_t cut(unsigned int type, uint64_t v)
{
	switch (type) {
	case 0:
		return (int8_t)v;
	case 1:
		return (uint8_t)v;
	case 2:
		return (int16_t)v;
	case 3:
		return (uint16_t)v;
	case 4:
		return (int32_t)v;
	case 5:
		return (uint32_t)v;
	default:
		return (int64_t)v;
	}
}

static int64_t interesting(unsigned int type)
{
	static const uint64_t v[] = { 0,	  1,	      2,
				      3,	  7,	      0x7f,
				      0x80,	  0xff,	      0x7fff,
				      0x8000,	  0x7fffffff, 0x80000000,
				      0xffffffff, INT64_MAX,  (uint64_t)INT64_MIN,
				      UINT64_MAX };
	uint64_t r = rnd() % 3 ? v[rnd() % (sizeof(v) / sizeof(*v))] : rnd() >> rnd() % 64;

	return cut(type, rnd() & 1 ? 0 - r : r);
}

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
	char dir[] = "/tmp/dlang_c.XXXXXX", cmd[400], path[100];
	unsigned int i, v;
	FILE *f;
	bool ok;

	if (!mkdtemp(dir))
		return false;
	snprintf(path, sizeof(path), "%s/x.c", dir);
	f = fopen(path, "w");
	fprintf(f, "#include <stdint.h>\n#include <stdio.h>\nint main(void)\n{\n");
	for (i = 0; i < NR_EXPRS; i++) {
		fprintf(f, "\t{");
		for (v = 0; v < NR_VARS; v++)
			fprintf(f, " volatile %s v%u = (%s)0x%" PRIx64 "ull;", types[v], v,
				types[v], (uint64_t)sets[i][v]);
		fprintf(f, "\n\tprintf(\"%%lld\\n\", (long long)(%s)); }\n", vars_text[i]);
	}
	fprintf(f, "\treturn 0;\n}\n");
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cc -w -std=gnu11 -fwrapv -O0 -o %s/x %s/x.c && %s/x > %s/out",
		 dir, dir, dir, dir);
	ok = !system(cmd);
	snprintf(path, sizeof(path), "%s/out", dir);
	f = ok ? fopen(path, "r") : NULL;
	for (i = 0; f && i < NR_EXPRS; i++)
		ok &= fscanf(f, "%" SCNd64, &expected[i]) == 1;
	if (f)
		fclose(f);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return !system(cmd) && ok;
}

/* Compile and run a C program of one main(); its output goes to @out. */
static bool run_c(const char *body, char *out, size_t size)
{
	char dir[] = "/tmp/dlang_c.XXXXXX", cmd[400], path[100];
	size_t n;
	FILE *f;

	if (!mkdtemp(dir))
		return false;
	snprintf(path, sizeof(path), "%s/x.c", dir);
	f = fopen(path, "w");
	fprintf(f,
		"#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
		"<string.h>\n%s",
		body);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cc -w -std=gnu11 -fwrapv -O0 -o %s/x %s/x.c && %s/x", dir, dir,
		 dir);
	f = popen(cmd, "r");
	n = fread(out, 1, size - 1, f);
	out[n] = 0;
	n = pclose(f);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return !system(cmd) && !n;
}

static const struct vm_probe probe = {
	.id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN"
};

static long resolve(void *ctx, unsigned int kind, unsigned int vmno, uint64_t word, char *buf,
		    size_t size)
{
	return 0;
}

/* Value of a program's one trace(); with @bytes the bytes that it recorded */
static int64_t run_d_bytes(const char *text, void *bytes, size_t size)
{
	struct dlang_unit u = { .text = text, .len = strlen(text), .name = text };
	struct dlang_opts o = { 0 };
	struct vm_opts vo = VM_OPTS_INIT;
	struct vm_env env = { 0 };
	const struct dlang_error *e;
	struct dlang *dl = dlang_new(&o);
	struct vm vm;
	int64_t r;

	if (dlang_compile(dl, &u)) {
		dlang_errors(dl, &e);
		fail_msg("%s\n%s", e->text, text);
	}
	assert_int_equal(vm_init(&vm, dlang_finish(dl), &vo, &env, resolve, NULL), 0);
	memset(&vm.ev, 0, sizeof(vm.ev));
	vm.ev.probe = &probe;
	vm.ev.who.thread = VARS_NO_THREAD;
	vm_begin(&vm);
	assert_int_equal(vm_run(&vm, 0), VM_RECORD);
	assert_int_equal(vm.rec_used, bytes ? 1 + (size + 7) / 8 : 2);
	r = (int64_t)vm.rec[1];
	if (bytes)
		memcpy(bytes, &vm.rec[1], size);
	vm_fini(&vm);
	dlang_free(dl);
	return r;
}

static int64_t run_d(const char *text)
{
	return run_d_bytes(text, NULL, 0);
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

/*
 * Statements over everything that can be stored to, as D has it and as C has it:
 * an associative array is an array in C, this-> a local variable.
 */
static const struct {
	const char *d, *c; /* $: an index from 0 to 3 */
	unsigned int type; /* of types[] */
} places[] = {
	{ "g0", "g0", 0 },
	{ "g1", "g1", 3 },
	{ "g2", "g2", 4 },
	{ "g3", "g3", 7 },
	{ "this->c0", "c0", 1 },
	{ "this->c1", "c1", 6 },
	{ "v.a", "v.a", 0 },
	{ "v.b", "v.b", 5 },
	{ "v.c", "v.c", 4 },
	{ "v.d[$]", "v.d[$]", 3 },
	{ "v.e", "v.e", 6 },
	{ "arr[$]", "arr[$]", 4 },
	{ "bytes[$]", "bytes[$]", 1 },
	{ "m[$]", "m[$]", 2 },
	{ "n[$, 7]", "n[$]", 7 },
	{ "this->p->e", "p->e", 6 },
	{ "this->p->d[$]", "p->d[$]", 3 },
	{ "this->p->b", "p->b", 5 },
	{ "many[$].a", "many[$].a", 0 },
	{ "this->q[$]", "q[$]", 5 },
};
#define NR_PLACES   (sizeof(places) / sizeof(*places))
#define NR_PROGRAMS 60
#define NR_STMTS    14

struct both {
	FILE *d, *c;
};

static void say(struct both *b, const char *text)
{
	fputs(text, b->d);
	fputs(text, b->c);
}

static void say_place(struct both *b, unsigned int i, bool var_index)
{
	const char *index[] = { "0", "1", "2", "3" };
	const char *k = index[rnd() % 4];
	const char *p;

	if (var_index)
		k = rnd() & 1 ? "(g2 & 3)" : "(g1 & 3)";
	for (p = places[i].d; *p; p++)
		*p == '$' ? fputs(k, b->d) : fputc(*p, b->d);
	for (p = places[i].c; *p; p++)
		*p == '$' ? fputs(k, b->c) : fputc(*p, b->c);
}

static void say_expr(struct both *b, unsigned int depth)
{
	static const char *const ops[] = { " + ", " - ", " * ",	 " & ", " | ",
					   " ^ ", " < ", " == ", " && " };
	char num[60];

	if (!depth) {
		if (rnd() % 4) {
			say_place(b, rnd() % NR_PLACES, rnd() & 1);
		} else {
			snprintf(num, sizeof(num), "%d", (int)(rnd() % 2000) - 1000);
			say(b, num);
		}
		return;
	}
	say(b, "(");
	say_expr(b, depth - 1);
	say(b, ops[rnd() % 9]);
	say_expr(b, depth - 1);
	say(b, ")");
}

static void say_stmt(struct both *b)
{
	static const char *const ops[] = { " = ",  " += ", " -= ", " *= ",
					   " &= ", " |= ", " ^= ", " += " };
	unsigned int to = rnd() % NR_PLACES, from;

	switch (rnd() % 6) {
	case 0:
		say_place(b, to, rnd() & 1);
		say(b, rnd() & 1 ? "++" : "--");
		break;
	case 1:
		say(b, rnd() & 1 ? "++" : "--");
		say_place(b, to, rnd() & 1);
		break;
	case 2: /* the value of ++ and --, of another place */
		from = (to + 1 + rnd() % (NR_PLACES - 1)) % NR_PLACES;
		say_place(b, to, false);
		say(b, rnd() & 1 ? " = " : " += ");
		if (rnd() & 1) {
			say(b, "++");
			say_place(b, from, false);
		} else {
			say_place(b, from, false);
			say(b, "--");
		}
		break;
	case 3:
		say_place(b, to, rnd() & 1);
		say(b, rnd() & 1 ? " <<= " : " >>= ");
		say(b, rnd() & 1 ? "3" : "1");
		break;
	default:
		say_place(b, to, false);
		say(b, ops[rnd() % 8]);
		say_expr(b, rnd() % 3);
	}
	say(b, "; ");
}

static const char struct_decl[] =
	"struct s { int8_t a; uint32_t b:5; int32_t c:11; uint16_t d[4]; int64_t e; };";

static void statements(void **state)
{
	char *d[NR_PROGRAMS], *c, *end;
	static char out[1 << 20];
	size_t dlen, clen;
	struct both b;
	unsigned int i, k, at;

	seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 0xfeedfacecafebeefull;
	b.c = open_memstream(&c, &clen);
	fprintf(b.c, "%s\nint main(void) {\n", struct_decl);
	for (i = 0; i < NR_PROGRAMS; i++) {
		b.d = open_memstream(&d[i], &dlen);
		fprintf(b.d,
			"%s int8_t g0; uint16_t g1; int32_t g2; uint64_t g3; this uint8_t c0; this "
			"int64_t c1; struct s v; "
			"int32_t arr[4]; uint8_t bytes[4]; int16_t m[int]; uint64_t n[int, int]; "
			"struct s many[int]; BEGIN { "
			"this->p = (struct s *)alloca(sizeof (struct s)); this->q = (uint32_t "
			"*)alloca(16); this->c0 = 0; this->c1 = 0; ",
			struct_decl);
		fprintf(b.c, "{ int8_t g0 = 0; uint16_t g1 = 0; int32_t g2 = 0; uint64_t g3 = 0; "
			     "uint8_t c0 = 0; int64_t c1 = 0; "
			     "struct s v = {}, w = {}, *p = &w, many[4] = {}; int32_t arr[4] = {}; "
			     "uint8_t bytes[4] = {}; int16_t m[4] = {}; "
			     "uint64_t n[4] = {}; uint32_t q[4] = {};\n");
		for (k = 0; k < NR_STMTS; k++)
			say_stmt(&b);
		/* a sum that each place weighs in */
		fprintf(b.d, "this->sum = (uint64_t)0; ");
		fprintf(b.c, "uint64_t sum = 0; ");
		for (k = 0; k < NR_PLACES; k++)
			for (at = 0; at < (strchr(places[k].d, '$') ? 4 : 1); at++) {
				const char *f;

				fprintf(b.d, "this->sum = this->sum * 31 + (uint64_t)(int64_t)");
				fprintf(b.c, "sum = sum * 31 + (uint64_t)(int64_t)");
				for (f = places[k].d; *f; f++)
					*f == '$' ? fprintf(b.d, "%u", at) : fputc(*f, b.d);
				for (f = places[k].c; *f; f++)
					*f == '$' ? fprintf(b.c, "%u", at) : fputc(*f, b.c);
				say(&b, "; ");
			}
		fprintf(b.d, "trace(this->sum); }");
		fprintf(b.c, "printf(\"%%llu\\n\", (unsigned long long)sum); }\n");
		fclose(b.d);
	}
	fprintf(b.c, "return 0; }\n");
	fclose(b.c);
	if (!run_c(c, out, sizeof(out))) {
		print_message("no C compiler\n");
		skip();
	}
	end = out;
	for (i = 0; i < NR_PROGRAMS; i++) {
		uint64_t want = strtoull(end, &end, 10), got = (uint64_t)run_d(d[i]);

		if (getenv("VERBOSE"))
			print_message("%" PRIu64 "\n", want);
		if (want != got)
			fail_msg("%" PRIu64 ", C: %" PRIu64 " for\n%s", got, want, d[i]);
		free(d[i]);
	}
	free(c);
}

#define NR_STRUCTS 40
#define NR_FIELDS  8

/* Random structs with bit-fields and arrays: size, offsets, and the bits that a store changes */
static void layout(void **state)
{
	static char decl[NR_STRUCTS][1000], fields[NR_STRUCTS][NR_FIELDS][20], out[1 << 20];
	static char text[50000];
	char *c, *p = out;
	unsigned int i, k, nr[NR_STRUCTS], size;
	size_t len, n;
	FILE *f = open_memstream(&c, &len);

	seed = 0x1234567887654321ull;
	fprintf(f, "int main(void)\n{\n");
	for (i = 0; i < NR_STRUCTS; i++) {
		nr[i] = 1 + rnd() % NR_FIELDS;
		n = snprintf(decl[i], sizeof(decl[i]), "%s s%u { ", i % 8 == 7 ? "union" : "struct",
			     i);
		for (k = 0; k < nr[i]; k++) {
			unsigned int t = rnd() % NR_VARS, bits = 8 << t / 2;

			snprintf(fields[i][k], sizeof(fields[i][k]), "f%u", k);
			switch (rnd() % 4) {
			case 0:
				n += snprintf(decl[i] + n, sizeof(decl[i]) - n, "%s f%u[%u]; ",
					      types[t], k, 1 + (unsigned int)(rnd() % 3));
				snprintf(fields[i][k], sizeof(fields[i][k]), "f%u[0]", k);
				break;
			case 1:
				n += snprintf(decl[i] + n, sizeof(decl[i]) - n, "%s f%u; ",
					      types[t], k);
				break;
			default:
				n += snprintf(decl[i] + n, sizeof(decl[i]) - n, "%s f%u:%u; ",
					      types[t], k, 1 + (unsigned int)(rnd() % bits));
			}
		}
		snprintf(decl[i] + n, sizeof(decl[i]) - n, "}");
		fprintf(f,
			"\t{ %s; %s s%u v; unsigned char *b = (unsigned char *)&v; "
			"printf(\"%%zu\\n\", sizeof(v));\n",
			decl[i], i % 8 == 7 ? "union" : "struct", i);
		for (k = 0; k < nr[i]; k++)
			fprintf(f,
				"\t\tmemset(b, 0, sizeof(v)); v.%s = -1; for (unsigned i = 0; i < "
				"sizeof(v); i++) printf(\"%%02x\", b[i]); puts(\"\");\n",
				fields[i][k]);
		fprintf(f, "\t}\n");
	}
	fprintf(f, "\treturn 0;\n}\n");
	fclose(f);
	if (!run_c(c, out, sizeof(out))) {
		print_message("no C compiler\n");
		skip();
	}
	free(c);
	for (i = 0; i < NR_STRUCTS; i++) {
		const char *kind = i % 8 == 7 ? "union" : "struct";

		size = strtoul(p, &p, 10);
		snprintf(text, sizeof(text), "%s; BEGIN { trace((int64_t)sizeof(%s s%u)); }",
			 decl[i], kind, i);
		if (run_d(text) != size)
			fail_msg("size is %u, not %d: %s", size, (int)run_d(text), decl[i]);
		for (k = 0; k < nr[i]; k++) {
			unsigned char bytes[600];
			char hex[1300];
			unsigned int m;

			snprintf(text, sizeof(text), "%s; %s s%u v; BEGIN { v.%s = -1; trace(v); }",
				 decl[i], kind, i, fields[i][k]);
			run_d_bytes(text, bytes, size);
			for (m = 0; m < size; m++)
				sprintf(hex + m * 2, "%02x", bytes[m]);
			while (*p == '\n')
				p++;
			if (strncmp(p, hex, size * 2))
				fail_msg("%s of %s:\n%s\n%.*s", fields[i][k], decl[i], hex,
					 (int)size * 2, p);
			p += size * 2;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_c),
		cmocka_unit_test(compound),
		cmocka_unit_test(layout),
		cmocka_unit_test(statements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
