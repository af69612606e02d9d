// SPDX-License-Identifier: Apache-2.0
/* agent.c - the region, the threads' rings, what is on; see agent.h */
#include <dlfcn.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "agent.h"
#include "reason.h"

#define CLOSE_WAIT_NS 20000000 /* how long agent_close() waits for threads that are busy */

struct agent_hot agent_hot;
uint8_t agent_kind_of_atom[AGENT_MAX_TAG];
pthread_mutex_t agent_lock = PTHREAD_MUTEX_INITIALIZER;
struct btapw_map *agent_map;
struct btapw_leases *agent_leases;
const struct btapw_api *agent_api;
const char *agent_api_error;
__thread struct agent_thread *agent_self __attribute__((tls_model("initial-exec")));

static struct agent_thread *threads; /* push only, atomic */
static uint32_t last_epoch;
static bool has_membarrier;

/* Which events make a kind of trace message worth building: [0] of a process, [1] of a port. */
#define EV(name) BTAP_EV_##name
static const struct need {
	uint8_t kind, is_port;
	uint8_t events[8];
} needs[] = {
	{ AGENT_KIND_send, 0, { EV(message_send), EV(message_send_remote) } },
	{ AGENT_KIND_send, 1, { EV(message_send), EV(port_data) } },
	{ AGENT_KIND_send_to_non_existing_process, 0, { EV(message_send), EV(message_send_remote) } },
	{ AGENT_KIND_receive, 0, { EV(message_receive) } },
	{ AGENT_KIND_receive, 1, { EV(port_command), EV(port_control), EV(port_connect) } },
	/* Without the call there is neither its return nor its exception. */
	{ AGENT_KIND_call, 0, { EV(function_entry), EV(function_return), EV(exception_throw) } },
	{ AGENT_KIND_return_from, 0, { EV(function_return) } },
	{ AGENT_KIND_exception_from, 0, { EV(exception_throw) } },
	{ AGENT_KIND_in, 0, { EV(process_scheduled), EV(dirty_scheduled) } },
	{ AGENT_KIND_in_exiting, 0, { EV(process_scheduled), EV(dirty_scheduled) } },
	{ AGENT_KIND_out, 0, { EV(process_unscheduled), EV(dirty_unscheduled) } },
	{ AGENT_KIND_out_exiting, 0, { EV(process_unscheduled), EV(dirty_unscheduled) } },
	{ AGENT_KIND_out_exited, 0, { EV(process_unscheduled), EV(dirty_unscheduled) } },
	{ AGENT_KIND_in, 1, { EV(port_scheduled) } },
	{ AGENT_KIND_out, 1, { EV(port_unscheduled) } },
	{ AGENT_KIND_spawned, 0, { EV(process_spawn) } },
	{ AGENT_KIND_exit, 0, { EV(process_exit) } },
	{ AGENT_KIND_link, 0, { EV(process_link) } },
	{ AGENT_KIND_unlink, 0, { EV(process_unlink) } },
	{ AGENT_KIND_getting_linked, 0, { EV(process_linked) } },
	{ AGENT_KIND_getting_unlinked, 0, { EV(process_unlinked) } },
	{ AGENT_KIND_register, 0, { EV(name_register) } },
	{ AGENT_KIND_unregister, 0, { EV(name_unregister) } },
	{ AGENT_KIND_register, 1, { EV(name_register) } },
	{ AGENT_KIND_unregister, 1, { EV(name_unregister) } },
	{ AGENT_KIND_open, 1, { EV(port_open) } },
	{ AGENT_KIND_closed, 1, { EV(port_exit) } },
	{ AGENT_KIND_gc_minor_start, 0, { EV(gc_minor_start) } },
	{ AGENT_KIND_gc_minor_end, 0, { EV(gc_minor_end) } },
	{ AGENT_KIND_gc_major_start, 0, { EV(gc_major_start) } },
	{ AGENT_KIND_gc_major_end, 0, { EV(gc_major_end) } },
	{ AGENT_KIND_user_probe, 0, { EV(user_probe) } },
	{ AGENT_KIND_user_s1, 0, { EV(user_trace_s1) } },
	{ AGENT_KIND_user_i4s4, 0, { EV(user_trace_i4s4) } },
	{ AGENT_KIND_user_n, 0, { EV(user_trace_n) } },
};

