// SPDX-License-Identifier: Apache-2.0
/*
 * btap_nif.c - the library that the module beamtap_nif loads: its functions, and what the controller calls
 *
 * The controller (beamtap_server) is the one process that calls open/1 and the
 * functions behind it here; those of record.h may be called by any process.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent.h"
#include "control.h"
#include "initial.h"
#include "message.h"
#include "reason.h"
#include "record.h"
#include "trace.h"

static ERL_NIF_TERM am_ok, am_again, am_error;

static ERL_NIF_TERM binary(ErlNifEnv *env, const void *data, size_t len)
{
	ERL_NIF_TERM t;

	memcpy(enif_make_new_binary(env, len, &t), data, len);
	return t;
}

static ERL_NIF_TERM text(ErlNifEnv *env, const char *s)
{
	return binary(env, s, strlen(s));
}

/* {error, Errno, Text} */
static ERL_NIF_TERM failure(ErlNifEnv *env, int err, const char *why)
{
	return enif_make_tuple3(env, am_error, enif_make_int(env, err),
				text(env, *why ? why : strerror(-err)));
}

static bool get_mask(ErlNifEnv *env, ERL_NIF_TERM t, void *mask)
{
	ErlNifBinary bin;

	if (!enif_inspect_binary(env, t, &bin) || bin.size != 8 * BTAP_MASK_WORDS)
		return false;
	memcpy(mask, bin.data, 8 * BTAP_MASK_WORDS);
	return true;
}

static bool get_text(ErlNifEnv *env, ERL_NIF_TERM t, char *buf, size_t max)
{
	ErlNifBinary bin;

	if (!enif_inspect_iolist_as_binary(env, t, &bin) || bin.size >= max)
		return false;
	memcpy(buf, bin.data, bin.size);
	buf[bin.size] = 0;
	return strlen(buf) == bin.size;
}

/* The value of an option, or false. */
static bool option(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, ERL_NIF_TERM *value)
{
	return enif_get_map_value(env, map, enif_make_atom(env, name), value);
}

static bool option_u64(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, uint64_t *out)
{
	ErlNifUInt64 v;
	ERL_NIF_TERM t;

	if (!option(env, map, name, &t))
		return true; /* left at its default */
	if (!enif_get_uint64(env, t, &v))
		return false;
	*out = v;
	return true;
}

static bool option_text(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, char *buf, size_t max)
{
	ERL_NIF_TERM t;

	return !option(env, map, name, &t) || get_text(env, t, buf, max);
}

static bool get_facts(ErlNifEnv *env, ERL_NIF_TERM map, struct btap_facts *f)
{
	uint64_t release = 0, jit = 0, normal = 0, cpu = 0, io = 0, pn = 15, ps = 13, port = 28;
	ERL_NIF_TERM able;

	if (!option_u64(env, map, "otp_release", &release) || !option_u64(env, map, "jit", &jit) ||
	    !option_u64(env, map, "schedulers", &normal) ||
	    !option_u64(env, map, "dirty_cpu", &cpu) || !option_u64(env, map, "dirty_io", &io) ||
	    !option_u64(env, map, "pid_number_bits", &pn) ||
	    !option_u64(env, map, "pid_serial_bits", &ps) ||
	    !option_u64(env, map, "port_number_bits", &port) ||
	    !option_text(env, map, "erts_version", f->erts_version, sizeof(f->erts_version)) ||
	    !option_text(env, map, "emulator", f->emulator, sizeof(f->emulator)) ||
	    !option_text(env, map, "node", f->node, sizeof(f->node)) ||
	    !option(env, map, "able", &able) || !get_mask(env, able, f->able))
		return false;
	f->otp_release = (uint32_t)release;
	f->way = BTAP_WAY_AGENT;
	f->jit = (uint32_t)jit;
	f->nr_schedulers = (uint32_t)normal;
	f->nr_dirty_cpu = (uint32_t)cpu;
	f->nr_dirty_io = (uint32_t)io;
	f->pid_shift = 4;
	f->pid_number_bits = (uint8_t)pn;
	f->pid_serial_bits = (uint8_t)ps;
	f->port_shift = 4;
	f->port_number_bits = (uint8_t)port;
	return pn + ps <= 60 && port <= 60;
}

