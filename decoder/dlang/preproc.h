/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preproc.h - running cpp over a script, for -C
 */
#ifndef BEAMTAP_DLANG_PREPROC_H
#define BEAMTAP_DLANG_PREPROC_H

#include <stddef.h>
#include "base/diag.h"

/**
 * preproc_run() - run the C preprocessor over a text
 * @cpp:   program, option cpppath; NULL: "cpp"
 * @args:  its further arguments (-D, -U, -I, -H ...), ends with NULL; may be NULL
 * @out:   out: what it wrote, heap, a NUL behind it; the caller frees it
 *
 * Its messages go to standard error.  Return: 0, -EINVAL when it failed, or
 * another negative errno
 */
int preproc_run(const char *cpp, const char *const *args, const char *text, size_t len, char **out, size_t *out_len,
		struct diag *d);

#endif /* BEAMTAP_DLANG_PREPROC_H */
