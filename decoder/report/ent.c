// SPDX-License-Identifier: Apache-2.0
/* ent.c - records of processes, ports, names and nodes; see ent.h */
#include "report/ent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <beamtap/records.h>

#define NODE_SPACE 0x80000000u /* keys of remote nodes, apart from registered names */

static uint32_t nr_chunks(uint32_t max)
{
	return max / ENT_CHUNK + 1;
}

static bool new_chunk(struct ents *es, uint32_t i)
{
	size_t size = ENT_CHUNK * sizeof(struct ent);

	es->chunks[i] = aligned_alloc(64, size);
	if (es->chunks[i])
		memset(es->chunks[i], 0, size);
	return es->chunks[i] != NULL;
}

int ent_init(struct ents *es, uint32_t max)
{
	if (max < 16)
		max = 16;
	*es = (struct ents){ .max = max };
	es->chunks = calloc(nr_chunks(max), sizeof(*es->chunks));
	es->free = malloc(max * sizeof(*es->free));
	if (!es->chunks || !es->free || imap_init(&es->map, 1024))
		return -ENOMEM;
	es->nr = 1;
	return new_chunk(es, 0) ? 0 : -ENOMEM;
}

void ent_fini(struct ents *es)
{
	for (uint32_t i = 0; es->chunks && i < nr_chunks(es->max); i++)
		free(es->chunks[i]);
	free(es->chunks);
	free(es->free);
	imap_fini(&es->map);
}

void ent_add(struct ent_sum *s, const struct ent *e)
{
	s->nr++;
	s->run_ns += e->run_ns;
	s->dirty_ns += e->dirty_ns;
	s->wait_ns += e->wait_ns;
	s->waits += e->waits;
	s->in += e->in;
	s->out += e->out;
	s->gc_ns += e->gc_ns;
	s->gcs += e->gcs[0] + e->gcs[1];
	s->gc_words += e->gc_words;
}

static bool can_fold(const struct ent *e)
{
	return (e->flags & ENT_EXITED) && !(e->flags & (ENT_RUNS | ENT_FOLDED));
}

/* What makes a process worth keeping: its time, running or collecting garbage. */
static uint64_t worth(const struct ent *e)
{
	return e->run_ns + e->dirty_ns + e->gc_ns;
}

static int by_worth(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The worth below which seven eighths of the ended ones are; 0 if there are too few. */
static uint64_t threshold(const struct ents *es)
{
	uint64_t *w = malloc(es->nr * sizeof(*w)), at = 0;
	uint32_t nr = 0;

	if (!w)
		return 0;
	for (uint32_t i = 1; i < es->nr; i++)
		if (can_fold(ent_at(es, i)))
			w[nr++] = worth(ent_at(es, i));
	if (nr >= es->max / 8) {
		qsort(w, nr, sizeof(*w), by_worth);
		at = w[nr - nr / 8 - 1] + 1;
	}
	free(w);
	return at;
}

static void fold(struct ents *es)
{
	uint64_t below = threshold(es);

	for (uint32_t i = 1; below && i < es->nr; i++) {
		struct ent *e = ent_at(es, i);

		if (!can_fold(e) || worth(e) >= below)
			continue;
		ent_add(&es->folded, e);
		if (!(e->flags & ENT_OLD))
			imap_del(&es->map, e->term, e->vm);
		e->flags |= ENT_FOLDED;
		es->free[es->nr_free++] = i;
	}
	if (es->nr_free && es->on_fold)
		es->on_fold(es->arg);
	es->is_full = es->nr_free == 0;
	es->exits = 0;
}

static uint32_t room(struct ents *es)
{
	if (!es->nr_free && es->nr == es->max && (!es->is_full || es->exits > es->max / 8))
		fold(es);
	if (es->nr_free)
		return es->free[--es->nr_free];
	if (es->nr == es->max)
		return 0;
	if (!es->chunks[es->nr / ENT_CHUNK] && !new_chunk(es, es->nr / ENT_CHUNK))
		return 0;
	return es->nr++;
}

uint32_t ent_make(struct ents *es, uint32_t vm, uint64_t term, uint16_t flags)
{
	uint32_t i = term ? room(es) : 0;
	struct ent *e = ent_at(es, i);

	if (!i || imap_put(&es->map, term, flags & ENT_NODE ? vm | NODE_SPACE : vm, i)) {
		es->refused += term != 0;
		return 0;
	}
	*e = (struct ent){ .term = term, .vm = vm, .flags = flags };
	return i;
}

uint32_t ent_node(struct ents *es, uint32_t vm, uint64_t atom)
{
	uint32_t i = imap_find(&es->map, atom, vm | NODE_SPACE);

	return i != IMAP_NONE ? i : ent_make(es, vm, atom, ENT_NODE);
}

uint32_t ent_renew(struct ents *es, uint32_t vm, uint64_t term)
{
	uint32_t i = imap_find(&es->map, term, vm);

	if (i != IMAP_NONE) {
		ent_at(es, i)->flags |= ENT_OLD | ENT_EXITED;
		imap_del(&es->map, term, vm);
	}
	return ent_make(es, vm, term, 0);
}
