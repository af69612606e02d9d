/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printa.h - aggregations: by default, by format, and what changes them
 */
#ifndef BEAMTAP_PRINTA_H
#define BEAMTAP_PRINTA_H

#include "dout/dout.h"

/** printa_action() - printa(): one or several aggregations, with or without a format */
void printa_action(struct dout *o, const struct dprog_action *act);
/** printa_default() - one aggregation, a line a key */
void printa_default(struct dout *o, struct agg *a);
/** printa_change() - clear(), trunc(), normalize(), denormalize(); @words: the action's values */
void printa_change(struct dout *o, const struct dprog_action *act, const uint64_t *words);

#endif /* BEAMTAP_PRINTA_H */
