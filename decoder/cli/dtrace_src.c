// SPDX-License-Identifier: Apache-2.0
/*
 * dtrace_src.c - where events come from: recordings (-f), processes (-p), commands (-c), or every node
 *
 * A command is started at once but waits, before it executes anything, for the
 * probes to be enabled.  A script that names probes of Erlang needs the node's
 * region first: then the command runs on and is waited for until it has one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cli/dtrace.h"
#include "provider/erlang.h"
#include "source/merge.h"
#include "source/open.h"

#define WAIT_NS	 10000000000ULL /* for a command to become a node */
#define STEP_NS	 20000000ULL

static int fail_diag(const char *what, const struct diag *d)
{
	for (unsigned int i = d->nr; i--;)
		dtrace_say("%s%s%s", i == d->nr - 1 ? what : "", i == d->nr - 1 && *what ? ": " : "", d->text[i]);
	if (!d->nr)
		dtrace_say("%s", what);
	return -1;
}

static void add_pid(struct dtrace_src *f, pid_t pid, bool is_child)
{
	pid_t *p = realloc(f->pids, (f->nr_pids + 1) * sizeof(*p));
	bool *c = realloc(f->is_child, (f->nr_pids + 1) * sizeof(*c));
	bool *g = realloc(f->is_gone, (f->nr_pids + 1) * sizeof(*g));

	if (p)
		f->pids = p;
	if (c)
		f->is_child = c;
	if (g)
		f->is_gone = g;
	if (!p || !c || !g)
		return;
	g[f->nr_pids] = false;
	p[f->nr_pids] = pid;
	c[f->nr_pids++] = is_child;
}

/* -- -c -- */

/* Words at blanks; there is no quoting, as in dtrace(1). */
static char **split(char *cmd)
{
	size_t n = 0, cap = 16;
	char **argv = malloc(cap * sizeof(*argv)), *save = NULL;

	for (char *w = strtok_r(cmd, " \t\n", &save); argv && w; w = strtok_r(NULL, " \t\n", &save)) {
		char **p = n + 2 > cap ? realloc(argv, (cap *= 2) * sizeof(*argv)) : argv;

		if (!p)
			break;
		argv = p;
		argv[n++] = w;
	}
	if (argv)
		argv[n] = NULL;
	return argv;
}

static bool can_run(const char *name)
{
	const char *path = getenv("PATH");
	char full[4096];

	if (!name)
		return false;
	if (strchr(name, '/'))
		return !access(name, X_OK);
	for (path = path ? path : "/usr/bin:/bin"; *path;) {
		size_t n = strcspn(path, ":");

		if (snprintf(full, sizeof(full), "%.*s/%s", (int)n, path, name) < (int)sizeof(full) &&
		    !access(full, X_OK))
			return true;
		path += n + (path[n] != 0);
	}
	return false;
}

static int start_command(struct dtrace_src *f, const char *cmd, int gate[2])
{
	char *copy = strdup(cmd), **argv = copy ? split(copy) : NULL, c;
	pid_t pid;

	if (!argv || !can_run(argv[0])) {
		free(argv);
		free(copy);
		dtrace_say("No such process");
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(gate[1]);
		while (read(gate[0], &c, 1) < 0 && errno == EINTR)
			; /* the end of file is the word to go */
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		execvp(argv[0], argv);
		_exit(127);
	}
	free(argv);
	free(copy);
	if (pid < 0) {
		dtrace_say("failed to run %s: %s", cmd, strerror(errno));
		return -1;
	}
	add_pid(f, pid, true);
	return 0;
}

static int start_commands(struct dtrace *dt)
{
	int gate[2];

	if (pipe2(gate, O_CLOEXEC)) {
		dtrace_say("failed to make a pipe: %s", strerror(errno));
		return -1;
	}
	for (unsigned int i = 0; i < dt->nr_commands; i++)
		if (start_command(&dt->from, dt->commands[i], gate)) {
			close(gate[0]);
			close(gate[1]);
			return -1;
		}
	close(gate[0]);
	dt->from.go = gate[1];
	return 0;
}

void dtrace_src_go(struct dtrace *dt)
{
	if (dt->from.go >= 0)
		close(dt->from.go);
	dt->from.go = -1;
}

/* -- live nodes -- */

