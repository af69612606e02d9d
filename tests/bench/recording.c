// SPDX-License-Identifier: Apache-2.0
/*
 * recording.c - how fast a recording is read
 *
 *	recording_bench DIR [REPEAT]     plain iteration, all records, sum over the times
 *
 * Prints events, CPU seconds of the best repetition and events a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "source/open.h"

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "";
	int repeat = argc > 2 ? atoi(argv[2]) : 5, r = 0;
	uint64_t nr = 0, sum = 0;
	double best = 1e9;

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
