// SPDX-License-Identifier: GPL-2.0
/* strtab.c - a region's strings, as the kernel keeps them */
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <beamtap/region.h>
#include "held.h"
#include "strtab.h"
#include "text.h"

#define NR_BUCKETS  8192
#define CHUNK_BYTES (32 * 1024)
#define BUCKET_BYTES (NR_BUCKETS * sizeof(struct btap_strtab_entry *))

struct btap_strtab_chunk {
	struct btap_strtab_chunk *next;
	char data[];
};

#define CHUNK_ROOM (CHUNK_BYTES - sizeof(struct btap_strtab_chunk))

void btap_strtab_init(struct btap_strtab_hash *t,
		      int (*charge)(struct btap_strtab_hash *t, long bytes))
{
	memset(t, 0, sizeof(*t));
	t->charge = charge;
	/* Keys are the VM's choice: it shall not be able to choose the chains, too. */
	t->seed = get_random_u32();
}

void btap_strtab_fini(struct btap_strtab_hash *t)
{
	struct btap_strtab_chunk *c, *next;

	for (c = t->chunks; c; c = next) {
		next = c->next;
		kvfree(c);
		btap_held_add(BTAP_HELD_STRING_BYTES, -CHUNK_BYTES);
	}
	if (t->bucket)
		btap_held_add(BTAP_HELD_STRING_BYTES, -(long)BUCKET_BYTES);
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

/* Memory that is charged for. */
static void *take(struct btap_strtab_hash *t, size_t bytes)
{
	int error = t->charge(t, bytes);
	void *p;

	if (error)
		return ERR_PTR(error);
	p = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!p) {
		t->charge(t, -(long)bytes);
		return ERR_PTR(-ENOMEM);
	}
	btap_held_add(BTAP_HELD_STRING_BYTES, bytes);
	return p;
}

/* One chunk more, which has room for any entry. */
static int grow(struct btap_strtab_hash *t)
{
	struct btap_strtab_entry **bucket;
	struct btap_strtab_chunk *c;

	if (!t->bucket) {
		bucket = take(t, BUCKET_BYTES);
		if (IS_ERR(bucket))
			return PTR_ERR(bucket);
		/* Pairs with the acquire in btap_strtab_find(): the buckets are zeroed. */
		smp_store_release(&t->bucket, bucket);
	}
	c = take(t, CHUNK_BYTES);
	if (IS_ERR(c))
		return PTR_ERR(c);
	c->next = t->chunks;
	t->chunks = c;
	t->room = CHUNK_ROOM;
	return 0;
}

static int insert(struct btap_strtab_hash *t, const struct btap_string *s, bool may_grow)
{
	u32 i = bucket_of(t, s->kind, s->key);
	unsigned int len = min_t(unsigned int, s->len, BTAP_STRTAB_TEXT_MAX);
	size_t need = ALIGN(offsetof(struct btap_strtab_entry, text) + len + 1, 8);
	struct btap_strtab_entry *e;
	int r;

	if (t->bucket && find(t->bucket, i, s->kind, s->key))
		return 0;
	if (need > t->room) {
		r = may_grow ? grow(t) : -ENOSPC;
		if (r) {
			WRITE_ONCE(t->lost, t->lost + 1);
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
	WRITE_ONCE(t->nr, t->nr + 1);
	return 0;
}

int btap_strtab_add(struct btap_strtab_hash *t, const void *data, size_t len)
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
		/* Refused once is refused: charging takes a lock that all share. */
		r = insert(t, s, !error);
		if (!error)
			error = r;
		off += need;
		cond_resched();
	}
	return error;
}
