/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failnth.h - let the n-th thing that can fail in this thread's next calls fail, or all from there on
 *
 * The kernel's fault injection counts allocations of slabs and pages, and copies
 * from and to user memory.  /proc/thread-self/fail-nth holds how many are still
 * to pass before one fails; 0 when it has failed, or when nothing was asked.
 *
 * What comes after that is left to chance, which is set to fail all allocations
 * of slabs and pages in a thread whose make-it-fail is 1: kvmalloc() and the like
 * have a second way, which hides that the first was closed.
 */
#ifndef FAILNTH_H
#define FAILNTH_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void failnth_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* Allocations that may wait are spared unless told otherwise; no stack dumps. */
static inline void failnth_setup(void)
{
#define DEBUG "/sys/kernel/debug/"
	failnth_write(DEBUG "failslab/ignore-gfp-wait", "N");
	failnth_write(DEBUG "fail_page_alloc/ignore-gfp-wait", "N");
	failnth_write(DEBUG "fail_page_alloc/ignore-gfp-highmem", "N");
	failnth_write(DEBUG "fail_page_alloc/min-order", "0");
	failnth_write(DEBUG "failslab/verbose", "0");
	failnth_write(DEBUG "fail_page_alloc/verbose", "0");
	failnth_write(DEBUG "fail_usercopy/verbose", "0");
	failnth_write(DEBUG "failslab/task-filter", "Y");
	failnth_write(DEBUG "fail_page_alloc/task-filter", "Y");
	failnth_write(DEBUG "failslab/times", "-1");
	failnth_write(DEBUG "fail_page_alloc/times", "-1");
	failnth_write(DEBUG "failslab/probability", "100");
	failnth_write(DEBUG "fail_page_alloc/probability", "100");
#undef DEBUG
}

/* Open this thread's switch for failnth_rest(). */
static inline int failnth_open_rest(void)
{
	int fd = open("/proc/thread-self/make-it-fail", O_RDWR);

	if (fd < 0) {
		perror("/proc/thread-self/make-it-fail");
		exit(1);
	}
	return fd;
}

/**
 * failnth_rest() - shall allocations after the n-th fail, too?
 *
 * On: to be called before failnth_arm().  Off: after failnth_hit().
 */
static inline void failnth_rest(int fd, bool is_on)
{
	if (pwrite(fd, is_on ? "1" : "0", 1, 0) != 1) {
		perror("make-it-fail");
		exit(1);
	}
}

/**
 * failnth_open() - this thread's counter; keep it open, as opening allocates
 */
static inline int failnth_open(void)
{
	int fd = open("/proc/thread-self/fail-nth", O_RDWR);

	if (fd < 0) {
		perror("/proc/thread-self/fail-nth");
		exit(1);
	}
	return fd;
}

static inline void failnth_arm(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	/* Where something is left to pass, it may be this copy that fails: then nothing is left. */
	if (pwrite(fd, text, len, 0) != len && pwrite(fd, text, len, 0) != len) {
		perror("fail-nth");
		exit(1);
	}
}

/**
 * failnth_hit() - did it fail?  Disarms
 *
 * Copying out the answer counts as well: when just one was left to pass, it is the
 * copy that fails.
 *
 * Return: 1 when the n-th thing was reached, 0 when there were fewer.
 */
static inline int failnth_hit(int fd)
{
	char text[16] = "";
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	failnth_arm(fd, 0);
	return len > 0 && atoi(text) == 0;
}

#endif /* FAILNTH_H */
