// SPDX-License-Identifier: Apache-2.0
/* dump.c - beamtap dump: the events of recordings, one a line, in time order */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "event/names.h"
#include "event/print.h"
#include "provider/erlang.h"
#include "source/ctf.h"
#include "source/open.h"

#define MAX_PROCS 16

enum {
	OPT_FROM = 256,
	OPT_TO,
	OPT_JSON,
	OPT_FIXTURE,
	OPT_DTRACE,
	OPT_ELIXIR,
	OPT_NAMES,
	OPT_TIME,
	OPT_REDACT,
};

/* clang-format off */
static const struct cli_opt opts[] = {
	{ 'e',         "event",   "GLOB", "only probes that match: message-*, erlang*:lists::function-entry" },
	{ 'p',         "process", "PROC", "only events of <0.80.0>, <0.80.0>@node, #Port<0.5> or a name" },
	{ 'n',         "count",   "N",    "stop after N events" },
	{ OPT_FROM,    "from",    "TIME", "begin 1.5s, 200ms ... after the first event, or at @NS" },
	{ OPT_TO,      "to",      "TIME", "end there, the same way" },
	{ OPT_TIME,    "time",    "KIND", "time column: relative, delta, mono or wall" },
	{ OPT_NAMES,   "names",   NULL,   "registered names behind processes" },
	{ OPT_ELIXIR,  "elixir",  NULL,   "modules and functions as Elixir writes them" },
	{ OPT_REDACT,  "redact",  NULL,   "of exit reasons and users' texts print only the size" },
	{ OPT_JSON,    "json",    NULL,   "one JSON object a line" },
	{ OPT_FIXTURE, "fixture", NULL,   "text that beamtap reads again" },
	{ OPT_DTRACE,  "dtrace",  NULL,   "CPU, ID, FUNCTION:NAME as dtrace(1) prints them" },
	{ 0 },
};
/* clang-format on */

/* One end of the time that is wanted. */
struct moment {
	bool is_set, is_absolute;
	uint64_t ns;
};

struct dump {
	struct src *s;
	struct print *print;
	struct outbuf out;
	struct print_opts popts;
	/* what is wanted */
	struct match match;
	struct provider_set *probes;
	uint64_t (*events)[BTAP_MASK_WORDS];  /* a VM: may be wanted */
	uint64_t (*careful)[BTAP_MASK_WORDS]; /* a VM: ask which probe it is */
	struct term_name procs[MAX_PROCS];
	uint64_t (*terms)[MAX_PROCS]; /* a VM: the words of procs; 0: none in that VM */
	unsigned int nr_procs;
	bool by_name; /* some of procs is a name */
	struct names **names; /* a VM; with by_name */
	struct moment from, to;
	uint64_t max, printed, from_ns, to_ns;
	uint64_t lost, gaps;
	struct src_rec stack; /* the last one, whose event has not come; event 0: none.  Borrowed from the run */
	bool is_filtered, has_begun, is_done;
};

/* -- options -- */

static int parse_moment(struct moment *m, const char *text)
{
	m->is_set = true;
	m->is_absolute = *text == '@';
	if (m->is_absolute)
		return cli_number(text + 1, 0, UINT64_MAX, &m->ns);
	return cli_duration(text, &m->ns);
}

static int parse_time(struct dump *u, const char *text)
{
	static const char *const kinds[] = { "relative", "delta", "mono", "wall" };

	for (unsigned int i = 0; i < 4; i++)
		if (!strcmp(text, kinds[i])) {
			u->popts.time = (enum print_time)i;
			return 0;
		}
	return -EINVAL;
}

static int set_style(struct dump *u, struct cli_args *a, enum print_style style)
{
	if (u->popts.style != PRINT_TEXT && u->popts.style != style)
		return cli_usage(a, "--json, --fixture and --dtrace cannot be had together");
	u->popts.style = style;
	return 0;
}

/* The reason that was kept first, for a usage error. */
static int bad_value(struct cli_args *a, const struct diag *d)
{
	return cli_usage(a, "%s", d->nr ? d->text[0] : a->value);
}

