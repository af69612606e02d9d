/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_ctl.h - between erl_beamtap.c and those who serve leases */
#ifndef ERL_BEAMTAP_CTL_H__
#define ERL_BEAMTAP_CTL_H__

#include "btapw_api.h"

extern struct btapw_map *erts_beamtap_map; /* NULL: this VM has no region */

/* Ids of the events that have a hook (erl_beamtap_able.c). */
extern const unsigned short erts_beamtap_able[];
extern const int erts_beamtap_nr_able;

/* Tell all atoms that there are, and each new one from now on.  One thread at a time. */
void erts_beamtap_all_atoms(void);
/* The application serves the leases from now on, or no longer does. */
void erts_beamtap_serve(int is_application);

/* erl_beamtap_api.c: fill in what is exported. */
void erts_beamtap_api_init(void);
/* erl_beamtap_bp.c; see struct btapw_api */
int erts_beamtap_functions(const struct btapw_function *f, size_t nr);
int erts_beamtap_functions_done(void);
bool erts_beamtap_is_told(const struct btapw_function *f);

#endif /* ERL_BEAMTAP_CTL_H__ */
