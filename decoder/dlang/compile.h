/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.h - D text in, a program out
 *
 *	struct dlang *dl = dlang_new(&opts);
 *	dlang_compile(dl, &unit);                    for each -n, -s, -P, ...
 *	prog = dlang_finish(dl);                     to be run
 *
 * All units of one dlang share variables, aggregations, types, inlines and
 * translators, as all programs of one dtrace command do.  The program that comes
 * out lives as long as the dlang.
 */
#ifndef BEAMTAP_DLANG_COMPILE_H
#define BEAMTAP_DLANG_COMPILE_H

#include <stdbool.h>
#include <stdio.h>
#include "dprog/prog.h"

#define DLANG_MAX_ARGS	 32	    /* args[] */
#define DLANG_MAX_SOURCE (4u << 20) /* bytes of a script */

/* What the compiler learns of the probes that a description matches. */
struct dlang_match {
	unsigned int nr_probes;
	bool is_known; /* such probes exist, if not here and now: their args[] are below */
	/*
	 * D types of args[]; "" where there is no such argument.  Where matching probes disagree:
	 * vary[n]
	 */
	unsigned int nr_args;
	const char *arg_types[DLANG_MAX_ARGS];
	bool vary[DLANG_MAX_ARGS];
};

/*
 * How the compiler asks for probes; may be NULL in struct dlang_opts: every description matches
 * then.
 */
struct dlang_probes {
	void *ctx;
	/* Return: 0 with *m filled in, or a negative errno: as if none matched */
	int (*match)(void *ctx, const struct dprog_pdesc *pd, struct dlang_match *m);
	/*
	 * what may help with a description that matches nothing, such as the nearest names there
	 * are; may be NULL.  Writes "" if there is nothing to say
	 */
	void (*suggest)(void *ctx, const struct dprog_pdesc *pd, char *buf, size_t size);
	/* is there such a provider, for `#pragma D depends_on provider`; may be NULL */
	bool (*has_provider)(void *ctx, const char *name);
};

/* Values of macro variables: $pid, $target, ...; numbers unless is_text. */
struct dlang_macro {
	const char *name; /* without $ */
	int64_t value;
};

/* How stable a name is; numbers in dtrace(1)'s order: all 0 is Internal/Internal/Unknown. */
struct dlang_attr {
	uint8_t name, data, cls;
};

/** dlang_attr() - read "Stable/Stable/Common".  Return: false: that is none */
bool dlang_attr(const char *text, struct dlang_attr *a);
/** dlang_attr_text() - its three words */
void dlang_attr_text(const struct dlang_attr *a, const char *text[3]);
/** dlang_attr_of_probes() - how stable what a description names is */
struct dlang_attr dlang_attr_of_probes(const struct dprog_pdesc *pd);

/**
 * dlang_version() - read a version of D, "1.6.4", as 1 << 24 | 6 << 12 | 4
 * Return: 0, -EPROTO: it has not that form, -ENOTSUP: there is no such version
 */
int dlang_version(const char *text, uint32_t *v);

/** dlang_option_error() - what dtrace(1) says of an option that cannot be set */
const char *dlang_option_error(int err);

struct dlang_opts {
	struct dlang_probes *probes;
	const struct dlang_macro *macros; /* besides $1..; ends with name NULL; may be NULL */
	int argc;			  /* $0, $1, ... */
	const char *const *argv;	  /* argv[0] is $0: the script or "dtrace" */
	bool allow_zero;		  /* -Z: descriptions that match nothing are fine */
	bool default_args;		  /* -x defaultargs: $n that is not there is 0 or "" */
	bool no_arg_check;		  /* do not complain of arguments that nothing refers to */
	bool no_lint;			  /* -x nolint: no warnings */
	bool allow_empty;		  /* -x empty: a script without anything in it is fine */
	unsigned int strsize;		  /* option strsize, for sizeof(string); 0: DPROG_STRSIZE */
	struct dlang_attr amin;		  /* -x amin: what is less stable is refused */
	uint32_t version;		  /* -x version: names that came later are unknown; 0: none is */
	/*
	 * Called for each `#pragma D option name[=value]` before the rest is
	 * compiled.  Return: 0 or what dlang_option_error() knows.  NULL: all are fine.
	 */
	int (*set_option)(void *ctx, const char *name, const char *value);
	void *option_ctx;
};

