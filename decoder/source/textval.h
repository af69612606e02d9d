/* SPDX-License-Identifier: Apache-2.0 */
/*
 * textval.h - words and values of a fixture's line; the syntax is in docs/fixtures.md
 *
 * A struct textval is a cursor in one line, with the tables that give atoms and
 * strings their numbers.  Functions return 0 with the cursor behind what they
 * read, or -EINVAL with file, line and column in the chain.
 */
#ifndef BEAMTAP_TEXTVAL_H
#define BEAMTAP_TEXTVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <beamtap/region.h>
#include "base/diag.h"

/* TEXTVAL_pid, ... in the catalogue's order */
enum textval_type {
#define AS_ENUM(name, wire, dtype, unit, doc) TEXTVAL_##name,
	BTAP_TYPES(AS_ENUM)
#undef AS_ENUM
	TEXTVAL_NR_TYPES
};

#define TEXTVAL_BYTES_MAX 2048 /* of a text or an atom: more fits into no record */

struct textval_name {
	char *text;
	uint32_t len;
	uint64_t number;
};

/* Texts and their numbers, given in order of first use. */
struct textval_names {
	struct textval_name *tab;
	size_t nr, cap;
	uint64_t *kept; /* numbers that the file uses itself */
	size_t nr_kept, cap_kept;
	uint64_t last;
};

struct textval {
	const char *file; /* name for messages, borrowed */
	unsigned int line;
	const char *bol, *at, *end; /* of this line, borrowed */
	struct diag *d;
	const struct btap_facts *facts; /* borrowed: how pids and ports lie in a word */
	struct textval_names atoms, strings;
	/* Called for each text that gets a number: kind is enum btap_string_kind. */
	int (*define)(void *ctx, unsigned int kind, uint64_t key, const char *text, size_t len);
	void *ctx;
};

/** textval_keep() - find the numbers that a whole file uses itself, before it is read */
int textval_keep(struct textval *v, const char *text, size_t len);
void textval_fini(struct textval *v);

/** textval_fail() - add file, line, column of @at and the reason.  Return: -EINVAL */
int textval_fail(struct textval *v, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** textval_is() - Return: whether a word is this text */
static inline bool textval_is(const char *word, int len, const char *text)
{
	return strlen(text) == (size_t)len && !memcmp(word, text, (size_t)len);
}

/** textval_more() - Return: whether another word comes in this line; comments are none */
bool textval_more(struct textval *v);
/** textval_name() - the word up to a blank, `=` or the end.  Return: its length, or -EINVAL */
int textval_name(struct textval *v, const char **word);
/** textval_equals() - step over `=` */
int textval_equals(struct textval *v);
/** textval_ends() - the value just read must end here: a blank or the end of the line */
int textval_ends(struct textval *v);

/** textval_number() - decimal number from @min to @max */
int textval_number(struct textval *v, uint64_t min, uint64_t max, uint64_t *n);
/** textval_bytes() - "text" with its escapes; @buf has TEXTVAL_BYTES_MAX bytes */
int textval_bytes(struct textval *v, char *buf, size_t *len);
/** textval_frames() - [m:f/1+12,m:g/0], lines where known, as pairs of words; the same @buf */
int textval_frames(struct textval *v, char *buf, size_t *len);
/** textval_bare() - letters, digits and @._-, or a quoted atom; @buf has TEXTVAL_BYTES_MAX bytes */
int textval_bare(struct textval *v, char *buf, size_t *len);
/** textval_chars() - either of these into an array of @size characters, ended by NUL */
int textval_chars(struct textval *v, char *to, size_t size, bool is_bare);
/** textval_thread() - KIND/NUMBER */
int textval_thread(struct textval *v, uint32_t *kind, uint32_t *number);
/** textval_word() - value of any type but text and frames, `?` included */
int textval_word(struct textval *v, enum textval_type type, uint64_t *w);
/** textval_is_unknown() - step over a lone `?`.  Return: whether there was one */
bool textval_is_unknown(struct textval *v);

#endif /* BEAMTAP_TEXTVAL_H */
