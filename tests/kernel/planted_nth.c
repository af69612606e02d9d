// SPDX-License-Identifier: Apache-2.0
/*
 * planted_nth.c - write a name to planted.ko while the 1st, 2nd, ... allocation fails
 *
 *	planted_nth NAME LEAST
 *
 * Until nothing fails any more.  Fewer than LEAST failures that the module saw
 * (ENOMEM) mean that the injection is blind.
 */
#include <errno.h>

#include "failnth.h"

int main(int argc, char **argv)
{
	const char *path = "/sys/module/planted/parameters/fault";
	int nr_hit = 0, nr_nomem = 0, counter, fd, n;

	if (argc != 3)
		return 2;
	failnth_setup();
	counter = failnth_open();
	fd = open(path, O_WRONLY);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	for (n = 1; n < 1000; n++) {
		ssize_t did;
		int err;

		failnth_arm(counter, n);
		did = pwrite(fd, argv[1], strlen(argv[1]), 0);
		err = errno;
		if (!failnth_hit(counter))
			break;
		nr_hit++;
		if (did < 0 && err == ENOMEM)
			nr_nomem++;
	}
	if (nr_nomem < atoi(argv[2])) {
		printf("not ok - %s: %d failures injected, %d of them seen\n", argv[1], nr_hit, nr_nomem);
		return 1;
	}
	printf("ok - %s: each of %d failed, %d with ENOMEM\n", argv[1], nr_hit, nr_nomem);
	return 0;
}