static const char *const kind_names[AGENT_NR_KINDS] = {
#define AS_NAME(k) [AGENT_KIND_##k] = #k,
	AGENT_KINDS(AS_NAME)
#undef AS_NAME
};

static int membarrier(int cmd)
{
	return (int)syscall(SYS_membarrier, cmd, 0, 0);
}

/* Does the emulator have hooks?  Nothing but the version is looked at before that is known to be ours. */
static void find_hooks(void)
{
	static char text[160];
	const struct btapw_api *api = dlsym(RTLD_DEFAULT, BTAPW_API_SYMBOL);

	if (!api)
		return;
	if (strnlen(api->version, sizeof(api->version)) == sizeof(api->version) ||
	    strcmp(api->version, BEAMTAP_VERSION) || api->api_size != sizeof(*api) ||
	    api->writer_size != sizeof(struct btapw)) {
		snprintf(text, sizeof(text),
			 "the emulator's hooks are of beamtap %.31s, the agent is %s: use both of one build",
			 api->version, BEAMTAP_VERSION);
		agent_api_error = text;
	} else if (!api->map) {
		agent_api_error = "the emulator has hooks but no region: it was started with"
				  " BEAMTAP=off, or said on its standard error why";
	} else {
		agent_api = api;
	}
}

const char *agent_load(ErlNifEnv *env)
{
	unsigned int k;
	uint64_t n;

	find_hooks();
	if (!term_init(env))
		return "terms of this VM are not as the agent knows them";
	for (k = 1; k <= AGENT_KIND_trace_status; k++) {
		n = BTAP_ATOM_NUMBER(enif_make_atom(env, kind_names[k]));
		if (n >= AGENT_MAX_TAG)
			return "trace tags of this VM have unexpected atom numbers";
		agent_kind_of_atom[n] = (uint8_t)k;
	}
	agent_leases = calloc(1, sizeof(*agent_leases));
	if (!agent_leases)
		return "out of memory";
	has_membarrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
	return NULL;
}

