// SPDX-License-Identifier: Apache-2.0
/* trace.c - from trace messages to records; see trace.h */
#include <string.h>
#include "agent.h"
#include "initial.h"
#include "message.h"
#include "reason.h"
#include "trace.h"

/* Atoms that are looked for or returned. */
#define ATOMS(A) \
	A(discard) A(remove) A(trace) A(ok) A(extra) A(match_spec_result) A(undefined) \
	A(command) A(control) A(connect) A(close) A(data) A(tcp) A(udp) A(inet_async) A(wordsize) \
	A(heap_size) A(old_heap_size) A(mbuf_size) A(heap_block_size) A(bin_vheap_size)

static struct {
#define AS_MEMBER(a) ERL_NIF_TERM a;
	ATOMS(AS_MEMBER)
#undef AS_MEMBER
} am;

static ERL_NIF_TERM own_node;

void trace_load(ErlNifEnv *env)
{
#define AS_INIT(a) am.a = enif_make_atom(env, #a);
	ATOMS(AS_INIT)
#undef AS_INIT
}

void trace_node(ERL_NIF_TERM node)
{
	__atomic_store_n(&own_node, node, __ATOMIC_RELAXED);
}

static inline unsigned int kind_of(ERL_NIF_TERM tag)
{
	uint64_t n = BTAP_ATOM_NUMBER(tag);

	return TERM_LIKELY(n < AGENT_MAX_TAG) ? agent_kind_of_atom[n] : AGENT_KIND_none;
}

ERL_NIF_TERM trace_enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	unsigned int kind = kind_of(argv[0]);
	ERL_NIF_TERM tracee = argv[2];

	if (__atomic_load_n(&agent_hot.on[term_is_port(tracee)][kind], __ATOMIC_RELAXED) &&
	    !agent_is_own(tracee))
		return am.trace;
	/* Flags stay until the controller takes them away; it only cannot when it is gone for good. */
	if (kind == AGENT_KIND_trace_status)
		return __atomic_load_n(&agent_hot.is_orphan, __ATOMIC_RELAXED) ? am.remove :
										  am.trace;
	return am.discard;
}

struct ev {
	ErlNifEnv *env;
	struct agent_thread *t;
	ERL_NIF_TERM tracee, msg, opts;
	uint64_t who; /* the tracee as records hold it */
};

static void put_text(struct btapw *w, unsigned int event, const uint64_t *words, unsigned int nr,
		     const char *text, size_t len)
{
	struct btapw_text t = btapw_text_fit(text, len, REASON_MAX);
	uint64_t *p = btapw_reserve(w, event, 1 + nr + btapw_text_words(&t));
	unsigned int i;

	if (!p)
		return;
	for (i = 0; i < nr; i++)
		btapw_set(p, 1 + i, words[i]);
	btapw_text_store(p + 1 + nr, &t);
	btapw_commit(w);
}

static __attribute__((noinline)) uint64_t mfa_of_new(const struct ev *e, ERL_NIF_TERM t)
{
	const ERL_NIF_TERM *el;
	uint64_t arity;
	unsigned int n;
	int nr;

	el = term_tuple(e->env, t, &nr);
	if (!el || nr != 3)
		return 0;
	arity = term_small(el[2], BTAP_UNKNOWN);
	if (arity == BTAP_UNKNOWN) {
		if (!enif_get_list_length(e->env, el[2], &n))
			return 0;
		arity = n;
	}
	if (!agent_mfa(e->env, el[0], el[1], arity))
		return 0;
	e->t->module = el[0];
	e->t->function = el[1];
	return BTAP_MFA(BTAP_ATOM_NUMBER(el[0]), BTAP_ATOM_NUMBER(el[1]), arity);
}

/* {M, F, A}, where A is an arity or a list of arguments */
static inline uint64_t mfa_of(const struct ev *e, ERL_NIF_TERM t)
{
	const ERL_NIF_TERM *el;
	uint64_t arity;
	int nr;

	/* The same function again and again is what is common. */
	el = term_tuple(e->env, t, &nr);
	if (TERM_LIKELY(el && nr == 3 && el[0] == e->t->module && el[1] == e->t->function)) {
		arity = term_small(el[2], BTAP_UNKNOWN);
		if (TERM_LIKELY(arity < 256))
			return BTAP_MFA(BTAP_ATOM_NUMBER(el[0]), BTAP_ATOM_NUMBER(el[1]), arity);
	}
	return mfa_of_new(e, t);
}

static inline uint64_t msg_id(const struct ev *e)
{
	return message_id(e->env, e->msg, e->tracee);
}

