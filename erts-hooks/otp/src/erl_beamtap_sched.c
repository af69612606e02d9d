/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_sched.c - schedulers sleep and wake up; processes on dirty schedulers
 *
 * A scheduler sleeps when its thread waits in the kernel, be it for work or for I/O; one
 * that spins in search of work does not.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

/* As statistics(scheduler_wall_time_all) numbers them: normal ones, dirty CPU, dirty I/O. */
static ERTS_INLINE Uint number_of(const ErtsSchedulerData *esdp)
{
    switch (esdp->type) {
    case ERTS_SCHED_DIRTY_CPU:
        return erts_no_schedulers + esdp->dirty_no;
    case ERTS_SCHED_DIRTY_IO:
        return erts_no_schedulers + erts_no_dirty_cpu_schedulers + esdp->dirty_no;
    default:
        return esdp->no;
    }
}

void erts_beamtap_scheduler_sleep(const ErtsSchedulerData *esdp)
{
    btapw_put1(beamtap_writer(), BTAP_EV_scheduler_sleep, number_of(esdp));
}

void erts_beamtap_scheduler_wakeup(const ErtsSchedulerData *esdp)
{
    btapw_put1(beamtap_writer(), BTAP_EV_scheduler_wakeup, number_of(esdp));
}

/* Beside process_scheduled and _unscheduled.  What is run there is known without a look-up. */
void erts_beamtap_dirty_scheduled(Process *p, int is_normal)
{
    if (!is_normal)
        btapw_put2(beamtap_writer(), BTAP_EV_dirty_scheduled, beamtap_pid(p->common.id),
                   p->current ? beamtap_code_mfa(p->current) : erts_beamtap_where(p));
}

void erts_beamtap_dirty_unscheduled(Process *p, int is_normal)
{
    if (!is_normal)
        btapw_put2(beamtap_writer(), BTAP_EV_dirty_unscheduled, beamtap_pid(p->common.id),
                   p->current ? beamtap_code_mfa(p->current) : erts_beamtap_where(p));
}

#endif /* ERTS_ENABLE_BEAMTAP */