int agent_open(const struct btapw_map_opts *opts, char why[BTAPW_WHY_MAX])
{
	int r;

	if (agent_map)
		return -EALREADY;
	if (agent_api_error) {
		snprintf(why, BTAPW_WHY_MAX, "%s", agent_api_error);
		return -EPROTO;
	}
	if (agent_api) {
		agent_api->serve(true);
		agent_map = agent_api->map;
	} else {
		r = btapw_map_new(&agent_map, opts, why);
		if (r) {
			agent_map = NULL;
			return r;
		}
	}
	memset(agent_leases, 0, sizeof(*agent_leases));
	agent_hot.ctl = btapw_map_ctl(agent_map);
	agent_hot.is_orphan = false;
	agent_update();
	if (++last_epoch == 0)
		last_epoch = 1;
	__atomic_store_n(&agent_hot.epoch, last_epoch, __ATOMIC_RELEASE);
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Return: true when no thread can be inside a callback that saw the last epoch */
static bool wait_idle(void)
{
	const struct timespec nap = { 0, 100000 };
	uint64_t end = now_ns() + CLOSE_WAIT_NS;
	struct agent_thread *t;

	if (!has_membarrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
		return false;
	for (t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
		while (__atomic_load_n(&t->busy, __ATOMIC_ACQUIRE)) {
			if (now_ns() > end)
				return false;
			nanosleep(&nap, NULL);
		}
	return true;
}

void agent_close(void)
{
	struct btapw_map *m = agent_map;

	if (!m)
		return;
	memset(agent_hot.on, 0, sizeof(agent_hot.on));
	if (agent_api) {
		__atomic_store_n(&agent_hot.epoch, 0, __ATOMIC_SEQ_CST);
		agent_map = NULL;
		/* The controller has done it, unless it was killed. */
		agent_api->functions(NULL, 0);
		agent_api->serve(false);
		return;
	}
	btapw_map_close(m);
	__atomic_store_n(&agent_hot.epoch, 0, __ATOMIC_SEQ_CST);
	/* A thread that does not come out keeps its memory: better lost than gone. */
	if (wait_idle()) {
		agent_map = NULL;
		btapw_map_free(m);
	}
	agent_map = NULL;
}

void agent_update(void)
{
	uint8_t on[2][AGENT_NR_KINDS] = { { 0 } };
	unsigned int i, j;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		for (j = 0; needs[i].events[j]; j++)
			if (agent_hot.ctl && btapw_on(agent_hot.ctl, needs[i].events[j]))
				on[needs[i].is_port][needs[i].kind] = 1;
	for (i = 0; i < 2; i++)
		for (j = 0; j < AGENT_NR_KINDS; j++)
			__atomic_store_n(&agent_hot.on[i][j], on[i][j], __ATOMIC_RELAXED);
}

void agent_own(const ERL_NIF_TERM *terms, unsigned int nr)
{
	uint64_t bits = 0;
	unsigned int i;

	if (nr > AGENT_MAX_OWN)
		nr = AGENT_MAX_OWN;
	__atomic_store_n(&agent_hot.nr_own, 0, __ATOMIC_RELAXED);
	for (i = 0; i < nr; i++) {
		__atomic_store_n(&agent_hot.own[i], terms[i], __ATOMIC_RELAXED);
		bits |= 1ULL << (terms[i] >> 4 & 63);
	}
	__atomic_store_n(&agent_hot.nr_own, nr, __ATOMIC_RELEASE);
	__atomic_store_n(&agent_hot.own_bits, bits, __ATOMIC_RELAXED);
}

/* "3_scheduler", "erts_sched_3" and the like: the number in a thread's name */
static unsigned int number_in(const char *name)
{
	while (*name && (*name < '0' || *name > '9'))
		name++;
	return (unsigned int)strtoul(name, NULL, 10);
}

static unsigned int thread_kind(const char *name)
{
	switch (enif_thread_type()) {
	case ERL_NIF_THR_NORMAL_SCHEDULER:
		return BTAP_THREAD_SCHEDULER;
	case ERL_NIF_THR_DIRTY_CPU_SCHEDULER:
		return BTAP_THREAD_DIRTY_CPU;
	case ERL_NIF_THR_DIRTY_IO_SCHEDULER:
		return BTAP_THREAD_DIRTY_IO;
	}
	if (strstr(name, "async"))
		return BTAP_THREAD_ASYNC;
	if (strstr(name, "poll"))
		return BTAP_THREAD_POLL;
	return BTAP_THREAD_OTHER;
}

static struct agent_thread *new_thread(void)
{
	struct agent_thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->next = __atomic_load_n(&threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&threads, &t->next, t, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	agent_self = t;
	return t;
}

struct agent_thread *agent_join(void)
{
	struct agent_thread *t = agent_self;
	char name[32] = "";
	uint32_t epoch;
	unsigned int kind;

	if (__atomic_load_n(&agent_hot.epoch, __ATOMIC_RELAXED) == 0)
		return NULL;
	if (!t)
		t = new_thread();
	if (!t)
		return NULL;
	__atomic_store_n(&t->busy, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	epoch = __atomic_load_n(&agent_hot.epoch, __ATOMIC_ACQUIRE);
	if (epoch == 0) {
		agent_leave(t);
		return NULL;
	}
	t->module = t->function = 0;
	if (agent_api) {
		t->w = agent_api->writer();
		t->epoch = epoch;
		return t;
	}
	pthread_getname_np(pthread_self(), name, sizeof(name));
	kind = thread_kind(name);
	t->is_dirty = kind == BTAP_THREAD_DIRTY_CPU || kind == BTAP_THREAD_DIRTY_IO;
	t->w = &t->own_w;
	btapw_map_thread(agent_map, t->w, kind,
			 kind == BTAP_THREAD_OTHER ? 0 : number_in(name), name);
	t->epoch = epoch;
	return t;
}

void agent_define_atom(ErlNifEnv *env, ERL_NIF_TERM atom)
{
	char text[1024];
	int n;

	n = reason_atom(env, atom, text);
	btapw_map_string(agent_map, BTAP_STRING_ATOM, atom, n < 0 ? "" : text, n < 0 ? 0 : n);
}
