/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * catalog.h - the event catalogue: every type, field and event, declared once
 *
 * Everything that must know the events is projected from the three list macros
 * below by passing them a macro: record ids and structs (records.h), the
 * decoder's descriptors, probe arguments in D, the metadata of recordings, the
 * kernel's tracepoints, the agent's .hrl and docs/events.md.
 *
 * Rules:
 *  - An id is wire format: append, never reuse.  Ids are below BTAP_MAX_EVENTS.
 *  - Fields are written in the order of their list.  A field is one 64-bit
 *    word, but for `text`, which is a length word and then the bytes, and
 *    `frames`, which is a number and then so many pairs of words.
 *  - `arg` is the position in D (arg0, args[0]).  For an event of OTP's own
 *    provider the positions are those of its erlang_dtrace.d; what we add comes
 *    behind them.
 *  - `opt` fields stand last; a record may end before any of them, and what is
 *    not there is unknown.
 *  - A value that the writer does not know is BTAP_UNKNOWN in a number and 0 in
 *    a term or a string number.
 *  - The probe's name in D is the USDT name with `__` read as `-`.
 */
#ifndef BEAMTAP_CATALOG_H
#define BEAMTAP_CATALOG_H

/* clang-format off */

/*    type    wire  D type      unit    meaning */
#define BTAP_TYPES(T) \
	T(pid,    word, "string",   "-",    "local process: the VM's own term") \
	T(port,   word, "string",   "-",    "local port: the VM's own term") \
	T(ident,  word, "string",   "-",    "local process, port or atom (a registered or node name): the VM's own term") \
	T(atom,   word, "string",   "-",    "atom: the VM's own term") \
	T(mfa,    word, "string",   "-",    "function: BTAP_MFA of module, function and arity") \
	T(str,    word, "string",   "-",    "number in the region's string table") \
	T(text,   text, "string",   "-",    "bytes in the record itself, UTF-8, shortened by the writer if long") \
	T(frames, pairs, "uint64_t", "-",   "a stack: how many frames, then of each the function (mfa) and the line, 0 where it is not known") \
	T(words,  word, "int64_t",  "word", "memory; a word is 8 bytes; -1 as OTP says it: not known") \
	T(bytes,  word, "int64_t",  "byte", "data or memory") \
	T(count,  word, "int64_t",  "-",    "number of things, or a position among them") \
	T(ns,     word, "int64_t",  "ns",   "a span of time") \
	T(int,    word, "int",      "-",    "C's int, sign-extended") \
	T(u64,    word, "uint64_t", "-",    "number without a sign, printed in decimal") \
	T(hex,    word, "uint64_t", "-",    "bits or an address, printed in hexadecimal") \
	T(msgid,  word, "uint64_t", "-",    "identity of a message, the same where it is sent, queued and received; 0: none, to be found by order; BTAP_UNKNOWN: none, and not by order either")

/* The three tokens of sequential tracing, as OTP gives them. */
#define BTAP_TOKEN_(F, first, second, third) \
	F(int,    token_label,    first,  opt, "label of the sequential trace token") \
	F(int,    token_previous, second, opt, "previous serial of the sequential trace token") \
	F(int,    token_current,  third,  opt, "current serial of the sequential trace token")

/*    type    field      arg need meaning */

/* -- messages -- */
#define BTAP_FIELDS_message_send(F) \
	F(pid,    sender,    0, req, "process that sends (a port, where a port sends)") \
	F(ident,  receiver,  1, req, "process, port or registered name it is sent to") \
	F(words,  size,      2, req, "message size, off-heap binaries not counted") \
	F(msgid,  msg,       6, req, "identity of the message") \
	BTAP_TOKEN_(F, 3, 4, 5)
#define BTAP_FIELDS_message_send_remote(F) \
	F(pid,    sender,    0, req, "process that sends") \
	F(atom,   node_name, 1, req, "node of the receiver") \
	F(words,  size,      3, req, "message size, off-heap binaries not counted") \
	F(text,   receiver,  2, req, "process or registered name it is sent to") \
	BTAP_TOKEN_(F, 4, 5, 6)
