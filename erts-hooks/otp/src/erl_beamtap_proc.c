/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_proc.c - processes: spawn, exit, scheduling */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

void erts_beamtap_process_spawn(Process *p, Eterm parent, Eterm mod, Eterm func, Uint arity)
{
    btapw_put3(beamtap_writer(), BTAP_EV_process_spawn, beamtap_pid(p->common.id),
               beamtap_mfa(mod, func, arity), is_internal_pid(parent) ? beamtap_pid(parent) : 0);
}

void erts_beamtap_process_exit(Process *p, Eterm reason)
{
    struct btapw *w = beamtap_writer();
    char buf[128];
    struct btapw_text t;
    uint64_t *rec;
    int n = erts_snprintf(buf, sizeof(buf), "%.40T", reason);

    t = btapw_text_fit(buf, n < (int) sizeof(buf) ? (size_t) n : sizeof(buf) - 1, 120);
    rec = btapw_reserve(w, BTAP_EV_process_exit, 2 + btapw_text_words(&t));
    if (!rec)
        return;
    btapw_set(rec, 1, beamtap_pid(p->common.id));
    btapw_text_store(rec + 2, &t);
    btapw_commit(w);
}

static ERTS_INLINE int is_dirty(void)
{
    ErtsSchedulerData *esdp = erts_get_scheduler_data();

    return esdp && ERTS_SCHEDULER_IS_DIRTY(esdp);
}

void erts_beamtap_process_scheduled(Process *p)
{
    struct btapw *w = beamtap_writer();

    btapw_put2(w, BTAP_EV_process_scheduled, beamtap_pid(p->common.id), beamtap_where(p));
    if (is_dirty() && ERTS_BEAMTAP_ON(dirty_scheduled))
        btapw_put2(w, BTAP_EV_dirty_scheduled, beamtap_pid(p->common.id), beamtap_where(p));
}

void erts_beamtap_process_unscheduled(Process *p)
{
    struct btapw *w = beamtap_writer();

    btapw_put2(w, BTAP_EV_process_unscheduled, beamtap_pid(p->common.id), beamtap_where(p));
    if (is_dirty() && ERTS_BEAMTAP_ON(dirty_unscheduled))
        btapw_put2(w, BTAP_EV_dirty_unscheduled, beamtap_pid(p->common.id), beamtap_where(p));
}

#endif /* ERTS_ENABLE_BEAMTAP */
