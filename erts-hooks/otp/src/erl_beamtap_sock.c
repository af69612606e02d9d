/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_sock.c - sockets: which of the kernel's belongs to which port or process
 *
 * A few system calls a socket, and only while somebody listens: opening and closing
 * one costs more.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#ifndef SO_COOKIE
#define SO_COOKIE 57
#endif
#define ADDRESS_MAX 120

struct sock {
    Uint64 port, owner, inode, cookie;
};

/* Return: 0 when @fd is no socket */
static int look(struct sock *s, Eterm port, Eterm owner, int fd)
{
    socklen_t len = sizeof(s->cookie);
    ErtsSchedulerData *esdp;
    struct stat st;
    Port *prt;

    if (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
        return 0;
    s->inode = st.st_ino;
    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &s->cookie, &len) < 0)
        s->cookie = BTAP_UNKNOWN;
    s->port = 0;
    if (is_internal_port(port)) {
        /* Its driver calls, which has it locked: it cannot go. */
        esdp = erts_get_scheduler_data();
        prt = esdp && !ERTS_SCHEDULER_IS_DIRTY(esdp) ? erts_port_lookup_raw(port) : NULL;
        owner = prt ? ERTS_PORT_GET_CONNECTED(prt) : NIL;
        s->port = beamtap_port(port);
    }
    s->owner = is_internal_pid(owner) ? beamtap_pid(owner) : 0;
    return 1;
}

/* As people write it.  Return: bytes; 0: there is none */
static size_t print_address(const struct sockaddr_storage *sa, socklen_t len, char *buf)
{
    const struct sockaddr_in *in4 = (const void *) sa;
    const struct sockaddr_in6 *in6 = (const void *) sa;
    const struct sockaddr_un *un = (const void *) sa;
    size_t path, max = ADDRESS_MAX;
    char ip[INET6_ADDRSTRLEN];
    int n = 0;

    if (sa->ss_family == AF_INET && inet_ntop(AF_INET, &in4->sin_addr, ip, sizeof(ip))) {
        n = snprintf(buf, max, "%s:%u", ip, ntohs(in4->sin_port));
    } else if (sa->ss_family == AF_INET6
               && inet_ntop(AF_INET6, &in6->sin6_addr, ip, sizeof(ip))) {
        n = snprintf(buf, max, "[%s]:%u", ip, ntohs(in6->sin6_port));
    } else if (sa->ss_family == AF_UNIX && len > sizeof(sa_family_t)) {
        path = len - sizeof(sa_family_t);
        /* A name in the abstract name space begins with a zero byte. */
        n = snprintf(buf, max, "%s%.*s", un->sun_path[0] ? "" : "@",
                     (int) (un->sun_path[0] ? path : path - 1),
                     un->sun_path + !un->sun_path[0]);
    }
    return n < 0 ? 0 : (size_t) n < max ? (size_t) n : max - 1;
}

static struct btapw_text address(int (*get)(int, struct sockaddr *, socklen_t *), int fd,
                                 char *buf)
{
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    size_t n = 0;

    memset(&sa, 0, sizeof(sa));
    if (get(fd, (struct sockaddr *) &sa, &len) == 0 && len <= sizeof(sa))
        n = print_address(&sa, len, buf);
    return btapw_text_fit(buf, n, ADDRESS_MAX);
}

void erts_beamtap_socket_open(unsigned long port, unsigned long owner, int fd)
{
    char local[ADDRESS_MAX] = "", remote[ADDRESS_MAX] = "";
    struct btapw *w = beamtap_writer();
    struct btapw_text lt, rt;
    int was = errno; /* the caller may still want it */
    struct sock s;
    uint64_t *p;

    if (look(&s, (Eterm) port, (Eterm) owner, fd)) {
        lt = address(getsockname, fd, local);
        rt = address(getpeername, fd, remote);
        p = btapw_reserve(w, BTAP_EV_socket_open,
                          6 + btapw_text_words(&lt) + btapw_text_words(&rt));
        if (p) {
            btapw_set(p, 1, s.port);
            btapw_set(p, 2, s.owner);
            btapw_set(p, 3, s.inode);
            btapw_set(p, 4, s.cookie);
            btapw_set(p, 5, (Uint64) (Sint64) fd);
            btapw_text_store(btapw_text_store(p + 6, &lt), &rt);
            btapw_commit(w);
        }
    }
    errno = was;
}

void erts_beamtap_socket_close(unsigned long port, unsigned long owner, int fd)
{
    int was = errno;
    struct sock s;

    if (look(&s, (Eterm) port, (Eterm) owner, fd))
        btapw_put5(beamtap_writer(), BTAP_EV_socket_close, s.port, s.owner, s.inode, s.cookie,
                   (Uint64) (Sint64) fd);
    errno = was;
}

#endif /* ERTS_ENABLE_BEAMTAP */
