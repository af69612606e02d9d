// SPDX-License-Identifier: Apache-2.0
/*
 * dtrace_opt.c - options by name, one row each
 *
 * Options of dtrace(1) that have nothing to act on here are checked as dtrace(1)
 * checks them and then forgotten.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/dtrace.h"

enum kind {
	FLAG,	/* no value, or on/off */
	SWITCH, /* on, and takes no value */
	SIZE,	/* bytes with k, m, g, t */
	NUMBER, /* 0 and up */
	POSITIVE, /* 1 and up, must be there */
	COUNT32, /* as NUMBER, into 32 bits */
	RATE,	/* a time with its unit, in ns without; or hertz */
	TEXT,	/* any text, must be there */
	WORD,	/* one of those that are allowed */
	STR,	/* strsize: a size below 2^31 that must be there, into 32 bits */
	AMIN,	/* struct dlang_attr */
	VERSION, /* of D */
};

/*
 * When an option may be set.  By setopt() all but BEFORE, and those of the compiler to no
 * effect; by #pragma D option all but NOT_IN_D, which a script comes too late for.
 */
enum when { COMPILING, NOT_IN_D, BEFORE, RUNNING };

struct row {
	const char *name;
	enum kind kind;
	size_t at; /* in struct dtrace_opts; NOWHERE: forgotten */
	enum when when;
	const char *words; /* of WORD */
};

#define NOWHERE ((size_t)-1)
#define AT(m) offsetof(struct dtrace_opts, m)

/* clang-format off */
static const struct row rows[] = {
	{ "aggpercpu",    SWITCH,  NOWHERE },
	{ "agghist",      FLAG,    AT(out.agg_hist), RUNNING },
	{ "aggpack",      FLAG,    AT(out.agg_pack), RUNNING },
	{ "aggrate",      RATE,    AT(run.agg_ns), RUNNING },
	{ "aggsize",      SIZE,    AT(run.vm.aggsize), BEFORE },
	{ "aggsortkey",   FLAG,    AT(out.agg_sort_key), RUNNING },
	{ "aggsortkeypos", COUNT32, AT(out.agg_sort_key_pos), RUNNING },
	{ "aggsortpos",   COUNT32, AT(out.agg_sort_pos), RUNNING },
	{ "aggsortrev",   FLAG,    AT(out.agg_sort_rev), RUNNING },
	{ "aggzoom",      FLAG,    AT(out.agg_zoom), RUNNING },
	{ "amin",         AMIN,    AT(amin) },
	{ "argref",       SWITCH,  AT(no_arg_check) },
	{ "bufpolicy",    WORD,    NOWHERE, BEFORE, "ring fill switch" },
	{ "bufresize",    WORD,    NOWHERE, BEFORE, "auto manual" },
	{ "bufsize",      SIZE,    AT(bufsize), BEFORE },
	{ "cleanrate",    RATE,    NOWHERE, BEFORE },
	{ "core",         SWITCH,  NOWHERE },
	{ "cpp",          SWITCH,  AT(cpp) },
	{ "cppargs",      TEXT,    NOWHERE, NOT_IN_D },
	{ "cpphdrs",      SWITCH,  NOWHERE, NOT_IN_D },
	{ "cpppath",      TEXT,    AT(cpp_path), NOT_IN_D },
	{ "cpu",          NUMBER,  NOWHERE, BEFORE },
	{ "ctfpath",      TEXT,    NOWHERE },
	{ "ctypes",       TEXT,    NOWHERE },
	{ "debug",        SWITCH,  NOWHERE },
	{ "debugassert",  WORD,    NOWHERE, COMPILING, "mutexes" },
	{ "defaultargs",  SWITCH,  AT(default_args) },
	{ "define",       TEXT,    NOWHERE, NOT_IN_D },
	{ "destructive",  FLAG,    AT(destructive), BEFORE },
	{ "disasm",       POSITIVE, NOWHERE },
	{ "droptags",     FLAG,    AT(droptags) },
	{ "dtypes",       TEXT,    NOWHERE },
	{ "dynvarsize",   SIZE,    AT(run.vm.dynvarsize), BEFORE },
	{ "empty",        SWITCH,  AT(empty) },
	{ "errtags",      SWITCH,  AT(errtags) },
	{ "evaltime",     WORD,    NOWHERE, COMPILING, "exec preinit postinit main" },
	{ "flowindent",   FLAG,    AT(out.flowindent), RUNNING },
	{ "grabanon",     FLAG,    NOWHERE, BEFORE },
	{ "incdir",       TEXT,    NOWHERE, NOT_IN_D },
	{ "iregs",        POSITIVE, NOWHERE },
	{ "jstackframes", COUNT32, AT(run.jstack_frames), BEFORE },
	{ "jstackstrsize", SIZE,   NOWHERE, BEFORE },
	{ "kdefs",        SWITCH,  NOWHERE },
	{ "knodefs",      SWITCH,  NOWHERE },
	{ "late",         WORD,    NOWHERE, COMPILING, "dynamic static" },
	{ "lazyload",     FLAG,    NOWHERE },
	{ "ldpath",       TEXT,    NOWHERE, NOT_IN_D },
	{ "libdir",       TEXT,    NOWHERE },
	{ "linkmode",     WORD,    NOWHERE, COMPILING, "kernel dynamic static" },
	{ "linktype",     WORD,    NOWHERE, COMPILING, "elf dof" },
	{ "lockmem",      TEXT,    NOWHERE, BEFORE },
	{ "maxframes",    NUMBER,  NOWHERE, BEFORE },
	{ "modpath",      TEXT,    NOWHERE, NOT_IN_D },
	{ "nolibs",       SWITCH,  NOWHERE },
	{ "nolint",       FLAG,    AT(no_lint) },
	{ "noresolve",    FLAG,    NOWHERE },
	{ "nspec",        COUNT32, AT(run.vm.nspec), BEFORE },
	{ "pcapsize",     SIZE,    NOWHERE, BEFORE },
	{ "pgmax",        NUMBER,  NOWHERE },
	{ "preallocate",  SIZE,    NOWHERE },
	{ "procfspath",   TEXT,    NOWHERE, NOT_IN_D },
	{ "pspec",        SWITCH,  NOWHERE },
	{ "quiet",        FLAG,    AT(out.quiet), RUNNING },
	{ "quietresize",  FLAG,    AT(quiet_resize) },
	{ "rawbytes",     FLAG,    AT(out.raw_bytes), RUNNING },
	{ "scratchsize",  SIZE,    AT(run.vm.scratch_size), BEFORE },
	{ "specsize",     SIZE,    AT(run.vm.specsize), BEFORE },
	{ "stackframes",  COUNT32, AT(run.stack_frames), BEFORE },
	{ "stackindent",  COUNT32, AT(out.stack_indent), RUNNING },
	{ "statusrate",   RATE,    AT(run.status_ns), BEFORE },
	{ "stdc",         WORD,    NOWHERE, NOT_IN_D, "a c s t" },
	{ "strip",        SWITCH,  NOWHERE },
	{ "strsize",      STR,     AT(run.vm.strsize), BEFORE },
	{ "switchrate",   RATE,    AT(run.switch_ns), RUNNING },
	{ "syslibdir",    TEXT,    NOWHERE },
	{ "sysslice",     FLAG,    NOWHERE },
	{ "temporal",     FLAG,    NOWHERE, BEFORE },
	{ "tracefspath",  TEXT,    NOWHERE },
	{ "tree",         POSITIVE, AT(tree) },
	{ "tregs",        POSITIVE, NOWHERE },
	{ "udefs",        SWITCH,  NOWHERE },
	{ "undef",        TEXT,    NOWHERE, NOT_IN_D },
	{ "unodefs",      SWITCH,  NOWHERE },
	{ "useruid",      NUMBER,  NOWHERE },
	{ "ustackframes", COUNT32, AT(run.ustack_frames), BEFORE },
	{ "verbose",      SWITCH,  AT(disasm) },
	{ "version",      VERSION, AT(version) },
	{ "zdefs",        SWITCH,  AT(zdefs) },
};
/* clang-format on */

