// SPDX-License-Identifier: Apache-2.0
/*
 * tapvm.c - a stand-in for a VM: a region, threads that write, a controller
 *
 *	tapvm [-t THREADS] [-r EVENTS_PER_SECOND] [-b BURST] [-n NAME] [-s SECONDS]
 *
 * Each thread writes THREADS-th part of the rate while process_runnable is
 * switched on, BURST at a time.  SIGTERM, or the end of the time, closes the region; prints
 * how many records were written.  SIGKILL is a crash.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "btapw.h"
#include "btapw_map.h"
#include "lib/facts.h"

static struct btapw_map *map;
static atomic_bool is_over;
static atomic_ullong written;
static unsigned int nr_threads = 1, burst = 100;
static double rate = 1e6;

static void on_term(int sig)
{
	is_over = true;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *writer(void *arg)
{
	unsigned int number = (unsigned int)(uintptr_t)arg;
	const struct btap_ctl *ctl = btapw_map_ctl(map);
	struct timespec step = { 0, (long)(1e9 * burst * nr_threads / rate) };
	struct btapw w = { 0 };
	unsigned long long nr = 0;
	double next = 0;

	btapw_map_thread(map, &w, BTAP_THREAD_SCHEDULER, number, NULL);
	while (!is_over) {
		if (!btapw_on(ctl, BTAP_EV_process_runnable)) {
			struct timespec nap = { 0, 1000000 };

			next = 0;
			nanosleep(&nap, NULL);
			continue;
		}
		/* Keep the mean rate, but after a pause of its own go on and do not flood. */
		if (next < now_s() - 0.005)
			next = now_s();
		while (now_s() < next)
			nanosleep(&step, NULL);
		next += burst * nr_threads / rate;
		for (unsigned int i = 0; i < burst && btapw_on(ctl, BTAP_EV_process_runnable);
		     i++) {
			/* 32 bytes with its header word */
			btapw_put3(&w, BTAP_EV_process_runnable,
				   (uint64_t)(80 + nr % 64) << 4 | BTAP_TAG_PID, number, nr % 7);
			nr++;
		}
	}
	written += nr;
	return NULL;
}

static void control(struct btapw_leases *ls)
{
	uint32_t changed = btapw_map_leases(map, ls);

	btapw_map_enable(map, ls->want);
	for (unsigned int i = 0; i < BTAP_MAX_LEASES; i++)
		if (changed >> i & 1 && ls->lease[i].is_alive)
			btapw_map_answer(map, i, ls->lease[i].gen, 0, 0, ls->lease[i].want, NULL);
}

int main(int argc, char **argv)
{
	struct btapw_map_opts o = { .facts = { FACTS_OTP_25,
					       .way = BTAP_WAY_AGENT,
					       .jit = 1,
					       .nr_dirty_cpu = 1,
					       .nr_dirty_io = 1,
					       .emulator = "beam.smp",
					       .node = "tapvm@localhost" } };
	static struct btapw_leases ls;
	char why[BTAPW_WHY_MAX];
	pthread_t t[64];
	double seconds = 1e9, end;
	unsigned int tick = 0;
	int c;

	while ((c = getopt(argc, argv, "t:r:b:n:s:")) != -1) {
		if (c == 't')
			nr_threads = (unsigned int)atoi(optarg) % 64;
		else if (c == 'r')
			rate = atof(optarg);
		else if (c == 'b')
			burst = (unsigned int)atoi(optarg);
		else if (c == 'n')
			snprintf(o.facts.node, sizeof(o.facts.node), "%s", optarg);
		else if (c == 's')
			seconds = atof(optarg);
		else
			return 2;
	}
	o.facts.nr_schedulers = nr_threads;
	memset(o.facts.able, 0xff, sizeof(o.facts.able));
	signal(SIGTERM, on_term);
	if (btapw_map_new(&map, &o, why)) {
		fprintf(stderr, "tapvm: %s\n", why);
		return 1;
	}
	btapw_map_clock(map);
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_create(&t[i], NULL, writer, (void *)(uintptr_t)(i + 1));
	end = now_s() + seconds;
	while (!is_over && now_s() < end) {
		struct timespec nap = { 0, 20000000 };

		control(&ls);
		if (tick++ % 50 == 0)
			btapw_map_clock(map);
		nanosleep(&nap, NULL);
	}
	is_over = true;
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(t[i], NULL);
	btapw_map_close(map);
	printf("written %llu\n", (unsigned long long)written);
	return 0;
}
