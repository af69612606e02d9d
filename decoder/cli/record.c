// SPDX-License-Identifier: Apache-2.0
/* record.c - beamtap record: a node's events into a directory */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/target.h"
#include "cli/wish.h"
#include "export/recorder.h"

#define COMMAND_WAIT_NS 30000000000ULL

enum {
	OPT_REGION = 256,
	OPT_NO_STATE,
	OPT_POLL,
	OPT_STOP_WHEN_FULL,
};

/* clang-format off */
static const struct cli_opt opts[] = {
	{ 'p',          "pid",       "PID|NAME", "node to record: OS pid, a@host or a" },
	{ OPT_REGION,   "region",    "FILE",     "region of a node, also of one that has died" },
	{ 'o',          "output",    "DIR",      "directory to make; nothing is overwritten" },
	{ 'e',          "event",     "GLOB",     "probes: message-*, gc_*; :stack behind it: stacks too" },
	{ 'f',          "function",  "SPEC",     "calls of lists:map/2; :return, :stack behind it" },
	{ 'd',          "duration",  "TIME",     "end after 5s, 500ms, 2m" },
	{ OPT_NO_STATE, "no-state",  NULL,       "do not ask for what is there already" },
	{ OPT_POLL,     "poll",      "TIME",     "look into the rings no oftener than this (1ms)" },
	{ OPT_STOP_WHEN_FULL, "stop-when-full", NULL, "full rings lose the newest events" },
	{ 'q',          "quiet",     NULL,       "no progress line and no closing line" },
	{ 0 },
};
/* clang-format on */

struct record {
	const char *target, *region;
	struct wish wish;
	struct recorder_opts o;
	struct recorder_result res;
	bool is_quiet, stop_when_full, has_line;
	char **command; /* NULL: none */
	pid_t child;
	int child_status;
	bool child_ended;
};

/* -- signals -- */

static volatile sig_atomic_t nr_stops;
static volatile sig_atomic_t child_pid; /* a command that we started and that gets our signals */

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	int old = errno;

	if (!child_pid)
		nr_stops = nr_stops + 1;
	else if (info->si_code <= 0)
		/* Sent to us alone; what a terminal sends has reached the command too. */
		kill((pid_t)child_pid, sig);
	errno = old;
}

