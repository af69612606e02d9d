// SPDX-License-Identifier: Apache-2.0
/*
 * ctfmeta.c - the metadata of a recording; see ctfmeta.h
 *
 * All field names get a leading underscore, which CTF readers take away again:
 * some of the catalogue's names are words of the metadata's own language.
 */
#include <stdio.h>
#include <string.h>
#include "event/decode.h"
#include "event/term.h"
#include "export/ctfmeta.h"
#include "source/strings.h"

/* -- classes -- */

static struct ctfmeta_class classes[CTF_MAX_CLASSES];
static uint16_t first_short[BTAP_MAX_EVENTS]; /* class of an event with one field missing */

__attribute__((constructor)) static void make_classes(void)
{
	unsigned int next = BTAP_MAX_EVENTS;

	for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++) {
		const struct desc *d = desc_get(i);

		if (!d)
			continue;
		classes[d->id] = (struct ctfmeta_class){ .event = d->id };
		first_short[d->id] = (uint16_t)next;
		for (unsigned int k = 1; k <= (unsigned int)(d->nr_fields - d->nr_req); k++)
			classes[next++ % CTF_MAX_CLASSES] =
				(struct ctfmeta_class){ .event = d->id, .nr_missing = (uint8_t)k };
	}
}

const struct ctfmeta_class *ctfmeta_classes(void)
{
	return classes;
}

unsigned int ctfmeta_class_of(unsigned int event, unsigned int nr_missing)
{
	return nr_missing ? first_short[event] + nr_missing - 1 : event;
}

/* -- who is who -- */

bool ctfmeta_is_wanted(unsigned int event)
{
	switch (event) {
	case BTAP_EV_process_spawn:
	case BTAP_EV_name_register:
	case BTAP_EV_state_process:
	case BTAP_EV_state_port:
	case BTAP_EV_port_open:
		return true;
	}
	return false;
}

/* Where a term's label goes: of equal ranks the later stays, a better one drives out a worse. */
static struct ctfmeta_proc *slot_for(struct ctfmeta *m, uint64_t term, enum ctfmeta_rank rank)
{
	struct ctfmeta_proc *worst = NULL;

	/* Spawning can be fast; a full table is not searched for each new process. */
	if (m->nr_procs == CTFMETA_MAX_PROCS && rank == CTFMETA_SPAWNED)
		return NULL;
	for (unsigned int i = 0; i < m->nr_procs; i++) {
		struct ctfmeta_proc *p = &m->procs[i];

		if (p->term == term)
			return p->rank <= rank ? p : NULL;
		if (!worst || p->rank < worst->rank)
			worst = p;
	}
	if (m->nr_procs < CTFMETA_MAX_PROCS)
		return &m->procs[m->nr_procs++];
	return worst->rank < rank ? worst : NULL;
}

static void learn(struct ctfmeta *m, uint64_t term, uint64_t label, enum ctfmeta_rank rank)
{
	struct ctfmeta_proc *p;

	if (!label || !(term_is_pid(term) || term_is_port(term)))
		return;
	p = slot_for(m, term, rank);
	if (!p || (p->term == term && p->label == label))
		return;
	*p = (struct ctfmeta_proc){ .term = term, .label = label, .rank = (uint8_t)rank };
	m->nr_learned++;
}

void ctfmeta_learn(struct ctfmeta *m, const uint64_t *words, unsigned int nr_words)
{
	struct src_rec rec = { .words = words,
			       .nr_words = nr_words,
			       .event = BTAP_HEAD_EVENT(words[0]) };

	switch (rec.event) {
	case BTAP_EV_process_spawn:
		learn(m, DECODE(&rec, process_spawn, p), DECODE(&rec, process_spawn, mfa),
		      CTFMETA_SPAWNED);
		break;
	case BTAP_EV_state_process:
		learn(m, DECODE(&rec, state_process, p), DECODE(&rec, state_process, mfa),
		      CTFMETA_THERE);
		learn(m, DECODE(&rec, state_process, p), DECODE(&rec, state_process, name),
		      CTFMETA_NAMED);
		break;
	case BTAP_EV_name_register:
		learn(m, DECODE(&rec, name_register, p), DECODE(&rec, name_register, name),
		      CTFMETA_NAMED);
		break;
	case BTAP_EV_state_port:
		learn(m, DECODE(&rec, state_port, port), DECODE(&rec, state_port, port_name),
		      CTFMETA_PORT);
		learn(m, DECODE(&rec, state_port, port), DECODE(&rec, state_port, name),
		      CTFMETA_NAMED);
		break;
	case BTAP_EV_port_open:
		learn(m, DECODE(&rec, port_open, port), DECODE(&rec, port_open, port_name),
		      CTFMETA_PORT);
		break;
	}
}

