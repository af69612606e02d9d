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
#include <inttypes.h>
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
	{ "...", T_ELLIPSIS }, { "<<=", T_SHLEQ }, { ">>=", T_SHREQ }, { "->", T_ARROW },
	{ "++", T_INC },       { "--", T_DEC },	   { "<<", T_SHL },    { ">>", T_SHR },
	{ "<=", T_LE },	       { ">=", T_GE },	   { "==", T_EQ },     { "!=", T_NE },
	{ "&&", T_LAND },      { "^^", T_LXOR },   { "||", T_LOR },    { "+=", T_ADDEQ },
	{ "-=", T_SUBEQ },     { "*=", T_MULEQ },  { "/=", T_DIVEQ },  { "%=", T_MODEQ },
	{ "&=", T_ANDEQ },     { "^=", T_XOREQ },  { "|=", T_OREQ },   { "(", T_LPAREN },
	{ ")", T_RPAREN },     { "[", T_LBRACK },  { "]", T_RBRACK },  { "{", T_LBRACE },
	{ "}", T_RBRACE },     { ",", T_COMMA },   { ";", T_SEMI },    { "?", T_QUEST },
	{ ":", T_COLON },      { ".", T_DOT },	   { "!", T_NOT },     { "~", T_TILDE },
	{ "+", T_PLUS },       { "-", T_MINUS },   { "*", T_STAR },    { "/", T_SLASH },
	{ "%", T_PERCENT },    { "<", T_LT },	   { ">", T_GT },      { "&", T_AND },
	{ "^", T_XOR },	       { "|", T_OR },	   { "=", T_ASGN },
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
		} else if (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r' && *p != '\f' &&
			   *p != '\v') {
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
		t->str = arena_memdup(&dl->mem, l->at + 1,
				      t->str_len > DL_MAX_NAME ? DL_MAX_NAME : t->str_len);
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
			err_at(dl, l->line, D_PDESC_INVAL,
			       "invalid probe description \"%.40s...\": it is too long", s);
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
