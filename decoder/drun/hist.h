/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist.h - distributions: which bin a value falls into, and what a bin is called
 *
 * The caller keeps the bins, an array of hist_nr_bins() counts that begin at 0
 * and may be negative (a D program can count by negative steps).  The picture
 * of them is drawn by dout/hist.h.
 */
#ifndef BEAMTAP_DRUN_HIST_H
#define BEAMTAP_DRUN_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** hist_label() - a bin as its row is called: "16", "< 0", ">= 100", "abs() < 10" */
void hist_label(const struct hist_shape *s, unsigned int bin, char *buf, size_t size);

/** hist_middle() - the bin around 0 of those that have one, else the first inside the range */
unsigned int hist_middle(const struct hist_shape *s);

/** hist_weight() - sum of what the bins stand for, each times its count: what distributions are ordered by */
double hist_weight(const struct hist_shape *s, const int64_t *bins);

#endif /* BEAMTAP_DRUN_HIST_H */