bool ctfmeta_is_stale(const struct ctfmeta *m, const struct src_strings *strs)
{
	uint32_t nr = strings_count(strs);

	return m->has_new_class || m->nr_learned > 8 + m->nr_procs / 2 ||
	       (nr > m->nr_strings + 32 + m->nr_strings / 2 &&
		m->nr_strings < CTFMETA_MAX_ATOMS + CTFMETA_MAX_STRINGS);
}

/* -- the text -- */

/* A string of the metadata's language, in quotes. */
static void put_quoted(struct outbuf *o, const char *s, size_t len)
{
	outbuf_char(o, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		char oct[8];

		if (c < 0x20 || c == 0x7f) {
			snprintf(oct, sizeof(oct), "\\%03o", c);
			outbuf_str(o, oct);
			continue;
		}
		if (c == '"' || c == '\\')
			outbuf_char(o, '\\');
		outbuf_char(o, (char)c);
	}
	outbuf_char(o, '"');
}

static void put_label(struct outbuf *o, const char *s, size_t len, uint64_t value)
{
	outbuf_str(o, ",\n\t");
	put_quoted(o, s, len);
	outbuf_str(o, " = ");
	outbuf_u64(o, value);
}

static void put_procs(struct ctfmeta *m, struct term_vm *t, struct outbuf *o)
{
	struct outbuf l;

	if (outbuf_init(&l, -1))
		return;
	for (unsigned int i = 0; i < m->nr_procs; i++) {
		const struct ctfmeta_proc *p = &m->procs[i];
		const char *s;
		size_t len;

		l.len = 0;
		term_put(&l, t, p->term);
		outbuf_char(&l, ' ');
		if (p->rank == CTFMETA_NAMED) {
			term_put(&l, t, p->label);
		} else if (p->rank == CTFMETA_PORT) {
			s = src_string(t->strs, p->label, &len);
			if (s)
				outbuf_escaped(&l, s, len, 0);
		} else {
			term_put_mfa(&l, t, p->label);
		}
		put_label(o, l.buf, l.len, p->term);
	}
	outbuf_fini(&l);
}

/* Atoms as terms, or as the numbers that stand in functions. */
static void put_atoms(struct term_vm *t, struct outbuf *o, bool is_term)
{
	uint32_t nr = strings_count(t->strs), done = 0;

	for (uint32_t i = 0; i < nr && done < CTFMETA_MAX_ATOMS; i++) {
		const struct strings_entry *e = strings_entry(t->strs, i);
		const char *s;
		size_t len;

		if (e->kind != BTAP_STRING_ATOM || !term_is_atom(e->key) ||
		    BTAP_ATOM_NUMBER(e->key) >> BTAP_MFA_ATOM_BITS)
			continue;
		s = term_atom_text(t, e->key, &len);
		put_label(o, s, len, is_term ? e->key : BTAP_ATOM_NUMBER(e->key));
		done++;
	}
}

/* Two strings of the same text are two numbers; labels must differ, so the text is given once. */
static void put_strings(struct term_vm *t, struct outbuf *o)
{
	uint32_t nr = strings_count(t->strs), done = 0;
	struct outbuf l;

	if (outbuf_init(&l, -1))
		return;
	for (uint32_t i = 0; i < nr && done < CTFMETA_MAX_STRINGS; i++) {
		const struct strings_entry *e = strings_entry(t->strs, i);

		if (e->kind != BTAP_STRING_NAME || !e->key)
			continue;
		l.len = 0;
		outbuf_escaped(&l, e->text, e->len, 0);
		put_label(o, l.buf, l.len, e->key);
		done++;
	}
	outbuf_fini(&l);
}

