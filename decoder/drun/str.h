/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.h - D strings at run time
 *
 * A D string is one 64-bit word: 0 for NULL, else the address of a struct str.
 * Three kinds of it:
 *
 *  - lazy: a value of the VM (a pid, an atom, ...) that nobody has asked the
 *    text of yet.  It is turned into text when it is printed, compared or cut up;
 *  - temporary: text made while one event is handled; it and the lazy ones live
 *    in the pool's scratch and are gone after str_scratch_reset();
 *  - interned: one copy for each text, so that equal strings have equal
 *    addresses.  Whatever outlives an event (variables, keys, speculations)
 *    holds interned strings only.
 *
 * Interned strings are not counted.  When they have doubled, the owner marks
 * those he still holds and str_sweep() frees the rest.
 */
#ifndef BEAMTAP_STR_H
#define BEAMTAP_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STR_LAZY     0x01u /* text is NULL until str_text() */
#define STR_INTERNED 0x02u
#define STR_MARKED   0x04u
#define STR_PINNED   0x08u /* stays until the pool goes */
#define STR_WHOLE    0x10u /* a stack: option strsize does not cut it */

struct str {
	const char *text; /* ends with NUL; NULL: lazy */
	uint32_t len;
	uint8_t flags;
	uint8_t kind; /* of a lazy one: what the resolver is to make of it */
	uint16_t vm;  /* of a lazy one */
	uint64_t word;
	uint64_t hash;	  /* of an interned one */
	struct str *next; /* in the pool's bucket */
};

/*
 * Turns a value of a VM into text: writes at most @size bytes to @buf.
 * Return: bytes; a negative number of bytes - 1 when the text may be another
 * one later (a name not known yet), so that it is not remembered.
 */
typedef long str_resolve_fn(void *ctx, unsigned int kind, unsigned int vm, uint64_t word, char *buf,
			    size_t size);
#define STR_LAZY_MAX 4096

/* What a string that a key or variable holds counts for in their budgets: few are long, many are shared. */
#define STR_COST 80

struct str_pool {
	str_resolve_fn *resolve;
	void *ctx;
	/* interned ones */
	struct str **bucket;
	uint32_t nr, mask;
	size_t bytes, swept_bytes;
	/* what a lazy one was the last time */
	struct str_seen *seen;
	/* scratch of the event at hand */
	char *at, *end;
	struct str_chunk *chunks;
	size_t scratch_used;
};

/** str_pool_init() - @resolve is asked for the text of lazy strings with @ctx.  Return: 0 or -ENOMEM */
int str_pool_init(struct str_pool *p, str_resolve_fn *resolve, void *ctx);
void str_pool_fini(struct str_pool *p);

/** str_scratch() - @size bytes, aligned to 8, until str_scratch_reset(); NULL without memory */
void *str_scratch(struct str_pool *p, size_t size);
void str_scratch_reset_slow(struct str_pool *p);
static inline void str_scratch_reset(struct str_pool *p)
{
	if (p->scratch_used)
		str_scratch_reset_slow(p);
}

/** str_lazy() - a value of a VM as a string, in scratch; interned already if it was asked for its text lately */
struct str *str_lazy(struct str_pool *p, unsigned int kind, unsigned int vm, uint64_t word);
/** str_temp() - room for @len bytes of text and a NUL, in scratch; the caller writes s->text (cast away const) */
struct str *str_temp(struct str_pool *p, size_t len, char **text);
/** str_temp_copy() - @len bytes of @text, in scratch */
struct str *str_temp_copy(struct str_pool *p, const char *text, size_t len);
/** str_text() - the text; resolves a lazy one.  NULL gives "" */
const char *str_text(struct str_pool *p, const struct str *s, size_t *len);
/**
 * str_intern() - the one interned string with the same text
 * @max: longer text is cut to this many bytes
 * Return: NULL for NULL (or without memory)
 */
struct str *str_intern(struct str_pool *p, const struct str *s, size_t max);
struct str *str_intern_text(struct str_pool *p, const char *text, size_t len);
/** str_cmp() - as strcmp(); NULL is the empty string */
int str_cmp(struct str_pool *p, const struct str *a, const struct str *b);

/** str_wants_sweep() - has so much been interned that a sweep pays? */
static inline bool str_wants_sweep(const struct str_pool *p)
{
	return p->bytes > 2 * p->swept_bytes + (4u << 20);
}
static inline void str_mark(uint64_t word)
{
	if (word)
		((struct str *)(uintptr_t)word)->flags |= STR_MARKED;
}
/** str_sweep() - free all interned strings that are not marked; marks are taken away */
void str_sweep(struct str_pool *p);

static inline uint64_t str_word(const struct str *s)
{
	return (uint64_t)(uintptr_t)s;
}
static inline struct str *str_of(uint64_t word)
{
	return (struct str *)(uintptr_t)word;
}

#endif /* BEAMTAP_STR_H */
