// SPDX-License-Identifier: Apache-2.0
/*
 * arena.c - blocks of doubling size, chained; objects bigger than a block get
 * one of their own
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

#define ALIGN	  16
#define FIRST	  (16u << 10)
#define MAX_BLOCK (1u << 20)

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(ALIGN) char data[];
};

void arena_init(struct arena *a, size_t limit)
{
	memset(a, 0, sizeof(*a));
	a->limit = limit;
}

void arena_fini(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	memset(a, 0, sizeof(*a));
}

static void new_block(struct arena *a, size_t need)
{
	size_t size = a->blocks ? a->blocks->size * 2 : FIRST;
	struct arena_block *b;

	if (size > MAX_BLOCK)
		size = MAX_BLOCK;
	if (size < need)
		size = need;
	b = calloc(1, sizeof(*b) + size);
	if (!b) {
		fputs("out of memory\n", stderr);
		abort();
	}
	b->size = size;
	b->next = a->blocks;
	a->blocks = b;
	a->at = b->data;
	a->end = b->data + size;
}

void *arena_alloc(struct arena *a, size_t size)
{
	void *p;

	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!size)
		size = ALIGN;
	if (size > (size_t)(a->end - a->at))
		new_block(a, size);
	p = a->at;
	a->at += size;
	a->used += size;
	return p;
}

char *arena_memdup(struct arena *a, const void *p, size_t len)
{
	char *s = arena_alloc(a, len + 1);

	if (len)
		memcpy(s, p, len);
	return s;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_memdup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return arena_strdup(a, "");
	s = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

void *arena_grow(struct arena *a, void *p, size_t nr, size_t *cap, size_t elem_size)
{
	void *q;

	if (nr < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 8;
	q = arena_alloc(a, *cap * elem_size);
	if (nr)
		memcpy(q, p, nr * elem_size);
	return q;
}
