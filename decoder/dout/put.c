// SPDX-License-Identifier: Apache-2.0
/* put.c - columns */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "dout/put.h"

static void right(struct outbuf *o, const char *s, size_t n, int width)
{
	if (width > 0 && (size_t)width > n)
		outbuf_fill(o, ' ', (size_t)width - n);
	outbuf_mem(o, s, n);
}

void put_dec(struct outbuf *o, int64_t v, int width)
{
	char tmp[OUTBUF_U64_MAX + 1];

	right(o, tmp, (size_t)(outbuf_put_i64(tmp, v) - tmp), width);
}

void put_udec(struct outbuf *o, uint64_t v, int width)
{
	char tmp[OUTBUF_U64_MAX];

	right(o, tmp, (size_t)(outbuf_put_u64(tmp, v) - tmp), width);
}

void put_text(struct outbuf *o, const char *s, size_t n, int width)
{
	if (width < 0) {
		right(o, s, n, -width);
		return;
	}
	outbuf_mem(o, s, n);
	if ((size_t)width > n)
		outbuf_fill(o, ' ', (size_t)width - n);
}

void put_printf(struct outbuf *o, const char *fmt, ...)
{
	char small[512], *big;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(small)) {
		outbuf_mem(o, small, (size_t)n);
		return;
	}
	big = malloc((size_t)n + 1);
	if (!big)
		return;
	va_start(ap, fmt);
	vsnprintf(big, (size_t)n + 1, fmt, ap);
	va_end(ap);
	outbuf_mem(o, big, (size_t)n);
	free(big);
}
