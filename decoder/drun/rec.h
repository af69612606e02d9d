/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rec.h - actions: what they append to the record, or do at once
 */
#ifndef BEAMTAP_REC_H
#define BEAMTAP_REC_H

#include "drun/vm.h"

/** rec_act() - do an action for the clause that runs; @values: its first register.  May fault */
void rec_act(struct vm *vm, uint32_t action, uint64_t *values);

/** rec_words() - how many words of a record's data an action's entry at @at takes, its index included */
uint32_t rec_words(const struct dprog *prog, const uint64_t *at);

/** rec_keep() - make all strings of a record interned, so that it can be kept; rec_mark() marks them */
void rec_keep(struct vm *vm, uint64_t *words, uint32_t nr);
void rec_mark(const struct dprog *prog, const uint64_t *words, uint32_t nr);

/** rec_size() - bytes that dtrace(1) would count for a clause's record, for the size of its buffer */
size_t rec_size(const struct dprog *prog, uint32_t clause, uint32_t strsize);

#endif /* BEAMTAP_REC_H */