static int add_region(struct dtrace_src *f, const char *path, struct src ***srcs, unsigned int *nr, struct diag *d)
{
	struct region **regions;
	struct region *r;
	struct src **s;
	int err = region_open(&r, path, NULL, d);

	if (err)
		return err;
	regions = realloc(f->regions, (f->nr_regions + 1) * sizeof(*regions));
	s = realloc(*srcs, (*nr + 1) * sizeof(*s));
	if (regions)
		f->regions = regions;
	if (s)
		*srcs = s;
	if (!regions || !s) {
		src_close(region_src(r));
		return diag_fail(d, -ENOMEM, "no memory for regions");
	}
	regions[f->nr_regions++] = r;
	s[(*nr)++] = region_src(r);
	return 0;
}

/* Dead, but its parent has not asked for its status yet. */
static bool is_zombie(pid_t pid)
{
	char path[40], line[512], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return p && (p[2] == 'Z' || p[2] == 'X');
}

static bool is_gone(struct dtrace_src *f, unsigned int i)
{
	if (f->is_gone[i])
		return true;
	if (f->is_child[i]) {
		if (waitpid(f->pids[i], NULL, WNOHANG) == 0)
			return false;
	} else if ((!kill(f->pids[i], 0) || errno == EPERM) && !is_zombie(f->pids[i])) {
		return false;
	}
	return f->is_gone[i] = true;
}

/* A node that is being started gets its region some time after. */
static int wait_for_region(struct dtrace_src *f, unsigned int i, char *path, size_t size)
{
	struct timespec step = { 0, STEP_NS };

	for (uint64_t waited = 0; waited < WAIT_NS; waited += STEP_NS) {
		if (!region_find_pid(f->pids[i], path, size, NULL))
			return 0;
		if (is_gone(f, i))
			break;
		nanosleep(&step, NULL);
	}
	return -1;
}

/* The descriptions of a program: its text without what stands in braces. */
static void cut_bodies(const char *from, char *to)
{
	unsigned int depth = 0;

	for (; *from; from++) {
		if (*from == '{')
			depth++;
		if (!depth)
			*to++ = *from;
		if (*from == '}' && depth)
			depth--;
	}
	*to = 0;
}

/* Do the programs name probes of a node? */
static bool names_erlang(const struct dtrace *dt)
{
	bool yes = false;

	for (unsigned int i = 0; i < dt->nr_units && !yes; i++) {
		char *t = malloc(dt->units[i].u.len + 1);

		if (!t)
			return false;
		cut_bodies(dt->units[i].u.text, t);
		yes = strstr(t, "erlang") != NULL;
		for (unsigned int e = 0; e < desc_nr && !yes; e++)
			yes = strstr(t, desc_all[e]->dname) != NULL;
		free(t);
	}
	return yes;
}

static int open_processes(struct dtrace *dt, struct src ***srcs, unsigned int *nr)
{
	struct dtrace_src *f = &dt->from;
	bool erlang = names_erlang(dt);
	struct diag d = DIAG_INIT;
	char path[512];

	for (unsigned int i = 0; i < dt->nr_pids; i++) {
		char *end;
		long pid = strtol(dt->pids[i], &end, 10);

		if (!*dt->pids[i] || *end || pid <= 0) {
			dtrace_say("invalid pid: %s", dt->pids[i]);
			return -1;
		}
		if (pid > INT32_MAX || (kill((pid_t)pid, 0) && errno == ESRCH)) {
			dtrace_say("No such process");
			return -1;
		}
		add_pid(f, (pid_t)pid, false);
		if (!region_find_pid((pid_t)pid, path, sizeof(path), NULL) && add_region(f, path, srcs, nr, &d))
			return fail_diag("cannot read the node's events", &d);
	}
	if (dt->nr_commands && start_commands(dt))
		return -1;
	if (!dt->nr_commands || !erlang)
		return 0;
	dtrace_src_go(dt);
	for (unsigned int i = 0; i < f->nr_pids; i++)
		if (f->is_child[i] && !wait_for_region(f, i, path, sizeof(path)) &&
		    add_region(f, path, srcs, nr, &d))
			return fail_diag("cannot read the node's events", &d);
	return 0;
}

static int open_all(struct dtrace *dt, struct src ***srcs, unsigned int *nr)
{
	struct region_info *info = NULL;
	struct diag d = DIAG_INIT;
	size_t n = 0;

	if (region_list(&info, &n, &d))
		return 0; /* no node is no reason to refuse BEGIN */
	for (size_t i = 0; i < n; i++)
		if (info[i].life == REGION_LIVE && !info[i].err)
			add_region(&dt->from, info[i].path, srcs, nr, NULL);
	free(info);
	return 0;
}