/* Does the VM deliver it here?  {Name, Node} counts as local where Node is this one. */
static void on_send_elsewhere(const struct ev *e, ERL_NIF_TERM to)
{
	struct btapw *w = e->t->w;
	ERL_NIF_TERM node = 0, name;
	const ERL_NIF_TERM *el;
	uint64_t words[3];
	char text[1024];
	int n, nr;

	el = term_tuple(e->env, to, &nr);
	if (el && nr == 2 && term_is_atom(el[0]) && term_is_atom(el[1])) {
		name = el[0];
		node = el[1];
		if (node == __atomic_load_n(&own_node, __ATOMIC_RELAXED)) {
			if (agent_on(BTAP_EV_message_send))
				btapw_put4(w, BTAP_EV_message_send, e->who,
					   agent_atom(e->env, name), term_size(e->msg), msg_id(e));
			return;
		}
		n = reason_atom(e->env, name, text);
	} else {
		n = reason_remote(e->env, to, text, &node);
		if (n < 0 || (node && node == __atomic_load_n(&own_node, __ATOMIC_RELAXED))) {
			/* An alias in this node whose process is not to be seen. */
			if (agent_on(BTAP_EV_message_send))
				btapw_put4(w, BTAP_EV_message_send, e->who, 0, term_size(e->msg),
					   msg_id(e));
			return;
		}
	}
	if (!agent_on(BTAP_EV_message_send_remote))
		return;
	words[0] = e->who;
	words[1] = node ? agent_atom(e->env, node) : 0;
	words[2] = term_size(e->msg);
	put_text(w, BTAP_EV_message_send_remote, words, 3, text, n < 0 ? 0 : (size_t)n);
}

/* Bytes of a binary or of a flat list of binaries; BTAP_UNKNOWN for what is longer or deeper. */
static uint64_t data_bytes(ErlNifEnv *env, ERL_NIF_TERM t)
{
	ERL_NIF_TERM head, tail = t;
	const ERL_NIF_TERM *el;
	ErlNifBinary bin;
	uint64_t sum = 0;
	int i, nr;

	if (enif_inspect_binary(env, t, &bin))
		return bin.size;
	/* {eol, Line}, {noeol, Part} */
	el = term_tuple(env, t, &nr);
	if (el)
		return nr == 2 && term_is_atom(el[0]) && (el[1] & 3) != 3 &&
				       !term_tuple(env, el[1], &nr) ?
			       data_bytes(env, el[1]) :
			       BTAP_UNKNOWN;
	for (i = 0; i < 64 && term_cell(env, tail, &head, &tail); i++) {
		if ((head & 0xf) == 0xf)
			sum++; /* a byte */
		else if (enif_inspect_binary(env, head, &bin))
			sum += bin.size;
		else
			return BTAP_UNKNOWN;
	}
	return enif_is_empty_list(env, tail) ? sum : BTAP_UNKNOWN;
}

/* What a port tells its owner: {Port, {data, D}}, {tcp, Port, D}, {udp, Port, Ip, Nr, D}, ... */
static bool port_data_of(const struct ev *e, ERL_NIF_TERM *data)
{
	const ERL_NIF_TERM *el, *in;
	int nr, nr_in;

	el = term_tuple(e->env, e->msg, &nr);
	if (!el || nr < 2)
		return false;
	if (nr == 2 && el[0] == e->tracee) {
		in = term_tuple(e->env, el[1], &nr_in);
		*data = in && nr_in == 2 ? in[1] : 0;
		return in && nr_in == 2 && in[0] == am.data;
	}
	if (el[1] != e->tracee)
		return false;
	*data = el[nr - 1];
	if ((el[0] == am.tcp && nr == 3) || (el[0] == am.udp && nr >= 5))
		return true;
	if (el[0] != am.inet_async || nr != 4)
		return false;
	/* {inet_async, Port, Ref, {ok, Data}}; an accepted socket is a port, and no data */
	in = term_tuple(e->env, el[3], &nr_in);
	if (!in || nr_in != 2 || in[0] != am.ok || term_is_port(in[1]) || term_is_atom(in[1]))
		return false;
	*data = in[1];
	return true;
}

