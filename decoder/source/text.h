/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - a text fixture as a source; the syntax is in docs/fixtures.md
 */
#ifndef BEAMTAP_TEXT_H
#define BEAMTAP_TEXT_H

#include "source/src.h"

/**
 * text_open() - read a fixture
 * @out:  source, owned; end it with src_close()
 * @path: of the file
 * @d:    out: file, line and column of the first mistake
 *
 * Return: 0, -EINVAL for a mistake in it, or another -errno.
 */
int text_open(struct src **out, const char *path, struct diag *d);

/** text_open_mem() - the same of @len bytes in memory, borrowed for the call; @name for messages */
int text_open_mem(struct src **out, const char *name, const char *text, size_t len, struct diag *d);

#endif /* BEAMTAP_TEXT_H */
