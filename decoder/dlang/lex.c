// SPDX-License-Identifier: Apache-2.0
/*
 * lex.c - D text to tokens with their lines
 *
 * The parser asks for one token at a time, with one more to look at.  Three
 * things depend on where it is: outside of clauses it takes probe descriptions
 * whole (lex_spec()), there alone control lines are allowed, and in a predicate
 * a `/` that a `{`, `;`, `/` or the end follows closes it.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "dlang/lex.h"
#include "dlang/macro.h"

static const char *const spelling[T_NR] = {
#define TOK(name, text) [T_##name] = text,
#define KEY(name, text) [T_##name] = text,
#include "token.def"
};

static const struct {
	const char *text;
	uint8_t kind;
} keywords[] = {
#define KEY(name, text) { text, T_##name },
#include "token.def"
};

const char *lex_tok_name(unsigned int kind)
{
	return kind < T_NR ? spelling[kind] : "?";
}

static bool is_id_start(int c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool is_id(int c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void lex_init(struct dlang *dl, const char *text, size_t len)
{
	struct lex *l = &dl->lex;

	memset(l, 0, sizeof(*l));
	l->text = l->at = text;
	l->end = text + len;
	l->line = 1;
	l->at_bol = l->in_top = true;
	if (len > 2 && text[0] == '#' && text[1] == '!')
		while (l->at < l->end && *l->at != '\n')
			l->at++;
}

static int peek_at(const struct lex *l, size_t off)
{
	return (size_t)(l->end - l->at) > off ? (unsigned char)l->at[off] : -1;
}

/* A control line: up to its newline, backslash-newline continued */
static void control_line(struct dlang *dl)
{
	struct lex *l = &dl->lex;
	const char *from = l->at + 1;
	uint32_t line = l->line;

	while (l->at < l->end && *l->at != '\n') {
		if (*l->at == '\\' && peek_at(l, 1) == '\n') {
			l->at++;
			l->line++;
		}
		l->at++;
	}
	if (l->at == l->end)
		err_at(dl, line, D_SYNTAX, "end-of-file encountered before end of control line");
	else
		preproc_line(dl, from, l->at - from, line);
}

static bool skip_comment(struct dlang *dl)
{
	struct lex *l = &dl->lex;
	uint32_t line = l->line;

	if (peek_at(l, 1) == '/') {
		while (l->at < l->end && *l->at != '\n')
			l->at++;
		return true;
	}
	if (peek_at(l, 1) != '*')
		return false;
	l->at += 2;
	for (;;) {
		if (l->at == l->end) {
			err_at(dl, line, D_SYNTAX, "end-of-file encountered before end of comment");
			return true;
		}
		if (*l->at == '*' && peek_at(l, 1) == '/') {
			l->at += 2;
			return true;
		}
		if (*l->at++ == '\n')
			l->line++;
	}
}

int lex_skip_blank(struct dlang *dl)
{
	struct lex *l = &dl->lex;

	while (l->at < l->end) {
		int c = (unsigned char)*l->at;

		if (c == '\n') {
			l->line++;
			l->at++;
			l->at_bol = true;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			l->at++;
		} else if (c == '/' && skip_comment(dl)) {
			;
		} else if (c == '#' && l->at_bol) {
			control_line(dl);
		} else {
			l->at_bol = false;
			return c;
		}
	}
	return -1;
}

const char *lex_word(struct dlang *dl)
{
	struct lex *l = &dl->lex;
	const char *p = l->at;

	if (p == l->end || !is_id_start(*p))
		return NULL;
	while (p < l->end && is_id(*p))
		p++;
	return arena_memdup(&dl->mem, l->at, p - l->at);
}

/*
 * An escape behind a backslash at *pp; moves *pp behind it.  Return: its value.
 */
static int escape(struct dlang *dl, const char **pp, const char *end, uint32_t line, const char *what)
{
	const char *p = *pp;
	int v = 0, n;

	if (p == end)
		return '\\';
	switch (*p++) {
	case 'a': v = '\a'; break;
	case 'b': v = '\b'; break;
	case 'f': v = '\f'; break;
	case 'n': v = '\n'; break;
	case 'r': v = '\r'; break;
	case 't': v = '\t'; break;
	case 'v': v = '\v'; break;
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
			v = (v * 16 + (isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10)) & 0xff;
			p++;
		}
		break;
	default:
		v = (unsigned char)p[-1];
	}
	*pp = p;
	return v;
}

static void lex_string(struct dlang *dl, struct tok *t)
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

static void lex_char(struct dlang *dl, struct tok *t)
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

