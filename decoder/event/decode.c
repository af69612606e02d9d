// SPDX-License-Identifier: Apache-2.0
/* decode.c - fields behind a text, and texts; the rest is inline */
#include "event/decode.h"

/* Words of a text whose length word is at @pos, that word included; 0: it leaves the record. */
static unsigned int text_words(const struct src_rec *rec, unsigned int pos)
{
	uint64_t len = rec->words[pos];

	if (len == BTAP_TEXT_NONE)
		return 1;
	if (len > (uint64_t)(rec->nr_words - pos - 1) * 8)
		return 0;
	return 1 + (unsigned int)((len + 7) / 8);
}

unsigned int decode_pos(const struct src_rec *rec, const struct desc *d, unsigned int i)
{
	unsigned int at, pos, n;

	if (i >= d->nr_fields)
		return 0;
	if (i < d->nr_fixed) {
		pos = d->fields[i].pos;
		return pos < rec->nr_words ? pos : 0;
	}
	at = d->nr_fixed - 1u; /* the first text */
	pos = d->fields[at].pos;
	for (; at < i; at++) {
		if (pos >= rec->nr_words)
			return 0;
		n = desc_types[d->fields[at].type].is_text	  ? text_words(rec, pos)
		    : desc_types[d->fields[at].type].is_pairs ? 1 + 2 * decode_frames_at(rec, pos).nr
								  : 1;
		if (!n)
			return 0;
		pos += n;
	}
	return pos < rec->nr_words ? pos : 0;
}

struct decode_text decode_text_at(const struct src_rec *rec, unsigned int pos)
{
	struct decode_text t = { NULL, 0 };

	if (pos < rec->nr_words && rec->words[pos] != BTAP_TEXT_NONE && text_words(rec, pos)) {
		t.at = (const char *)&rec->words[pos + 1];
		t.len = (uint32_t)rec->words[pos];
	}
	return t;
}

struct decode_frames decode_frames_at(const struct src_rec *rec, unsigned int pos)
{
	struct decode_frames f = { NULL, 0 };

	if (pos < rec->nr_words && rec->words[pos] <= (rec->nr_words - pos - 1) / 2) {
		f.at = &rec->words[pos + 1];
		f.nr = (uint32_t)rec->words[pos];
	}
	return f;
}

bool decode_text(const struct src_rec *rec, const struct desc *d, unsigned int i,
		 struct decode_text *t)
{
	unsigned int pos = decode_pos(rec, d, i);

	if (!pos)
		return false;
	*t = decode_text_at(rec, pos);
	return true;
}