/* How the text before `{` or `/` is to be read: -n, -P, -m, -f, -i */
enum dlang_spec {
	DLANG_SPEC_NAME,
	DLANG_SPEC_PROV,
	DLANG_SPEC_MOD,
	DLANG_SPEC_FUNC,
	DLANG_SPEC_ID
};

struct dlang_unit {
	const char *text; /* D; borrowed during the call */
	size_t len;
	const char *name; /* kept in dprog_unit, copied */
	enum dlang_spec spec;
	bool is_file; /* a script (-s): `#!` line allowed, an empty one is an error */
};

enum dlang_region { DLANG_R_NONE, DLANG_R_PRED, DLANG_R_BODY };

struct dlang_error {
	const char *tag;  /* "D_IDENT_UNDEF" */
	const char *text; /* may have continuation lines that begin with a tab */
	/* further text for lines of their own, "" if none: "nearest name: copyinstr" */
	const char *hint;
	const char *file; /* from a `# line "file"` marker; NULL: the unit's own */
	uint32_t line;
	/*
	 * enum dlang_region: with -n and kin "in predicate: ", "in action list: " goes before the
	 * text
	 */
	uint8_t region;
	bool is_warning;
};

struct dlang *dlang_new(const struct dlang_opts *opts);
void dlang_free(struct dlang *dl);

/**
 * dlang_compile() - compile one unit into the program
 *
 * All errors of the unit are collected; nothing of it is added to the program
 * when there are any.  Return: 0, or -EINVAL with dlang_errors().
 */
int dlang_compile(struct dlang *dl, const struct dlang_unit *u);

/**
 * dlang_errors() - Return: number of errors and warnings of the last dlang_compile(), in order
 * found
 */
unsigned int dlang_errors(const struct dlang *dl, const struct dlang_error **errs);

/**
 * dlang_finish() - the program of all units compiled so far
 *
 * Checks macro arguments that nothing referred to: on that error the result is
 * NULL and dlang_errors() has it.  Return: borrowed until dlang_free()
 */
const struct dprog *dlang_finish(struct dlang *dl);

/**
 * dlang_error_text() - an error as dtrace says it, without "dtrace: " and newline
 * @tags: with [D_...]
 * @buf:  out: "invalid probe specifier PROGRAM: in action list: TEXT" or
 *        "failed to compile script FILE: line N: TEXT"
 */
void dlang_error_text(const struct dlang_error *e, const struct dlang_unit *u, bool tags, char *buf,
		      size_t size);

/* Declarations of providers: what a program's author calls, not what a program traces. */
#define DLANG_MAX_USER_ARGS 32
struct dlang_user_arg {
	const char *name; /* NULL: none was given */
	const struct dtype *type;
};
struct dlang_user_probe {
	const char *name; /* as written: foo__bar */
	struct dlang_user_arg args[DLANG_MAX_USER_ARGS];
	unsigned int nr_args;
	uint32_t line;
	struct dlang_user_probe *next;
};
struct dlang_provider {
	const char *name;
	struct dlang_user_probe *probes;
};
/** dlang_providers() - those declared in all units so far, borrowed.  Return: their number */
unsigned int dlang_providers(const struct dlang *dl, const struct dlang_provider **provs);

/* Stages whose result can be looked at: tokens, tree, checked tree with types, code */
enum dlang_stage { DLANG_TOK, DLANG_AST, DLANG_CHECK, DLANG_DIS };

/**
 * dlang_dump_to() - from now on write the results of a stage to @f while compiling; NULL: no more
 */
void dlang_dump_to(struct dlang *dl, enum dlang_stage stage, FILE *f);

#endif /* BEAMTAP_DLANG_COMPILE_H */