static void put_enums(struct ctfmeta *m, struct term_vm *t, struct outbuf *o)
{
	outbuf_str(o, "typealias enum : t_u64 {\n\t\"?\" = 0");
	put_procs(m, t, o);
	outbuf_str(o, "\n} := t_proc;\n\ntypealias enum : t_u64 {\n\t\"?\" = 0");
	put_procs(m, t, o);
	put_atoms(t, o, true);
	outbuf_str(o, "\n} := t_ident;\n\ntypealias enum : t_u64 {\n\t\"?\" = 0");
	put_atoms(t, o, true);
	outbuf_str(o, "\n} := t_atom;\n\ntypealias enum : t_u64 {\n\t\"?\" = 0");
	put_strings(t, o);
	outbuf_str(o, "\n} := t_str;\n\ntypealias enum : integer { size = 28; align = 1; } "
		      "{\n\t\"?\" = 0");
	put_atoms(t, o, false);
	outbuf_str(o, "\n} := t_name;\n\n"
		      "typealias struct {\n"
		      "\tinteger { size = 8; align = 64; } _arity;\n"
		      "\tt_name _function;\n"
		      "\tt_name _module;\n"
		      "} align(64) := t_mfa;\n\n"
		      "typealias struct {\n\tt_mfa _mfa;\n\tt_u64 _line;\n} := t_frame;\n\n");
}

static void put_env(struct outbuf *o, const char *key, const char *value, size_t size)
{
	outbuf_str(o, "\t");
	outbuf_str(o, key);
	outbuf_str(o, " = ");
	put_quoted(o, value, strnlen(value, size));
	outbuf_str(o, ";\n");
}

static void put_hex_bytes(char *to, const uint8_t *bytes)
{
	char *p = to;

	for (unsigned int i = 0; i < 16; i++)
		p += sprintf(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			     bytes[i]);
}

