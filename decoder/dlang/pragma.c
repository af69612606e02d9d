// SPDX-License-Identifier: Apache-2.0
/*
 * pragma.c - #pragma D option, attributes, binding, depends_on, error
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include "dlang/emit.h"

#define MAX_WORDS 16

/* Words of the line; a "..." is one word without its quotes */
static unsigned int words_of(struct dlang *dl, const char *p, const char *end,
			     const char *w[MAX_WORDS])
{
	unsigned int n = 0;
	const char *from;

	while (n < MAX_WORDS) {
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p == end)
			break;
		from = p;
		if (*p == '"') {
			for (from = ++p; p < end && *p != '"'; p++)
				;
			w[n++] = arena_memdup(&dl->mem, from, p - from);
			p += p < end;
			continue;
		}
		while (p < end && !isspace((unsigned char)*p))
			p++;
		w[n++] = arena_memdup(&dl->mem, from, p - from);
	}
	return n;
}

static void malformed(struct dlang *dl, uint32_t line, const char *what)
{
	err_at(dl, line, D_PRAGMA_MALFORM, "malformed #pragma %s", what);
}

/* sizeof(string) follows the option */
static void set_strsize(struct dlang *dl, const char *value)
{
	unsigned long size;
	char *end;

	size = strtoul(value, &end, 0);
	if (size < DL_MAX_OBJECT && (*end == 'k' || *end == 'K'))
		size <<= 10;
	if (size > 0 && size < DL_MAX_OBJECT)
		((struct dtype *)dl->t_string)->size = size;
}

static void failed_option(struct dlang *dl, const char *name, const char *value, int err,
			  uint32_t line)
{
	if (value)
		err_at(dl, line, D_PRAGMA_OPTSET, "failed to set option '%s' to '%s': %s", name,
		       value, dlang_option_error(err));
	else
		err_at(dl, line, D_PRAGMA_OPTSET, "failed to set option '%s': %s", name,
		       dlang_option_error(err));
}

/* Options that act on what is compiled from here on. */
static void act_on(struct dlang *dl, const char *name, const char *value)
{
	static const struct {
		const char *name;
		size_t at;
	} flags[] = {
		{ "nolint", offsetof(struct dlang_opts, no_lint) },
		{ "defaultargs", offsetof(struct dlang_opts, default_args) },
		{ "zdefs", offsetof(struct dlang_opts, allow_zero) },
		{ "argref", offsetof(struct dlang_opts, no_arg_check) },
		{ "empty", offsetof(struct dlang_opts, allow_empty) },
	};
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strcmp(name, flags[i].name))
			*(bool *)((char *)&dl->opts + flags[i].at) = true;
	if (!value)
		return;
	if (!strcmp(name, "strsize"))
		set_strsize(dl, value);
	if (!strcmp(name, "amin"))
		dlang_attr(value, &dl->opts.amin);
	if (!strcmp(name, "version"))
		dlang_version(value, &dl->opts.version);
}

static void option(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	const char *name, *value = NULL, *eq;
	int err;

	if (!n) {
		malformed(dl, line, "option <option>=<val>");
		return;
	}
	if (n > 1) {
		err_at(dl, line, D_PRAGMA_MALFORM, "superfluous arguments specified for #pragma %s",
		       "option");
		return;
	}
	name = w[0];
	eq = strchr(name, '=');
	if (eq) {
		name = arena_memdup(&dl->mem, name, eq - name);
		value = eq + 1;
	}
	err = dl->opts.set_option ? dl->opts.set_option(dl->opts.option_ctx, name, value) : 0;
	if (err) {
		failed_option(dl, name, value, err, line);
		return;
	}
	act_on(dl, name, value);
	emit_option(dl, name, value, line);
}

