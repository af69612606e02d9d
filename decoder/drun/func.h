/* SPDX-License-Identifier: Apache-2.0 */
/*
 * func.h - D's functions: one row a function, see builtin.def
 */
#ifndef BEAMTAP_FUNC_H
#define BEAMTAP_FUNC_H

#include "drun/vm.h"

typedef uint64_t func_fn(struct vm *vm, const uint64_t *args, unsigned int nr);

/** func_call() - call function @id with @nr arguments; may fault */
uint64_t func_call(struct vm *vm, enum dprog_fn id, const uint64_t *args, unsigned int nr);

/* func_str.c: on strings */
func_fn func_str_basename, func_str_cleanpath, func_str_dirname, func_str_index, func_str_lltostr,
	func_str_rindex, func_str_strchr, func_str_strjoin, func_str_strlen, func_str_strrchr,
	func_str_strstr, func_str_strtok, func_str_strtoll, func_str_substr, func_str_tolower,
	func_str_toupper;

#endif /* BEAMTAP_FUNC_H */
