/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_int.h - shared by erl_beamtap*.c: the thread's writer, and terms as records hold them
 *
 * All that a hook does is to write a record.  No lock, no allocation, no system
 * call; nothing is read but what the caller holds; it may run on any thread, dirty
 * ones and those that are not Erlang's included.
 */
#ifndef ERL_BEAMTAP_INT_H__
#define ERL_BEAMTAP_INT_H__

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "sys.h"
#include "erl_vm.h"
#include "global.h"
#include "erl_process.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_beamtap.h"
/* The page that lies there is that of ctl. */
#define BTAPW_ON(w, event) erts_beamtap_on[event]
#include "btapw_map.h"

#define BEAMTAP_NR_WHERE 256 /* a power of two */

/* Even: where[] has a pair at each. */
#define BEAMTAP_WHERE_INDEX(pc) (((UWord) (pc) >> 2 ^ (UWord) (pc) >> 10) & (2 * BEAMTAP_NR_WHERE - 2))

/* A thread's part.  Zero: it has not written yet. */
struct erts_beamtap_thread {
    Uint64 msgid; /* of the message sent last; begins with a number of the thread.  0: not joined */
    Uint where_epoch; /* of where[]: that is of no use once code was loaded or purged */
    struct btapw w __attribute__((aligned(64)));
    Uint64 where[2 * BEAMTAP_NR_WHERE]; /* code addresses found of late, each with its BTAP_MFA */
    /* For stacks: */
    unsigned int stack_cache;  /* number of this thread's; 0: it has none yet */
    ErtsCodePtr raised_at;     /* of the exception that is being told: where, */
    Uint64 raised_by;          /* and the function that is not on the stack; 0: there is none */
};
extern __thread struct erts_beamtap_thread erts_beamtap_thread
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

void erts_beamtap_join(void) ERTS_BEAMTAP_COLD; /* before its first record */
void erts_beamtap_proc_init(void) ERTS_BEAMTAP_COLD; /* at boot */

static ERTS_INLINE struct btapw *beamtap_writer(void)
{
    return &erts_beamtap_thread.w;
}

/*
 * A local pid or port as records hold it: number and serial as they are printed.  Up to OTP 25 that is
 * the term; later ones rotate the number, see docs/agent.md.
 */
static ERTS_INLINE Uint64 beamtap_pid(Eterm id)
{
#if BEAMTAP_OTP >= 26
    return (Uint64) erts_ptab_id2data(&erts_proc, id) << _TAG_IMMED1_SIZE | _TAG_IMMED1_PID;
#else
    return (Uint64) id;
#endif
}

static ERTS_INLINE Uint64 beamtap_port(Eterm id)
{
#if BEAMTAP_OTP >= 26
    return (Uint64) erts_ptab_id2data(&erts_port, id) << _TAG_IMMED1_SIZE | _TAG_IMMED1_PORT;
#else
    return (Uint64) id;
#endif
}

/* Text of an atom, a->len bytes of UTF-8. */
static ERTS_INLINE const char *beamtap_atom_text(const Atom *a)
{
#if BEAMTAP_OTP >= 28
    return (const char *) erts_atom_get_name(a);
#else
    return (const char *) a->name;
#endif
}

/* A local process, a port or an atom; another node's process is that node; 0 for all else. */
Uint64 erts_beamtap_ident(Eterm t) ERTS_BEAMTAP_COLD;
static ERTS_INLINE Uint64 beamtap_ident(Eterm t)
{
    return ERTS_LIKELY(is_internal_pid(t)) ? beamtap_pid(t) : erts_beamtap_ident(t);
}

static ERTS_INLINE Uint64 beamtap_mfa(Eterm m, Eterm f, Uint a)
{
    return BTAP_MFA(BTAP_ATOM_NUMBER(m), BTAP_ATOM_NUMBER(f), a);
}

static ERTS_INLINE Uint64 beamtap_code_mfa(const ErtsCodeMFA *mfa)
{
    return mfa ? beamtap_mfa(mfa->module, mfa->function, mfa->arity) : 0;
}

/* The label of a sequential trace token as OTP's own probes give it. */
static ERTS_INLINE Sint64 beamtap_label(Eterm token)
{
    Eterm label = SEQ_TRACE_T_LABEL(token);
    Sint n = is_small(label) ? signed_val(label) : ERTS_SINT32_MIN;

    return n < ERTS_SINT32_MIN || n > ERTS_SINT32_MAX ? ERTS_SINT32_MIN : n;
}

/* Counts up when what code lies where may have changed. */
extern Uint erts_beamtap_code_epoch __attribute__((visibility("hidden")));
Uint64 erts_beamtap_find_pc(ErtsCodePtr pc) ERTS_BEAMTAP_COLD;

/*
 * Where a process goes on, or is.  Looking it up anew costs more than all else, so it is kept.
 * Return: BTAP_MFA; 0: not found of late by this thread.
 */
static ERTS_INLINE Uint64 beamtap_where_kept(const Process *p)
{
    struct erts_beamtap_thread *t = &erts_beamtap_thread;
    ErtsCodePtr pc = p->i;
    Uint i = BEAMTAP_WHERE_INDEX(pc);

    if (ERTS_UNLIKELY(t->where_epoch != __atomic_load_n(&erts_beamtap_code_epoch, __ATOMIC_ACQUIRE)
                      || t->where[i] != (Uint64) pc))
        return 0;
    return t->where[i + 1];
}
Uint64 erts_beamtap_where(const Process *p) ERTS_BEAMTAP_COLD; /* as above, but finds it */

/*
 * erl_beamtap_stack.c: the Erlang stack at the event in @rec; see struct btapw.  On a scheduler's thread,
 * of the process that it runs.
 */
unsigned int erts_beamtap_stack(const uint64_t *rec, uint64_t *to, unsigned int max_words)
    ERTS_BEAMTAP_COLD;

/* erl_beamtap_reason.c */
#define ERTS_BEAMTAP_REASON_MAX 120
/* A term as text, bounded.  Return: bytes, at most ERTS_BEAMTAP_REASON_MAX; NUL follows. */
size_t erts_beamtap_reason(Eterm reason, char buf[ERTS_BEAMTAP_REASON_MAX + 1]) ERTS_BEAMTAP_COLD;
/* erl_beamtap_call.c; @depth: of the call that the exception leaves; 0: it leaves none, it is raised */
void erts_beamtap_put_exception(Process *p, Eterm cls, Uint64 mfa, Eterm reason, Uint64 depth)
    ERTS_BEAMTAP_COLD;
/* An exception ends the process; tell of all calls that it leaves. */
void erts_beamtap_left_all(Process *p, Eterm cls, Eterm reason) ERTS_BEAMTAP_COLD;

#endif /* ERTS_ENABLE_BEAMTAP */
#endif /* ERL_BEAMTAP_INT_H__ */