/* Return: 0, or an exit status */
static int take_option(struct dump *u, struct cli_args *a, int id)
{
	struct diag d = DIAG_INIT;

	switch (id) {
	case 'e':
		return match_add(&u->match, a->value, &d) ? bad_value(a, &d) : 0;
	case 'p':
		if (u->nr_procs == MAX_PROCS)
			return cli_usage(a, "more than %d -p", MAX_PROCS);
		if (term_parse(&u->procs[u->nr_procs], a->value, strlen(a->value), &d))
			return bad_value(a, &d);
		u->by_name |= u->procs[u->nr_procs++].kind == TERM_ATOM;
		return 0;
	case 'n':
		if (cli_number(a->value, 1, UINT64_MAX, &u->max))
			return cli_usage(a, "-n '%s': expected a number from 1", a->value);
		return 0;
	case OPT_FROM:
	case OPT_TO:
		if (parse_moment(id == OPT_FROM ? &u->from : &u->to, a->value))
			return cli_usage(a, "'%s' is no time; write 1.5s, 200ms or @NANOSECONDS", a->value);
		return 0;
	case OPT_TIME:
		if (parse_time(u, a->value))
			return cli_usage(a, "--time '%s': it is relative, delta, mono or wall", a->value);
		return 0;
	case OPT_NAMES:
		u->popts.names = true;
		return 0;
	case OPT_ELIXIR:
		u->popts.term_flags |= TERM_ELIXIR | TERM_FUNS;
		return 0;
	case OPT_REDACT:
		u->popts.redact = true;
		return 0;
	case OPT_JSON:
		return set_style(u, a, PRINT_JSON);
	case OPT_FIXTURE:
		return set_style(u, a, PRINT_FIXTURE);
	default:
		return set_style(u, a, PRINT_DTRACE);
	}
}

/* -- what is wanted -- */

struct marking {
	struct dump *u;
	const struct match_desc *m;
};

static int mark_probe(void *ctx, struct provider_probe *p)
{
	struct marking *k = ctx;
	unsigned int ev = p->kind->event;
	const char *mod = k->m->glob[MATCH_MOD], *func = k->m->glob[MATCH_FUNC];

	k->u->events[p->vm][ev / 64] |= 1ULL << ev % 64;
	if (p->number >= 0 || ((p->flags & PROVIDER_TEMPLATE) && (*mod || *func)))
		k->u->careful[p->vm][ev / 64] |= 1ULL << ev % 64;
	return 0;
}

static int prepare_probes(struct dump *u, struct diag *d)
{
	char near[300];

	u->probes = provider_set_new();
	u->events = calloc(u->s->nr_vms, sizeof(*u->events));
	u->careful = calloc(u->s->nr_vms, sizeof(*u->careful));
	if (!u->probes || !u->events || !u->careful)
		return diag_fail(d, -ENOMEM, "no memory for probes");
	if (erlang_provide(u->probes, u->s->vms, u->s->nr_vms, d))
		return -ENOMEM;
	if (!u->match.nr)
		memset(u->events, 0xff, u->s->nr_vms * sizeof(*u->events));
	for (unsigned int i = 0; i < u->match.nr; i++) {
		const struct match_desc *m = &u->match.descs[i];
		struct marking k = { u, m };

		if (provider_each(u->probes, m, mark_probe, &k))
			continue;
		provider_suggest(u->probes, m, near, sizeof(near));
		return diag_fail(d, -ENOENT, "no probe matches %s:%s:%s:%s%s%s", m->glob[MATCH_PROV],
				 m->glob[MATCH_MOD], m->glob[MATCH_FUNC], m->glob[MATCH_NAME],
				 *near ? "; the nearest: " : "", near);
	}
	return 0;
}

static bool is_on_node(const struct src_vm *vm, const struct term_name *n)
{
	size_t len = strnlen(vm->facts.node, sizeof(vm->facts.node));

	return !n->node || (n->node_len == len && !memcmp(n->node, vm->facts.node, len));
}

static int prepare_procs(struct dump *u, struct diag *d)
{
	u->terms = calloc(u->s->nr_vms, sizeof(*u->terms));
	u->names = calloc(u->s->nr_vms, sizeof(*u->names));
	if (!u->terms || !u->names)
		return diag_fail(d, -ENOMEM, "no memory for filters");
	for (uint32_t v = 0; v < u->s->nr_vms; v++) {
		for (unsigned int i = 0; i < u->nr_procs; i++)
			if (!is_on_node(&u->s->vms[v], &u->procs[i]) ||
			    !term_make(print_terms(u->print, v), &u->procs[i], &u->terms[v][i]))
				u->terms[v][i] = 0;
		if (!u->by_name)
			continue;
		u->names[v] = names_new(1u << 20);
		if (!u->names[v])
			return diag_fail(d, -ENOMEM, "no memory for names");
	}
	return 0;
}

/* Is an atom one of the names given? */
static bool is_named(struct dump *u, uint32_t vm, uint64_t atom)
{
	size_t len;
	const char *s = atom ? term_atom_raw(print_terms(u->print, vm), atom, &len) : NULL;

	for (unsigned int i = 0; s && i < u->nr_procs; i++)
		if (u->procs[i].kind == TERM_ATOM && u->procs[i].len == len &&
		    !memcmp(u->procs[i].text, s, len))
			return true;
	return false;
}

