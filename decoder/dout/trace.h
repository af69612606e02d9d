/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - single values: trace(), tracemem(), stacks and symbols
 */
#ifndef BEAMTAP_TRACE_H
#define BEAMTAP_TRACE_H

#include "dout/dout.h"

/** trace_value() - as trace() prints it; @words: the value in the record */
void trace_value(struct dout *o, const struct dprog_val *v, const uint64_t *words, bool quiet);
/** trace_bytes() - text if it looks like text, else a dump; @width of text, 0: none */
void trace_bytes(struct dout *o, const void *bytes, size_t n, int width, bool quiet);
/** trace_dump() - hexadecimal dump with its heading */
void trace_dump(struct dout *o, const void *bytes, size_t n);
/**
 * trace_conv() - one conversion of a format, without the literal text
 * @b:    where to
 * @vals: types of all values, @nr of them
 * @at:   where each of them lies; one that a star names may be a width or precision
 */
void trace_conv(struct dout *o, struct outbuf *b, const struct dfmt_conv *c, const struct dprog_val *vals,
		uint32_t nr, const uint64_t *const *at);
/** trace_stack() - newline, one line a frame */
void trace_stack(struct dout *o, struct outbuf *b, uint64_t stack);
/** trace_symbol() - text of an address: there is no symbol table of a VM that may be gone */
size_t trace_symbol(char *buf, size_t size, uint64_t addr);

#endif /* BEAMTAP_TRACE_H */
