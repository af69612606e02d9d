// SPDX-License-Identifier: Apache-2.0
/*
 * recording.c - how fast a recording is read
 *
 *	recording_bench DIR [REPEAT]           plain iteration, all records, sum over the times
 *	recording_bench -c DIR [REPEAT]        a plain C loop over the same records, copied into memory before
 *	recording_bench -w FILE BYTES SECONDS  what it costs to write so many bytes and nothing else
 *
 * The first two print events, CPU seconds of the best repetition and events a second.  The last
 * sleeps 8 ms, writes what is due, and so on, as a recorder does; it prints CPU seconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "source/open.h"

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int write_only(const char *path, uint64_t bytes, int secs)
{
	size_t piece = (size_t)(bytes / ((uint64_t)secs * 125) + 1);
	struct timespec nap = { 0, 8000000 };
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	char *buf = malloc(piece);
	double t;

	if (fd < 0 || !buf)
		return 1;
	memset(buf, 1, piece);
	t = cpu_s();
	for (uint64_t at = 0; at < bytes; at += piece) {
		if (pwrite(fd, buf, piece, (off_t)at) != (ssize_t)piece)
			return 1;
		nanosleep(&nap, NULL);
	}
	printf("cpu_s=%.4f\n", cpu_s() - t);
	free(buf);
	return close(fd) != 0;
}

/* All records of a recording, one behind the other.  Return: NULL: told why. */
static uint64_t *all_words(const char *path, size_t *nr)
{
	struct diag d = DIAG_INIT;
	struct src_run run = { 0 };
	uint64_t *words = NULL, *w;
	size_t cap = 0, n;
	struct src *s;

	if (open_any(&s, &path, 1, &d)) {
		diag_print(&d, stderr, "recording_bench");
		return NULL;
	}
	for (*nr = 0; src_run(s, &run, &d) > 0; run.at = run.end) {
		if (run.is_lost)
			continue;
		n = (size_t)(run.end - run.at);
		if (*nr + n > cap) {
			cap = (*nr + n) * 2;
			w = realloc(words, cap * sizeof(*w));
			if (!w)
				exit(1);
			words = w;
		}
		memcpy(words + *nr, run.at, n * sizeof(*w));
		*nr += n;
	}
	src_close(s);
	return words;
}

/* Count, and sum the times and first arguments: what a loop must do to have looked at each record. */
static int plain_loop(const char *path, int repeat)
{
	size_t nr_words;
	uint64_t *words = all_words(path, &nr_words), nr = 0, sum = 0;
	double best = 1e9;

	if (!words)
		return 1;
	for (int i = 0; i < repeat; i++) {
		double t = cpu_s();

		nr = 0;
		for (const uint64_t *p = words, *end = words + nr_words; p < end; p += BTAP_HEAD_WORDS(*p)) {
			nr++;
			sum += BTAP_HEAD_TIME(*p) ^ p[1];
		}
		t = cpu_s() - t;
		best = t < best ? t : best;
	}
	printf("events=%llu cpu_s=%.4f events_per_s=%.0f checksum=%llx\n", (unsigned long long)nr,
	       best, (double)nr / best, (unsigned long long)sum);
	free(words);
	return 0;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "";
	int repeat = argc > 2 ? atoi(argv[2]) : 5, r = 0;
	uint64_t nr = 0, sum = 0;
	double best = 1e9;

	if (argc == 5 && !strcmp(argv[1], "-w"))
		return write_only(argv[2], strtoull(argv[3], NULL, 10), atoi(argv[4]) ? atoi(argv[4]) : 1);
	if (argc > 2 && !strcmp(argv[1], "-c"))
		return plain_loop(argv[2], argc > 3 ? atoi(argv[3]) : 5);
	for (int i = 0; i < repeat; i++) {
		struct diag d = DIAG_INIT;
		struct src_run run = { 0 };
		struct src_rec rec;
		struct src *s;
		double t = cpu_s();

		if (open_any(&s, &path, 1, &d)) {
			diag_print(&d, stderr, "recording_bench");
			return 1;
		}
		nr = 0;
		while ((r = src_run(s, &run, &d)) > 0)
			while (src_run_next(&run, &rec)) {
				nr++;
				sum += rec.ts ^ rec.words[1];
			}
		src_close(s);
		t = cpu_s() - t;
		best = t < best ? t : best;
	}
	printf("events=%llu cpu_s=%.4f events_per_s=%.0f checksum=%llx\n", (unsigned long long)nr,
	       best, (double)nr / best, (unsigned long long)sum);
	return r < 0;
}
