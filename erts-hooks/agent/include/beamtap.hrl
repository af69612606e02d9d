%% SPDX-License-Identifier: Apache-2.0
%% Made from uapi/beamtap/catalog.h by `make gen`: change that.
%%
%% A record an event, its fields in the order of the catalogue, and the events'
%% numbers as ?BEAMTAP_EVENT_<name>, and as pairs in ?BEAMTAP_EVENTS.
-ifndef(BEAMTAP_HRL).
-define(BEAMTAP_HRL, true).

-define(BEAMTAP_EVENT_message_send, 1).
-define(BEAMTAP_EVENT_message_send_remote, 2).
-define(BEAMTAP_EVENT_message_queued, 3).
-define(BEAMTAP_EVENT_message_receive, 4).
-define(BEAMTAP_EVENT_copy_struct, 5).
-define(BEAMTAP_EVENT_copy_object, 6).
-define(BEAMTAP_EVENT_local_function_entry, 10).
-define(BEAMTAP_EVENT_global_function_entry, 11).
-define(BEAMTAP_EVENT_function_return, 12).
-define(BEAMTAP_EVENT_bif_entry, 13).
-define(BEAMTAP_EVENT_bif_return, 14).
-define(BEAMTAP_EVENT_nif_entry, 15).
-define(BEAMTAP_EVENT_nif_return, 16).
-define(BEAMTAP_EVENT_function_entry, 17).
-define(BEAMTAP_EVENT_function_replaced, 18).
-define(BEAMTAP_EVENT_exception_throw, 19).
-define(BEAMTAP_EVENT_exception_catch, 20).
-define(BEAMTAP_EVENT_gc_major_start, 30).
-define(BEAMTAP_EVENT_gc_minor_start, 31).
-define(BEAMTAP_EVENT_gc_major_end, 32).
-define(BEAMTAP_EVENT_gc_minor_end, 33).
-define(BEAMTAP_EVENT_process_heap_grow, 34).
-define(BEAMTAP_EVENT_process_heap_shrink, 35).
-define(BEAMTAP_EVENT_process_spawn, 40).
-define(BEAMTAP_EVENT_process_exit, 41).
-define(BEAMTAP_EVENT_process_exit_signal, 42).
-define(BEAMTAP_EVENT_process_exit_signal_remote, 43).
-define(BEAMTAP_EVENT_process_scheduled, 44).
-define(BEAMTAP_EVENT_process_unscheduled, 45).
-define(BEAMTAP_EVENT_process_hibernate, 46).
-define(BEAMTAP_EVENT_process_port_unblocked, 47).
-define(BEAMTAP_EVENT_process_runnable, 48).
-define(BEAMTAP_EVENT_process_link, 49).
-define(BEAMTAP_EVENT_process_unlink, 50).
-define(BEAMTAP_EVENT_process_linked, 51).
-define(BEAMTAP_EVENT_process_unlinked, 52).
-define(BEAMTAP_EVENT_process_monitor, 53).
-define(BEAMTAP_EVENT_process_demonitor, 54).
-define(BEAMTAP_EVENT_name_register, 55).
-define(BEAMTAP_EVENT_name_unregister, 56).
-define(BEAMTAP_EVENT_dirty_scheduled, 57).
-define(BEAMTAP_EVENT_dirty_unscheduled, 58).
-define(BEAMTAP_EVENT_scheduler_sleep, 59).
-define(BEAMTAP_EVENT_scheduler_wakeup, 60).
-define(BEAMTAP_EVENT_module_load, 70).
-define(BEAMTAP_EVENT_module_unload, 71).
-define(BEAMTAP_EVENT_timer_set, 72).
-define(BEAMTAP_EVENT_timer_cancel, 73).
-define(BEAMTAP_EVENT_timer_fire, 74).
-define(BEAMTAP_EVENT_dist_monitor, 80).
-define(BEAMTAP_EVENT_dist_port_busy, 81).
-define(BEAMTAP_EVENT_dist_output, 82).
-define(BEAMTAP_EVENT_dist_outputv, 83).
-define(BEAMTAP_EVENT_dist_port_not_busy, 84).
-define(BEAMTAP_EVENT_port_open, 90).
-define(BEAMTAP_EVENT_port_command, 91).
-define(BEAMTAP_EVENT_port_control, 92).
-define(BEAMTAP_EVENT_port_exit, 93).
-define(BEAMTAP_EVENT_port_connect, 94).
-define(BEAMTAP_EVENT_port_busy, 95).
-define(BEAMTAP_EVENT_port_not_busy, 96).
-define(BEAMTAP_EVENT_port_scheduled, 97).
-define(BEAMTAP_EVENT_port_unscheduled, 98).
-define(BEAMTAP_EVENT_port_data, 99).
-define(BEAMTAP_EVENT_driver_init, 110).
-define(BEAMTAP_EVENT_driver_start, 111).
-define(BEAMTAP_EVENT_driver_stop, 112).
-define(BEAMTAP_EVENT_driver_finish, 113).
-define(BEAMTAP_EVENT_driver_flush, 114).
-define(BEAMTAP_EVENT_driver_output, 115).
-define(BEAMTAP_EVENT_driver_outputv, 116).
-define(BEAMTAP_EVENT_driver_control, 117).
-define(BEAMTAP_EVENT_driver_call, 118).
-define(BEAMTAP_EVENT_driver_event, 119).
-define(BEAMTAP_EVENT_driver_ready_input, 120).
-define(BEAMTAP_EVENT_driver_ready_output, 121).
-define(BEAMTAP_EVENT_driver_timeout, 122).
-define(BEAMTAP_EVENT_driver_ready_async, 123).
-define(BEAMTAP_EVENT_driver_process_exit, 124).
-define(BEAMTAP_EVENT_driver_stop_select, 125).
-define(BEAMTAP_EVENT_aio_pool_add, 126).
-define(BEAMTAP_EVENT_aio_pool_get, 127).
-define(BEAMTAP_EVENT_socket_open, 140).
-define(BEAMTAP_EVENT_socket_close, 141).
-define(BEAMTAP_EVENT_trace, 150).
-define(BEAMTAP_EVENT_trace_seq, 151).
-define(BEAMTAP_EVENT_user_trace_s1, 160).
-define(BEAMTAP_EVENT_user_trace_i4s4, 161).
-define(BEAMTAP_EVENT_user_trace_n, 162).
-define(BEAMTAP_EVENT_user_probe, 163).
-define(BEAMTAP_EVENT_state_asked, 240).
-define(BEAMTAP_EVENT_state_process, 241).
-define(BEAMTAP_EVENT_state_port, 242).
-define(BEAMTAP_EVENT_tap_start, 243).
-define(BEAMTAP_EVENT_tap_stop, 244).
-define(BEAMTAP_EVENT_tap_warning, 245).
-define(BEAMTAP_EVENT_stack, 246).
-define(BEAMTAP_EVENTS, [
    {message_send, 1},
    {message_send_remote, 2},
    {message_queued, 3},
    {message_receive, 4},
    {copy_struct, 5},
    {copy_object, 6},
    {local_function_entry, 10},
    {global_function_entry, 11},
    {function_return, 12},
    {bif_entry, 13},
    {bif_return, 14},
    {nif_entry, 15},
    {nif_return, 16},
    {function_entry, 17},
    {function_replaced, 18},
    {exception_throw, 19},
    {exception_catch, 20},
    {gc_major_start, 30},
    {gc_minor_start, 31},
    {gc_major_end, 32},
    {gc_minor_end, 33},
    {process_heap_grow, 34},
    {process_heap_shrink, 35},
    {process_spawn, 40},
    {process_exit, 41},
    {process_exit_signal, 42},
    {process_exit_signal_remote, 43},
    {process_scheduled, 44},
    {process_unscheduled, 45},
    {process_hibernate, 46},
    {process_port_unblocked, 47},
    {process_runnable, 48},
    {process_link, 49},
    {process_unlink, 50},
    {process_linked, 51},
    {process_unlinked, 52},
    {process_monitor, 53},
    {process_demonitor, 54},
    {name_register, 55},
    {name_unregister, 56},
    {dirty_scheduled, 57},
    {dirty_unscheduled, 58},
    {scheduler_sleep, 59},
    {scheduler_wakeup, 60},
    {module_load, 70},
    {module_unload, 71},
    {timer_set, 72},
    {timer_cancel, 73},
    {timer_fire, 74},
    {dist_monitor, 80},
    {dist_port_busy, 81},
    {dist_output, 82},
    {dist_outputv, 83},
    {dist_port_not_busy, 84},
    {port_open, 90},
    {port_command, 91},
    {port_control, 92},
    {port_exit, 93},
    {port_connect, 94},
    {port_busy, 95},
    {port_not_busy, 96},
    {port_scheduled, 97},
    {port_unscheduled, 98},
    {port_data, 99},
    {driver_init, 110},
    {driver_start, 111},
    {driver_stop, 112},
    {driver_finish, 113},
    {driver_flush, 114},
    {driver_output, 115},
    {driver_outputv, 116},
    {driver_control, 117},
    {driver_call, 118},
    {driver_event, 119},
    {driver_ready_input, 120},
    {driver_ready_output, 121},
    {driver_timeout, 122},
    {driver_ready_async, 123},
    {driver_process_exit, 124},
    {driver_stop_select, 125},
    {aio_pool_add, 126},
    {aio_pool_get, 127},
    {socket_open, 140},
    {socket_close, 141},
    {trace, 150},
    {trace_seq, 151},
    {user_trace_s1, 160},
    {user_trace_i4s4, 161},
    {user_trace_n, 162},
    {user_probe, 163},
    {state_asked, 240},
    {state_process, 241},
    {state_port, 242},
    {tap_start, 243},
    {tap_stop, 244},
    {tap_warning, 245},
    {stack, 246}
]).

