// SPDX-License-Identifier: Apache-2.0
/* fmt.c - the conversions of D's printf formats */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "dout/fmt.h"
#include "dout/put.h"

uint64_t fmt_word(const struct fmt_val *v)
{
	switch (v->size) {
	case 1: return v->is_signed ? (uint64_t)(int64_t)(int8_t)v->word : (uint8_t)v->word;
	case 2: return v->is_signed ? (uint64_t)(int64_t)(int16_t)v->word : (uint16_t)v->word;
	case 4: return v->is_signed ? (uint64_t)(int64_t)(int32_t)v->word : (uint32_t)v->word;
	default: return v->word;
	}
}

static uint64_t unsigned_word(const struct fmt_val *v)
{
	struct fmt_val u = *v;

	u.is_signed = false;
	return fmt_word(&u);
}

/* Let C do the rest of a number: it knows the flags. */
static void print_number(struct outbuf *o, const struct dfmt_conv *c, uint64_t word, char letter, int width,
			 int prec)
{
	char spec[16], *p = spec, *at;
	int n;

	*p++ = '%';
	if (c->flags & DFMT_LEFT)
		*p++ = '-';
	if (c->flags & DFMT_PLUS)
		*p++ = '+';
	if (c->flags & DFMT_SPACE)
		*p++ = ' ';
	if (c->flags & DFMT_ZERO)
		*p++ = '0';
	if (c->flags & DFMT_ALT)
		*p++ = '#';
	if (c->flags & DFMT_GROUP)
		*p++ = '\'';
	memcpy(p, "*.*ll", 5);
	p += 5;
	*p++ = letter;
	*p = 0;
	if (width == FMT_NONE)
		width = 0;
	n = (width < 0 ? -width : width) + (prec > 0 ? prec : 0) * 2 + 64;
	at = outbuf_room(o, (size_t)n);
	if (at)
		outbuf_done(o, at + snprintf(at, (size_t)n, spec, width, prec, word));
}

static void pad_out(struct outbuf *o, long n)
{
	if (n > 0)
		outbuf_fill(o, ' ', (size_t)n);
}

static void print_text(struct outbuf *o, const struct dfmt_conv *c, const char *s, size_t n, int width, int prec)
{
	long pad;

	if (prec >= 0 && (size_t)prec < n)
		n = (size_t)prec;
	if (width == FMT_NONE) {
		outbuf_mem(o, s, n);
		return;
	}
	pad = (long)(width < 0 ? -width : width) - (long)n;
	if (width >= 0 && !(c->flags & DFMT_LEFT))
		pad_out(o, pad);
	outbuf_mem(o, s, n);
	if (width < 0 || (c->flags & DFMT_LEFT))
		pad_out(o, pad);
}

/* %S: as C would write it, with octal for the rest and \0 at the end. */
static void print_escaped(struct outbuf *o, const struct dfmt_conv *c, const struct fmt_val *v, int width,
			  int prec)
{
	static const char plain[] = "\a\b\f\n\r\t\v\\\"", shown[] = "abfnrtv\\\"";
	struct outbuf tmp;

	if (outbuf_init(&tmp, -1))
		return;
	for (size_t i = 0; i < v->len; i++) {
		unsigned char ch = (unsigned char)v->text[i];
		const char *q = ch ? strchr(plain, ch) : NULL;

		if (q) {
			outbuf_char(&tmp, '\\');
			outbuf_char(&tmp, shown[q - plain]);
		} else if (ch < ' ' || ch >= 127) {
			put_printf(&tmp, "\\%03o", ch);
		} else {
			outbuf_char(&tmp, (char)ch);
		}
	}
	outbuf_mem(&tmp, "\\0", 2);
	print_text(o, c, tmp.buf, tmp.len, width, prec);
	outbuf_fini(&tmp);
}

static void print_time(struct outbuf *o, const struct dfmt_conv *c, const struct fmt_val *v, int width, int prec)
{
	int64_t ns = (int64_t)fmt_word(v), sec = ns / 1000000000;
	time_t t = (time_t)(ns < 0 && ns % 1000000000 ? sec - 1 : sec);
	char text[128];
	struct tm tm;
	size_t n;

	if (!localtime_r(&t, &tm))
		return;
	n = strftime(text, sizeof(text), c->conv == 'Y' ? "%Y %b %e %H:%M:%S" : "%a, %d %b %Y %H:%M:%S %Z",
		     &tm);
	print_text(o, c, text, n, width, prec);
}

void fmt_print(struct outbuf *o, const struct dfmt_conv *c, const struct fmt_val *v, int width, int prec)
{
	char ch;

	if (!(c->flags & DFMT_WIDTH_ARG))
		width = c->width;
	if (!(c->flags & DFMT_PREC_ARG))
		prec = c->prec;
	if (width > FMT_WIDTH_MAX)
		width = FMT_WIDTH_MAX;
	if (width < -FMT_WIDTH_MAX)
		width = -FMT_WIDTH_MAX;
	if (prec > FMT_WIDTH_MAX)
		prec = FMT_WIDTH_MAX;
	switch (c->conv) {
	case 's':
	case 'S':
		if (v->size) { /* not text after all: D says nothing of it */
			print_text(o, c, "", 0, width, prec);
			return;
		}
		if (c->conv == 'S')
			print_escaped(o, c, v, width, prec);
		else
			print_text(o, c, v->text ? v->text : "", v->text ? v->len : 0, width, prec);
		return;
	case 'd':
	case 'i':
		if (width == FMT_NONE && prec == FMT_NONE && !(c->flags & ~DFMT_AGG & ~DFMT_LEFT)) {
			outbuf_i64(o, (int64_t)fmt_word(v));
			return;
		}
		print_number(o, c, fmt_word(v), 'd', width, prec);
		return;
	case 'c':
		ch = (char)v->word;
		print_text(o, c, &ch, 1, width, FMT_NONE);
		return;
	case 'Y':
	case 'T':
		print_time(o, c, v, width, prec);
		return;
	case 'p':
		print_number(o, c, unsigned_word(v), 'x', width, prec);
		return;
	case 'u':
		if (width == FMT_NONE && prec == FMT_NONE && !(c->flags & ~DFMT_AGG & ~DFMT_LEFT)) {
			outbuf_u64(o, unsigned_word(v));
			return;
		}
		/* fall through */
	case 'x':
	case 'X':
	case 'o':
		print_number(o, c, unsigned_word(v), c->conv, width, prec);
		return;
	default:
		return;
	}
}
