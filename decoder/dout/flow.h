/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h - how deep in calls who is, for -F */
#ifndef BEAMTAP_FLOW_H
#define BEAMTAP_FLOW_H

#include "drun/vars.h"

struct flow_slot;

/* All 0 is an empty one. */
struct flow {
	struct flow_slot *slots; /* owned */
	uint32_t cap, nr;
};

/**
 * flow_enter() - a call begins
 * @open: calls that are open with it, as the event says; 0: it does not
 * Return: how far to indent: in calls
 */
uint32_t flow_enter(struct flow *f, const struct vars_who *who, uint32_t open);
/** flow_leave() - the same of a call that ends: it stands where it began */
uint32_t flow_leave(struct flow *f, const struct vars_who *who, uint32_t open);
/** flow_depth() - Return: how many calls are open; 0 for what fires on no thread */
uint32_t flow_depth(struct flow *f, const struct vars_who *who);
void flow_fini(struct flow *f);

#endif /* BEAMTAP_FLOW_H */
