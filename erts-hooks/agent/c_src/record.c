// SPDX-License-Identifier: Apache-2.0
/* record.c - records that Erlang code asks for; see record.h */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include "agent.h"
#include "reason.h"
#include "record.h"

#define TEXT_MAX 120

static ERL_NIF_TERM am_true, am_false, am_ok, am_start, am_stop;

void record_load(ErlNifEnv *env)
{
	am_true = enif_make_atom(env, "true");
	am_false = enif_make_atom(env, "false");
	am_ok = enif_make_atom(env, "ok");
	am_start = enif_make_atom(env, "start");
	am_stop = enif_make_atom(env, "stop");
}

/* Text that somebody gives: iodata; anything else is no text. */
static struct btapw_text text_of(ErlNifEnv *env, ERL_NIF_TERM t, size_t max)
{
	ErlNifBinary bin;

	if (enif_inspect_iolist_as_binary(env, t, &bin))
		return btapw_text_fit((const char *)bin.data, bin.size, max);
	return btapw_text_fit(NULL, 0, max);
}

static uint64_t number_of(ErlNifEnv *env, ERL_NIF_TERM t, uint64_t unknown)
{
	ErlNifSInt64 v;
	ErlNifUInt64 u;

	if (enif_get_int64(env, t, &v))
		return (uint64_t)v;
	return enif_get_uint64(env, t, &u) ? u : unknown;
}

ERL_NIF_TERM record_asked(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct agent_thread *t;

	if (!term_is_pid(argv[0]))
		return enif_make_badarg(env);
	t = agent_enter();
	if (!t)
		return am_false;
	btapw_put1(t->w, BTAP_EV_state_asked, term_pid(argv[0]));
	agent_leave(t);
	return am_true;
}

ERL_NIF_TERM record_process(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	const ERL_NIF_TERM *mfa;
	struct agent_thread *t;
	uint64_t f = 0;
	int nr;

	if (!term_is_pid(argv[0]))
		return enif_make_badarg(env);
	t = agent_enter();
	if (!t)
		return am_false;
	mfa = term_tuple(env, argv[1], &nr);
	if (mfa && nr == 3)
		f = agent_mfa(env, mfa[0], mfa[1], term_small(mfa[2], 256));
	btapw_put5(t->w, BTAP_EV_state_process, term_pid(argv[0]), f,
		   term_is_atom(argv[2]) ? agent_atom(env, argv[2]) : 0, term_pid(argv[3]),
		   number_of(env, argv[4], BTAP_UNKNOWN));
	agent_leave(t);
	return am_true;
}

ERL_NIF_TERM record_port(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct agent_thread *t;
	ErlNifBinary name;
	uint64_t str = 0;

	if (!term_is_port(argv[0]))
		return enif_make_badarg(env);
	t = agent_enter();
	if (!t)
		return am_false;
	if (enif_inspect_iolist_as_binary(env, argv[1], &name))
		str = btapw_map_name(agent_map, (const char *)name.data,
				     name.size < 1024 ? name.size : 1024);
	btapw_put6(t->w, BTAP_EV_state_port, term_word(argv[0]), str, term_pid(argv[2]),
		   term_is_atom(argv[3]) ? agent_atom(env, argv[3]) : 0,
		   number_of(env, argv[4], BTAP_UNKNOWN), number_of(env, argv[5], BTAP_UNKNOWN));
	agent_leave(t);
	return am_true;
}

/* An address as people write it.  Return: bytes, 0 when there is none */
static size_t print_address(const struct sockaddr_storage *sa, socklen_t len, char *buf, size_t max)
{
	const struct sockaddr_in *in4 = (const void *)sa;
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_un *un = (const void *)sa;
	char ip[INET6_ADDRSTRLEN];
	size_t path;
	int n = 0;

	if (sa->ss_family == AF_INET && inet_ntop(AF_INET, &in4->sin_addr, ip, sizeof(ip)))
		n = snprintf(buf, max, "%s:%u", ip, ntohs(in4->sin_port));
	else if (sa->ss_family == AF_INET6 && inet_ntop(AF_INET6, &in6->sin6_addr, ip, sizeof(ip)))
		n = snprintf(buf, max, "[%s]:%u", ip, ntohs(in6->sin6_port));
	else if (sa->ss_family == AF_UNIX && len > sizeof(sa_family_t)) {
		path = len - sizeof(sa_family_t);
		/* A name in the abstract name space begins with a zero byte. */
		n = snprintf(buf, max, "%s%.*s", un->sun_path[0] ? "" : "@",
			     (int)(un->sun_path[0] ? path : path - 1),
			     un->sun_path + !un->sun_path[0]);
	}
	return n < 0 ? 0 : (size_t)n < max ? (size_t)n : max - 1;
}