static bool is_one_of(const char *word, const char *const *words, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* LEVELS provider NAME PART | LEVELS NAME */
static void attributes(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	static const char *const parts[] = { "provider", "module", "function", "name", "args" };
	struct dlang_attr *a = arena_alloc(&dl->mem, sizeof(*a));

	if (n < 2 || (!strcmp(w[1], "provider") && n < 4)) {
		malformed(dl, line, "attributes <attributes> <ident>");
		return;
	}
	if (!dlang_attr(w[0], a)) {
		err_at(dl, line, D_PRAGMA_INVAL, "invalid attributes specified by #pragma %s",
		       "attributes");
		return;
	}
	if (strcmp(w[1], "provider")) {
		strmap_put(&dl->attrs, w[1], strlen(w[1]), a);
		return;
	}
	/* those of providers are not a script's to say: only the form is looked at */
	if (!is_one_of(w[3], parts, sizeof(parts) / sizeof(parts[0])))
		err_at(dl, line, D_PRAGMA_INVAL,
		       "invalid component \"%s\" in attribute #pragma for provider %s", w[2], w[3]);
}

static void binding(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	uint32_t v;

	if (n < 2)
		malformed(dl, line, "binding \"version\" <ident>");
	else if (dlang_version(w[0], &v) == -EPROTO)
		err_at(dl, line, D_PRAGMA_INVAL, "invalid version string specified by #pragma %s",
		       "binding");
	/* names that a script declares are there whatever -x version says */
}

static void depends(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	const struct dlang_probes *probes = dl->opts.probes;

	if (n < 2) {
		malformed(dl, line, "depends_on <class> <name>");
		return;
	}
	if (!strcmp(w[0], "library")) {
		err_at(dl, line, D_PRAGMA_DEPEND,
		       "main program may not explicitly depend on a library");
		return;
	}
	if (!strcmp(w[0], "provider")) {
		if (!probes || !probes->has_provider || probes->has_provider(probes->ctx, w[1]))
			return;
	} else if (strcmp(w[0], "module")) { /* of the kernel: there is none here */
		err_at(dl, line, D_PRAGMA_INVAL, "invalid class %s specified by #pragma %s", w[0],
		       "depends_on");
		return;
	}
	err_at(dl, line, D_PRAGMA_DEPEND, "program requires %s %s", w[0], w[1]);
}

/* #error and #pragma D error: words with one blank between them */
static void error(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	const char *text = "";
	unsigned int i;

	for (i = 0; i < n; i++)
		text = arena_printf(&dl->mem, "%s%s%s", text, i ? " " : "", w[i]);
	err_at(dl, line, D_PRAGERR, "#error: %s", text);
}

void pragma_line(struct dlang *dl, const char *text, size_t len, uint32_t line)
{
	const char *w[MAX_WORDS];
	unsigned int n = words_of(dl, text, text + len, w);

	if (n < 1 || strcmp(w[0], "D"))
		return; /* pragmas of others are ignored */
	if (n < 2) {
		malformed(dl, line, "D");
		return;
	}
	if (!dl->lex.in_top && strcmp(w[1], "line") && strcmp(w[1], "error")) {
		err_at(dl, line, D_PRAGMA_SCOPE, "#pragma %s may only be used outside of clauses",
		       w[1]);
		return;
	}
	if (!strcmp(w[1], "option"))
		option(dl, w + 2, n - 2, line);
	else if (!strcmp(w[1], "attributes"))
		attributes(dl, w + 2, n - 2, line);
	else if (!strcmp(w[1], "binding"))
		binding(dl, w + 2, n - 2, line);
	else if (!strcmp(w[1], "depends_on"))
		depends(dl, w + 2, n - 2, line);
	else if (!strcmp(w[1], "error"))
		error(dl, w + 2, n - 2, line);
	else if (!strcmp(w[1], "line") && n > 2)
		preproc_line(dl, arena_printf(&dl->mem, "%s \"%s\"", w[2], n > 3 ? w[3] : ""),
			     strlen(w[2]) + 3 + (n > 3 ? strlen(w[3]) : 0), line);
	else if (!strcmp(w[1], "line"))
		err_at(dl, line, D_PRAGMA_MALFORM,
		       "malformed #line <line> [ [\"file\"] state ]");
	else if (strcmp(w[1], "ident"))
		err_at(dl, line, D_PRAGMA_INVAL, "invalid D pragma: %s", w[1]);
}
