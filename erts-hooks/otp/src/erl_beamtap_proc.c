/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_proc.c - processes: spawn, exit, scheduling */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#define ATOMS(A) \
    A(proc_lib) A(init_p) A(gen) A(init_it) A(init) A(supervisor) A(supervisor_bridge) A(gen_event)

static struct {
#define AS_MEMBER(a) Eterm a;
    ATOMS(AS_MEMBER)
#undef AS_MEMBER
} atom;

void erts_beamtap_proc_init(void)
{
#define AS_PUT(a) atom.a = erts_atom_put((const byte *) #a, sizeof(#a) - 1, ERTS_ATOM_ENC_LATIN1, 1);
    ATOMS(AS_PUT)
#undef AS_PUT
}

/* The first @max elements of a list.  Return: how many it has; -1: improper, or more than arguments */
static int elements(Eterm list, Eterm *el, int max)
{
    int n;

    for (n = 0; n <= MAX_ARG && is_list(list); n++, list = CDR(list_val(list)))
        if (n < max)
            el[n] = CAR(list_val(list));
    return n <= MAX_ARG && is_nil(list) ? n : -1;
}

/* gen:init_it(Behaviour, Starter, Parent[, Name], Module, Arguments, Options) */
static Uint64 of_behaviour(const Eterm *arg, int nr)
{
    Eterm module = arg[nr - 3], args = arg[nr - 2];

    if (arg[0] == atom.gen_event)
        return beamtap_mfa(atom.gen_event, atom.init_it, 6);
    /* {Name, Module, Arguments} */
    if (module == atom.supervisor && is_tuple_arity(args, 3) && is_atom(tuple_val(args)[2]))
        return beamtap_mfa(module, tuple_val(args)[2], 1);
    if (module == atom.supervisor_bridge && is_list(args) && is_atom(CAR(list_val(args))))
        return beamtap_mfa(module, CAR(list_val(args)), 1);
    return beamtap_mfa(module, atom.init, 1);
}

/*
 * The function behind proc_lib:init_p/5, as proc_lib:initial_call/1 says and the agent has it
 * (erts-hooks/agent/c_src/initial.c); 0: none.
 */
static Uint64 behind_proc_lib(Eterm args)
{
    Eterm arg[5], gen[7];
    int n;

    /* Parent, Ancestors, M, F, Arguments; or a function in place of the last three */
    if (elements(args, arg, 5) != 5 || is_not_atom(arg[2]) || is_not_atom(arg[3]))
        return 0;
    n = elements(arg[4], gen, 7);
    if (arg[2] == atom.gen && arg[3] == atom.init_it && (n == 6 || n == 7) && is_atom(gen[n - 3]))
        return of_behaviour(gen, n);
    return n < 0 ? 0 : beamtap_mfa(arg[2], arg[3], n);
}

static ERTS_INLINE void put_spawn(Process *p, Eterm parent, Uint64 mfa)
{
    btapw_put3(beamtap_writer(), BTAP_EV_process_spawn, beamtap_pid(p->common.id), mfa,
               is_internal_pid(parent) ? beamtap_pid(parent) : 0);
}

static ERTS_BEAMTAP_COLD void spawn_proc_lib(Process *p, Eterm parent, Uint arity)
{
    Uint64 mfa = 0;

    /* It has not run: its registers hold module, function and arguments. */
    if (arity == 5 && p->arity == 3)
        mfa = behind_proc_lib(p->arg_reg[2]);
    put_spawn(p, parent, mfa ? mfa : beamtap_mfa(atom.proc_lib, atom.init_p, arity));
}

void erts_beamtap_process_spawn(Process *p, Eterm parent, Eterm mod, Eterm func, Uint arity)
{
    if (mod == atom.proc_lib && func == atom.init_p)
        spawn_proc_lib(p, parent, arity);
    else
        put_spawn(p, parent, beamtap_mfa(mod, func, arity));
}

static ERTS_BEAMTAP_COLD void exit_reason(Process *p, Eterm reason)
{
    struct btapw *w = beamtap_writer();
    char buf[ERTS_BEAMTAP_REASON_MAX + 1];
    struct btapw_text t;
    uint64_t *rec;

    t = btapw_text_fit(buf, erts_beamtap_reason(reason, buf), ERTS_BEAMTAP_REASON_MAX);
    rec = btapw_reserve(w, BTAP_EV_process_exit, 2 + btapw_text_words(&t));
    if (!rec)
        return;
    btapw_set(rec, 1, beamtap_pid(p->common.id));
    btapw_text_store(rec + 2, &t);
    btapw_commit(w);
}

/*
 * The text "normal" as a record has it.  A constant: bytes put together on the stack cannot be taken from
 * there as one word before all stores so far, a dead process's memory among them, are through.
 */
static const union {
    char text[8];
    uint64_t word;
} normal = { "normal" };

void erts_beamtap_process_exit(Process *p, Eterm reason)
{
    if (ERTS_UNLIKELY(reason != am_normal)) {
        exit_reason(p, reason);
        return;
    }
    btapw_put3(beamtap_writer(), BTAP_EV_process_exit, beamtap_pid(p->common.id), 6, normal.word);
}

static ERTS_BEAMTAP_COLD void where_slow(unsigned int event, const Process *p)
{
    btapw_put2(beamtap_writer(), event, beamtap_pid(p->common.id), erts_beamtap_where(p));
}

/* Hot: nothing is called. */
static ERTS_INLINE void put_where(unsigned int event, const Process *p)
{
    struct btapw *w = beamtap_writer();
    Uint64 mfa = beamtap_where_kept(p);
    uint64_t *rec;

    if (ERTS_UNLIKELY(!mfa || !(rec = btapw_try(w, event, 3)))) {
        where_slow(event, p);
        return;
    }
    btapw_set(rec, 1, beamtap_pid(p->common.id));
    btapw_set(rec, 2, mfa);
    btapw_done(w, rec + 3);
}

void erts_beamtap_process_scheduled(Process *p)
{
    put_where(BTAP_EV_process_scheduled, p);
}

void erts_beamtap_process_unscheduled(Process *p)
{
    put_where(BTAP_EV_process_unscheduled, p);
}

#endif /* ERTS_ENABLE_BEAMTAP */
