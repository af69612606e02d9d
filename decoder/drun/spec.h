/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.h - speculations: records that are kept until it is clear whether they are wanted
 */
#ifndef BEAMTAP_SPEC_H
#define BEAMTAP_SPEC_H

#include "drun/vm.h"

struct spec_set {
	struct spec *specs; /* number 1 is specs[0] */
	uint32_t nr;
	size_t size;	    /* bytes that one may hold */
	uint64_t failed;    /* speculation() without a free one */
	uint64_t drops;	    /* records that found no room */
	/* what commit() hands on */
	void (*commit)(void *ctx, const struct vm_record *r);
	void *ctx;
};

/** spec_new() - @nr speculations of @size bytes.  Return: owned, or NULL without memory */
struct spec_set *spec_new(uint32_t nr, size_t size);
void spec_free(struct spec_set *s);

/** spec_take() - speculation(): a free one's number from 1, or 0 and counted */
uint32_t spec_take(struct spec_set *s);
/** spec_live() - Return: the number if speculate() may use it, else 0 */
uint32_t spec_live(const struct spec_set *s, uint64_t number);
/** spec_put() - keep the record that vm->rec holds, of the event and clause at hand, and of this firing */
void spec_put(struct vm *vm, uint64_t firing);
/** spec_end() - commit() or discard() */
void spec_end(struct vm *vm, uint64_t number, bool is_commit);
/** spec_mark() - mark the strings that speculations hold */
void spec_mark(const struct spec_set *s, const struct dprog *prog);

#endif /* BEAMTAP_SPEC_H */