/*
 * open(Options) -> {ok, Path, Bytes, Warning} | {again, Path, Bytes, Warning} | {error, Errno, Text}
 * again: it was open, for a controller that has gone without close().
 */
static ERL_NIF_TERM nif_open(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btapw_map_opts opts = { 0 };
	char why[BTAPW_WHY_MAX] = "", dir[256] = "";
	uint64_t async = 0, sub = 0, rot = 0, by = 0;
	ERL_NIF_TERM result;
	int r;

	if (!get_facts(env, argv[0], &opts.facts) ||
	    !option_text(env, argv[0], "dir", dir, sizeof(dir)) ||
	    !option_u64(env, argv[0], "ring_bytes", &opts.ring_bytes) ||
	    !option_u64(env, argv[0], "sub_bytes", &sub) ||
	    !option_u64(env, argv[0], "rotated_bits", &rot) ||
	    !option_u64(env, argv[0], "rotated_by", &by) ||
	    !option_u64(env, argv[0], "async", &async) || rot > 32 || (rot && by >= rot))
		return enif_make_badarg(env);
	term_rotation.bits = (unsigned int)rot;
	term_rotation.by = (unsigned int)by;
	opts.dir = *dir ? dir : NULL;
	opts.sub_bytes = (uint32_t)sub;
	opts.nr_async = (uint32_t)async;
	reason_layout.pid_number_bits = opts.facts.pid_number_bits;
	reason_layout.pid_serial_bits = opts.facts.pid_serial_bits;
	reason_layout.port_number_bits = opts.facts.port_number_bits;

	pthread_mutex_lock(&agent_lock);
	r = agent_open(&opts, why);
	if (r && r != -EALREADY) {
		pthread_mutex_unlock(&agent_lock);
		return failure(env, r, why);
	}
	result = enif_make_tuple4(env, r ? am_again : am_ok, text(env, btapw_map_path(agent_map)),
				  enif_make_uint64(env, btapw_map_size(agent_map)),
				  text(env, why));
	pthread_mutex_unlock(&agent_lock);
	r = control_start();
	if (r) {
		pthread_mutex_lock(&agent_lock);
		agent_close();
		pthread_mutex_unlock(&agent_lock);
		return failure(env, r, "cannot start the thread that watches readers");
	}
	return result;
}

/* close() -> ok */
static ERL_NIF_TERM nif_close(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	control_stop();
	pthread_mutex_lock(&agent_lock);
	agent_close();
	pthread_mutex_unlock(&agent_lock);
	return am_ok;
}

/* controller(Pid) -> ok */
static ERL_NIF_TERM nif_controller(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ErlNifPid pid;

	if (!enif_get_local_pid(env, argv[0], &pid))
		return enif_make_badarg(env);
	pthread_mutex_lock(&agent_lock);
	control_set(&pid);
	pthread_mutex_unlock(&agent_lock);
	return am_ok;
}

/*
 * leases() -> [{Index, IsChanged, Gen | 0, Want, Flags, Pid, Who, Spec}]
 * All that are alive, and those that changed; Gen of one that went is 0 when its
 * holder gave it back, else its last.
 */
static ERL_NIF_TERM nif_leases(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM list = enif_make_list(env, 0);
	const struct btapw_lease *l;
	uint32_t changed;
	unsigned int i;

	pthread_mutex_lock(&agent_lock);
	changed = control_take();
	for (i = 0; agent_map && i < BTAP_MAX_LEASES; i++) {
		l = &agent_leases->lease[i];
		if (!l->is_alive && !(changed >> i & 1))
			continue;
		list = enif_make_list_cell(
			env,
			enif_make_tuple8(env, enif_make_uint(env, i),
					 enif_make_atom(env, l->is_alive ? "alive" : "gone"),
					 enif_make_uint64(env, l->gen),
					 binary(env, l->want, sizeof(l->want)),
					 enif_make_uint(env, l->flags), enif_make_uint(env, l->pid),
					 text(env, l->who),
					 binary(env, l->spec, l->spec_len)),
			list);
	}
	pthread_mutex_unlock(&agent_lock);
	return list;
}

