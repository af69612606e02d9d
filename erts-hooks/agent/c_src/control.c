// SPDX-License-Identifier: Apache-2.0
/* control.c - the thread that watches the readers' leases; see control.h */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include "agent.h"
#include "control.h"

static pthread_cond_t wake;
static ErlNifTid tid;
static bool is_running, is_stopping;
static ErlNifPid controller;
static bool has_controller;
static uint32_t pending;     /* leases (and BTAPW_CHANGED_OTHER) that changed and that the controller has not fetched */
static bool is_told;	     /* of what is pending */
static unsigned int alone_ms; /* for how long nobody could be told */
static ErlNifEnv *msg_env;
static ERL_NIF_TERM am_beamtap_nif, am_leases;

bool control_load(ErlNifEnv *env)
{
	pthread_condattr_t attr;

	am_beamtap_nif = enif_make_atom(env, "beamtap_nif");
	am_leases = enif_make_atom(env, "leases");
	msg_env = enif_alloc_env();
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attr);
	pthread_condattr_destroy(&attr);
	return msg_env != NULL;
}

static bool tell(void)
{
	ERL_NIF_TERM msg = enif_make_tuple2(msg_env, am_beamtap_nif, am_leases);
	bool ok = has_controller && enif_send(NULL, &controller, msg_env, msg);

	enif_clear_env(msg_env);
	return ok;
}

/*
 * Nobody there to set or clear trace flags: nothing shall be written, then.  Hooks in the VM need
 * none, so what is on stays on; what nobody wants any more is off already.
 */
static void alone(void)
{
	static const uint64_t none[BTAP_MASK_WORDS];

	if (!agent_api) {
		btapw_map_enable(agent_map, none);
		agent_update();
	}
	if (alone_ms < CONTROL_ORPHAN_MS)
		alone_ms += CONTROL_SCAN_MS;
	else
		__atomic_store_n(&agent_hot.is_orphan, true, __ATOMIC_RELAXED);
}

static void scan(bool is_second)
{
	uint32_t changed = agent_api ? agent_api->leases(agent_map, agent_leases) :
				       btapw_map_leases(agent_map, agent_leases);

	if (changed) {
		/* What nobody wants any more is off in ctl already; what a probe wants, on. */
		agent_update();
		pending |= changed;
		is_told = false;
	}
	if (is_second)
		btapw_map_clock(agent_map);
	/* Told once a change; again each second in case that the message was lost with a process. */
	if (!pending || (is_told && !is_second))
		return;
	is_told = tell();
	if (is_told) {
		alone_ms = 0;
		__atomic_store_n(&agent_hot.is_orphan, false, __ATOMIC_RELAXED);
	} else {
		alone();
	}
}

static void *run(void *arg)
{
	struct timespec at;
	unsigned int n = 0;
	sigset_t all;

	/* The VM's signals are for the VM's own thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_mutex_lock(&agent_lock);
	while (!is_stopping) {
		scan(n++ % (1000 / CONTROL_SCAN_MS) == 0);
		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_nsec += CONTROL_SCAN_MS * 1000000L;
		if (at.tv_nsec >= 1000000000L) {
			at.tv_nsec -= 1000000000L;
			at.tv_sec++;
		}
		while (!is_stopping && pthread_cond_timedwait(&wake, &agent_lock, &at) == 0)
			;
	}
	pthread_mutex_unlock(&agent_lock);
	return NULL;
}

int control_start(void)
{
	int r;

	if (is_running)
		return 0;
	is_stopping = false;
	pending = 0;
	is_told = false;
	alone_ms = 0;
	r = enif_thread_create("beamtap", &tid, run, NULL, NULL);
	if (r)
		return -r;
	is_running = true;
	return 0;
}

void control_stop(void)
{
	if (!is_running)
		return;
	pthread_mutex_lock(&agent_lock);
	is_stopping = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&agent_lock);
	enif_thread_join(tid, NULL);
	is_running = false;
}

void control_set(const ErlNifPid *pid)
{
	controller = *pid;
	has_controller = true;
	alone_ms = 0;
	__atomic_store_n(&agent_hot.is_orphan, false, __ATOMIC_RELAXED);
	/* All that is there is news to a new controller. */
	pending = BTAPW_CHANGED_OTHER | ((1u << BTAP_MAX_LEASES) - 1);
	is_told = false;
}

uint32_t control_take(void)
{
	uint32_t p = pending;

	pending = 0;
	return p;
}
