/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_exc.c - exceptions: raised, leaving functions whose returns are told, and caught */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "beam_common.h"

/* Is it the function that raises what its caller asked for?  Then that is its caller. */
static int is_raiser(const ErtsCodeMFA *bif)
{
    return bif->module == am_erlang &&
        ((bif->function == am_error && bif->arity >= 1 && bif->arity <= 3) ||
         ((bif->function == am_exit || bif->function == am_throw) && bif->arity == 1) ||
         (bif->function == am_raise && bif->arity == 3));
}

void erts_beamtap_exception_throw(Process *p, ErtsCodePtr pc, const ErtsCodeMFA *bif, Eterm reason)
{
    struct erts_beamtap_thread *t = &erts_beamtap_thread;
    Eterm cls = exception_tag[GET_EXC_CLASS(p->freason)];
    Uint64 mfa;

    if (bif && !is_raiser(bif))
        mfa = t->raised_by = beamtap_code_mfa(bif);
    else if (pc)
        mfa = erts_beamtap_find_pc(pc);
    else
        mfa = t->raised_by = beamtap_code_mfa(p->current); /* function_clause */
    t->raised_at = pc;
    erts_beamtap_put_exception(p, cls, mfa, reason, 0);
    t->raised_at = NULL;
    t->raised_by = 0;

#ifndef BEAM_RETURN_TRACE_FRAME_SZ
    /* Where nobody catches it, the VM does not look at the frames that it leaves. */
    if (p->catches <= 0 && p->beamtap_depth > 0 && !IS_TRACED_FL(p, F_EXCEPTION_TRACE))
        erts_beamtap_left_all(p, cls, reason);
#endif
}

void erts_beamtap_exception_catch(Process *p, ErtsCodePtr handler, Eterm cls)
{
    btapw_put3(beamtap_writer(), BTAP_EV_exception_catch, beamtap_pid(p->common.id), cls,
               erts_beamtap_find_pc(handler));
}

#endif /* ERTS_ENABLE_BEAMTAP */
