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
    char buf[ERTS_BEAMTAP_REASON_MAX + 1];
    struct btapw_text t;
    uint64_t *rec;

    t = btapw_text_fit(buf, erts_beamtap_reason(reason, buf), ERTS_BEAMTAP_REASON_MAX);
    rec = btapw_reserve(w, BTAP_EV_process_exit, 2 + btapw_text_words(&t));
    if (!rec)
        return;
    btapw_set(rec, 1, beamtap_pid(p->common.id));
    btapw_text_store(rec + 2, &t);
    btapw_commit(w);
}

void erts_beamtap_process_scheduled(Process *p)
{
    btapw_put2(beamtap_writer(), BTAP_EV_process_scheduled, beamtap_pid(p->common.id),
               beamtap_where(p));
}

void erts_beamtap_process_unscheduled(Process *p)
{
    btapw_put2(beamtap_writer(), BTAP_EV_process_unscheduled, beamtap_pid(p->common.id),
               beamtap_where(p));
}

#endif /* ERTS_ENABLE_BEAMTAP */
