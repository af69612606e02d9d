/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is given back all at once
 *
 * Allocation cannot fail: without memory the process ends.  A limit guards
 * against input that makes its reader allocate without end: when it is passed,
 * arena_is_full() turns true, allocation goes on, and the owner is expected to
 * look and stop.
 */
#ifndef BEAMTAP_ARENA_H
#define BEAMTAP_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena {
	struct arena_block *blocks;
	char *at, *end;
	size_t used, limit; /* bytes given out; limit 0: none */
};

/** arena_init() - an empty arena; @limit in bytes, 0: none */
void arena_init(struct arena *a, size_t limit);
void arena_fini(struct arena *a);
/** arena_alloc() - Return: @size zeroed bytes aligned to 16, for the arena's life */
void *arena_alloc(struct arena *a, size_t size);
/** arena_memdup() - Return: copy of @len bytes with a NUL behind them */
char *arena_memdup(struct arena *a, const void *p, size_t len);
char *arena_strdup(struct arena *a, const char *s);
/** arena_printf() - Return: formatted text */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline bool arena_is_full(const struct arena *a)
{
	return a->limit && a->used > a->limit;
}

/**
 * arena_grow() - room for one more element in an array that lies in an arena
 * @p: array or NULL; @nr: elements in it; @cap: in/out: elements there is room for
 * Return: the array, perhaps at a new place
 */
void *arena_grow(struct arena *a, void *p, size_t nr, size_t *cap, size_t elem_size);

#endif /* BEAMTAP_ARENA_H */
