// SPDX-License-Identifier: Apache-2.0
/*
 * fmt.c - printf and printa formats: cut into conversions, each checked against
 * the value it takes
 */
#include <ctype.h>
#include <limits.h>
#include "dlang/check.h"

/* Which values a conversion takes; also how messages say it */
enum want { W_NONE, W_INT, W_SIZED, W_STR, W_PTR, W_TIME, W_STACK, W_FLOAT };

static enum want want_of(const char *spec, size_t len, unsigned int *size)
{
	char conv = spec[len - 1];
	size_t mods = len - 1;

	*size = 0;
	if (mods == 1 && spec[0] == 'h')
		*size = 2;
	else if ((mods == 1 && spec[0] == 'l') || (mods == 2 && spec[0] == 'l' && spec[1] == 'l'))
		*size = 8;
	else if (mods)
		return W_NONE;
	switch (conv) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		return mods ? W_SIZED : W_INT;
	case 'c':
		return mods ? W_NONE : W_INT;
	case 's':
	case 'S':
		return mods ? W_NONE : W_STR;
	case 'p':
	case 'a':
	case 'A':
		return mods ? W_NONE : W_PTR;
	case 'T':
	case 'Y':
		return mods ? W_NONE : W_TIME;
	case 'k':
		return mods ? W_NONE : W_STACK;
	case 'e':
	case 'E':
	case 'f':
	case 'g':
	case 'G':
		return W_FLOAT;
	default:
		return W_NONE;
	}
}

static const char *want_text(enum want w, const char *spec, size_t len)
{
	bool u = strchr("ouxX", spec[len - 1]) != NULL;

	switch (w) {
	case W_SIZED:
		if (spec[0] == 'h')
			return u ? "unsigned short" : "short";
		if (len == 3)
			return u ? "unsigned long long" : "long long";
		return u ? "unsigned long" : "long";
	case W_STR:
		return "char [] or string (or use stringof)";
	case W_PTR:
		return "pointer or integer";
	case W_TIME:
		return "int64_t";
	case W_STACK:
		return "dt_stack_t";
	case W_FLOAT:
		return "float, double, or long double";
	default:
		return "char, short, int, long, or long long";
	}
}

static bool fits(enum want w, unsigned int size, const struct dtype *t)
{
	const struct dtype *b = dtype_base(t);

	switch (w) {
	case W_INT:
		return type_is_int(b);
	case W_SIZED:
		return type_is_int(b) && b->size == size;
	case W_STR:
		return b->kind == DTYPE_STRING || (b->kind == DTYPE_ARRAY && type_is_text(b));
	case W_PTR:
		return type_is_scalar(b) || b->kind == DTYPE_SYM;
	case W_TIME:
		return type_is_int(b) && b->size == 8;
	case W_STACK:
		return b->kind == DTYPE_STACK;
	default:
		return false;
	}
}

struct state {
	struct dlang *dl;
	const char *func;
	const struct node *str;
	struct act *act;
	struct node *arg;     /* printf: the next argument */
	unsigned int nr_args; /* printf: taken so far */
	unsigned int conv;    /* number of the conversion at hand, from 1 */
	unsigned int nr_aggs; /* printa: conversions with @ so far */
	bool printa;
	const struct dtype **keys;
	unsigned int nr_keys;
	bool ok;
};

/* Take the next value for conversion @spec.  Return: its type, or NULL with the error reported */
static const struct dtype *take(struct state *s, const char *spec, const char *what)
{
	struct dlang *dl = s->dl;
	struct node *a;

	if (s->printa) {
		if (s->nr_args < s->nr_keys)
			return s->keys[s->nr_args++];
	} else if (s->arg) {
		a = s->arg;
		s->arg = a->next;
		a->next = NULL;
		s->nr_args++;
		if (s->act->nr_values == DPROG_MAX_ARGS) {
			err_at(dl, s->str->line, D_TOOBIG, "%s( ) has more than %u arguments",
			       s->func, DPROG_MAX_ARGS);
			s->ok = false;
			return NULL;
		}
		s->act->values[s->act->nr_values++] = a;
		return a->type; /* NULL: in error already */
	}
	err_at(dl, s->str->line, D_PRINTF_ARG_PROTO,
	       "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding %s",
	       s->func, s->conv, spec, what);
	s->ok = false;
	return NULL;
}

static void star(struct state *s, const char *spec, const char *what, uint8_t *index)
{
	unsigned int nr = s->nr_args;
	const struct dtype *t = take(s, spec, arena_printf(&s->dl->mem, "%s argument", what));

	*index = nr;
	if (!t) {
		s->ok = false;
	} else if (!type_is_int(t)) {
		err_at(s->dl, s->str->line, D_PRINTF_DYN_PROTO,
		       "%s( ) argument #%u, the dynamic %s of conversion #%u, must be of integer "
		       "type",
		       s->func, nr + 2, what, s->conv);
		s->ok = false;
	}
}

static const char *number(const char *p, int32_t *v)
{
	int64_t n = 0;

	while (isdigit((unsigned char)*p)) {
		n = n * 10 + (*p++ - '0');
		if (n > 65535)
			n = 65535; /* wide enough for any line; keeps output bounded */
	}
	*v = n;
	return p;
}