static void on_send(const struct ev *e)
{
	ERL_NIF_TERM to = term_option(e->env, e->opts, am.extra), data, alias;
	struct btapw *w = e->t->w;

	if (term_is_port(e->tracee) && agent_on(BTAP_EV_port_data) && port_data_of(e, &data))
		btapw_put3(w, BTAP_EV_port_data, e->who, term_ident(to),
			   data_bytes(e->env, data));
	if (TERM_LIKELY(term_is_pid(to) || term_is_port(to))) {
		if (agent_on(BTAP_EV_message_send) && !agent_is_own(to))
			btapw_put4(w, BTAP_EV_message_send, e->who, term_word(to), term_size(e->msg),
				   msg_id(e));
	} else if (term_is_atom(to)) {
		if (agent_on(BTAP_EV_message_send))
			btapw_put4(w, BTAP_EV_message_send, e->who, agent_atom(e->env, to),
				   term_size(e->msg), msg_id(e));
	} else if ((alias = term_alias(to))) {
		if (agent_on(BTAP_EV_message_send) && !agent_is_own(alias))
			btapw_put4(w, BTAP_EV_message_send, e->who, term_word(alias), term_size(e->msg),
				   msg_id(e));
	} else {
		on_send_elsewhere(e, to);
	}
}

/*
 * From OTP 26 on gen_tcp puts a tag for its answer before the data: two bytes of length, then a
 * term in the external format, its head 131, 121.
 */
static uint64_t command_bytes(ErlNifEnv *env, ERL_NIF_TERM t)
{
	uint64_t bytes = data_bytes(env, t), tag;
	ERL_NIF_TERM head = t, tail;
	ErlNifBinary bin;

	if (bytes == BTAP_UNKNOWN)
		return bytes;
	if (!enif_inspect_binary(env, head, &bin) &&
	    (!term_cell(env, t, &head, &tail) || !enif_inspect_binary(env, head, &bin)))
		return bytes;
	if (bin.size < 4 || bin.data[2] != 131 || bin.data[3] != 121)
		return bytes;
	tag = 2 + ((uint64_t)bin.data[0] << 8 | bin.data[1]);
	return tag <= bytes ? bytes - tag : bytes;
}

/* A command to a port: {Caller, close}, {Caller, {What, Argument}} */
static void on_port_receive(const struct ev *e)
{
	const ERL_NIF_TERM *el, *cmd;
	struct btapw *w = e->t->w;
	uint64_t caller, bytes = 0;
	ERL_NIF_TERM what;
	int nr, nr_cmd = 0;

	el = term_tuple(e->env, e->msg, &nr);
	if (!el || nr != 2 || agent_is_own(el[0]))
		return;
	caller = term_pid(el[0]);
	cmd = term_tuple(e->env, el[1], &nr_cmd);
	what = cmd && nr_cmd == 2 ? cmd[0] : el[1];
	if (what == am.control) {
		cmd = term_tuple(e->env, cmd[1], &nr_cmd);
		if (cmd && nr_cmd == 2 && agent_on(BTAP_EV_port_control))
			btapw_put4(w, BTAP_EV_port_control, caller, e->who, 0,
				   term_small(cmd[0], BTAP_UNKNOWN));
		return;
	}
	if (what == am.connect && cmd && agent_on(BTAP_EV_port_connect))
		btapw_put4(w, BTAP_EV_port_connect, caller, e->who, 0, term_pid(cmd[1]));
	if (what != am.command && what != am.connect && what != am.close)
		return;
	if (!agent_on(BTAP_EV_port_command))
		return;
	if (what == am.command)
		bytes = command_bytes(e->env, cmd[1]);
	btapw_put5(w, BTAP_EV_port_command, caller, e->who, 0, agent_atom(e->env, what), bytes);
}

static void on_receive(const struct ev *e)
{
	ERL_NIF_TERM from;

	if (term_is_port(e->tracee)) {
		on_port_receive(e);
		return;
	}
	from = term_option(e->env, e->opts, am.match_spec_result);
	if (from == am.undefined)
		from = TERM_NONE;
	if (agent_is_own(from))
		return;
	btapw_put5(e->t->w, BTAP_EV_message_receive, e->who, term_size(e->msg), BTAP_UNKNOWN,
		   agent_ident(e->env, from), message_id(e->env, e->msg, from));
}

static void on_call(const struct ev *e)
{
	btapw_put3(e->t->w, BTAP_EV_function_entry, e->who, mfa_of(e, e->msg), BTAP_UNKNOWN);
}

static void on_return(const struct ev *e)
{
	btapw_put3(e->t->w, BTAP_EV_function_return, e->who, mfa_of(e, e->msg), BTAP_UNKNOWN);
}

