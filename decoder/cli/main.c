// SPDX-License-Identifier: Apache-2.0
/* main.c - the command beamtap: the table of its subcommands, one row each */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *does;
};

/* clang-format off */
static const struct command commands[] = {
	{ "dtrace", dtrace_main, "run a D script over a node or a recording, as dtrace(1)" },
	{ "dump",   dump_main,   "print the events of a recording, one a line" },
	{ "hold",   hold_main,   "have functions traced while a command runs, such as bpftrace" },
	{ "list",   list_main,   "show the nodes that can be tapped, or the probes of one" },
	{ "record", record_main, "record a node's events into a directory" },
	{ "report", report_main, "tell what happened in a recording" },
};
/* clang-format on */

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *f)
{
	fprintf(f, "usage: beamtap COMMAND [OPTION]...\n\n"
		   "Taps running Erlang nodes.  Commands:\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].does);
	fprintf(f, "\nbeamtap COMMAND --help tells more of each; beamtap --version its version.\n"
		   "Exit status: 0 done, 1 failed, 2 wrong usage.\n");
}

/* Installed as beamtap-dtrace too, for #! lines. */
static bool is_called_dtrace(const char *argv0)
{
	const char *base = argv0 ? strrchr(argv0, '/') : NULL;

	return argv0 && !strcmp(base ? base + 1 : argv0, "beamtap-dtrace");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	int status;

	if (is_called_dtrace(argv[0]))
		return dtrace_main(argc, argv);

	if (!name) {
		print_help(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		print_help(stdout);
		return CLI_OK;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("beamtap %s\n", BEAMTAP_VERSION);
		return CLI_OK;
	}
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(name, commands[i].name))
			continue;
		status = commands[i].main(argc - 1, argv + 1);
		/* What was printed may have met a full disk or a closed pipe only now. */
		if (fflush(stdout) || ferror(stdout)) {
			fprintf(stderr, "beamtap %s: cannot write to standard output: %m\n", name);
			if (status == CLI_OK)
				status = CLI_FAILED;
		}
		return status;
	}
	fprintf(stderr, "beamtap: there is no command '%s'; the commands are", name);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(stderr, "%s %s", i ? "," : "", commands[i].name);
	fprintf(stderr, "\n");
	return CLI_USAGE;
}
