/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outbuf.h - text that grows: a buffer to append to, written out when it is full
 *
 * Formatting a line must not cost more than reading the record, so nothing here
 * goes through printf.  Reserve once for a piece of bounded size, then write
 * through a plain pointer:
 *
 *	char *p = outbuf_room(o, 64);
 *	p = outbuf_put_u64(p, v);
 *	*p++ = '\n';
 *	outbuf_done(o, p);
 */
#ifndef BEAMTAP_OUTBUF_H
#define BEAMTAP_OUTBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/diag.h"

#define OUTBUF_SIZE	(1u << 18)
#define OUTBUF_U64_MAX	20 /* digits of 2^64 - 1 */

struct outbuf {
	char *buf;
	size_t len, cap;
	int fd;	   /* where it goes; -1: memory, grows without end */
	int error; /* 0, or the first negative errno of a write or allocation; nothing is kept after it */
};

/** outbuf_init() - @fd: descriptor to write to, or -1 to keep all in memory.  Return: 0 or -ENOMEM */
int outbuf_init(struct outbuf *o, int fd);
/** outbuf_fini() - free it; what was not flushed is gone */
void outbuf_fini(struct outbuf *o);
/** outbuf_flush() - write out what is there.  Return: 0 or the first error there ever was */
int outbuf_flush(struct outbuf *o);
/** outbuf_grow() - slow path of outbuf_room() */
char *outbuf_grow(struct outbuf *o, size_t n);
/** outbuf_cstr() - Return: contents of a memory buffer, ended by NUL; valid until the next change */
const char *outbuf_cstr(struct outbuf *o);

/** outbuf_room() - Return: where to write, at least @n bytes; never NULL for n <= OUTBUF_SIZE */
static inline char *outbuf_room(struct outbuf *o, size_t n)
{
	return o->cap - o->len >= n ? o->buf + o->len : outbuf_grow(o, n);
}
/** outbuf_done() - @end: behind the last byte written after outbuf_room() */
static inline void outbuf_done(struct outbuf *o, const char *end)
{
	o->len = (size_t)(end - o->buf);
}
static inline void outbuf_char(struct outbuf *o, char c)
{
	*outbuf_room(o, 1) = c;
	o->len++;
}
/** outbuf_mem() - append bytes of any number */
void outbuf_mem(struct outbuf *o, const char *s, size_t n);
static inline void outbuf_str(struct outbuf *o, const char *s)
{
	outbuf_mem(o, s, strlen(s));
}
/** outbuf_fill() - append a character @n times */
void outbuf_fill(struct outbuf *o, char c, size_t n);

/* Pairs of digits, "00" to "99". */
extern const char outbuf_digits[200];
/** outbuf_put_u64() - decimal digits; at most OUTBUF_U64_MAX.  Return: behind the last */
char *outbuf_put_u64(char *p, uint64_t v);
/** outbuf_put_i64() - the same with a sign */
static inline char *outbuf_put_i64(char *p, int64_t v)
{
	uint64_t u = (uint64_t)v;

	if (v < 0) {
		*p++ = '-';
		u = -u;
	}
	return outbuf_put_u64(p, u);
}
/** outbuf_put_hex() - "0x" and hexadecimal digits; at most 18 bytes */
char *outbuf_put_hex(char *p, uint64_t v);
/** outbuf_put_pad9() - exactly nine digits, for v below 10^9 */
char *outbuf_put_pad9(char *p, uint32_t v);
/** outbuf_u64(), outbuf_i64() - append a number */
void outbuf_u64(struct outbuf *o, uint64_t v);
void outbuf_i64(struct outbuf *o, int64_t v);
/** outbuf_json() - append a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD */
void outbuf_json(struct outbuf *o, const char *s, size_t n);
/**
 * outbuf_escaped() - append text with control bytes and bytes that are no UTF-8 made visible
 *
 * The forms are those of docs/fixtures.md: \n \r \t, \x1b for one byte, \x{9b} for a character.
 * Between quotes (@quote, 0: none) the quote is escaped and a backslash doubled.
 */
void outbuf_escaped(struct outbuf *o, const char *s, size_t n, char quote);

#endif /* BEAMTAP_OUTBUF_H */
