/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtrace.h - beamtap dtrace: what its files share
 *
 *	dtrace.c	the command line, and what it does with it
 *	dtrace_run.c	a compiled program is run
 *	dtrace_opt.c	options: -x name=value, #pragma D option, setopt()
 *	dtrace_src.c	where events come from: -f, -p, -c, or every node
 *	dtrace_list.c	-l, -v, and what the compiler asks of probes
 *	dtrace_cpp.c	-C
 *	dtrace_header.c	-h
 *	dtrace_usage.c	what it takes
 */
#ifndef BEAMTAP_CLI_DTRACE_H
#define BEAMTAP_CLI_DTRACE_H

#include <signal.h>
#include <sys/types.h>
#include "dlang/compile.h"
#include "dout/dout.h"
#include "source/region.h"

#define DTRACE_MAX_ARGS 256

/* A program of the command line: -n, -s, ... */
struct dtrace_unit {
	struct dlang_unit u;
	char *owned;	  /* text read from a file, or NULL */
	char *name;	  /* "script 'f.d'" */
	const char *given; /* as given: text, or name of the file */
};

/* All options that have an effect here. */
struct dtrace_opts {
	struct run_opts run;
	struct dout_opts out;
	size_t bufsize;
	bool quiet_resize, errtags, droptags, destructive, zdefs, default_args, no_arg_check, no_lint, cpp,
		verbose, disasm, empty;
	const char *cpp_path;
	struct dlang_attr amin; /* what is less stable is refused */
	uint32_t version;	/* of D: later names are unknown; 0: none are */
	uint32_t tree;		/* show the tree of the program */
};

/* Live or recorded events. */
struct dtrace_src {
	struct src *src; /* NULL: none */
	bool is_live;
	struct region **regions; /* of live ones; owned by src */
	unsigned int nr_regions;
	pid_t *pids; /* of -p and -c */
	bool *is_child, *is_gone;
	unsigned int nr_pids;
	int go; /* write end of the pipe that commands wait on; -1: none */
};

struct dtrace {
	struct dtrace_opts opts;
	struct dtrace_unit *units;
	unsigned int nr_units;
	const char *args[DTRACE_MAX_ARGS]; /* $0, $1, ... */
	int nr_args;
	const char *recordings[64];
	unsigned int nr_recordings;
	const char *commands[64];
	unsigned int nr_commands;
	const char *pids[64];
	unsigned int nr_pids;
	const char *cpp_args[DTRACE_MAX_ARGS];
	unsigned int nr_cpp_args;
	const char *output;
	char **kept; /* texts that options refer to */
	unsigned int nr_kept;
	bool is_list, is_check, is_graph, is_header, is_version;
	struct dtrace_src from;
	struct probes probes;
	struct provider_set *names; /* probes of the catalogue, of no VM; NULL until they are needed */
	bool is_nodeless;	    /* events come from no VM */
	struct dlang *dl;
	const struct dprog *prog;
	struct run run;
	struct dout out;
};

/** dtrace_say() - "dtrace: TEXT\n" on standard error */
void dtrace_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** dtrace_keep() - text that options refer to: freed when all is over.  Return: @text; NULL stays NULL */
char *dtrace_keep(struct dtrace *dt, char *text);
/** dtrace_run() - run the compiled program.  Return: exit status */
int dtrace_run(struct dtrace *dt);
/** dtrace_usage() - what the command takes, on standard error.  Return: CLI_USAGE */
int dtrace_usage(void);

/** dtrace_opt_init() - what options are before any is set */
void dtrace_opt_init(struct dtrace_opts *o);
/**
 * dtrace_opt_set() - set an option
 * @value: NULL: none was given; otherwise borrowed as long as @o lives
 * Return: 0, or an error that dlang_option_error() has words for
 */
int dtrace_opt_set(struct dtrace_opts *o, const char *name, const char *value);
/** dtrace_opt_set_in_d() - the same for #pragma D option.  Return: also -EPERM: not from within a program */
int dtrace_opt_set_in_d(struct dtrace_opts *o, const char *name, const char *value);
/** dtrace_opt_env() - set what the environment says: DTRACE_OPT_<NAME>; what is wrong there is ignored */
void dtrace_opt_env(struct dtrace_opts *o);
/** dtrace_opt_set_running() - the same for setopt().  Return: also -EBUSY: not while tracing is active */
int dtrace_opt_set_running(struct dtrace_opts *o, const char *name, const char *value);

/**
 * dtrace_src_open() - open what the command line names
 *
 * With neither -f, -p nor -c: all live nodes that can be read, or none.
 * Return: 0, or -1: told on standard error
 */
int dtrace_src_open(struct dtrace *dt);
/** dtrace_src_none() - probes' names, and no events.  Return: 0 or -1 */
int dtrace_src_none(struct dtrace *dt);
/** dtrace_src_go() - let the commands of -c run */
void dtrace_src_go(struct dtrace *dt);
/** dtrace_src_is_ended() - has all that was traced ended?  For struct run_opts; @ctx: struct dtrace */
bool dtrace_src_is_ended(void *ctx);
int dtrace_src_want(void *ctx, const struct src_want *want, struct diag *d);
void dtrace_src_close(struct dtrace *dt);

/** dtrace_list_ask() - how the compiler asks for probes; with @dt as its context */
void dtrace_list_ask(struct dtrace *dt, struct dlang_probes *ask);
/** dtrace_list() - -l.  Return: exit status */
int dtrace_list(struct dtrace *dt);
/** dtrace_list_stability() - -v: the report on each clause of a compiled program */
void dtrace_list_stability(struct dtrace *dt, FILE *f);

/** dtrace_header() - -h: write an include file for the providers declared.  Return: exit status */
int dtrace_header(struct dtrace *dt);

/**
 * dtrace_cpp() - run the C preprocessor over a script
 * @text, @len: in: script; out: result, owned
 * Return: 0, or -1: cpp has said why
 */
int dtrace_cpp(const struct dtrace *dt, char **text, size_t *len);

#endif /* BEAMTAP_CLI_DTRACE_H */
