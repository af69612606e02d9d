// SPDX-License-Identifier: Apache-2.0
/* region_find_test.c - regions are found where VMs put them, in containers, too */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <btapw_map.h>
#include "source/region.h"

static void finds_regions(void **state)
{
	struct btapw_map_opts o = { .ring_bytes = 64 << 10 };
	struct region_info *list;
	char why[BTAPW_WHY_MAX], path[256];
	struct diag d = DIAG_INIT;
	struct btapw_map *m;
	bool is_there = false;
	size_t nr;

	/* In the real directory, where they are looked for. */
	if (btapw_map_new(&m, &o, why) < 0)
		skip();
	assert_int_equal(region_list(&list, &nr, &d), 0);
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(list[i].path, btapw_map_path(m)) != 0)
			continue;
		is_there = true;
		assert_int_equal(list[i].err, 0);
		assert_int_equal(list[i].pid, getpid());
		assert_int_equal(list[i].life, REGION_LIVE);
		assert_int_equal(list[i].size, btapw_map_size(m));
	}
	free(list);
	assert_true(is_there);
	assert_int_equal(region_find_pid(getpid(), path, sizeof(path), &d), 0);
	assert_string_equal(path, btapw_map_path(m));
	assert_int_equal(region_find_pid(getppid(), path, sizeof(path), &d), -ENOENT);
	assert_non_null(strstr(d.text[0], "is not tapped"));
	unlink(btapw_map_path(m));
	btapw_map_free(m);
}

/* A VM in a container of its own: other pids, another /dev/shm. */
static void contained(int fd)
{
	struct btapw_map_opts o = { .ring_bytes = 64 << 10 };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;
	pid_t pid;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/dev/shm", "tmpfs", 0, "size=8m") < 0)
		_exit(77);
	pid = fork();
	if (pid == 0) {
		bool ok = getpid() == 1 && btapw_map_new(&m, &o, why) == 0;

		if (write(fd, ok ? "y" : "n", 1) == 1)
			pause();
		_exit(0);
	}
	if (write(fd, &pid, sizeof(pid)) == sizeof(pid))
		waitpid(pid, NULL, 0);
	_exit(0);
}

static void finds_a_vm_in_a_container(void **state)
{
	pid_t outer, inner = 0;
	char path[256], want[64], buf[5];
	struct diag d = DIAG_INIT;
	struct region *r;
	int pipes[2], n = 0;
	ssize_t got;

	assert_int_equal(pipe(pipes), 0);
	outer = fork();
	if (outer == 0)
		contained(pipes[1]);
	close(pipes[1]);
	/* A pid and a letter, in either order. */
	while (n < 5 && (got = read(pipes[0], buf + n, (size_t)(5 - n))) > 0)
		n += (int)got;
	if (n < 5) {
		waitpid(outer, NULL, 0);
		close(pipes[0]);
		skip();
	}
	memcpy(&inner, buf[0] == 'y' ? buf + 1 : buf, sizeof(inner));
	assert_true(buf[0] == 'y' || buf[4] == 'y');
	snprintf(want, sizeof(want), "/proc/%d/root/dev/shm/beamtap.1", (int)inner);
	assert_int_equal(region_find_pid(inner, path, sizeof(path), &d), 0);
	assert_string_equal(path, want);
	/* By the pid that it has in there; unless other containers have such a VM, too. */
	n = region_find_pid(1, path, sizeof(path), &d);
	assert_true(n == 0 || n == -EMLINK);
	assert_int_equal(region_open(&r, want, NULL, &d), 0);
	assert_int_equal(region_alive(r, NULL, 0), REGION_LIVE);
	assert_int_equal(region_hdr(r)->facts.os_pid, 1);
	kill(inner, SIGKILL);
	waitpid(outer, NULL, 0);
	assert_int_equal(region_alive(r, NULL, 0), REGION_DEAD);
	src_close(region_src(r));
	close(pipes[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_regions),
		cmocka_unit_test(finds_a_vm_in_a_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
