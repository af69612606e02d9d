// SPDX-License-Identifier: Apache-2.0
/* str.c - D strings: lazy, temporary and interned ones */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "drun/str.h"

#define CHUNK	   (64 * 1024)
#define SEEN_BITS  15
#define FIRST_SIZE 1024

struct str_chunk {
	struct str_chunk *next;
	size_t size;
	char data[];
};

/* Direct-mapped, made when first needed: which interned string a lazy one was. */
struct str_seen {
	uint64_t word;
	uint32_t what; /* vm and kind, + 1; 0: empty */
	struct str *s;
};

static struct str_chunk *chunk_new(size_t size)
{
	struct str_chunk *c = malloc(sizeof(*c) + size);

	if (c) {
		c->next = NULL;
		c->size = size;
	}
	return c;
}

int str_pool_init(struct str_pool *p, str_resolve_fn *resolve, void *ctx)
{
	memset(p, 0, sizeof(*p));
	p->resolve = resolve;
	p->ctx = ctx;
	p->bucket = calloc(FIRST_SIZE, sizeof(*p->bucket));
	p->mask = FIRST_SIZE - 1;
	p->chunks = chunk_new(CHUNK);
	if (!p->bucket || !p->chunks) {
		str_pool_fini(p);
		return -ENOMEM;
	}
	p->at = p->chunks->data;
	p->end = p->at + CHUNK;
	return 0;
}

