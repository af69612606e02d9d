// SPDX-License-Identifier: Apache-2.0
/*
 * preproc.c - the C preprocessor: running it, and the control lines it leaves
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "dlang/dl.h"
#include "dlang/preproc.h"

#define MAX_ARGS 256
#define MAX_OUT	 (64u << 20)

/* Text goes through an unlinked file, so that neither side can wait for the other. */
static int temp_of(const char *text, size_t len)
{
	FILE *f = tmpfile();
	int fd;

	if (!f)
		return -1;
	if (fwrite(text, 1, len, f) != len || fflush(f)) {
		fclose(f);
		return -1;
	}
	fd = dup(fileno(f));
	fclose(f);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static void run_child(const char *cpp, const char *const *args, int in, int out)
{
	const char *argv[MAX_ARGS + 8];
	unsigned int n = 0;

	argv[n++] = cpp;
	argv[n++] = "-undef";
	argv[n++] = "-D__linux";
	argv[n++] = "-D__x86_64";
	argv[n++] = "-D__SUNW_D=1";
	argv[n++] = "-D__SUNW_D_VERSION=0x01000000";
	while (args && *args && n < MAX_ARGS)
		argv[n++] = *args++;
	argv[n] = NULL;
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(127);
	execvp(cpp, (char *const *)argv);
	fprintf(stderr, "cannot run %s: %s\n", cpp, strerror(errno));
	_exit(127);
}

static int read_all(int fd, char **out, size_t *out_len)
{
	size_t n = 0, cap = 0;
	char *buf = NULL, *more;
	ssize_t got;

	for (;;) {
		if (n + 1 >= cap) {
			cap = cap ? cap * 2 : 64 << 10;
			more = cap > MAX_OUT ? NULL : realloc(buf, cap);
			if (!more) {
				free(buf);
				return -ENOMEM;
			}
			buf = more;
		}
		got = read(fd, buf + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += got;
	}
	buf[n] = 0;
	*out = buf;
	*out_len = n;
	return got < 0 ? -EIO : 0;
}

int preproc_run(const char *cpp, const char *const *args, const char *text, size_t len, char **out, size_t *out_len,
		struct diag *d)
{
	int in, fd[2], status = 0, r;
	char *copy = NULL;
	pid_t pid;

	*out = NULL;
	/* a #! line is not cpp's business; its newline stays, so that lines keep their numbers */
	if (len > 1 && text[0] == '#' && text[1] == '!') {
		copy = malloc(len);
		if (!copy)
			return diag_fail(d, -ENOMEM, "no memory for the preprocessor's input");
		memcpy(copy, text, len);
		memcpy(copy, "//", 2);
		text = copy;
	}
	in = temp_of(text, len);
	free(copy);
	if (in < 0)
		return diag_fail(d, -errno, "cannot write the preprocessor's input: %s", strerror(errno));
	if (pipe(fd)) {
		close(in);
		return diag_fail(d, -errno, "cannot make a pipe: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		close(fd[0]);
		run_child(cpp ? cpp : "cpp", args, in, fd[1]);
	}
	close(in);
	close(fd[1]);
	r = pid < 0 ? -EAGAIN : read_all(fd[0], out, out_len);
	close(fd[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!r && (!WIFEXITED(status) || WEXITSTATUS(status)))
		r = -EINVAL;
	if (r) {
		free(*out);
		*out = NULL;
		return diag_fail(d, r, "Preprocessor failed to process input program");
	}
	return 0;
}

static const char *word(const char **pp, const char *end, size_t *len)
{
	const char *p = *pp, *from;

	while (p < end && isspace((unsigned char)*p))
		p++;
	from = p;
	while (p < end && !isspace((unsigned char)*p))
		p++;
	*pp = p;
	*len = p - from;
	return from;
}

/* # 12 "file" or #line 12 "file": the next line has that number */
static void line_marker(struct dlang *dl, const char *w, size_t len, const char *p, const char *end, uint32_t nr)
{
	const char *from = w, *q;
	uint64_t line = 0;

	for (; w < from + len; w++) {
		if (!isdigit((unsigned char)*w) || line > UINT32_MAX / 16) {
			err_at(dl, nr, D_PRAGCTL_LINE, "invalid control line: %.*s", (int)(len > 40 ? 40 : len), from);
			return;
		}
		line = line * 10 + (*w - '0');
	}
	/* lines are counted when their newline is met: the one that ends this line makes it `line` */
	dl->lex.line = line ? (uint32_t)line - 1 : 0;
	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p == end || *p != '"')
		return;
	q = memchr(p + 1, '"', end - p - 1);
	if (!q) {
		err_at(dl, nr, D_PRAGCTL_LINE, "invalid control line: %.*s", (int)(end - p > 40 ? 40 : end - p), p);
		return;
	}
	dl->lex.file = NULL;
	if (q - p - 1 > 0 && *(p + 1) != '<') /* <stdin>, <built-in>: the script itself */
		dl->lex.file = arena_memdup(&dl->mem, p + 1, q - p - 1);
}

void preproc_line(struct dlang *dl, const char *text, size_t len, uint32_t nr)
{
	const char *p = text, *end = text + len, *w;
	size_t n;

	w = word(&p, end, &n);
	if (!n) /* # alone */
		return;
	if (isdigit((unsigned char)*w)) {
		line_marker(dl, w, n, p, end, nr);
	} else if (n == 4 && !memcmp(w, "line", 4)) {
		w = word(&p, end, &n);
		if (n)
			line_marker(dl, w, n, p, end, nr);
		else
			err_at(dl, nr, D_PRAGCTL_LINE, "invalid control line: %s", "#line without a number");
	} else if (n == 6 && !memcmp(w, "pragma", 6)) {
		pragma_line(dl, p, end - p, nr);
	} else if (n == 5 && !memcmp(w, "error", 5)) {
		while (p < end && isspace((unsigned char)*p))
			p++;
		err_at(dl, nr, D_PRAGERR, "#error: %.*s", (int)(end - p > 200 ? 200 : end - p), p);
	} else if (!(n == 5 && !memcmp(w, "ident", 5))) {
		err_at(dl, nr, D_PRAGCTL_INVAL, "invalid control directive: #%.*s", (int)(n > 40 ? 40 : n), w);
	}
}
