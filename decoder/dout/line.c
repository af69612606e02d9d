// SPDX-License-Identifier: Apache-2.0
/* line.c - what stands before a record's data: CPU, number, FUNCTION:NAME; with -F the tree of calls */
#include <string.h>
#include "dout/line.h"
#include "dout/put.h"

#define FLOW_WIDTH 41
#define NAME_WIDTH 32

static void heading(struct dout *o)
{
	if (o->is_headed)
		return;
	o->is_headed = true;
	if (o->opts.flowindent) {
		if (!o->opts.testing)
			put_text(&o->buf, "CPU ", 4, 0);
		put_text(&o->buf, "FUNCTION", 8, FLOW_WIDTH);
	} else {
		if (!o->opts.testing)
			put_printf(&o->buf, "%3s %6s ", "CPU", "ID");
		put_printf(&o->buf, "%32s", "FUNCTION:NAME");
	}
	outbuf_char(&o->buf, '\n');
}

/* "func:name", right-aligned */
static void full_name(struct dout *o, const struct vm_probe *p, int width)
{
	size_t n = strlen(p->func), m = strlen(p->name);

	if (width > 0 && n + m + 1 < (size_t)width)
		outbuf_fill(&o->buf, ' ', (size_t)width - n - m - 1);
	outbuf_mem(&o->buf, p->func, n);
	outbuf_char(&o->buf, ':');
	outbuf_mem(&o->buf, p->name, m);
}

static void flow_head(struct dout *o, const struct vm_record *r)
{
	const struct vm_probe *p = r->probe;
	bool is_syscall = !strcmp(p->prov, "syscall");
	/* the first record of an entry begins a call, the last one of a return ends it */
	bool is_entry = p->is_entry && o->firing != r->firing + 1, is_return = p->is_return && !r->is_more;
	uint32_t depth;
	size_t from;

	if (!o->opts.testing) {
		put_udec(&o->buf, r->cpu, 3);
		outbuf_char(&o->buf, ' ');
	}
	from = o->buf.len;
	o->firing = r->firing + 1;
	depth = is_entry    ? flow_enter(&o->flow, &r->who, r->depth)
		: is_return ? flow_leave(&o->flow, &r->who, r->depth)
			    : flow_depth(&o->flow, &r->who);
	outbuf_fill(&o->buf, ' ', 2 * (size_t)depth + (is_entry || is_return));
	if (is_entry || is_return) {
		const char *mark = is_entry ? "-> " : "<- ";

		if (is_syscall)
			mark = is_entry ? "=> " : "<= ";
		outbuf_str(&o->buf, mark);
		outbuf_str(&o->buf, p->func);
	} else {
		outbuf_str(&o->buf, "| ");
		full_name(o, p, 0);
	}
	/* the buffer may have been written out in between: then the line was long */
	if (o->buf.len >= from && o->buf.len - from < FLOW_WIDTH)
		outbuf_fill(&o->buf, ' ', FLOW_WIDTH - (o->buf.len - from));
	outbuf_char(&o->buf, ' ');
}

void line_head(struct dout *o, const struct vm_record *r)
{
	outbuf_room(&o->buf, 1024); /* so that a line's begin stays where it is */
	heading(o);
	if (o->opts.flowindent) {
		flow_head(o, r);
		return;
	}
	if (!o->opts.testing) {
		put_udec(&o->buf, r->cpu, 3);
		outbuf_char(&o->buf, ' ');
		put_udec(&o->buf, r->probe->id, 6);
		outbuf_char(&o->buf, ' ');
	}
	full_name(o, r->probe, NAME_WIDTH);
	outbuf_char(&o->buf, ' ');
}
