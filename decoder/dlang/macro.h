/* SPDX-License-Identifier: Apache-2.0 */
/*
 * macro.h - $1, $$1, $target; private to this folder
 */
#ifndef BEAMTAP_DLANG_MACRO_H
#define BEAMTAP_DLANG_MACRO_H

#include "dlang/dl.h"

/** macro_token() - turn the token $name or $$name (@text) into what it stands for */
void macro_token(struct dlang *dl, struct tok *t, bool text);
/**
 * macro_spec() - the same inside a probe description
 * @p, @len: text from the $ on; @out, @n, @cap: where it is written
 * Return: bytes of text used
 */
size_t macro_spec(struct dlang *dl, const char *p, size_t len, char *out, size_t *n, size_t cap);

#endif /* BEAMTAP_DLANG_MACRO_H */
