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
    BTAP_EV_port_open, BTAP_EV_port_command, BTAP_EV_port_control, BTAP_EV_port_exit,
    BTAP_EV_port_connect, BTAP_EV_port_busy, BTAP_EV_port_not_busy, BTAP_EV_port_scheduled,
    BTAP_EV_port_unscheduled, BTAP_EV_port_data,
    BTAP_EV_driver_init, BTAP_EV_driver_start, BTAP_EV_driver_stop, BTAP_EV_driver_finish,
    BTAP_EV_driver_flush, BTAP_EV_driver_output, BTAP_EV_driver_outputv, BTAP_EV_driver_control,
    BTAP_EV_driver_call, BTAP_EV_driver_ready_input, BTAP_EV_driver_ready_output,
    BTAP_EV_driver_timeout, BTAP_EV_driver_ready_async, BTAP_EV_driver_process_exit,
    BTAP_EV_driver_stop_select, BTAP_EV_aio_pool_add, BTAP_EV_aio_pool_get,
    BTAP_EV_socket_open, BTAP_EV_socket_close,
    BTAP_EV_message_send_remote, BTAP_EV_process_exit_signal_remote, BTAP_EV_dist_monitor,
    BTAP_EV_dist_port_busy, BTAP_EV_dist_port_not_busy, BTAP_EV_dist_output,
    BTAP_EV_dist_outputv,
    BTAP_EV_function_entry, BTAP_EV_function_return, BTAP_EV_function_replaced,
    BTAP_EV_exception_throw, BTAP_EV_exception_catch,
    /* by the application */
    BTAP_EV_user_trace_s1, BTAP_EV_user_trace_i4s4, BTAP_EV_user_trace_n, BTAP_EV_user_probe,
    BTAP_EV_state_asked, BTAP_EV_state_process, BTAP_EV_state_port,
    BTAP_EV_tap_start, BTAP_EV_tap_stop, BTAP_EV_tap_warning,
#if !defined(BEAMASM) || defined(__x86_64__)
    BTAP_EV_bif_entry, BTAP_EV_bif_return,
#endif
    BTAP_EV_nif_entry, BTAP_EV_nif_return, BTAP_EV_copy_struct, BTAP_EV_copy_object,
};
const int erts_beamtap_nr_able = sizeof(erts_beamtap_able) / sizeof(erts_beamtap_able[0]);

#endif
