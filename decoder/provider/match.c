// SPDX-License-Identifier: Apache-2.0
/* match.c - globs over provider:module:function:name */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "provider/match.h"

#define DISTANCE_MAX_LEN 64

/* Step over a set that begins behind `[`.  Return: behind its `]`, or NULL where it has no end */
static const char *set_end(const char *g)
{
	if (*g == '!' || *g == '^')
		g++;
	if (*g == ']')
		g++;
	for (; *g && *g != ']'; g++)
		if (*g == '\\' && g[1])
			g++;
	return *g ? g + 1 : NULL;
}

static bool in_set(const char *g, const char *end, char c)
{
	bool is_not = *g == '!' || *g == '^', is_in = false;

	if (is_not)
		g++;
	for (end--; g < end; g++) {
		unsigned char from, to;

		if (*g == '\\' && g + 1 < end)
			g++;
		from = to = (unsigned char)*g;
		if (g + 2 < end && g[1] == '-') {
			g += 2;
			if (*g == '\\' && g + 1 < end)
				g++;
			to = (unsigned char)*g;
		}
		is_in |= (unsigned char)c >= from && (unsigned char)c <= to;
	}
	return is_in != is_not;
}

/* One element of a glob but `*` against one character.  Return: behind the element, NULL: no match */
static const char *step(const char *g, char c)
{
	const char *end;

	switch (*g) {
	case '\0':
		return NULL;
	case '?':
		return g + 1;
	case '[':
		end = set_end(g + 1);
		if (end)
			return in_set(g + 1, end, c) ? end : NULL;
		break; /* no set: the character itself */
	case '\\':
		if (g[1])
			g++;
		break;
	}
	return *g == c ? g + 1 : NULL;
}

/* Only the last `*` has to be tried again, so the time is at most glob times text. */
bool match_glob(const char *glob, const char *text)
{
	const char *star = NULL, *again = NULL, *next;

	if (!*glob)
		return true;
	while (*text) {
		if (*glob == '*') {
			star = ++glob;
			again = text;
			continue;
		}
		next = step(glob, *text);
		if (next) {
			glob = next;
			text++;
		} else if (star) {
			glob = star;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

bool match_is_literal(const char *glob)
{
	return *glob && !strpbrk(glob, "*?[\\");
}

static int check_glob(const char *g, const char *all, struct diag *d)
{
	for (; *g; g++) {
		if (*g == '\\' && !g[1])
			return diag_fail(d, -EINVAL, "'%s' ends with a backslash", all);
		if (*g == '\\')
			g++;
		else if (*g == '[' && !set_end(g + 1))
			return diag_fail(d, -EINVAL, "'%s' has a [ without ]", all);
	}
	return 0;
}

/* One description, @len bytes. */
static int add_one(struct match *m, const char *text, size_t len, struct diag *d)
{
	struct match_desc desc = { { NULL } }, *descs;
	char *copy = strndup(text, len), *at, *field;
	unsigned int nr = 1, i;
	int r = -ENOMEM;

	if (!copy)
		goto no_memory;
	for (at = copy; *at; at++)
		nr += *at == ':';
	if (nr > MATCH_NR_FIELDS) {
		r = diag_fail(d, -EINVAL,
			      "'%s' has %u fields; a probe has four: provider:module:function:name",
			      copy, nr);
		goto free_copy;
	}
	if (!*copy) {
		r = diag_fail(d, -EINVAL, "a probe's description is empty; '*' stands for all probes");
		goto free_copy;
	}
	r = check_glob(copy, copy, d);
	if (r)
		goto free_copy;
	at = copy;
	for (i = 0; i < MATCH_NR_FIELDS; i++) {
		/* Read from the right: what is missing is missing on the left. */
		field = i < MATCH_NR_FIELDS - nr ? NULL : strsep(&at, ":");
		desc.glob[i] = strdup(field ? field : "");
		if (!desc.glob[i])
			goto no_memory;
	}
	descs = realloc(m->descs, (m->nr + 1) * sizeof(*descs));
	if (!descs)
		goto no_memory;
	m->descs = descs;
	m->descs[m->nr++] = desc;
	free(copy);
	return 0;
no_memory:
	r = diag_fail(d, -ENOMEM, "no memory for a probe's description");
	for (i = 0; i < MATCH_NR_FIELDS; i++)
		free(desc.glob[i]);
free_copy:
	free(copy);
	return r;
}

int match_add(struct match *m, const char *text, struct diag *d)
{
	int r;

	for (;;) {
		size_t len = strcspn(text, ",");

		while (len && *text == ' ') {
			text++;
			len--;
		}
		r = add_one(m, text, len, d);
		if (r)
			return r;
		text += len;
		if (!*text)
			return 0;
		text++;
	}
}

void match_fini(struct match *m)
{
	for (unsigned int i = 0; i < m->nr; i++)
		for (int f = 0; f < MATCH_NR_FIELDS; f++)
			free(m->descs[i].glob[f]);
	free(m->descs);
	m->descs = NULL;
	m->nr = 0;
}

bool match_one(const struct match_desc *m, const char *prov, const char *mod, const char *func,
	       const char *name)
{
	return match_glob(m->glob[MATCH_NAME], name ? name : "") &&
	       match_glob(m->glob[MATCH_PROV], prov ? prov : "") &&
	       match_glob(m->glob[MATCH_MOD], mod ? mod : "") &&
	       match_glob(m->glob[MATCH_FUNC], func ? func : "");
}

bool match_probe(const struct match *m, const char *prov, const char *mod, const char *func,
		 const char *name)
{
	for (unsigned int i = 0; i < m->nr; i++)
		if (match_one(&m->descs[i], prov, mod, func, name))
			return true;
	return false;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

unsigned int match_distance(const char *a, const char *b, unsigned int max)
{
	unsigned int row[3][DISTANCE_MAX_LEN + 1];
	unsigned int *two = row[0], *one = row[1], *now = row[2], *spare;
	size_t la = strlen(a), lb = strlen(b);

	if (la > DISTANCE_MAX_LEN || lb > DISTANCE_MAX_LEN)
		return strcmp(a, b) ? max + 1 : 0;
	for (unsigned int j = 0; j <= lb; j++)
		one[j] = j;
	for (unsigned int i = 1; i <= la; i++) {
		now[0] = i;
		for (unsigned int j = 1; j <= lb; j++) {
			now[j] = min3(one[j] + 1, now[j - 1] + 1,
				      one[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two[j - 2] + 1 < now[j])
				now[j] = two[j - 2] + 1;
		}
		spare = two;
		two = one;
		one = now;
		now = spare;
	}
	return one[lb] < max + 1 ? one[lb] : max + 1;
}