static bool has_name(struct dump *u, uint32_t vm, uint64_t term)
{
	const struct names_proc *proc;
	const struct names_port *port;

	if (term_is_atom(term))
		return is_named(u, vm, term);
	proc = names_proc(u->names[vm], term);
	port = proc ? NULL : names_port(u->names[vm], term);
	return is_named(u, vm, proc ? proc->name : port ? port->name : 0);
}

static bool has_proc(struct dump *u, const struct src_rec *rec, uint32_t vm)
{
	const struct desc *d = desc_get(rec->event);
	uint64_t v;

	for (unsigned int i = 0; d && i < d->nr_fields; i++) {
		unsigned int type = d->fields[i].type;

		if (!desc_is_term(type) || !decode_word(rec, d, i, &v) || !v)
			continue;
		for (unsigned int k = 0; k < u->nr_procs; k++)
			if (u->terms[vm][k] == v)
				return true;
		if (u->by_name && has_name(u, vm, v))
			return true;
	}
	return false;
}

static bool is_probe_wanted(struct dump *u, const struct src_rec *rec)
{
	const struct provider_probe *p = erlang_probe_of(u->probes, u->s, rec);

	for (unsigned int i = 0; p && i < u->match.nr; i++)
		if (provider_matches(&u->match.descs[i], p))
			return true;
	return false;
}

static bool is_wanted(struct dump *u, const struct src_rec *rec)
{
	uint32_t vm = src_thread(u->s, rec->thread)->vm, ev = rec->event;

	/* What is not there may have been wanted, if anything of this node is. */
	for (unsigned int i = 0; ev >= BTAP_MAX_EVENTS && i < BTAP_MASK_WORDS; i++)
		if (u->events[vm][i])
			return true;
	if (ev >= BTAP_MAX_EVENTS)
		return false;
	if (!(u->events[vm][ev / 64] >> ev % 64 & 1))
		return false;
	if ((u->careful[vm][ev / 64] >> ev % 64 & 1) && !is_probe_wanted(u, rec))
		return false;
	return !u->nr_procs || has_proc(u, rec, vm);
}

/* -- the loop -- */

static void dtrace_probe(void *ctx, const struct src_rec *rec, struct print_probe *probe)
{
	struct dump *u = ctx;
	const struct provider_probe *p = erlang_probe_of(u->probes, u->s, rec);

	if (p)
		*probe = (struct print_probe){ p->id, p->func, p->name };
}

static uint64_t moment_ns(const struct moment *m, uint64_t first)
{
	uint64_t ns;

	if (m->is_absolute)
		return m->ns;
	return __builtin_add_overflow(first, m->ns, &ns) ? UINT64_MAX : ns;
}

static void begin(struct dump *u, const struct src_rec *rec)
{
	u->has_begun = true;
	u->from_ns = u->from.is_set ? moment_ns(&u->from, rec->ts) : 0;
	u->to_ns = u->to.is_set ? moment_ns(&u->to, rec->ts) : UINT64_MAX;
	print_start(u->print, rec->ts);
}

static inline void put_rec(struct dump *u, const struct src_rec *rec)
{
	struct decode_lost lost;

	if (decode_lost(rec, &lost)) {
		u->lost += lost.count;
		u->gaps++;
	}
	print_rec(u->print, &u->out, rec);
}

static void filter_rec(struct dump *u, const struct src_rec *rec)
{
	uint32_t vm = src_thread(u->s, rec->thread)->vm;
	struct src_rec stack = u->stack;

	u->stack.event = 0;
	if (rec->event == BTAP_EV_stack) {
		u->stack = *rec; /* printed if its event is */
		return;
	}
	if (u->by_name)
		names_feed(u->names[vm], rec);
	if (rec->ts < u->from_ns || !is_wanted(u, rec)) {
		if (u->popts.names)
			print_see(u->print, rec);
		return;
	}
	if (rec->ts > u->to_ns) {
		/* Sources hand on records in time order: nothing more comes. */
		u->is_done = true;
		return;
	}
	if (stack.event && stack.thread == rec->thread && stack.ts == rec->ts)
		put_rec(u, &stack);
	put_rec(u, rec);
	u->printed += rec->event != BTAP_LOST_EVENT;
	u->is_done = u->max && u->printed >= u->max;
}

