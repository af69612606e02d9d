// SPDX-License-Identifier: Apache-2.0
/*
 * lex_lit.c - strings, characters, numbers
 */
#include <ctype.h>
#include "dlang/lex.h"

/*
 * An escape behind a backslash at *pp; moves *pp behind it.  Return: its value.
 */
static int escape(struct dlang *dl, const char **pp, const char *end, uint32_t line,
		  const char *what)
{
	const char *p = *pp;
	int v = 0, n;

	if (p == end)
		return '\\';
	switch (*p++) {
	case 'a':
		v = '\a';
		break;
	case 'b':
		v = '\b';
		break;
	case 'f':
		v = '\f';
		break;
	case 'n':
		v = '\n';
		break;
	case 'r':
		v = '\r';
		break;
	case 't':
		v = '\t';
		break;
	case 'v':
		v = '\v';
		break;
	case '0' ... '7':
		v = p[-1] - '0';
		for (n = 1; n < 3 && p < end && *p >= '0' && *p <= '7'; n++)
			v = v * 8 + (*p++ - '0');
		v &= 0xff;
		break;
	case 'x':
		if (p == end || !isxdigit((unsigned char)*p)) {
			err_at(dl, line, D_ESC, "invalid escape sequence in %s", what);
			break;
		}
		while (p < end && isxdigit((unsigned char)*p)) {
			v = (v * 16 +
			     (isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10)) &
			    0xff;
			p++;
		}
		break;
	default:
		v = (unsigned char)p[-1];
	}
	*pp = p;
	return v;
}

void lex_string(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	const char *p = l->at + 1, *q = p;
	char *s;
	size_t n = 0;

	while (q < l->end && *q != '"' && *q != '\n') {
		if (*q == '\\' && q + 1 < l->end) {
			if (q[1] == '\n')
				l->line++;
			q++;
		}
		q++;
	}
	if (q >= l->end) {
		t->kind = T_ERROR;
		t->len = 1;
		l->at = l->end;
		return;
	}
	if (*q == '\n') {
		err_at(dl, t->line, D_STR_NL, "newline encountered in string literal");
		t->kind = T_STRING;
		t->str = "";
		l->at = q;
		t->len = q - t->at;
		return;
	}
	s = arena_alloc(&dl->mem, q - p + 1);
	while (p < q) {
		if (*p == '\\' && p + 1 < q && p[1] == '\n') {
			p += 2;
		} else if (*p == '\\') {
			p++;
			s[n++] = escape(dl, &p, q, t->line, "string literal");
		} else {
			s[n++] = *p++;
		}
	}
	t->kind = T_STRING;
	t->str = s;
	t->str_len = strlen(s); /* as in C, what is behind a NUL does not count */
	l->at = q + 1;
	t->len = l->at - t->at;
}

void lex_char(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	const char *p = l->at + 1, *q = p;
	uint64_t v = 0;
	unsigned int n = 0;

	while (q < l->end && *q != '\'' && *q != '\n')
		q += *q == '\\' && q + 1 < l->end ? 2 : 1;
	if (q >= l->end) {
		t->kind = T_ERROR;
		t->len = 1;
		l->at = l->end;
		return;
	}
	if (*q == '\n')
		err_at(dl, t->line, D_CHR_NL, "newline encountered in character constant");
	else if (q == p)
		err_at(dl, t->line, D_CHR_NULL, "empty character constant");
	while (p < q) {
		int c;

		if (*p == '\\') {
			p++;
			c = escape(dl, &p, q, t->line, "character constant");
		} else {
			c = (unsigned char)*p++;
		}
		v = v << 8 | (unsigned char)c;
		n++;
	}
	if (n > 4)
		err_at(dl, t->line, D_CHR_OFLOW, "character constant is too long");
	t->kind = T_INT;
	t->suffix = 16;
	t->value = n == 1 ? (uint64_t)(int64_t)(signed char)v : (uint64_t)(int64_t)(int32_t)v;
	l->at = q < l->end && *q == '\'' ? q + 1 : q;
	t->len = l->at - t->at;
}

static int digit_of(int c)
{
	if (isdigit(c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

void lex_number(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	const char *p = l->at, *from = p, *digits;
	uint64_t v = 0, base = 10;
	bool over = false;
	int bad = 0;

	if (*p == '0' && p + 2 < l->end && (p[1] | 32) == 'x' && isxdigit((unsigned char)p[2])) {
		base = 16;
		p += 2;
	} else if (*p == '0' && p + 1 < l->end && isdigit((unsigned char)p[1])) {
		base = 8;
	}
	for (digits = p;
	     p < l->end && (base == 16 ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p));
	     p++) {
		unsigned int d = digit_of((unsigned char)*p);

		if (d >= base && !bad)
			bad = *p;
		over |= __builtin_mul_overflow(v, base, &v) |
			__builtin_add_overflow(v, (uint64_t)d, &v);
	}
	if (base == 10 && p < l->end &&
	    (*p == '.' || ((*p | 32) == 'e' && p + 1 < l->end &&
			   (isdigit((unsigned char)p[1]) || p[1] == '-'))) &&
	    !(p + 2 < l->end && p[1] == '.' && p[2] == '.')) {
		err_at(dl, t->line, D_SYNTAX, "floating-point constants are not permitted");
		while (p < l->end && (isalnum((unsigned char)*p) || *p == '.'))
			p++;
	}
	t->suffix = base == 10 || p == digits ? 0 : 8;
	for (; p < l->end && ((*p | 32) == 'u' || (*p | 32) == 'l'); p++) {
		if ((*p | 32) == 'u')
			t->suffix |= 4;
		else if ((t->suffix & 3) < 2)
			t->suffix++;
		else
			break;
	}
	t->kind = T_INT;
	t->value = v;
	t->len = p - from;
	l->at = p;
	if (bad)
		err_at(dl, t->line, D_INT_DIGIT, "constant %.*s contains invalid digit %c",
		       (int)(t->len > 40 ? 40 : t->len), from, bad);
	else if (over)
		err_at(dl, t->line, D_INT_OFLOW, "constant %.*s results in integer overflow",
		       (int)(t->len > 60 ? 60 : t->len), from);
}