/* {Class, Reason} leaves a function */
static void on_exception(const struct ev *e)
{
	ERL_NIF_TERM extra = term_option(e->env, e->opts, am.extra);
	char text[REASON_MAX + 1];
	const ERL_NIF_TERM *el;
	uint64_t words[3];
	size_t len;
	int nr;

	if (!agent_on(BTAP_EV_exception_throw))
		return;
	el = extra ? term_tuple(e->env, extra, &nr) : NULL;
	if (!el || nr != 2 || !term_is_atom(el[0]))
		return;
	len = reason_print(e->env, el[1], text);
	words[0] = e->who;
	words[1] = agent_atom(e->env, el[0]);
	words[2] = mfa_of(e, e->msg);
	put_text(e->t->w, BTAP_EV_exception_throw, words, 3, text, len);
}

static void on_sched(const struct ev *e, bool is_in)
{
	struct btapw *w = e->t->w;
	unsigned int event;
	uint64_t mfa;

	if (term_is_port(e->tracee)) {
		event = is_in ? BTAP_EV_port_scheduled : BTAP_EV_port_unscheduled;
		btapw_put2(w, event, e->who, term_is_atom(e->msg) ? agent_atom(e->env, e->msg) : 0);
		return;
	}
	mfa = (e->msg & 3) == 2 ? mfa_of(e, e->msg) : 0;
	if (__builtin_expect(e->t->is_dirty, 0)) {
		event = is_in ? BTAP_EV_dirty_scheduled : BTAP_EV_dirty_unscheduled;
		if (agent_on(event))
			btapw_put2(w, event, e->who, mfa);
	}
	event = is_in ? BTAP_EV_process_scheduled : BTAP_EV_process_unscheduled;
	if (agent_on(event))
		btapw_put2(w, event, e->who, mfa);
}

/* The tracee is the child, the message its parent. */
static void on_spawned(const struct ev *e)
{
	ERL_NIF_TERM mfa = term_option(e->env, e->opts, am.extra);
	uint64_t f = 0;

	if (agent_is_own(e->msg))
		return;
	if (mfa) {
		f = initial_of(e->env, mfa);
		f = f ? f : mfa_of(e, mfa);
	}
	btapw_put3(e->t->w, BTAP_EV_process_spawn, e->who, f, term_pid(e->msg));
}

static void on_proc_exit(const struct ev *e)
{
	char text[REASON_MAX + 1];
	uint64_t p = e->who;
	size_t len;

	len = reason_print(e->env, e->msg, text);
	put_text(e->t->w, BTAP_EV_process_exit, &p, 1, text, len);
}

static void on_name(const struct ev *e, unsigned int event)
{
	btapw_put2(e->t->w, event, e->who, term_is_atom(e->msg) ? agent_atom(e->env, e->msg) : 0);
}

static void on_port_open(const struct ev *e)
{
	ERL_NIF_TERM name = term_option(e->env, e->opts, am.extra);
	char text[1024];
	uint64_t str = 0;
	int n;

	if (agent_is_own(e->msg))
		return;
	n = term_is_atom(name) ? reason_atom(e->env, name, text) : -1;
	if (n >= 0)
		str = btapw_map_name(agent_map, text, (size_t)n);
	btapw_put3(e->t->w, BTAP_EV_port_open, term_pid(e->msg), str, e->who);
}

static void on_port_closed(const struct ev *e)
{
	char text[REASON_MAX + 1];
	uint64_t words[3] = { 0, e->who, 0 };
	size_t len;

	len = reason_print(e->env, e->msg, text);
	put_text(e->t->w, BTAP_EV_port_exit, words, 3, text, len);
}

/* The VM hands a list of {Name, Words}, the same names in the same order each time. */
enum gc_item { GC_SIZE, GC_HEAP, GC_OLD, GC_MBUF, GC_BLOCK, GC_BIN, GC_NR };

static enum gc_item gc_item(ERL_NIF_TERM key)
{
	return key == am.wordsize	 ? GC_SIZE :
	       key == am.heap_size	 ? GC_HEAP :
	       key == am.old_heap_size	 ? GC_OLD :
	       key == am.mbuf_size	 ? GC_MBUF :
	       key == am.heap_block_size ? GC_BLOCK :
	       key == am.bin_vheap_size	 ? GC_BIN :
					   GC_NR;
}

