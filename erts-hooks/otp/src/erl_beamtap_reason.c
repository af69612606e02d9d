/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_reason.c - a term as short text, the same as the agent writes
 *
 * The agent's own printer (reason/reason.c) is compiled in.  What it asks a NIF's
 * environment for is answered here without an allocation or a lock: where it would get
 * a copy from the VM, it gets one of bounded size on the stack.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include "atom.h"
#include "big.h"
#include "erl_binary.h"
#include "erl_bits.h"
#include "erl_map.h"
#include "erl_nif.h"

#pragma GCC visibility push(hidden) /* what reason.c includes, too, hence all that is above */
#include "reason/term.h"
#include "reason/reason.h"

/* Bytes of a binary that the printer may look at: it stops when its text is full. */
#define BITS_MAX (2 * REASON_MAX)

/* What stands for the environment: room for one copy of each kind. */
struct room {
    unsigned char external[8 + MAX_ATOM_SZ_LIMIT + 16];
    unsigned char bits[BITS_MAX];
};

static unsigned char *put_be32(unsigned char *p, Uint32 v)
{
    *p++ = (unsigned char) (v >> 24);
    *p++ = (unsigned char) (v >> 16);
    *p++ = (unsigned char) (v >> 8);
    *p++ = (unsigned char) v;
    return p;
}

static unsigned char *put_atom_text(unsigned char *p, Eterm atom)
{
    const Atom *a = atom_tab(atom_val(atom));
    Uint len = a->len > 0 && a->len <= MAX_ATOM_SZ_LIMIT ? (Uint) a->len : 0;

    *p++ = 118; /* two bytes of length, UTF-8 */
    *p++ = (unsigned char) (len >> 8);
    *p++ = (unsigned char) len;
    sys_memcpy(p, beamtap_atom_text(a), len);
    return p + len;
}

/* The external format of an atom, or of a process of another node. */
static int to_external(struct room *room, Eterm t, ErlNifBinary *bin)
{
    unsigned char *p = room->external;

    *p++ = 131;
    if (is_atom(t)) {
        p = put_atom_text(p, t);
    } else if (is_external_pid(t)) {
        *p++ = 88;
        p = put_atom_text(p, external_thing_ptr(t)->node->sysname);
        p = put_be32(p, (Uint32) external_pid_number(t));
        p = put_be32(p, (Uint32) external_pid_serial(t));
        p = put_be32(p, external_thing_ptr(t)->node->creation);
    } else {
        return 0;
    }
    bin->data = room->external;
    bin->size = (size_t) (p - room->external);
    return 1;
}

/*
 * The bytes of a binary where they lie.  Of one that does not begin at a whole byte the first
 * BITS_MAX are copied, although its size is told as it is.
 */
static int look_at_binary(struct room *room, Eterm t, ErlNifBinary *bin)
{
    const byte *base;
    Uint shift, rest, i, n;

#if BEAMTAP_OTP >= 27
    Uint offset, size;

    if (is_not_bitstring(t))
        return 0;
    ERTS_GET_BITSTRING(t, base, offset, size);
    base += offset / 8;
    shift = offset % 8;
    rest = size % 8;
    bin->size = size / 8;
#else
    if (is_not_binary(t))
        return 0;
    bin->size = binary_size(t);
    ERTS_GET_BINARY_BYTES(t, base, shift, rest);
#endif
    if (rest)
        return 0;
    if (shift) {
        n = bin->size < BITS_MAX ? bin->size : BITS_MAX;
        for (i = 0; i < n; i++)
            room->bits[i] = (unsigned char) (base[i] << shift | base[i + 1] >> (8 - shift));
        base = room->bits;
    }
    bin->data = (unsigned char *) base;
    return 1;
}

static int look_at_cell(Eterm t, ERL_NIF_TERM *head, ERL_NIF_TERM *tail)
{
    if (is_not_list(t))
        return 0;
    *head = CAR(list_val(t));
    *tail = CDR(list_val(t));
    return 1;
}

static const ERL_NIF_TERM *look_at_tuple(Eterm t, int *arity)
{
    if (is_not_tuple(t))
        return NULL;
    *arity = (int) arityval(*tuple_val(t));
    return (const ERL_NIF_TERM *) tuple_val(t) + 1;
}

#define enif_get_atom(ENV, T, BUF, LEN, ENCODING) 0 /* by its external format, always */
#define enif_is_atom(ENV, T) is_atom(T)
#define enif_term_to_binary(ENV, T, BIN) to_external((struct room *) (ENV), (T), (BIN))
#define enif_inspect_binary(ENV, T, BIN) look_at_binary((struct room *) (ENV), (T), (BIN))
#define enif_release_binary(BIN) ((void) (BIN))
#define enif_make_existing_atom_len(ENV, NAME, LEN, ATOM, ENCODING) ((void) (NAME), 0)
#define term_cell(ENV, T, HEAD, TAIL) look_at_cell((T), (HEAD), (TAIL))
#define term_tuple(ENV, T, ARITY) look_at_tuple((T), (ARITY))
#define term_word(T) (is_internal_pid(T) ? beamtap_pid(T) : beamtap_port(T))

#include "reason/reason.c"
#pragma GCC visibility pop

#define COPY(BUF, TEXT) (sys_memcpy((BUF), (TEXT), sizeof(TEXT)), sizeof(TEXT) - 1)

size_t erts_beamtap_reason(Eterm reason, char buf[ERTS_BEAMTAP_REASON_MAX + 1])
{
    struct room room;

    /* What nearly all processes end with costs no look at the text of an atom. */
    switch (reason) {
    case am_normal: return COPY(buf, "normal");
    case am_shutdown: return COPY(buf, "shutdown");
    case am_killed: return COPY(buf, "killed");
    case am_noproc: return COPY(buf, "noproc");
    default: break;
    }
    ERTS_CT_ASSERT(ERTS_BEAMTAP_REASON_MAX == REASON_MAX);
    return reason_print((ErlNifEnv *) &room, reason, buf);
}

static void __attribute__((constructor)) set_layout(void)
{
    reason_layout.pid_number_bits = _PID_NUM_SIZE;
    reason_layout.pid_serial_bits = _PID_SER_SIZE;
    reason_layout.port_number_bits = _PORT_NUM_SIZE;
}

#endif /* ERTS_ENABLE_BEAMTAP */
