// SPDX-License-Identifier: Apache-2.0
/*
 * print.c - one event, one line: for people, and as dtrace(1) prints a record
 *
 * The parts of a line that do not change (names of events, fields and threads,
 * with their padding) are made once; a line is then copies of these and numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "event/print_own.h"

#define EVENT_COLUMN  20
#define THREAD_COLUMN 9

static const char *const thread_kinds[] = { "other", "scheduler", "dirty_cpu",
					    "dirty_io", "async", "poll" };
/* Shorter, to leave room for what happened. */
static const char *const short_kinds[] = { "other", "sched", "dcpu", "dio", "async", "poll" };

static const char *kind_name(const char *const *names, uint32_t kind)
{
	return names[kind < 6 ? kind : 0];
}

/* Texts of the project's own making, and addresses, hold nothing of users; all others may. */
static bool is_users(const struct desc *d, const struct desc_field *f)
{
	return f->type == DESC_text && strncmp(d->name, "tap_", 4) &&
	       strncmp(d->name, "socket_", 7) && strcmp(f->name, "receiver");
}

char *print_redacted(char *c, const struct decode_text *t)
{
	*c++ = '<';
	c = outbuf_put_u64(c, t->len);
	memcpy(c, " bytes>", 7);
	return c + 7;
}

static void make_plan(struct print_plan *plan, const struct desc *d, const struct print_opts *opts)
{
	bool is_json = opts->style == PRINT_JSON;
	unsigned int i;

	if (is_json)
		plan->len = (uint8_t)snprintf(plan->name, sizeof(plan->name), "%s", d->name);
	else
		plan->len = (uint8_t)snprintf(plan->name, sizeof(plan->name), " %-*s",
					      EVENT_COLUMN, d->dname);
	plan->nr_fields = d->nr_fields;
	for (i = 0; i < d->nr_fields; i++) {
		struct print_field *f = &plan->field[i];
		const char *name = d->fields[i].name;

		if (is_json)
			f->len = (uint8_t)snprintf(f->lit, sizeof(f->lit), "%s\"%s\":",
						   i ? "," : "", name);
		else
			f->len = (uint8_t)snprintf(f->lit, sizeof(f->lit), " %s=", name);
		f->type = d->fields[i].type;
		f->is_opt = d->fields[i].is_opt;
		f->is_redacted = opts->redact && is_users(d, &d->fields[i]);
	}
}

struct print *print_new(const struct src *s, const struct print_opts *opts)
{
	struct print *p = calloc(1, sizeof(*p));
	unsigned int i;

	if (!p)
		return NULL;
	p->s = s;
	p->opts = *opts;
	p->wall_second = INT64_MIN;
	p->plans = calloc(BTAP_MAX_EVENTS, sizeof(*p->plans));
	p->vms = calloc(s->nr_vms ? s->nr_vms : 1, sizeof(*p->vms));
	if (!p->plans || !p->vms)
		goto free_print;
	for (i = 0; i < BTAP_MAX_EVENTS; i++)
		if (desc_get(i))
			make_plan(&p->plans[i], desc_get(i), opts);
	for (; p->nr_vms < s->nr_vms; p->nr_vms++) {
		struct print_vm *vm = &p->vms[p->nr_vms];

		if (term_init(&vm->terms, &s->vms[p->nr_vms], opts->term_flags))
			goto free_print;
		if (!opts->names)
			continue;
		vm->names = names_new(1u << 20);
		if (!vm->names) {
			p->nr_vms++;
			goto free_print;
		}
	}
	return p;
free_print:
	print_free(p);
	return NULL;
}

void print_free(struct print *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->nr_vms; i++) {
		term_fini(&p->vms[i].terms);
		names_free(p->vms[i].names);
	}
	free(p->vms);
	free(p->plans);
	free(p->threads);
	free(p);
}

struct term_vm *print_terms(struct print *p, uint32_t vm)
{
	return &p->vms[vm].terms;
}

void print_head(struct print *p, struct outbuf *o)
{
	if (p->opts.style == PRINT_DTRACE)
		outbuf_str(o, "CPU     ID                    FUNCTION:NAME\n");
	else if (p->opts.style == PRINT_FIXTURE)
		print_fixture_head(p, o);
}

