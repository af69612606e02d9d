// SPDX-License-Identifier: Apache-2.0
/*
 * preproc.c - control lines, those that the C preprocessor leaves among them:
 * line markers, #line, #error, #ident, #pragma
 */
#include <ctype.h>
#include "dlang/dl.h"

static const char *word(const char **pp, const char *end, size_t *len)
{
	const char *p = *pp, *from;

	while (p < end && isspace((unsigned char)*p))
		p++;
	from = p;
	while (p < end && !isspace((unsigned char)*p))
		p++;
	*pp = p;
	*len = p - from;
	return from;
}

/* # 12 "file" or #line 12 "file": the next line has that number */
static void line_marker(struct dlang *dl, const char *w, size_t len, const char *p, const char *end,
			uint32_t nr)
{
	const char *from = w, *q;
	uint64_t line = 0;

	for (; w < from + len; w++) {
		if (!isdigit((unsigned char)*w) || line > UINT32_MAX / 16) {
			err_at(dl, nr, D_PRAGCTL_LINE, "invalid control line: %.*s",
			       (int)(len > 40 ? 40 : len), from);
			return;
		}
		line = line * 10 + (*w - '0');
	}
	/*
	 * lines are counted when their newline is met: the one that ends this line makes it
	 * `line`
	 */
	dl->lex.line = line ? (uint32_t)line - 1 : 0;
	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p == end || *p != '"')
		return;
	q = memchr(p + 1, '"', end - p - 1);
	if (!q) {
		err_at(dl, nr, D_PRAGCTL_LINE, "invalid control line: %.*s",
		       (int)(end - p > 40 ? 40 : end - p), p);
		return;
	}
	dl->lex.file = NULL;
	if (q - p - 1 > 0 && *(p + 1) != '<') /* <stdin>, <built-in>: the script itself */
		dl->lex.file = arena_memdup(&dl->mem, p + 1, q - p - 1);
}

void preproc_line(struct dlang *dl, const char *text, size_t len, uint32_t nr)
{
	const char *p = text, *end = text + len, *w;
	size_t n;

	w = word(&p, end, &n);
	if (!n) /* # alone */
		return;
	if (isdigit((unsigned char)*w)) {
		line_marker(dl, w, n, p, end, nr);
	} else if (n == 4 && !memcmp(w, "line", 4)) {
		w = word(&p, end, &n);
		if (n)
			line_marker(dl, w, n, p, end, nr);
		else
			err_at(dl, nr, D_PRAGCTL_LINE, "invalid control line: %s",
			       "#line without a number");
	} else if (n == 6 && !memcmp(w, "pragma", 6)) {
		pragma_line(dl, p, end - p, nr);
	} else if (n == 5 && !memcmp(w, "error", 5)) {
		while (p < end && isspace((unsigned char)*p))
			p++;
		err_at(dl, nr, D_PRAGERR, "#error: %.*s", (int)(end - p > 200 ? 200 : end - p), p);
	} else if (!(n == 5 && !memcmp(w, "ident", 5))) {
		err_at(dl, nr, D_PRAGCTL_INVAL, "invalid control directive: #%.*s",
		       (int)(n > 40 ? 40 : n), w);
	}
}
