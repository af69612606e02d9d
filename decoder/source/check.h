/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - is this a record of the catalogue?
 *
 * The one place that decides whether words from a ring or a file may be handed
 * on.  Table-driven; the tables are projected from uapi/beamtap/catalog.h.
 */
#ifndef BEAMTAP_CHECK_H
#define BEAMTAP_CHECK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <beamtap/records.h>

/* What a field's word says of those behind it: nothing, so many bytes, so many pairs of words. */
enum check_form { CHECK_WORD, CHECK_TEXT, CHECK_PAIRS };

/* Shape of an event; min_words 0: no such event. */
struct check_shape {
	uint8_t min_words, max_words; /* header included */
	uint8_t nr_fields, nr_req;
	uint8_t nr_texts;	/* not 0: some field is no CHECK_WORD */
	const uint8_t *is_text; /* nr_fields of enum check_form */
};
extern const struct check_shape check_shapes[BTAP_MAX_EVENTS];

/**
 * check_more() - words behind a field's first
 * @form: enum check_form
 * @word: the field's first, not checked
 *
 * Return: their number; one that is larger than any record where @word makes no sense.
 */
static inline uint64_t check_more(unsigned int form, uint64_t word)
{
	if (form == CHECK_WORD || (form == CHECK_TEXT && word == BTAP_TEXT_NONE))
		return 0;
	/* First the number alone, so that what is made of it cannot wrap. */
	if (word > 8 * BTAP_MAX_WORDS)
		return UINT64_MAX;
	return form == CHECK_TEXT ? (word + 7) / 8 : 2 * word;
}

/* For records with texts. */
int check_texts(const uint64_t *words, unsigned int nr_words, const struct check_shape *s);

/**
 * check_record() - check one record
 * @words: private memory (what is shared can change after the check)
 * @avail: words there
 *
 * Return: number of its words, 1 to @avail, or -EPROTO: see check_why().
 */
static inline int check_record(const uint64_t *words, size_t avail)
{
	unsigned int event, nr_words;
	const struct check_shape *s;

	if (avail == 0)
		return -EPROTO;
	event = BTAP_HEAD_EVENT(words[0]);
	nr_words = BTAP_HEAD_WORDS(words[0]);
	if (event >= BTAP_MAX_EVENTS || nr_words > avail)
		return -EPROTO;
	s = &check_shapes[event];
	if (s->min_words == 0 || nr_words < s->min_words || nr_words > s->max_words)
		return -EPROTO;
	if (s->nr_texts)
		return check_texts(words, nr_words, s);
	return (int)nr_words;
}

/**
 * check_why() - say what is wrong with a record that check_record() refused
 * @buf: out: a sentence without full stop: "message_send has 2 words, expected 5 to 8"
 *
 * Return: @buf
 */
const char *check_why(const uint64_t *words, size_t avail, char *buf, size_t size);

#endif /* BEAMTAP_CHECK_H */
