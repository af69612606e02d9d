// SPDX-License-Identifier: Apache-2.0
/* cli.c - options, numbers and complaints of all subcommands; see cli.h */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"

static void print_help(const struct cli_args *a, FILE *f)
{
	char left[64];

	fprintf(f, "usage: %s\n\n%s\n\n", a->synopsis, a->about);
	for (const struct cli_opt *o = a->opts; o->name; o++) {
		if (o->id < 256)
			snprintf(left, sizeof(left), "-%c, --%s%s%s", o->id, o->name,
				 o->arg ? " " : "", o->arg ? o->arg : "");
		else
			snprintf(left, sizeof(left), "    --%s%s%s", o->name, o->arg ? " " : "",
				 o->arg ? o->arg : "");
		if (strlen(left) < 26)
			fprintf(f, "  %-25s %s\n", left, o->help);
		else
			fprintf(f, "  %s\n  %-25s %s\n", left, "", o->help);
	}
	fprintf(f, "  %-25s %s\n", "-h, --help", "this text");
}

int cli_usage(const struct cli_args *a, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "beamtap %s: ", a->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'beamtap %s --help'.\n", a->name);
	return CLI_USAGE;
}

static int bad(const struct cli_args *a, const char *what, const char *word)
{
	cli_usage(a, what, word);
	return CLI_BAD;
}

static int take_value(struct cli_args *a, const struct cli_opt *o, const char *attached)
{
	if (attached) {
		a->value = attached;
	} else if (a->at < a->argc) {
		a->value = a->argv[a->at++];
	} else {
		cli_usage(a, "option --%s needs a value: %s", o->name, o->arg);
		return CLI_BAD;
	}
	return o->id;
}

static int next_long(struct cli_args *a, const char *word)
{
	const char *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) : strlen(word);

	if (!strcmp(word, "help")) {
		print_help(a, stdout);
		return CLI_HELP;
	}
	for (const struct cli_opt *o = a->opts; o->name; o++) {
		if (strlen(o->name) != len || strncmp(o->name, word, len))
			continue;
		if (o->arg)
			return take_value(a, o, eq ? eq + 1 : NULL);
		return eq ? bad(a, "option --%s takes no value", o->name) : o->id;
	}
	return bad(a, "there is no option --%s", word);
}

static int next_letter(struct cli_args *a)
{
	char c = *a->rest++, text[2] = { c, 0 };

	if (c == 'h') {
		print_help(a, stdout);
		return CLI_HELP;
	}
	for (const struct cli_opt *o = a->opts; o->name; o++) {
		const char *rest = a->rest;

		if (o->id != c)
			continue;
		if (!o->arg)
			return o->id;
		a->rest = NULL;
		return take_value(a, o, *rest ? rest : NULL);
	}
	return bad(a, "there is no option -%s", text);
}

int cli_next(struct cli_args *a)
{
	const char *word;

	a->value = NULL;
	if (a->rest && *a->rest)
		return next_letter(a);
	a->rest = NULL;
	if (a->at >= a->argc)
		return CLI_END;
	word = a->argv[a->at++];
	if (a->only_operands || word[0] != '-' || !word[1]) {
		a->value = word;
		return CLI_OPERAND;
	}
	if (!strcmp(word, "--")) {
		a->only_operands = true;
		return CLI_DASHES;
	}
	if (word[1] == '-')
		return next_long(a, word + 2);
	a->rest = word + 1;
	return next_letter(a);
}

int cli_fail(const char *name, const struct diag *d)
{
	char prog[64];

	fflush(stdout);
	snprintf(prog, sizeof(prog), "beamtap %s", name);
	diag_print(d, stderr, prog);
	return CLI_FAILED;
}

int cli_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 },  { "ns", 1 },   { "us", 1e3 },   { "ms", 1e6 },
		{ "s", 1e9 }, { "m", 6e10 }, { "h", 3.6e12 }, { "d", 8.64e13 },
	};
	char *end;
	double v;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	v = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		v *= units[i].ns;
		if (!(v >= 0 && v < 9e18))
			return -EINVAL;
		*ns = (uint64_t)v;
		return 0;
	}
	return -EINVAL;
}

int cli_number(const char *text, uint64_t min, uint64_t max, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return errno || *end || *n < min || *n > max ? -EINVAL : 0;
}