#define BTAP_FIELDS_message_queued(F) \
	F(pid,    receiver,  0, req, "process into whose mailbox the message is put") \
	F(words,  size,      1, req, "message size; -1: not known before it is decoded") \
	F(count,  queue_len, 2, req, "messages in the mailbox") \
	F(ident,  sender,    6, req, "process, port or node it came from") \
	F(msgid,  msg,       7, req, "identity of the message") \
	BTAP_TOKEN_(F, 3, 4, 5)
#define BTAP_FIELDS_message_receive(F) \
	F(pid,    receiver,  0, req, "process (or port) that takes the message") \
	F(words,  size,      1, req, "message size; -1: not known") \
	F(count,  queue_len, 2, req, "messages in the mailbox") \
	F(ident,  sender,    6, req, "process, port or node it came from") \
	F(msgid,  msg,       7, req, "identity of the message") \
	BTAP_TOKEN_(F, 3, 4, 5)
#define BTAP_FIELDS_copy_struct(F) \
	F(words,  size,      0, req, "size of the structure")
#define BTAP_FIELDS_copy_object(F) \
	F(pid,    proc,      0, req, "process that gets the copy") \
	F(words,  size,      1, req, "size of the structure")

/* -- functions -- */
#define BTAP_FIELDS_CALL_(F) \
	F(pid,    p,         0, req, "process that calls") \
	F(mfa,    mfa,       1, req, "function called") \
	F(count,  depth,     2, req, "open calls of traced functions in this process")
#define BTAP_FIELDS_local_function_entry(F)  BTAP_FIELDS_CALL_(F)
#define BTAP_FIELDS_global_function_entry(F) BTAP_FIELDS_CALL_(F)
#define BTAP_FIELDS_function_entry(F)        BTAP_FIELDS_CALL_(F)
#define BTAP_FIELDS_function_return(F) \
	F(pid,    p,         0, req, "process that returns") \
	F(mfa,    mfa,       1, req, "function that returns") \
	F(count,  depth,     2, req, "open calls of traced functions in this process")
#define BTAP_FIELDS_function_replaced(F) \
	F(pid,    p,         0, req, "process that calls") \
	F(mfa,    mfa,       1, req, "function that ends by a tail call") \
	F(mfa,    by,        2, req, "function that takes its place and returns for it")
#define BTAP_FIELDS_BIF_(F) \
	F(pid,    p,         0, req, "process that calls") \
	F(mfa,    mfa,       1, req, "function")
#define BTAP_FIELDS_bif_entry(F)             BTAP_FIELDS_BIF_(F)
#define BTAP_FIELDS_bif_return(F)            BTAP_FIELDS_BIF_(F)
#define BTAP_FIELDS_nif_entry(F)             BTAP_FIELDS_BIF_(F)
#define BTAP_FIELDS_nif_return(F)            BTAP_FIELDS_BIF_(F)
#define BTAP_FIELDS_exception_throw(F) \
	F(pid,    p,         0, req, "process in which it is raised") \
	F(atom,   class,     1, req, "error, exit or throw") \
	F(mfa,    mfa,       2, req, "function that raises, or that the exception leaves") \
	F(text,   reason,    3, req, "reason, shortened") \
	F(count,  depth,     4, opt, "open calls of traced functions, the one that it leaves included; 0: it is raised, and leaves none")
#define BTAP_FIELDS_exception_catch(F) \
	F(pid,    p,         0, req, "process in which it is caught") \
	F(atom,   class,     1, req, "error, exit or throw") \
	F(mfa,    mfa,       2, req, "function that catches")

/* -- garbage collection -- */
#define BTAP_FIELDS_GC_START_(F) \
	F(pid,    p,         0, req, "process collected") \
	F(words,  need,      1, req, "words the process asked for") \
	F(words,  heap,      2, opt, "young heap in use before") \
	F(words,  old_heap,  3, opt, "old heap in use before") \
	F(words,  mbuf,      4, opt, "heap fragments (message buffers) before") \
	F(bytes,  bin_vheap, 5, opt, "binaries referred to by the young heap, before")
#define BTAP_FIELDS_GC_END_(F) \
	F(pid,    p,         0, req, "process collected") \
	F(words,  reclaimed, 1, req, "words given back") \
	F(words,  heap,      2, opt, "young heap in use after") \
	F(words,  old_heap,  3, opt, "old heap in use after") \
	F(words,  heap_size, 4, opt, "size of the young heap's block after") \
	F(bytes,  bin_vheap, 5, opt, "binaries referred to by the young heap, after")
