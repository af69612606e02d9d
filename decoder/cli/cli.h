/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what the subcommands share: their table row, options, exit statuses
 *
 * A subcommand is one file with one function `int <name>_main(int argc, char **argv)`;
 * argv[0] is the subcommand's name.  It returns an exit status.
 */
#ifndef BEAMTAP_CLI_H
#define BEAMTAP_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"

enum cli_status {
	CLI_OK = 0,
	CLI_FAILED = 1, /* it was asked rightly and could not be done, or not to the end */
	CLI_USAGE = 2,	/* it was asked wrongly: nothing was done */
};

/* One row a subcommand, see main.c */
int dtrace_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int dump_d_main(int argc, char **argv); /* dump --after=PASS */
int hold_main(int argc, char **argv);
int list_main(int argc, char **argv);
int record_main(int argc, char **argv);
int report_main(int argc, char **argv);

/* An option.  Tables end with a row of zeros. */
struct cli_opt {
	int id;		  /* what cli_next() returns: the letter, or a number from 256 where there is none */
	const char *name; /* without `--` */
	const char *arg;  /* name of its value for the help; NULL: it takes none */
	const char *help;
};

struct cli_args {
	const char *name;     /* of the subcommand */
	const char *synopsis; /* lines of usage, without "beamtap " */
	const char *about;    /* what it does: one paragraph */
	const struct cli_opt *opts;
	/* of cli_next() */
	int argc;
	char **argv;
	int at;		   /* next word */
	const char *rest;  /* letters left of -abc */
	const char *value; /* of the option or operand just returned; borrowed from argv */
	bool only_operands;
};

enum {
	CLI_END = 0,	  /* no more words */
	CLI_OPERAND = -1, /* value is an operand */
	CLI_BAD = -2,	  /* told on stderr: return CLI_USAGE */
	CLI_HELP = -3,	  /* help was printed: return CLI_OK */
	CLI_DASHES = -4,  /* `--`: at is the next word; calling on yields operands */
};

/**
 * cli_next() - the next option or operand
 * @a: table and argc, argv; `at` is 1 at first
 *
 * Knows -x VALUE, -xVALUE, -xyz, --name VALUE, --name=VALUE, -h and --help.
 * A lone `-` is an operand.
 * Return: an option's id, or one of the values above.
 */
int cli_next(struct cli_args *a);

/** cli_usage() - tell what was wrong with the words given.  Return: CLI_USAGE */
int cli_usage(const struct cli_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** cli_fail() - print a chain of causes as beamtap NAME: ...  Return: CLI_FAILED */
int cli_fail(const char *name, const struct diag *d);

/**
 * cli_duration() - text -> nanoseconds
 * @text: number with a unit: ns, us, ms, s, m, h, d; without one it is seconds.  Fractions are fine
 * Return: 0, or -EINVAL
 */
int cli_duration(const char *text, uint64_t *ns);

/** cli_number() - decimal text -> number from @min to @max.  Return: 0, or -EINVAL */
int cli_number(const char *text, uint64_t min, uint64_t max, uint64_t *n);

#endif /* BEAMTAP_CLI_H */