-record(message_send, {
    sender,
    receiver,
    size,
    msg,
    token_label = undefined,
    token_previous = undefined,
    token_current = undefined}).
-record(message_send_remote, {
    sender,
    node_name,
    size,
    receiver,
    token_label = undefined,
    token_previous = undefined,
    token_current = undefined}).
-record(message_queued, {
    receiver,
    size,
    queue_len,
    sender,
    msg,
    token_label = undefined,
    token_previous = undefined,
    token_current = undefined}).
-record(message_receive, {
    receiver,
    size,
    queue_len,
    sender,
    msg,
    token_label = undefined,
    token_previous = undefined,
    token_current = undefined}).
-record(copy_struct, {
    size}).
-record(copy_object, {
    proc,
    size}).
-record(local_function_entry, {
    p,
    mfa,
    depth}).
-record(global_function_entry, {
    p,
    mfa,
    depth}).
-record(function_return, {
    p,
    mfa,
    depth}).
-record(bif_entry, {
    p,
    mfa}).
-record(bif_return, {
    p,
    mfa}).
-record(nif_entry, {
    p,
    mfa}).
-record(nif_return, {
    p,
    mfa}).
-record(function_entry, {
    p,
    mfa,
    depth}).
-record(function_replaced, {
    p,
    mfa,
    by}).
