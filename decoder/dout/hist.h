/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist.h - distributions: which bin a value falls into, and DTrace's picture of the bins
 *
 * The caller keeps the bins, an array of hist_nr_bins() counts that begin at 0
 * and may be negative (a D program can count by negative steps).
 */
#ifndef BEAMTAP_HIST_H
#define BEAMTAP_HIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum hist_kind {
	HIST_QUANTIZE,	 /* powers of two, both signs */
	HIST_LQUANTIZE,	 /* equal steps from base to limit */
	HIST_LLQUANTIZE, /* equal steps inside each power of a factor, both signs */
};

struct hist_shape {
	enum hist_kind kind;
	/* lquantize: step > 0, base < limit */
	int64_t base, limit, step;
	/* llquantize: factor >= 2, low <= high, steps >= 1; factor^(high + 1) < 2^63 */
	uint32_t factor, low, high, steps;
};

/* quantize: -2^62 ... -2, -1, 0, 1, 2, ... 2^62 */
#define HIST_QUANTIZE_BINS 127
#define HIST_QUANTIZE_ZERO 63

/** hist_quantize_bin() - the bin of a value; a negative one counts at the power of two towards 0 */
static inline unsigned int hist_quantize_bin(int64_t v)
{
	if (v > 0)
		return HIST_QUANTIZE_ZERO + 64 - (unsigned int)__builtin_clzll((uint64_t)v);
	if (v == 0)
		return HIST_QUANTIZE_ZERO;
	if (v == INT64_MIN)
		return 0;
	return HIST_QUANTIZE_ZERO - 64 + (unsigned int)__builtin_clzll((uint64_t)-v);
}

/** hist_nr_bins() - how many bins a shape has */
unsigned int hist_nr_bins(const struct hist_shape *s);

/** hist_bin() - the bin of a value, below hist_nr_bins() */
unsigned int hist_bin(const struct hist_shape *s, int64_t v);

/**
 * hist_print() - write the table: heading, rows, no empty line behind it
 * @f:      where to
 * @s:      shape
 * @bins:   hist_nr_bins() counts
 * @normal: what counts are divided by (normalize()); 1 for none; 0 counts as 1
 *
 * Rows go from the bin below the first that is not 0 to the one above the last.
 * Bars have 40 columns: to the right of the `|`, to its left when all counts
 * are negative, and 20 to each side when signs are mixed.
 */
void hist_print(FILE *f, const struct hist_shape *s, const int64_t *bins, int64_t normal);

#endif /* BEAMTAP_HIST_H */
