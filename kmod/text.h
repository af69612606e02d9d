/* SPDX-License-Identifier: GPL-2.0 */
/* text.h - the VM's terms as text */
#ifndef BTAP_TEXT_H
#define BTAP_TEXT_H

#include <linux/types.h>

struct btap_region;

/* Bytes that a term, a function need at most, the NUL included. */
#define BTAP_TEXT_TERM 64
#define BTAP_TEXT_MFA  256

/* A field of a record, as tracepoints take it. */
struct btap_val {
	union {
		u64 num;
		const char *text; /* borrowed for the call; NUL behind it */
	};
	u32 len; /* bytes of text */
};

/**
 * btap_text_copy() - copy a text, cut and made printable
 * @to:  out: room for @max bytes and NUL
 *
 * A text that is too long is cut before a character and ends with "...".
 * Control bytes become `?`: what is traced goes to terminals.
 * Return: bytes, without the NUL.
 */
unsigned int btap_text_copy(char *to, unsigned int max, const char *from, unsigned int len);

/** btap_text_clean() - control bytes of @s become `?`, in place */
void btap_text_clean(char *s, unsigned int len);

/**
 * btap_text_term() - a pid, port or atom: <0.80.0>, #Port<0.5>, text; `?` for 0
 * @buf: BTAP_TEXT_TERM bytes, where the text may or may not be afterwards
 */
void btap_text_term(struct btap_val *v, const struct btap_region *r, u64 term, char *buf);

/** btap_text_mfa() - a function: m:f/a; `?` for 0.  @buf: BTAP_TEXT_MFA bytes */
void btap_text_mfa(struct btap_val *v, const struct btap_region *r, u64 mfa, char *buf);

/** btap_text_str() - a number of the string table.  @buf: BTAP_TEXT_TERM bytes */
void btap_text_str(struct btap_val *v, const struct btap_region *r, u64 number, char *buf);

#endif /* BTAP_TEXT_H */
