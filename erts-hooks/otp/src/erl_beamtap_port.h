/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_port.h - shared by the files for ports and drivers: names, and who calls */
#ifndef ERL_BEAMTAP_PORT_H__
#define ERL_BEAMTAP_PORT_H__

#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

/* Ask for the number of @name and keep it in @slot.  Takes the string table's mutex. */
Uint64 erts_beamtap_ask_name(Uint64 *slot, const char *name) ERTS_BEAMTAP_COLD;

static ERTS_INLINE Uint64 erts_beamtap_name(Uint64 *slot, const char *name)
{
    Uint64 nr = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (ERTS_UNLIKELY(nr == 0))
        return erts_beamtap_ask_name(slot, name);
    return nr == ~(Uint64) 0 ? 0 : nr;
}

/* Of a Port or an erts_driver_t. */
#define beamtap_name(P) erts_beamtap_name(&(P)->beamtap_name, (P)->name)

/* A process, or a port that works for one; 0: nobody known */
static ERTS_INLINE Uint64 beamtap_caller(Eterm t)
{
    if (ERTS_LIKELY(is_internal_pid(t)))
        return t == ERTS_INVALID_PID ? 0 : beamtap_pid(t);
    return is_internal_port(t) ? beamtap_port(t) : 0;
}

#endif /* ERTS_ENABLE_BEAMTAP */
#endif /* ERL_BEAMTAP_PORT_H__ */
