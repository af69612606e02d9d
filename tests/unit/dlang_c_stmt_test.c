// SPDX-License-Identifier: Apache-2.0
/*
 * dlang_c_stmt_test.c - random statements and structs: what they leave in memory in D
 * against what a C compiler makes of the same text
 */
#include "lib/dlang_c.h"

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
		cmocka_unit_test(layout),
		cmocka_unit_test(statements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
