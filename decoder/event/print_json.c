// SPDX-License-Identifier: Apache-2.0
/*
 * print_json.c - one event as one JSON object
 *
 *	{"ts_ns":100,"event":"message_send","thread":"scheduler/1","node":"a@host","fields":{"sender":"<0.80.0>",...}}
 *
 * Numbers are numbers, what is not known is null, and a field that the record
 * does not have is not there.
 */
#include <stdio.h>
#include "event/print_own.h"

static char *put_json(struct outbuf *o, char *c, const char *s, size_t len)
{
	outbuf_done(o, c);
	outbuf_json(o, s, len);
	return outbuf_room(o, PRINT_ROOM);
}

/* Text of a term or function: only what is quoted can hold a character that JSON escapes. */
static char *put_name(struct outbuf *o, char *c, const char *s, size_t len)
{
	if (memchr(s, '\'', len) || memchr(s, '"', len))
		return put_json(o, c, s, len);
	*c++ = '"';
	c = print_mem(o, c, s, len);
	*c++ = '"';
	return c;
}

static char *put_string(struct outbuf *o, char *c, const struct print_vm *vm, uint64_t number)
{
	size_t len;
	const char *s = vm->terms.strs ? src_string(vm->terms.strs, number, &len) : NULL;

	if (s)
		return put_json(o, c, s, len);
	memcpy(c, "null", 4);
	return c + 4;
}

static char *put_frames(struct outbuf *o, char *c, struct print_vm *vm, const struct decode_frames *f)
{
	const char *s;
	size_t len;

	*c++ = '[';
	for (uint32_t i = 0; i < f->nr; i++) {
		if (i)
			*c++ = ',';
		memcpy(c, "{\"mfa\":", 7);
		c += 7;
		s = term_mfa_text(&vm->terms, f->at[2 * i], &len);
		c = put_name(o, c, s, len);
		memcpy(c, ",\"line\":", 8);
		c += 8;
		if (f->at[2 * i + 1]) {
			c = outbuf_put_u64(c, f->at[2 * i + 1]);
		} else {
			memcpy(c, "null", 4);
			c += 4;
		}
		*c++ = '}';
	}
	*c++ = ']';
	return c;
}

static char *put_term(struct outbuf *o, char *c, struct print_vm *vm, uint64_t v)
{
	const char *s;
	size_t len;

	if (term_is_atom(v)) {
		s = term_atom_text(&vm->terms, v, &len);
		return put_name(o, c, s, len);
	}
	*c++ = '"';
	if (term_is_pid(v)) {
		c = term_put_pid(c, &vm->terms, v);
	} else if (term_is_port(v)) {
		c = term_put_port(c, &vm->terms, v);
	} else {
		outbuf_done(o, c);
		term_put(o, &vm->terms, v);
		c = outbuf_room(o, PRINT_ROOM);
	}
	*c++ = '"';
	return c;
}

static char *put_word(struct outbuf *o, char *c, struct print_vm *vm, unsigned int type, uint64_t v)
{
	const char *s;
	size_t len;

	if (!decode_is_known(type, v)) {
		memcpy(c, "null", 4);
		return c + 4;
	}
	switch (type) {
	case DESC_pid:
	case DESC_ident:
	case DESC_port:
	case DESC_atom:
		return put_term(o, c, vm, v);
	case DESC_mfa:
		s = term_mfa_text(&vm->terms, v, &len);
		return put_name(o, c, s, len);
	case DESC_str:
		return put_string(o, c, vm, v);
	case DESC_u64:
	case DESC_msgid:
	case DESC_hex:
		return outbuf_put_u64(c, v);
	default:
		return outbuf_put_i64(c, (int64_t)v);
	}
}

static char *put_fields(struct print *p, struct outbuf *o, char *c, const struct src_rec *rec)
{
	struct print_vm *vm = &p->vms[src_thread(p->s, rec->thread)->vm];
	const struct print_plan *plan = &p->plans[rec->event];
	const struct print_field *f = plan->field, *end = f + plan->nr_fields;
	unsigned int pos = 1;

	for (; f < end && pos < rec->nr_words; f++) {
		uint64_t v = rec->words[pos];

		memcpy(c, f->lit, PRINT_LIT);
		c += f->len;
		if (f->type == DESC_text) {
			struct decode_text t = decode_text_at(rec, pos);

			if (t.at && f->is_redacted) {
				*c++ = '"';
				c = print_redacted(c, &t);
				*c++ = '"';
			} else if (t.at) {
				c = put_json(o, c, t.at, t.len);
			} else {
				memcpy(c, "null", 4);
				c += 4;
			}
			pos += v == BTAP_TEXT_NONE ? 1 : 1 + (unsigned int)((v + 7) / 8);
			continue;
		}
		if (f->type == DESC_frames) {
			struct decode_frames frames = decode_frames_at(rec, pos);

			c = put_frames(o, c, vm, &frames);
			pos += 1 + 2 * frames.nr;
			continue;
		}
		c = put_word(o, c, vm, f->type, v);
		pos++;
	}
	return c;
}

void print_json(struct print *p, struct outbuf *o, const struct src_rec *rec)
{
	const struct src_thread *th = src_thread(p->s, rec->thread);
	const struct btap_facts *facts = &p->s->vms[th->vm].facts;
	const struct print_plan *plan;
	const struct print_thread *t = print_thread(p, rec->thread);
	char *c = outbuf_room(o, PRINT_ROOM);
	struct decode_lost lost;
	bool is_lost = decode_lost(rec, &lost);

	if (!is_lost && rec->event >= BTAP_MAX_EVENTS)
		return;
	plan = is_lost ? NULL : &p->plans[rec->event];
	memcpy(c, "{\"ts_ns\":", 9);
	c = outbuf_put_u64(c + 9, rec->ts);
	memcpy(c, ",\"event\":\"", 10);
	c += 10;
	if (is_lost) {
		memcpy(c, "lost", 4);
		c += 4;
	} else {
		memcpy(c, plan->name, sizeof(plan->name));
		c += plan->len;
	}
	memcpy(c, "\",\"thread\":\"", 12);
	c += 12;
	if (t) {
		memcpy(c, t->text, sizeof(t->text));
		c += t->len;
	}
	memcpy(c, "\",\"node\":", 9);
	c = put_json(o, c + 9, facts->node, strnlen(facts->node, sizeof(facts->node)));
	memcpy(c, ",\"fields\":{", 11);
	c += 11;
	if (is_lost)
		c += sprintf(c, "\"count\":%llu,\"from_ns\":%llu,\"to_ns\":%llu",
			     (unsigned long long)lost.count, (unsigned long long)lost.begin_ns,
			     (unsigned long long)lost.end_ns);
	else
		c = put_fields(p, o, c, rec);
	memcpy(c, "}}\n", 3);
	outbuf_done(o, c + 3);
}
