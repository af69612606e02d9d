/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.h - where in the VM an event is made: the function field of its probe
 *
 * One line an event; one that is missing does not compile.  The names are those
 * of the emulator's functions in OTP 25, as a probe built into it would have
 * them, and for what it has no probe the function that does it.  SITE_FUNCTION
 * marks probes that have the Erlang module and function there instead.
 */
#ifndef BEAMTAP_SITES_H
#define BEAMTAP_SITES_H

#define SITE_FUNCTION NULL

/* clang-format off */
#define SITE_message_send               "erts_send_message"
#define SITE_message_send_remote        "erts_dsig_send_msg"
#define SITE_message_queued             "handle_message_enqueued_tracing"
#define SITE_message_receive            "beam_jit_remove_message"
#define SITE_copy_struct                "copy_struct_x"
#define SITE_copy_object                "copy_object_x"
#define SITE_local_function_entry       SITE_FUNCTION
#define SITE_global_function_entry      SITE_FUNCTION
#define SITE_function_return            SITE_FUNCTION
#define SITE_bif_entry                  SITE_FUNCTION
#define SITE_bif_return                 SITE_FUNCTION
#define SITE_nif_entry                  SITE_FUNCTION
#define SITE_nif_return                 SITE_FUNCTION
#define SITE_function_entry             SITE_FUNCTION
#define SITE_function_replaced          SITE_FUNCTION
#define SITE_exception_throw            "handle_error"
#define SITE_exception_catch            "next_catch"
#define SITE_gc_major_start             "garbage_collect"
#define SITE_gc_minor_start             "garbage_collect"
#define SITE_gc_major_end               "garbage_collect"
#define SITE_gc_minor_end               "garbage_collect"
#define SITE_process_heap_grow          "grow_new_heap"
#define SITE_process_heap_shrink        "shrink_new_heap"
#define SITE_process_spawn              "erl_create_process"
#define SITE_process_exit               "erts_do_exit_process"
#define SITE_process_exit_signal        "sig_enqueue_trace"
#define SITE_process_exit_signal_remote "erts_dsig_send_exit_tt"
#define SITE_process_scheduled          "process_main"
#define SITE_process_unscheduled        "erts_schedule"
#define SITE_process_hibernate          "erts_hibernate"
#define SITE_process_port_unblocked     "erts_port_resume_procs"
#define SITE_process_runnable           "add2runq"
#define SITE_process_link               "link_1"
#define SITE_process_unlink             "unlink_1"
#define SITE_process_linked             "handle_link"
#define SITE_process_unlinked           "handle_unlink"
#define SITE_process_monitor            "monitor"
#define SITE_process_demonitor          "demonitor"
#define SITE_name_register              "erts_register_name"
#define SITE_name_unregister            "erts_unregister_name"
#define SITE_dirty_scheduled            "erts_dirty_process_main"
#define SITE_dirty_unscheduled          "erts_dirty_process_main"
#define SITE_scheduler_sleep            "scheduler_wait"
#define SITE_scheduler_wakeup           "scheduler_wait"
#define SITE_module_load                "erts_finish_loading"
#define SITE_module_unload              "delete_code"
#define SITE_timer_set                  "setup_bif_timer"
#define SITE_timer_cancel               "cancel_bif_timer"
#define SITE_timer_fire                 "bif_timer_timeout"
#define SITE_dist_monitor               "send_nodes_mon_msgs"
#define SITE_dist_port_busy             "erts_dsig_send"
#define SITE_dist_output                "dist_port_command"
#define SITE_dist_outputv               "dist_port_commandv"
#define SITE_dist_port_not_busy         "erts_dist_port_not_busy"
#define SITE_port_open                  "open_port"
#define SITE_port_command               "erts_port_output"
#define SITE_port_control               "call_driver_control"
#define SITE_port_exit                  "erts_deliver_port_exit"
#define SITE_port_connect               "set_port_connected"
#define SITE_port_busy                  "set_busy_port"
#define SITE_port_not_busy              "set_busy_port"
#define SITE_port_scheduled             "erts_port_task_execute"
#define SITE_port_unscheduled           "erts_port_task_execute"
#define SITE_port_data                  "deliver_result"
#define SITE_driver_init                "init_driver"
#define SITE_driver_start               "erts_open_driver"
#define SITE_driver_stop                "terminate_port"
#define SITE_driver_finish              "do_unload_driver_entry"
#define SITE_driver_flush               "flush_port"
#define SITE_driver_output              "call_driver_output"
#define SITE_driver_outputv             "call_driver_outputv"
#define SITE_driver_control             "call_driver_control"
#define SITE_driver_call                "call_driver_call"
#define SITE_driver_event               "erts_port_task_execute"
#define SITE_driver_ready_input         "erts_port_task_execute"
#define SITE_driver_ready_output        "erts_port_task_execute"
#define SITE_driver_timeout             "erts_port_task_execute"
#define SITE_driver_ready_async         "async_ready"
#define SITE_driver_process_exit        "erts_fire_port_monitor"
#define SITE_driver_stop_select         "driver_select"
#define SITE_aio_pool_add               "async_add"
#define SITE_aio_pool_get               "async_get"
#define SITE_socket_open                "inet_open"
#define SITE_socket_close               "inet_close"
#define SITE_trace                      "trace"
#define SITE_trace_seq                  "trace"
#define SITE_user_trace_s1              "erl_nif_user_trace_s1"
#define SITE_user_trace_i4s4            "erl_nif_user_trace_i4s4"
#define SITE_user_trace_n               "erl_nif_user_trace_n"
#define SITE_user_probe                 "user_probe"
#define SITE_state_asked                "beamtap"
#define SITE_state_process              "beamtap"
#define SITE_state_port                 "beamtap"
#define SITE_tap_start                  "beamtap"
#define SITE_tap_stop                   "beamtap"
#define SITE_tap_warning                "beamtap"
/* clang-format on */

#endif /* BEAMTAP_SITES_H */
