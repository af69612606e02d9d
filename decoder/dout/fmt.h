/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt.h - the conversions of D's printf formats
 *
 * Formats were cut and checked by the compiler (struct dfmt); here a value that
 * does not fit its conversion is printed as well as it can be.
 */
#ifndef BEAMTAP_FMT_H
#define BEAMTAP_FMT_H

#include <stdbool.h>
#include "dprog/prog.h"
#include "event/outbuf.h"

#define FMT_NONE (-1)
#define FMT_WIDTH_MAX 32768 /* wider fields are cut to this */

/* A value to be printed. */
struct fmt_val {
	uint64_t word; /* of a number: at its own size, the rest of the word is not looked at */
	uint8_t size;  /* bytes of a number: 1, 2, 4, 8; 0: text */
	bool is_signed;
	const char *text; /* of a string; NULL prints as nothing */
	size_t len;
};

/** fmt_word() - the number as 64 bits: of its own size, with its own sign */
uint64_t fmt_word(const struct fmt_val *v);

/**
 * fmt_print() - one conversion with its value, without the literal text
 * @width, @prec: what a star gave; not looked at where there is none
 *
 * Letters a, A, k are printed by the caller (trace.h), who knows symbols.
 */
void fmt_print(struct outbuf *o, const struct dfmt_conv *c, const struct fmt_val *v, int width, int prec);

#endif /* BEAMTAP_FMT_H */
