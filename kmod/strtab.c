// SPDX-License-Identifier: GPL-2.0
/* strtab.c - a region's strings, as the kernel keeps them */
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <beamtap/region.h>
#include "strtab.h"
#include "text.h"

#define NR_BUCKETS  8192
#define CHUNK_BYTES (32 * 1024)

struct btap_strtab_chunk {
	struct btap_strtab_chunk *next;
	char data[];
};

#define CHUNK_ROOM (CHUNK_BYTES - sizeof(struct btap_strtab_chunk))

void btap_strtab_init(struct btap_strtab_hash *t)
{
	memset(t, 0, sizeof(*t));
	/* Keys are the VM's choice: it shall not be able to choose the chains, too. */
	t->seed = get_random_u32();
}

void btap_strtab_fini(struct btap_strtab_hash *t)
{
	struct btap_strtab_chunk *c, *next;

	for (c = t->chunks; c; c = next) {
		next = c->next;
		kvfree(c);
	}
	kvfree(t->bucket);
}

static u32 bucket_of(const struct btap_strtab_hash *t, u16 kind, u64 key)
{
	return jhash_3words(key, key >> 32, kind, t->seed) % NR_BUCKETS;
}

static const struct btap_strtab_entry *find(struct btap_strtab_entry **bucket, u32 i, u16 kind,
					    u64 key)
{
	const struct btap_strtab_entry *e;

	/* Pairs with the release in insert(). */
	for (e = smp_load_acquire(&bucket[i]); e; e = e->next)
		if (e->key == key && e->kind == kind)
			return e;
	return NULL;
}

const struct btap_strtab_entry *btap_strtab_find(const struct btap_strtab_hash *t, u16 kind, u64 key)
{
	/* Pairs with the release in grow(). */
	struct btap_strtab_entry **bucket = smp_load_acquire(&t->bucket);

	return bucket ? find(bucket, bucket_of(t, kind, key), kind, key) : NULL;
}

/* Room for an entry of @need bytes. */
static int grow(struct btap_strtab_hash *t, size_t need, size_t limit)
{
	const size_t bucket_bytes = NR_BUCKETS * sizeof(*t->bucket);
	struct btap_strtab_entry **bucket;
	struct btap_strtab_chunk *c;

	if (t->bytes + CHUNK_BYTES + (t->bucket ? 0 : bucket_bytes) > limit)
		return -ENOSPC;
	if (!t->bucket) {
		bucket = kvzalloc(bucket_bytes, GFP_KERNEL_ACCOUNT);
		if (!bucket)
			return -ENOMEM;
		t->bytes += bucket_bytes;
		/* Pairs with the acquire in btap_strtab_find(): the buckets are zeroed. */
		smp_store_release(&t->bucket, bucket);
	}
	c = kvmalloc(CHUNK_BYTES, GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	t->bytes += CHUNK_BYTES;
	c->next = t->chunks;
	t->chunks = c;
	t->room = CHUNK_ROOM;
	return 0;
}

static int insert(struct btap_strtab_hash *t, const struct btap_string *s, size_t limit)
{
	u32 i = bucket_of(t, s->kind, s->key);
	unsigned int len = min_t(unsigned int, s->len, BTAP_STRTAB_TEXT_MAX);
	size_t need = ALIGN(offsetof(struct btap_strtab_entry, text) + len + 1, 8);
	struct btap_strtab_entry *e;
	int r;

	if (t->bucket && find(t->bucket, i, s->kind, s->key))
		return 0;
	if (need > t->room) {
		r = grow(t, need, limit);
		if (r) {
			t->lost++;
			return r;
		}
	}
	e = (void *)(t->chunks->data + (CHUNK_ROOM - t->room));
	t->room -= need;
	e->key = s->key;
	e->kind = s->kind;
	e->len = btap_text_copy(e->text, BTAP_STRTAB_TEXT_MAX, s->text, s->len);
	e->next = t->bucket[i];
	/* Pairs with the acquire in find(): an entry that is seen is whole. */
	smp_store_release(&t->bucket[i], e);
	t->nr++;
	return 0;
}

int btap_strtab_add(struct btap_strtab_hash *t, const void *data, size_t len, size_t limit)
{
	const struct btap_string *s;
	size_t off = 0, need;
	int r, error = 0;

	while (off < len) {
		s = data + off;
		if (len - off < sizeof(*s))
			return -EINVAL;
		need = ALIGN(sizeof(*s) + s->len, 8);
		if (need > len - off)
			return -EINVAL;
		if (s->kind != BTAP_STRING_ATOM && s->kind != BTAP_STRING_NAME)
			return -EINVAL;
		r = insert(t, s, limit);
		if (r)
			error = r;
		off += need;
		cond_resched();
	}
	return error;
}
