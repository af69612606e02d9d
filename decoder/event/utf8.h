/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - one character out of bytes that may be anything */
#ifndef BEAMTAP_UTF8_H
#define BEAMTAP_UTF8_H

#include <stddef.h>
#include <stdint.h>

/**
 * utf8_get() - the character at the beginning of some bytes
 * @s: bytes, @n of them, at least one
 * @c: out: the character
 *
 * Overlong forms, surrogates and numbers above 10ffff are no characters.
 * Return: its length, or 0 where there is none.
 */
static inline unsigned int utf8_get(const char *s, size_t n, uint32_t *c)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned int len, i;

	if (u[0] < 0x80) {
		*c = u[0];
		return 1;
	}
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (len > n)
		return 0;
	*c = u[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (u[i] & 0x3f);
	}
	if ((len == 3 && *c < 0x800) || (len == 4 && *c < 0x10000) || *c > 0x10ffff ||
	    (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return len;
}

/** utf8_put() - write a character, up to 4 bytes.  Return: their number */
static inline unsigned int utf8_put(char *s, uint32_t c)
{
	if (c < 0x80) {
		s[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		s[0] = (char)(0xc0 | c >> 6);
		s[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		s[0] = (char)(0xe0 | c >> 12);
		s[1] = (char)(0x80 | (c >> 6 & 0x3f));
		s[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	s[0] = (char)(0xf0 | c >> 18);
	s[1] = (char)(0x80 | (c >> 12 & 0x3f));
	s[2] = (char)(0x80 | (c >> 6 & 0x3f));
	s[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

#endif /* BEAMTAP_UTF8_H */
