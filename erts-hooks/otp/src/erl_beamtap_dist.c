/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_dist.c - distribution: what goes to other nodes, nodes that come and go, busy ports */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "atom.h"
#include "dist.h"
#include "erl_message.h"

#define RECEIVER_MAX 64 /* bytes of a pid or reference as text */

/* Tokens of sequential tracing: the last three words of a record. */
struct token {
    int is_there;
    Uint64 label, previous, current;
};

static struct token token_of(Eterm t)
{
    struct token r = { 0 };

    if (is_tuple(t) && is_tuple_arity(t, 5)) {
        r.is_there = 1;
        r.label = (Uint64) beamtap_label(t);
        r.previous = (Uint64) signed_val(SEQ_TRACE_T_LASTCNT(t));
        r.current = (Uint64) signed_val(SEQ_TRACE_T_SERIAL(t));
    }
    return r;
}

static void put_token(uint64_t *p, const struct token *t)
{
    if (!t->is_there)
        return;
    btapw_set(p, 0, t->label);
    btapw_set(p, 1, t->previous);
    btapw_set(p, 2, t->current);
}

/* A process, alias or name of another node: a pid as that node prints it. */
static struct btapw_text remote_text(Eterm to, char buf[RECEIVER_MAX])
{
    const Atom *a;
    int n = 0;

    if (is_atom(to)) {
        a = atom_tab(atom_val(to));
        return btapw_text_fit(beamtap_atom_text(a), a->len, MAX_ATOM_SZ_LIMIT);
    }
    if (is_external_pid(to))
        n = erts_snprintf(buf, RECEIVER_MAX, "<0.%u.%u>",
                          (unsigned int) external_thing_ptr(to)->data.pid.num,
                          (unsigned int) external_thing_ptr(to)->data.pid.ser);
    else if (is_external_ref(to))
        n = erts_snprintf(buf, RECEIVER_MAX, "#Ref<>");
    return btapw_text_fit(buf, n > 0 ? (size_t) n : 0, RECEIVER_MAX);
}

void erts_beamtap_message_send_remote(Eterm from, Eterm node, Eterm to, Eterm message, Eterm token)
{
    struct btapw *w = beamtap_writer();
    struct token tok = token_of(token);
    char buf[RECEIVER_MAX];
    struct btapw_text t = remote_text(to, buf);
    uint64_t *p = btapw_reserve(w, BTAP_EV_message_send_remote,
                                4 + btapw_text_words(&t) + (tok.is_there ? 3 : 0));

    if (!p)
        return;
    btapw_set(p, 1, beamtap_pid(from));
    btapw_set(p, 2, node);
    /* How large it is would take a walk through it. */
    btapw_set(p, 3, is_immed(message) ? 0 : BTAP_UNKNOWN);
    put_token(btapw_text_store(p + 4, &t), &tok);
    btapw_commit(w);
}

void erts_beamtap_process_exit_signal_remote(Eterm from, Eterm node, Eterm to, Eterm reason,
                                             Eterm token)
{
    struct btapw *w = beamtap_writer();
    struct token tok = token_of(token);
    char buf[RECEIVER_MAX], why[ERTS_BEAMTAP_REASON_MAX + 1];
    struct btapw_text t = remote_text(to, buf), r;
    uint64_t *p;

    r = btapw_text_fit(why, erts_beamtap_reason(reason, why), ERTS_BEAMTAP_REASON_MAX);
    p = btapw_reserve(w, BTAP_EV_process_exit_signal_remote,
                      3 + btapw_text_words(&t) + btapw_text_words(&r) + (tok.is_there ? 3 : 0));
    if (!p)
        return;
    btapw_set(p, 1, beamtap_ident(from));
    btapw_set(p, 2, node);
    put_token(btapw_text_store(btapw_text_store(p + 3, &t), &r), &tok);
    btapw_commit(w);
}

static ERTS_INLINE Eterm this_node(void)
{
    return erts_this_dist_entry->sysname;
}

void erts_beamtap_dist_monitor(Eterm what, Eterm node, Eterm type, Eterm reason)
{
    struct btapw *w = beamtap_writer();
    char why[ERTS_BEAMTAP_REASON_MAX + 1];
    struct btapw_text t;
    uint64_t *p;

    t = btapw_text_fit(why, erts_beamtap_reason(reason, why), ERTS_BEAMTAP_REASON_MAX);
    p = btapw_reserve(w, BTAP_EV_dist_monitor, 5 + btapw_text_words(&t));
    if (!p)
        return;
    btapw_set(p, 1, this_node());
    btapw_set(p, 2, what);
    btapw_set(p, 3, node);
    btapw_set(p, 4, type);
    btapw_text_store(p + 5, &t);
    btapw_commit(w);
}

/* @channel: the port; a process does its work where the distribution is not over ports.  NIL: it is not so */
void erts_beamtap_dist_port_busy(Eterm channel, Eterm node, Eterm suspended)
{
    if (is_not_nil(channel))
        btapw_put4(beamtap_writer(), BTAP_EV_dist_port_busy, this_node(),
                   is_internal_port(channel) ? beamtap_port(channel) : 0, node,
                   beamtap_pid(suspended));
}

void erts_beamtap_dist_port_not_busy(Eterm channel, Eterm node)
{
    if (is_not_nil(channel))
        btapw_put3(beamtap_writer(), BTAP_EV_dist_port_not_busy, this_node(),
                   is_internal_port(channel) ? beamtap_port(channel) : 0, node);
}

static Eterm node_behind(Port *prt)
{
    DistEntry *dep = (DistEntry *) erts_prtsd_get(prt, ERTS_PRTSD_DIST_ENTRY);

    return dep ? dep->sysname : 0;
}

void erts_beamtap_dist_port_goes_on(Port *prt)
{
    erts_beamtap_dist_port_not_busy(prt->common.id, node_behind(prt));
}

void erts_beamtap_dist_output(Port *prt, Uint64 bytes)
{
    btapw_put4(beamtap_writer(), BTAP_EV_dist_output, this_node(), beamtap_port(prt->common.id),
               node_behind(prt), bytes);
}

void erts_beamtap_dist_outputv(Port *prt, Uint64 bytes)
{
    btapw_put4(beamtap_writer(), BTAP_EV_dist_outputv, this_node(), beamtap_port(prt->common.id),
               node_behind(prt), bytes);
}

#endif /* ERTS_ENABLE_BEAMTAP */
