/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.h - open what a user names: recordings, left-behind regions, fixtures
 */
#ifndef BEAMTAP_OPEN_H
#define BEAMTAP_OPEN_H

#include "source/src.h"

/**
 * open_any() - open one or several paths as one source
 * @out:   owned; end it with src_close()
 * @paths: a directory is a recording; a file that begins as a region is one; any other is a fixture
 * @nr:    of them, at least 1; several are merged by time.  Those of another boot
 *         or machine are shifted so that their time of day agrees with the first's
 *
 * Return: 0, or what ctf_open(), region_open() and text_open() return.
 */
int open_any(struct src **out, const char *const *paths, unsigned int nr, struct diag *d);

#endif /* BEAMTAP_OPEN_H */
