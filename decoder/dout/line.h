/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - what stands before a record's data
 */
#ifndef BEAMTAP_LINE_H
#define BEAMTAP_LINE_H

#include "dout/dout.h"

/** line_head() - the heading if it has not been printed yet, then the record's head */
void line_head(struct dout *o, const struct vm_record *r);

#endif /* BEAMTAP_LINE_H */