struct print_thread *print_thread(struct print *p, uint32_t i)
{
	const struct src_thread *th = src_thread(p->s, i);
	struct print_thread *t;
	char name[32];

	if (i >= p->nr_threads) {
		uint32_t nr = i + 64;

		t = realloc(p->threads, nr * sizeof(*t));
		if (!t)
			return NULL;
		memset(t + p->nr_threads, 0, (nr - p->nr_threads) * sizeof(*t));
		p->threads = t;
		p->nr_threads = nr;
	}
	t = &p->threads[i];
	if (!t->is_made) {
		bool is_text = p->opts.style == PRINT_TEXT;

		snprintf(name, sizeof(name), "%s/%u",
			 kind_name(is_text ? short_kinds : thread_kinds, th->kind), th->number);
		t->len = (uint8_t)snprintf(t->text, sizeof(t->text), "%s%-*s", is_text ? " " : "",
					   is_text ? THREAD_COLUMN : 0, name);
		t->is_made = true;
	}
	return t;
}

static char *put_seconds(char *c, uint64_t ns)
{
	uint64_t s = ns / 1000000000;
	unsigned int width = s < 10 ? 1 : s < 100 ? 2 : s < 1000 ? 3 : 4;

	for (; width < 4; width++)
		*c++ = ' ';
	c = outbuf_put_u64(c, s);
	*c++ = '.';
	return outbuf_put_pad9(c, (uint32_t)(ns % 1000000000));
}

static char *put_wall(struct print *p, char *c, const struct src_rec *rec)
{
	const struct btap_facts *f = &src_vm_of(p->s, rec)->facts;
	uint64_t ns = f->real_ns + (rec->ts - f->mono_ns);
	int64_t second = (int64_t)(ns / 1000000000);
	struct tm tm;
	time_t t = second;

	if (second != p->wall_second) {
		if (!localtime_r(&t, &tm) || !strftime(p->wall_text, sizeof(p->wall_text), "%H:%M:%S", &tm))
			strcpy(p->wall_text, "??:??:??");
		p->wall_second = second;
	}
	memcpy(c, p->wall_text, 8);
	c[8] = '.';
	return outbuf_put_pad9(c + 9, (uint32_t)(ns % 1000000000));
}

static char *put_time(struct print *p, char *c, const struct src_rec *rec)
{
	uint64_t from = 0;

	if (!p->has_start) {
		p->start_ns = rec->ts;
		p->has_start = true;
	}
	switch (p->opts.time) {
	case PRINT_WALL:
		return put_wall(p, c, rec);
	case PRINT_RELATIVE:
		from = p->start_ns;
		break;
	case PRINT_DELTA:
		from = p->last_ns ? p->last_ns : rec->ts;
		p->last_ns = rec->ts;
		break;
	case PRINT_MONO:
		break;
	}
	if (rec->ts < from) { /* a live start, or records that came late */
		*c++ = '-';
		return put_seconds(c, from - rec->ts);
	}
	return put_seconds(c, rec->ts - from);
}

static char *put_text(struct outbuf *o, char *c, const struct src_rec *rec, unsigned int pos,
		      bool is_redacted)
{
	struct decode_text t = decode_text_at(rec, pos);

	if (!t.at) {
		*c++ = '?';
		return c;
	}
	if (is_redacted)
		return print_redacted(c, &t);
	*c++ = '"';
	outbuf_done(o, c);
	outbuf_escaped(o, t.at, t.len, '"');
	c = outbuf_room(o, PRINT_ROOM);
	*c++ = '"';
	return c;
}

/* [m:f/1+12,m:g/0]; a line that is not known is left away */
static char *put_frames(struct outbuf *o, char *c, struct print_vm *vm, const struct decode_frames *f)
{
	const char *s;
	size_t len;

	*c++ = '[';
	for (uint32_t i = 0; i < f->nr; i++) {
		if (i)
			*c++ = ',';
		s = term_mfa_text(&vm->terms, f->at[2 * i], &len);
		c = print_mem(o, c, s, len);
		if (f->at[2 * i + 1]) {
			*c++ = '+';
			c = outbuf_put_u64(c, f->at[2 * i + 1]);
		}
	}
	*c++ = ']';
	return c;
}

