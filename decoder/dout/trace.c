// SPDX-License-Identifier: Apache-2.0
/* trace.c - values as trace(), tracemem(), stack() print them */
#include <ctype.h>
#include "dout/fmt.h"
#include "dout/put.h"
#include "dout/trace.h"

#define TEXT_WIDTH 33
#define ROW 16

static const char *text_of(struct dout *o, uint64_t s, size_t *n)
{
	return vm_text(&o->run->vm, s, n);
}

static void number(struct dout *o, const struct dprog_val *v, uint64_t word, bool quiet)
{
	struct fmt_val f = { .word = word, .size = (uint8_t)v->size, .is_signed = v->is_signed };
	int width = 0;

	if (!quiet) {
		outbuf_char(&o->buf, ' ');
		width = v->size == 1 ? 3 : v->size == 2 ? 5 : v->size == 4 ? 10 : v->is_signed ? 19 : 20;
	}
	if (v->is_signed)
		put_dec(&o->buf, (int64_t)fmt_word(&f), width);
	else
		put_udec(&o->buf, fmt_word(&f), width);
}

void trace_value(struct dout *o, const struct dprog_val *v, const uint64_t *words, bool quiet)
{
	char sym[32];
	const char *s;
	size_t n;

	switch (v->kind) {
	case DPROG_INT:
		number(o, v, words[0], quiet);
		return;
	case DPROG_STR:
		s = text_of(o, words[0], &n);
		if (!quiet)
			outbuf_mem(&o->buf, "  ", 2);
		put_text(&o->buf, s, n, quiet ? 0 : TEXT_WIDTH);
		return;
	case DPROG_BYTES:
		trace_bytes(o, words, v->size, TEXT_WIDTH, quiet);
		return;
	case DPROG_STACK:
		trace_stack(o, &o->buf, words[0]);
		return;
	case DPROG_SYM:
		n = trace_symbol(sym, sizeof(sym), words[0]);
		outbuf_mem(&o->buf, "  ", 2);
		put_text(&o->buf, sym, n, 50);
		return;
	default:
		return;
	}
}

/* Printable to its end, or to a NUL behind which there are only NULs. */
static bool is_text(const unsigned char *p, size_t n, size_t *len)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isprint(p[i]) && !isspace(p[i]) && p[i] != '\b' && p[i] != '\a')
			break;
	*len = i;
	if (!i)
		return false;
	for (; i < n; i++)
		if (p[i])
			return false;
	return true;
}

void trace_bytes(struct dout *o, const void *bytes, size_t n, int width, bool quiet)
{
	size_t len;

	if (o->opts.raw_bytes || !is_text(bytes, n, &len)) {
		trace_dump(o, bytes, n);
		return;
	}
	if (!quiet)
		outbuf_mem(&o->buf, "  ", 2);
	put_text(&o->buf, bytes, len, quiet ? 0 : width);
}

void trace_dump(struct dout *o, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	struct outbuf *b = &o->buf;

	outbuf_char(b, '\n');
	outbuf_fill(b, ' ', 11);
	for (unsigned int i = 0; i < ROW; i++)
		put_printf(b, "  %x", i);
	outbuf_str(b, "  0123456789abcdef\n");
	for (size_t at = 0; at < n; at += ROW) {
		size_t here = n - at < ROW ? n - at : ROW;

		put_printf(b, "%10zx:", at);
		for (size_t i = 0; i < here; i++)
			put_printf(b, " %02x", p[at + i]);
		outbuf_fill(b, ' ', 3 * (ROW - here) + 2);
		for (size_t i = 0; i < here; i++)
			outbuf_char(b, p[at + i] >= ' ' && p[at + i] < 127 ? (char)p[at + i] : '.');
		outbuf_char(b, '\n');
	}
}

void trace_stack(struct dout *o, struct outbuf *b, uint64_t stack)
{
	const char *s, *end;
	size_t n;

	outbuf_char(b, '\n');
	s = text_of(o, stack, &n);
	for (end = s + n; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((nl ? nl : end) - s);

		outbuf_fill(b, ' ', o->opts.stack_indent);
		outbuf_mem(b, s, len);
		outbuf_char(b, '\n');
		s += len + 1;
	}
}

void trace_conv(struct dout *o, struct outbuf *b, const struct dfmt_conv *c, const struct dprog_val *vals,
		uint32_t nr, const uint64_t *const *at)
{
	const struct dprog_val *val = &vals[c->arg];
	struct fmt_val v = { .word = *at[c->arg], .size = (uint8_t)val->size, .is_signed = val->is_signed };
	struct dfmt_conv as_text = *c;
	int width = FMT_NONE, prec = FMT_NONE;
	char sym[32];

	if (c->flags & DFMT_WIDTH_ARG)
		width = c->width_arg < nr ? (int)*at[c->width_arg] : 0;
	if (c->flags & DFMT_PREC_ARG)
		prec = c->prec_arg < nr ? (int)*at[c->prec_arg] : 0;
	switch (val->kind) {
	case DPROG_STR:
		v.size = 0;
		v.text = text_of(o, v.word, &v.len);
		break;
	case DPROG_BYTES: /* an array of characters */
		v.size = 0;
		v.text = (const char *)at[c->arg];
		v.len = strnlen(v.text, val->size);
		break;
	case DPROG_STACK:
		trace_stack(o, b, v.word);
		return;
	default:
		if (c->conv == 'a' || c->conv == 'A' || val->kind == DPROG_SYM) {
			as_text.conv = 's';
			v.len = trace_symbol(sym, sizeof(sym), v.word);
			v.text = sym;
			v.size = 0;
		}
	}
	fmt_print(b, &as_text, &v, width, prec);
}

size_t trace_symbol(char *buf, size_t size, uint64_t addr)
{
	int n = snprintf(buf, size, "0x%llx", (unsigned long long)addr);

	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}
