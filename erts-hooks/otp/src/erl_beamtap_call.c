/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_call.c - calls of the functions asked for: entry, return, tail call, what exceptions leave
 *
 * A function whose returns are wanted gets a frame on the stack of the form that the
 * VM's own return_trace has, so that all who walk stacks know it: the return address
 * beam_return_trace, then
 *
 *	word 0   small integer: module's atom number << 8 | arity
 *	word 1   small integer: depth << 28 | function's atom number
 *
 * where the VM has the function's code and a tracer, which is never a small integer.
 * The frame refers to no code: a module can be purged while its function is open.
 *
 * A function that is tail-called finds the frame of the one it replaces on top of the
 * stack, and takes it over: a loop of tail calls needs one frame, as it does untraced.
 *
 * p->beamtap_depth counts these frames.  Functions without returns add none, and their
 * depth is not known.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_beamtap_frame.h"
#include "erl_gc.h"

#define FRAME_WORDS BEAMTAP_FRAME_WORDS
#define FUNCTION_BITS BTAP_MFA_ATOM_BITS
#define MAX_SKIP 16 /* frames of the VM's own tracing, one behind the other */

static ERTS_INLINE Eterm word0(const ErtsCodeMFA *mfa)
{
    return make_small(BTAP_ATOM_NUMBER(mfa->module) << 8 | (mfa->arity & 0xff));
}

static ERTS_INLINE Eterm word1(const ErtsCodeMFA *mfa, Uint depth)
{
    return make_small(depth << FUNCTION_BITS | BTAP_ATOM_NUMBER(mfa->function));
}

static ERTS_INLINE Uint frame_depth(const Eterm *words)
{
    return unsigned_val(words[1]) >> FUNCTION_BITS;
}

static ERTS_INLINE Uint64 frame_mfa(const Eterm *words)
{
    Uint64 ma = unsigned_val(words[0]);

    return BTAP_MFA(ma >> 8, unsigned_val(words[1]) & ((1u << FUNCTION_BITS) - 1), ma & 0xff);
}

/* Our frame at the top of the stack, frames of the VM's tracing aside; or NULL. */
static ERTS_INLINE Eterm *top_frame(Process *p)
{
    Eterm *cpp = p->stop;
    int i;

    for (i = 0; i < MAX_SKIP; i++) {
        ErtsCodePtr w;
        Eterm *words = (Eterm *) erts_inspect_frame(cpp, &w);
        int nr = beamtap_trace_words(w);

        if (ERTS_LIKELY(nr == 0))
            return NULL;
        if (BeamIsReturnTrace(w) && ERTS_BEAMTAP_IS_FRAME(words))
            return words;
        cpp += nr;
    }
    return NULL;
}

static ERTS_INLINE void push_frame(Process *p, const ErtsCodeMFA *mfa, Eterm *reg, Uint depth)
{
    Eterm *sp;

    if (ERTS_UNLIKELY(HeapWordsLeft(p) < CP_SIZE + FRAME_WORDS)) {
        (void) erts_garbage_collect(p, CP_SIZE + FRAME_WORDS, reg, mfa->arity);
        ERTS_VERIFY_UNUSED_TEMP_ALLOC(p);
    }
    sp = p->stop - FRAME_WORDS;
#if FRAME_WORDS > 2
    sp[2] = NIL;
    p->return_trace_frames++; /* the VM counts those of return_trace, and looks for them */
#endif
    sp[1] = word1(mfa, depth);
    sp[0] = word0(mfa);
    sp -= CP_SIZE;
    if (erts_frame_layout == ERTS_FRAME_LAYOUT_RA) {
        sp[0] = make_cp(beam_return_trace);
    } else {
        sp[1] = make_cp(beam_return_trace);
        sp[0] = make_cp(FRAME_POINTER(p));
        FRAME_POINTER(p) = sp;
    }
    p->stop = sp;
}