static void put_head(const struct ctf_facts *f, struct outbuf *o)
{
	const struct btap_facts *vm = &f->vm;
	uint64_t offset = vm->real_ns > vm->mono_ns ? vm->real_ns - vm->mono_ns : 0;
	char uuid[40], boot[40], text[1024];

	put_hex_bytes(uuid, f->uuid);
	put_hex_bytes(boot, vm->boot_id);
	outbuf_str(o, "/* CTF 1.8 */\n/* Made by beamtap from its event catalogue. */\n\n");
	snprintf(text, sizeof(text),
		 "typealias integer { size = 64; align = 64; } := t_u64;\n"
		 "typealias integer { size = 64; align = 64; signed = true; } := t_s64;\n"
		 "typealias integer { size = 64; align = 64; base = 16; } := t_hex;\n"
		 "typealias integer { size = 63; align = 64; } := t_len;\n"
		 "typealias integer { size = 8; align = 8; encoding = UTF8; } := t_utf8;\n\n"
		 "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		 "\tpacket.header := struct {\n"
		 "\t\tinteger { size = 32; align = 64; } magic;\n"
		 "\t\tinteger { size = 8; align = 8; } uuid[16];\n"
		 "\t\tinteger { size = 32; align = 32; } stream_id;\n\t} align(64);\n};\n\n",
		 uuid);
	outbuf_str(o, text);
	outbuf_str(o, "env {\n");
	put_env(o, "tracer_name", "beamtap", 64);
	put_env(o, "hostname", f->hostname, sizeof(f->hostname));
	put_env(o, "node", vm->node, sizeof(vm->node));
	put_env(o, "erts_version", vm->erts_version, sizeof(vm->erts_version));
	put_env(o, "emulator", vm->emulator, sizeof(vm->emulator));
	put_env(o, "writer", vm->writer, sizeof(vm->writer));
	put_env(o, "boot_id", boot, sizeof(boot));
	put_env(o, "way", vm->way == BTAP_WAY_HOOKS ? "hooks" : "agent", 16);
	snprintf(text, sizeof(text),
		 "\totp_release = %u;\n\tos_pid = %u;\n\tring_clock = \"%s\";\n};\n\n"
		 "clock {\n\tname = monotonic;\n"
		 "\tdescription = \"CLOCK_MONOTONIC of the VM's machine; the offset is that to the "
		 "time of day when the VM's side started\";\n"
		 "\tfreq = 1000000000;\n\toffset_s = %llu;\n\toffset = %llu;\n};\n\n",
		 vm->otp_release, vm->os_pid,
		 vm->clock == BTAP_CLOCK_TSC ? "TSC" : "CLOCK_MONOTONIC",
		 (unsigned long long)(offset / 1000000000),
		 (unsigned long long)(offset % 1000000000));
	outbuf_str(o, text);
}

static void put_stream(struct outbuf *o)
{
	outbuf_str(o,
		   "typealias integer { size = 64; align = 64; map = clock.monotonic.value; } := "
		   "t_time;\n"
		   "typealias enum : integer { size = 32; align = 64; } {\n"
		   "\tother = 0, scheduler = 1, dirty_cpu = 2, dirty_io = 3, async = 4, poll = 5\n"
		   "} := t_thread;\n\n"
		   "stream {\n\tid = 0;\n"
		   "\tpacket.context := struct {\n"
		   "\t\tt_time timestamp_begin;\n\t\tt_time timestamp_end;\n"
		   "\t\tt_u64 content_size;\n\t\tt_u64 packet_size;\n"
		   "\t\tt_u64 packet_seq_num;\n\t\tt_u64 events_discarded;\n"
		   "\t\tt_thread thread;\n"
		   "\t\tinteger { size = 32; align = 32; } number;\n"
		   "\t\tt_u64 tid;\n\t};\n"
		   "\tevent.header := struct {\n"
		   "\t\tinteger { size = 10; align = 64; } id;\n"
		   "\t\tinteger { size = 8; align = 1; } nr_words;\n"
		   "\t\tinteger { size = 46; align = 1; map = clock.monotonic.value; } timestamp;\n"
		   "\t} align(64);\n};\n\n");
}

static const char *type_name(unsigned int type)
{
	switch (type) {
	case DESC_pid:
	case DESC_port:
		return "t_proc";
	case DESC_ident:
		return "t_ident";
	case DESC_atom:
		return "t_atom";
	case DESC_mfa:
		return "t_mfa";
	case DESC_str:
		return "t_str";
	case DESC_hex:
		return "t_hex";
	case DESC_u64:
	case DESC_msgid:
		return "t_u64";
	}
	return "t_s64";
}

static void put_class(struct outbuf *o, unsigned int id)
{
	const struct desc *d = desc_get(classes[id].event);
	char text[256];

	snprintf(text, sizeof(text),
		 "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n"
		 "\tfields := struct {\n",
		 d->name, id);
	outbuf_str(o, text);
	for (unsigned int i = 0; i < (unsigned int)(d->nr_fields - classes[id].nr_missing); i++) {
		const struct desc_field *f = &d->fields[i];

		if (f->type == DESC_text)
			snprintf(text, sizeof(text),
				 "\t\tt_len _%s_length;\n\t\tt_utf8 _%s[_%s_length];\n", f->name,
				 f->name, f->name);
		else if (f->type == DESC_frames)
			snprintf(text, sizeof(text),
				 "\t\tt_u64 _%s_length;\n\t\tt_frame _%s[_%s_length];\n", f->name,
				 f->name, f->name);
		else
			snprintf(text, sizeof(text), "\t\t%s _%s;\n", type_name(f->type), f->name);
		outbuf_str(o, text);
	}
	outbuf_str(o, "\t};\n};\n\n");
}

void ctfmeta_text(struct ctfmeta *m, const struct src_strings *strs, struct outbuf *o)
{
	struct src_vm vm = { .facts = m->facts.vm, .path = "", .strs = strs };
	struct term_vm t;

	term_init(&t, &vm, 0);
	put_head(&m->facts, o);
	put_enums(m, &t, o);
	put_stream(o);
	for (unsigned int id = 0; id < CTF_MAX_CLASSES; id++)
		if (m->used[id / 64] >> id % 64 & 1)
			put_class(o, id);
	term_fini(&t);
	m->nr_learned = 0;
	m->has_new_class = false;
	m->nr_strings = strings_count(strs);
}