static void lex_number(struct dlang *dl, struct tok *t)
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
	for (digits = p; p < l->end && (base == 16 ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p)); p++) {
		unsigned int d = digit_of((unsigned char)*p);

		if (d >= base && !bad)
			bad = *p;
		over |= __builtin_mul_overflow(v, base, &v) | __builtin_add_overflow(v, (uint64_t)d, &v);
	}
	if (base == 10 && p < l->end && (*p == '.' || ((*p | 32) == 'e' && p + 1 < l->end && (isdigit((unsigned char)p[1]) || p[1] == '-'))) &&
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
		err_at(dl, t->line, D_INT_DIGIT, "constant %.*s contains invalid digit %c", (int)(t->len > 40 ? 40 : t->len), from, bad);
	else if (over)
		err_at(dl, t->line, D_INT_OFLOW, "constant %.*s results in integer overflow", (int)(t->len > 60 ? 60 : t->len), from);
}

static void lex_ident(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	const char *p = l->at;
	size_t i;

	while (p < l->end && is_id(*p))
		p++;
	/* module`symbol is one token, and so is `symbol */
	if (p < l->end && *p == '`') {
		p++;
		while (p < l->end && (is_id(*p) || *p == '.' || *p == '`'))
			p++;
		t->kind = T_SYMNAME;
	} else {
		t->kind = T_IDENT;
	}
	t->len = t->str_len = p - l->at;
	l->at = p;
	if (t->len > DL_MAX_NAME) {
		err_at(dl, t->line, D_SYNTAX, "identifier is too long");
		t->len = t->str_len = DL_MAX_NAME;
	}
	t->str = arena_memdup(&dl->mem, t->at, t->len);
	if (t->kind != T_IDENT)
		return;
	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (keywords[i].text[0] == t->str[0] && !strcmp(keywords[i].text, t->str))
			t->kind = keywords[i].kind;
}

static void lex_dollar(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	const char *p = l->at + 1;
	bool text = false;

	if (p < l->end && *p == '$') {
		text = true;
		p++;
	}
	while (p < l->end && is_id(*p))
		p++;
	t->len = p - l->at;
	l->at = p;
	macro_token(dl, t, text);
}

/* Longest match first among those with the same beginning */
static const struct {
	const char *text;
	uint8_t kind;
} puncts[] = {
	{ "...", T_ELLIPSIS }, { "<<=", T_SHLEQ }, { ">>=", T_SHREQ }, { "->", T_ARROW }, { "++", T_INC },
	{ "--", T_DEC },       { "<<", T_SHL },	   { ">>", T_SHR },    { "<=", T_LE },	  { ">=", T_GE },
	{ "==", T_EQ },	       { "!=", T_NE },	   { "&&", T_LAND },   { "^^", T_LXOR },  { "||", T_LOR },
	{ "+=", T_ADDEQ },     { "-=", T_SUBEQ },  { "*=", T_MULEQ },  { "/=", T_DIVEQ }, { "%=", T_MODEQ },
	{ "&=", T_ANDEQ },     { "^=", T_XOREQ },  { "|=", T_OREQ },   { "(", T_LPAREN }, { ")", T_RPAREN },
	{ "[", T_LBRACK },     { "]", T_RBRACK },  { "{", T_LBRACE },  { "}", T_RBRACE }, { ",", T_COMMA },
	{ ";", T_SEMI },       { "?", T_QUEST },   { ":", T_COLON },   { ".", T_DOT },	  { "!", T_NOT },
	{ "~", T_TILDE },      { "+", T_PLUS },	   { "-", T_MINUS },   { "*", T_STAR },	  { "/", T_SLASH },
	{ "%", T_PERCENT },    { "<", T_LT },	   { ">", T_GT },      { "&", T_AND },	  { "^", T_XOR },
	{ "|", T_OR },	       { "=", T_ASGN },
};

/* Does this / close the predicate? */
static bool closes_predicate(const struct lex *l)
{
	const char *p = l->at + 1;

	for (; p < l->end; p++) {
		if (*p == '/' && p + 1 < l->end && p[1] == '*') {
			for (p += 2; p + 1 < l->end && !(p[0] == '*' && p[1] == '/'); p++)
				;
			if (p + 1 >= l->end)
				return true;
			p++;
		} else if (*p == '/' && p + 1 < l->end && p[1] == '/') {
			while (p + 1 < l->end && p[1] != '\n')
				p++;
		} else if (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r' && *p != '\f' && *p != '\v') {
			return *p == '{' || *p == ';' || *p == '/';
		}
	}
	return true;
}

static void lex_punct(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	size_t i, n, left = l->end - l->at;

	if (*l->at == '/' && l->in_pred && closes_predicate(l)) {
		t->kind = T_EPRED;
		t->len = 1;
		l->at++;
		return;
	}
	for (i = 0; i < sizeof(puncts) / sizeof(puncts[0]); i++) {
		if (puncts[i].text[0] != *l->at)
			continue;
		n = strlen(puncts[i].text);
		if (n <= left && !memcmp(l->at, puncts[i].text, n)) {
			t->kind = puncts[i].kind;
			t->len = n;
			l->at += n;
			return;
		}
	}
	t->kind = T_ERROR;
	t->len = 1;
	l->at++;
}

