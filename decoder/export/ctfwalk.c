// SPDX-License-Identifier: Apache-2.0
/*
 * ctfwalk.c - records of a ring become those of a recording: classes, times, texts
 * that are not there
 */
#include "export/ctfwalk.h"
#include "source/check.h"

/* A gap inside a packet that 46 bits of time can still tell. */
#define GAP_MAX ((1ull << (BTAP_TIME_BITS - 1)) - 1)

/* What the walk over a packet needs of an event, in one cache line's reach. */
struct hot {
	uint8_t max_words, nr_texts, is_wanted;
	uint16_t
		first_short; /* its class with one field missing; then those with two, three, ... */
};
static struct hot hot[BTAP_MAX_EVENTS];

void ctfwalk_init(void)
{
	for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++)
		hot[i] = (struct hot){ check_shapes[i].max_words, check_shapes[i].nr_texts,
				       ctfmeta_is_wanted(i), (uint16_t)ctfmeta_class_of(i, 1) };
}

/* A record with texts: count its fields; say in the recording's way that a text is not there. */
struct texts {
	unsigned int nr_fields;
	unsigned int pad; /* bytes behind a text that ends the record */
};

static struct texts walk_texts(uint64_t *words, unsigned int nr_words, const struct check_shape *s)
{
	struct texts t = { 0 };
	unsigned int at = 1;

	for (; t.nr_fields < s->nr_fields && at < nr_words; t.nr_fields++) {
		uint64_t len = words[at];

		t.pad = 0;
		if (s->is_text[t.nr_fields] == CHECK_TEXT && len == BTAP_TEXT_NONE)
			words[at] = CTF_TEXT_NONE;
		else if (s->is_text[t.nr_fields] == CHECK_TEXT)
			t.pad = -len & 7;
		at += 1 + (unsigned int)check_more(s->is_text[t.nr_fields], len);
	}
	return t;
}

/* One with texts, or that tells names.  Return: its class; *pad: bytes behind its last text */
static unsigned int walk_special(struct ctfmeta *meta, uint64_t *p, unsigned int event,
				 unsigned int n, unsigned int *pad)
{
	const struct check_shape *shape = &check_shapes[event];
	struct texts t;

	if (hot[event].is_wanted)
		ctfmeta_learn(meta, p, n);
	if (!shape->nr_texts)
		return ctfmeta_class_of(event, shape->max_words - n);
	t = walk_texts(p, n, shape);
	*pad = t.pad;
	return ctfmeta_class_of(event, shape->nr_fields - t.nr_fields);
}

static void use_class(struct ctfmeta *meta, unsigned int class_id)
{
	uint64_t bit = 1ULL << class_id % 64;

	if (meta->used[class_id / 64] & bit)
		return;
	meta->used[class_id / 64] |= bit;
	meta->has_new_class = true;
}

void ctfwalk_packet(struct ctfmeta *meta, uint64_t *p, size_t nr_words, uint64_t ticks,
		    struct clock_map *map, struct ctfwalk *k)
{
	/* Times that are nanoseconds already are on a line, too. */
	struct clock_span span = { .lo = 0, .len = UINT64_MAX, .ns = 0, .mul = 1ULL << 32 };
	const uint64_t *end = p + nr_words;
	uint64_t last = k->last_ns, first = 0, nr = 0, nr_stacks = 0;
	unsigned int pad = 0;

	if (map)
		span = clock_span(map, ticks);
	while (p < end) {
		uint64_t head = *p, ns;
		unsigned int event = BTAP_HEAD_EVENT(head), n = BTAP_HEAD_WORDS(head);
		unsigned int class_id = event;
		const struct hot *h = &hot[event];

		ticks = BTAP_TIME_FULL(head, ticks);
		if (ticks - span.lo >= span.len && map)
			span = clock_span(map, ticks);
		ns = ticks - span.lo < span.len || !map ? clock_span_ns(&span, ticks) :
							  clock_ns(map, ticks);
		if (ns < last)
			ns = last;
		if (!nr++)
			first = ns;
		else if (ns - last > GAP_MAX)
			ns = last + GAP_MAX;
		last = ns;
		pad = 0;
		if (h->nr_texts | h->is_wanted) {
			nr_stacks += event == BTAP_EV_stack;
			class_id = walk_special(meta, p, event, n, &pad);
		} else if (n != h->max_words) {
			class_id = h->first_short + (h->max_words - n) - 1;
		}
		use_class(meta, class_id);
		*p = BTAP_HEAD(class_id, n, ns & BTAP_TIME_MASK);
		p += n;
	}
	*k = (struct ctfwalk){ first, last, nr, nr_stacks, pad };
}
