// SPDX-License-Identifier: Apache-2.0
/*
 * gend.c - docs/d-builtins.md from decoder/dprog/builtin.def and decoder/dlang/diag.def
 */
#include <stdio.h>
#include <string.h>

#define BF_DESTR 0x1
#define BF_EXT	 0x2
#define BF_DATA	 0x4
#define BF_AGG	 0x8
#define BF_SYM	 0x10

static const char *mark(unsigned int flags)
{
	static char buf[40];

	snprintf(buf, sizeof(buf), "%s%s", flags & BF_EXT ? "*beyond DTrace* " : "",
		 flags & BF_DESTR ? "*needs -w* " : "");
	return buf;
}

/* A table's cell: | would end it */
static void cell(const char *s)
{
	for (; *s; s++)
		printf(*s == '|' ? "\\|" : "%c", *s);
}

int main(void)
{
	printf("<!-- Made by `make gen` from decoder/dprog/builtin.def and decoder/dlang/diag.def. "
	       "-->\n"
	       "# What D has built in\n\n## Variables\n\n`arg0` to `arg9` are raw numbers "
	       "(int64_t), `args[n]` is typed; the rest:\n\n"
	       "| name | type | |\n|---|---|---|\n");
#define BVAR(id, name, type, flags, doc)                                                           \
	printf("| `%s` | %s | %s", name, type, mark(flags));                                       \
	cell(doc);                                                                                 \
	printf(" |\n");
#include "dprog/builtin.def"
	printf("\n## Functions\n\n| | |\n|---|---|\n");
#define FUNC(id, name, result, params, flags, doc)                                                 \
	printf("| `%s %s(%s)` | %s", result, name, params, mark(flags));                           \
	cell(doc);                                                                                 \
	printf(" |\n");
#include "dprog/builtin.def"
	printf("\n## Aggregating functions\n\n| | arguments | |\n|---|---|---|\n");
#define AGGFUNC(id, name, min, max, doc)                                                           \
	if (min == max)                                                                            \
		printf("| `%s()` | %d | %s |\n", name, min, doc);                                  \
	else                                                                                       \
		printf("| `%s()` | %d to %d | %s |\n", name, min, max, doc);
#include "dprog/builtin.def"
	printf("\n## Actions\n\n| | |\n|---|---|\n");
#define ACTION(id, name, params, flags, doc)                                                       \
	printf("| `%s(%s)` | %s", name, params, mark(flags));                                      \
	cell(doc);                                                                                 \
	printf(" |\n");
#include "dprog/builtin.def"
	printf("\n## Known and refused\n\n");
#define REFUSED(name, tag, text) printf("- `%s`: [%s] %s\n", name, #tag, text);
#include "dprog/builtin.def"
	printf("\n## Error tags\n\nShown under `-x errtags`.\n\n| tag | text |\n|---|---|\n");
#define DIAG(tag, scope, fmt)                                                                      \
	printf("| %s | ", #tag);                                                                   \
	cell(fmt);                                                                                 \
	printf(" |\n");
#include "dlang/diag.def"
	return 0;
}