static char *put_string(struct outbuf *o, char *c, const struct print_vm *vm, uint64_t number)
{
	size_t len;
	const char *s = vm->terms.strs ? src_string(vm->terms.strs, number, &len) : NULL;

	if (!s) {
		memcpy(c, "#String<", 8);
		c = outbuf_put_u64(c + 8, number);
		*c++ = '>';
		return c;
	}
	*c++ = '"';
	outbuf_done(o, c);
	outbuf_escaped(o, s, len, '"');
	c = outbuf_room(o, PRINT_ROOM);
	*c++ = '"';
	return c;
}

static char *put_name(struct outbuf *o, char *c, struct print_vm *vm, uint64_t pid)
{
	const struct names_proc *proc = names_proc(vm->names, pid);
	const char *s;
	size_t len;

	if (!proc || !proc->name)
		return c;
	s = term_atom_text(&vm->terms, proc->name, &len);
	*c++ = '(';
	c = print_mem(o, c, s, len);
	*c++ = ')';
	return c;
}

/* A word that is known. */
static inline char *put_word(struct outbuf *o, char *c, struct print_vm *vm, unsigned int type,
			     uint64_t v)
{
	const char *s;
	size_t len;

	switch (type) {
	case DESC_pid:
	case DESC_ident:
	case DESC_port:
	case DESC_atom:
		if (term_is_pid(v)) {
			c = term_put_pid(c, &vm->terms, v);
			return vm->names ? put_name(o, c, vm, v) : c;
		}
		if (term_is_port(v))
			return term_put_port(c, &vm->terms, v);
		if (term_is_atom(v)) {
			s = term_atom_text(&vm->terms, v, &len);
			return print_mem(o, c, s, len);
		}
		outbuf_done(o, c);
		term_put(o, &vm->terms, v);
		return outbuf_room(o, PRINT_ROOM);
	case DESC_mfa:
		s = term_mfa_text(&vm->terms, v, &len);
		return print_mem(o, c, s, len);
	case DESC_str:
		return put_string(o, c, vm, v);
	case DESC_hex:
		return outbuf_put_hex(c, v);
	case DESC_u64:
	case DESC_msgid:
		return outbuf_put_u64(c, v);
	default:
		return outbuf_put_i64(c, (int64_t)v);
	}
}

static char *put_fields(struct outbuf *o, char *c, struct print_vm *vm,
			const struct print_plan *plan, const struct src_rec *rec)
{
	const struct print_field *f = plan->field, *end = f + plan->nr_fields;
	unsigned int pos = 1;

	for (; f < end && pos < rec->nr_words; f++) {
		uint64_t v = rec->words[pos];

		if (f->type == DESC_text) {
			memcpy(c, f->lit, PRINT_LIT);
			c = put_text(o, c + f->len, rec, pos, f->is_redacted);
			pos += v == BTAP_TEXT_NONE ? 1 : 1 + (unsigned int)((v + 7) / 8);
			continue;
		}
		if (f->type == DESC_frames) {
			struct decode_frames frames = decode_frames_at(rec, pos);

			memcpy(c, f->lit, PRINT_LIT);
			c = put_frames(o, c + f->len, vm, &frames);
			pos += 1 + 2 * frames.nr;
			continue;
		}
		pos++;
		if (!decode_is_known(f->type, v)) {
			/* A stock VM knows few sizes and lengths: nothing to tell people. */
			if (f->is_opt || f->type == DESC_msgid || f->type == DESC_words ||
			    f->type == DESC_bytes || f->type == DESC_count)
				continue;
			memcpy(c, f->lit, PRINT_LIT);
			c += f->len;
			*c++ = '?';
			continue;
		}
		if (f->type == DESC_msgid && !v)
			continue;
		memcpy(c, f->lit, PRINT_LIT);
		c = put_word(o, c + f->len, vm, f->type, v);
	}
	return c;
}

static char *put_node(struct print *p, struct outbuf *o, char *c, const struct src_rec *rec)
{
	const struct btap_facts *f = &src_vm_of(p->s, rec)->facts;
	size_t len = strnlen(f->node, sizeof(f->node)), pad;

	*c++ = ' ';
	outbuf_done(o, c);
	outbuf_escaped(o, f->node, len, 0);
	c = outbuf_room(o, PRINT_ROOM);
	for (pad = len; pad < 14; pad++)
		*c++ = ' ';
	return c;
}

