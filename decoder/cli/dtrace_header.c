// SPDX-License-Identifier: Apache-2.0
/*
 * dtrace_header.c - -h: an Erlang include file for the probes that a D file declares
 *
 *	provider shop { probe order__placed(int, string); };
 *
 * becomes a macro ?ORDER_PLACED(A1, A2), which fires beamtap's user-probe with
 * the name order_placed.  Such a probe carries two integers and one text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/dtrace.h"
#include "event/atom.h"

#define MAX_INTS 2

struct shape {
	unsigned int ints[MAX_INTS], nr_ints, text, nr_texts;
};

static bool is_text(const struct dtype *t)
{
	t = dtype_base(t);
	if (t->kind == DTYPE_STRING)
		return true;
	return (t->kind == DTYPE_PTR || t->kind == DTYPE_ARRAY) && dtype_base(t->ref)->is_char;
}

static bool is_number(const struct dtype *t)
{
	t = dtype_base(t);
	return t->kind == DTYPE_INT || t->kind == DTYPE_ENUM;
}

static int shape_of(const struct dlang_user_probe *p, struct shape *s)
{
	memset(s, 0, sizeof(*s));
	for (unsigned int i = 0; i < p->nr_args; i++) {
		if (is_text(p->args[i].type)) {
			s->text = i;
			s->nr_texts++;
		} else if (!is_number(p->args[i].type)) {
			dtrace_say("line %u: argument %u of probe %s is of type %s: a probe in Erlang code has integers "
				   "and a string", p->line, i, p->name, p->args[i].type->name);
			return -1;
		} else if (s->nr_ints++ < MAX_INTS) {
			s->ints[s->nr_ints - 1] = i;
		}
	}
	if (s->nr_ints <= MAX_INTS && s->nr_texts <= 1)
		return 0;
	dtrace_say("line %u: probe %s has %u integers and %u strings: a probe in Erlang code has at most %d and 1",
		   p->line, p->name, s->nr_ints, s->nr_texts, MAX_INTS);
	return -1;
}

/* order__placed: the macro ORDER_PLACED, the probe order_placed: an atom that is written without quotes. */
static void put_macro_name(FILE *f, const char *name)
{
	for (; *name; name++) {
		fputc(toupper((unsigned char)*name), f);
		name += name[0] == '_' && name[1] == '_';
	}
}

static void put_probe_name(FILE *f, const char *name)
{
	for (; *name; name++) {
		fputc(*name, f);
		name += name[0] == '_' && name[1] == '_';
	}
}

static void put_params(FILE *f, const struct dlang_user_probe *p)
{
	fputc('(', f);
	for (unsigned int i = 0; i < p->nr_args; i++)
		fprintf(f, "%sA%u", i ? ", " : "", i + 1);
	fputc(')', f);
}

static void put_call(FILE *f, const struct dlang_user_probe *p, const struct shape *s)
{
	unsigned int nr = s->nr_texts ? 4 : 1 + s->nr_ints;

	fprintf(f, "\n        (erlang:function_exported(beamtap, probe, %u)\n         andalso beamtap:probe('", nr);
	put_probe_name(f, p->name);
	fputc('\'', f);
	for (unsigned int i = 0; i + 1 < nr && i < MAX_INTS; i++)
		if (i < s->nr_ints)
			fprintf(f, ", A%u", s->ints[i] + 1);
		else
			fputs(", 0", f);
	if (s->nr_texts)
		fprintf(f, ", A%u", s->text + 1);
	fputs("))).\n", f);
}

static int put_probe(FILE *f, const struct dlang_provider *prov, const struct dlang_user_probe *p)
{
	const char *quote;
	struct shape s;

	if (shape_of(p, &s))
		return -1;
	/* as atoms are shown */
	quote = islower((unsigned char)*p->name) && !atom_is_reserved(p->name, strlen(p->name), 0) ? "" : "'";
	fprintf(f, "\n%%%% %s:::%s: in D  erlang*:::user-probe /args[1] == \"%s", prov->name, p->name, quote);
	put_probe_name(f, p->name);
	fprintf(f, "%s\"/", quote);
	for (unsigned int i = 0; i < s.nr_ints; i++)
		fprintf(f, "%s A%u is args[%u]", i ? "," : " ", s.ints[i] + 1, 2 + i);
	if (s.nr_texts)
		fprintf(f, "%s A%u is args[4]", s.nr_ints ? "," : " ", s.text + 1);
	fputs("\n-ifdef(NO_BEAMTAP_PROBES).\n-define(", f);
	put_macro_name(f, p->name);
	put_params(f, p);
	fputs(", begin _ = [", f); /* its arguments are still used */
	for (unsigned int i = 0; i < p->nr_args; i++)
		fprintf(f, "%sA%u", i ? ", " : "", i + 1);
	fputs("], false end).\n-else.\n-define(", f);
	put_macro_name(f, p->name);
	put_params(f, p);
	fputc(',', f);
	put_call(f, p, &s);
	fputs("-endif.\n", f);
	return 0;
}

