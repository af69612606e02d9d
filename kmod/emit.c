// SPDX-License-Identifier: GPL-2.0
/*
 * emit.c - check a handed-over record, fire its tracepoint
 *
 * The record has been copied: what is checked here is what is used.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include "emit.h"
#include "region.h"
#include "text.h"
#include "trace.h"

/* What is done with a word; a projection of the catalogue's types. */
enum kind {
	KIND_NUM,
	KIND_INT,
	KIND_TERM,
	KIND_MFA,
	KIND_STR,
	KIND_TEXT,
};

#define KIND_pid   KIND_TERM
#define KIND_port  KIND_TERM
#define KIND_ident KIND_TERM
#define KIND_atom  KIND_TERM
#define KIND_mfa   KIND_MFA
#define KIND_str   KIND_STR
#define KIND_text  KIND_TEXT
#define KIND_words KIND_NUM
#define KIND_bytes KIND_NUM
#define KIND_count KIND_NUM
#define KIND_ns    KIND_NUM
#define KIND_int   KIND_INT
#define KIND_u64   KIND_NUM
#define KIND_hex   KIND_NUM
#define KIND_msgid KIND_NUM

#define NEED_req 1
#define NEED_opt 0

#define AS_KIND(t, n, arg, need, doc) KIND_##t,
#define AS_KINDS(id, ev, usdt, doc) static const u8 kinds_##ev[] = { BTAP_FIELDS_##ev(AS_KIND) };
BTAP_EVENTS(AS_KINDS)
#undef AS_KINDS
#undef AS_KIND

struct desc {
	const u8 *kinds; /* NULL: no such event */
	u8 nr_fields;
	u8 nr_required;
};

#define AS_NEED(t, n, arg, need, doc) + NEED_##need
#define AS_DESC(id, ev, usdt, doc)                                       \
	[id] = { kinds_##ev, ARRAY_SIZE(kinds_##ev), 0 BTAP_FIELDS_##ev(AS_NEED) },
static const struct desc descs[BTAP_MAX_EVENTS] = { BTAP_EVENTS(AS_DESC) };
#undef AS_DESC
#undef AS_NEED

#define MAX_FIELDS 16
/* Bytes for the texts that are made here: two functions and a term, or eight terms. */
#define BUF_BYTES  (2 * BTAP_TEXT_MFA + 2 * BTAP_TEXT_TERM)

#define BUF_TEXT_(kind)                                                  \
	((kind) == KIND_MFA ? BTAP_TEXT_MFA :                            \
	 (kind) == KIND_TERM || (kind) == KIND_STR ? BTAP_TEXT_TERM : 0)
#define AS_BUF(t, n, arg, need, doc) + BUF_TEXT_(KIND_##t)
#define AS_ONE(t, n, arg, need, doc) + 1
#define AS_CHECK(id, ev, usdt, doc)                                      \
	static_assert((0 BTAP_FIELDS_##ev(AS_BUF)) <= BUF_BYTES);        \
	static_assert((0 BTAP_FIELDS_##ev(AS_ONE)) <= MAX_FIELDS);       \
	static_assert(sizeof(struct btap_args_##ev) ==                   \
		      (0 BTAP_FIELDS_##ev(AS_ONE)) * sizeof(struct btap_val));
BTAP_EVENTS(AS_CHECK)
#undef AS_CHECK
#undef AS_ONE
#undef AS_BUF

struct fields {
	struct btap_val val[MAX_FIELDS];
	char buf[BUF_BYTES];
};

/* Where field @i of the record begins: pos[i]; 0: it is not there.  Return: 0, -EINVAL. */
static int locate(const struct desc *d, const u64 *words, unsigned int nr, u8 *pos)
{
	unsigned int i, at = 1;
	u64 len;

	for (i = 0; i < d->nr_fields; i++) {
		pos[i] = 0;
		if (at == nr) {
			if (i < d->nr_required)
				return -EINVAL;
			continue;
		}
		pos[i] = at;
		len = words[at++];
		if (d->kinds[i] != KIND_TEXT || len == BTAP_TEXT_NONE)
			continue;
		if (len > (u64)(nr - at) * 8)
			return -EINVAL;
		at += (len + 7) / 8;
	}
	return 0;
}

static void put_none(struct btap_val *v, enum kind kind)
{
	switch (kind) {
	case KIND_NUM:
		v->num = BTAP_UNKNOWN;
		break;
	case KIND_INT:
		v->num = INT_MIN;
		break;
	default:
		v->text = "?";
		v->len = 1;
	}
}

/*
 * A text is ended where it lies: in the padding behind it, or in its own first
 * word, its length, which is not needed any more: it is moved there.
 */
static void put_text(struct btap_val *v, u64 *word)
{
	u64 len = *word;
	char *s = (char *)word;

	if (len == BTAP_TEXT_NONE) {
		v->text = "(null)";
		v->len = 6;
		return;
	}
	memmove(s, word + 1, len);
	s[len] = '\0';
	btap_text_clean(s, len);
	v->text = s;
	v->len = len;
}

static void decode(struct fields *f, const struct btap_region *r, const struct desc *d, u64 *words,
		   const u8 *pos)
{
	char *buf = f->buf;
	unsigned int i;

	for (i = 0; i < d->nr_fields; i++) {
		struct btap_val *v = &f->val[i];
		u64 *w = &words[pos[i]];

		if (!pos[i]) {
			put_none(v, d->kinds[i]);
			continue;
		}
		switch ((enum kind)d->kinds[i]) {
		case KIND_NUM:
			v->num = *w;
			break;
		case KIND_INT:
			v->num = *w == BTAP_UNKNOWN ? INT_MIN : *w;
			break;
		case KIND_TERM:
			btap_text_term(v, r, *w, buf);
			buf += BTAP_TEXT_TERM;
			break;
		case KIND_MFA:
			btap_text_mfa(v, r, *w, buf);
			buf += BTAP_TEXT_MFA;
			break;
		case KIND_STR:
			btap_text_str(v, r, *w, buf);
			buf += BTAP_TEXT_TERM;
			break;
		case KIND_TEXT:
			put_text(v, w);
			break;
		}
	}
}

static void fire(unsigned int event, u32 region, const struct btap_val *val)
{
	switch (event) {
#define AS_FIRE(id, ev, usdt, doc)                                       \
	case id:                                                         \
		trace_##ev(region, (const struct btap_args_##ev *)val);  \
		break;
	BTAP_EVENTS(AS_FIRE)
#undef AS_FIRE
	}
}

void btap_emit_refuse(struct btap_region *r)
{
	this_cpu_inc(r->counts->malformed);
}

int btap_emit(struct btap_region *r, u64 *words, unsigned int nr)
{
	unsigned int event = BTAP_HEAD_EVENT(words[0]);
	const struct desc *d;
	u8 pos[MAX_FIELDS];
	struct fields f;

	if (event >= BTAP_MAX_EVENTS || BTAP_HEAD_WORDS(words[0]) != nr)
		goto refuse;
	d = &descs[event];
	if (!d->kinds || locate(d, words, nr, pos))
		goto refuse;
	if (!test_bit(event, btap_enable_mask)) {
		this_cpu_inc(r->counts->unwanted);
		return 0;
	}
	decode(&f, r, d, words, pos);
	fire(event, r->id, f.val);
	this_cpu_inc(r->counts->fired);
	return 0;

refuse:
	btap_emit_refuse(r);
	return -EINVAL;
}
