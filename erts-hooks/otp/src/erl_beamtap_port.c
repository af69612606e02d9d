/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_port.c - ports: opened, given commands, run, busy, closed; their data
 *
 * A record refers to a port's name by its number in the string table.  It is asked
 * for once a port, by the first event that has it, and kept in the port (see
 * erts_beamtap_name()); while nobody listens nothing is asked.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include <errno.h>
#include "erl_sys_driver.h"
#include "erl_beamtap_ctl.h"
#include "erl_beamtap_port.h"

#define NAME_MAX_BYTES 1024
#define NO_NAME (~(Uint64) 0) /* the string table is full */

/* Is it UTF-8 as it stands? */
static int is_utf8(const byte *s, size_t n)
{
    size_t i = 0, more;

    while (i < n) {
        more = s[i] < 0x80 ? 0 : s[i] >= 0xc2 && s[i] < 0xe0 ? 1
            : s[i] >= 0xe0 && s[i] < 0xf0 ? 2 : s[i] >= 0xf0 && s[i] < 0xf5 ? 3 : n;
        if (more >= n - i)
            return 0;
        for (i++; more; more--, i++)
            if ((s[i] & 0xc0) != 0x80)
                return 0;
    }
    return 1;
}

Uint64 erts_beamtap_ask_name(Uint64 *slot, const char *name)
{
    char buf[2 * NAME_MAX_BYTES];
    const byte *s = (const byte *) name;
    size_t len = 0, out = 0, i;
    Uint64 nr;

    while (len < NAME_MAX_BYTES && name[len])
        len++;
    if (is_utf8(s, len)) {
        nr = btapw_map_name(erts_beamtap_map, name, len);
    } else {
        /* Bytes of another encoding, or cut in the middle of a character: as Latin-1. */
        for (i = 0; i < len; i++) {
            if (s[i] < 0x80) {
                buf[out++] = (char) s[i];
            } else {
                buf[out++] = (char) (0xc0 | s[i] >> 6);
                buf[out++] = (char) (0x80 | (s[i] & 0x3f));
            }
        }
        nr = btapw_map_name(erts_beamtap_map, buf, out);
    }
    __atomic_store_n(slot, nr ? nr : NO_NAME, __ATOMIC_RELAXED);
    return nr;
}

void erts_beamtap_port_open(Port *prt, Eterm pid)
{
    btapw_put3(beamtap_writer(), BTAP_EV_port_open, beamtap_caller(pid), beamtap_name(prt),
               beamtap_port(prt->common.id));
}

void erts_beamtap_port_command(Eterm who, Port *prt, Eterm type, Uint bytes)
{
    btapw_put5(beamtap_writer(), BTAP_EV_port_command, beamtap_caller(who),
               beamtap_port(prt->common.id), beamtap_name(prt), type, bytes);
}

/* The death of the process it is linked to closes a port, too; but that is no command. */
void erts_beamtap_port_close(Eterm who, Port *prt, int is_broken_link)
{
    if (!is_broken_link)
        erts_beamtap_port_command(who, prt, am_close, 0);
}

void erts_beamtap_port_control(Eterm who, Port *prt, unsigned int command)
{
    btapw_put4(beamtap_writer(), BTAP_EV_port_control, beamtap_caller(who),
               beamtap_port(prt->common.id), beamtap_name(prt), (Uint64) (Sint64) (int) command);
}

void erts_beamtap_port_connect(Port *prt, Eterm new_owner)
{
    btapw_put4(beamtap_writer(), BTAP_EV_port_connect,
               beamtap_caller(ERTS_PORT_GET_CONNECTED(prt)), beamtap_port(prt->common.id),
               beamtap_name(prt), beamtap_caller(new_owner));
}

static void put_exit(Port *prt, Eterm who, const char *text, size_t len)
{
    struct btapw *w = beamtap_writer();
    struct btapw_text t = btapw_text_fit(text, len, ERTS_BEAMTAP_REASON_MAX);
    Uint64 name = beamtap_name(prt);
    uint64_t *p = btapw_reserve(w, BTAP_EV_port_exit, 4 + btapw_text_words(&t));

    if (!p)
        return;
    btapw_set(p, 1, beamtap_caller(who));
    btapw_set(p, 2, beamtap_port(prt->common.id));
    btapw_set(p, 3, name);
    btapw_text_store(p + 4, &t);
    btapw_commit(w);
}

void erts_beamtap_port_exit(Port *prt, Eterm who, Eterm reason)
{
    char buf[ERTS_BEAMTAP_REASON_MAX + 1];

    put_exit(prt, who, buf, erts_beamtap_reason(reason, buf));
}

/* Its driver did not want to start: it was opened, and is gone. */
void erts_beamtap_port_failed(Port *prt, Eterm who, int error_type, int error)
{
    const char *text = error_type == -2 ? erl_errno_id(error) : "badarg";

    put_exit(prt, who, text, strlen(text));
}

void erts_beamtap_port_busy(Port *prt)
{
    btapw_put1(beamtap_writer(), BTAP_EV_port_busy, beamtap_port(prt->common.id));
}

void erts_beamtap_port_not_busy(Port *prt)
{
    btapw_put1(beamtap_writer(), BTAP_EV_port_not_busy, beamtap_port(prt->common.id));
}

