// SPDX-License-Identifier: Apache-2.0
/* btapw_map_test.c - the writer: the region's file and its strings */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/writer_map.h"

static const char *name_of(const char *suffix)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/beamtap.%d%s", dir, (int)getpid(), suffix);
	return path;
}

static unsigned int nr_files(void)
{
	char cmd[100];
	unsigned int n = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "ls '%s' | wc -l", dir);
	f = popen(cmd, "r");
	assert_int_equal(fscanf(f, "%u", &n), 1);
	pclose(f);
	return n;
}

static void refused(int err, const char *text)
{
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	assert_int_equal(try_map(&m, why), err);
	assert_null(m);
	if (!strstr(why, text))
		fail_msg("\"%s\" is not in: %s", text, why);
}

static void the_default_is_16_mib_at_most(void **state)
{
	struct btapw_map_opts o = { .dir = dir };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;
	struct stat st;

	o.facts.nr_schedulers = 2;
	o.facts.nr_dirty_cpu = 2;
	o.facts.nr_dirty_io = 10;
	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	assert_true(btapw_map_size(m) <= 16 << 20);
	assert_int_equal(stat(btapw_map_path(m), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, btapw_map_size(m));
	assert_int_equal(st.st_blocks * 512, st.st_size); /* all there: no SIGBUS later */
	btapw_map_free(m);
}

static void what_is_in_the_way_is_refused(void **state)
{
	struct btapw_map *m;
	char other[128];
	int fd;

	snprintf(other, sizeof(other), "%s/other", dir);
	fd = open(other, O_CREAT | O_RDWR, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	assert_int_equal(symlink(other, name_of("")), 0);
	refused(-EEXIST, "a symbolic link");
	unlink(name_of(""));
	assert_int_equal(link(other, name_of("")), 0);
	refused(-EEXIST, "more than one name");
	unlink(name_of(""));
	assert_int_equal(mkdir(name_of(""), 0700), 0);
	refused(-EEXIST, "a directory");
	rmdir(name_of(""));
	assert_int_equal(mkfifo(name_of(""), 0600), 0);
	refused(-EEXIST, "not a plain file");
	unlink(name_of(""));
	close(open(name_of(""), O_CREAT | O_RDWR, 0644));
	refused(-EEXIST, "others may use");
	chmod(name_of(""), 0600);
	if (geteuid() == 0) {
		assert_int_equal(chown(name_of(""), 12345, -1), 0);
		refused(-EEXIST, "another user");
	}
	unlink(name_of(""));
	m = new_map();
	refused(-EBUSY, "in use");
	btapw_map_free(m);
	assert_int_equal(pread(fd, other, 8, 0), 8);
	assert_memory_equal(other, "precious", 8);
	close(fd);
}

static void a_dead_region_is_moved_aside_and_four_are_kept(void **state)
{
	struct btapw_map *m;
	char foreign[128];

	/* Not a region: stays, whatever its name. */
	snprintf(foreign, sizeof(foreign), "%s/beamtap.99.1", dir);
	close(open(foreign, O_CREAT | O_RDWR, 0600));
	for (int i = 0; i < 7; i++) {
		m = new_map();
		assert_string_equal(btapw_map_path(m), name_of(""));
		btapw_map_close(m);
		btapw_map_close(m); /* twice is fine */
		btapw_map_free(m);
	}
	m = new_map();
	assert_int_equal(nr_files(), 1 + 4 + 1);
	assert_int_equal(access(foreign, F_OK), 0);
	btapw_map_free(m);
}

/* The VM did not say good-bye: as if it had been killed. */
static void make_it_a_crash(void)
{
	uint32_t state = BTAP_STATE_OPEN;
	int fd = open(name_of(""), O_RDWR);

	assert_int_equal(pwrite(fd, &state, 4, offsetof(struct btap_region_hdr, state)), 4);
	close(fd);
}

static int nr_crashes(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	uint32_t state;
	int nr = 0;

	while ((e = readdir(d))) {
		int fd = openat(dirfd(d), e->d_name, O_RDONLY);

		nr += pread(fd, &state, 4, offsetof(struct btap_region_hdr, state)) == 4 &&
		      state == BTAP_STATE_OPEN;
		close(fd);
	}
	closedir(d);
	return nr;
}

static void what_a_crash_left_is_kept_before_what_was_closed(void **state)
{
	struct btapw_map *m;

	for (int i = 0; i < 8; i++) {
		m = new_map();
		btapw_map_close(m);
		btapw_map_free(m);
		if (i == 1)
			make_it_a_crash();
	}
	m = new_map();
	assert_int_equal(nr_files(), 1 + 4);
	assert_int_equal(nr_crashes(), 1 + 1); /* the one that lives is open, too */
	btapw_map_free(m);
}

static void impossible_sizes_are_refused(void **state)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 100 };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	assert_int_equal(btapw_map_new(&m, &o, why), -EINVAL);
	o.ring_bytes = 1 << 20;
	o.sub_bytes = 1000;
	assert_int_equal(btapw_map_new(&m, &o, why), -EINVAL);
	o.sub_bytes = 0;
	o.dir = "/nowhere/at/all";
	assert_int_equal(btapw_map_new(&m, &o, why), -ENOENT);
	assert_non_null(strstr(why, "/nowhere/at/all"));
}

