// SPDX-License-Identifier: GPL-2.0
/*
 * emit.c - check a handed-over record, fire its tracepoint
 *
 * The record has been copied: what is checked here is what is used.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include "desc.h"
#include "emit.h"
#include "enable.h"
#include "region.h"
#include "text.h"

struct fields {
	struct btap_val val[BTAP_DESC_FIELDS];
	char buf[BTAP_DESC_BUF];
};

/* Where field @i of the record begins: pos[i]; 0: it is not there.  Return: 0, -EINVAL. */
static int locate(const struct btap_desc *d, const u64 *words, unsigned int nr, u8 *pos)
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
		if (d->kinds[i] != BTAP_KIND_TEXT || len == BTAP_TEXT_NONE)
			continue;
		if (len > (u64)(nr - at) * 8)
			return -EINVAL;
		at += (len + 7) / 8;
	}
	return 0;
}

static void put_none(struct btap_val *v, enum btap_kind kind)
{
	switch (kind) {
	case BTAP_KIND_NUM:
		v->num = BTAP_UNKNOWN;
		break;
	case BTAP_KIND_INT:
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

static void decode(struct fields *f, const struct btap_region *r, const struct btap_desc *d, u64 *words,
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
		switch ((enum btap_kind)d->kinds[i]) {
		case BTAP_KIND_NUM:
			v->num = *w;
			break;
		case BTAP_KIND_INT:
			v->num = *w == BTAP_UNKNOWN ? INT_MIN : *w;
			break;
		case BTAP_KIND_TERM:
			btap_text_term(v, r, *w, buf);
			buf += BTAP_TEXT_TERM;
			break;
		case BTAP_KIND_MFA:
			btap_text_mfa(v, r, *w, buf);
			buf += BTAP_TEXT_MFA;
			break;
		case BTAP_KIND_STR:
			btap_text_str(v, r, *w, buf);
			buf += BTAP_TEXT_TERM;
			break;
		case BTAP_KIND_TEXT:
			put_text(v, w);
			break;
		}
	}
}

void btap_emit_refuse(struct btap_region *r)
{
	this_cpu_inc(r->counts->malformed);
}

int btap_emit(struct btap_region *r, u64 *words, unsigned int nr)
{
	unsigned int event = BTAP_HEAD_EVENT(words[0]);
	const struct btap_desc *d;
	u8 pos[BTAP_DESC_FIELDS];
	struct fields f;

	if (event >= BTAP_MAX_EVENTS || BTAP_HEAD_WORDS(words[0]) != nr)
		goto refuse;
	d = &btap_desc_of[event];
	if (!d->kinds || locate(d, words, nr, pos))
		goto refuse;
	if (!test_bit(event, btap_enable_mask)) {
		this_cpu_inc(r->counts->unwanted);
		return 0;
	}
	decode(&f, r, d, words, pos);
	btap_desc_fire(event, r->id, f.val);
	this_cpu_inc(r->counts->fired);
	return 0;

refuse:
	btap_emit_refuse(r);
	return -EINVAL;
}
