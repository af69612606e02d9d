// SPDX-License-Identifier: Apache-2.0
/*
 * event_fuzz.c - any valid records, and any text, through the event model
 *
 * Input: a byte that says what the others are.
 *   even: records.  A byte picks a style; then a byte takes an event, and each field a byte: small ones pick a value that
 *         comes again and again, so that processes meet, 255 takes eight bytes as they are.
 *         What must hold: a style makes one line a record without control bytes; the fixture
 *         reads back to the same text; pairs never outnumber sends; counts add up.
 *   odd:  text: as a process, as a probe's description, as a function's name, as bytes to escape.
 *
 * Built with clang it is a libFuzzer target; otherwise it replays the files and directories named.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event/msgpair.h"
#include "event/print.h"
#include "provider/erlang.h"
#include "source/check.h"
#include "source/text.h"
#include "lib/replay.h"


#define MAX_RECORDS 500

static const char base_text[] =
	"vm otp=25 node=a@host\n"
	"process_hibernate ts=1 p=<0.1.0> mfa='Elixir.Shop.Cart':'-total/1-fun-0-'/1\n"
	"name_register ts=1 p=<0.1.0> name=srv\n"
	"name_register ts=1 p=<0.1.0> name='\\x1b[2J'\n"
	"port_open ts=1 process=<0.1.0> port_name=\"tcp\\n\" port=#Port<0.1>\n";

struct input {
	const uint8_t *at, *end;
};

static uint8_t byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static uint64_t value(struct input *in, unsigned int type)
{
	uint8_t b = byte(in);
	uint64_t v = 0;

	if (b == 255) {
		for (int i = 0; i < 8; i++)
			v = v << 8 | byte(in);
		return v;
	}
	if (b == 254)
		return desc_is_number(type) ? BTAP_UNKNOWN : 0;
	switch (type) {
	case DESC_pid:
		return (uint64_t)(b % 8) << 4 | BTAP_TAG_PID;
	case DESC_port:
		return (uint64_t)(b % 4) << 4 | BTAP_TAG_PORT;
	case DESC_atom:
		return BTAP_ATOM_TERM(b % 8);
	case DESC_ident:
		return b % 3 == 0 ? BTAP_ATOM_TERM(b % 8) :
		       b % 3 == 1 ? (uint64_t)(b % 4) << 4 | BTAP_TAG_PORT :
				    (uint64_t)(b % 8) << 4 | BTAP_TAG_PID;
	case DESC_mfa:
		return BTAP_MFA(b % 5, b / 5 % 5, b);
	default:
		return b;
	}
}

/* The next record.  Return: its words */
static unsigned int make_record(struct input *in, uint64_t *w, const struct desc *d, uint64_t ts)
{
	unsigned int nr = 1, nr_fields = d->nr_fields;
	uint8_t len;

	if (d->nr_fields > d->nr_req)
		nr_fields = d->nr_req + byte(in) % (d->nr_fields - d->nr_req + 1u);
	for (unsigned int i = 0; i < nr_fields; i++) {
		if (d->fields[i].type == DESC_frames) {
			len = byte(in) % 32;
			w[nr++] = len;
			for (; len; len--) {
				w[nr++] = value(in, DESC_mfa);
				w[nr++] = value(in, DESC_u64);
			}
			continue;
		}
		if (d->fields[i].type != DESC_text) {
			w[nr++] = value(in, d->fields[i].type);
			continue;
		}
		len = byte(in) % 64;
		w[nr++] = len == 63 ? BTAP_TEXT_NONE : len;
		if (len == 63)
			continue;
		memset(&w[nr], 0, 64);
		for (unsigned int k = 0; k < len; k++)
			((char *)&w[nr])[k] = (char)byte(in);
		nr += (len + 7u) / 8;
	}
	w[0] = BTAP_HEAD(d->id, nr, ts);
	return nr;
}

static void check_lines(const struct outbuf *o, unsigned int nr)
{
	for (size_t i = 0; i < o->len; i++) {
		nr -= o->buf[i] == '\n';
		assert(o->buf[i] == '\n' || ((unsigned char)o->buf[i] >= ' ' && o->buf[i] != 0x7f));
	}
	assert(nr == 0);
}

static void print_all(const struct src *s, const struct src_rec *recs, unsigned int nr,
		      const struct print_opts *opts, struct outbuf *o)
{
	struct print *p = print_new(s, opts);

	o->len = 0;
	print_head(p, o);
	for (unsigned int i = 0; i < nr; i++)
		print_rec(p, o, &recs[i]);
	print_free(p);
}