/* Flags, width and precision at @p.  Return: behind them */
static const char *prefix(const char *p, struct dfmt_conv *c)
{
	static const char letters[] = "#0-+ '@";
	static const uint16_t bits[] = { DFMT_ALT,   DFMT_ZERO,	 DFMT_LEFT, DFMT_PLUS,
					 DFMT_SPACE, DFMT_GROUP, DFMT_AGG };
	const char *f;

	c->width = c->prec = -1;
	while (*p && (f = strchr(letters, *p))) {
		c->flags |= bits[f - letters];
		p++;
	}
	if (*p == '*') {
		c->flags |= DFMT_WIDTH_ARG;
		p++;
	} else if (isdigit((unsigned char)*p)) {
		p = number(p, &c->width);
	}
	if (*p == '.') {
		p++;
		if (*p == '*') {
			c->flags |= DFMT_PREC_ARG;
			p++;
		} else {
			p = number(p, &c->prec);
		}
	}
	return p;
}

static void convert_value(struct state *s, enum want w, struct node **v)
{
	if (w == W_STR && type_is_array((*v)->type))
		*v = check_conv(s->dl, *v, s->dl->t_string);
}

static void conversion(struct state *s, struct dfmt_conv *c, const char *spec, size_t len)
{
	struct dlang *dl = s->dl;
	const char *text = arena_memdup(&dl->mem, spec, len);
	const struct dtype *t;
	unsigned int size;
	enum want w;

	w = want_of(text, len, &size);
	c->conv = text[len - 1];
	c->mod = len == 3 ? 2 : len == 2 ? text[0] == 'h' ? 'h' : 1 : 0;
	if (c->flags & DFMT_WIDTH_ARG)
		star(s, text, "width", &c->width_arg);
	if (c->flags & DFMT_PREC_ARG)
		star(s, text, "precision", &c->prec_arg);
	if (c->flags & DFMT_AGG) {
		if (!s->printa) {
			err_at(dl, s->str->line, D_PRINTF_AGG_CONV,
			       "%%@ conversion requires an aggregation and is not for use with %s( "
			       ")",
			       s->func);
			s->ok = false;
		} else {
			c->agg = s->nr_aggs < s->act->nr_aggs ? s->nr_aggs : s->act->nr_aggs - 1;
			s->nr_aggs++;
		}
		return;
	}
	c->arg = s->nr_args;
	t = take(s, text, "value argument");
	if (!t || (s->printa && type_is_void(t))) { /* in error already */
		s->ok = false;
		return;
	}
	if (!fits(w, size, t)) {
		err_at(dl, s->str->line, D_PRINTF_ARG_TYPE,
		       "%s( ) argument #%u is incompatible with conversion #%u "
		       "prototype:\n\tconversion: %%%s\n\t prototype: %s\n\t  argument: %s",
		       s->func, c->arg + 2, s->conv, text, want_text(w, text, len), t->name);
		s->ok = false;
		return;
	}
	if (!s->printa)
		convert_value(s, w, &s->act->values[s->act->nr_values - 1]);
}

/* What stands between conversions, %% made % */
struct literal {
	char *text;
	size_t len;
};

/* Conversions that are none are told first, wherever they are. */
static bool all_defined(struct dlang *dl, const struct node *str)
{
	unsigned int conv = 0, size;
	struct dfmt_conv c;
	const char *p, *q, *text;

	for (p = str->str; *p; p++) {
		if (*p != '%')
			continue;
		if (p[1] == '%') {
			p++;
			continue;
		}
		conv++;
		c = (struct dfmt_conv){ 0 };
		p = prefix(p + 1, &c);
		q = p + strspn(p, "hlw");
		q += *q != 0;
		text = arena_memdup(&dl->mem, p, q - p);
		if (q == p || want_of(text, q - p, &size) == W_NONE) {
			err_at(dl, str->line, D_SYNTAX, "format conversion #%u is undefined: %%%s",
			       conv, text);
			return false;
		}
		p = q - 1;
	}
	return true;
}

struct dfmt *fmt_parse(struct dlang *dl, const char *func, const struct node *str, struct act *act,
		       struct node *args)
{
	struct state s = { .dl = dl,
			   .func = func,
			   .str = str,
			   .act = act,
			   .arg = args,
			   .ok = true,
			   .printa = act->kind == DPROG_ACT_PRINTA };
	struct dfmt *f = arena_alloc(&dl->mem, sizeof(*f));
	const char *p = str->str, *q;
	struct dfmt_conv c;
	struct literal lit;
	size_t cap = 0;

	if (!all_defined(dl, str))
		return NULL;
	if (s.printa) {
		s.keys = act->aggs[0]->keys;
		s.nr_keys = act->aggs[0]->nr_keys;
	}
	f->text = str->str;
	do {
		c = (struct dfmt_conv){ .width = -1, .prec = -1 };
		for (q = p; *q && (*q != '%' || q[1] == '%'); q += *q == '%' ? 2 : 1)
			;
		lit.text = arena_alloc(&dl->mem, q - p + 1);
		lit.len = 0;
		for (; *p && (*p != '%' || p[1] == '%'); p++) {
			if (*p == '%')
				p++;
			lit.text[lit.len++] = *p;
		}
		c.lit = lit.text;
		c.lit_len = lit.len;
		if (*p) {
			s.conv++;
			p = prefix(p + 1, &c);
			q = p + strspn(p, "hlw") + 1;
			conversion(&s, &c, p, q - p);
			p = q;
		}
		f->convs = arena_grow(&dl->mem, f->convs, f->nr, &cap, sizeof(*f->convs));
		f->convs[f->nr++] = c;
	} while (*p && s.ok && !dl->too_big);
	if (s.ok && !s.printa && s.arg) {
		err_at(dl, str->line, D_PRINTF_ARG_EXTRA,
		       "%s( ) prototype mismatch: only %u arguments required by this format string",
		       func, s.nr_args);
		s.ok = false;
	}
	return s.ok ? f : NULL;
}