void str_pool_fini(struct str_pool *p)
{
	struct str_chunk *c, *next;

	for (uint32_t i = 0; p->bucket && i <= p->mask; i++)
		for (struct str *s = p->bucket[i], *n; s; s = n) {
			n = s->next;
			free(s);
		}
	for (c = p->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(p->bucket);
	free(p->seen);
	memset(p, 0, sizeof(*p));
}

void *str_scratch(struct str_pool *p, size_t size)
{
	void *r;

	size = (size + 7) & ~(size_t)7;
	if ((size_t)(p->end - p->at) < size) {
		struct str_chunk *c = chunk_new(size > CHUNK ? size : CHUNK);

		if (!c)
			return NULL;
		/* The first chunk stays last in the list: it is the one kept. */
		c->next = p->chunks;
		p->chunks = c;
		p->at = c->data;
		p->end = c->data + c->size;
	}
	r = p->at;
	p->at += size;
	p->scratch_used += size;
	return r;
}

void str_scratch_reset_slow(struct str_pool *p)
{
	while (p->chunks->next) {
		struct str_chunk *c = p->chunks;

		p->chunks = c->next;
		free(c);
	}
	p->at = p->chunks->data;
	p->end = p->at + p->chunks->size;
	p->scratch_used = 0;
}

static inline uint32_t seen_what(unsigned int kind, unsigned int vm)
{
	return (vm << 8 | kind) + 1;
}

static inline struct str_seen *seen_slot(struct str_pool *p, uint32_t what, uint64_t word)
{
	uint64_t h = (word ^ (uint64_t)what << 40) * 0x9e3779b97f4a7c15ULL;

	return &p->seen[h >> (64 - SEEN_BITS)];
}

struct str *str_lazy(struct str_pool *p, unsigned int kind, unsigned int vm, uint64_t word)
{
	uint32_t what = seen_what(kind, vm);
	struct str_seen *slot;
	struct str *s;

	if (p->seen) {
		slot = seen_slot(p, what, word);
		if (slot->what == what && slot->word == word)
			return slot->s;
	}
	s = str_scratch(p, sizeof(*s));
	if (!s)
		return NULL;
	s->text = NULL;
	s->len = 0;
	s->flags = STR_LAZY;
	s->kind = (uint8_t)kind;
	s->vm = (uint16_t)vm;
	s->word = word;
	return s;
}

struct str *str_temp(struct str_pool *p, size_t len, char **text)
{
	struct str *s = str_scratch(p, sizeof(*s) + len + 1);

	if (!s)
		return NULL;
	*text = (char *)(s + 1);
	(*text)[len] = 0;
	s->text = *text;
	s->len = (uint32_t)len;
	s->flags = 0;
	s->kind = 0;
	return s;
}

struct str *str_temp_copy(struct str_pool *p, const char *text, size_t len)
{
	char *to;
	struct str *s = str_temp(p, len, &to);

	if (s && len)
		memcpy(to, text, len);
	return s;
}

static uint64_t hash_text(const char *s, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15ULL ^ n, w;

	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	w = 0;
	memcpy(&w, s, n);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ (h >> 29);
}

static void grow(struct str_pool *p)
{
	uint32_t size = (p->mask + 1) * 2;
	struct str **b = calloc(size, sizeof(*b)), *s, *next;

	if (!b)
		return; /* longer chains, nothing worse */
	for (uint32_t i = 0; i <= p->mask; i++) {
		for (s = p->bucket[i]; s; s = next) {
			next = s->next;
			s->next = b[s->hash & (size - 1)];
			b[s->hash & (size - 1)] = s;
		}
	}
	free(p->bucket);
	p->bucket = b;
	p->mask = size - 1;
}

struct str *str_intern_text(struct str_pool *p, const char *text, size_t len)
{
	uint64_t h = hash_text(text, len);
	struct str *s;
	char *to;

	for (s = p->bucket[h & p->mask]; s; s = s->next)
		if (s->hash == h && s->len == len && !memcmp(s->text, text, len))
			return s;
	s = malloc(sizeof(*s) + len + 1);
	if (!s)
		return NULL;
	to = (char *)(s + 1);
	memcpy(to, text, len);
	to[len] = 0;
	*s = (struct str){ .text = to, .len = (uint32_t)len, .flags = STR_INTERNED, .hash = h };
	s->next = p->bucket[h & p->mask];
	p->bucket[h & p->mask] = s;
	p->bytes += sizeof(*s) + len + 1;
	if (++p->nr > p->mask)
		grow(p);
	return s;
}

/* The text of a lazy string; interned when it is final. */
static struct str *resolve(struct str_pool *p, const struct str *s)
{
	uint32_t what = seen_what(s->kind, s->vm);
	struct str_seen *slot;
	char buf[STR_LAZY_MAX];
	struct str *t;
	bool is_final;
	long n;

	if (!p->seen) {
		p->seen = calloc(1u << SEEN_BITS, sizeof(*p->seen));
		if (!p->seen)
			return NULL;
	}
	slot = seen_slot(p, what, s->word);
	if (slot->what == what && slot->word == s->word)
		return slot->s;
	n = p->resolve ? p->resolve(p->ctx, s->kind, s->vm, s->word, buf, sizeof(buf)) : 0;
	is_final = n >= 0;
	if (!is_final)
		n = -n - 1;
	t = str_intern_text(p, buf, (size_t)n);
	if (t && is_final) {
		slot->word = s->word;
		slot->what = what;
		slot->s = t;
	}
	return t;
}

const char *str_text(struct str_pool *p, const struct str *s, size_t *len)
{
	if (s && (s->flags & STR_LAZY))
		s = resolve(p, s);
	if (len)
		*len = s ? s->len : 0;
	return s ? s->text : "";
}

struct str *str_intern(struct str_pool *p, const struct str *s, size_t max)
{
	if (!s)
		return NULL;
	if (s->flags & STR_LAZY) {
		s = resolve(p, s);
		if (!s)
			return NULL;
	}
	if (s->len > max && !(s->flags & STR_WHOLE))
		return str_intern_text(p, s->text, max);
	if (s->flags & STR_INTERNED)
		return (struct str *)(uintptr_t)s;
	return str_intern_text(p, s->text, s->len);
}

int str_cmp(struct str_pool *p, const struct str *a, const struct str *b)
{
	size_t na, nb, n;
	const char *ta, *tb;
	int r;

	if (a == b)
		return 0;
	ta = str_text(p, a, &na);
	tb = str_text(p, b, &nb);
	n = na < nb ? na : nb;
	r = memcmp(ta, tb, n);
	if (r)
		return r;
	return na < nb ? -1 : na > nb;
}

void str_sweep(struct str_pool *p)
{
	if (p->seen)
		memset(p->seen, 0, sizeof(*p->seen) << SEEN_BITS);
	for (uint32_t i = 0; i <= p->mask; i++) {
		struct str **at = &p->bucket[i], *s;

		while ((s = *at)) {
			if (s->flags & (STR_MARKED | STR_PINNED)) {
				s->flags &= (uint8_t)~STR_MARKED;
				at = &s->next;
				continue;
			}
			*at = s->next;
			p->bytes -= sizeof(*s) + s->len + 1;
			p->nr--;
			free(s);
		}
	}
	p->swept_bytes = p->bytes;
}
