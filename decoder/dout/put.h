/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put.h - columns: what dtrace(1) aligns, appended to an output buffer
 */
#ifndef BEAMTAP_PUT_H
#define BEAMTAP_PUT_H

#include "event/outbuf.h"

/** put_dec() - a number right-aligned in @width columns; a longer one pushes to the right */
void put_dec(struct outbuf *o, int64_t v, int width);
void put_udec(struct outbuf *o, uint64_t v, int width);
/** put_text() - @n bytes of @s, left-aligned in @width columns (negative: right-aligned) */
void put_text(struct outbuf *o, const char *s, size_t n, int width);
/** put_printf() - C's printf, for what is rare */
void put_printf(struct outbuf *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* BEAMTAP_PUT_H */
