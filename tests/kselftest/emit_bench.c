// SPDX-License-Identifier: GPL-2.0
/*
 * emit_bench.c - what handing over a record costs, beside a system call that does nothing
 *
 *	emit_bench NAME [ROUNDS [wait]]
 *
 * With `wait` it begins when somebody listens.
 * Prints one line: NAME, then medians over ROUNDS (15) of interleaved loops: ns of
 * getppid(), of write() to /dev/null, of write() of a message_send to the module, of
 * a hook that finds its byte 0; and the ratio of the third to the first two.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "vm.h"

#define LOOPS 3000
#define MAX_ROUNDS 101

enum { GETPPID, NUL, EMIT, HOOK, NR };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static double ns[NR][MAX_ROUNDS];
	int rounds = argc > 2 ? atoi(argv[2]) : 15, null = open("/dev/null", O_WRONLY);
	const uint64_t w[] = { BTAP_HEAD(BTAP_EV_message_send, 5, 0), VM_PID(80, 0), VM_PID(81, 0), 9, 1 };
	volatile unsigned long found = 0;
	struct vm vm;

	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS || vm_open(&vm, 64 * BTAP_PAGE, "bench@host")) {
		fprintf(stderr, "usage: emit_bench NAME [ROUNDS], with the module loaded\n");
		return 1;
	}
	for (int i = 0; argc > 3 && i < 600 && !vm.ctl->on[BTAP_EV_message_send]; i++)
		usleep(100000);
	usleep(argc > 3 ? 500000 : 0);
	for (int r = 0; r < rounds; r++) {
		for (int what = 0; what < NR; what++) {
			int n = what == HOOK ? LOOPS * 20 : LOOPS;
			uint64_t t = vm_now_ns();

			for (int i = 0; i < n; i++) {
				if (what == GETPPID)
					found += syscall(SYS_getppid) < 0;
				else if (what == NUL)
					found += write(null, w, sizeof(w)) < 0;
				else if (what == EMIT)
					found += vm_put(&vm, w, 5) < 0;
				else if (__builtin_expect(__atomic_load_n(&vm.ctl->on[BTAP_EV_port_busy],
									  __ATOMIC_RELAXED), 0))
					found++;
			}
			ns[what][r] = (double)(vm_now_ns() - t) / n;
		}
	}
	for (int what = 0; what < NR; what++)
		qsort(ns[what], rounds, sizeof(double), by_size);
	printf("%-10s %8.0f %8.0f %8.0f %6.1f %8.2f %8.2f\n", argv[1], ns[GETPPID][rounds / 2],
	       ns[NUL][rounds / 2], ns[EMIT][rounds / 2], ns[HOOK][rounds / 2],
	       ns[EMIT][rounds / 2] / ns[GETPPID][rounds / 2],
	       ns[EMIT][rounds / 2] / ns[NUL][rounds / 2]);
	return found ? 1 : 0;
}