static void set_signals(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigaction(sigs[i], &sa, NULL);
	/* Full disks, limits and closed pipes are errors of write(), not our death. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

/* -- what is told -- */

static const char *size_text(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	unsigned int u = 0;

	for (; v >= 1024 && u < 4; u++)
		v /= 1024;
	snprintf(buf, size, u ? "%.1f %s" : "%.0f %s", v, units[u]);
	return buf;
}

static void progress(void *ctx, const struct recorder_state *st)
{
	struct record *k = ctx;
	char size[32];

	k->has_line = true;
	fprintf(stderr, "\r%.1f s  %" PRIu64 " events  %s  %" PRIu64 " lost\033[K",
		(double)st->elapsed_ns / 1e9, st->records, size_text(st->bytes, size, sizeof(size)),
		st->lost);
	fflush(stderr);
}

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
	va_list ap;

	fputs("beamtap record: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void tell_end(const struct record *k, bool was_dead)
{
	const struct recorder_result *res = &k->res;
	char size[32];

	if (res->damages)
		say("%u place%s of the node's rings could not be read and count%s as lost; the "
		    "first: %s",
		    res->damages, res->damages == 1 ? "" : "s", res->damages == 1 ? "s" : "",
		    res->damage);
	if (was_dead)
		say("the node was dead; what was in its rings is saved");
	else if (k->o.want && res->life == REGION_DEAD)
		say("the node died while it was recorded; all that was in its rings is saved");
	else if (k->o.want && res->life == REGION_CLOSED)
		say("the node ended, or its agent was stopped; all that was in its rings is saved");
	if (res->unwritten)
		say("%" PRIu64 " events of threads for which the node had no ring are not in it",
		    res->unwritten);
	if (res->strings_lost)
		say("%" PRIu64
		    " names found no room in the node's string table: they are shown as numbers",
		    res->strings_lost);
	if (k->is_quiet)
		return;
	say("%" PRIu64 " events, %s, %" PRIu64 " lost in %.1f s: %s", res->st.records,
	    size_text(res->st.bytes, size, sizeof(size)), res->st.lost,
	    (double)res->st.elapsed_ns / 1e9, k->o.dir);
}

/* -- the work -- */

/* A ring is a file; a big machine has more than a thousand. */
static void raise_limits(void)
{
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/*
 * Where we may: a little ahead of the rest, so that on a busy machine a ring does not run
 * over before our turn comes.  The work itself is small.
 */
static void raise_priority(void)
{
	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) == 0 && !errno)
		setpriority(PRIO_PROCESS, 0, -5);
}

static int open_region(struct record *k, struct region **r, struct diag *d)
{
	struct region_opts from_start = { .from_oldest = true };

	if (k->command) {
		k->child = target_start(k->command, d);
		if (k->child < 0)
			return k->child;
		set_signals();
		return target_wait(r, k->child, COMMAND_WAIT_NS, &from_start,
				   (const volatile int *)&nr_stops, &k->child_ended,
				   &k->child_status, d);
	}
	set_signals();
	if (k->region)
		return region_open(r, k->region, NULL, d);
	return target_open(r, k->target, NULL, d);
}

/* The command goes on when we are done; its end is awaited, as a shell would. */
static void wait_child(struct record *k)
{
	if (k->child <= 0 || k->child_ended)
		return;
	while (waitpid(k->child, &k->child_status, 0) < 0 && errno == EINTR)
		;
	k->child_ended = true;
}

static int record(struct record *k, struct diag *d)
{
	struct region *r = NULL;
	bool was_dead = false;
	int err = open_region(k, &r, d);

	if (!err) {
		was_dead = region_alive(r, NULL, 0) != REGION_LIVE;
		if (!was_dead) {
			err = wish_make(&k->wish, region_src(r), d);
			if (k->stop_when_full)
				k->wish.want.flags |= BTAP_LEASE_STOP;
			k->wish.want.who = "beamtap record";
			k->o.want = &k->wish.want;
		}
	}
	raise_priority(); /* after the command was started: it is not to inherit it */
	child_pid = err ? 0 : (sig_atomic_t)k->child;
	if (!err)
		err = recorder_run(r, &k->o, &k->res, d);
	if (k->has_line)
		fputc('\n', stderr);
	if (!err && *k->res.answer)
		say("the node says: %s", k->res.answer);
	if (r && !k->res.is_empty && (!err || k->res.st.records))
		tell_end(k, was_dead);
	if (r)
		src_close(region_src(r));
	wait_child(k);
	return err;
}

static int add(const char ***list, unsigned int *nr, const char *value)
{
	const char **p = realloc(*list, (*nr + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	p[(*nr)++] = value;
	*list = p;
	return 0;
}

static int parse(struct record *k, struct cli_args *a)
{
	int o;

	while ((o = cli_next(a)) != CLI_END) {
		switch (o) {
		case 'p':
			k->target = a->value;
			break;
		case OPT_REGION:
			k->region = a->value;
			break;
		case 'o':
			k->o.dir = a->value;
			break;
		case 'e':
			if (add(&k->wish.globs, &k->wish.nr_globs, a->value))
				return CLI_FAILED;
			break;
		case 'f':
			if (add(&k->wish.functions, &k->wish.nr_functions, a->value))
				return CLI_FAILED;
			break;
		case 'd':
			if (cli_duration(a->value, &k->o.duration_ns) || !k->o.duration_ns)
				return cli_usage(a, "'%s' is no duration: write 5s, 500ms or 2m",
						 a->value);
			break;
		case OPT_POLL:
			if (cli_duration(a->value, &k->o.poll_ns) || k->o.poll_ns < 10000 ||
			    k->o.poll_ns > 1000000000)
				return cli_usage(a, "--poll is from 10us to 1s, not '%s'",
						 a->value);
			break;
		case OPT_NO_STATE:
			k->wish.with_state = false;
			break;
		case OPT_STOP_WHEN_FULL:
			k->stop_when_full = true;
			break;
		case 'q':
			k->is_quiet = true;
			break;
		case CLI_DASHES:
			k->command = a->argv + a->at;
			if (!*k->command)
				return cli_usage(a, "-- without a command behind it");
			a->at = a->argc;
			break;
		case CLI_OPERAND:
			return cli_usage(a, "what is '%s' for? Options stand before -- COMMAND",
					 a->value);
		default:
			return o == CLI_HELP ? -1 : CLI_USAGE;
		}
	}
	if (!!k->target + !!k->region + !!k->command != 1)
		return cli_usage(a, "name one node: -p PID or NAME, --region FILE, or -- COMMAND");
	if (!k->o.dir)
		return cli_usage(a, "name the directory to record into: -o DIR");
	return CLI_OK;
}

int record_main(int argc, char **argv)
{
	struct cli_args a = {
		.name = "record",
		.synopsis =
			"beamtap record -p PID|NAME -o DIR [-e GLOB]... [-f SPEC]... [-d TIME]\n"
			"       beamtap record -o DIR [OPTION]... -- COMMAND [ARGUMENT]...\n"
			"       beamtap record --region FILE -o DIR",
		.about = "Records the events of a node into a directory, until the time is over, "
			 "Ctrl-C, or the\n"
			 "node's end. Without -e: messages, processes, scheduling, garbage "
			 "collections, ports,\n"
			 "names, exits. Of a dead node, what lies in its rings is saved. `beamtap "
			 "dump`,\n"
			 "`beamtap report` and babeltrace2 read what it makes.",
		.opts = opts,
		.argc = argc,
		.argv = argv,
		.at = 1,
	};
	struct diag d = DIAG_INIT;
	static struct record k;
	int status;

	k.wish.with_state = true;
	status = parse(&k, &a);
	if (status)
		return status < 0 ? CLI_OK : status;
	raise_limits();
	k.o.stop = &nr_stops;
	k.o.ctx = &k;
	if (!k.is_quiet && isatty(2))
		k.o.progress = progress;
	if (record(&k, &d))
		status = cli_fail("record", &d);
	if (k.child_ended && (WIFSIGNALED(k.child_status) || WEXITSTATUS(k.child_status)))
		say("the command ended with %s %d",
		    WIFSIGNALED(k.child_status) ? "signal" : "status",
		    WIFSIGNALED(k.child_status) ? WTERMSIG(k.child_status)
						: WEXITSTATUS(k.child_status));
	free(k.wish.globs);
	free(k.wish.functions);
	return status;
}
