/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_bif.c - calls of built-in and native functions, and copies of terms */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "export.h"

#define CALL(EVENT)                                                              \
    void erts_beamtap_##EVENT(Process *p, const ErtsCodeMFA *mfa)                \
    {                                                                            \
        btapw_put2(beamtap_writer(), BTAP_EV_##EVENT, beamtap_pid(p->common.id), \
                   beamtap_code_mfa(mfa));                                       \
    }
CALL(bif_entry)
CALL(bif_return)
CALL(nif_entry)
CALL(nif_return)
#undef CALL

/* Called from machine code (parts/14-native.hooks), where the fourth argument's register is taken. */
Eterm erts_beamtap_light_bif(Process *c_p, Eterm *reg, ErtsCodePtr I, UWord unused,
                             const void *export_entry, erts_beamtap_bif_function *function)
{
    const ErtsCodeMFA *mfa = &((const Export *) export_entry)->info.mfa;
    Eterm result;

    ERTS_BEAMTAP(bif_entry, (c_p, mfa));
    result = function(c_p, reg, I);
    ERTS_BEAMTAP(bif_return, (c_p, mfa));
    return result;
}

void erts_beamtap_copy_struct(Uint words)
{
    btapw_put1(beamtap_writer(), BTAP_EV_copy_struct, words);
}

void erts_beamtap_copy_object(Process *to, Uint words)
{
    btapw_put2(beamtap_writer(), BTAP_EV_copy_object, beamtap_pid(to->common.id), words);
}

#endif /* ERTS_ENABLE_BEAMTAP */
