// SPDX-License-Identifier: Apache-2.0
/*
 * print_fixture.c - events as docs/fixtures.md has them: what is printed here reads back to the same records
 *
 * A thread that has a kernel's thread id gets its `thread` line before its
 * first event; one that has none is what a reader makes by itself.
 */
#include <stdio.h>
#include "event/print_own.h"

static void put_quoted(struct outbuf *o, const char *s, size_t len, char quote)
{
	outbuf_char(o, quote);
	outbuf_escaped(o, s, len, quote);
	outbuf_char(o, quote);
}

static bool is_bare(const char *s, size_t len)
{
	if (!len || *s < 'a' || *s > 'z' || atom_is_reserved(s, len, 0))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z') && !(s[i] >= '0' && s[i] <= '9') &&
		    s[i] != '_' && s[i] != '@')
			return false;
	return true;
}

static void put_number(struct outbuf *o, const char *kind, uint64_t n)
{
	outbuf_str(o, kind);
	outbuf_u64(o, n);
	outbuf_char(o, '>');
}

static void put_atom(struct outbuf *o, const struct print_vm *vm, uint64_t number)
{
	size_t len;
	const char *s = term_atom_raw(&vm->terms, BTAP_ATOM_TERM(number), &len);

	if (!s)
		put_number(o, "#Atom<", number);
	else if (is_bare(s, len))
		outbuf_mem(o, s, len);
	else
		put_quoted(o, s, len, '\'');
}

/* Pid or port, if all bits of the word are told by its text. */
static bool put_ident(struct outbuf *o, const struct print_vm *vm, uint64_t v)
{
	char text[TERM_PID_MAX], *end;
	struct term_name name;
	uint64_t back;

	if (term_is_pid(v))
		end = term_put_pid(text, &vm->terms, v);
	else if (term_is_port(v))
		end = term_put_port(text, &vm->terms, v);
	else
		return false;
	if (term_parse(&name, text, (size_t)(end - text), NULL) ||
	    !term_make(&vm->terms, &name, &back) || back != v)
		return false;
	outbuf_mem(o, text, (size_t)(end - text));
	return true;
}

static void put_term(struct outbuf *o, const struct print_vm *vm, uint64_t v)
{
	if (term_is_atom(v)) {
		put_atom(o, vm, BTAP_ATOM_NUMBER(v));
	} else if (!put_ident(o, vm, v)) {
		outbuf_str(o, "#Term<");
		outbuf_done(o, outbuf_put_hex(outbuf_room(o, 20), v));
		outbuf_char(o, '>');
	}
}

static void put_string(struct outbuf *o, const struct print_vm *vm, uint64_t number)
{
	size_t len;
	const char *s = vm->terms.strs ? src_string(vm->terms.strs, number, &len) : NULL;

	if (s)
		put_quoted(o, s, len, '"');
	else
		put_number(o, "#String<", number);
}

static void put_mfa(struct outbuf *o, const struct print_vm *vm, uint64_t v)
{
	put_atom(o, vm, BTAP_MFA_MODULE(v));
	outbuf_char(o, ':');
	put_atom(o, vm, BTAP_MFA_FUNCTION(v));
	outbuf_char(o, '/');
	outbuf_u64(o, BTAP_MFA_ARITY(v));
}

static void put_frames(struct outbuf *o, const struct print_vm *vm, const struct decode_frames *f)
{
	outbuf_char(o, '[');
	for (uint32_t i = 0; i < f->nr; i++) {
		if (i)
			outbuf_char(o, ',');
		put_mfa(o, vm, f->at[2 * i]);
		if (f->at[2 * i + 1]) {
			outbuf_char(o, '+');
			outbuf_u64(o, f->at[2 * i + 1]);
		}
	}
	outbuf_char(o, ']');
}

static void put_word(struct outbuf *o, const struct print_vm *vm, unsigned int type, uint64_t v)
{
	if (!decode_is_known(type, v)) {
		outbuf_char(o, '?');
		return;
	}
	switch (type) {
	case DESC_pid:
	case DESC_ident:
	case DESC_port:
	case DESC_atom:
		put_term(o, vm, v);
		break;
	case DESC_mfa:
		put_mfa(o, vm, v);
		break;
	case DESC_str:
		put_string(o, vm, v);
		break;
	case DESC_u64:
	case DESC_msgid:
		outbuf_u64(o, v);
		break;
	case DESC_hex:
		outbuf_done(o, outbuf_put_hex(outbuf_room(o, 20), v));
		break;
	default:
		outbuf_i64(o, (int64_t)v);
	}
}

