// SPDX-License-Identifier: Apache-2.0
/* dtrace.c - beamtap dtrace: dtrace(1)'s command line */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/dtrace.h"

void dtrace_say(const char *fmt, ...)
{
	va_list ap;

	fputs("dtrace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

char *dtrace_keep(struct dtrace *dt, char *text)
{
	char **p = text ? realloc(dt->kept, (dt->nr_kept + 1) * sizeof(*p)) : NULL;

	if (p) {
		dt->kept = p;
		p[dt->nr_kept++] = text;
	}
	return text;
}

/* -- reading the command line -- */

static struct dtrace_unit *new_unit(struct dtrace *dt, enum dlang_spec spec, const char *text)
{
	struct dtrace_unit *u = realloc(dt->units, (dt->nr_units + 1) * sizeof(*u));

	if (!u)
		return NULL;
	dt->units = u;
	u += dt->nr_units++;
	memset(u, 0, sizeof(*u));
	u->given = text;
	u->u = (struct dlang_unit){ .text = text, .len = strlen(text), .spec = spec };
	return u;
}

static int add_text(struct dtrace *dt, enum dlang_spec spec, const char *text)
{
	struct dtrace_unit *u = new_unit(dt, spec, text);
	size_t n = strcspn(text, "{;/");

	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\n'))
		n--;
	if (!u || asprintf(&u->name, "description '%.*s'", (int)n, text) < 0)
		return -1;
	u->u.name = text; /* what messages of the compiler call it */
	return 0;
}

static int read_file(const char *path, char **text, size_t *len)
{
	FILE *f = fopen(path, "re");
	size_t cap = 65536, n = 0;
	char *p, *q;

	if (!f) {
		dtrace_say("failed to open %s: %s", path, strerror(errno));
		return -1;
	}
	p = malloc(cap + 1);
	while (p && (n += fread(p + n, 1, cap - n, f)) == cap && cap < DLANG_MAX_SOURCE) {
		q = realloc(p, cap * 2 + 1);
		if (!q)
			break;
		p = q;
		cap *= 2;
	}
	if (!p || ferror(f) || n == cap) {
		dtrace_say("failed to read %s: %s", path, n == cap ? "it is too long" : strerror(errno));
		free(p);
		fclose(f);
		return -1;
	}
	fclose(f);
	p[n] = 0;
	*text = p;
	*len = n;
	return 0;
}

static int add_script(struct dtrace *dt, const char *path)
{
	struct dtrace_unit *u = new_unit(dt, DLANG_SPEC_NAME, "");

	if (!u || asprintf(&u->name, "script '%s'", path) < 0)
		return -1;
	u->given = path;
	u->u.name = path;
	u->u.is_file = true;
	if (!dt->nr_args)
		dt->args[dt->nr_args++] = path; /* $0 */
	return 0;
}

static int load_script(struct dtrace *dt, struct dtrace_unit *u)
{
	char *text;
	size_t len;

	if (read_file(!strcmp(u->given, "-") ? "/dev/stdin" : u->given, &text, &len))
		return -1;
	u->owned = text;
	if (dt->opts.cpp) {
		if (dtrace_cpp(dt, &text, &len)) {
			dtrace_say("failed to compile script %s: Preprocessor failed to process input program",
				   u->given);
			return -1;
		}
		free(u->owned);
		u->owned = text;
	}
	u->u.text = text;
	u->u.len = len;
	return 0;
}

static int load_scripts(struct dtrace *dt)
{
	for (unsigned int i = 0; i < dt->nr_units; i++)
		if (dt->units[i].u.is_file && load_script(dt, &dt->units[i]))
			return -1;
	return 0;
}

static int cpp_arg(struct dtrace *dt, const char *letter, const char *value)
{
	char *text;

	if (dt->nr_cpp_args + 1 >= DTRACE_MAX_ARGS || asprintf(&text, "%s%s", letter, value) < 0)
		return -1;
	dt->cpp_args[dt->nr_cpp_args++] = dtrace_keep(dt, text);
	return 0;
}

/* Options that are words for the preprocessor. */
static int x_for_cpp(struct dtrace *dt, const char *name, const char *value)
{
	char *words, *save = NULL;

	if (!strcmp(name, "define"))
		return cpp_arg(dt, "-D", value);
	if (!strcmp(name, "undef"))
		return cpp_arg(dt, "-U", value);
	if (!strcmp(name, "incdir"))
		return cpp_arg(dt, "-I", value);
	if (!strcmp(name, "cpphdrs"))
		return cpp_arg(dt, "-H", "");
	if (strcmp(name, "cppargs"))
		return 0;
	words = dtrace_keep(dt, strdup(value));
	for (char *w = words ? strtok_r(words, " \t\n\f\r\v", &save) : NULL; w;
	     w = strtok_r(NULL, " \t\n\f\r\v", &save))
		if (cpp_arg(dt, w, ""))
			return -1;
	return 0;
}

static int set_x(struct dtrace *dt, const char *text)
{
	char *name = strdup(text), *value = name ? strchr(name, '=') : NULL;
	int err;

	if (!name)
		return -1;
	if (value)
		*value++ = 0;
	err = dtrace_opt_set(&dt->opts, name, value ? dtrace_keep(dt, strdup(value)) : NULL);
	if (err)
		dtrace_say("failed to set -x %s: %s", name, dlang_option_error(err));
	else
		err = x_for_cpp(dt, name, value);
	free(name);
	return err;
}

static int set_letter(struct dtrace *dt, char letter, const char *name, const char *value)
{
	int err = dtrace_opt_set(&dt->opts, name, value);

	if (err)
		dtrace_say("failed to set -%c %s: %s", letter, value, dlang_option_error(err));
	return err;
}

/* -f: a recording or fixture where there is such a file, else a function's probes. */
static int add_f(struct dtrace *dt, const char *arg)
{
	struct stat st;

	if (strpbrk(arg, "{;"))
		return add_text(dt, DLANG_SPEC_FUNC, arg);
	if (stat(arg, &st) && !strchr(arg, '/')) {
		if (strchr(arg, '.')) /* more likely a slip than a function with such a name */
			dtrace_say("there is no file %s: taken for the name of a function", arg);
		return add_text(dt, DLANG_SPEC_FUNC, arg);
	}
	if (dt->nr_recordings == sizeof(dt->recordings) / sizeof(*dt->recordings)) {
		dtrace_say("too many recordings");
		return -1;
	}
	dt->recordings[dt->nr_recordings++] = arg;
	return 0;
}

static int add_to(const char **list, unsigned int *nr, const char *arg)
{
	if (*nr >= 64) {
		dtrace_say("too many arguments");
		return -1;
	}
	list[(*nr)++] = arg;
	return 0;
}

/* Return: 0, CLI_FAILED or CLI_USAGE */
static int one_option(struct dtrace *dt, int c, unsigned int *modes)
{
	switch (c) {
	case '3':
	case '6':
		return strcmp(optarg, c == '3' ? "2" : "4") ? dtrace_usage() : 0;
	case 'b':
		return set_letter(dt, 'b', "bufsize", optarg);
	case 'B':
		dt->opts.out.no_data = true;
		return 0;
	case 'c':
		return add_to(dt->commands, &dt->nr_commands, optarg);
	case 'C':
		dt->opts.cpp = true;
		return 0;
	case 'D':
		return cpp_arg(dt, "-D", optarg);
	case 'e':
		dt->is_check = true;
		return 0;
	case 'f':
		return add_f(dt, optarg);
	case 'F':
		dt->opts.out.flowindent = true;
		return 0;
	case 'G':
		dt->is_graph = true;
		++*modes;
		return 0;
	case 'h':
		dt->is_header = true;
		++*modes;
		return 0;
	case 'H':
		return cpp_arg(dt, "-H", "");
	case 'i':
		return add_text(dt, DLANG_SPEC_ID, optarg);
	case 'I':
		return cpp_arg(dt, "-I", optarg);
	case 'l':
		dt->is_list = true;
		++*modes;
		return 0;
	case 'L':
		return 0; /* there are no libraries to look for */
	case 'm':
		return add_text(dt, DLANG_SPEC_MOD, optarg);
	case 'n':
		return add_text(dt, DLANG_SPEC_NAME, optarg);
	case 'o':
		dt->output = optarg;
		return 0;
	case 'p':
		return add_to(dt->pids, &dt->nr_pids, optarg);
	case 'P':
		return add_text(dt, DLANG_SPEC_PROV, optarg);
	case 'q':
		dt->opts.out.quiet = true;
		return 0;
	case 's':
		return add_script(dt, optarg);
	case 'S':
		dt->opts.disasm = true;
		return 0;
	case 'U':
		return cpp_arg(dt, "-U", optarg);
	case 'v':
		dt->opts.verbose = true;
		return 0;
	case 'V':
		dt->is_version = true;
		++*modes;
		return 0;
	case 'w':
		dt->opts.destructive = true;
		return 0;
	case 'x':
		return set_x(dt, optarg);
	case 'X':
		if (strlen(optarg) == 1 && strchr("acst", *optarg))
			return 0;
		dtrace_say("failed to set -X %s: Invalid value for specified option", optarg);
		return -1;
	case 'Z':
		dt->opts.zdefs = true;
		return 0;
	case ':':
		dtrace_say("option requires an argument -- '%c'", optopt);
		return dtrace_usage();
	default:
		dtrace_say("invalid option -- '%c'", optopt);
		return dtrace_usage();
	}
}

static int read_args(struct dtrace *dt, int argc, char **argv)
{
	unsigned int modes = 0;
	int c, r;

	opterr = 0;
	for (optind = 1; optind < argc; optind++) {
		while ((c = getopt(argc, argv, "+:3:6:b:Bc:CD:ef:FGhHi:I:lL:m:n:o:p:P:qs:SU:vVwx:X:Z")) != -1) {
			r = one_option(dt, c, &modes);
			if (r)
				return r < 0 ? CLI_FAILED : r;
		}
		if (optind >= argc)
			break;
		if (!dt->nr_args)
			dt->args[dt->nr_args++] = "dtrace";
		if (dt->nr_args == DTRACE_MAX_ARGS) {
			dtrace_say("too many arguments");
			return CLI_FAILED;
		}
		dt->args[dt->nr_args++] = argv[optind];
	}
	if (!dt->nr_args)
		dt->args[dt->nr_args++] = "dtrace";
	if (modes > 1) {
		dtrace_say("only one of the [-GhlV] options can be specified at a time");
		return CLI_USAGE;
	}
	return 0;
}

/* -- compiling -- */

static int set_pragma(void *ctx, const char *name, const char *value)
{
	struct dtrace *dt = ctx;

	return dtrace_opt_set_in_d(&dt->opts, name, value ? dtrace_keep(dt, strdup(value)) : NULL);
}

static void print_errors(struct dtrace *dt, const struct dlang_unit *u)
{
	const struct dlang_error *errs;
	unsigned int nr = dlang_errors(dt->dl, &errs);
	char text[4096];

	for (unsigned int i = 0; i < nr; i++) {
		dlang_error_text(&errs[i], u, dt->opts.errtags, text, sizeof(text));
		dtrace_say("%s", text);
		if (errs[i].hint && *errs[i].hint)
			dtrace_say("%s", errs[i].hint);
	}
}

static int compile(struct dtrace *dt)
{
	struct dlang_probes ask;
	struct dlang_macro macros[] = {
		{ "pid", getpid() },   { "ppid", getppid() },	  { "uid", getuid() }, { "euid", geteuid() },
		{ "gid", getgid() },   { "egid", getegid() },	  { "pgid", getpgrp() }, { "sid", getsid(0) },
		{ "projid", 0 },       { "taskid", 0 },
		{ "target", dt->from.nr_pids ? dt->from.pids[0] : 0 }, { NULL, 0 },
	};
	struct dlang_opts o = {
		.probes = &ask,		.macros = macros,	 .argc = dt->nr_args,
		.argv = dt->args,	.allow_zero = dt->opts.zdefs || dt->is_list || dt->is_header,
		.default_args = dt->opts.default_args, .no_arg_check = dt->opts.no_arg_check,
		.allow_empty = dt->opts.empty, .amin = dt->opts.amin, .version = dt->opts.version,
		.no_lint = dt->opts.no_lint, .strsize = dt->opts.run.vm.strsize,
		.set_option = set_pragma, .option_ctx = dt,
	};

	dtrace_list_ask(dt, &ask);
	dt->dl = dlang_new(&o);
	if (!dt->dl) {
		dtrace_say("no memory for the compiler");
		return -1;
	}
	if (dt->opts.tree)
		dlang_dump_to(dt->dl, DLANG_AST, stderr);
	for (unsigned int i = 0; i < dt->nr_units; i++) {
		struct dtrace_unit *u = &dt->units[i];
		int err;

		err = dlang_compile(dt->dl, &u->u);
		print_errors(dt, &u->u);
		if (err)
			return -1;
	}
	dt->prog = dlang_finish(dt->dl);
	if (!dt->prog)
		print_errors(dt, dt->nr_units ? &dt->units[dt->nr_units - 1].u : NULL);
	return dt->prog ? 0 : -1;
}

static int work(struct dtrace *dt)
{
	if (dt->is_version) {
		printf("dtrace: D 2.0.7\n");
		return 0;
	}
	if (dt->is_graph) {
		dtrace_say("-G has no object files to link: Erlang code is not linked; make an include file for its "
			   "probes with -h");
		return CLI_FAILED;
	}
	if (dt->is_header && !dt->nr_units) {
		dtrace_say("-h requires a script that declares a provider");
		return CLI_USAGE;
	}
	if (dt->is_header)
		return load_scripts(dt) || dtrace_src_none(dt) || compile(dt) ? CLI_FAILED : dtrace_header(dt);
	if (!dt->nr_units && !dt->is_list)
		return dtrace_usage();
	if (load_scripts(dt) || dtrace_src_open(dt))
		return CLI_FAILED;
	if (dt->nr_units && compile(dt))
		return CLI_FAILED;
	if (dt->is_list)
		return dtrace_list(dt);
	if (dt->opts.disasm)
		dis_prog(dt->prog, stderr);
	if (dt->opts.verbose)
		dtrace_list_stability(dt, stdout);
	if (dt->is_check)
		return 0;
	return dtrace_run(dt);
}

static void clean_up(struct dtrace *dt)
{
	fflush(stdout);
	if (dt->out.buf.buf)
		dout_fini(&dt->out);
	if (dt->run.prog)
		run_fini(&dt->run);
	dlang_free(dt->dl);
	if (dt->probes.set)
		probes_fini(&dt->probes);
	provider_set_free(dt->names);
	dtrace_src_close(dt);
	for (unsigned int i = 0; i < dt->nr_units; i++) {
		free(dt->units[i].owned);
		free(dt->units[i].name);
	}
	free(dt->units);
	for (unsigned int i = 0; i < dt->nr_kept; i++)
		free(dt->kept[i]);
	free(dt->kept);
}

int dtrace_main(int argc, char **argv)
{
	struct dtrace *dt = calloc(1, sizeof(*dt));
	int status;

	if (!dt)
		return CLI_FAILED;
	dt->from.go = -1;
	dtrace_opt_init(&dt->opts);
	dtrace_opt_env(&dt->opts);
	status = argc < 2 ? dtrace_usage() : read_args(dt, argc, argv);
	if (!status)
		status = work(dt);
	clean_up(dt);
	free(dt);
	return status;
}