void dtrace_opt_init(struct dtrace_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->run.vm = (struct vm_opts)VM_OPTS_INIT;
	o->run.switch_ns = 1000000000;
	o->run.status_ns = 1000000000;
	o->run.stack_frames = 20;
	o->run.ustack_frames = 100;
	o->run.jstack_frames = 50;
	o->out = (struct dout_opts)DOUT_OPTS_INIT;
	o->bufsize = 4u << 20;
	o->cpp_path = "cpp";
}

static int read_flag(const char *value, bool *b)
{
	static const char *const yes[] = { "1", "yes", "on", "true", "enable", "enabled", "set" };
	static const char *const no[] = { "0", "no", "off", "false", "disable", "disabled", "unset" };

	*b = !value || *value; /* `quiet=` takes it back */
	if (!value || !*value)
		return 0;
	for (unsigned int i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (!strcasecmp(value, yes[i]))
			return 0;
		if (!strcasecmp(value, no[i])) {
			*b = false;
			return 0;
		}
	}
	/* any other number is yes */
	return *value && strspn(value, "0123456789") == strlen(value) ? 0 : -EINVAL;
}

static int read_number(const char *value, uint64_t *n, char **end)
{
	if (!value || *value < '0' || *value > '9')
		return -EINVAL;
	errno = 0;
	*n = strtoull(value, end, 0);
	return errno ? -EINVAL : 0;
}

static int read_size(const char *value, uint64_t *n)
{
	static const char units[] = "kmgt";
	const char *u;
	char *end;

	if (read_number(value, n, &end))
		return -EINVAL;
	if (!*end)
		return 0;
	u = strchr(units, *end | 0x20);
	if (!u || end[1])
		return -EINVAL;
	for (long i = u - units; i >= 0; i--) {
		if (*n > UINT64_MAX / 1024)
			return -EINVAL;
		*n *= 1024;
	}
	return 0;
}

