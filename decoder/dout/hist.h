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

#endif /* BEAMTAP_DOUT_HIST_H */
