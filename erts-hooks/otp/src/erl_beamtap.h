/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap.h - what the emulator's sources see of beamtap
 *
 * A hook is one line:
 *
 *	ERTS_BEAMTAP(process_hibernate, (c_p, module, function, arity));
 *
 * One load and one predicted branch when nobody wants the event; nothing at all in
 * emulators that are not of the type `tap`.  The function behind it is out of line
 * and takes what is at hand at the site; beamtap/erl_beamtap*.c have them.
 */
#ifndef ERL_BEAMTAP_H__
#define ERL_BEAMTAP_H__


#ifndef ERTS_ENABLE_BEAMTAP

#define ERTS_BEAMTAP(EVENT, ARGS) ((void) 0)
#define ERTS_BEAMTAP_TO(EVENT, FUNCTION, ARGS) ((void) 0)
#define ERTS_BEAMTAP_CALL(FUNCTION, ARGS) ((void) 0)

#else

#include <beamtap/records.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERTS_BEAMTAP_COLD __attribute__((noinline, visibility("hidden")))

/* The region's control page lies here (btapw_map_ctl_at()); a byte an event comes first. */
extern unsigned char erts_beamtap_on[4096] __attribute__((visibility("hidden")));

#define ERTS_BEAMTAP_ON(EVENT) \
    (__builtin_expect(__atomic_load_n(&erts_beamtap_on[BTAP_EV_##EVENT], __ATOMIC_RELAXED), 0))
#define ERTS_BEAMTAP(EVENT, ARGS)                       \
    do {                                                \
        if (ERTS_BEAMTAP_ON(EVENT))                     \
            erts_beamtap_##EVENT ARGS;                  \
    } while (0)
/* Where not the event's own function tells of it, but another one. */
#define ERTS_BEAMTAP_TO(EVENT, FUNCTION, ARGS)          \
    do {                                                \
        if (ERTS_BEAMTAP_ON(EVENT))                     \
            erts_beamtap_##FUNCTION ARGS;               \
    } while (0)
/* For what is no event: boot, atoms. */
#define ERTS_BEAMTAP_CALL(FUNCTION, ARGS) erts_beamtap_##FUNCTION ARGS

/* erl_beamtap_sock.c; @port: 0 for a socket of the socket module, which belongs to @owner */
void erts_beamtap_socket_open(unsigned long port, unsigned long owner, int fd) ERTS_BEAMTAP_COLD;
void erts_beamtap_socket_close(unsigned long port, unsigned long owner, int fd) ERTS_BEAMTAP_COLD;

/* Drivers and native functions see no more than that. */
#ifndef ERTS_BEAMTAP_DRIVER

/* erl_beamtap.c */
void erts_beamtap_init(void);
extern int erts_beamtap_atoms; /* new atoms are told to readers */
void erts_beamtap_new_atom(Uint index, const byte *text, Uint len) ERTS_BEAMTAP_COLD;
#define erts_beamtap_atom(INDEX, TEXT, LEN)             \
    do {                                                \
        if (erts_beamtap_atoms)                         \
            erts_beamtap_new_atom((INDEX), (TEXT), (LEN)); \
    } while (0)

void erts_beamtap_code_changed(void); /* code was loaded, unloaded or moved */

/*
 * Where the stack is, and where the process goes on, for those who look at it (erl_beamtap_stack.c).
 * At a receive only where an event other than its own follows: its timer is given up, or a trace
 * token is told of as a message.  To store it always costs 2 % of a message.
 */
#define erts_beamtap_stack_is_at(P, E, MP)              \
    do {                                                \
        if (((P)->flags & F_INSLPQUEUE) || is_not_immed(ERL_MESSAGE_TOKEN(MP))) \
            (P)->stop = (E);                            \
    } while (0)
#define erts_beamtap_goes_on_at(P, PC) ((P)->i = (PC))

/* erl_beamtap_msg.c */
void erts_beamtap_message_send(Process *from, Eterm to, ErtsMessage *mp, Sint size, Eterm token)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_message_queued(Eterm from, Process *to, ErtsMessage *first, ErtsMessage **last)
    ERTS_BEAMTAP_COLD;
/* @stack_top: the process does not know it here */
void erts_beamtap_message_receive(Process *c_p, ErtsMessage *mp, Eterm *stack_top)
    ERTS_BEAMTAP_COLD;

/* erl_beamtap_proc.c */
void erts_beamtap_process_spawn(Process *p, Eterm parent, Eterm mod, Eterm func, Uint arity)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_process_exit(Process *p, Eterm reason) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_scheduled(Process *p) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_unscheduled(Process *p) ERTS_BEAMTAP_COLD;

/* erl_beamtap_gc.c; @used: words outside the old heap, as young_gen_usage() counts them */
void erts_beamtap_gc_minor_start(Process *p, Sint need, Uint used) ERTS_BEAMTAP_COLD;
void erts_beamtap_gc_minor_end(Process *p, Uint reclaimed) ERTS_BEAMTAP_COLD;
void erts_beamtap_gc_major_start(Process *p, Sint need, Uint used) ERTS_BEAMTAP_COLD;
void erts_beamtap_gc_major_end(Process *p, Uint reclaimed) ERTS_BEAMTAP_COLD;
void erts_beamtap_heap_changed(Process *p, Uint new_size) ERTS_BEAMTAP_COLD;
/* Before HEAP_SIZE() of the process is set anew. */
#define erts_beamtap_heap(P, NEW_SIZE)                  \
    do {                                                \
        if (ERTS_BEAMTAP_ON(process_heap_grow) || ERTS_BEAMTAP_ON(process_heap_shrink)) \
            erts_beamtap_heap_changed((P), (NEW_SIZE)); \
    } while (0)

/* erl_beamtap_sig.c */
void erts_beamtap_process_link(Eterm p, Eterm other) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_unlink(Eterm p, Eterm other) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_linked(Eterm p, Eterm other) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_unlinked(Eterm p, Eterm other) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_monitor(Eterm p, Eterm other) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_demonitor(Eterm p, const ErtsMonitor *mon) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_exit_signal(Process *c_p, Eterm from, Eterm reason) ERTS_BEAMTAP_COLD;
void erts_beamtap_name_register(Eterm id, Eterm name) ERTS_BEAMTAP_COLD;
void erts_beamtap_name_unregister(Eterm id, Eterm name) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_hibernate(Process *p, Eterm mod, Eterm func, Uint arity)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_process_port_unblocked(const ErtsProcList *plp, Eterm port) ERTS_BEAMTAP_COLD;
void erts_beamtap_process_runnable(Process *p, ErtsRunQueue *rq) ERTS_BEAMTAP_COLD;

/* erl_beamtap_sched.c */
void erts_beamtap_scheduler_sleep(const ErtsSchedulerData *esdp) ERTS_BEAMTAP_COLD;
void erts_beamtap_scheduler_wakeup(const ErtsSchedulerData *esdp) ERTS_BEAMTAP_COLD;
void erts_beamtap_dirty_scheduled(Process *p, int is_normal) ERTS_BEAMTAP_COLD;
void erts_beamtap_dirty_unscheduled(Process *p, int is_normal) ERTS_BEAMTAP_COLD;

/* erl_beamtap_timer.c; @ref: numbers of the timer's reference; NULL: the timeout of a receive */
void erts_beamtap_timer_set(const ErtsSchedulerData *esdp, Eterm told, const Uint32 *ref,
                            ErtsMonotonicTime position) ERTS_BEAMTAP_COLD;
void erts_beamtap_timer_cancel(Eterm told, const Uint32 *ref) ERTS_BEAMTAP_COLD;
void erts_beamtap_timer_fire(Eterm told, const Uint32 *ref) ERTS_BEAMTAP_COLD;
void erts_beamtap_module_load(Process *p, Eterm module) ERTS_BEAMTAP_COLD;
void erts_beamtap_module_unload(Process *p, Eterm module) ERTS_BEAMTAP_COLD;

/* erl_beamtap_call.c: functions asked for */
#define ERTS_BEAMTAP_BPF_CALL   0x10000 /* flags of a breakpoint: calls are told, */
#define ERTS_BEAMTAP_BPF_RETURN 0x20000 /* returns too */
#define ERTS_BEAMTAP_BPF        (ERTS_BEAMTAP_BPF_CALL | ERTS_BEAMTAP_BPF_RETURN)
#define ERTS_BEAMTAP_BREAKPOINT(P, CI, REG, FLAGS)      \
    do {                                                \
        if ((FLAGS) & ERTS_BEAMTAP_BPF)                 \
            erts_beamtap_call((P), &(CI)->mfa, (REG), (FLAGS)); \
        (FLAGS) &= ~ERTS_BEAMTAP_BPF;                   \
    } while (0)
void erts_beamtap_call(Process *p, const ErtsCodeMFA *mfa, Eterm *reg, Uint flags)
    ERTS_BEAMTAP_COLD;
/* A frame of ours looks like one of return_trace, with a small integer for the tracer. */
#define ERTS_BEAMTAP_IS_FRAME(WORDS) (((WORDS)[1] & 0xf) == 0xf)
void erts_beamtap_returned(Process *p, const Eterm *words) ERTS_BEAMTAP_COLD;
void erts_beamtap_left(Process *p, const Eterm *words, const Eterm *reg) ERTS_BEAMTAP_COLD;
void erts_beamtap_skip_frames(Eterm *cpp, ErtsCodePtr *return_address) ERTS_BEAMTAP_COLD;
#define erts_beamtap_no_calls(P) ((P)->beamtap_depth = 0)

/* erl_beamtap_exc.c */
void erts_beamtap_exception_throw(Process *p, ErtsCodePtr pc, const ErtsCodeMFA *bif, Eterm reason)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_exception_catch(Process *p, ErtsCodePtr handler, Eterm cls) ERTS_BEAMTAP_COLD;

/* erl_beamtap_port.c, erl_beamtap_drv.c: a name's number in the string table is not known yet */
#define erts_beamtap_no_name(P) ((P)->beamtap_name = 0)

/* erl_beamtap_port.c */
void erts_beamtap_port_open(Port *prt, Eterm pid) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_failed(Port *prt, Eterm who, int error_type, int error) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_command(Eterm who, Port *prt, Eterm type, Uint bytes) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_close(Eterm who, Port *prt, int is_broken_link) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_control(Eterm who, Port *prt, unsigned int command) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_connect(Port *prt, Eterm new_owner) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_exit(Port *prt, Eterm who, Eterm reason) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_busy(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_not_busy(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_scheduled(Port *prt, Eterm what) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_unscheduled(Port *prt, Eterm what) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_task_in(Port *prt, int type, Uint32 signal) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_task_out(Port *prt, int type, Uint32 signal) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_data(Eterm port, Eterm to, Uint64 bytes) ERTS_BEAMTAP_COLD;
void erts_beamtap_port_term(Eterm port, Eterm to, const ErlDrvTermData *data, int len)
    ERTS_BEAMTAP_COLD;

/* erl_beamtap_drv.c */
void erts_beamtap_driver_init(erts_driver_t *drv) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_finish(erts_driver_t *drv) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_stop_select(erts_driver_t *drv) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_start(Eterm who, Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_stop(Eterm who, Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_output(Eterm who, Port *prt, Uint64 bytes) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_outputv(Eterm who, Port *prt, Uint64 bytes) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_control(Eterm who, Port *prt, unsigned int command, Uint64 bytes)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_call(Eterm who, Port *prt, unsigned int command, Uint64 bytes)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_flush(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_timeout(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_ready_input(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_ready_output(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_ready_async(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_driver_process_exit(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_aio_pool_add(Eterm port, Sint thread) ERTS_BEAMTAP_COLD;
void erts_beamtap_aio_pool_get(Sint thread) ERTS_BEAMTAP_COLD;

/* erl_beamtap_bif.c */
typedef Eterm erts_beamtap_bif_function(Process *p, Eterm *reg, ErtsCodePtr I);
void erts_beamtap_bif_entry(Process *p, const ErtsCodeMFA *mfa) ERTS_BEAMTAP_COLD;
void erts_beamtap_bif_return(Process *p, const ErtsCodeMFA *mfa) ERTS_BEAMTAP_COLD;
void erts_beamtap_nif_entry(Process *p, const ErtsCodeMFA *mfa) ERTS_BEAMTAP_COLD;
void erts_beamtap_nif_return(Process *p, const ErtsCodeMFA *mfa) ERTS_BEAMTAP_COLD;
Eterm erts_beamtap_light_bif(Process *c_p, Eterm *reg, ErtsCodePtr I, UWord unused,
                             const void *export_entry, erts_beamtap_bif_function *function)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_copy_struct(Uint words) ERTS_BEAMTAP_COLD;
void erts_beamtap_copy_object(Process *to, Uint words) ERTS_BEAMTAP_COLD;

/* erl_beamtap_dist.c */
void erts_beamtap_message_send_remote(Eterm from, Eterm node, Eterm to, Eterm message, Eterm token)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_process_exit_signal_remote(Eterm from, Eterm node, Eterm to, Eterm reason,
                                             Eterm token) ERTS_BEAMTAP_COLD;
void erts_beamtap_dist_monitor(Eterm what, Eterm node, Eterm type, Eterm reason)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_dist_port_busy(Eterm channel, Eterm node, Eterm suspended) ERTS_BEAMTAP_COLD;
void erts_beamtap_dist_port_not_busy(Eterm channel, Eterm node) ERTS_BEAMTAP_COLD;
void erts_beamtap_dist_port_goes_on(Port *prt) ERTS_BEAMTAP_COLD;
void erts_beamtap_dist_output(Port *prt, Uint64 bytes) ERTS_BEAMTAP_COLD;
void erts_beamtap_dist_outputv(Port *prt, Uint64 bytes) ERTS_BEAMTAP_COLD;

/* erl_beamtap_msg.c: destinations of other kinds */
void erts_beamtap_message_sent(Eterm from, Eterm to, ErtsMessage *mp, Sint size, Eterm token)
    ERTS_BEAMTAP_COLD;
void erts_beamtap_message_to_port(Process *from, Port *to, Eterm message) ERTS_BEAMTAP_COLD;

#endif /* !ERTS_BEAMTAP_DRIVER */

#ifdef __cplusplus
}
#endif

#endif /* ERTS_ENABLE_BEAMTAP */
#endif /* ERL_BEAMTAP_H__ */
