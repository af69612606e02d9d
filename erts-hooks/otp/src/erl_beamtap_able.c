/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_able.c - which events have a hook in this VM; one row a family of ../parts */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP
#include "erl_beamtap_ctl.h"

const unsigned short erts_beamtap_able[] = {
    BTAP_EV_message_send, BTAP_EV_message_queued, BTAP_EV_message_receive,
    BTAP_EV_process_spawn, BTAP_EV_process_exit,
    BTAP_EV_process_scheduled, BTAP_EV_process_unscheduled,
    BTAP_EV_dirty_scheduled, BTAP_EV_dirty_unscheduled,
};
const int erts_beamtap_nr_able = sizeof(erts_beamtap_able) / sizeof(erts_beamtap_able[0]);

#endif