-record(exception_throw, {
    p,
    class,
    mfa,
    reason,
    depth = undefined}).
-record(exception_catch, {
    p,
    class,
    mfa}).
-record(gc_major_start, {
    p,
    need,
    heap = undefined,
    old_heap = undefined,
    mbuf = undefined,
    bin_vheap = undefined}).
-record(gc_minor_start, {
    p,
    need,
    heap = undefined,
    old_heap = undefined,
    mbuf = undefined,
    bin_vheap = undefined}).
-record(gc_major_end, {
    p,
    reclaimed,
    heap = undefined,
    old_heap = undefined,
    heap_size = undefined,
    bin_vheap = undefined}).
-record(gc_minor_end, {
    p,
    reclaimed,
    heap = undefined,
    old_heap = undefined,
    heap_size = undefined,
    bin_vheap = undefined}).
-record(process_heap_grow, {
    p,
    old_size,
    new_size}).
-record(process_heap_shrink, {
    p,
    old_size,
    new_size}).
-record(process_spawn, {
    p,
    mfa,
    parent = undefined}).
-record(process_exit, {
    p,
    reason}).
-record(process_exit_signal, {
    sender,
    receiver,
    reason}).
-record(process_exit_signal_remote, {
    sender,
    node_name,
    receiver,
    reason,
    token_label = undefined,
    token_previous = undefined,
    token_current = undefined}).
-record(process_scheduled, {
    p,
    mfa}).
-record(process_unscheduled, {
    p,
    mfa = undefined}).
-record(process_hibernate, {
    p,
    mfa}).
-record(process_port_unblocked, {
    p,
    port}).
-record(process_runnable, {
    p,
    run_queue,
    queue_len = undefined}).
-record(process_link, {
    p,
    other}).
-record(process_unlink, {
    p,
    other}).
-record(process_linked, {
    p,
    other}).
