/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - several sources as one, by time
 *
 * Records come out by (time, number of the source, order in the source).  VMs
 * and threads of all sources are numbered anew; a gap keeps its place in time.
 */
#ifndef BEAMTAP_MERGE_H
#define BEAMTAP_MERGE_H

#include "source/src.h"

/**
 * merge_open() - make one source of several
 * @out: owned; src_close() closes @srcs too
 * @srcs: taken, also when the result is an error
 * @nr:  of them, at least 1
 *
 * Of live sources, records are handed on once no other can come before them
 * (MERGE_WINDOW_NS after their time); those that come later all the same are
 * counted in src_stats.late.
 * Return: 0 or -ENOMEM
 */
int merge_open(struct src **out, struct src **srcs, unsigned int nr, struct diag *d);
#define MERGE_WINDOW_NS 5000000ULL

#endif /* BEAMTAP_MERGE_H */
