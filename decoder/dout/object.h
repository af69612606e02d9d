/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - print(): what an address points to, as C would initialise it
 */
#ifndef BEAMTAP_OBJECT_H
#define BEAMTAP_OBJECT_H

#include "dout/dout.h"

/** object_print() - @n bytes of type @t that were at @addr */
void object_print(struct dout *o, const struct dtype *t, uint64_t addr, const void *bytes, size_t n);

#endif /* BEAMTAP_OBJECT_H */