/* What was printed as a fixture reads back and prints the same. */
static void check_fixture(const struct outbuf *o)
{
	struct print_opts opts = { .style = PRINT_FIXTURE };
	struct diag d = DIAG_INIT;
	struct src_rec rec;
	struct outbuf again;
	struct print *p;
	struct src *s;

	if (text_open_mem(&s, "printed", o->buf, o->len, &d)) {
		diag_print(&d, stderr, "event_fuzz");
		abort();
	}
	outbuf_init(&again, -1);
	p = print_new(s, &opts);
	print_head(p, &again);
	while (src_next(s, &rec, NULL) > 0)
		print_rec(p, &again, &rec);
	assert(again.len == o->len && !memcmp(again.buf, o->buf, o->len));
	print_free(p);
	outbuf_fini(&again);
	src_close(s);
}

static void check_model(struct src *s, const struct src_rec *recs, unsigned int nr)
{
	static struct provider_set *set; /* of the base, kept: making it takes long */
	struct names *names = names_new(16);
	struct msgpair *m = msgpair_new(names, 64);
	const struct msgpair_stats *st = msgpair_stats(m);
	struct msgpair_hit hit;

	if (!set) {
		set = provider_set_new();
		assert(!erlang_provide(set, s->vms, s->nr_vms, NULL));
	}
	for (unsigned int i = 0; i < nr; i++) {
		names_feed(names, &recs[i]);
		if (msgpair_feed(m, &recs[i], &hit))
			assert(hit.sent_ns <= recs[i].ts);
		erlang_probe_of(set, s, &recs[i]);
	}
	assert(st->paired <= st->sent);
	assert(st->received == st->paired + st->unaligned + st->unknown);
	msgpair_free(m);
	names_free(names);
}

static void fuzz_records(struct input *in)
{
	static const struct print_opts styles[] = {
		{ .style = PRINT_TEXT, .names = true, .term_flags = TERM_ELIXIR | TERM_FUNS },
		{ .style = PRINT_JSON },
		{ .style = PRINT_DTRACE },
		{ .style = PRINT_JSON, .redact = true },
	};
	static struct src_rec recs[MAX_RECORDS];
	struct print_opts fixture = { .style = PRINT_FIXTURE };
	uint64_t *words = malloc(MAX_RECORDS * BTAP_MAX_WORDS * 8), *w = words, ts = 1000;
	const struct print_opts *style = &styles[byte(in) % 4];
	unsigned int nr = 0;
	struct outbuf o;
	struct src *s;

	if (text_open_mem(&s, "base", base_text, sizeof(base_text) - 1, NULL))
		abort();
	outbuf_init(&o, -1);
	while (in->at < in->end && nr < MAX_RECORDS) {
		uint8_t b = byte(in);
		struct src_rec *r = &recs[nr++];

		ts += byte(in) % 4;
		*r = (struct src_rec){ .ts = ts, .words = w, .event = BTAP_LOST_EVENT, .nr_words = 4 };
		if (b == 255) {
			w[0] = BTAP_HEAD(BTAP_LOST_EVENT, 4, ts);
			w[1] = byte(in);
			w[2] = ts;
			w[3] = ts + byte(in);
			w += 4;
			continue;
		}
		r->event = b == 254 ? BTAP_EV_stack : desc_all[b % desc_nr]->id;
		r->nr_words = make_record(in, w, desc_get(r->event), ts);
		assert(check_record(w, r->nr_words) == (int)r->nr_words);
		w += r->nr_words;
	}
	print_all(s, recs, nr, style, &o);
	check_lines(&o, nr + (style->style == PRINT_DTRACE));
	print_all(s, recs, nr, &fixture, &o);
	check_lines(&o, nr + 1);
	check_fixture(&o);
	check_model(s, recs, nr);
	outbuf_fini(&o);
	src_close(s);
	free(words);
}

static void fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct term_name name;
	struct match m = { 0 };
	struct atom_fun fun;
	struct outbuf o;

	memcpy(text, data, size);
	text[size] = '\0';
	outbuf_init(&o, -1);
	if (!term_parse(&name, text, size, NULL) && name.kind == TERM_ATOM) {
		/* What Erlang writes of it is read as the same. */
		struct term_name again;

		atom_put(&o, name.text, name.len, 25);
		assert(!term_parse(&again, o.buf, o.len, NULL) || name.len * 4 + 8 > sizeof(name.text));
	}
	if (!match_add(&m, text, NULL))
		match_probe(&m, "erlang1", "beam.smp", text, "message-send");
	match_fini(&m);
	match_distance(text, "message-send", 4);
	if (atom_fun(text, size, &fun))
		assert(fun.parent_len && fun.parent > text && fun.parent + fun.parent_len < text + size);
	o.len = 0;
	atom_put(&o, text, size, 27);
	atom_put_elixir_function(&o, text, size);
	outbuf_escaped(&o, text, size, '"');
	outbuf_json(&o, text, size);
	check_lines(&o, 0);
	outbuf_fini(&o);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data + 1, data + size };

	if (!size)
		return 0;
	if (data[0] % 2)
		fuzz_text(data + 1, size - 1);
	else
		fuzz_records(&in);
	return 0;
}