/* Two probes that would be one macro: of two providers, or foo__bar and foo_bar. */
static bool is_one_macro(const char *a, const char *b)
{
	char *x = NULL, *y = NULL;
	size_t n, m;
	FILE *f = open_memstream(&x, &n), *g = open_memstream(&y, &m);
	bool same = false;

	if (f && g) {
		put_macro_name(f, a);
		put_macro_name(g, b);
	}
	if (f)
		fclose(f);
	if (g)
		fclose(g);
	same = x && y && !strcmp(x, y);
	free(x);
	free(y);
	return same;
}

static int check_macros(const struct dlang_provider *provs, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		for (const struct dlang_user_probe *p = provs[i].probes; p; p = p->next)
			for (unsigned int k = 0; k <= i; k++)
				for (const struct dlang_user_probe *q = provs[k].probes; q && q != p; q = q->next)
					if (is_one_macro(p->name, q->name)) {
						dtrace_say("line %u: probes %s:::%s and %s:::%s would be one macro",
							   p->line, provs[k].name, q->name, provs[i].name, p->name);
						return -1;
					}
	return 0;
}

/* -o, or the first script's name with .hrl for what stands behind its dot; owned */
static char *file_name(const struct dtrace *dt)
{
	const char *script = NULL, *dot, *slash;
	char *name = NULL;

	if (dt->output)
		return strdup(dt->output);
	for (unsigned int i = 0; i < dt->nr_units && !script; i++)
		if (dt->units[i].u.is_file)
			script = dt->units[i].given;
	if (!script || !strcmp(script, "-"))
		return NULL;
	slash = strrchr(script, '/');
	script = slash ? slash + 1 : script;
	dot = strrchr(script, '.');
	if (asprintf(&name, "%.*s.hrl", (int)(dot && dot != script ? dot - script : (long)strlen(script)), script) < 0)
		return NULL;
	return name;
}

static int write_file(const char *name, const char *text, size_t len)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "we") : stdout;
	bool bad;

	if (!f) {
		dtrace_say("failed to open %s: %s", name, strerror(errno));
		return CLI_FAILED;
	}
	bad = fwrite(text, 1, len, f) != len;
	if ((f == stdout ? fflush(f) : fclose(f)) || bad) {
		dtrace_say("failed to write %s: %s", name, strerror(errno));
		return CLI_FAILED;
	}
	return 0;
}

static int make(FILE *f, const struct dlang_provider *provs, unsigned int nr)
{
	if (check_macros(provs, nr))
		return -1;
	fputs("%% Made by dtrace -h: probes in Erlang code, one macro each.  A probe gives false, at the cost\n"
	      "%% of a look whether the module beamtap is loaded, where it is not; with NO_BEAMTAP_PROBES\n"
	      "%% defined nothing is left of it.  See beamtap's docs/agent.md.\n", f);
	fputs("-ifndef(BEAMTAP_PROBES_", f);
	put_macro_name(f, provs[0].name);
	fputs(").\n-define(BEAMTAP_PROBES_", f);
	put_macro_name(f, provs[0].name);
	fputs(", true).\n", f);
	for (unsigned int i = 0; i < nr; i++)
		for (const struct dlang_user_probe *p = provs[i].probes; p; p = p->next)
			if (put_probe(f, &provs[i], p))
				return -1;
	fputs("\n-endif.\n", f);
	return 0;
}

int dtrace_header(struct dtrace *dt)
{
	const struct dlang_provider *provs;
	unsigned int nr = dlang_providers(dt->dl, &provs);
	char *name = file_name(dt), *text = NULL;
	int status = CLI_FAILED;
	size_t len;
	FILE *f;

	if (!name) {
		dtrace_say("-h requires an output file if no scripts are specified");
		return CLI_USAGE;
	}
	if (!nr) {
		dtrace_say("no provider is declared: write provider NAME { probe foo__bar(int, string); };");
		goto out;
	}
	f = open_memstream(&text, &len);
	if (!f)
		goto out;
	status = make(f, provs, nr) ? CLI_FAILED : 0;
	fclose(f);
	if (!status)
		status = write_file(name, text, len);
out:
	free(text);
	free(name);
	return status;
}
