/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_msg.c - messages
 *
 * A message's identity is made where it is sent, or where it is queued when nobody
 * sent it, and lies in the message itself (ERL_MESSAGE_BEAMTAP) as a small integer,
 * so that its receive carries the same: a number of the sending thread and a count.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_message.h"

/* In a thread that has joined. */
static ERTS_INLINE Uint64 next_id(ErtsMessage *mp)
{
    Uint64 id = ++erts_beamtap_thread.msgid;

    ERL_MESSAGE_BEAMTAP(mp) = make_small(id);
    return id;
}

static Uint64 new_id(ErtsMessage *mp)
{
    erts_beamtap_join();
    return next_id(mp);
}

static ERTS_INLINE Uint64 id_of(const ErtsMessage *mp)
{
    Eterm id = ERL_MESSAGE_BEAMTAP(mp);

    return is_small(id) && id != make_small(0) ? (Uint64) unsigned_val(id) : BTAP_UNKNOWN;
}

/* The last three words of a record: a sequential trace token. */
static void put_token(uint64_t *p, Eterm token)
{
    btapw_set(p, 0, (Uint64) beamtap_label(token));
    btapw_set(p, 1, signed_val(SEQ_TRACE_T_LASTCNT(token)));
    btapw_set(p, 2, signed_val(SEQ_TRACE_T_SERIAL(token)));
}

static ERTS_INLINE int is_token(Eterm token)
{
    return is_tuple(token) && is_tuple_arity(token, 5);
}

static ERTS_INLINE void set_send(uint64_t *p, Uint64 from, Uint64 to, Sint size, Uint64 id)
{
    btapw_set(p, 1, from);
    btapw_set(p, 2, to);
    btapw_set(p, 3, (Uint64) size);
    btapw_set(p, 4, id);
}

static ERTS_INLINE void put_send(Uint64 from, Uint64 to, Sint size, Uint64 id, Eterm token)
{
    struct btapw *w = beamtap_writer();
    uint64_t *p;

    if (ERTS_LIKELY(!is_token(token))) {
        btapw_put4(w, BTAP_EV_message_send, from, to, (Uint64) size, id);
        return;
    }
    p = btapw_reserve(w, BTAP_EV_message_send, 8);
    if (!p)
        return;
    set_send(p, from, to, size, id);
    put_token(p + 5, token);
    btapw_commit(w);
}

static ERTS_BEAMTAP_COLD void send_slow(Process *from, Eterm to, ErtsMessage *mp, Sint size,
                                        Eterm token)
{
    put_send(beamtap_pid(from->common.id), beamtap_ident(to), size,
             mp ? new_id(mp) : BTAP_UNKNOWN, token);
}

/* Hot: nothing is called. */
void erts_beamtap_message_send(Process *from, Eterm to, ErtsMessage *mp, Sint size, Eterm token)
{
    struct btapw *w = beamtap_writer();
    uint64_t *p;

    if (ERTS_UNLIKELY(!mp || is_not_internal_pid(to) || is_not_immed(token)
                      || !(p = btapw_try(w, BTAP_EV_message_send, 5)))) {
        send_slow(from, to, mp, size, token);
        return;
    }
    set_send(p, beamtap_pid(from->common.id), beamtap_pid(to), size, next_id(mp));
    btapw_done(w, p + 5);
}

#define MAX_FRAGMENTS 64 /* of a message that are looked at */

/* Words of a message that is being made; -1: it lies on the receiver's heap, or in many pieces. */
static Sint words_of(const ErtsMessage *mp)
{
    const ErlHeapFragment *f;
    Sint words = 0;
    int i;

    if (!mp->data.attached)
        return -1;
    f = mp->data.attached == ERTS_MSG_COMBINED_HFRAG ? &mp->hfrag : mp->data.heap_frag;
    for (i = 0; f && i < MAX_FRAGMENTS; i++, f = f->next)
        words += (Sint) f->used_size;
    return f ? -1 : words;
}

/* By a port, a native function, or to an alias.  @size: words; -1: to be found out */
void erts_beamtap_message_sent(Eterm from, Eterm to, ErtsMessage *mp, Sint size, Eterm token)
{
    put_send(is_atom(from) ? 0 : beamtap_ident(from), beamtap_ident(to),
             size < 0 ? words_of(mp) : size, new_id(mp), token);
}

/* What does not reach the port now is sent again when it is no longer busy. */
void erts_beamtap_message_to_port(Process *from, Port *to, Eterm message)
{
    erts_aint32_t flags = erts_atomic32_read_nob(&to->sched.flags);
    const Eterm *tp;

    if ((flags & ERTS_PTS_FLGS_BUSY) && !(flags & ERTS_PTS_FLG_EXIT)
        && is_tuple_arity(message, 2)) {
        tp = tuple_val(message);
        if (is_tuple_arity(tp[2], 2) && tuple_val(tp[2])[1] == am_command)
            return;
    }
    put_send(beamtap_pid(from->common.id), beamtap_port(to->common.id),
             is_immed(message) ? 0 : -1, BTAP_UNKNOWN, SEQ_TRACE_TOKEN(from));
}