void erts_beamtap_port_scheduled(Port *prt, Eterm what)
{
    btapw_put2(beamtap_writer(), BTAP_EV_port_scheduled, beamtap_port(prt->common.id), what);
}

void erts_beamtap_port_unscheduled(Port *prt, Eterm what)
{
    btapw_put2(beamtap_writer(), BTAP_EV_port_unscheduled, beamtap_port(prt->common.id), what);
}

/* @signal: flags of the signal, for a task that is one */
static Eterm task(int type, Uint32 signal)
{
    switch (type) {
    case ERTS_PORT_TASK_INPUT: return am_ready_input;
    case ERTS_PORT_TASK_OUTPUT: return am_ready_output;
    case ERTS_PORT_TASK_TIMEOUT: return am_timeout;
    case ERTS_PORT_TASK_DIST_CMD: return am_dist_cmd;
    case ERTS_PORT_TASK_PROC_SIG: break;
    default: return 0;
    }
    switch (signal & ERTS_P2P_SIG_TYPE_MASK) {
    case ERTS_P2P_SIG_TYPE_OUTPUT:
    case ERTS_P2P_SIG_TYPE_OUTPUTV: return am_command;
    case ERTS_P2P_SIG_TYPE_CONNECT: return am_connect;
    case ERTS_P2P_SIG_TYPE_EXIT: return am_close;
    case ERTS_P2P_SIG_TYPE_CONTROL: return am_control;
    case ERTS_P2P_SIG_TYPE_CALL: return am_call;
    case ERTS_P2P_SIG_TYPE_INFO: return am_info;
    case ERTS_P2P_SIG_TYPE_LINK: return am_link;
    case ERTS_P2P_SIG_TYPE_UNLINK:
    case ERTS_P2P_SIG_TYPE_UNLINK_ACK: return am_unlink;
    case ERTS_P2P_SIG_TYPE_MONITOR: return am_monitor;
    case ERTS_P2P_SIG_TYPE_DEMONITOR: return am_demonitor;
    default: return am_proc_sig;
    }
}

void erts_beamtap_port_task_in(Port *prt, int type, Uint32 signal)
{
    erts_beamtap_port_scheduled(prt, task(type, signal));
}

void erts_beamtap_port_task_out(Port *prt, int type, Uint32 signal)
{
    erts_beamtap_port_unscheduled(prt, task(type, signal));
}

void erts_beamtap_port_data(Eterm port, Eterm to, Uint64 bytes)
{
    btapw_put3(beamtap_writer(), BTAP_EV_port_data, beamtap_port(port), beamtap_ident(to), bytes);
}

/* -- data in a term that a driver describes -- */

#define TERM_MAX_ITEMS 64 /* that are looked at */

/* Words behind the tag @tag; -1: not known. */
static int nr_arguments(ErlDrvTermData tag)
{
    switch (tag) {
    case ERL_DRV_NIL: return 0;
    case ERL_DRV_ATOM: case ERL_DRV_INT: case ERL_DRV_UINT: case ERL_DRV_PORT:
    case ERL_DRV_TUPLE: case ERL_DRV_LIST: case ERL_DRV_PID: case ERL_DRV_FLOAT:
    case ERL_DRV_INT64: case ERL_DRV_UINT64: case ERL_DRV_MAP: return 1;
    case ERL_DRV_STRING: case ERL_DRV_STRING_CONS: case ERL_DRV_EXT2TERM:
    case ERL_DRV_BUF2BINARY: return 2;
    case ERL_DRV_BINARY: return 3;
    default: return -1;
    }
}

/*
 * Bytes of the strings and binaries in it.  BTAP_UNKNOWN: they are not what came in (a parsed
 * HTTP header), or there is too much of it.  Negative: it has none.
 */
static Sint64 term_bytes(const ErlDrvTermData *data, int len)
{
    Sint64 bytes = 0;
    int i, n, items = 0, has_data = 0;

    for (i = 0; i < len; i += 1 + n) {
        const ErlDrvTermData *arg = data + i + 1;

        n = nr_arguments(data[i]);
        if (n < 0 || n > len - i - 1 || ++items > TERM_MAX_ITEMS)
            return (Sint64) BTAP_UNKNOWN;
        switch (data[i]) {
        case ERL_DRV_STRING: case ERL_DRV_STRING_CONS: case ERL_DRV_BUF2BINARY:
        case ERL_DRV_BINARY:
            bytes += (Sint64) arg[1];
            has_data = 1;
            break;
        case ERL_DRV_ATOM:
            if (arg[0] == am_http_request || arg[0] == am_http_response
                || arg[0] == am_http_header)
                return (Sint64) BTAP_UNKNOWN;
            break;
        default:
            break;
        }
    }
    return has_data ? bytes : -1;
}

void erts_beamtap_port_term(Eterm port, Eterm to, const ErlDrvTermData *data, int len)
{
    Sint64 bytes;

    if (!is_internal_port(port))
        return;
    bytes = term_bytes(data, len);
    if (bytes >= 0 || (Uint64) bytes == BTAP_UNKNOWN)
        erts_beamtap_port_data(port, to, (Uint64) bytes);
}

#endif /* ERTS_ENABLE_BEAMTAP */