static void on_gc(const struct ev *e, unsigned int event, bool is_start)
{
	uint64_t v[GC_NR + 1];
	ERL_NIF_TERM head, tail = e->msg;
	const ERL_NIF_TERM *el;
	int i, nr, found = 0;
	enum gc_item item;

	for (i = 0; i < GC_NR; i++)
		v[i] = BTAP_UNKNOWN;
	for (i = 0; i < 32 && found < GC_NR && term_cell(e->env, tail, &head, &tail); i++) {
		el = term_tuple(e->env, head, &nr);
		if (!el || nr != 2)
			break;
		item = gc_item(el[0]);
		if (item == GC_NR)
			continue;
		v[item] = term_small(el[1], BTAP_UNKNOWN);
		found++;
	}
	/* Off-heap binaries are counted in words there. */
	if (v[GC_BIN] != BTAP_UNKNOWN)
		v[GC_BIN] *= 8;
	btapw_put6(e->t->w, event, e->who, v[GC_SIZE], v[GC_HEAP], v[GC_OLD],
		   is_start ? v[GC_MBUF] : v[GC_BLOCK], v[GC_BIN]);
}

static void on_link(const struct ev *e, unsigned int event)
{
	btapw_put2(e->t->w, event, e->who, term_ident(e->msg));
}

/* Apart, so that what is common need not save what these need. */
static __attribute__((noinline)) void dispatch_rare(const struct ev *e, unsigned int kind)
{
	switch (kind) {
	case AGENT_KIND_exception_from:
		on_exception(e);
		break;
	case AGENT_KIND_spawned:
		on_spawned(e);
		break;
	case AGENT_KIND_exit:
		on_proc_exit(e);
		break;
	case AGENT_KIND_link:
		on_link(e, BTAP_EV_process_link);
		break;
	case AGENT_KIND_unlink:
		on_link(e, BTAP_EV_process_unlink);
		break;
	case AGENT_KIND_getting_linked:
		on_link(e, BTAP_EV_process_linked);
		break;
	case AGENT_KIND_getting_unlinked:
		on_link(e, BTAP_EV_process_unlinked);
		break;
	case AGENT_KIND_register:
		on_name(e, BTAP_EV_name_register);
		break;
	case AGENT_KIND_unregister:
		on_name(e, BTAP_EV_name_unregister);
		break;
	case AGENT_KIND_open:
		on_port_open(e);
		break;
	case AGENT_KIND_closed:
		on_port_closed(e);
		break;
	case AGENT_KIND_gc_minor_start:
		on_gc(e, BTAP_EV_gc_minor_start, true);
		break;
	case AGENT_KIND_gc_minor_end:
		on_gc(e, BTAP_EV_gc_minor_end, false);
		break;
	case AGENT_KIND_gc_major_start:
		on_gc(e, BTAP_EV_gc_major_start, true);
		break;
	case AGENT_KIND_gc_major_end:
		on_gc(e, BTAP_EV_gc_major_end, false);
		break;
	}
}

static inline void dispatch(const struct ev *e, unsigned int kind)
{
	switch (kind) {
	case AGENT_KIND_send:
	case AGENT_KIND_send_to_non_existing_process:
		on_send(e);
		break;
	case AGENT_KIND_receive:
		on_receive(e);
		break;
	case AGENT_KIND_call:
		if (TERM_LIKELY(agent_on(BTAP_EV_function_entry)))
			on_call(e);
		break;
	case AGENT_KIND_return_from:
		if (agent_on(BTAP_EV_function_return))
			on_return(e);
		break;
	case AGENT_KIND_in:
	case AGENT_KIND_in_exiting:
		on_sched(e, true);
		break;
	case AGENT_KIND_out:
	case AGENT_KIND_out_exiting:
	case AGENT_KIND_out_exited:
		on_sched(e, false);
		break;
	default:
		dispatch_rare(e, kind);
	}
}

ERL_NIF_TERM trace_trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	/*
	 * Word by word: the VM has just stored them so, and a wider load of two, as the compiler
	 * likes it, would have to wait until both stores have left the CPU's buffer.
	 */
	unsigned int kind = kind_of(__atomic_load_n(&argv[0], __ATOMIC_RELAXED));
	struct ev e = { .env = env,
			.tracee = __atomic_load_n(&argv[2], __ATOMIC_RELAXED),
			.msg = __atomic_load_n(&argv[3], __ATOMIC_RELAXED),
			.opts = __atomic_load_n(&argv[4], __ATOMIC_RELAXED) };

	/*
	 * return_from and exception_from come without being asked for by enabled/3; and what was
	 * let pass may have been switched off since.
	 */
	if (!__atomic_load_n(&agent_hot.on[term_is_port(e.tracee)][kind], __ATOMIC_RELAXED) ||
	    agent_is_own(e.tracee))
		return am.ok;
	e.t = agent_enter();
	if (!e.t)
		return am.ok;
	e.who = term_word(e.tracee);
	dispatch(&e, kind);
	agent_leave(e.t);
	return am.ok;
}
