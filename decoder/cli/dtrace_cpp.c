// SPDX-License-Identifier: Apache-2.0
/*
 * dtrace_cpp.c - -C: the script goes through the C preprocessor
 *
 * The script is written to cpp's standard input by a child of its own, so that
 * neither side waits for the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/dtrace.h"

static pid_t feed(int fd, const char *text, size_t len, int close_me)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	close(close_me);
	signal(SIGPIPE, SIG_DFL);
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n <= 0)
			_exit(1);
		text += n;
		len -= (size_t)n;
	}
	_exit(0);
}

static pid_t start(const struct dtrace *dt, int in, int out)
{
	const char *argv[DTRACE_MAX_ARGS + 8];
	unsigned int n = 0;
	pid_t pid = fork();

	if (pid)
		return pid;
	argv[n++] = dt->opts.cpp_path;
	argv[n++] = "-D__SUNW_D=1";
	argv[n++] = "-D__SUNW_D_VERSION=0x02000700";
	for (unsigned int i = 0; i < dt->nr_cpp_args; i++)
		argv[n++] = dt->cpp_args[i];
	argv[n++] = "/dev/stdin";
	argv[n] = NULL;
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(127);
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "dtrace: failed to run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int read_all(int fd, char **text, size_t *len)
{
	size_t cap = 65536, n = 0;
	char *p = malloc(cap + 1), *q;
	ssize_t r = 1;

	while (p && r) {
		if (n == cap) {
			cap *= 2;
			q = cap > 16u * DLANG_MAX_SOURCE ? NULL : realloc(p, cap + 1);
			if (!q)
				break;
			p = q;
		}
		r = read(fd, p + n, cap - n);
		if (r < 0 && errno != EINTR)
			break;
		n += r > 0 ? (size_t)r : 0;
	}
	if (!p || r) {
		free(p);
		return -1;
	}
	p[n] = 0;
	*text = p;
	*len = n;
	return 0;
}

int dtrace_cpp(const struct dtrace *dt, char **text, size_t *len)
{
	int in[2], out[2], status = -1, r;
	pid_t feeder, cpp;
	char *result = NULL;

	if (pipe2(in, O_CLOEXEC))
		return -1;
	if (pipe2(out, O_CLOEXEC)) {
		close(in[0]);
		close(in[1]);
		return -1;
	}
	fflush(NULL);
	feeder = feed(in[1], *text, *len, in[0]);
	close(in[1]);
	cpp = start(dt, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	r = read_all(out[0], &result, len);
	close(out[0]);
	if (feeder > 0)
		waitpid(feeder, NULL, 0);
	if (cpp > 0)
		waitpid(cpp, &status, 0);
	if (r || status) {
		free(result);
		return -1;
	}
	*text = result;
	return 0;
}
