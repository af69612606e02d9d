// SPDX-License-Identifier: Apache-2.0
/* outbuf.c - text that grows */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "event/outbuf.h"
#include "event/utf8.h"

#define PAIRS(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
const char outbuf_digits[200] __attribute__((nonstring)) =
	PAIRS("0") PAIRS("1") PAIRS("2") PAIRS("3") PAIRS("4")
	PAIRS("5") PAIRS("6") PAIRS("7") PAIRS("8") PAIRS("9");

/*
 * Where text goes for which there is no memory, so that writers need not look:
 * outbuf.error says it, and nobody reads it.
 */
static char nowhere[OUTBUF_SIZE];

int outbuf_init(struct outbuf *o, int fd)
{
	o->len = 0;
	o->error = 0;
	o->fd = fd;
	/* In a buffer that is written out, OUTBUF_SIZE can always be had at once. */
	o->cap = fd < 0 ? 1024 : 2 * OUTBUF_SIZE;
	o->buf = malloc(o->cap);
	if (!o->buf)
		return o->error = -ENOMEM;
	return 0;
}

void outbuf_fini(struct outbuf *o)
{
	if (o->buf != nowhere)
		free(o->buf);
	o->buf = NULL;
	o->len = o->cap = 0;
}

int outbuf_flush(struct outbuf *o)
{
	size_t done = 0;

	if (o->fd < 0)
		return o->error;
	while (!o->error && done < o->len) {
		ssize_t n = write(o->fd, o->buf + done, o->len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			o->error = -errno;
	}
	o->len = 0;
	return o->error;
}

char *outbuf_grow(struct outbuf *o, size_t n)
{
	char *buf;
	size_t cap;

	if (o->fd >= 0) {
		outbuf_flush(o);
		return o->buf;
	}
	for (cap = o->cap; cap - o->len < n; cap *= 2)
		;
	buf = o->error ? NULL : realloc(o->buf, cap);
	if (buf) {
		o->buf = buf;
		o->cap = cap;
		return o->buf + o->len;
	}
	outbuf_fini(o);
	o->error = -ENOMEM;
	o->buf = nowhere;
	o->cap = sizeof(nowhere);
	return o->buf;
}

const char *outbuf_cstr(struct outbuf *o)
{
	*outbuf_room(o, 1) = '\0';
	return o->buf;
}

void outbuf_mem(struct outbuf *o, const char *s, size_t n)
{
	while (n) {
		size_t part = n < OUTBUF_SIZE ? n : OUTBUF_SIZE;

		memcpy(outbuf_room(o, part), s, part);
		o->len += part;
		s += part;
		n -= part;
	}
}

void outbuf_fill(struct outbuf *o, char c, size_t n)
{
	while (n--)
		outbuf_char(o, c);
}

char *outbuf_put_u64(char *p, uint64_t v)
{
	char tmp[OUTBUF_U64_MAX], *t = tmp + sizeof(tmp);
	size_t n;

	while (v >= 100) {
		t -= 2;
		memcpy(t, outbuf_digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		t -= 2;
		memcpy(t, outbuf_digits + v * 2, 2);
	} else {
		*--t = (char)('0' + v);
	}
	n = (size_t)(tmp + sizeof(tmp) - t);
	memcpy(p, t, n);
	return p + n;
}

char *outbuf_put_hex(char *p, uint64_t v)
{
	int shift = v ? (63 - __builtin_clzll(v)) & ~3 : 0;

	*p++ = '0';
	*p++ = 'x';
	for (; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[v >> shift & 15];
	return p;
}

char *outbuf_put_pad9(char *p, uint32_t v)
{
	memcpy(p + 7, outbuf_digits + v % 100 * 2, 2);
	v /= 100;
	memcpy(p + 5, outbuf_digits + v % 100 * 2, 2);
	v /= 100;
	memcpy(p + 3, outbuf_digits + v % 100 * 2, 2);
	v /= 100;
	memcpy(p + 1, outbuf_digits + v % 100 * 2, 2);
	*p = (char)('0' + v / 100 % 10);
	return p + 9;
}

void outbuf_u64(struct outbuf *o, uint64_t v)
{
	outbuf_done(o, outbuf_put_u64(outbuf_room(o, OUTBUF_U64_MAX), v));
}

void outbuf_i64(struct outbuf *o, int64_t v)
{
	outbuf_done(o, outbuf_put_i64(outbuf_room(o, OUTBUF_U64_MAX + 1), v));
}

static char *put_hex_digits(char *p, uint32_t v, int least)
{
	int shift = 28;

	while (shift / 4 + 1 > least && !(v >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[v >> shift & 15];
	return p;
}

void outbuf_json(struct outbuf *o, const char *s, size_t n)
{
	outbuf_char(o, '"');
	while (n) {
		char *p = outbuf_room(o, 8);
		unsigned int len;
		uint32_t c;

		len = utf8_get(s, n, &c);
		if (!len) {
			memcpy(p, "\xef\xbf\xbd", 3);
			p += 3;
			len = 1;
		} else if (c == '"' || c == '\\') {
			*p++ = '\\';
			*p++ = (char)c;
		} else if (c == '\n') {
			*p++ = '\\';
			*p++ = 'n';
		} else if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
			memcpy(p, "\\u", 2);
			p = put_hex_digits(p + 2, c, 4);
		} else {
			memcpy(p, s, len);
			p += len;
		}
		outbuf_done(o, p);
		s += len;
		n -= len;
	}
	outbuf_char(o, '"');
}

void outbuf_escaped(struct outbuf *o, const char *s, size_t n, char quote)
{
	while (n) {
		char *p = outbuf_room(o, 8);
		unsigned int len;
		uint32_t c;

		len = utf8_get(s, n, &c);
		if (!len) {
			memcpy(p, "\\x", 2);
			p = put_hex_digits(p + 2, (unsigned char)*s, 2);
			len = 1;
		} else if (quote && (c == '\\' || c == (unsigned char)quote)) {
			*p++ = '\\';
			*p++ = (char)c;
		} else if (c == '\n' || c == '\r' || c == '\t') {
			*p++ = '\\';
			*p++ = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
		} else if (c < 0x20 || c == 0x7f) {
			memcpy(p, "\\x", 2);
			p = put_hex_digits(p + 2, c, 2);
		} else if (c >= 0x80 && c < 0xa0) {
			memcpy(p, "\\x{", 3);
			p = put_hex_digits(p + 3, c, 2);
			*p++ = '}';
		} else {
			memcpy(p, s, len);
			p += len;
		}
		outbuf_done(o, p);
		s += len;
		n -= len;
	}
}