/* Words that lie with the message, where it was not put on the receiver's heap. */
static ERTS_INLINE Uint64 size_of(const ErtsMessage *mp)
{
    if (is_immed(ERL_MESSAGE_TERM(mp)))
        return 0;
    if (is_non_value(ERL_MESSAGE_TERM(mp)))
        return (Uint64) -1;
    return (Uint64) words_of(mp);
}

/* Messages that wait in the mailbox, and those that came since it was looked at. */
#if BEAMTAP_OTP >= 27
#define BEAMTAP_QUEUE_LEN(P) ((P)->sig_qs.mq_len)
#define BEAMTAP_INQ_LEN(P) ((P)->sig_inq.mlenoffs)
#else
#define BEAMTAP_QUEUE_LEN(P) ((P)->sig_qs.len)
#define BEAMTAP_INQ_LEN(P) ((P)->sig_inq.len)
#endif

static ERTS_BEAMTAP_COLD void queued_slow(Eterm from, Process *to, ErtsMessage *first,
                                          ErtsMessage **last, Sint len)
{
    struct btapw *w = beamtap_writer();
    ErtsMessage *mp;

    for (mp = first; mp; mp = mp->next) {
        if (ERTS_SIG_IS_MSG(mp)) {
            Uint64 id = id_of(mp);

            btapw_put5(w, BTAP_EV_message_queued, beamtap_pid(to->common.id), size_of(mp),
                       (Uint64) ++len, beamtap_ident(from), id == BTAP_UNKNOWN ? new_id(mp) : id);
        }
        if (&mp->next == last)
            break;
    }
}

/* Hot: one message, which was sent, by a process. */
void erts_beamtap_message_queued(Eterm from, Process *to, ErtsMessage *first, ErtsMessage **last)
{
    Sint len = BEAMTAP_INQ_LEN(to) + BEAMTAP_QUEUE_LEN(to); /* without the lock: about */
    Uint64 id;

    /* A signal may be shorter than a message. */
    if (ERTS_UNLIKELY(&first->next != last || !ERTS_SIG_IS_MSG(first) || is_not_internal_pid(from)
                      || (id = id_of(first)) == BTAP_UNKNOWN)) {
        queued_slow(from, to, first, last, len);
        return;
    }
    btapw_put5(beamtap_writer(), BTAP_EV_message_queued, beamtap_pid(to->common.id),
               size_of(first), (Uint64) (len + 1), beamtap_pid(from), id);
}

static ERTS_INLINE void set_receive(uint64_t *p, const Process *c_p, const ErtsMessage *mp,
                                    Uint64 from)
{
    btapw_set(p, 1, beamtap_pid(c_p->common.id));
    btapw_set(p, 2, size_of(mp));
    btapw_set(p, 3, (Uint64) (BEAMTAP_QUEUE_LEN(c_p) - 1));
    btapw_set(p, 4, from);
    btapw_set(p, 5, id_of(mp));
}

static ERTS_BEAMTAP_COLD void receive_slow(const Process *c_p, const ErtsMessage *mp)
{
    struct btapw *w = beamtap_writer();
    Eterm token = ERL_MESSAGE_TOKEN(mp);
    uint64_t *p = btapw_reserve(w, BTAP_EV_message_receive, is_token(token) ? 9 : 6);

    if (!p)
        return;
    set_receive(p, c_p, mp, beamtap_ident(ERL_MESSAGE_FROM(mp)));
    if (is_token(token))
        put_token(p + 6, token);
    btapw_commit(w);
}

/* Hot: nothing is called. */
void erts_beamtap_message_receive(Process *c_p, ErtsMessage *mp, Eterm *stack_top)
{
    struct btapw *w = beamtap_writer();
    uint64_t *p;

    c_p->stop = stack_top; /* for the stack that may go with it */
    if (ERTS_UNLIKELY(is_not_internal_pid(ERL_MESSAGE_FROM(mp))
                      || is_not_immed(ERL_MESSAGE_TOKEN(mp))
                      || !(p = btapw_try(w, BTAP_EV_message_receive, 6)))) {
        receive_slow(c_p, mp);
        return;
    }
    set_receive(p, c_p, mp, beamtap_pid(ERL_MESSAGE_FROM(mp)));
    btapw_done(w, p + 6);
}

#endif /* ERTS_ENABLE_BEAMTAP */
