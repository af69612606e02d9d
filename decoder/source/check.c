// SPDX-License-Identifier: Apache-2.0
/*
 * check.c - shapes of the catalogue's events, projected from it; see check.h
 *
 * One row a type, one array of flags and one row an event, all by macros; a new
 * event needs nothing here.
 */
#include "source/check.h"
#include <stdio.h>

/* IS_TEXT_pid = CHECK_WORD, IS_TEXT_text = CHECK_TEXT, ... by the wire form of the type */
enum {
	WIRE_word = CHECK_WORD,
	WIRE_text = CHECK_TEXT,
	WIRE_pairs = CHECK_PAIRS,
#define AS_WIRE(type, wire, d_type, unit, doc) IS_TEXT_##type = WIRE_##wire,
	BTAP_TYPES(AS_WIRE)
#undef AS_WIRE
};

enum { NEED_opt = 0, NEED_req = 1 };

#define AS_FLAG(type, name, arg, need, doc) IS_TEXT_##type,
#define AS_FLAGS(id, name, usdt, doc) \
	static const uint8_t flags_##name[] = { BTAP_FIELDS_##name(AS_FLAG) };
BTAP_EVENTS(AS_FLAGS)
BTAP_RING_EVENTS(AS_FLAGS)
#undef AS_FLAGS
#undef AS_FLAG

#define AS_REQ(type, name, arg, need, doc)  +NEED_##need
#define AS_TEXT(type, name, arg, need, doc) +IS_TEXT_##type
#define AS_SHAPE(id, name, usdt, doc) \
	[id] = { \
		.min_words = 1 BTAP_FIELDS_##name(AS_REQ), \
		.max_words = (0 BTAP_FIELDS_##name(AS_TEXT)) ? BTAP_MAX_WORDS : \
							       1 + sizeof(flags_##name), \
		.nr_fields = sizeof(flags_##name), \
		.nr_req = 0 BTAP_FIELDS_##name(AS_REQ), \
		.nr_texts = 0 BTAP_FIELDS_##name(AS_TEXT), \
		.is_text = flags_##name, \
	},
const struct check_shape check_shapes[BTAP_MAX_EVENTS] = {
	BTAP_EVENTS(AS_SHAPE) BTAP_RING_EVENTS(AS_SHAPE)
};
#undef AS_SHAPE
#undef AS_TEXT
#undef AS_REQ

#define AS_NAME(id, name, usdt, doc) [id] = #name,
static const char *const names[BTAP_MAX_EVENTS] = { BTAP_EVENTS(AS_NAME) BTAP_RING_EVENTS(AS_NAME) };
#undef AS_NAME

/* Walk the fields.  Return: words used, or 0 when field *@bad does not fit. */
static unsigned int walk(const uint64_t *words, unsigned int nr_words, const struct check_shape *s,
			 unsigned int *bad)
{
	unsigned int at = 1, i;

	for (i = 0; i < s->nr_fields; i++) {
		*bad = i;
		if (at == nr_words)
			return i >= s->nr_req ? at : 0;
		if (s->is_text[i]) {
			uint64_t more = check_more(s->is_text[i], words[at]);

			if (more > nr_words - at - 1)
				return 0;
			at += (unsigned int)more;
		}
		at++;
	}
	*bad = s->nr_fields;
	return at;
}

int check_texts(const uint64_t *words, unsigned int nr_words, const struct check_shape *s)
{
	unsigned int bad;

	return walk(words, nr_words, s, &bad) == nr_words ? (int)nr_words : -EPROTO;
}

const char *check_why(const uint64_t *words, size_t avail, char *buf, size_t size)
{
	const struct check_shape *s;
	unsigned int event, nr_words, used, bad = 0;

	if (avail == 0) {
		snprintf(buf, size, "there is no record");
		return buf;
	}
	event = BTAP_HEAD_EVENT(words[0]);
	nr_words = BTAP_HEAD_WORDS(words[0]);
	if (event >= BTAP_MAX_EVENTS || check_shapes[event].min_words == 0) {
		snprintf(buf, size, "there is no event %u (%u words)", event, nr_words);
		return buf;
	}
	s = &check_shapes[event];
	if (nr_words > avail) {
		snprintf(buf, size, "%s says %u words, but %zu are left", names[event], nr_words,
			 avail);
	} else if (nr_words < s->min_words || nr_words > s->max_words) {
		snprintf(buf, size, "%s has %u words, expected %u to %u", names[event], nr_words,
			 s->min_words, s->max_words);
	} else {
		used = walk(words, nr_words, s, &bad);
		if (used == 0)
			snprintf(buf, size, "field %u of %s does not fit into its %u words",
				 bad + 1, names[event], nr_words);
		else
			snprintf(buf, size, "%s has %u words, its fields take %u", names[event],
				 nr_words, used);
	}
	return buf;
}