static void put_field(struct outbuf *o, const struct print *p, const struct src_rec *rec,
		      const struct desc *d, unsigned int i)
{
	const struct print_vm *vm = &p->vms[src_thread(p->s, rec->thread)->vm];
	struct decode_text text = { NULL, 0 };
	struct decode_frames frames;
	char redacted[PRINT_LIT];
	uint64_t v = 0;

	if (d->fields[i].type == DESC_text) {
		if (!decode_text(rec, d, i, &text))
			return;
	} else if (!decode_word(rec, d, i, &v)) {
		return;
	}
	outbuf_char(o, ' ');
	outbuf_str(o, d->fields[i].name);
	outbuf_char(o, '=');
	if (d->fields[i].type == DESC_frames) {
		frames = decode_frames_at(rec, decode_pos(rec, d, i));
		put_frames(o, vm, &frames);
	} else if (d->fields[i].type != DESC_text) {
		put_word(o, vm, d->fields[i].type, v);
	} else if (text.at && p->plans[d->id].field[i].is_redacted) {
		put_quoted(o, redacted, (size_t)(print_redacted(redacted, &text) - redacted), '"');
	} else if (text.at) {
		put_quoted(o, text.at, text.len, '"');
	} else {
		outbuf_char(o, '?');
	}
}

static void key_number(struct outbuf *o, const char *key, uint64_t v)
{
	outbuf_str(o, key);
	outbuf_u64(o, v);
}

static void thread_line(struct outbuf *o, const struct src_thread *th, const char *name)
{
	outbuf_str(o, "thread ");
	outbuf_str(o, name);
	key_number(o, " tid=", th->tid);
	outbuf_str(o, " name=");
	put_quoted(o, th->name, strnlen(th->name, sizeof(th->name)), '"');
	outbuf_char(o, '\n');
}

static void key_text(struct outbuf *o, const char *key, const char *s, size_t size, const char *usual)
{
	if (!strncmp(s, usual, size))
		return;
	outbuf_str(o, key);
	put_quoted(o, s, strnlen(s, size), '"');
}

/* How pids and ports lie in a word, where that is not what the release says. */
static void put_layout(struct outbuf *o, const struct btap_facts *f)
{
	bool is_wide = f->otp_release >= 26;

	if (f->pid_shift != 4 || f->pid_number_bits != (is_wide ? 28 : 15) ||
	    f->pid_serial_bits != (is_wide ? 32 : 13)) {
		key_number(o, " pid_bits=", f->pid_shift);
		key_number(o, "/", f->pid_number_bits);
		key_number(o, "/", f->pid_serial_bits);
	}
	if (f->port_shift != 4 || f->port_number_bits != (is_wide ? 60 : 28)) {
		key_number(o, " port_bits=", f->port_shift);
		key_number(o, "/", f->port_number_bits);
	}
}

static bool is_bare_node(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z') && !(s[i] >= '0' && s[i] <= '9') &&
		    !(s[i] && strchr("@._-", s[i])))
			return false;
	return len > 0;
}

void print_fixture_head(struct print *p, struct outbuf *o)
{
	const struct btap_facts *f = &p->s->vms[0].facts;
	size_t node_len = strnlen(f->node, sizeof(f->node));

	if (!p->nr_vms)
		return;
	key_number(o, "vm otp=", f->otp_release);
	outbuf_str(o, " node=");
	if (is_bare_node(f->node, node_len))
		outbuf_mem(o, f->node, node_len);
	else
		put_quoted(o, f->node, node_len, '\'');
	key_text(o, " erts=", f->erts_version, sizeof(f->erts_version), "13.1.5");
	key_text(o, " emulator=", f->emulator, sizeof(f->emulator), "beam.smp");
	key_text(o, " writer=", f->writer, sizeof(f->writer), "fixture");
	if (f->way == BTAP_WAY_HOOKS)
		outbuf_str(o, " way=hooks");
	if (!f->jit)
		outbuf_str(o, " jit=0");
	if (f->os_pid != 1)
		key_number(o, " pid=", f->os_pid);
	if (f->nr_schedulers != 1)
		key_number(o, " schedulers=", f->nr_schedulers);
	if (f->nr_dirty_cpu != 1)
		key_number(o, " dirty_cpu=", f->nr_dirty_cpu);
	if (f->nr_dirty_io != 10)
		key_number(o, " dirty_io=", f->nr_dirty_io);
	if (f->mono_ns || f->real_ns) {
		key_number(o, " mono_ns=", f->mono_ns);
		key_number(o, " real_ns=", f->real_ns);
	}
	put_layout(o, f);
	outbuf_char(o, '\n');
}

void print_fixture(struct print *p, struct outbuf *o, const struct src_rec *rec)
{
	const struct src_thread *th = src_thread(p->s, rec->thread);
	struct print_thread *t = print_thread(p, rec->thread);
	const struct desc *d = desc_get(rec->event);
	struct decode_lost lost;

	if (!t)
		return;
	if (!t->is_said && th->tid)
		thread_line(o, th, t->text);
	t->is_said = true;
	if (decode_lost(rec, &lost)) {
		key_number(o, "lost ts=", rec->ts);
		key_number(o, " count=", lost.count);
		key_number(o, " from=", lost.begin_ns);
		key_number(o, " to=", lost.end_ns);
	} else if (d) {
		outbuf_str(o, d->name);
		key_number(o, " ts=", rec->ts);
		for (unsigned int i = 0; i < d->nr_fields; i++)
			put_field(o, p, rec, d, i);
	} else {
		return;
	}
	if (strcmp(t->text, "scheduler/1")) {
		outbuf_str(o, " on=");
		outbuf_str(o, t->text);
	}
	outbuf_char(o, '\n');
}
