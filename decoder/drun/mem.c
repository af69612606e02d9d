// SPDX-License-Identifier: Apache-2.0
/* mem.c - the memory that a script's pointers point into */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "drun/mem.h"

int mem_init(struct mem *m, size_t scratch_size)
{
	memset(m, 0, sizeof(*m));
	m->scratch_size = scratch_size + MEM_FIRST;
	m->scratch = malloc(m->scratch_size);
	if (!m->scratch)
		return -ENOMEM;
	m->scratch_used = MEM_FIRST;
	m->store_used = MEM_FIRST;
	return 0;
}

void mem_fini(struct mem *m)
{
	free(m->scratch);
	free(m->pieces);
	free(m->store);
	free(m->classes);
	memset(m, 0, sizeof(*m));
}

size_t mem_room(const struct mem *m, uint64_t addr)
{
	if (!mem_at(m, addr, 0))
		return 0;
	if (addr - MEM_SCRATCH < MEM_AREA)
		return mem_piece(m, addr - MEM_SCRATCH)->end - (size_t)(addr - MEM_SCRATCH);
	return m->store_used - (size_t)(addr - MEM_STORE);
}

/*
 * A piece ends where the script asked it to, so that a step past it is noticed;
 * the next one begins at least a byte later, so that its begin is nobody's end.
 */
uint64_t mem_scratch(struct mem *m, uint64_t size)
{
	size_t at = m->nr_pieces ? (m->scratch_used + 8) & ~(size_t)7 : MEM_FIRST;

	if (at > m->scratch_size || size > m->scratch_size - at)
		return 0;
	if (m->nr_pieces == m->piece_cap) {
		uint32_t cap = m->piece_cap ? m->piece_cap * 2 : 16;
		struct mem_piece *p = realloc(m->pieces, cap * sizeof(*p));

		if (!p)
			return 0;
		m->pieces = p;
		m->piece_cap = cap;
	}
	memset(m->scratch + at, 0, size);
	m->pieces[m->nr_pieces++] = (struct mem_piece){ at, at + size };
	m->scratch_used = at + size;
	return MEM_SCRATCH + at;
}

static struct mem_class *class_of(struct mem *m, uint32_t size)
{
	struct mem_class *c;

	for (uint32_t i = 0; i < m->nr_classes; i++)
		if (m->classes[i].size == size)
			return &m->classes[i];
	c = realloc(m->classes, (m->nr_classes + 1) * sizeof(*c));
	if (!c)
		return NULL;
	m->classes = c;
	c[m->nr_classes] = (struct mem_class){ .size = size };
	return &c[m->nr_classes++];
}

uint64_t mem_new(struct mem *m, uint32_t size)
{
	struct mem_class *c;
	uint64_t addr;

	size = (size + 7) & ~7u;
	if (!size)
		size = 8;
	c = class_of(m, size);
	if (!c)
		return 0;
	if (c->free) {
		addr = c->free;
		memcpy(&c->free, m->store + (addr - MEM_STORE), 8);
	} else {
		if (m->store_cap - m->store_used < size || !m->store) {
			size_t cap = m->store_cap ? m->store_cap * 2 : 4096;
			char *p;

			while (cap - m->store_used < size)
				cap *= 2;
			p = realloc(m->store, cap);
			if (!p)
				return 0;
			m->store = p;
			m->store_cap = cap;
		}
		addr = MEM_STORE + m->store_used;
		m->store_used += size;
	}
	memset(m->store + (addr - MEM_STORE), 0, size);
	return addr;
}

void mem_free(struct mem *m, uint64_t addr, uint32_t size)
{
	struct mem_class *c;

	size = (size + 7) & ~7u;
	if (!size)
		size = 8;
	c = class_of(m, size);
	if (!c || !mem_at(m, addr, size))
		return;
	memcpy(m->store + (addr - MEM_STORE), &c->free, 8);
	c->free = addr;
}
