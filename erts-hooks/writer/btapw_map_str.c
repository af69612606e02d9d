// SPDX-License-Identifier: Apache-2.0
/* btapw_map_str.c - the region's strings: defined once, never changed */
#include "btapw_map_int.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ATOM_WORDS ((1ull << BTAP_MFA_ATOM_BITS) / 64)
#define ATOM_MAX   1020 /* 255 characters of 4 bytes */
#define PAGE_ATOMS 4096
#define NR_PAGES   ((1u << BTAP_MFA_ATOM_BITS) / PAGE_ATOMS)
#define NR_NAMES   (BTAPW_NAMES_MAX / 2) /* the table is kept half empty */

/* Zeroed memory that is there only where it is touched. */
static void *sparse(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int btapw_map_str_init(struct btapw_map *m, uint64_t room)
{
	pthread_mutex_init(&m->lock, NULL);
	m->str_room = room;
	m->known_atoms = sparse(ATOM_WORDS * 8); /* 32 MiB of addresses */
	m->atom_page = sparse(NR_PAGES * sizeof(*m->atom_page));
	m->name_at = sparse((NR_NAMES + 1) * sizeof(*m->name_at));
	return m->known_atoms && m->atom_page && m->name_at ? 0 : -ENOMEM;
}

void btapw_map_str_fini(struct btapw_map *m)
{
	for (uint32_t i = 0; m->atom_page && i < m->nr_atom_pages; i++)
		free(m->atom_page[i]);
	if (m->known_atoms)
		munmap(m->known_atoms, ATOM_WORDS * 8);
	if (m->atom_page)
		munmap(m->atom_page, NR_PAGES * sizeof(*m->atom_page));
	if (m->name_at)
		munmap(m->name_at, (NR_NAMES + 1) * sizeof(*m->name_at));
	free(m->name);
	m->known_atoms = NULL;
	m->atom_page = NULL;
	m->name_at = NULL;
	m->name = NULL;
	pthread_mutex_destroy(&m->lock);
}

bool btapw_map_atom_known(const struct btapw_map *m, uint64_t term)
{
	uint64_t n = BTAP_ATOM_NUMBER(term);

	if (!m || n / 64 >= ATOM_WORDS)
		return true;
	return __atomic_load_n(&m->known_atoms[n / 64], __ATOMIC_RELAXED) & (1ull << (n % 64));
}

static void lose(struct btapw_map *m)
{
	m->str_lost++;
	__atomic_store_n(&m->strtab->lost, m->str_lost, __ATOMIC_RELAXED);
}

/* Append an entry; with the lock.  Return: 0 or -ENOSPC. */
static int append(struct btapw_map *m, unsigned int kind, uint64_t key, const char *text,
		  size_t len)
{
	struct btap_string *s = (struct btap_string *)(m->strtab->data + m->str_used);
	uint64_t need = (sizeof(*s) + len + 7) & ~7ull;

	if (need > m->str_room - m->str_used) {
		lose(m);
		return -ENOSPC;
	}
	s->key = key;
	s->kind = (uint16_t)kind;
	s->len = (uint16_t)len;
	memcpy(s->text, text, len);
	__atomic_store_n(&m->str_used, m->str_used + need, __ATOMIC_RELAXED);
	m->str_count++;
	__atomic_store_n(&m->strtab->count, m->str_count, __ATOMIC_RELAXED);
	/* Pairs with the acquire in the reader's region_poll(): the entry is whole. */
	__atomic_store_n(&m->strtab->used, m->str_used, __ATOMIC_RELEASE);
	return 0;
}

static size_t cut(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

/* With the lock: the entry at @off is that of atom number @n. */
static void set_atom(struct btapw_map *m, uint64_t n, uint64_t off)
{
	uint32_t *page = m->atom_page[n / PAGE_ATOMS];

	if (!page) {
		page = calloc(PAGE_ATOMS, sizeof(*page));
		if (!page)
			return;
		/* Pairs with the acquire in btapw_map_atom_text(). */
		__atomic_store_n(&m->atom_page[n / PAGE_ATOMS], page, __ATOMIC_RELEASE);
		if (n / PAGE_ATOMS >= m->nr_atom_pages)
			m->nr_atom_pages = (uint32_t)(n / PAGE_ATOMS) + 1;
	}
	__atomic_store_n(&page[n % PAGE_ATOMS], (uint32_t)(off / 8 + 1), __ATOMIC_RELEASE);
}

/* @at: 1 + offset / 8 in the table, which is ours and right; what lies there need not be. */
static const char *text_at(const struct btapw_map *m, uint32_t at, size_t *len)
{
	const struct btap_string *s;
	uint64_t off;
	size_t n;

	if (at == 0)
		return NULL;
	off = 8 * (uint64_t)(at - 1);
	s = (const struct btap_string *)(m->strtab->data + off);
	n = __atomic_load_n(&s->len, __ATOMIC_RELAXED);
	if (n > m->str_room - off - sizeof(*s))
		return NULL;
	*len = n;
	return s->text;
}

const char *btapw_map_atom_text(const struct btapw_map *m, uint64_t term, size_t *len)
{
	uint64_t n = BTAP_ATOM_NUMBER(term);
	const uint32_t *page;

	if (n / PAGE_ATOMS >= NR_PAGES)
		return NULL;
	page = __atomic_load_n(&m->atom_page[n / PAGE_ATOMS], __ATOMIC_ACQUIRE);
	if (!page)
		return NULL;
	return text_at(m, __atomic_load_n(&page[n % PAGE_ATOMS], __ATOMIC_ACQUIRE), len);
}

const char *btapw_map_name_text(const struct btapw_map *m, uint64_t number, size_t *len)
{
	if (number > NR_NAMES)
		return NULL;
	return text_at(m, __atomic_load_n(&m->name_at[number], __ATOMIC_ACQUIRE), len);
}

void btapw_map_str_send(struct btapw_map *m)
{
	if (__atomic_load_n(&m->str_sent, __ATOMIC_ACQUIRE) ==
	    __atomic_load_n(&m->str_used, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&m->lock);
	m->ops->strings(m);
	pthread_mutex_unlock(&m->lock);
}

int btapw_map_string(struct btapw_map *m, unsigned int kind, uint64_t key, const char *text,
		     size_t len)
{
	uint64_t n = BTAP_ATOM_NUMBER(key), off;
	int r = 0;

	if (!m)
		return -ENODEV;
	if (kind == BTAP_STRING_ATOM && n / 64 >= ATOM_WORDS)
		return -EINVAL;
	pthread_mutex_lock(&m->lock);
	if (kind != BTAP_STRING_ATOM) {
		r = append(m, kind, key, text, cut(text, len, 0xffff));
	} else if (!btapw_map_atom_known(m, key)) {
		off = m->str_used;
		r = append(m, kind, key, text, cut(text, len, ATOM_MAX));
		if (r == 0)
			set_atom(m, n, off);
		/* Also when it found no room: it will not find any later. */
		__atomic_fetch_or(&m->known_atoms[n / 64], 1ull << (n % 64), __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&m->lock);
	return r;
}

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return h ^ h >> 29;
}

/* The entry of this text, or the free place for it; NULL when there is none. */
static struct btapw_name *find_name(struct btapw_map *m, uint64_t hash, const char *text,
				    size_t len)
{
	struct btapw_name *e = NULL;
	const struct btap_string *s;

	for (uint32_t i = (uint32_t)hash;; i++) {
		e = &m->name[i & (m->name_size - 1)];
		if (e->number == 0)
			return e;
		/* A reader may have spoilt the text in the table: stay inside the table. */
		s = (const struct btap_string *)(m->strtab->data + e->off);
		if (e->hash == hash && len <= m->str_room - e->off - sizeof(*s) &&
		    s->len == len && memcmp(s->text, text, len) == 0)
			return e;
	}
}

static bool grow_names(struct btapw_map *m)
{
	uint32_t size = m->name_size ? 2 * m->name_size : 256, old_size = m->name_size;
	struct btapw_name *old = m->name, *name;

	if (size > BTAPW_NAMES_MAX)
		return false;
	name = calloc(size, sizeof(*name));
	if (!name)
		return false;
	m->name = name;
	m->name_size = size;
	for (uint32_t i = 0; i < old_size; i++) {
		uint32_t at = (uint32_t)old[i].hash;

		if (old[i].number == 0)
			continue;
		while (name[at & (size - 1)].number)
			at++;
		name[at & (size - 1)] = old[i];
	}
	free(old);
	return true;
}

uint64_t btapw_map_name(struct btapw_map *m, const char *text, size_t len)
{
	struct btapw_name *e;
	uint64_t number = 0, hash;
	bool is_full;

	if (!m)
		return 0;
	len = cut(text, len, 0xffff);
	hash = hash_of(text, len);
	pthread_mutex_lock(&m->lock);
	/* Kept half empty, so that find_name() always finds a free place. */
	is_full = 2 * (m->nr_names + 1) > m->name_size && !grow_names(m);
	e = m->name ? find_name(m, hash, text, len) : NULL;
	number = e ? e->number : 0;
	if (number == 0 && is_full) {
		lose(m);
	} else if (number == 0) {
		uint64_t off = m->str_used;

		if (append(m, BTAP_STRING_NAME, m->nr_names + 1, text, len) == 0) {
			number = ++m->nr_names;
			*e = (struct btapw_name){ hash, number, off };
			if (number <= NR_NAMES)
				__atomic_store_n(&m->name_at[number], (uint32_t)(off / 8 + 1),
						 __ATOMIC_RELEASE);
		}
	}
	pthread_mutex_unlock(&m->lock);
	return number;
}
