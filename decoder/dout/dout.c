// SPDX-License-Identifier: Apache-2.0
/*
 * dout.c - a record's actions, done in order
 *
 * Whether output is quiet is looked at when the record begins and, for its
 * newline, when it ends: setopt("quiet") in between acts as in dtrace(1).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "drun/rec.h"
#include "dout/dout.h"
#include "dout/fmt.h"
#include "dout/line.h"
#include "dout/object.h"
#include "dout/printa.h"
#include "dout/trace.h"

int dout_init(struct dout *o, int fd, const struct dout_opts *opts)
{
	memset(o, 0, sizeof(*o));
	o->opts = *opts;
	o->fd = fd;
	o->other_fd = -1;
	return outbuf_init(&o->buf, fd);
}

void dout_fini(struct dout *o)
{
	if (o->other_fd >= 0) {
		outbuf_flush(&o->buf);
		close(o->other_fd);
	}
	outbuf_fini(&o->buf);
	flow_fini(&o->flow);
}

void dout_flush(void *ctx)
{
	struct dout *o = ctx;

	if (o->buf.fd >= 0)
		outbuf_flush(&o->buf);
}

void dout_interrupted(void *ctx)
{
	struct dout *o = ctx;

	if (!o->opts.no_data)
		outbuf_char(&o->buf, '\n');
}

/* -- printf and kin -- */

/* Where the words of each value begin; @at holds as many as the action has values. */
static void value_words(const struct dprog_action *act, const uint64_t *words, const uint64_t **at)
{
	for (unsigned int i = 0; i < act->nr_values; i++) {
		at[i] = words;
		words += act->values[i].kind == DPROG_BYTES ? (act->values[i].size + 7) / 8 : 1;
	}
}

static void print_format(struct dout *o, struct outbuf *b, const struct dprog_action *act, const uint64_t *words)
{
	const uint64_t *at[DPROG_MAX_ARGS];
	const struct dfmt *f = act->fmt;

	if (!f || act->nr_values > DPROG_MAX_ARGS)
		return;
	value_words(act, words, at);
	for (uint32_t i = 0; i < f->nr; i++) {
		outbuf_mem(b, f->convs[i].lit, f->convs[i].lit_len);
		if (f->convs[i].conv && f->convs[i].arg < act->nr_values)
			trace_conv(o, b, &f->convs[i], act->values, act->nr_values, at);
	}
}

/* What a format makes, as text of its own; NULL without memory. */
static const char *formatted(struct dout *o, struct outbuf *b, const struct dprog_action *act, const uint64_t *words)
{
	if (outbuf_init(b, -1))
		return NULL;
	print_format(o, b, act, words);
	return outbuf_cstr(b);
}

static void run_command(struct dout *o, const struct dprog_action *act, const uint64_t *words)
{
	struct outbuf b;
	const char *cmd = formatted(o, &b, act, words);

	dout_flush(o); /* so that its output comes behind ours */
	if (cmd && system(cmd) < 0)
		fprintf(stderr, "dtrace: failed to run \"%s\": %s\n", cmd, strerror(errno));
	if (cmd)
		outbuf_fini(&b);
}

static void reopen(struct dout *o, const struct dprog_action *act, const uint64_t *words)
{
	struct outbuf b;
	const char *path = formatted(o, &b, act, words);
	int fd = -1;

	if (!path)
		return;
	dout_flush(o);
	if (*path) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0) {
			fprintf(stderr, "dtrace: freopen of \"%s\" failed: %s\n", path, strerror(errno));
			outbuf_fini(&b);
			return;
		}
	}
	if (o->other_fd >= 0)
		close(o->other_fd);
	o->other_fd = fd;
	o->buf.fd = fd >= 0 ? fd : o->fd;
	outbuf_fini(&b);
}

static void empty_file(struct dout *o)
{
	int fd = o->buf.fd;

	dout_flush(o);
	if (fd >= 0 && !ftruncate(fd, 0))
		lseek(fd, 0, SEEK_SET);
}

static void set_option(struct dout *o, const struct dprog_action *act, const uint64_t *words)
{
	const char *name, *value = NULL, *why;
	size_t n;

	name = vm_text(&o->run->vm, words[0], &n);
	if (act->nr_values > 1)
		value = vm_text(&o->run->vm, words[1], &n);
	why = o->set_option ? o->set_option(o->ctx, name, value) : NULL;
	if (why)
		fprintf(stderr, "dtrace: couldn't set option \"%s\"%s%s%s: %s\n", name, value ? " to \"" : "",
			value ? value : "", value ? "\"" : "", why);
}

static void do_action(struct dout *o, const struct dprog_action *act, const uint64_t *words, bool quiet)
{
	switch (act->kind) {
	case DPROG_ACT_PRINTF:
		print_format(o, &o->buf, act, words);
		return;
	case DPROG_ACT_SYSTEM:
		run_command(o, act, words);
		return;
	case DPROG_ACT_FREOPEN:
		reopen(o, act, words);
		return;
	case DPROG_ACT_FTRUNCATE:
		empty_file(o);
		return;
	case DPROG_ACT_SETOPT:
		set_option(o, act, words);
		return;
	case DPROG_ACT_TRACEMEM:
		trace_dump(o, words + 2, words[1]);
		return;
	case DPROG_ACT_PRINT:
		object_print(o, act->type, words[0], words + 1, act->type ? act->type->size : 0);
		return;
	case DPROG_ACT_PRINTA:
		printa_action(o, act);
		return;
	case DPROG_ACT_CLEAR:
	case DPROG_ACT_TRUNC:
	case DPROG_ACT_NORMALIZE:
	case DPROG_ACT_DENORMALIZE:
		printa_change(o, act, words);
		return;
	default:
		if (act->nr_values)
			trace_value(o, &act->values[0], words, quiet);
	}
}

void dout_record(void *ctx, const struct vm_record *r)
{
	struct dout *o = ctx;
	const struct dprog *prog = o->run->prog;
	bool quiet = o->opts.quiet;

	if (o->opts.no_data)
		return;
	if (!quiet || o->opts.flowindent)
		line_head(o, r);
	for (uint32_t i = 0; i < r->nr_words; i += rec_words(prog, &r->words[i]))
		do_action(o, &prog->actions[r->words[i]], &r->words[i + 1], quiet);
	if (!o->opts.quiet)
		outbuf_char(&o->buf, '\n');
}

void dout_end(struct dout *o)
{
	if (o->opts.no_data)
		return;
	outbuf_char(&o->buf, '\n');
	for (uint32_t i = 0; i < o->run->prog->nr_aggs; i++)
		if (!o->run->vm.aggs[i].is_printed)
			printa_default(o, &o->run->vm.aggs[i]);
	dout_flush(o);
}
