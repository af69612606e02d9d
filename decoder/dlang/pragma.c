// SPDX-License-Identifier: Apache-2.0
/*
 * pragma.c - #pragma D option, attributes, binding, depends_on, error
 */
#include <ctype.h>
#include <errno.h>
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

static void option(struct dlang *dl, const char *text, uint32_t line)
{
	const char *eq = strchr(text, '='), *name = text, *value = NULL;
	int r;

	if (eq) {
		name = arena_memdup(&dl->mem, text, eq - text);
		value = eq + 1;
	}
	r = dl->opts.set_option ? dl->opts.set_option(dl->opts.option_ctx, name, value) : 0;
	if (r) {
		err_at(dl, line, D_PRAGMA_OPTSET, "failed to set option '%s': %s", name,
		       r == -ENOENT ? "Invalid option name" : "Invalid value for specified option");
		return;
	}
	if (!strcmp(name, "nolint"))
		dl->opts.no_lint = true;
	if (!strcmp(name, "defaultargs"))
		dl->opts.default_args = true;
	if (!strcmp(name, "zdefs"))
		dl->opts.allow_zero = true;
	if (!strcmp(name, "strsize") && value)
		set_strsize(dl, value);
	emit_option(dl, name, value, line);
}

/* Stable/Stable/Common */
static bool is_attributes(const char *s)
{
	static const char *const levels[] = { "Internal", "Private",  "Obsolete", "External",
					      "Unstable", "Evolving", "Stable",	  "Standard" };
	static const char *const classes[] = { "Unknown", "CPU", "Platform",
					       "Group",	  "ISA", "Common" };
	unsigned int part, i, n;
	size_t len;

	for (part = 0; part < 3; part++) {
		const char *const *words = part < 2 ? levels : classes;
		bool ok = false;

		n = part < 2 ? 8 : 6;
		len = strcspn(s, "/");
		for (i = 0; i < n; i++)
			ok |= strlen(words[i]) == len && !strncasecmp(words[i], s, len);
		if (!ok || (part < 2 && !s[len]))
			return false;
		s += len + (part < 2);
	}
	return !*s;
}

/* provider NAME PART | NAME */
static void attributes(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	if (n < 2 || (!strcmp(w[1], "provider") && n != 4) ||
	    (strcmp(w[1], "provider") && n != 2)) {
		malformed(dl, line, "D attributes");
		return;
	}
	if (!is_attributes(w[0]))
		err_at(dl, line, D_PRAGMA_INVAL, "invalid attributes specified by #pragma: %s",
		       w[0]);
	/* stability levels change nothing in what a program does here */
}

static void depends(struct dlang *dl, const char **w, unsigned int n, uint32_t line)
{
	bool ok = false;

	if (n != 2) {
		malformed(dl, line, "D depends_on");
		return;
	}
	if (!strcmp(w[0], "provider"))
		ok = !dl->opts.probes || !dl->opts.probes->has_provider ||
		     dl->opts.probes->has_provider(dl->opts.probes->ctx, w[1]);
	else if (!strcmp(w[0], "library"))
		ok = strlen(w[1]) > 2; /* what DTrace's libraries declare is built in */
	else if (strcmp(w[0], "module")) {
		malformed(dl, line, "D depends_on");
		return;
	}
	if (!ok)
		err_at(dl, line, D_PRAGMA_DEPEND, "program requires %s %s", w[0], w[1]);
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
	if (!strcmp(w[1], "option")) {
		if (n == 3)
			option(dl, w[2], line);
		else
			malformed(dl, line, "D option");
	} else if (!strcmp(w[1], "attributes")) {
		attributes(dl, w + 2, n - 2, line);
	} else if (!strcmp(w[1], "binding")) {
		if (n != 4)
			malformed(dl, line, "D binding");
	} else if (!strcmp(w[1], "depends_on")) {
		depends(dl, w + 2, n - 2, line);
	} else if (!strcmp(w[1], "error")) {
		err_at(dl, line, D_PRAGERR, "#error: %s", n > 2 ? w[2] : "");
	} else if (!strcmp(w[1], "line")) {
		if (n < 3)
			malformed(dl, line, "D line");
		else
			preproc_line(dl,
				     arena_printf(&dl->mem, "%s \"%s\"", w[2], n > 3 ? w[3] : ""),
				     strlen(w[2]) + 3 + (n > 3 ? strlen(w[3]) : 0), line);
	} else {
		err_at(dl, line, D_PRAGMA_INVAL, "invalid D pragma: %s", w[1]);
	}
}