static void dump_tok(struct dlang *dl, const struct tok *t)
{
	FILE *f = dl->dump[DLANG_TOK];

	fprintf(f, "%u %s", t->line, lex_tok_name(t->kind));
	if (t->kind == T_INT)
		fprintf(f, " %" PRIu64, t->value);
	else if (t->kind == T_STRING)
		fprintf(f, " \"%s\"", t->str);
	else if (t->kind == T_IDENT || t->kind == T_AGGNAME || t->kind == T_SYMNAME)
		fprintf(f, " %s", t->str);
	fputc('\n', f);
}

static void scan(struct dlang *dl, struct tok *t)
{
	struct lex *l = &dl->lex;
	int c = lex_skip_blank(dl);

	memset(t, 0, sizeof(*t));
	t->line = l->line;
	t->at = l->at;
	if (c < 0 || dl->too_big) {
		t->kind = T_EOF;
	} else if (is_id_start(c) || c == '`') {
		lex_ident(dl, t);
	} else if (isdigit(c)) {
		lex_number(dl, t);
	} else if (c == '"') {
		lex_string(dl, t);
	} else if (c == '\'') {
		lex_char(dl, t);
	} else if (c == '$') {
		lex_dollar(dl, t);
	} else if (c == '@') {
		const char *p = l->at + 1;

		while (p < l->end && is_id(*p))
			p++;
		t->kind = T_AGGNAME;
		t->str_len = p - l->at - 1;
		t->str = arena_memdup(&dl->mem, l->at + 1, t->str_len > DL_MAX_NAME ? DL_MAX_NAME : t->str_len);
		t->len = p - l->at;
		l->at = p;
	} else {
		lex_punct(dl, t);
	}
	if (dl->dump[DLANG_TOK])
		dump_tok(dl, t);
}

const struct tok *lex_peek(struct dlang *dl)
{
	struct lex *l = &dl->lex;

	if (!l->has_tok) {
		if (l->has_ahead)
			l->tok = l->ahead;
		else
			scan(dl, &l->tok);
		l->has_ahead = false;
		l->has_tok = true;
	}
	return &l->tok;
}

const struct tok *lex_peek2(struct dlang *dl)
{
	struct lex *l = &dl->lex;

	lex_peek(dl);
	if (!l->has_ahead) {
		scan(dl, &l->ahead);
		l->has_ahead = true;
	}
	return &l->ahead;
}

struct tok lex_next(struct dlang *dl)
{
	struct tok t = *lex_peek(dl);

	dl->lex.has_tok = false;
	return t;
}

const char *lex_spec(struct dlang *dl)
{
	struct lex *l = &dl->lex;
	const char *from = l->at;
	char s[4 * DL_MAX_NAME + 1];
	size_t n = 0, cap = sizeof(s) - 1;

	while (l->at < l->end && !isspace((unsigned char)*l->at) && !strchr(",/{;", *l->at)) {
		if (*l->at == '\\' && l->at + 1 < l->end && n + 2 < cap) {
			s[n++] = *l->at++;
			s[n++] = *l->at++;
		} else if (*l->at == '\'' && memchr(l->at + 1, '\'', l->end - l->at - 1)) {
			/* an Erlang name: what is between the quotes stands for itself */
			for (l->at++; *l->at != '\'' && n + 2 < cap; l->at++) {
				s[n++] = '\\';
				s[n++] = *l->at;
			}
			if (*l->at == '\'')
				l->at++;
		} else if (*l->at == '$') {
			l->at += macro_spec(dl, l->at, l->end - l->at, s, &n, cap);
		} else if (n < cap) {
			s[n++] = *l->at++;
		} else {
			s[n] = 0;
			err_at(dl, l->line, D_PDESC_INVAL, "invalid probe description \"%.40s...\": it is too long", s);
			l->at = l->end;
		}
	}
	s[n] = 0;
	if (dl->dump[DLANG_TOK] && l->at > from)
		fprintf(dl->dump[DLANG_TOK], "%u probe %s\n", l->line, s);
	return arena_memdup(&dl->mem, s, n);
}

void lex_skip_clause(struct dlang *dl, unsigned int depth)
{
	struct lex *l = &dl->lex;
	bool started = depth > 0;
	struct tok t;

	l->in_pred = false;
	for (;;) {
		t = lex_next(dl);
		if (t.kind == T_EOF)
			return;
		if (t.kind == T_LBRACE) {
			depth++;
			started = true;
		} else if (t.kind == T_RBRACE) {
			if (depth <= 1)
				break;
			depth--;
		} else if (t.kind == T_SEMI && !started) {
			break;
		}
	}
	l->has_ahead = l->has_tok = false;
}
