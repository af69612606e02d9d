// SPDX-License-Identifier: Apache-2.0
/*
 * dlang_golden_test.c - the compiler on tests/golden/dlang: x.d and beside it one
 * expected file a stage, x.tok, x.ast, x.chk (checked tree), x.dis, x.err
 *
 * Files err.TAG.what.d are wrong and must give the error TAG first; every tag of
 * diag.def has one.  A first line `//! ` gives how the text is to be compiled:
 * -n, -P, -m, -f, -i (else a script), args WORD...
 * GOLDEN_UPDATE=1 writes the expected files that are there already, or .err.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "dlang/compile.h"
#include "event/desc.h"

#define DIR_NAME "tests/golden/dlang"

static const char *const all_tags[] = {
#define DIAG(tag, scope, fmt) #tag,
#include "dlang/diag.def"
#undef DIAG
};
#define NR_TAGS (sizeof(all_tags) / sizeof(all_tags[0]))
static bool tag_seen[NR_TAGS];

static const char *const suffixes[] = { "tok", "ast", "chk", "dis", "err" };
enum { S_ERR = 4, NR_SUFFIXES };

/* BEGIN, END, ERROR, tick-*, profile-*, and the catalogue under erlang* */
static int match(void *ctx, const struct dprog_pdesc *pd, struct dlang_match *m)
{
	const struct desc *d = desc_find(pd->name, strlen(pd->name));
	unsigned int i;

	if (!strcmp(pd->name, "BEGIN") || !strcmp(pd->name, "END") || !strcmp(pd->name, "ERROR") ||
	    !strcmp(pd->name, "tick-1s") || !strcmp(pd->prov, "profile"))
		m->nr_probes = 1;
	/* two kinds of probes at once, for D_ARGS_MULTI */
	if (!strcmp(pd->name, "process-*")) {
		m->nr_probes = m->nr_args = 2;
		m->arg_types[0] = m->arg_types[1] = "string";
		m->vary[1] = true;
	}
	if (!strcmp(pd->name, "odd-types")) {
		m->nr_probes = m->nr_args = 1;
		m->arg_types[0] = "nosuch_t *";
	}
	if (pd->id == 1 || !strcmp(pd->prov, "dtrace"))
		m->nr_probes = 1;
	if (!d || strncmp(pd->prov, "erlang", *pd->prov ? 6 : 0))
		return 0;
	m->nr_probes = 1;
	m->nr_args = d->nr_args;
	for (i = 0; i < d->nr_args; i++)
		m->arg_types[i] = desc_arg_index(d, i) < 0
					  ? ""
					  : desc_types[d->fields[desc_arg_index(d, i)].type].dtype;
	return 0;
}

static void suggest(void *ctx, const struct dprog_pdesc *pd, char *buf, size_t size)
{
	if (!strcmp(pd->name, "message-sent"))
		snprintf(buf, size, "nearest name: message-send");
}

static bool has_provider(void *ctx, const char *name)
{
	return !strcmp(name, "erlang");
}

static int set_option(void *ctx, const char *name, const char *value)
{
	return !strcmp(name, "nosuch") ? -ENOENT : !strcmp(name, "badvalue") ? -EINVAL : 0;
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *buf = malloc(1 << 20);

	*len = 0;
	if (!f) {
		free(buf);
		return NULL;
	}
	*len = fread(buf, 1, (1 << 20) - 1, f);
	buf[*len] = 0;
	fclose(f);
	return buf;
}

static void setup(const char *text, struct dlang_unit *u, struct dlang_opts *o, char *line,
		  const char **argv)
{
	bool args = false;
	char *w;

	u->is_file = true;
	o->argc = 1;
	argv[0] = "dtrace";
	o->argv = argv;
	if (strncmp(text, "//! ", 4))
		return;
	snprintf(line, 200, "%.*s", (int)strcspn(text + 4, "\n"), text + 4);
	for (w = strtok(line, " "); w; w = strtok(NULL, " ")) {
		if (!strcmp(w, "args")) {
			args = true;
		} else if (args && o->argc < 8) {
			argv[o->argc++] = w;
		} else if (*w == '-') {
			u->is_file = false;
			u->spec = w[1] == 'P'	? DLANG_SPEC_PROV
				  : w[1] == 'm' ? DLANG_SPEC_MOD
				  : w[1] == 'f' ? DLANG_SPEC_FUNC
				  : w[1] == 'i' ? DLANG_SPEC_ID
						: DLANG_SPEC_NAME;
		}
	}
}

static void print_errors(struct dlang *dl, FILE *f)
{
	static const char *const region[] = { "", "in predicate: ", "in action list: " };
	const struct dlang_error *e;
	unsigned int nr = dlang_errors(dl, &e), i;

	for (i = 0; i < nr; i++) {
		fprintf(f, "%s[%s] ", e[i].is_warning ? "warning " : "", e[i].tag);
		if (e[i].file)
			fprintf(f, "\"%s\" ", e[i].file);
		fprintf(f, "line %u: %s%s\n", e[i].line, region[e[i].region], e[i].text);
		if (*e[i].hint)
			fprintf(f, "\thint: %s\n", e[i].hint);
	}
}

