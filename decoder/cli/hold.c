// SPDX-License-Identifier: Apache-2.0
/*
 * hold.c - beamtap hold: have functions traced in a node while a command runs
 *
 * For programs that see events by themselves, at the kernel's tracepoints or at USDT
 * probes: what to do about calls only a lease can say.  The lease wants no event, so
 * that nothing goes into the rings for it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "cli/cli.h"
#include "cli/target.h"
#include "cli/wish.h"

enum { OPT_REGION = 256 };

/* clang-format off */
static const struct cli_opt opts[] = {
	{ 'p',        "pid",      "PID|NAME", "node: OS pid, a@host or a" },
	{ OPT_REGION, "region",   "FILE",     "region of a node" },
	{ 'f',        "function", "SPEC",     "calls of lists:map/2; :return behind it: returns too" },
	{ 0 },
};
/* clang-format on */

static volatile sig_atomic_t child_pid;

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	int old = errno;

	/* Sent to us alone; what a terminal sends has reached the command too. */
	if (child_pid && info->si_code <= 0)
		kill((pid_t)child_pid, sig);
	errno = old;
}

/* Renew the lease until the command ends.  Return: its exit status, as a shell has it */
static int wait_for(struct region *r, pid_t pid)
{
	static const struct timespec step = { 0, 50000000 };
	struct diag d = DIAG_INIT;
	bool is_told = false;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		region_heartbeat(r);
		if (!is_told && region_alive(r, NULL, 0) != REGION_LIVE) {
			diag_fail(&d, -ESRCH, "the node ended; the command goes on without it");
			cli_fail("hold", &d);
			is_told = true;
		}
		nanosleep(&step, NULL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int hold(const char *target, const char *path, struct wish *w, char **command)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct diag d = DIAG_INIT;
	struct region *r = NULL;
	int err, status = CLI_FAILED;
	pid_t pid;

	err = path ? region_open(&r, path, NULL, &d) : target_open(&r, target, NULL, &d);
	if (!err)
		err = wish_make(w, region_src(r), &d);
	if (!err) {
		memset(w->want.events, 0, sizeof(w->want.events));
		w->want.flags = 0;
		w->want.who = "beamtap hold";
		err = src_enable(region_src(r), &w->want, &d);
	}
	if (!err) {
		pid = target_start(command, &d);
		err = pid < 0 ? pid : 0;
	}
	if (!err) {
		child_pid = pid;
		for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
			sigaction(sigs[i], &sa, NULL);
		status = wait_for(r, pid);
	} else {
		cli_fail("hold", &d);
	}
	if (r)
		src_close(region_src(r));
	return status;
}

int hold_main(int argc, char **argv)
{
	struct cli_args a = {
		.name = "hold",
		.synopsis = "beamtap hold -p PID|NAME -f SPEC... -- COMMAND [ARGUMENT...]",
		.about = "Has functions traced in a node while a command runs that sees their calls at "
			 "the kernel's\n"
			 "tracepoints or at USDT probes, such as bpftrace.  Its exit status is that of "
			 "the command.",
		.opts = opts,
		.argc = argc,
		.argv = argv,
		.at = 1,
	};
	const char *target = NULL, *path = NULL;
	struct wish w = { 0 };
	int o, status;

	w.functions = calloc((size_t)argc, sizeof(*w.functions));
	if (!w.functions)
		return CLI_FAILED;
	while ((o = cli_next(&a)) != CLI_END && o != CLI_DASHES) {
		if (o == 'p')
			target = a.value;
		else if (o == OPT_REGION)
			path = a.value;
		else if (o == 'f')
			w.functions[w.nr_functions++] = a.value;
		else
			break;
	}
	if (o == CLI_HELP)
		status = CLI_OK;
	else if (o == CLI_OPERAND)
		status = cli_usage(&a, "what is '%s' for? A command stands behind --", a.value);
	else if (o == CLI_BAD)
		status = CLI_USAGE;
	else if (!target == !path)
		status = cli_usage(&a, "name one node, by -p or --region");
	else if (!w.nr_functions)
		status = cli_usage(&a, "which functions? -f names them");
	else if (o != CLI_DASHES || !argv[a.at])
		status = cli_usage(&a, "which command? It stands behind --");
	else
		status = hold(target, path, &w, argv + a.at);
	free(w.functions);
	return status;
}