#define BTAP_FIELDS_gc_major_start(F)        BTAP_FIELDS_GC_START_(F)
#define BTAP_FIELDS_gc_minor_start(F)        BTAP_FIELDS_GC_START_(F)
#define BTAP_FIELDS_gc_major_end(F)          BTAP_FIELDS_GC_END_(F)
#define BTAP_FIELDS_gc_minor_end(F)          BTAP_FIELDS_GC_END_(F)
#define BTAP_FIELDS_HEAP_(F) \
	F(pid,    p,         0, req, "process") \
	F(words,  old_size,  1, req, "heap before") \
	F(words,  new_size,  2, req, "heap after")
#define BTAP_FIELDS_process_heap_grow(F)     BTAP_FIELDS_HEAP_(F)
#define BTAP_FIELDS_process_heap_shrink(F)   BTAP_FIELDS_HEAP_(F)

/* -- processes -- */
#define BTAP_FIELDS_process_spawn(F) \
	F(pid,    p,         0, req, "new process") \
	F(mfa,    mfa,       1, req, "its first function") \
	F(pid,    parent,    2, opt, "process that spawns")
#define BTAP_FIELDS_process_exit(F) \
	F(pid,    p,         0, req, "process that ends") \
	F(text,   reason,    1, req, "reason, shortened")
#define BTAP_FIELDS_process_exit_signal(F) \
	F(ident,  sender,    0, req, "process or port that ended") \
	F(pid,    receiver,  1, req, "process that gets the signal") \
	F(text,   reason,    2, req, "reason, shortened")
#define BTAP_FIELDS_process_exit_signal_remote(F) \
	F(ident,  sender,    0, req, "process that ended") \
	F(atom,   node_name, 1, req, "node of the receiver") \
	F(text,   receiver,  2, req, "process that gets the signal") \
	F(text,   reason,    3, req, "reason, shortened") \
	BTAP_TOKEN_(F, 4, 5, 6)
#define BTAP_FIELDS_process_scheduled(F) \
	F(pid,    p,         0, req, "process that begins to run") \
	F(mfa,    mfa,       1, req, "where it goes on")
#define BTAP_FIELDS_process_unscheduled(F) \
	F(pid,    p,         0, req, "process that stops running") \
	F(mfa,    mfa,       1, opt, "where it stopped")
#define BTAP_FIELDS_process_hibernate(F) \
	F(pid,    p,         0, req, "process") \
	F(mfa,    mfa,       1, req, "where it will go on")
#define BTAP_FIELDS_process_port_unblocked(F) \
	F(pid,    p,         0, req, "process that may run again") \
	F(port,   port,      1, req, "port that is no longer busy")
#define BTAP_FIELDS_process_runnable(F) \
	F(pid,    p,         0, req, "process put into a run queue") \
	F(count,  run_queue, 1, req, "number of the run queue") \
	F(count,  queue_len, 2, opt, "processes in it")
#define BTAP_FIELDS_LINK_(F) \
	F(pid,    p,         0, req, "process") \
	F(ident,  other,     1, req, "process or port at the other end; 0: a remote one")
#define BTAP_FIELDS_process_link(F)          BTAP_FIELDS_LINK_(F)
#define BTAP_FIELDS_process_unlink(F)        BTAP_FIELDS_LINK_(F)
#define BTAP_FIELDS_process_linked(F)        BTAP_FIELDS_LINK_(F)
#define BTAP_FIELDS_process_unlinked(F)      BTAP_FIELDS_LINK_(F)
#define BTAP_FIELDS_process_monitor(F)       BTAP_FIELDS_LINK_(F)
#define BTAP_FIELDS_process_demonitor(F)     BTAP_FIELDS_LINK_(F)
#define BTAP_FIELDS_NAME_(F) \
	F(ident,  p,         0, req, "process or port") \
	F(atom,   name,      1, req, "registered name")
#define BTAP_FIELDS_name_register(F)         BTAP_FIELDS_NAME_(F)
#define BTAP_FIELDS_name_unregister(F)       BTAP_FIELDS_NAME_(F)
#define BTAP_FIELDS_DIRTY_(F) \
	F(pid,    p,         0, req, "process") \
	F(mfa,    mfa,       1, req, "native function")
