/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_able.c - which events have a hook in this VM; one row a family of ../parts */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP
#include "erl_beamtap_ctl.h"

const unsigned short erts_beamtap_able[] = {
    BTAP_EV_message_send, BTAP_EV_message_queued, BTAP_EV_message_receive,
    BTAP_EV_process_spawn, BTAP_EV_process_exit,
    BTAP_EV_process_scheduled, BTAP_EV_process_unscheduled,
    BTAP_EV_gc_minor_start, BTAP_EV_gc_minor_end, BTAP_EV_gc_major_start, BTAP_EV_gc_major_end,
    BTAP_EV_process_heap_grow, BTAP_EV_process_heap_shrink,
    BTAP_EV_process_link, BTAP_EV_process_unlink, BTAP_EV_process_linked, BTAP_EV_process_unlinked,
    BTAP_EV_process_monitor, BTAP_EV_process_demonitor, BTAP_EV_process_exit_signal,
    BTAP_EV_name_register, BTAP_EV_name_unregister, BTAP_EV_process_hibernate,
    BTAP_EV_process_port_unblocked, BTAP_EV_process_runnable,
    BTAP_EV_dirty_scheduled, BTAP_EV_dirty_unscheduled,
    BTAP_EV_scheduler_sleep, BTAP_EV_scheduler_wakeup,
    BTAP_EV_module_load, BTAP_EV_module_unload,
    BTAP_EV_timer_set, BTAP_EV_timer_cancel, BTAP_EV_timer_fire,
};
const int erts_beamtap_nr_able = sizeof(erts_beamtap_able) / sizeof(erts_beamtap_able[0]);

#endif
