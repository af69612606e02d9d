/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - who runs where, since when, and who is who: what several sections build on
 */
#ifndef BEAMTAP_REPORT_MODEL_H
#define BEAMTAP_REPORT_MODEL_H

#include "report/sect.h"

struct model {
	int64_t delay[HIST_QUANTIZE_BINS]; /* ns from a reason to run until it ran */
	uint64_t delays;
	bool by_runnable;  /* the reason is the VM's own: it was put into a run queue */
	uint64_t at_start; /* runs that were going on at the start, or when a gap ended */
	uint64_t at_end;   /* runs that went on at the end */
	uint64_t odd;	   /* runs whose begin or end is missing and not explained: not counted */
	uint64_t spawns, exits;
};

/** model_wake() - something reached a process: if it does not run, it has reason to from now on */
static inline void model_wake(struct report *r, struct ent *e, uint64_t ts)
{
	if (!(e->flags & ENT_RUNS) && e->out_at && !e->woken_at &&
	    e->out_at > r->vms[e->vm].gap_end)
		e->woken_at = ts;
}

#endif /* BEAMTAP_REPORT_MODEL_H */