#define BTAP_FIELDS_dirty_scheduled(F)       BTAP_FIELDS_DIRTY_(F)
#define BTAP_FIELDS_dirty_unscheduled(F)     BTAP_FIELDS_DIRTY_(F)
#define BTAP_FIELDS_SCHEDULER_(F) \
	F(count,  scheduler, 0, req, "number of the scheduler")
#define BTAP_FIELDS_scheduler_sleep(F)       BTAP_FIELDS_SCHEDULER_(F)
#define BTAP_FIELDS_scheduler_wakeup(F)      BTAP_FIELDS_SCHEDULER_(F)

/* -- code and timers -- */
#define BTAP_FIELDS_MODULE_(F) \
	F(atom,   module,    0, req, "module") \
	F(pid,    p,         1, req, "process that does it")
#define BTAP_FIELDS_module_load(F)           BTAP_FIELDS_MODULE_(F)
#define BTAP_FIELDS_module_unload(F)         BTAP_FIELDS_MODULE_(F)
#define BTAP_FIELDS_timer_set(F) \
	F(ident,  p,         0, req, "process or name that is to be told") \
	F(u64,    timer,     1, req, "identity of the timer in this VM") \
	F(ns,     timeout,   2, req, "time until it fires")
#define BTAP_FIELDS_TIMER_(F) \
	F(ident,  p,         0, req, "process or name that is told") \
	F(u64,    timer,     1, req, "identity of the timer in this VM")
#define BTAP_FIELDS_timer_cancel(F)          BTAP_FIELDS_TIMER_(F)
#define BTAP_FIELDS_timer_fire(F)            BTAP_FIELDS_TIMER_(F)

/* -- distribution -- */
#define BTAP_FIELDS_dist_monitor(F) \
	F(atom,   node,           0, req, "node that reports") \
	F(atom,   what,           1, req, "nodeup or nodedown") \
	F(atom,   monitored_node, 2, req, "node it is about") \
	F(atom,   type,           3, req, "visible or hidden") \
	F(text,   reason,         4, req, "reason, shortened")
#define BTAP_FIELDS_dist_port_busy(F) \
	F(atom,   node,           0, req, "node that reports") \
	F(port,   port,           1, req, "busy port") \
	F(atom,   remote_node,    2, req, "node behind it") \
	F(pid,    pid,            3, req, "process suspended until the port is not busy")
#define BTAP_FIELDS_DIST_OUTPUT_(F) \
	F(atom,   node,           0, req, "node that reports") \
	F(port,   port,           1, req, "port") \
	F(atom,   remote_node,    2, req, "node behind it") \
	F(bytes,  bytes,          3, req, "written")
#define BTAP_FIELDS_dist_output(F)           BTAP_FIELDS_DIST_OUTPUT_(F)
#define BTAP_FIELDS_dist_outputv(F)          BTAP_FIELDS_DIST_OUTPUT_(F)
#define BTAP_FIELDS_dist_port_not_busy(F) \
	F(atom,   node,           0, req, "node that reports") \
	F(port,   port,           1, req, "port") \
	F(atom,   remote_node,    2, req, "node behind it")

/* -- ports -- */
#define BTAP_FIELDS_port_open(F) \
	F(pid,    process,   0, req, "process that opens it") \
	F(str,    port_name, 1, req, "string the port was opened with") \
	F(port,   port,      2, req, "new port")
#define BTAP_FIELDS_port_command(F) \
	F(pid,    process,      0, req, "process") \
	F(port,   port,         1, req, "port") \
	F(str,    port_name,    2, req, "string the port was opened with") \
	F(atom,   command_type, 3, req, "close, command or connect") \
	F(bytes,  bytes,        4, opt, "data of the command")
#define BTAP_FIELDS_port_control(F) \
	F(pid,    process,    0, req, "process") \
	F(port,   port,       1, req, "port") \
	F(str,    port_name,  2, req, "string the port was opened with") \
	F(int,    command_no, 3, req, "number of the command")
#define BTAP_FIELDS_port_exit(F) \
	F(pid,    process,   0, req, "owner, or who closes it") \
	F(port,   port,      1, req, "port") \
	F(str,    port_name, 2, req, "string the port was opened with") \
	F(text,   reason,    3, req, "reason, shortened")
#define BTAP_FIELDS_port_connect(F) \
	F(pid,    process,     0, req, "owner until now") \
	F(port,   port,        1, req, "port") \
	F(str,    port_name,   2, req, "string the port was opened with") \
	F(pid,    new_process, 3, req, "new owner")
