// SPDX-License-Identifier: Apache-2.0
/*
 * bench_nif.c - a tracer that does nothing, the CPU time of the calling thread, and a switch of events
 *
 * The switch stores into a region's control page over its controller's head: so an event can be on and
 * off in turns, some milliseconds each, while one and the same reader goes on reading.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <erl_nif.h>
#include <beamtap/region.h>

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

static struct btap_ctl *ctl;

/* region(Path): map it */
static ERL_NIF_TERM region(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	struct btap_region_hdr *hdr;
	char path[256];
	struct stat st;
	int fd;

	if (enif_get_string(env, argv[0], path, sizeof(path), ERL_NIF_LATIN1) <= 0)
		return enif_make_badarg(env);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return enif_make_badarg(env);
	hdr = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (hdr == MAP_FAILED)
		return enif_make_badarg(env);
	ctl = (struct btap_ctl *)((char *)hdr + hdr->ctl_off);
	return am_ok;
}

static int event_id(const char *name)
{
	static const char *const names[] = {
#define AS_NAME(id, event, ...) [id] = #event,
		BTAP_EVENTS(AS_NAME)
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && !strcmp(names[i], name))
			return (int)i;
	return -1;
}

/* Of the next event in a list: its byte of the control page; NULL: no event, or no region. */
static uint8_t *next_on(ErlNifEnv *env, ERL_NIF_TERM *list)
{
	ERL_NIF_TERM head;
	char name[64];
	int id;

	if (!ctl || !enif_get_list_cell(env, *list, &head, list) ||
	    !enif_get_atom(env, head, name, sizeof(name), ERL_NIF_LATIN1))
		return NULL;
	id = event_id(name);
	return id < 0 ? NULL : &ctl->on[id];
}

/* switch_to(On, Events): the ring wants these events (1), or does not (0) */
static ERL_NIF_TERM switch_to(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM list = argv[1];
	uint8_t *byte;
	int on;

	if (!enif_get_int(env, argv[0], &on))
		return enif_make_badarg(env);
	while (!enif_is_empty_list(env, list)) {
		byte = next_on(env, &list);
		if (!byte)
			return enif_make_badarg(env);
		__atomic_store_n(byte, on ? BTAP_ON_RING : 0, __ATOMIC_RELAXED);
	}
	return am_ok;
}

/* is_off(Events): are they all?  The controller puts them back each time it looks at the leases. */
static ERL_NIF_TERM is_off(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM list = argv[0];
	bool on = false;
	uint8_t *byte;

	while (!enif_is_empty_list(env, list)) {
		byte = next_on(env, &list);
		if (!byte)
			return enif_make_badarg(env);
		on |= __atomic_load_n(byte, __ATOMIC_RELAXED) != 0;
	}
	return enif_make_atom(env, on ? "false" : "true");
}

static ErlNifFunc functions[] = {
	{ "enabled", 3, enabled, 0 },
	{ "trace", 5, trace, 0 },
	{ "cpu_ns", 0, cpu_ns, 0 },
	{ "region", 1, region, 0 },
	{ "switch_to", 2, switch_to, 0 },
	{ "is_off", 1, is_off, 0 },
};

static int load(ErlNifEnv *env, void **priv, ERL_NIF_TERM info)
{
	am_trace = enif_make_atom(env, "trace");
	am_ok = enif_make_atom(env, "ok");
	return 0;
}

ERL_NIF_INIT(bench_nif, functions, load, NULL, NULL, NULL)
