/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.h - the values in a record
 *
 * Sources hand on checked records only; what is here checks bounds again, for
 * an `opt` field may be missing and a wrong index must not read outside.
 *
 * Where event and field are known when you write the code and no text stands
 * before the field, DECODE() is one load:
 *
 *	uint64_t size = DECODE(rec, message_send, size);
 *	uint64_t parent = DECODE_OPT(rec, process_spawn, parent, 0);
 */
#ifndef BEAMTAP_DECODE_H
#define BEAMTAP_DECODE_H

#include "event/desc.h"
#include "source/src.h"

/* One struct an event, that the compiler counts positions with; never an object. */
#define DECODE_WIRE_word 1
#define DECODE_WIRE_pairs 4096
#define DECODE_WIRE_text 4096 /* pushes what follows beyond any record: DECODE() refuses it */
#define AS_SIZE(name, wire, dtype, unit, doc) DECODE_SIZE_##name = DECODE_WIRE_##wire,
enum { BTAP_TYPES(AS_SIZE) DECODE_NR_SIZES };
#undef AS_SIZE
#define AS_MEMBER(type, name, arg, need, doc) uint64_t name[DECODE_SIZE_##type];
#define AS_LAYOUT(id, name, usdt, doc) struct decode_layout_##name { BTAP_FIELDS_##name(AS_MEMBER) };
BTAP_EVENTS(AS_LAYOUT)
BTAP_RING_EVENTS(AS_LAYOUT)
#undef AS_LAYOUT
#undef AS_MEMBER

/** DECODE_POS() - Return: constant, index of a field's word (of a text: of its length word) */
#define DECODE_POS(ev, field)                                                             \
	(sizeof(char[offsetof(struct decode_layout_##ev, field) < 2048 ? 1 : -1]) +       \
	 offsetof(struct decode_layout_##ev, field) / 8)
/** DECODE() - value of a `req` field of one word */
#define DECODE(rec, ev, field) ((rec)->words[DECODE_POS(ev, field)])
/** DECODE_OPT() - value of an `opt` field, or @none where the record has it not */
#define DECODE_OPT(rec, ev, field, none) \
	((rec)->nr_words > DECODE_POS(ev, field) ? DECODE(rec, ev, field) : (uint64_t)(none))

/* Bytes of a text field, in the record: not ended by NUL, and not checked to be UTF-8. */
struct decode_text {
	const char *at; /* NULL: there is no text (D's NULL) */
	uint32_t len;
};

/**
 * decode_pos() - where a field's word is
 * @rec: record of an event in the catalogue
 * @d:   its event
 * @i:   index of the field
 *
 * Return: index of its (length) word, or 0 if the record ends before it.
 */
unsigned int decode_pos(const struct src_rec *rec, const struct desc *d, unsigned int i);

/**
 * decode_word() - a field of one word
 *
 * Return: true with *v, false if the record ends before it.  *v may still be
 * BTAP_UNKNOWN (numbers) or 0 (terms and strings), see decode_is_known().
 */
static inline bool decode_word(const struct src_rec *rec, const struct desc *d, unsigned int i,
			       uint64_t *v)
{
	unsigned int pos = i < d->nr_fixed ? d->fields[i].pos : decode_pos(rec, d, i);

	if (!pos || pos >= rec->nr_words)
		return false;
	*v = rec->words[pos];
	return true;
}

/** decode_text() - a text field.  Return: true with *t, false if the record ends before it */
bool decode_text(const struct src_rec *rec, const struct desc *d, unsigned int i,
		 struct decode_text *t);

/** DECODE_TEXT() - the text field of an event by name; the text's at is NULL where there is none */
#define DECODE_TEXT(rec, ev, field) decode_text_at((rec), DECODE_POS(ev, field))
struct decode_text decode_text_at(const struct src_rec *rec, unsigned int pos);

/* A stack: pairs of a function (mfa) and a line (0: not known), in the record. */
struct decode_frames {
	const uint64_t *at;
	uint32_t nr;
};
/** decode_frames_at() - a `frames` field whose first word is at @pos; no frames where it makes no sense */
struct decode_frames decode_frames_at(const struct src_rec *rec, unsigned int pos);
#define DECODE_FRAMES(rec, ev, field) decode_frames_at((rec), DECODE_POS(ev, field))

/** decode_is_known() - Return: whether a word of a type says something */
static inline bool decode_is_known(unsigned int type, uint64_t v)
{
	return desc_is_number(type) ? v != BTAP_UNKNOWN : v != 0;
}

/* A gap: so many records of this thread are missing between two times (ns). */
struct decode_lost {
	uint64_t count, begin_ns, end_ns;
};
/** decode_lost() - Return: true with *l if the record says that records were lost */
static inline bool decode_lost(const struct src_rec *rec, struct decode_lost *l)
{
	if (rec->event != BTAP_LOST_EVENT || rec->nr_words < 4)
		return false;
	l->count = rec->words[1];
	l->begin_ns = rec->words[2];
	l->end_ns = rec->words[3];
	return true;
}

#endif /* BEAMTAP_DECODE_H */