/* With a frame, so that its return is told, too. */
static ERTS_BEAMTAP_COLD void call_and_return(Process *p, const ErtsCodeMFA *mfa, Eterm *reg)
{
    struct btapw *w = beamtap_writer();
    Uint64 id = beamtap_pid(p->common.id), f = beamtap_code_mfa(mfa), depth;
    Eterm *words = top_frame(p);

    if (words) {
        depth = frame_depth(words);
        if (ERTS_BEAMTAP_ON(function_replaced))
            btapw_put3(w, BTAP_EV_function_replaced, id, frame_mfa(words), f);
        words[0] = word0(mfa);
        words[1] = word1(mfa, depth);
    } else {
        depth = ++p->beamtap_depth;
        push_frame(p, mfa, reg, depth);
    }
    if (ERTS_BEAMTAP_ON(function_entry))
        btapw_put3(w, BTAP_EV_function_entry, id, f, depth);
}

void erts_beamtap_call(Process *p, const ErtsCodeMFA *mfa, Eterm *reg, Uint flags)
{
    if (flags & ERTS_BEAMTAP_BPF_RETURN)
        call_and_return(p, mfa, reg);
    else if (ERTS_BEAMTAP_ON(function_entry))
        btapw_put3(beamtap_writer(), BTAP_EV_function_entry, beamtap_pid(p->common.id),
                   beamtap_code_mfa(mfa), BTAP_UNKNOWN);
}

void erts_beamtap_returned(Process *p, const Eterm *words)
{
    Uint depth = frame_depth(words);

    p->beamtap_depth = depth - 1;
#if FRAME_WORDS > 2
    p->return_trace_frames--;
#endif
    if (ERTS_BEAMTAP_ON(function_return))
        btapw_put3(beamtap_writer(), BTAP_EV_function_return, beamtap_pid(p->common.id),
                   frame_mfa(words), depth);
}

void erts_beamtap_put_exception(Process *p, Eterm cls, Uint64 mfa, Eterm reason, Uint64 depth)
{
    struct btapw *w = beamtap_writer();
    char buf[ERTS_BEAMTAP_REASON_MAX + 1];
    struct btapw_text t;
    uint64_t *rec;

    t = btapw_text_fit(buf, erts_beamtap_reason(reason, buf), ERTS_BEAMTAP_REASON_MAX);
    rec = btapw_reserve(w, BTAP_EV_exception_throw, 5 + btapw_text_words(&t));
    if (!rec)
        return;
    btapw_set(rec, 1, beamtap_pid(p->common.id));
    btapw_set(rec, 2, cls);
    btapw_set(rec, 3, mfa);
    rec = btapw_text_store(rec + 4, &t);
    btapw_set(rec, 0, depth);
    btapw_commit(w);
}

void erts_beamtap_left(Process *p, const Eterm *words, const Eterm *reg)
{
    Uint depth = frame_depth(words);

    p->beamtap_depth = depth - 1;
    if (ERTS_BEAMTAP_ON(exception_throw))
        erts_beamtap_put_exception(p, reg[3], frame_mfa(words), reg[1], depth);
}

void erts_beamtap_left_all(Process *p, Eterm cls, Eterm reason)
{
    Eterm *ptr = p->stop, *bottom = STACK_START(p);

    while (p->beamtap_depth > 0 && ptr < bottom) {
        ErtsCodePtr w;
        const Eterm *words;

        if (!is_CP(*ptr)) {
            ptr++;
            continue;
        }
        words = erts_inspect_frame(ptr, &w);
        ptr += CP_SIZE;
        if (!BeamIsReturnTrace(w) || !ERTS_BEAMTAP_IS_FRAME(words))
            continue;
        p->beamtap_depth = frame_depth(words) - 1;
        erts_beamtap_put_exception(p, cls, frame_mfa(words), reason, frame_depth(words));
    }
}

void erts_beamtap_skip_frames(Eterm *cpp, ErtsCodePtr *return_address)
{
    for (;;) {
        const Eterm *words = erts_inspect_frame(cpp, return_address);

        if (!BeamIsReturnTrace(*return_address) || !ERTS_BEAMTAP_IS_FRAME(words))
            return;
        cpp += CP_SIZE + FRAME_WORDS;
    }
}

#endif /* ERTS_ENABLE_BEAMTAP */
