/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - the memory that a script's pointers point into
 *
 * Addresses that a script sees are not the process's own: each is a base and an
 * offset, looked up and checked at every access.  There are two areas: scratch
 * (alloca(), copyin(), ...), which is empty again when a probe has been dealt
 * with, and the store, where variables of struct, union and array type lie.
 */
#ifndef BEAMTAP_MEM_H
#define BEAMTAP_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_SCRATCH 0x7fd0000000000000ULL
#define MEM_STORE   0x7fd1000000000000ULL
#define MEM_AREA    0x0001000000000000ULL
#define MEM_FIRST   8 /* no object is at offset 0, so that an address is never like NULL */

/* Freed pieces of one size. */
struct mem_class {
	uint32_t size;
	uint64_t free; /* address of the first, which holds that of the next; 0: none */
};

struct mem {
	char *scratch;
	size_t scratch_size, scratch_used;
	struct mem_piece {
		size_t begin, end; /* offsets in scratch; nothing between two pieces may be touched */
	} *pieces;
	uint32_t nr_pieces, piece_cap;
	char *store;
	size_t store_used, store_cap;
	struct mem_class *classes;
	uint32_t nr_classes;
};

/** mem_init() - @scratch_size bytes of scratch.  Return: 0 or -ENOMEM */
int mem_init(struct mem *m, size_t scratch_size);
void mem_fini(struct mem *m);

static inline void mem_reset_scratch(struct mem *m)
{
	m->scratch_used = MEM_FIRST;
	m->nr_pieces = 0;
}

/** mem_piece() - the piece of scratch that an offset lies in, or just behind; NULL: none */
static inline const struct mem_piece *mem_piece(const struct mem *m, uint64_t off)
{
	for (uint32_t i = m->nr_pieces; i--;)
		if (off >= m->pieces[i].begin)
			return off <= m->pieces[i].end ? &m->pieces[i] : NULL;
	return NULL;
}

/**
 * mem_at() - where @size bytes at an address are
 * Return: borrowed until the next mem_new(), or NULL: not all of them are the script's
 */
static inline char *mem_at(const struct mem *m, uint64_t addr, uint64_t size)
{
	uint64_t off;

	if (addr - MEM_SCRATCH < MEM_AREA) {
		const struct mem_piece *p = mem_piece(m, addr - MEM_SCRATCH);

		off = addr - MEM_SCRATCH;
		if (!p || size > p->end - off)
			return NULL;
		return m->scratch + off;
	}
	if (addr - MEM_STORE < MEM_AREA) {
		off = addr - MEM_STORE;
		if (!m->store || off < MEM_FIRST || off > m->store_used || size > m->store_used - off)
			return NULL;
		return m->store + off;
	}
	return NULL;
}

/** mem_room() - Return: how many bytes from an address on are the script's; 0: none */
size_t mem_room(const struct mem *m, uint64_t addr);
/** mem_shown() - an address as reports of faults have it: without the base of its area */
static inline uint64_t mem_shown(uint64_t addr)
{
	if (addr - MEM_SCRATCH < MEM_AREA)
		return addr - MEM_SCRATCH;
	return addr;
}
/** mem_scratch() - zeroed scratch, aligned to 8.  Return: address, or 0: there is not as much left */
uint64_t mem_scratch(struct mem *m, uint64_t size);
/** mem_new() - zeroed piece of the store.  Return: address, or 0 without memory */
uint64_t mem_new(struct mem *m, uint32_t size);
/** mem_free() - give it back */
void mem_free(struct mem *m, uint64_t addr, uint32_t size);

#endif /* BEAMTAP_MEM_H */