/* enable(Mask, NrFunctions) -> ok: events go into the rings from now on, those not in Mask no more */
static ERL_NIF_TERM nif_enable(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	uint64_t on[BTAP_MASK_WORDS];
	unsigned int nr;

	if (!get_mask(env, argv[0], on) || !enif_get_uint(env, argv[1], &nr))
		return enif_make_badarg(env);
	pthread_mutex_lock(&agent_lock);
	btapw_map_functions(agent_map, nr);
	btapw_map_enable(agent_map, on);
	if (agent_map)
		agent_update();
	pthread_mutex_unlock(&agent_lock);
	return am_ok;
}

/* answer(Index, Gen, Errno, NrFunctions, Mask, Text) -> ok */
static ERL_NIF_TERM nif_answer(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btap_answer a; /* for the size of its text */
	uint64_t on[BTAP_MASK_WORDS];
	unsigned int i, nr;
	ErlNifUInt64 gen;
	ErlNifBinary bin;
	size_t n;
	int err;

	if (!enif_get_uint(env, argv[0], &i) || i >= BTAP_MAX_LEASES ||
	    !enif_get_uint64(env, argv[1], &gen) || !enif_get_int(env, argv[2], &err) ||
	    !enif_get_uint(env, argv[3], &nr) || !get_mask(env, argv[4], on) ||
	    !enif_inspect_iolist_as_binary(env, argv[5], &bin))
		return enif_make_badarg(env);
	n = bin.size < sizeof(a.text) ? bin.size : sizeof(a.text) - 1;
	memcpy(a.text, bin.data, n);
	a.text[n] = 0;
	pthread_mutex_lock(&agent_lock);
	btapw_map_answer(agent_map, i, gen, err, nr, on, a.text);
	pthread_mutex_unlock(&agent_lock);
	return am_ok;
}

/* own([Pid | Port]) -> ok */
static ERL_NIF_TERM nif_own(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM own[AGENT_MAX_OWN], head, tail = argv[0];
	unsigned int nr = 0;

	while (nr < AGENT_MAX_OWN && enif_get_list_cell(env, tail, &head, &tail))
		if (term_is_pid(head) || term_is_port(head))
			own[nr++] = head;
	pthread_mutex_lock(&agent_lock);
	agent_own(own, nr);
	pthread_mutex_unlock(&agent_lock);
	return am_ok;
}

/* own() -> [Pid | Port] */
static ERL_NIF_TERM nif_own_list(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM list;

	pthread_mutex_lock(&agent_lock);
	list = enif_make_list_from_array(env, agent_hot.own, agent_hot.nr_own);
	pthread_mutex_unlock(&agent_lock);
	return list;
}

/* tracing() -> boolean(), tracing(boolean()) -> ok: a note that outlives the controller */
static ERL_NIF_TERM is_tracing;

static ERL_NIF_TERM nif_tracing(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	if (argc == 0)
		return __atomic_load_n(&is_tracing, __ATOMIC_RELAXED);
	if (!term_is_atom(argv[0]))
		return enif_make_badarg(env);
	__atomic_store_n(&is_tracing, argv[0], __ATOMIC_RELAXED);
	return am_ok;
}

/* node(Atom, Text) -> ok */
static ERL_NIF_TERM nif_node(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	char name[256];

	if (!term_is_atom(argv[0]) || !get_text(env, argv[1], name, sizeof(name)))
		return enif_make_badarg(env);
	trace_node(argv[0]);
	pthread_mutex_lock(&agent_lock);
	btapw_map_node(agent_map, name);
	pthread_mutex_unlock(&agent_lock);
	return am_ok;
}

