// SPDX-License-Identifier: Apache-2.0
/*
 * strings.c - the strings of a VM; see strings.h
 *
 * Entries in blocks, text in pieces, neither ever moved; an open-addressed index
 * of entry numbers over (kind, key).
 */
#include "source/strings.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK	  1024	      /* entries */
#define PIECE	  (64 * 1024) /* bytes of text */
#define MAX_TEXT  0xffff
#define MAX_COUNT (1u << 28)

struct src_strings {
	struct strings_entry **block;
	uint32_t nr_blocks, count;
	uint32_t *index; /* entry number + 1; 0: free */
	uint32_t index_size;
	char **piece;
	uint32_t nr_pieces;
	size_t piece_used, piece_size;
};

struct src_strings *strings_new(void)
{
	return calloc(1, sizeof(struct src_strings));
}

void strings_free(struct src_strings *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nr_blocks; i++)
		free(t->block[i]);
	for (uint32_t i = 0; i < t->nr_pieces; i++)
		free(t->piece[i]);
	free(t->block);
	free(t->piece);
	free(t->index);
	free(t);
}

uint32_t strings_count(const struct src_strings *t)
{
	return t->count;
}

const struct strings_entry *strings_entry(const struct src_strings *t, uint32_t i)
{
	return i < t->count ? &t->block[i / BLOCK][i % BLOCK] : NULL;
}

static uint32_t slot_of(const struct src_strings *t, unsigned int kind, uint64_t key)
{
	uint64_t h = (key ^ ((uint64_t)kind << 62)) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32) & (t->index_size - 1);
}

/* Slot of the entry, or the free one where it belongs. */
static uint32_t find(const struct src_strings *t, unsigned int kind, uint64_t key)
{
	uint32_t s = slot_of(t, kind, key);
	const struct strings_entry *e;

	for (; t->index[s]; s = (s + 1) & (t->index_size - 1)) {
		e = strings_entry(t, t->index[s] - 1);
		if (e->key == key && e->kind == kind)
			break;
	}
	return s;
}

static int grow_index(struct src_strings *t)
{
	uint32_t size = t->index_size ? 2 * t->index_size : 1024, *old = t->index;
	uint32_t *index = calloc(size, sizeof(*index));

	if (!index)
		return -ENOMEM;
	t->index = index;
	t->index_size = size;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct strings_entry *e = strings_entry(t, i);

		index[find(t, e->kind, e->key)] = i + 1;
	}
	free(old);
	return 0;
}

static struct strings_entry *new_entry(struct src_strings *t)
{
	if (t->count / BLOCK == t->nr_blocks) {
		void *p = realloc(t->block, (t->nr_blocks + 1) * sizeof(*t->block));

		if (!p)
			return NULL;
		t->block = p;
		t->block[t->nr_blocks] = calloc(BLOCK, sizeof(**t->block));
		if (!t->block[t->nr_blocks])
			return NULL;
		t->nr_blocks++;
	}
	return &t->block[t->count / BLOCK][t->count % BLOCK];
}

static char *new_text(struct src_strings *t, size_t size)
{
	if (t->piece_size - t->piece_used < size) {
		size_t piece_size = size > PIECE ? size : PIECE;
		void *p = realloc(t->piece, (t->nr_pieces + 1) * sizeof(*t->piece));

		if (!p)
			return NULL;
		t->piece = p;
		p = malloc(piece_size);
		if (!p)
			return NULL;
		t->piece[t->nr_pieces++] = p;
		t->piece_size = piece_size;
		t->piece_used = 0;
	}
	t->piece_used += size;
	return t->piece[t->nr_pieces - 1] + t->piece_used - size;
}

/* Bytes of the UTF-8 character at @s, 0 when it is none. */
static size_t utf8_char(const unsigned char *s, size_t len)
{
	unsigned int c = s[0], lo = 0x80, hi = 0xbf;
	size_t n, i;

	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	/* Overlong forms, surrogates, beyond U+10FFFF: all told by the second byte. */
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	if (s[1] < lo || s[1] > hi)
		return 0;
	for (i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* Copy as UTF-8; with @out NULL count alone.  Return: bytes. */
static size_t clean(char *out, const char *text, size_t len)
{
	size_t i = 0, n, size = 0;

	while (i < len) {
		n = utf8_char((const unsigned char *)text + i, len - i);
		if (out && n)
			memcpy(out + size, text + i, n);
		else if (out)
			memcpy(out + size, "\xef\xbf\xbd", 3);
		size += n ? n : 3;
		i += n ? n : 1;
	}
	return size;
}

int strings_add(struct src_strings *t, unsigned int kind, uint64_t key, const char *text,
		size_t len)
{
	struct strings_entry *e;
	uint32_t slot;
	size_t size;
	char *copy;

	if ((kind != BTAP_STRING_ATOM && kind != BTAP_STRING_NAME) || len > MAX_TEXT)
		return -EPROTO;
	if (t->count == MAX_COUNT)
		return -ENOMEM;
	if (2 * (t->count + 1) > t->index_size && grow_index(t) < 0)
		return -ENOMEM;
	slot = find(t, kind, key);
	if (t->index[slot])
		return -EEXIST;
	size = clean(NULL, text, len);
	e = new_entry(t);
	copy = e ? new_text(t, size + 1) : NULL;
	if (!copy)
		return -ENOMEM;
	clean(copy, text, len);
	copy[size] = '\0';
	*e = (struct strings_entry){ kind, key, copy, (uint32_t)size };
	t->index[slot] = ++t->count;
	return 0;
}

int strings_load(struct src_strings *t, const char *data, size_t from, size_t used, size_t *next,
		 struct diag *d)
{
	struct btap_string head;
	char text[MAX_TEXT];
	int nr = 0, r;
	size_t need;

	*next = from;
	while (used - *next >= sizeof(head)) {
		/* Copy first: what is shared can change after it is checked. */
		memcpy(&head, data + *next, sizeof(head));
		need = (sizeof(head) + head.len + 7) & ~(size_t)7;
		if (need > used - *next)
			return diag_fail(d, -EPROTO,
					 "string %u at offset %zu of the string table takes %zu bytes,"
					 " but %zu are left", strings_count(t), *next, need,
					 used - *next);
		memcpy(text, data + *next + sizeof(head), head.len);
		r = strings_add(t, head.kind, head.key, text, head.len);
		if (r == -EPROTO)
			return diag_fail(d, r, "string %u at offset %zu of the string table has"
					 " the unknown kind %u", strings_count(t), *next, head.kind);
		if (r == -ENOMEM)
			return diag_fail(d, r, "no memory for the VM's strings");
		*next += need;
		nr++;
	}
	if (*next != used)
		return diag_fail(d, -EPROTO, "%zu odd bytes at the end of the string table",
				 used - *next);
	return nr;
}

static const char *lookup(const struct src_strings *t, unsigned int kind, uint64_t key,
			  size_t *len)
{
	const struct strings_entry *e;
	uint32_t slot;

	if (!t || !t->count)
		return NULL;
	slot = find(t, kind, key);
	if (!t->index[slot])
		return NULL;
	e = strings_entry(t, t->index[slot] - 1);
	if (len)
		*len = e->len;
	return e->text;
}

const char *src_atom(const struct src_strings *t, uint64_t term, size_t *len)
{
	return lookup(t, BTAP_STRING_ATOM, term, len);
}

const char *src_string(const struct src_strings *t, uint64_t number, size_t *len)
{
	return lookup(t, BTAP_STRING_NAME, number, len);
}