#define BTAP_FIELDS_PORT_(F) \
	F(port,   port,      0, req, "port")
#define BTAP_FIELDS_port_busy(F)             BTAP_FIELDS_PORT_(F)
#define BTAP_FIELDS_port_not_busy(F)         BTAP_FIELDS_PORT_(F)
#define BTAP_FIELDS_port_scheduled(F) \
	F(port,   port,      0, req, "port that begins to run") \
	F(atom,   command,   1, req, "what it runs: command, control, call, info, open, ready_input, ready_output, ...")
#define BTAP_FIELDS_port_unscheduled(F) \
	F(port,   port,      0, req, "port that stops running") \
	F(atom,   command,   1, req, "what it ran")
#define BTAP_FIELDS_port_data(F) \
	F(port,   port,      0, req, "port") \
	F(ident,  owner,     1, req, "process that is sent the data") \
	F(bytes,  bytes,     2, req, "data that came in")

/* -- drivers -- */
#define BTAP_FIELDS_driver_init(F) \
	F(str,    name,      0, req, "driver") \
	F(int,    major,     1, req, "major version") \
	F(int,    minor,     2, req, "minor version") \
	F(int,    flags,     3, req, "its flags")
#define BTAP_FIELDS_DRIVER_LIFE_(F) \
	F(pid,    process,   0, req, "process that calls") \
	F(str,    name,      1, req, "driver") \
	F(port,   port,      2, req, "port")
#define BTAP_FIELDS_driver_start(F)          BTAP_FIELDS_DRIVER_LIFE_(F)
#define BTAP_FIELDS_driver_stop(F)           BTAP_FIELDS_DRIVER_LIFE_(F)
#define BTAP_FIELDS_DRIVER_NAME_(F) \
	F(str,    name,      0, req, "driver")
#define BTAP_FIELDS_driver_finish(F)         BTAP_FIELDS_DRIVER_NAME_(F)
#define BTAP_FIELDS_driver_stop_select(F)    BTAP_FIELDS_DRIVER_NAME_(F)
#define BTAP_FIELDS_DRIVER_(F) \
	F(pid,    process,   0, req, "process") \
	F(port,   port,      1, req, "port") \
	F(str,    port_name, 2, req, "string the port was opened with")
#define BTAP_FIELDS_driver_flush(F)          BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_driver_event(F)          BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_driver_ready_input(F)    BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_driver_ready_output(F)   BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_driver_timeout(F)        BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_driver_ready_async(F)    BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_driver_process_exit(F)   BTAP_FIELDS_DRIVER_(F)
#define BTAP_FIELDS_DRIVER_OUTPUT_(F) \
	BTAP_FIELDS_DRIVER_(F) \
	F(bytes,  bytes,     3, req, "written")
#define BTAP_FIELDS_driver_output(F)         BTAP_FIELDS_DRIVER_OUTPUT_(F)
#define BTAP_FIELDS_driver_outputv(F)        BTAP_FIELDS_DRIVER_OUTPUT_(F)
#define BTAP_FIELDS_DRIVER_COMMAND_(F) \
	BTAP_FIELDS_DRIVER_(F) \
	F(int,    command,   3, req, "number of the command") \
	F(bytes,  bytes,     4, req, "passed with it")
#define BTAP_FIELDS_driver_control(F)        BTAP_FIELDS_DRIVER_COMMAND_(F)
#define BTAP_FIELDS_driver_call(F)           BTAP_FIELDS_DRIVER_COMMAND_(F)
#define BTAP_FIELDS_AIO_(F) \
	F(int,    thread,    0, req, "number of the async thread") \
	F(int,    queue_len, 1, req, "requests in its queue")
#define BTAP_FIELDS_aio_pool_add(F)          BTAP_FIELDS_AIO_(F)
#define BTAP_FIELDS_aio_pool_get(F)          BTAP_FIELDS_AIO_(F)

/* -- sockets -- */
#define BTAP_FIELDS_SOCKET_(F) \
	F(ident,  socket,    0, req, "port of the socket; 0 for one of the socket module") \
	F(pid,    owner,     1, req, "its owner") \
	F(u64,    inode,     2, req, "inode of the kernel's socket") \
	F(u64,    cookie,    3, req, "cookie of the kernel's socket (SO_COOKIE)") \
	F(int,    fd,        4, req, "file descriptor")