/* raw(Term) -> integer(): a local pid or port as the VM has it */
static ERL_NIF_TERM nif_raw(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	return enif_make_uint64(env, term_is_pid(argv[0]) || term_is_port(argv[0]) ? argv[0] : 0);
}

/* word(Term) -> integer(): a local pid, a port or an atom as records hold it */
static ERL_NIF_TERM nif_word(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	return enif_make_uint64(env, term_ident(argv[0]));
}

/* learn_alias(Alias) -> boolean(): one of the calling process */
static ERL_NIF_TERM nif_learn_alias(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ErlNifPid self;
	bool ok = enif_self(env, &self) && term_learn_alias(env, argv[0], self.pid);

	return enif_make_atom(env, ok ? "true" : "false");
}

/* on() -> Mask: what goes into the rings now */
static ERL_NIF_TERM nif_on(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	uint64_t on[BTAP_MASK_WORDS];

	pthread_mutex_lock(&agent_lock);
	btapw_map_on(agent_map, on);
	pthread_mutex_unlock(&agent_lock);
	return binary(env, on, sizeof(on));
}

/* other() -> Mask: what kernel tracepoints and USDT probes want; it is on already */
static ERL_NIF_TERM nif_other(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	uint64_t other[BTAP_MASK_WORDS];

	pthread_mutex_lock(&agent_lock);
	memcpy(other, agent_leases->other, sizeof(other));
	pthread_mutex_unlock(&agent_lock);
	return binary(env, other, sizeof(other));
}

/* reason(Term) -> binary(): as records show it */
static ERL_NIF_TERM nif_reason(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	char buf[REASON_MAX + 1];

	return binary(env, buf, reason_print(env, argv[0], buf));
}

/* hooked() -> false | {true, Able} | {error, Text}: does the emulator have hooks of its own? */
static ERL_NIF_TERM nif_hooked(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	if (agent_api_error)
		return enif_make_tuple2(env, am_error, text(env, agent_api_error));
	if (!agent_api)
		return enif_make_atom(env, "false");
	return enif_make_tuple2(env, enif_make_atom(env, "true"),
				binary(env, agent_api->able, sizeof(agent_api->able)));
}

/* prepare() -> ok | {error, Errno, Text}: before events are switched on, in an emulator with hooks */
static ERL_NIF_TERM nif_prepare(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	char why[BTAPW_WHY_MAX] = "";
	int r = 0;

	pthread_mutex_lock(&agent_lock);
	if (agent_api && agent_map) {
		r = btapw_map_fill(agent_map, why);
		if (r == 0)
			agent_api->all_atoms();
	}
	pthread_mutex_unlock(&agent_lock);
	return r < 0 ? failure(env, r, why) : am_ok;
}

static bool get_function(ErlNifEnv *env, ERL_NIF_TERM t, struct btapw_function *f)
{
	const ERL_NIF_TERM *e;
	unsigned int arity;
	int nr;

	e = term_tuple(env, t, &nr);
	if (!e || nr != 4 || !term_is_atom(e[0]) || !term_is_atom(e[1]) ||
	    !enif_get_uint(env, e[2], &arity) || arity > 255 || !term_is_atom(e[3]))
		return false;
	*f = (struct btapw_function){ .module = e[0], .function = e[1], .arity = arity,
				      .has_return = e[3] == enif_make_atom(env, "return") };
	return true;
}

