/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.h - the strings of a VM: what src_atom() and src_string() look into
 *
 * Filled by a source from a region's string table or a recording; text is kept in
 * pieces that never move, so that pointers handed out stay good until
 * strings_free().  The first definition of a key stays: entries never change.
 */
#ifndef BEAMTAP_STRINGS_H
#define BEAMTAP_STRINGS_H

#include "source/src.h"

/** strings_new() - Return: an empty table, owned, or NULL */
struct src_strings *strings_new(void);
void strings_free(struct src_strings *t);

/**
 * strings_add() - define a string
 * @kind: enum btap_string_kind; another one is -EPROTO
 * @text: @len bytes, copied; what is not UTF-8 in them is replaced by U+FFFD
 *
 * Return: 0, -EEXIST when the key is known (it stays as it is), -EPROTO, -ENOMEM.
 */
int strings_add(struct src_strings *t, unsigned int kind, uint64_t key, const char *text,
		size_t len);

/**
 * strings_load() - read entries of a string table
 * @data:  the table's entries, possibly shared memory
 * @from:  offset of the first to read
 * @used:  bytes of entries there
 * @next:  out: offset behind the last whole one
 * @d:     out: what is damaged
 *
 * Return: number of entries read, or -EPROTO (those before the damage have been
 * added, *next is where it is), -ENOMEM.
 */
int strings_load(struct src_strings *t, const char *data, size_t from, size_t used, size_t *next,
		 struct diag *d);

struct strings_entry {
	unsigned int kind;
	uint64_t key;
	const char *text;
	uint32_t len;
};
/** strings_count() - entries so far */
uint32_t strings_count(const struct src_strings *t);
/** strings_entry() - entry @i in the order of definition; for those who write recordings */
const struct strings_entry *strings_entry(const struct src_strings *t, uint32_t i);

#endif /* BEAMTAP_STRINGS_H */
