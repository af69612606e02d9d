/* SPDX-License-Identifier: Apache-2.0 */
/*
 * desc.h - what an event is: tables projected from the catalogue
 *
 * Nothing here is typed by hand twice: types, events and fields come from the
 * list macros of catalog.h.  All tables are constant and live for ever.
 */
#ifndef BEAMTAP_DESC_H
#define BEAMTAP_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <beamtap/records.h>

#define DESC_MAX_FIELDS 16
#define DESC_MAX_ARGS	16 /* D's arg0 .. arg15 */

/* DESC_pid, DESC_port, ... in the catalogue's order */
enum desc_type {
#define AS_ENUM(name, wire, dtype, unit, doc) DESC_##name,
	BTAP_TYPES(AS_ENUM)
#undef AS_ENUM
	DESC_NR_TYPES
};

struct desc_type_info {
	const char *name;  /* "words" */
	const char *dtype; /* "int64_t": its type in D */
	const char *unit;  /* "word", "ns", "byte" or "-" */
	const char *doc;
	bool is_text;  /* a length word and bytes; else one word */
	bool is_pairs; /* a number, and then so many pairs of words */
};

struct desc_field {
	const char *name;
	const char *doc;
	uint8_t type; /* enum desc_type */
	uint8_t arg;  /* position in D */
	bool is_opt;  /* a record may end before it */
	/*
	 * Index of its word in the record (the header is word 0), or 0 where a
	 * text or pairs before it make that vary.
	 */
	uint8_t pos;
};

struct desc {
	const char *name;  /* "message_send" */
	const char *dname; /* "message-send": name of the probe in D */
	const char *usdt;  /* "message__send" */
	const char *doc;
	const struct desc_field *fields;
	uint16_t id;	   /* enum btap_event_id */
	uint8_t nr_fields; /* in the order they are written */
	uint8_t nr_req;	   /* of these, the first nr_req are always there */
	uint8_t nr_fixed;  /* of these, the first nr_fixed have a constant position */
	uint8_t nr_args;   /* highest D position + 1 */
	uint8_t min_words; /* of a record, header included, texts empty */
	int8_t arg_field[DESC_MAX_ARGS]; /* D position -> index of the field, or -1 */
};

extern const struct desc_type_info desc_types[DESC_NR_TYPES];
/* all events that are probes, by id ascending */
extern const struct desc *const desc_all[];
extern const unsigned int desc_nr;
/* by id, `stack` too; NULL where there is no such event.  Use desc_get() for an id from outside. */
extern const struct desc *const desc_table[BTAP_MAX_EVENTS];

/** desc_get() - Return: the event of an id, or NULL */
static inline const struct desc *desc_get(unsigned int id)
{
	return id < BTAP_MAX_EVENTS ? desc_table[id] : NULL;
}

/** desc_find() - by name, `message_send`, `message-send` or `message__send`.  Return: event or NULL */
const struct desc *desc_find(const char *name, size_t len);

/** desc_field_index() - Return: index of a field by name, or -1 */
int desc_field_index(const struct desc *d, const char *name, size_t len);

/** desc_arg_index() - Return: index of the field at D's position @arg, or -1 */
static inline int desc_arg_index(const struct desc *d, unsigned int arg)
{
	return arg < DESC_MAX_ARGS ? d->arg_field[arg] : -1;
}

/** desc_is_term() - Return: whether values of a type are terms of the VM (0: not known) */
static inline bool desc_is_term(unsigned int type)
{
	return type == DESC_pid || type == DESC_port || type == DESC_ident || type == DESC_atom;
}

/** desc_is_number() - Return: whether values of a type are numbers (BTAP_UNKNOWN: not known) */
static inline bool desc_is_number(unsigned int type)
{
	return type >= DESC_words;
}

#endif /* BEAMTAP_DESC_H */