/* functions([{M, F, A, call | return}]) -> ok | {error, Errno, Text}: of these calls are told, in the background */
static ERL_NIF_TERM nif_functions(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM head, tail = argv[0];
	struct btapw_function *f;
	unsigned int nr, i;
	int r;

	if (!agent_api || !enif_get_list_length(env, argv[0], &nr))
		return enif_make_badarg(env);
	f = enif_alloc((nr + 1) * sizeof(*f));
	if (!f)
		return failure(env, -ENOMEM, "");
	for (i = 0; i < nr && enif_get_list_cell(env, tail, &head, &tail); i++)
		if (!get_function(env, head, &f[i])) {
			enif_free(f);
			return enif_make_badarg(env);
		}
	r = agent_api->functions(f, nr);
	enif_free(f);
	return r < 0 ? failure(env, r, r == -EOPNOTSUPP ? "this VM has no hooks for functions" : "") :
		       am_ok;
}

/* functions_done() -> busy | NrFound */
static ERL_NIF_TERM nif_functions_done(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	int nr = agent_api ? agent_api->functions_done() : 0;

	return nr < 0 ? enif_make_atom(env, "busy") : enif_make_int(env, nr);
}

/* is_told({M, F, A, _}) -> boolean(): are its calls told now? */
static ERL_NIF_TERM nif_is_told(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btapw_function f;

	if (!agent_api || !get_function(env, argv[0], &f))
		return enif_make_badarg(env);
	return enif_make_atom(env, agent_api->is_told(&f) ? "true" : "false");
}

/* version() -> binary() */
static ERL_NIF_TERM nif_version(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	return text(env, BEAMTAP_VERSION);
}

static ErlNifFunc functions[] = {
	{ "enabled", 3, trace_enabled, 0 },
	{ "trace", 5, trace_trace, 0 },
	{ "open", 1, nif_open, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "close", 0, nif_close, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "controller", 1, nif_controller, 0 },
	{ "leases", 0, nif_leases, 0 },
	{ "enable", 2, nif_enable, 0 },
	{ "answer", 6, nif_answer, 0 },
	{ "own", 0, nif_own_list, 0 },
	{ "own", 1, nif_own, 0 },
	{ "tracing", 0, nif_tracing, 0 },
	{ "tracing", 1, nif_tracing, 0 },
	{ "node", 2, nif_node, 0 },
	{ "raw", 1, nif_raw, 0 },
	{ "word", 1, nif_word, 0 },
	{ "learn_alias", 1, nif_learn_alias, 0 },
	{ "on", 0, nif_on, 0 },
	{ "other", 0, nif_other, 0 },
	{ "reason", 1, nif_reason, 0 },
	{ "version", 0, nif_version, 0 },
	{ "hooked", 0, nif_hooked, 0 },
	{ "prepare", 0, nif_prepare, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "functions", 1, nif_functions, 0 },
	{ "functions_done", 0, nif_functions_done, 0 },
	{ "is_told", 1, nif_is_told, 0 },
	{ "state_asked", 1, record_asked, 0 },
	{ "state_process", 5, record_process, 0 },
	{ "state_port", 6, record_port, 0 },
	{ "socket_open", 3, record_socket, 0 },
	{ "tap", 3, record_tap, 0 },
	{ "probe", 4, record_probe, 0 },
	{ "user_s1", 1, record_s1, 0 },
	{ "user", 4, record_user, 0 },
};

static int load(ErlNifEnv *env, void **priv, ERL_NIF_TERM info)
{
	am_ok = enif_make_atom(env, "ok");
	am_again = enif_make_atom(env, "again");
	am_error = enif_make_atom(env, "error");
	is_tracing = enif_make_atom(env, "false");
	if (agent_load(env) || !control_load(env))
		return -1;
	trace_load(env);
	message_load(env);
	initial_load(env);
	record_load(env);
	return 0;
}

/* Another version of the module while trace flags may point at this one: refused. */
static int upgrade(ErlNifEnv *env, void **priv, void **old_priv, ERL_NIF_TERM info)
{
	return -1;
}

static void unload(ErlNifEnv *env, void *priv)
{
	control_stop();
	pthread_mutex_lock(&agent_lock);
	agent_close();
	pthread_mutex_unlock(&agent_lock);
}

ERL_NIF_INIT(beamtap_nif, functions, load, NULL, upgrade, unload)
