// SPDX-License-Identifier: Apache-2.0
/*
 * dump_d.c - beamtap dump --after=PASS x.d: what a pass of the D compiler made,
 * for those who work on it
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "dlang/compile.h"
#include "event/desc.h"

static const char *const passes[] = {
	[DLANG_TOK] = "lex",
	[DLANG_AST] = "parse",
	[DLANG_CHECK] = "check",
	[DLANG_DIS] = "emit",
};

/* Every description matches; the arguments are the catalogue's where the name is in it. */
static int match(void *ctx, const struct dprog_pdesc *pd, struct dlang_match *m)
{
	const struct desc *d = desc_find(pd->name, strlen(pd->name));

	m->nr_probes = 1;
	if (!d)
		return 0;
	m->nr_args = d->nr_args;
	for (unsigned int i = 0; i < d->nr_args; i++)
		m->arg_types[i] = desc_arg_index(d, i) < 0 ?
					  "" :
					  desc_types[d->fields[desc_arg_index(d, i)].type].dtype;
	return 0;
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(DLANG_MAX_SOURCE + 1);

	if (!f || !text) {
		fprintf(stderr, "beamtap: cannot read %s: %s\n", path, strerror(errno));
		free(text);
		if (f)
			fclose(f);
		return NULL;
	}
	*len = fread(text, 1, DLANG_MAX_SOURCE + 1, f);
	fclose(f);
	return text;
}

static int compile(const char *path, enum dlang_stage stage)
{
	struct dlang_probes probes = { .match = match };
	const char *argv[] = { path };
	struct dlang_opts o = {
		.probes = &probes, .argc = 1, .argv = argv, .default_args = true, .no_arg_check = true
	};
	struct dlang_unit u = { .name = path, .is_file = true };
	const struct dlang_error *e;
	struct dlang *dl = dlang_new(&o);
	char *text = slurp(path, &u.len), buf[2048];
	int err = -EINVAL;

	if (dl && text) {
		u.text = text;
		dlang_dump_to(dl, stage, stdout);
		err = dlang_compile(dl, &u);
		for (unsigned int i = 0, nr = dlang_errors(dl, &e); i < nr; i++) {
			dlang_error_text(&e[i], &u, true, buf, sizeof(buf));
			fprintf(stderr, "beamtap: %s\n", buf);
		}
	}
	dlang_free(dl);
	free(text);
	return err ? CLI_FAILED : 0;
}

int dump_d_main(int argc, char **argv)
{
	const char *pass = argv[1] + strlen("--after=");
	int i, status = 0;

	for (i = DLANG_TOK; i <= DLANG_DIS; i++)
		if (!strcmp(passes[i], pass))
			break;
	if (i > DLANG_DIS || argc < 3) {
		fprintf(stderr, "usage: beamtap dump --after=lex|parse|check|emit SCRIPT...\n");
		return CLI_USAGE;
	}
	for (int k = 2; k < argc && !status; k++)
		status = compile(argv[k], (enum dlang_stage)i);
	return status;
}