#define BTAP_FIELDS_socket_open(F) \
	BTAP_FIELDS_SOCKET_(F) \
	F(text,   local,     5, req, "own address, as address:port") \
	F(text,   remote,    6, req, "peer's address; empty where there is none")
#define BTAP_FIELDS_socket_close(F)          BTAP_FIELDS_SOCKET_(F)

/* -- tracing by Erlang's own means -- */
#define BTAP_FIELDS_trace(F) \
	F(ident,  p,         0, req, "process or port traced") \
	F(atom,   event,     1, req, "what happened") \
	F(text,   state,     2, req, "state of the tracer") \
	F(text,   arg1,      3, req, "first argument") \
	F(text,   arg2,      4, req, "second argument")
#define BTAP_FIELDS_trace_seq(F) \
	F(text,   state,     0, req, "state of the tracer") \
	F(text,   label,     1, req, "label of the sequential trace") \
	F(text,   seq_info,  2, req, "its message")

/* -- probes in users' own code -- */
#define BTAP_FIELDS_user_trace_s1(F) \
	F(text,   message,   0, req, "text")
#define BTAP_FIELDS_I4S4_(F) \
	F(text,   user_tag,  1, req, "tag of the caller") \
	F(int,    i1,        2, req, "number") \
	F(int,    i2,        3, req, "number") \
	F(int,    i3,        4, req, "number") \
	F(int,    i4,        5, req, "number") \
	F(text,   s1,        6, req, "text") \
	F(text,   s2,        7, req, "text") \
	F(text,   s3,        8, req, "text") \
	F(text,   s4,        9, req, "text")
#define BTAP_FIELDS_user_trace_i4s4(F) \
	F(pid,    proc,      0, req, "process") \
	BTAP_FIELDS_I4S4_(F)
#define BTAP_FIELDS_user_trace_n(F) \
	F(pid,    proc,      0, req, "process") \
	F(count,  number,   10, req, "0 to 950: the probe's name ends with it, as user_trace-n7") \
	BTAP_FIELDS_I4S4_(F)
#define BTAP_FIELDS_user_probe(F) \
	F(pid,    p,         0, req, "process") \
	F(atom,   name,      1, req, "name given to the probe") \
	F(u64,    a1,        2, req, "first argument: a number") \
	F(u64,    a2,        3, req, "second argument: a number") \
	F(text,   data,      4, req, "text")

/* -- what was there when the recording began; the agent's own words -- */
#define BTAP_FIELDS_state_asked(F) \
	F(pid,    p,         0, req, "process that is asked for its state; its state_process comes once it has answered")
#define BTAP_FIELDS_state_process(F) \
	F(pid,    p,         0, req, "process") \
	F(mfa,    mfa,       1, req, "its first function, of proc_lib's if that started it") \
	F(atom,   name,      2, req, "registered name; 0: none") \
	F(pid,    parent,    3, req, "process that spawned it; 0: not known") \
	F(count,  queue_len, 4, req, "messages in its mailbox")
#define BTAP_FIELDS_state_port(F) \
	F(port,   port,      0, req, "port") \
	F(str,    port_name, 1, req, "string the port was opened with") \
	F(pid,    owner,     2, req, "process connected to it") \
	F(atom,   name,      3, req, "registered name; 0: none") \
	F(bytes,  input,     4, req, "bytes read from it since it was opened") \
	F(bytes,  output,    5, req, "bytes written to it since it was opened")
#define BTAP_FIELDS_tap_start(F) \
	F(count,  reader,    0, req, "lease that asked for events") \
	F(text,   events,    1, req, "what is on now: globs of event names")
#define BTAP_FIELDS_tap_stop(F) \
	F(count,  reader,    0, req, "lease that ended") \
	F(text,   reason,    1, req, "closed, expired, or what made the VM's side stop")
#define BTAP_FIELDS_tap_warning(F) \
	F(text,   message,   0, req, "why something asked for is not there, or not whole")

/* -- what goes with another event; see docs/ring.md -- */
#define BTAP_FIELDS_stack(F) \
	F(pid,    p,         0, req, "process whose stack it is: the one that runs on the thread") \
	F(u64,    event,     1, req, "number of the event that it belongs to: the next of this thread, with the same time") \
	F(count,  depth,     2, req, "frames that were seen") \
	F(int,    is_cut,    3, req, "1: there are more frames than are told") \
	F(frames, frames,    4, req, "functions and lines, the innermost first")

