/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.h - what the parts of the NIF share: the region, the threads' rings, what is on
 *
 * Who may touch what
 *
 *   agent_hot.on[][], .own*   written under agent_lock, relaxed; read by every callback
 *   agent_hot.epoch           0: there is no region.  Written under agent_lock
 *   struct agent_thread       its own thread alone, but for `busy`, which agent_close() reads
 *   agent_map, agent_leases   under agent_lock
 *
 * A callback says that it is busy before it looks at the epoch; agent_close()
 * sets the epoch to 0, makes all threads see that (membarrier), and unmaps the
 * region once no thread that was busy then is busy still.  In an emulator with
 * hooks the region is the emulator's and stays.
 */
#ifndef BEAMTAP_AGENT_H
#define BEAMTAP_AGENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <erl_nif.h>
#include "btapw_api.h"
#include "term.h"

/* Trace tags of the VM: what enabled/3 and trace/5 are called with. */
#define AGENT_KINDS(K) \
	K(send) K(send_to_non_existing_process) K(receive) K(call) K(return_from) \
	K(exception_from) K(in) K(out) K(in_exiting) K(out_exiting) K(out_exited) K(spawn) \
	K(spawned) K(exit) K(link) K(unlink) K(getting_linked) K(getting_unlinked) K(register) \
	K(unregister) K(open) K(closed) K(gc_minor_start) K(gc_minor_end) K(gc_major_start) \
	K(gc_major_end) K(trace_status)

enum agent_kind {
	AGENT_KIND_none, /* a tag that is not for us */
#define AS_KIND(k) AGENT_KIND_##k,
	AGENT_KINDS(AS_KIND)
#undef AS_KIND
	/* not tags: calls of a user's own */
	AGENT_KIND_user_probe,
	AGENT_KIND_user_s1,
	AGENT_KIND_user_i4s4,
	AGENT_KIND_user_n,
	AGENT_NR_KINDS
};

#define AGENT_MAX_OWN 32
#define AGENT_MAX_TAG 16384 /* tags are atoms that the VM is built with: their numbers are low */

struct agent_hot {
	uint8_t on[2][AGENT_NR_KINDS]; /* by [is the tracee a port][kind] */
	uint32_t epoch;
	uint32_t nr_own;
	uint64_t own_bits; /* bit (number & 63) of each of own[] */
	const struct btap_ctl *ctl;
	bool is_orphan; /* nobody is left who could remove the trace flags */
	ERL_NIF_TERM own[AGENT_MAX_OWN];
} __attribute__((aligned(64)));

/* Of one thread; made at its first event, and kept for the next region. */
struct agent_thread {
	struct btapw *w;   /* own_w, or the emulator's where that has hooks */
	struct btapw own_w;
	uint32_t busy;
	uint32_t epoch;
	bool is_dirty;
	ERL_NIF_TERM module, function; /* of the last record: their texts are defined */
	struct agent_thread *next;
};

extern struct agent_hot agent_hot;
extern uint8_t agent_kind_of_atom[AGENT_MAX_TAG];
extern pthread_mutex_t agent_lock;
extern struct btapw_map *agent_map;
extern struct btapw_leases *agent_leases;
/*
 * The emulator has hooks, and this is what it offers: region and writers are its own then, and
 * no trace flags are needed.  NULL in a stock VM.  Set when the library is loaded.
 */
extern const struct btapw_api *agent_api;
extern const char *agent_api_error; /* it has hooks, but of no use to us: why; or NULL */
extern __thread struct agent_thread *agent_self __attribute__((tls_model("initial-exec")));

/* agent_load() - once, when the library is loaded.  Return: NULL, or what is wrong */
const char *agent_load(ErlNifEnv *env);

/**
 * agent_open() - make the region
 * Caller holds agent_lock.  Return: 0 or a negative errno and @why, see btapw_map_new()
 */
int agent_open(const struct btapw_map_opts *opts, char why[BTAPW_WHY_MAX]);
/** agent_close() - end it.  Caller holds agent_lock.  The file stays for readers */
void agent_close(void);

/** agent_update() - work out what callbacks let pass, from ctl.on.  Caller holds agent_lock */
void agent_update(void);

/** agent_own() - these are never traced.  Caller holds agent_lock */
void agent_own(const ERL_NIF_TERM *terms, unsigned int nr);

/* Cold: give the calling thread a ring.  NULL: there is no region, or no memory. */
struct agent_thread *agent_join(void);

/**
 * agent_enter() - begin to write records
 * Return: the calling thread, busy until agent_leave(); or NULL, when nothing can be written
 */
static inline struct agent_thread *agent_enter(void)
{
	struct agent_thread *t = agent_self;
	uint32_t epoch;

	if (TERM_LIKELY(t != NULL)) {
		__atomic_store_n(&t->busy, 1, __ATOMIC_RELAXED);
		/* Pairs with the membarrier in agent_close(). */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		epoch = __atomic_load_n(&agent_hot.epoch, __ATOMIC_RELAXED);
		if (TERM_LIKELY(epoch != 0 && t->epoch == epoch))
			return t;
		__atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
	}
	return agent_join();
}

static inline void agent_leave(struct agent_thread *t)
{
	__atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
}

static inline bool agent_is_own(ERL_NIF_TERM t)
{
	unsigned int i, nr;

	if (TERM_LIKELY(!(__atomic_load_n(&agent_hot.own_bits, __ATOMIC_RELAXED) >> (t >> 4 & 63) &
			  1)))
		return false;
	nr = __atomic_load_n(&agent_hot.nr_own, __ATOMIC_RELAXED);
	for (i = 0; i < nr && i < AGENT_MAX_OWN; i++)
		if (__atomic_load_n(&agent_hot.own[i], __ATOMIC_RELAXED) == t)
			return true;
	return false;
}

static inline bool agent_on(unsigned int event)
{
	return btapw_on(agent_hot.ctl, event);
}

/* Cold: define an atom's text. */
void agent_define_atom(ErlNifEnv *env, ERL_NIF_TERM atom);

/** agent_atom() - an atom as a field; its text is defined when it is seen first */
static inline uint64_t agent_atom(ErlNifEnv *env, ERL_NIF_TERM t)
{
	if (__builtin_expect(!btapw_map_atom_known(agent_map, t), 0))
		agent_define_atom(env, t);
	return t;
}

/* As agent_atom(), where it may be something else: then as term_ident() has it. */
static inline uint64_t agent_ident(ErlNifEnv *env, ERL_NIF_TERM t)
{
	return term_is_atom(t) ? agent_atom(env, t) : term_ident(t);
}

/* A function as a field; 0 when the terms are none. */
static inline uint64_t agent_mfa(ErlNifEnv *env, ERL_NIF_TERM m, ERL_NIF_TERM f, uint64_t arity)
{
	if (!term_is_atom(m) || !term_is_atom(f) || arity > 255)
		return 0;
	agent_atom(env, m);
	agent_atom(env, f);
	return BTAP_MFA(BTAP_ATOM_NUMBER(m), BTAP_ATOM_NUMBER(f), arity);
}

#endif /* BEAMTAP_AGENT_H */