static int dump_all(struct dump *u, struct diag *d)
{
	struct src_run run = { 0 };
	struct src_rec rec;
	int r = 0;

	print_head(u->print, &u->out);
	while (!u->is_done && !u->out.error && (r = src_run(u->s, &run, d)) > 0) {
		u->stack.event = 0;
		while (!u->is_done && src_run_next(&run, &rec)) {
			if (!u->has_begun)
				begin(u, &rec);
			if (u->is_filtered)
				filter_rec(u, &rec);
			else
				put_rec(u, &rec);
		}
	}
	return u->is_done || u->out.error ? 0 : r;
}

static int prepare(struct dump *u, struct diag *d)
{
	int r;

	if (u->popts.style == PRINT_FIXTURE && u->s->nr_vms != 1)
		return diag_fail(d, -EINVAL, "a fixture holds one node; these are %u: dump them one by one",
				 u->s->nr_vms);
	u->popts.node = u->s->nr_vms > 1;
	u->popts.probe = dtrace_probe;
	u->popts.probe_ctx = u;
	u->print = print_new(u->s, &u->popts);
	if (!u->print || outbuf_init(&u->out, STDOUT_FILENO))
		return diag_fail(d, -ENOMEM, "no memory for the printer");
	r = prepare_probes(u, d);
	if (!r)
		r = prepare_procs(u, d);
	u->is_filtered = u->match.nr || u->nr_procs || u->from.is_set || u->to.is_set || u->max;
	return r;
}

static void fini(struct dump *u)
{
	for (uint32_t v = 0; u->names && v < u->s->nr_vms; v++)
		names_free(u->names[v]);
	free(u->names);
	free(u->terms);
	free(u->events);
	free(u->careful);
	provider_set_free(u->probes);
	match_fini(&u->match);
	print_free(u->print);
	outbuf_fini(&u->out);
	src_close(u->s);
}

/* No error: the recorder was stopped in the middle of something. */
static void tell_tail(const struct src *s)
{
	char text[500];

	ctf_tail(s, text, sizeof(text));
	if (*text)
		fprintf(stderr, "beamtap dump: %s\n", text);
}

/* Return: an exit status */
static int dump_paths(struct dump *u, const char *const *paths, unsigned int nr)
{
	struct diag d = DIAG_INIT;
	int r = open_any(&u->s, paths, nr, &d), w;

	if (r)
		return cli_fail("dump", &d);
	r = prepare(u, &d);
	if (r)
		return cli_fail("dump", &d);
	r = dump_all(u, &d);
	w = outbuf_flush(&u->out);
	if (w == -EPIPE)
		return CLI_OK; /* whoever read it has seen enough */
	if (w) {
		diag_clear(&d);
		diag_fail(&d, w, "cannot write to standard output: %s", strerror(-w));
		return cli_fail("dump", &d);
	}
	if (u->lost)
		fprintf(stderr, "beamtap dump: %llu records were lost in %llu gap%s while they were recorded\n",
			(unsigned long long)u->lost, (unsigned long long)u->gaps, u->gaps == 1 ? "" : "s");
	if (nr == 1 && !u->is_done)
		tell_tail(u->s);
	return r < 0 ? cli_fail("dump", &d) : CLI_OK;
}

int dump_main(int argc, char **argv)
{
	struct cli_args a = {
		.name = "dump",
		.synopsis = "dump [-e GLOB]... [-p PROC]... [--from TIME] [--to TIME] [-n N]\n"
			    "     [--json | --fixture | --dtrace] [--time KIND] [--names] [--elixir] [--redact]\n"
			    "     PATH...",
		.about = "Prints events, one a line, in time order.  PATH is a recording, the region of a\n"
			 "node, alive or dead, or a text fixture; several are merged.  -e and -p may be\n"
			 "repeated: one of them has to fit.",
		.opts = opts,
		.argc = argc,
		.argv = argv,
		.at = 1,
	};
	struct dump u = { 0 };
	const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	unsigned int nr = 0;
	int id, status = 0;

	if (!paths)
		return CLI_FAILED;
	if (argc > 1 && !strncmp(argv[1], "--after=", 8)) {
		free(paths);
		return dump_d_main(argc, argv);
	}
	while (!status && (id = cli_next(&a)) != CLI_END) {
		if (id == CLI_OPERAND)
			paths[nr++] = a.value;
		else if (id == CLI_BAD)
			status = CLI_USAGE;
		else if (id == CLI_HELP)
			goto done;
		else if (id != CLI_DASHES)
			status = take_option(&u, &a, id);
	}
	if (!status && !nr)
		status = cli_usage(&a, "say what to dump: a recording's directory, a region or a fixture");
	if (!status) {
		signal(SIGPIPE, SIG_IGN);
		status = dump_paths(&u, paths, nr);
	}
done:
	fini(&u);
	free(paths);
	return status;
}