static void a_nearly_full_file_system_makes_rings_smaller(void **state)
{
	struct btapw_map_opts o = { .dir = dir };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	o.facts.nr_schedulers = 2;
	if (mount("none", dir, "tmpfs", 0, "size=4m") < 0)
		skip();
	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	assert_non_null(strstr(why, "little room"));
	assert_true(btapw_map_size(m) <= 4 << 20);
	btapw_map_free(m);
	unlink(name_of(""));
	umount(dir);
	assert_int_equal(mount("none", dir, "tmpfs", 0, "size=256k"), 0);
	assert_int_equal(btapw_map_new(&m, &o, why), -ENOSPC);
	assert_non_null(strstr(why, "no room"));
	assert_int_equal(nr_files(), 0);
	umount(dir);
}

static void the_file_size_limit_is_no_signal(void **state)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit rl = { 100000, 100000 };
		char why[BTAPW_WHY_MAX];
		struct btapw_map *m;

		setrlimit(RLIMIT_FSIZE, &rl);
		_exit(try_map(&m, why) == -EFBIG && strstr(why, "ulimit") ? 7 : 8);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void strings_are_defined_once(void **state)
{
	struct btapw_map *m = new_map();
	char text[2000];
	uint64_t a, b;

	memset(text, 'a', sizeof(text));
	assert_false(btapw_map_atom_known(m, BTAP_ATOM_TERM(42)));
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(42), "lists", 5), 0);
	assert_true(btapw_map_atom_known(m, BTAP_ATOM_TERM(42)));
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(42), "lists", 5), 0);
	a = btapw_map_name(m, "tcp_inet", 8);
	b = btapw_map_name(m, "efile", 5);
	assert_true(a && b && a != b);
	assert_int_equal(btapw_map_name(m, "tcp_inet", 8), a);
	/* Full: counted, and what is there is still found. */
	for (int i = 0; i < 10; i++)
		btapw_map_name(m, text, 1000 + i);
	assert_int_equal(btapw_map_name(m, text, 2000), 0);
	assert_int_equal(btapw_map_name(m, "efile", 5), b);
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(7), text, 2000), -ENOSPC);
	assert_true(btapw_map_atom_known(m, BTAP_ATOM_TERM(7)));
	assert_int_equal(btapw_map_string(m, BTAP_STRING_ATOM, UINT64_MAX, text, 1), -EINVAL);
	btapw_map_free(m);
}

static void many_names(void **state)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 64 << 10, .strtab_bytes = 4 << 20 };
	char why[BTAPW_WHY_MAX], name[32];
	struct btapw_map *m;

	assert_int_equal(btapw_map_new(&m, &o, why), 0);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 1; i <= 30000; i++) {
			snprintf(name, sizeof(name), "port %d", (int)i);
			assert_int_equal(btapw_map_name(m, name, strlen(name)), i);
		}
	btapw_map_free(m);
}

static void a_null_map_is_fine(void **state)
{
	struct btapw_leases *ls = calloc(1, sizeof(*ls));
	struct btapw w;

	assert_int_equal(btapw_map_thread(NULL, &w, 0, 0, NULL), -ENODEV);
	assert_false(btapw_put1(&w, 1, 1));
	assert_int_equal(btapw_map_leases(NULL, ls), 0);
	assert_int_equal(btapw_map_string(NULL, 1, 0, "", 0), -ENODEV);
	assert_int_equal(btapw_map_name(NULL, "", 0), 0);
	btapw_map_clock(NULL);
	btapw_map_node(NULL, "x");
	btapw_map_functions(NULL, 1);
	btapw_map_enable(NULL, ls->want);
	btapw_map_answer(NULL, 0, 2, 0, 0, NULL, NULL);
	btapw_map_close(NULL);
	btapw_map_free(NULL);
	free(ls);
}

#define T(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_default_is_16_mib_at_most),
		T(what_is_in_the_way_is_refused),
		T(a_dead_region_is_moved_aside_and_four_are_kept),
		T(what_a_crash_left_is_kept_before_what_was_closed),
		T(impossible_sizes_are_refused),
		T(a_nearly_full_file_system_makes_rings_smaller),
		T(the_file_size_limit_is_no_signal),
		T(strings_are_defined_once),
		T(many_names),
		cmocka_unit_test(a_null_map_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
