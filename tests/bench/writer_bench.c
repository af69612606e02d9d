// SPDX-License-Identifier: Apache-2.0
/*
 * writer_bench.c - what a record costs its writer, and a reader that polls
 *
 *	writer_bench [-r ROUNDS] [-s SECONDS]
 *
 * First: a record of 32 bytes with its time, against the bare clock read, for both
 * clocks; the two alternate in rounds, and medians are compared.  Then: a thread that
 * writes a million records a second into a ring of 2 MiB, and a process that polls it
 * each millisecond through a region, as a recorder does.  Exit status 1 when a figure
 * is not reached: ratio 1.3 (TSC), lost 0.
 */
#include <btapw_map.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "source/region.h"

#define PER_ROUND  200000
#define MAX_ROUNDS 1001
#define PER_MS	   1000 /* records */

static uint64_t cpu_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int nr)
{
	qsort(v, (size_t)nr, sizeof(*v), by_value);
	return v[nr / 2];
}

/* Out of line, as hooks are: nothing is hoisted out of the loop. */
static __attribute__((noinline)) void write_one(struct btapw *w, uint64_t i)
{
	btapw_put3(w, BTAP_EV_timer_set, i, i + 1, i + 2);
}

static __attribute__((noinline)) uint64_t read_clock(bool is_tsc)
{
	return btapw_now(is_tsc);
}

static double round_of(struct btapw *w, bool is_record, bool is_tsc)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID), sum = 0;

	if (is_record)
		for (uint64_t i = 0; i < PER_ROUND; i++)
			write_one(w, i);
	else
		for (uint64_t i = 0; i < PER_ROUND; i++)
			sum += read_clock(is_tsc);
	__asm__ volatile("" ::"r"(sum));
	return (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / PER_ROUND;
}

static double bench_record(bool is_tsc, int rounds)
{
	static double clock_v[MAX_ROUNDS], record_v[MAX_ROUNDS];
	size_t size = 2 << 20;
	struct btap_ring *ring = aligned_alloc(64, (sizeof(*ring) + 63) / 64 * 64);
	unsigned char *data = aligned_alloc(4096, size);
	struct btap_ctl ctl = { 0 };
	struct btapw w;
	double c, r;

	memset(ring, 0, sizeof(*ring));
	memset(data, 0, size);
	btapw_init(&w, ring, data, 64 << 10, 32, &ctl, is_tsc);
	for (int i = 0; i < rounds; i++) {
		/* The order alternates, too. */
		if (i % 2)
			record_v[i] = round_of(&w, true, is_tsc);
		clock_v[i] = round_of(&w, false, is_tsc);
		if (i % 2 == 0)
			record_v[i] = round_of(&w, true, is_tsc);
	}
	c = median(clock_v, rounds);
	r = median(record_v, rounds);
	printf("%-15s clock read %5.1f ns, 32-byte record %5.1f ns, ratio %.2f (%d rounds of %d)\n",
	       is_tsc ? "TSC:" : "clock_gettime:", c, r, r / c, rounds, PER_ROUND);
	free(ring);
	free(data);
	return r / c;
}

struct load {
	struct btapw_map *m;
	uint64_t nr, end_ns;
};

/* A million a second, in steps of what fits into 50 us. */
static void *load_main(void *arg)
{
	struct load *l = arg;
	uint64_t begin = cpu_ns(CLOCK_MONOTONIC), now;
	struct timespec nap = { 0, 20000 };
	struct btapw w;

	btapw_map_thread(l->m, &w, BTAP_THREAD_SCHEDULER, 1, "1_scheduler");
	while ((now = cpu_ns(CLOCK_MONOTONIC)) < l->end_ns) {
		while (l->nr < (now - begin) / (1000000 / PER_MS))
			write_one(&w, l->nr++);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

/* The reader, in a process of its own.  Tells by its pipe that it is there, then what it saw. */
static void reader(const char *path, int fd)
{
	struct timespec nap = { 0, 1000000 };
	struct src_stats st = { 0 };
	struct src_run run = { 0 };
	struct src_rec rec;
	struct region *r;
	uint64_t sum = 0, begin, v[4];

	if (region_open(&r, path, NULL, NULL) < 0 || write(fd, "", 1) != 1)
		_exit(1);
	begin = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	do {
		while (src_run(region_src(r), &run, NULL) > 0)
			while (src_run_next(&run, &rec))
				sum += rec.words[1];
		nanosleep(&nap, NULL);
	} while (region_alive(r, NULL, 0) == REGION_LIVE);
	while (src_run(region_src(r), &run, NULL) > 0)
		while (src_run_next(&run, &rec))
			sum += rec.words[1];
	src_stats(region_src(r), &st);
	v[0] = st.records;
	v[1] = st.lost;
	v[2] = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
	__asm__ volatile("" ::"r"(sum));
	/* What it costs to sleep a millisecond and wake up, whatever one does then. */
	begin = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < 500; i++)
		nanosleep(&nap, NULL);
	v[3] = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) / 500;
	_exit(write(fd, v, sizeof(v)) == sizeof(v) ? 0 : 1);
}

static bool bench_reader(int secs)
{
	struct btapw_map_opts o = { 0 };
	char why[BTAPW_WHY_MAX], c;
	uint64_t v[4] = { 0 };
	struct load l = { 0 };
	pthread_t thread;
	int pipes[2];
	bool ok;
	pid_t pid;

	o.facts.nr_schedulers = 2;
	if (btapw_map_new(&l.m, &o, why) < 0 || pipe(pipes) < 0) {
		fprintf(stderr, "writer_bench: %s\n", why);
		return false;
	}
	pid = fork();
	if (pid == 0)
		reader(btapw_map_path(l.m), pipes[1]);
	ok = read(pipes[0], &c, 1) == 1;
	l.end_ns = cpu_ns(CLOCK_MONOTONIC) + (uint64_t)secs * 1000000000u;
	pthread_create(&thread, NULL, load_main, &l);
	pthread_join(thread, NULL);
	btapw_map_close(l.m);
	ok = ok && read(pipes[0], v, sizeof(v)) == sizeof(v);
	waitpid(pid, NULL, 0);
	printf("%s ring clock; %llu records in %d s (%.2f million a second), polled each ms:"
	       " read %llu, lost %llu, reader's CPU %.1f ns an event (a bare sleep of 1 ms costs %.1f us)\n",
	       btapw_map_is_tsc(l.m) ? "TSC" : "CLOCK_MONOTONIC", (unsigned long long)l.nr, secs,
	       (double)l.nr / secs / 1e6, (unsigned long long)v[0], (unsigned long long)v[1],
	       v[0] ? (double)v[2] / (double)v[0] : 0, (double)v[3] / 1e3);
	unlink(btapw_map_path(l.m));
	btapw_map_free(l.m);
	return ok && v[0] == l.nr && v[1] == 0;
}

int main(int argc, char **argv)
{
	int rounds = 101, secs = 5, opt;
	bool ok = true;

	while ((opt = getopt(argc, argv, "r:s:")) != -1) {
		if (opt == 'r')
			rounds = atoi(optarg);
		else if (opt == 's')
			secs = atoi(optarg);
		else
			return 2;
	}
	if (rounds < 1 || rounds > MAX_ROUNDS || secs < 1)
		return 2;
#if defined(__x86_64__)
	ok = bench_record(true, rounds) <= 1.3;
#endif
	bench_record(false, rounds);
	ok &= bench_reader(secs);
	printf("%s\n", ok ? "ok" : "NOT REACHED");
	return ok ? 0 : 1;
}
