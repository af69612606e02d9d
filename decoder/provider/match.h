/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - globs over provider:module:function:name
 *
 * A description is read from the right, as DTrace does: `message-send` is a
 * name, `send:message-send` function and name, and so on up to four fields; an
 * empty field matches all.  In a field, `*` is any text, `?` one character,
 * `[a-z]` and `[!a-z]` a set, and a backslash takes what follows as it is.
 * Several descriptions are parted by commas.
 */
#ifndef BEAMTAP_MATCH_H
#define BEAMTAP_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include "base/diag.h"

enum match_field { MATCH_PROV, MATCH_MOD, MATCH_FUNC, MATCH_NAME, MATCH_NR_FIELDS };

struct match_desc {
	char *glob[MATCH_NR_FIELDS]; /* "" matches all */
};

/* A list of descriptions: it matches what one of them matches.  Zeroed, it is empty. */
struct match {
	struct match_desc *descs;
	unsigned int nr;
};

/** match_glob() - Return: whether a whole text matches a glob; an empty glob matches all */
bool match_glob(const char *glob, const char *text);
/** match_is_literal() - Return: whether a glob has no special character, and is not empty */
bool match_is_literal(const char *glob);

/**
 * match_add() - add the descriptions of a comma list
 * Return: 0, -EINVAL with the reason (too many fields, a set without end), -ENOMEM
 */
int match_add(struct match *m, const char *text, struct diag *d);
void match_fini(struct match *m);

/** match_one() - Return: whether a description matches a probe's four fields (NULL: as "") */
bool match_one(const struct match_desc *m, const char *prov, const char *mod, const char *func,
	       const char *name);
/** match_probe() - the same for a list; an empty list matches nothing */
bool match_probe(const struct match *m, const char *prov, const char *mod, const char *func,
		 const char *name);

/**
 * match_distance() - how many letters two words differ in
 * Return: insertions, removals, changes and swaps of neighbours, at most @max + 1
 */
unsigned int match_distance(const char *a, const char *b, unsigned int max);

#endif /* BEAMTAP_MATCH_H */