-record(process_unlinked, {
    p,
    other}).
-record(process_monitor, {
    p,
    other}).
-record(process_demonitor, {
    p,
    other}).
-record(name_register, {
    p,
    name}).
-record(name_unregister, {
    p,
    name}).
-record(dirty_scheduled, {
    p,
    mfa}).
-record(dirty_unscheduled, {
    p,
    mfa}).
-record(scheduler_sleep, {
    scheduler}).
-record(scheduler_wakeup, {
    scheduler}).
-record(module_load, {
    module,
    p}).
-record(module_unload, {
    module,
    p}).
-record(timer_set, {
    p,
    timer,
    timeout}).
-record(timer_cancel, {
    p,
    timer}).
-record(timer_fire, {
    p,
    timer}).
-record(dist_monitor, {
    node,
    what,
    monitored_node,
    type,
    reason}).
-record(dist_port_busy, {
    node,
    port,
    remote_node,
    pid}).
-record(dist_output, {
    node,
    port,
    remote_node,
    bytes}).
-record(dist_outputv, {
    node,
    port,
    remote_node,
    bytes}).
-record(dist_port_not_busy, {
    node,
    port,
    remote_node}).
-record(port_open, {
    process,
    port_name,
    port}).
-record(port_command, {
    process,
    port,
    port_name,
    command_type,
    bytes = undefined}).
-record(port_control, {
    process,
    port,
    port_name,
    command_no}).
-record(port_exit, {
    process,
    port,
    port_name,
    reason}).
-record(port_connect, {
    process,
    port,
    port_name,
    new_process}).
-record(port_busy, {
    port}).
-record(port_not_busy, {
    port}).
-record(port_scheduled, {
    port,
    command}).
-record(port_unscheduled, {
    port,
    command}).
-record(port_data, {
    port,
    owner,
    bytes}).
-record(driver_init, {
    name,
    major,
    minor,
    flags}).
-record(driver_start, {
    process,
    name,
    port}).
-record(driver_stop, {
    process,
    name,
    port}).
-record(driver_finish, {
    name}).
-record(driver_flush, {
    process,
    port,
    port_name}).
-record(driver_output, {
    process,
    port,
    port_name,
    bytes}).
-record(driver_outputv, {
    process,
    port,
    port_name,
    bytes}).
-record(driver_control, {
    process,
    port,
    port_name,
    command,
    bytes}).
-record(driver_call, {
    process,
    port,
    port_name,
    command,
    bytes}).
-record(driver_event, {
    process,
    port,
    port_name}).
-record(driver_ready_input, {
    process,
    port,
    port_name}).
-record(driver_ready_output, {
    process,
    port,
    port_name}).
-record(driver_timeout, {
    process,
    port,
    port_name}).
-record(driver_ready_async, {
    process,
    port,
    port_name}).
-record(driver_process_exit, {
    process,
    port,
    port_name}).
-record(driver_stop_select, {
    name}).
-record(aio_pool_add, {
    thread,
    queue_len}).
-record(aio_pool_get, {
    thread,
    queue_len}).
-record(socket_open, {
    socket,
    owner,
    inode,
    cookie,
    fd,
    local,
    remote}).
-record(socket_close, {
    socket,
    owner,
    inode,
    cookie,
    fd}).
-record(trace, {
    p,
    event,
    state,
    arg1,
    arg2}).
-record(trace_seq, {
    state,
    label,
    seq_info}).
-record(user_trace_s1, {
    message}).
-record(user_trace_i4s4, {
    proc,
    user_tag,
    i1,
    i2,
    i3,
    i4,
    s1,
    s2,
    s3,
    s4}).
-record(user_trace_n, {
    proc,
    number,
    user_tag,
    i1,
    i2,
    i3,
    i4,
    s1,
    s2,
    s3,
    s4}).
-record(user_probe, {
    p,
    name,
    a1,
    a2,
    data}).
-record(state_asked, {
    p}).
-record(state_process, {
    p,
    mfa,
    name,
    parent,
    queue_len}).
-record(state_port, {
    port,
    port_name,
    owner,
    name,
    input,
    output}).
-record(tap_start, {
    reader,
    events}).
-record(tap_stop, {
    reader,
    reason}).
-record(tap_warning, {
    message}).
-record(stack, {
    p,
    event,
    depth,
    is_cut,
    frames}).

-endif.
