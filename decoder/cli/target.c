// SPDX-License-Identifier: Apache-2.0
/* target.c - the node that a user means; see target.h */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/target.h"

#define STEP_NS 20000000

static bool is_named(const struct region_info *i, const char *name)
{
	size_t len = strlen(name);

	return !i->err && len && !strncmp(i->facts.node, name, len) &&
	       (!i->facts.node[len] || i->facts.node[len] == '@');
}

/* Names of what matches, for the message. */
static void list_matches(const struct region_info *infos, const size_t *found, size_t nr, char *buf,
			 size_t size)
{
	size_t n = 0;

	buf[0] = 0;
	for (size_t i = 0; i < nr && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s (%s %d)", i ? ", " : "",
				      infos[found[i]].facts.node,
				      infos[found[i]].life == REGION_LIVE ? "pid" : "dead, was pid",
				      (int)(infos[found[i]].pid ? infos[found[i]].pid
								: (pid_t)infos[found[i]].os_pid));
}

static int nothing_found(const char *what, size_t nr_all, struct diag *d)
{
	if (nr_all)
		return diag_fail(d, -ENOENT,
				 "no node %s can be tapped; `beamtap list` shows those that can",
				 what);
	return diag_fail(d, -ENOENT,
			 "no node %s can be tapped, nor any other: start the agent in it "
			 "(`beamtap:start()`, or `erl -s beamtap`)",
			 what);
}

static int find_name(const char *name, char *path, size_t size, struct diag *d)
{
	struct region_info *infos;
	size_t nr, found[16], nr_found = 0;
	char text[300];
	int r = region_list(&infos, &nr, d);

	if (r < 0)
		return r;
	for (int want_live = 1; want_live >= 0 && !nr_found; want_live--)
		for (size_t i = 0; i < nr && nr_found < 16; i++)
			if (is_named(&infos[i], name) &&
			    (infos[i].life == REGION_LIVE) == want_live)
				found[nr_found++] = i;
	list_matches(infos, found, nr_found, text, sizeof(text));
	if (nr_found == 1)
		snprintf(path, size, "%s", infos[found[0]].path);
	free(infos);
	if (nr_found > 1)
		return diag_fail(d, -EMLINK,
				 "several nodes are called %s: %s; name one by its pid, or a dead "
				 "one by its file",
				 name, text);
	return nr_found ? 0 : nothing_found(name, nr, d);
}

int target_open(struct region **out, const char *what, const struct region_opts *opts,
		struct diag *d)
{
	char path[4096];
	uint64_t pid;
	struct region_info *infos;
	size_t nr = 0;
	int r;

	*out = NULL;
	if (!cli_number(what, 1, INT32_MAX, &pid)) {
		r = region_find_pid((pid_t)pid, path, sizeof(path), d);
		if (r == -ENOENT && !region_list(&infos, &nr, NULL)) {
			free(infos);
			diag_clear(d);
			return nothing_found(what, nr, d);
		}
	} else {
		r = find_name(what, path, sizeof(path), d);
	}
	return r ? r : region_open(out, path, opts, d);
}

pid_t target_start(char *const argv[], struct diag *d)
{
	int gate[2], err = 0;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC))
		return diag_fail(d, -errno, "cannot start %s: %s", argv[0], strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		execvp(argv[0], argv);
		err = errno;
		if (write(gate[1], &err, sizeof(err)) < 0)
			_exit(126);
		_exit(127);
	}
	if (pid < 0)
		err = errno;
	close(gate[1]);
	/* Closed by exec, or the reason why there was none. */
	if (pid > 0 && read(gate[0], &err, sizeof(err)) > 0)
		waitpid(pid, NULL, 0);
	close(gate[0]);
	if (err)
		return diag_fail(d, -err, "cannot execute %s: %s", argv[0], strerror(err));
	return pid;
}

static pid_t parent_of(pid_t pid)
{
	char path[64], buf[512], *p;
	int fd, ppid = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = 0;
	/* The name in parentheses may hold anything. */
	p = strrchr(buf, ')');
	return p && sscanf(p, ") %*c %d", &ppid) == 1 ? ppid : 0;
}

static bool is_descendant(pid_t pid, pid_t of)
{
	for (int depth = 0; pid > 1 && depth < 64; depth++, pid = parent_of(pid))
		if (pid == of)
			return true;
	return false;
}

static int find_child(pid_t of, char *path, size_t size)
{
	struct region_info *infos;
	size_t nr;
	int r = -ENOENT;

	if (region_list(&infos, &nr, NULL) < 0)
		return r;
	for (size_t i = 0; i < nr && r; i++) {
		if (infos[i].err || infos[i].life != REGION_LIVE ||
		    !is_descendant(infos[i].pid, of))
			continue;
		snprintf(path, size, "%s", infos[i].path);
		r = 0;
	}
	free(infos);
	return r;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int target_wait(struct region **out, pid_t pid, uint64_t timeout_ns, const struct region_opts *opts,
		const volatile int *stop, bool *ended, int *status, struct diag *d)
{
	static const struct timespec step = { 0, STEP_NS };
	uint64_t begin = now_ns();
	char path[4096];
	int r;

	*out = NULL;
	*ended = false;
	while (!*stop) {
		if (!find_child(pid, path, sizeof(path))) {
			r = region_open(out, path, opts, NULL);
			if (!r)
				return 0;
		}
		if (waitpid(pid, status, WNOHANG) == pid) {
			*ended = true;
			return diag_fail(d, -ECHILD,
					 "the command ended before there was a node to tap: is the "
					 "agent started in it (erl -s beamtap)?");
		}
		if (now_ns() - begin > timeout_ns)
			return diag_fail(d, -ETIMEDOUT,
					 "no node to tap after %llu s: is the agent started in it "
					 "(erl -s beamtap)?",
					 (unsigned long long)(timeout_ns / 1000000000));
		nanosleep(&step, NULL);
	}
	return diag_fail(d, -EINTR, "stopped before there was a node to tap");
}