static int read_rate(const char *value, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "nsec", 1 }, { "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 },
		{ "msec", 1000000 }, { "s", 1000000000 }, { "sec", 1000000000 }, { "m", 60000000000 },
		{ "min", 60000000000 }, { "h", 3600000000000 }, { "hour", 3600000000000 },
		{ "d", 86400000000000 }, { "day", 86400000000000 },
	};
	uint64_t n;
	char *end;

	if (read_number(value, &n, &end))
		return -EINVAL;
	if (!*end)
		end = (char *)"ns";
	if (!strcasecmp(end, "hz")) {
		if (n > 1000000000)
			return -EINVAL;
		*ns = n ? 1000000000 / n : 1000000000;
		return 0;
	}
	for (unsigned int i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcasecmp(end, units[i].name))
			continue;
		if (n > UINT64_MAX / 4 / units[i].ns)
			return -EINVAL;
		*ns = n * units[i].ns;
		return 0;
	}
	return -EINVAL;
}

static bool is_one_of(const char *value, const char *list)
{
	size_t n;

	for (; value && *list; list += n + (list[n] != 0)) {
		n = strcspn(list, " ");
		if (strlen(value) == n && !strncmp(list, value, n))
			return true;
	}
	return false;
}

/* A program that has been held to one version is not to be held to a later one. */
static int read_version(const char *value, uint32_t *v)
{
	uint32_t n;
	int err;

	if (!value)
		return -EINVAL;
	err = dlang_version(value, &n);
	if (err)
		return err;
	if (*v && n > *v)
		return -EALREADY;
	*v = n;
	return 0;
}

static int set_number(void *at, enum kind kind, const char *value)
{
	uint64_t n;
	char *end;

	if (read_number(value, &n, &end) || *end || n > INT_MAX || (kind == POSITIVE && !n))
		return -EINVAL;
	if (at)
		*(uint32_t *)at = (uint32_t)n;
	return 0;
}

static int set(const struct row *r, void *at, const char *value)
{
	struct dlang_attr attr;
	uint64_t n = 0;
	bool b;

	switch (r->kind) {
	case SWITCH:
		if (value)
			return -EINVAL;
		/* fall through */
	case FLAG:
		if (read_flag(value, &b))
			return -EINVAL;
		if (at)
			*(bool *)at = b;
		return 0;
	case SIZE:
		if (read_size(value, &n))
			return -EINVAL;
		if (at)
			*(size_t *)at = n;
		return 0;
	case STR:
		if (read_size(value, &n) || !n || n > INT_MAX)
			return -EINVAL;
		*(uint32_t *)at = (uint32_t)n;
		return 0;
	case NUMBER:
	case POSITIVE:
	case COUNT32:
		return set_number(at, r->kind, value);
	case RATE:
		if (read_rate(value, &n))
			return -EINVAL;
		if (at)
			*(uint64_t *)at = n;
		return 0;
	case TEXT:
		if (!value)
			return -EINVAL;
		if (at)
			*(const char **)at = value;
		return 0;
	case WORD:
		return is_one_of(value, r->words) ? 0 : -EINVAL;
	case AMIN:
		if (!value || !dlang_attr(value, &attr))
			return -EINVAL;
		*(struct dlang_attr *)at = attr;
		return 0;
	case VERSION:
		return read_version(value, at);
	}
	return 0;
}

static const struct row *find(const char *name)
{
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

int dtrace_opt_set(struct dtrace_opts *o, const char *name, const char *value)
{
	const struct row *r = find(name);

	if (!r)
		return -ENOENT;
	return set(r, r->at == NOWHERE ? NULL : (char *)o + r->at, value);
}

int dtrace_opt_set_in_d(struct dtrace_opts *o, const char *name, const char *value)
{
	const struct row *r = find(name);

	if (r && r->when == NOT_IN_D)
		return -EPERM;
	return dtrace_opt_set(o, name, value);
}

int dtrace_opt_set_running(struct dtrace_opts *o, const char *name, const char *value)
{
	const struct row *r = find(name);
	struct dtrace_opts unused;

	if (!r)
		return -ENOENT;
	if (r->when == BEFORE)
		return -EBUSY;
	if (r->when == RUNNING)
		return dtrace_opt_set(o, name, value);
	dtrace_opt_init(&unused);
	return dtrace_opt_set(&unused, name, value);
}

void dtrace_opt_env(struct dtrace_opts *o)
{
	char var[64] = "DTRACE_OPT_";
	const size_t from = strlen(var);

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *value;
		size_t k = 0;

		for (; rows[i].name[k]; k++)
			var[from + k] = (char)toupper((unsigned char)rows[i].name[k]);
		var[from + k] = 0;
		value = getenv(var);
		if (value)
			dtrace_opt_set(o, rows[i].name, rows[i].kind == SWITCH ? NULL : value);
	}
}