ERL_NIF_TERM record_socket(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	char local[TEXT_MAX] = "", remote[TEXT_MAX] = "";
	struct sockaddr_storage sa;
	struct btapw_text lt, rt;
	struct agent_thread *t;
	uint64_t cookie = 0, *p;
	size_t nl = 0, nr = 0;
	struct stat st;
	socklen_t len;
	int fd;

	if (!term_is_port(argv[0]) || !enif_get_int(env, argv[2], &fd) || fd < 0)
		return enif_make_badarg(env);
	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		return enif_make_int(env, 0);
	len = sizeof(cookie);
#ifdef SO_COOKIE
	getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
#endif
	len = sizeof(sa);
	if (getsockname(fd, (struct sockaddr *)&sa, &len) == 0)
		nl = print_address(&sa, len, local, sizeof(local));
	len = sizeof(sa);
	if (getpeername(fd, (struct sockaddr *)&sa, &len) == 0)
		nr = print_address(&sa, len, remote, sizeof(remote));
	t = agent_enter();
	if (!t)
		return enif_make_int(env, 0);
	lt = btapw_text_fit(local, nl, TEXT_MAX);
	rt = btapw_text_fit(remote, nr, TEXT_MAX);
	p = btapw_reserve(t->w, BTAP_EV_socket_open,
			  6 + btapw_text_words(&lt) + btapw_text_words(&rt));
	if (p) {
		btapw_set(p, 1, term_word(argv[0]));
		btapw_set(p, 2, term_pid(argv[1]));
		btapw_set(p, 3, st.st_ino);
		btapw_set(p, 4, cookie);
		btapw_set(p, 5, (uint64_t)fd);
		btapw_text_store(btapw_text_store(p + 6, &lt), &rt);
		btapw_commit(t->w);
	}
	agent_leave(t);
	return enif_make_uint64(env, cookie ? cookie : st.st_ino);
}

ERL_NIF_TERM record_tap(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btapw_text text = text_of(env, argv[2], 1000);
	unsigned int event, words, i = 1;
	struct agent_thread *t;
	uint64_t *p;

	event = argv[0] == am_start ? BTAP_EV_tap_start :
		argv[0] == am_stop  ? BTAP_EV_tap_stop :
				      BTAP_EV_tap_warning;
	words = (event == BTAP_EV_tap_warning ? 1 : 2) + btapw_text_words(&text);
	t = agent_enter();
	if (!t)
		return am_false;
	p = btapw_reserve(t->w, event, words);
	if (p) {
		if (event != BTAP_EV_tap_warning)
			btapw_set(p, i++, number_of(env, argv[1], BTAP_UNKNOWN));
		btapw_text_store(p + i, &text);
		btapw_commit(t->w);
	}
	agent_leave(t);
	return am_true;
}

static bool is_on(unsigned int kind)
{
	return __atomic_load_n(&agent_hot.on[0][kind], __ATOMIC_RELAXED);
}

static uint64_t self_of(ErlNifEnv *env)
{
	ErlNifPid self;

	return enif_self(env, &self) ? term_word(self.pid) : 0;
}

ERL_NIF_TERM record_probe(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btapw_text text;
	struct agent_thread *t;
	uint64_t *p;

	if (!is_on(AGENT_KIND_user_probe))
		return am_false;
	if (!term_is_atom(argv[0]))
		return enif_make_badarg(env);
	text = text_of(env, argv[3], TEXT_MAX);
	t = agent_enter();
	if (!t)
		return am_false;
	p = btapw_reserve(t->w, BTAP_EV_user_probe, 5 + btapw_text_words(&text));
	if (p) {
		btapw_set(p, 1, self_of(env));
		btapw_set(p, 2, agent_atom(env, argv[0]));
		btapw_set(p, 3, number_of(env, argv[1], BTAP_UNKNOWN));
		btapw_set(p, 4, number_of(env, argv[2], BTAP_UNKNOWN));
		btapw_text_store(p + 5, &text);
		btapw_commit(t->w);
	}
	agent_leave(t);
	return am_true;
}

ERL_NIF_TERM record_s1(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btapw_text text;
	struct agent_thread *t;
	uint64_t *p;

	if (!is_on(AGENT_KIND_user_s1))
		return am_false;
	text = text_of(env, argv[0], TEXT_MAX);
	t = agent_enter();
	if (!t)
		return am_false;
	p = btapw_reserve(t->w, BTAP_EV_user_trace_s1, 1 + btapw_text_words(&text));
	if (p) {
		btapw_text_store(p + 1, &text);
		btapw_commit(t->w);
	}
	agent_leave(t);
	return am_true;
}

ERL_NIF_TERM record_user(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	uint64_t number = number_of(env, argv[0], BTAP_UNKNOWN), ints[4] = { 0 }, *p;
	ERL_NIF_TERM head, tail;
	struct btapw_text text[5];
	bool is_n = (int64_t)number >= 0;
	struct agent_thread *t;
	unsigned int i, words = 6 + is_n;

	if (!is_on(is_n ? AGENT_KIND_user_n : AGENT_KIND_user_i4s4))
		return am_false;
	for (i = 0, tail = argv[2]; i < 4 && enif_get_list_cell(env, tail, &head, &tail); i++)
		/* C's int, sign-extended */
		ints[i] = (uint64_t)(int64_t)(int32_t)number_of(env, head, 0);
	text[0] = text_of(env, argv[1], TEXT_MAX);
	for (i = 1, tail = argv[3]; i < 5; i++)
		text[i] = enif_get_list_cell(env, tail, &head, &tail) ?
				  text_of(env, head, TEXT_MAX) :
				  btapw_text_fit(NULL, 0, TEXT_MAX);
	for (i = 0; i < 5; i++)
		words += btapw_text_words(&text[i]);
	t = agent_enter();
	if (!t)
		return am_false;
	p = btapw_reserve(t->w, is_n ? BTAP_EV_user_trace_n : BTAP_EV_user_trace_i4s4, words);
	if (p) {
		btapw_set(p++, 1, self_of(env));
		p++;
		if (is_n)
			btapw_set(p++, 0, number);
		p = btapw_text_store(p, &text[0]);
		for (i = 0; i < 4; i++)
			btapw_set(p++, 0, ints[i]);
		for (i = 1; i < 5; i++)
			p = btapw_text_store(p, &text[i]);
		btapw_commit(t->w);
	}
	agent_leave(t);
	return am_true;
}
