// SPDX-License-Identifier: Apache-2.0
/* dtrace_run.c - a compiled program is enabled, run, and its output written */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/dtrace.h"
#include "drun/rec.h"

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

static void message(void *ctx, const char *tag, const char *text)
{
	struct dtrace *dt = ctx;

	if (tag && dt->opts.droptags)
		dtrace_say("[%s] %s", tag, text);
	else
		dtrace_say("%s", text);
}

static void record(void *ctx, const struct vm_record *r)
{
	struct dtrace *dt = ctx;

	dout_record(&dt->out, r);
}

static void flush(void *ctx)
{
	struct dtrace *dt = ctx;

	dout_flush(&dt->out);
}

static void interrupted(void *ctx)
{
	struct dtrace *dt = ctx;

	dout_interrupted(&dt->out);
}

/* setopt(): what may change while the script runs is how its output looks, and how often it comes. */
static const char *set_running(void *ctx, const char *name, const char *value)
{
	struct dtrace *dt = ctx;
	int err = dtrace_opt_set_running(&dt->opts, name, value ? dtrace_keep(dt, strdup(value)) : NULL);

	if (!err)
		err = run_rates(&dt->run, dt->opts.run.switch_ns, dt->opts.run.agg_ns);
	dt->run.opts.is_flow = dt->opts.out.flowindent;
	dt->out.opts = dt->opts.out;
	return err ? dlang_option_error(err) : NULL;
}

static bool fits_buffer(struct dtrace *dt)
{
	for (uint32_t c = 0; c < dt->prog->nr_clauses; c++)
		if (rec_size(dt->prog, c, dt->opts.run.vm.strsize) > dt->opts.bufsize)
			return false;
	if (dt->opts.bufsize < 4096 && !dt->opts.quiet_resize)
		fprintf(stderr, "bufsize increased to 4096\n");
	return true;
}

static int enable(struct dtrace *dt)
{
	struct run_sink sink = { dt, record, message, flush, interrupted };
	struct run_opts *o = &dt->opts.run;
	struct diag d = DIAG_INIT;
	int err;

	o->vm.destructive = dt->opts.destructive;
	o->is_flow = dt->opts.out.flowindent;
	o->is_live = dt->from.is_live;
	o->vm.show_copies = o->is_live && o->agg_ns;
	o->stop = &stop;
	o->is_ended = dtrace_src_is_ended;
	o->want = o->is_live ? dtrace_src_want : NULL;
	o->ctx = dt;
	err = run_init(&dt->run, dt->prog, &dt->probes, dt->from.src, o, &sink, &d);
	if (err) {
		dtrace_say("could not enable tracing: %s", d.nr ? d.text[0] : strerror(-err));
		return -1;
	}
	for (uint32_t u = 0; u < dt->prog->nr_units && !dt->opts.out.quiet; u++) {
		unsigned int n = run_matched(&dt->run, u);

		dtrace_say("%s matched %u probe%s", dt->units[u].name, n, n == 1 ? "" : "s");
	}
	if (dt->opts.destructive && !dt->opts.out.quiet)
		dtrace_say("allowing destructive actions");
	if (!fits_buffer(dt)) {
		dtrace_say("could not enable tracing: Enabling exceeds size of buffer");
		return -1;
	}
	err = run_enable(&dt->run, &d);
	if (err)
		dtrace_say("could not enable tracing: %s", d.nr ? d.text[0] : strerror(-err));
	return err;
}

static int open_output(struct dtrace *dt)
{
	int fd = 1;

	if (dt->output) {
		fd = open(dt->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (fd < 0) {
			dtrace_say("failed to open %s: %s", dt->output, strerror(errno));
			return -1;
		}
	}
	if (dout_init(&dt->out, fd, &dt->opts.out))
		return -1;
	dt->out.run = &dt->run;
	dt->out.set_option = set_running;
	dt->out.ctx = dt;
	return 0;
}

int dtrace_run(struct dtrace *dt)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct diag d = DIAG_INIT;
	int err;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	dt->opts.out.testing = getenv("_DTRACE_TESTING") != NULL;
	dt->opts.run.no_fast = getenv("BEAMTAP_NO_FAST") != NULL; /* for tests */
	dt->opts.out.strsize = dt->opts.run.vm.strsize;
	if (enable(dt))
		return CLI_FAILED;
	if (open_output(dt))
		return CLI_FAILED;
	dtrace_src_go(dt);
	err = run_loop(&dt->run, &d);
	dout_end(&dt->out);
	if (dt->out.buf.error && dt->out.buf.error != -EPIPE) {
		dtrace_say("failed to write: %s", strerror(-dt->out.buf.error));
		return CLI_FAILED;
	}
	if (err) {
		for (unsigned int i = d.nr; i--;)
			dtrace_say("%s", d.text[i]);
		return CLI_FAILED;
	}
	return dt->run.vm.status & 0xff;
}