static char *put_moment(struct print *p, char *c, const struct src_rec *rec, uint64_t ns)
{
	struct src_rec then = *rec;

	then.ts = ns;
	if (p->opts.time == PRINT_WALL)
		return put_wall(p, c, &then);
	if (p->opts.time != PRINT_MONO)
		ns = ns > p->start_ns ? ns - p->start_ns : 0;
	c = outbuf_put_u64(c, ns / 1000000000);
	*c++ = '.';
	return outbuf_put_pad9(c, (uint32_t)(ns % 1000000000));
}

static void print_text(struct print *p, struct outbuf *o, const struct src_rec *rec)
{
	struct print_vm *vm = &p->vms[src_thread(p->s, rec->thread)->vm];
	const struct print_thread *t = print_thread(p, rec->thread);
	const struct print_plan *plan;
	struct decode_lost lost;
	char *c = outbuf_room(o, PRINT_ROOM);

	c = put_time(p, c, rec);
	if (p->opts.node)
		c = put_node(p, o, c, rec);
	if (t) {
		memcpy(c, t->text, sizeof(t->text));
		c += t->len;
	}
	if (decode_lost(rec, &lost)) {
		memcpy(c, " LOST ", 6);
		c = outbuf_put_u64(c + 6, lost.count);
		c += sprintf(c, " record%s here, ", lost.count == 1 ? "" : "s");
		c = put_moment(p, c, rec, lost.begin_ns);
		memcpy(c, " to ", 4);
		c = put_moment(p, c + 4, rec, lost.end_ns);
	} else if (rec->event < BTAP_MAX_EVENTS) {
		plan = &p->plans[rec->event];
		memcpy(c, plan->name, sizeof(plan->name));
		c = put_fields(o, c + plan->len, vm, plan, rec);
	}
	*c++ = '\n';
	outbuf_done(o, c);
}

static void print_dtrace(struct print *p, struct outbuf *o, const struct src_rec *rec)
{
	const struct src_thread *th = src_thread(p->s, rec->thread);
	struct print_vm *vm = &p->vms[th->vm];
	struct print_probe probe = { 0, "", "" };
	struct decode_lost lost;
	char *c = outbuf_room(o, PRINT_ROOM);

	if (decode_lost(rec, &lost)) {
		c += sprintf(c, "[%llu drop%s on CPU %u]\n", (unsigned long long)lost.count,
			     lost.count == 1 ? "" : "s", th->number);
		outbuf_done(o, c);
		return;
	}
	if (rec->event >= BTAP_MAX_EVENTS)
		return;
	if (rec->event == BTAP_EV_stack) /* no probe's */
		probe.name = "stack";
	if (p->opts.probe)
		p->opts.probe(p->opts.probe_ctx, rec, &probe);
	/* Borrowed names may be of any length: the buffer's room is not enough to trust them. */
	c += snprintf(c, PRINT_ROOM, "%3u %6u ", th->number, probe.id);
	outbuf_done(o, c);
	for (size_t n = strlen(probe.func) + strlen(probe.name) + 1; n < 32; n++)
		outbuf_char(o, ' ');
	outbuf_str(o, probe.func);
	outbuf_char(o, ':');
	outbuf_str(o, probe.name);
	c = put_fields(o, outbuf_room(o, PRINT_ROOM), vm, &p->plans[rec->event], rec);
	*c++ = '\n';
	outbuf_done(o, c);
}

void print_start(struct print *p, uint64_t ns)
{
	p->start_ns = ns;
	p->has_start = true;
}

void print_see(struct print *p, const struct src_rec *rec)
{
	struct print_vm *vm = &p->vms[src_thread(p->s, rec->thread)->vm];

	if (vm->names && names_is_wanted(rec->event))
		names_feed(vm->names, rec);
}

void print_rec(struct print *p, struct outbuf *o, const struct src_rec *rec)
{
	if (p->opts.names)
		print_see(p, rec);
	switch (p->opts.style) {
	case PRINT_TEXT:
		print_text(p, o, rec);
		break;
	case PRINT_DTRACE:
		print_dtrace(p, o, rec);
		break;
	case PRINT_JSON:
		print_json(p, o, rec);
		break;
	case PRINT_FIXTURE:
		print_fixture(p, o, rec);
		break;
	}
}