int dtrace_src_none(struct dtrace *dt)
{
	struct diag d = DIAG_INIT;

	dt->from.go = -1;
	if (probes_init(&dt->probes))
		return fail_diag("no memory for probes", &d);
	if (erlang_provide(dt->probes.set, NULL, 0, &d))
		return fail_diag("", &d);
	return 0;
}

int dtrace_src_open(struct dtrace *dt)
{
	struct dtrace_src *f = &dt->from;
	struct diag d = DIAG_INIT;
	struct src **srcs = NULL;
	unsigned int nr = 0;
	int err;

	f->go = -1;
	f->is_live = !dt->nr_recordings;
	if (dt->nr_recordings) {
		if (open_any(&f->src, dt->recordings, dt->nr_recordings, &d))
			return fail_diag("", &d);
	} else {
		err = dt->nr_pids || dt->nr_commands ? open_processes(dt, &srcs, &nr) : open_all(dt, &srcs, &nr);
		if (!err && nr == 1)
			f->src = srcs[0];
		else if (!err && nr && merge_open(&f->src, srcs, nr, &d))
			err = fail_diag("", &d);
		free(srcs);
		if (err)
			return -1;
	}
	dt->is_nodeless = !f->src || !f->src->nr_vms;
	if (probes_init(&dt->probes))
		return fail_diag("no memory for probes", &d);
	if (f->src && erlang_provide(dt->probes.set, f->src->vms, f->src->nr_vms, &d))
		return fail_diag("", &d);
	return 0;
}

bool dtrace_src_is_ended(void *ctx)
{
	struct dtrace *dt = ctx;
	struct dtrace_src *f = &dt->from;
	bool all = true;

	if (f->nr_pids) {
		for (unsigned int i = 0; i < f->nr_pids; i++)
			all &= is_gone(f, i);
		return all;
	}
	for (unsigned int i = 0; i < f->nr_regions; i++)
		all &= region_alive(f->regions[i], NULL, 0) != REGION_LIVE;
	return f->nr_regions && all;
}

static bool was_said(struct dtrace *dt, const char *part, size_t len)
{
	for (unsigned int i = 0; i < dt->nr_kept; i++)
		if (!strncmp(dt->kept[i], part, len) && !dt->kept[i][len])
			return true;
	dtrace_keep(dt, strndup(part, len));
	return false;
}

/*
 * What a node has to say of what it switched on: parts with "; " between them, each
 * told once a run however many nodes say it.  With -q nothing of faults of its OTP
 * release, which it names by their numbers: that is no answer to what was asked.
 */
static void say_answer(struct dtrace *dt, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "; ");
		size_t len = end ? (size_t)(end - text) : strlen(text);
		bool is_known_fault = memmem(text, len, "(OTP-", 5);

		if (!(dt->opts.out.quiet && is_known_fault) && !was_said(dt, text, len))
			dtrace_say("%.*s", (int)len, text);
		text += len + (end ? 2 : 0);
	}
}

int dtrace_src_want(void *ctx, const struct src_want *want, struct diag *d)
{
	struct dtrace *dt = ctx;
	int err = dt->from.src ? src_enable(dt->from.src, want, d) : 0;

	/* A node may have something to say of what it switched on: what it cannot do, who holds its tracer. */
	for (unsigned int i = 0; !err && i < dt->from.nr_regions; i++)
		say_answer(dt, region_answer(dt->from.regions[i]));
	return err;
}

/* Commands that we started do not outlive us, as with dtrace(1); those that still wait never begin. */
static void end_commands(struct dtrace_src *f)
{
	for (unsigned int i = 0; i < f->nr_pids; i++) {
		if (!f->is_child[i] || is_gone(f, i))
			continue;
		kill(f->pids[i], SIGKILL);
		waitpid(f->pids[i], NULL, 0);
		f->is_gone[i] = true;
	}
}

void dtrace_src_close(struct dtrace *dt)
{
	struct dtrace_src *f = &dt->from;

	end_commands(f);
	dtrace_src_go(dt);
	if (f->src && f->is_live)
		src_disable(f->src, NULL);
	src_close(f->src);
	free(f->regions);
	free(f->pids);
	free(f->is_child);
	free(f->is_gone);
	memset(f, 0, sizeof(*f));
	f->go = -1;
}
