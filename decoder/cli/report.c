// SPDX-License-Identifier: Apache-2.0
/* report.c - beamtap report: what happened in one or several recordings */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "report/report.h"
#include "source/ctf.h"
#include "source/open.h"

enum { OPT_TOP = 256, OPT_SECTIONS, OPT_ELIXIR, OPT_FROM, OPT_TO, OPT_REDACT };

static const struct cli_opt opts[] = {
	{ OPT_TOP, "top", "N", "rows of a table (10)" },
	{ OPT_SECTIONS, "sections", "LIST",
	  "only these sections, with commas between: processes,gc" },
	{ OPT_ELIXIR, "elixir", NULL, "write the names of modules as Elixir does" },
	{ OPT_FROM, "from", "T", "count from this time after the first event on: 2s, 150ms" },
	{ OPT_TO, "to", "T", "count up to this time after the first event" },
	{ OPT_REDACT, "redact", NULL, "of exit reasons and tags print only the size" },
	{ 0 },
};

/* Told when the files end in the middle of a packet: the recorder was killed, or the disk full. */
static void tell_cut(const struct src *s, const char *path)
{
	char text[400];

	if (ctf_is_recording(path) && ctf_tail(s, text, sizeof(text)))
		printf("\nThe recording was cut off: %s\n", text);
}

static int run(struct cli_args *a, const struct report_opts *o, const char **paths, unsigned int nr)
{
	struct diag d = DIAG_INIT;
	struct src *s;
	int err = open_any(&s, paths, nr, &d);

	if (!err) {
		err = report_run(s, o, stdout, &d);
		if (!err && nr == 1)
			tell_cut(s, paths[0]);
		src_close(s);
	}
	if (!err)
		return CLI_OK;
	fflush(stdout);
	if (err == -EINVAL && o->sections)
		diag_fail(&d, err, "cannot report");
	return cli_fail(a->name, &d);
}

int report_main(int argc, char **argv)
{
	struct cli_args a = {
		.name = "report",
		.synopsis = "beamtap report [--top N] [--sections LIST] [--elixir] [--from T] "
			    "[--to T]\n"
			    "                      [--redact] DIR...",
		.about = "Tells what happened in a recording: which processes ran, who sent to "
			 "whom, how long\n"
			 "messages, garbage collection and waiting took, what ended and why.  DIR "
			 "is a\n"
			 "recording; the region of a node, alive or dead, and a fixture do as "
			 "well.\n"
			 "Sections: processes messages latency gc schedulers exits ports calls "
			 "other.",
		.opts = opts,
		.argc = argc,
		.argv = argv,
		.at = 1,
	};
	struct report_opts o = REPORT_OPTS_INIT;
	const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	unsigned int nr = 0;
	uint64_t n;
	int id, status;

	if (!paths)
		return CLI_FAILED;
	while ((id = cli_next(&a)) != CLI_END) {
		status = CLI_OK;
		switch (id) {
		case CLI_OPERAND:
			paths[nr++] = a.value;
			break;
		case CLI_DASHES:
			break;
		case OPT_TOP:
			if (cli_number(a.value, 1, 100000, &n))
				status = cli_usage(
					&a, "--top takes a number from 1 to 100000, not '%s'",
					a.value);
			o.top = (unsigned int)n;
			break;
		case OPT_SECTIONS:
			o.sections = a.value;
			break;
		case OPT_ELIXIR:
			o.elixir = true;
			break;
		case OPT_REDACT:
			o.redact = true;
			break;
		case OPT_FROM:
		case OPT_TO:
			if (cli_duration(a.value, id == OPT_FROM ? &o.from_ns : &o.to_ns))
				status = cli_usage(&a, "'%s' is no time: 2s, 150ms, 1.5", a.value);
			break;
		default:
			free(paths);
			return id == CLI_HELP ? CLI_OK : CLI_USAGE;
		}
		if (status != CLI_OK) {
			free(paths);
			return status;
		}
	}
	if (!nr)
		status = cli_usage(&a, "which recording?");
	else if (o.from_ns > o.to_ns)
		status = cli_usage(&a, "--from is later than --to");
	else
		status = run(&a, &o, paths, nr);
	free(paths);
	return status;
}
