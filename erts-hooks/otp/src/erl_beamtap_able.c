/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_able.c - which events have a hook in this VM: ../apply makes the list of the parts it applied */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP
#include "erl_beamtap_ctl.h"

const unsigned short erts_beamtap_able[] = {
#include "beamtap_able.h"
};
const int erts_beamtap_nr_able = sizeof(erts_beamtap_able) / sizeof(erts_beamtap_able[0]);

#endif
