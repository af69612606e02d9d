/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist.h - DTrace's picture of a distribution; its bins are those of drun/hist.h
 */
#ifndef BEAMTAP_DOUT_HIST_H
#define BEAMTAP_DOUT_HIST_H

#include <stdio.h>
#include "drun/hist.h"

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
/** hist_print_zoomed() - @zoom: the longest bar is as wide as there is room, as option aggzoom has it */
void hist_print_zoomed(FILE *f, const struct hist_shape *s, const int64_t *bins, int64_t normal, bool zoom);

/* The same picture of other things: add all counts first, then print the head and the rows. */
struct hist_picture {
	int width;	/* of labels */
	int64_t normal; /* what counts are divided by; not 0 */
	/* of hist_add() */
	double total;
	bool negative, positive, mixed;
};
void hist_add(struct hist_picture *p, int64_t count, bool zoom);
void hist_head(FILE *f, const char *label, int width);
void hist_row(FILE *f, const struct hist_picture *p, const char *text, int64_t count);
/** hist_range() - first and last bin that is not 0.  Return: false: there is none */
bool hist_range(const struct hist_shape *s, const int64_t *bins, unsigned int *first, unsigned int *last);

#endif /* BEAMTAP_DOUT_HIST_H */