/* Compile @path; leave what each stage shows in out[] */
static void compile(const char *path, char *out[NR_SUFFIXES], char first_tag[64])
{
	struct dlang_probes probes = { .match = match,
				       .suggest = suggest,
				       .has_provider = has_provider };
	static const struct dlang_macro macros[] = { { "pid", 42 }, { "target", 7 }, { NULL, 0 } };
	struct dlang_opts o = { .probes = &probes, .macros = macros, .set_option = set_option };
	struct dlang_unit u = { .name = "x.d" };
	const struct dlang_error *e;
	const char *argv[8];
	FILE *f[NR_SUFFIXES];
	size_t len[NR_SUFFIXES], size;
	struct dlang *dl;
	char line[200];
	char *text = slurp(path, &size);
	int i, r;

	assert_non_null(text);
	setup(text, &u, &o, line, argv);
	u.text = text;
	u.len = size;
	dl = dlang_new(&o);
	for (i = 0; i < NR_SUFFIXES; i++) {
		f[i] = open_memstream(&out[i], &len[i]);
		if (i < S_ERR && i != DLANG_DIS)
			dlang_dump_to(dl, i, f[i]);
	}
	*first_tag = 0;
	r = dlang_compile(dl, &u);
	print_errors(dl, f[S_ERR]);
	if (!r) {
		if (!dlang_finish(dl)) {
			print_errors(dl, f[S_ERR]);
			r = -1;
		} else {
			dis_prog(dlang_finish(dl), f[DLANG_DIS]);
		}
	}
	if (dlang_errors(dl, &e))
		snprintf(first_tag, 64, "%s", e[0].tag);
	if (r && !*first_tag)
		fail_msg("%s: failed without an error", path);
	for (i = 0; i < NR_SUFFIXES; i++)
		fclose(f[i]);
	dlang_free(dl);
	free(text);
}

static int compare(const char *base, char *const out[NR_SUFFIXES], bool is_err)
{
	bool update = getenv("GOLDEN_UPDATE");
	int i, bad = 0, nr = 0;
	char path[400];
	size_t len;
	FILE *f;

	for (i = 0; i < NR_SUFFIXES; i++) {
		char *want;

		snprintf(path, sizeof(path), "%s.%s", base, suffixes[i]);
		want = slurp(path, &len);
		if (!want && !(update && is_err && i == S_ERR))
			continue;
		nr++;
		if (update) {
			f = fopen(path, "w");
			fputs(out[i], f);
			fclose(f);
		} else if (strcmp(want, out[i])) {
			print_error("%s differs; now it is\n%s\n", path, out[i]);
			bad++;
		}
		free(want);
	}
	if (!nr) {
		print_error("%s.d has no expected file\n", base);
		bad++;
	}
	return bad;
}

static void note_tag(const char *tag)
{
	size_t i;

	for (i = 0; i < NR_TAGS; i++)
		if (!strcmp(all_tags[i], tag))
			tag_seen[i] = true;
}

static int one(const char *dir, const char *name)
{
	char base[300], path[400], tag[64], want[64] = "", *out[NR_SUFFIXES];
	int i, bad;

	snprintf(base, sizeof(base), "%s/%.*s", dir, (int)strlen(name) - 2, name);
	snprintf(path, sizeof(path), "%s.d", base);
	compile(path, out, tag);
	sscanf(name, "err.%63[^.].", want);
	bad = compare(base, out, *want);
	if (*want && strcmp(want, tag)) {
		print_error("%s: the first error is %s\n", path, *tag ? tag : "none");
		bad++;
	}
	if (!*want && *tag && strncmp(out[S_ERR], "warning", 7)) {
		print_error("%s: %s\n", path, out[S_ERR]);
		bad++;
	}
	note_tag(want);
	for (i = 0; i < NR_SUFFIXES; i++)
		free(out[i]);
	return bad;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void golden(void **state)
{
	static const char *const dirs[] = { DIR_NAME "/lex", DIR_NAME "/parse", DIR_NAME "/check",
					    DIR_NAME "/emit" };
	struct dirent **ent;
	unsigned int k, nr = 0;
	int n, i, bad = 0;
	size_t len;

	for (k = 0; k < 4; k++) {
		n = scandir(dirs[k], &ent, NULL, by_name);
		for (i = 0; i < n; i++) {
			len = strlen(ent[i]->d_name);
			if (len > 2 && !strcmp(ent[i]->d_name + len - 2, ".d")) {
				bad += one(dirs[k], ent[i]->d_name);
				nr++;
			}
			free(ent[i]);
		}
		if (n >= 0)
			free(ent);
	}
	assert_true(nr > 100);
	assert_int_equal(bad, 0);
}

static void every_tag(void **state)
{
	unsigned int missing = 0;
	size_t i;

	for (i = 0; i < NR_TAGS; i++)
		if (!tag_seen[i]) {
			print_error("no test for %s\n", all_tags[i]);
			missing++;
		}
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(golden), cmocka_unit_test(every_tag) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
