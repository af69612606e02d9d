/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agghist.h - aggregations as bars: options agghist and aggpack
 */
#ifndef BEAMTAP_AGGHIST_H
#define BEAMTAP_AGGHIST_H

#include "dout/aggsort.h"

/** agghist_bars() - a bar for each key of an aggregation that is no distribution */
void agghist_bars(struct dout *o, const struct aggsort *s);
/** agghist_packed() - a line for each key of a distribution */
void agghist_packed(struct dout *o, const struct aggsort *s);

#endif /* BEAMTAP_AGGHIST_H */
