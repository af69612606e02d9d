/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_sig.c - links, monitors, exit signals, names; and what makes a process wait or run
 *
 * An exit signal is told where it reaches its receiver, who may be on its way already when
 * the sender's end is told; one that comes for a link that is no more reaches nobody.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_monitor_link.h"

/* The other end of a link or monitor: 0 when it is in another node. */
static ERTS_INLINE Uint64 other_end(Eterm t)
{
    return is_internal_pid(t) ? beamtap_pid(t)
        : is_internal_port(t) ? beamtap_port(t)
        : is_atom(t) ? (Uint64) t : 0;
}

static ERTS_INLINE void put_link(unsigned int event, Eterm p, Eterm other)
{
    /* The parent may be in another node. */
    if (is_internal_pid(p))
        btapw_put2(beamtap_writer(), event, beamtap_pid(p), other_end(other));
}

void erts_beamtap_process_link(Eterm p, Eterm other)
{
    put_link(BTAP_EV_process_link, p, other);
}

void erts_beamtap_process_unlink(Eterm p, Eterm other)
{
    put_link(BTAP_EV_process_unlink, p, other);
}

void erts_beamtap_process_linked(Eterm p, Eterm other)
{
    put_link(BTAP_EV_process_linked, p, other);
}

void erts_beamtap_process_unlinked(Eterm p, Eterm other)
{
    put_link(BTAP_EV_process_unlinked, p, other);
}

void erts_beamtap_process_monitor(Eterm p, Eterm other)
{
    put_link(BTAP_EV_process_monitor, p, other);
}

void erts_beamtap_process_demonitor(Eterm p, const ErtsMonitor *mon)
{
#ifdef ERTS_ML_GET_TYPE
    int type = ERTS_ML_GET_TYPE(mon);
#else
    int type = mon->type;
#endif

    switch (type) {
    case ERTS_MON_TYPE_PROC:
    case ERTS_MON_TYPE_PORT:
        put_link(BTAP_EV_process_demonitor, p, mon->other.item);
        break;
    case ERTS_MON_TYPE_DIST_PROC:
        if (!(mon->flags & ERTS_ML_FLG_SPAWN_PENDING)) /* that one is put back */
            put_link(BTAP_EV_process_demonitor, p, NIL);
        break;
    default:
        break;
    }
}

void erts_beamtap_process_exit_signal(Process *c_p, Eterm from, Eterm reason)
{
    struct btapw *w = beamtap_writer();
    char buf[ERTS_BEAMTAP_REASON_MAX + 1];
    struct btapw_text t;
    uint64_t *rec;

    t = btapw_text_fit(buf, erts_beamtap_reason(reason, buf), ERTS_BEAMTAP_REASON_MAX);
    rec = btapw_reserve(w, BTAP_EV_process_exit_signal, 3 + btapw_text_words(&t));
    if (!rec)
        return;
    btapw_set(rec, 1, beamtap_ident(from));
    btapw_set(rec, 2, beamtap_pid(c_p->common.id));
    btapw_text_store(rec + 3, &t);
    btapw_commit(w);
}

void erts_beamtap_name_register(Eterm id, Eterm name)
{
    btapw_put2(beamtap_writer(), BTAP_EV_name_register, beamtap_ident(id), name);
}

void erts_beamtap_name_unregister(Eterm id, Eterm name)
{
    btapw_put2(beamtap_writer(), BTAP_EV_name_unregister, beamtap_ident(id), name);
}

void erts_beamtap_process_hibernate(Process *p, Eterm mod, Eterm func, Uint arity)
{
    btapw_put2(beamtap_writer(), BTAP_EV_process_hibernate, beamtap_pid(p->common.id),
               is_value(mod) ? beamtap_mfa(mod, func, arity) : 0);
}

/* All that waited; they are resumed one by one right after this. */
void erts_beamtap_process_port_unblocked(const ErtsProcList *plp, Eterm port)
{
    struct btapw *w = beamtap_writer();

    for (; plp; plp = plp->next)
        btapw_put2(w, BTAP_EV_process_port_unblocked, beamtap_pid(plp->u.pid), beamtap_port(port));
}

/*
 * Run queues are numbered as statistics(run_queue_lengths_all) lists them: those of the schedulers
 * from 1 on, then that of dirty CPU work, then that of dirty I/O.
 */
void erts_beamtap_process_runnable(Process *p, ErtsRunQueue *rq)
{
    Uint nr = rq == ERTS_DIRTY_CPU_RUNQ ? erts_no_run_queues + 1
        : rq == ERTS_DIRTY_IO_RUNQ ? erts_no_run_queues + 2 : (Uint) rq->ix + 1;
    Uint len = 0;
    int i;

    for (i = 0; i < ERTS_NO_PROC_PRIO_LEVELS; i++)
        len += (Uint) erts_atomic32_read_nob(&rq->procs.prio_info[i].len);
    btapw_put3(beamtap_writer(), BTAP_EV_process_runnable, beamtap_pid(p->common.id), nr, len);
}

#endif /* ERTS_ENABLE_BEAMTAP */