/*  id   name                        USDT name                      meaning */
#define BTAP_EVENTS(E) \
	E(1,   message_send,               message__send,               "a message is sent to a local process") \
	E(2,   message_send_remote,        message__send__remote,       "a message is sent to a process of another node") \
	E(3,   message_queued,             message__queued,             "a message is put into a process's mailbox") \
	E(4,   message_receive,            message__receive,            "a message is received") \
	E(5,   copy_struct,                copy__struct,                "a term is copied") \
	E(6,   copy_object,                copy__object,                "a term is copied onto a process's heap") \
	E(10,  local_function_entry,       local__function__entry,      "a function is called locally") \
	E(11,  global_function_entry,      global__function__entry,     "a function is called by its full name") \
	E(12,  function_return,            function__return,            "a traced function returns") \
	E(13,  bif_entry,                  bif__entry,                  "a built-in function is called") \
	E(14,  bif_return,                 bif__return,                 "a built-in function returns") \
	E(15,  nif_entry,                  nif__entry,                  "a native function is called") \
	E(16,  nif_return,                 nif__return,                 "a native function returns") \
	E(17,  function_entry,             function__entry,             "a traced function is called") \
	E(18,  function_replaced,          function__replaced,          "a traced function ends by a tail call") \
	E(19,  exception_throw,            exception__throw,            "an exception is raised, or leaves a traced function") \
	E(20,  exception_catch,            exception__catch,            "an exception is caught") \
	E(30,  gc_major_start,             gc_major__start,             "a full garbage collection begins") \
	E(31,  gc_minor_start,             gc_minor__start,             "a garbage collection of the young heap begins") \
	E(32,  gc_major_end,               gc_major__end,               "a full garbage collection ends") \
	E(33,  gc_minor_end,               gc_minor__end,               "a garbage collection of the young heap ends") \
	E(34,  process_heap_grow,          process__heap_grow,          "a process's heap grows") \
	E(35,  process_heap_shrink,        process__heap_shrink,        "a process's heap shrinks") \
	E(40,  process_spawn,              process__spawn,              "a process is spawned") \
	E(41,  process_exit,               process__exit,               "a process ends") \
	E(42,  process_exit_signal,        process__exit_signal,        "an exit signal reaches a local process") \
	E(43,  process_exit_signal_remote, process__exit_signal__remote, "an exit signal is sent to a process of another node") \
	E(44,  process_scheduled,          process__scheduled,          "a process begins to run") \
	E(45,  process_unscheduled,        process__unscheduled,        "a process stops running") \
	E(46,  process_hibernate,          process__hibernate,          "a process hibernates") \
	E(47,  process_port_unblocked,     process__port_unblocked,     "a process may run since a port is no longer busy") \
	E(48,  process_runnable,           process__runnable,           "a process is put into a run queue") \
	E(49,  process_link,               process__link,               "a process links itself") \
	E(50,  process_unlink,             process__unlink,             "a process removes a link") \
	E(51,  process_linked,             process__linked,             "a process is linked by another") \
	E(52,  process_unlinked,           process__unlinked,           "a link to a process is removed by another") \
	E(53,  process_monitor,            process__monitor,            "a process monitors another") \
	E(54,  process_demonitor,          process__demonitor,          "a process ends a monitor") \
	E(55,  name_register,              name__register,              "a name is registered") \
	E(56,  name_unregister,            name__unregister,            "a name is unregistered") \
	E(57,  dirty_scheduled,            dirty__scheduled,            "a process begins to run on a dirty scheduler") \
	E(58,  dirty_unscheduled,          dirty__unscheduled,          "a process stops running on a dirty scheduler") \
	E(59,  scheduler_sleep,            scheduler__sleep,            "a scheduler has nothing to run and goes to sleep") \
	E(60,  scheduler_wakeup,           scheduler__wakeup,           "a scheduler wakes up") \
	E(70,  module_load,                module__load,                "a module's code is loaded") \
	E(71,  module_unload,              module__unload,              "a module's code is removed") \
	E(72,  timer_set,                  timer__set,                  "a timer is set") \
	E(73,  timer_cancel,               timer__cancel,               "a timer is cancelled") \
	E(74,  timer_fire,                 timer__fire,                 "a timer fires") \
	E(80,  dist_monitor,               dist__monitor,               "a node comes up or goes down") \
	E(81,  dist_port_busy,             dist__port_busy,             "a distribution port is busy: a process is suspended") \
	E(82,  dist_output,                dist__output,                "a distribution driver writes") \
	E(83,  dist_outputv,               dist__outputv,               "a distribution driver writes a vector") \
	E(84,  dist_port_not_busy,         dist__port_not_busy,         "a distribution port is no longer busy") \
	E(90,  port_open,                  port__open,                  "a port is opened") \
	E(91,  port_command,               port__command,               "a port is given a command") \
	E(92,  port_control,               port__control,               "a port is given a control command") \
	E(93,  port_exit,                  port__exit,                  "a port is closed") \
	E(94,  port_connect,               port__connect,               "a port gets a new owner") \
	E(95,  port_busy,                  port__busy,                  "a port is busy") \
	E(96,  port_not_busy,              port__not_busy,              "a port is no longer busy") \
	E(97,  port_scheduled,             port__scheduled,             "a port begins to run") \
	E(98,  port_unscheduled,           port__unscheduled,           "a port stops running") \
	E(99,  port_data,                  port__data,                  "a port sends data to its owner") \
	E(110, driver_init,                driver__init,                "a driver is initialised") \
	E(111, driver_start,               driver__start,               "a driver's start is called") \
	E(112, driver_stop,                driver__stop,                "a driver's stop is called") \
	E(113, driver_finish,              driver__finish,              "a driver's finish is called") \
	E(114, driver_flush,               driver__flush,               "a driver's flush is called") \
	E(115, driver_output,              driver__output,              "a driver's output is called") \
	E(116, driver_outputv,             driver__outputv,             "a driver's outputv is called") \
	E(117, driver_control,             driver__control,             "a driver's control is called") \
	E(118, driver_call,                driver__call,                "a driver's call is called") \
	E(119, driver_event,               driver__event,               "a driver's event is called") \
	E(120, driver_ready_input,         driver__ready_input,         "a driver's ready_input is called") \
	E(121, driver_ready_output,        driver__ready_output,        "a driver's ready_output is called") \
	E(122, driver_timeout,             driver__timeout,             "a driver's timeout is called") \
	E(123, driver_ready_async,         driver__ready_async,         "a driver's ready_async is called") \
	E(124, driver_process_exit,        driver__process_exit,        "a driver's process_exit is called") \
	E(125, driver_stop_select,         driver__stop_select,         "a driver's stop_select is called") \
	E(126, aio_pool_add,               aio_pool__add,               "a request is given to an async thread") \
	E(127, aio_pool_get,               aio_pool__get,               "an async thread takes a request") \
	E(140, socket_open,                socket__open,                "a socket is there: opened, accepted, or seen at the start") \
	E(141, socket_close,               socket__close,               "a socket is closed") \
	E(150, trace,                      trace,                       "a trace message of the tracer module dyntrace") \
	E(151, trace_seq,                  trace__seq,                  "a sequential trace message of the tracer module dyntrace") \
	E(160, user_trace_s1,              user_trace__s1,              "dyntrace:p/1 with a text") \
	E(161, user_trace_i4s4,            user_trace__i4s4,            "dyntrace:p with up to four numbers and four texts") \
	E(162, user_trace_n,               user_trace__n,               "dyntrace:pn: one probe a number") \
	E(163, user_probe,                 user__probe,                 "a named probe in a user's code") \
	E(240, state_asked,                state__asked,                "a process is asked for its state") \
	E(241, state_process,              state__process,              "a process that was there when the recording began") \
	E(242, state_port,                 state__port,                 "a port: at the start, and what passed it at the end") \
	E(243, tap_start,                  tap__start,                  "events are switched on for a reader") \
	E(244, tap_stop,                   tap__stop,                   "events are switched off for a reader") \
	E(245, tap_warning,                tap__warning,                "the VM's side has something to say about the recording")

/* What stands in rings and recordings alone: no tracepoint, no USDT probe, no probe of D. */
#define BTAP_RING_EVENTS(E) \
	E(246, stack,                      stack,                      "the Erlang stack at the event that follows")

/* clang-format on */

#endif /* BEAMTAP_CATALOG_H */
