// SPDX-License-Identifier: GPL-2.0
/*
 * talker.c - a small VM that says known things, for tracers to hear
 *
 *	talker [-w SECONDS] [-n MESSAGES] [-p PAUSE_US] [-l SECONDS]
 *
 * Waits (at most -w, 100) until somebody listens to message_send, then sends -n
 * (1000) messages among three processes, with a spawn, an exit and a collection
 * now and then, and lives on for -l (0) seconds.  Prints what it said:
 *	sum <sender> <bytes>	for each sender
 *	count <event> <number>
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "vm.h"

#define ATOM(n) BTAP_ATOM_TERM(n)

static unsigned long nr_gc, nr_spawn, nr_exit;

static void define(struct vm *vm)
{
	static const char *const atoms[] = { "lists", "map", "gen_server", "loop", "shop", "init_it" };

	for (unsigned int i = 0; i < 6; i++)
		vm_string(vm, BTAP_STRING_ATOM, ATOM(100 + i), atoms[i]);
	vm_string(vm, BTAP_STRING_NAME, 1, "tcp_inet");
}

static void other(struct vm *vm, int i)
{
	uint64_t gc[] = { BTAP_HEAD(BTAP_EV_gc_minor_start, 7, 0), VM_PID(80, 0), 10, 233, 0, 0, 0 };
	uint64_t gc_end[] = { BTAP_HEAD(BTAP_EV_gc_minor_end, 3, 0), VM_PID(80, 0), 100 + i };
	uint64_t spawn[] = { BTAP_HEAD(BTAP_EV_process_spawn, 4, 0), VM_PID(100 + i, 0),
			     BTAP_MFA(104, 105, 3), VM_PID(80, 0) };
	uint64_t end[] = { BTAP_HEAD(BTAP_EV_process_exit, 4, 0), VM_PID(100 + i, 0), 6, 0 };

	memcpy(&end[3], "normal", 6);
	vm_put(vm, gc, 7);
	vm_put(vm, gc_end, 3);
	vm_put(vm, spawn, 4);
	vm_put(vm, end, 4);
	nr_gc++, nr_spawn++, nr_exit++;
}

int main(int argc, char **argv)
{
	int opt, wait_s = 100, n = 1000, pause_us = 0, live_s = 0;
	unsigned long long sum[3] = { 0 };
	uint64_t end;
	struct vm vm;

	while ((opt = getopt(argc, argv, "w:n:p:l:")) != -1) {
		switch (opt) {
		case 'w':
			wait_s = atoi(optarg);
			break;
		case 'n':
			n = atoi(optarg);
			break;
		case 'p':
			pause_us = atoi(optarg);
			break;
		case 'l':
			live_s = atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	opt = vm_open(&vm, 64 * BTAP_PAGE, "talker@host");
	if (opt) {
		fprintf(stderr, "talker: %s: %s\n", BTAP_DEVICE, strerror(-opt));
		return 1;
	}
	define(&vm);
	end = vm_now_ns() + wait_s * 1000000000ull;
	while (!(__atomic_load_n(&vm.ctl->on[BTAP_EV_message_send], __ATOMIC_RELAXED) &
		 BTAP_ON_TRACEPOINT)) {
		if (vm_now_ns() > end) {
			fprintf(stderr, "talker: nobody listens\n");
			return 1;
		}
		usleep(50000);
	}
	/* The bit comes before the tracer itself is in place. */
	usleep(500000);
	for (int i = 0; i < n; i++) {
		uint64_t w[] = { BTAP_HEAD(BTAP_EV_message_send, 5, 0), VM_PID(80 + i % 3, 0),
				 VM_PID(80 + (i + 1) % 3, 0), 10 + i % 7, i + 1 };

		vm_put(&vm, w, 5);
		sum[i % 3] += 10 + i % 7;
		if (i % 100 == 0)
			other(&vm, i / 100);
		if (pause_us)
			usleep(pause_us);
	}
	for (int i = 0; i < 3; i++)
		printf("sum <0.%d.0> %llu\n", 80 + i, sum[i]);
	printf("count message_send %d\ncount gc_minor_start %lu\ncount process_spawn %lu\n", n, nr_gc,
	       nr_spawn);
	fflush(stdout);
	sleep(live_s);
	vm_close(&vm);
	return 0;
}
