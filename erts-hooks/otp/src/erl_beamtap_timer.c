/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_timer.c - timers are set, cancelled, and fire; modules come and go
 *
 * A timer of send_after or start_timer is known by its reference.  The timeout of a receive
 * has none: a process has one such timer at most, and it is known by the process, with the
 * top bit set.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_bif_unique.h"

#define RECEIVE ((Uint64) 1 << 63)

/* A reference is the count of one thread, and that thread's number. */
static ERTS_INLINE Uint64 number_of(Eterm told, const Uint32 *ref)
{
    if (!ref)
        return RECEIVE | beamtap_pid(told);
    return (erts_get_ref_numbers_value((Uint32 *) ref) << 12
            | erts_get_ref_numbers_thr_id((Uint32 *) ref)) & ~RECEIVE;
}

/* The timer was set just now, and the scheduler's time taken for it. */
void erts_beamtap_timer_set(const ErtsSchedulerData *esdp, Eterm told, const Uint32 *ref,
                            ErtsMonotonicTime position)
{
    Sint64 left = ERTS_CLKTCKS_TO_MONOTONIC(position) - esdp->last_monotonic_time;

    /* For a process that is no more there is no timer. */
    if (ref && is_internal_pid(told) && !erts_proc_lookup(told))
        return;
    btapw_put3(beamtap_writer(), BTAP_EV_timer_set, beamtap_ident(told), number_of(told, ref),
               left > 0 ? (Uint64) ERTS_MONOTONIC_TO_NSEC(left) : 0);
}

void erts_beamtap_timer_cancel(Eterm told, const Uint32 *ref)
{
    btapw_put2(beamtap_writer(), BTAP_EV_timer_cancel, beamtap_ident(told), number_of(told, ref));
}

void erts_beamtap_timer_fire(Eterm told, const Uint32 *ref)
{
    btapw_put2(beamtap_writer(), BTAP_EV_timer_fire, beamtap_ident(told), number_of(told, ref));
}

void erts_beamtap_module_load(Process *p, Eterm module)
{
    btapw_put2(beamtap_writer(), BTAP_EV_module_load, module, beamtap_pid(p->common.id));
}

/* Twice for a module that is deleted: by who deletes it, and when its old code is purged. */
void erts_beamtap_module_unload(Process *p, Eterm module)
{
    btapw_put2(beamtap_writer(), BTAP_EV_module_unload, module, beamtap_pid(p->common.id));
}

#endif /* ERTS_ENABLE_BEAMTAP */
