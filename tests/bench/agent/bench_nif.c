// SPDX-License-Identifier: Apache-2.0
/* bench_nif.c - a tracer that does nothing, and the CPU time of the calling thread */
#include <time.h>
#include <erl_nif.h>

static ERL_NIF_TERM am_trace, am_ok;

static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	return am_trace;
}

static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	return am_ok;
}

static ERL_NIF_TERM cpu_ns(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return enif_make_int64(env, (ErlNifSInt64)ts.tv_sec * 1000000000 + ts.tv_nsec);
}

static ErlNifFunc functions[] = {
	{ "enabled", 3, enabled, 0 },
	{ "trace", 5, trace, 0 },
	{ "cpu_ns", 0, cpu_ns, 0 },
};

static int load(ErlNifEnv *env, void **priv, ERL_NIF_TERM info)
{
	am_trace = enif_make_atom(env, "trace");
	am_ok = enif_make_atom(env, "ok");
	return 0;
}

ERL_NIF_INIT(bench_nif, functions, load, NULL, NULL, NULL)
