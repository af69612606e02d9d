/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fast.h - clauses of the commonest shape, done without the machine
 *
 *	/ ranges of arguments, joined by && / { @a[keys] = f(argument); ... }
 *
 * Such a clause is taken apart once, when its probe fires first: which words of
 * the record are compared with what, which are keys and values.  Then an event
 * costs loads, comparisons and one look into a table; neither the event's
 * context is set up nor are instructions decoded.  What a clause does here is
 * what the machine would do; a test compares the two.
 *
 * A probe is fast if all of its clauses are; one record that is shorter than
 * they need goes to the machine.
 */
#ifndef BEAMTAP_DRUN_FAST_H
#define BEAMTAP_DRUN_FAST_H

#include "drun/vm.h"

#define FAST_MAX_KEYS  4
#define FAST_MAX_TESTS 4
#define FAST_MAX_AGGS  4
#define FAST_CACHE     2048 /* keys remembered an aggregation */

/* A word of the record as the machine would see it in a register. */
struct fast_word {
	uint32_t pos;	   /* index in the record */
	uint64_t from, to; /* what stands for "not known", and what D sees then */
};

/* Is a word in [lo, lo + span]?  All comparisons with a constant are this. */
struct fast_test {
	struct fast_word word;
	uint64_t lo, span;
	bool is_not;
};

struct fast_agg {
	struct agg *agg;
	uint32_t nr_keys;  /* all of them */
	uint32_t nr_words; /* keys that come from the record: words[0 .. nr_words) */
	bool is_cached;	   /* one of these is a string, or is_plain */
	bool has_value;	   /* else value.to */
	bool is_plain;	   /* count() by one word of the record */
	struct fast_word words[FAST_MAX_KEYS], value;
	uint8_t at[FAST_MAX_KEYS];   /* key that words[i] is */
	int16_t text[FAST_MAX_KEYS]; /* kind of string that words[i] names; -1: a number */
	uint64_t keys[FAST_MAX_KEYS]; /* the constant ones in their places */
	/*
	 * Where is_cached: entries of 1 + nr_words words, row + 1 and the
	 * raw words, by their hash.  Good as long as rows keep their numbers: a row
	 * holds its strings, and only what has its final text is remembered.
	 */
	uint64_t *cache;
	uint32_t agg_gen;
};

struct fast_clause {
	uint32_t nr_tests, nr_aggs;
	struct fast_test tests[FAST_MAX_TESTS];
	struct fast_agg aggs[FAST_MAX_AGGS];
};

struct fast {
	uint32_t vm;	   /* index of the VM that the probe is of */
	uint32_t nr_words; /* that a record must have */
	uint32_t nr_clauses; /* at least one, each with an aggregation */
	struct fast_clause clauses[];
};

/**
 * fast_new() - take the clauses of a probe apart
 * @probe: of events @event of VM @src_vm
 * Return: owned, or NULL: they are not of that shape (or no memory)
 */
struct fast *fast_new(struct vm *vm, const struct vm_probe *probe, uint32_t event, uint32_t src_vm);
void fast_free(struct fast *f);

/** fast_agg_cached() - what fast_fire() does for cached keys, but for a single one seen before */
void fast_agg_cached(struct vm *vm, struct fast_agg *a, const uint64_t *rec, uint32_t src_vm);

static inline uint64_t fast_load(const struct fast_word *w, const uint64_t *rec)
{
	uint64_t v = rec[w->pos];

	return v == w->from ? w->to : v;
}

/* Where the cache has, or would have, these words. */
static inline uint64_t *fast_slot(const struct fast_agg *a, const uint64_t *words, uint32_t nr)
{
	return a->cache + tab_hash(words, nr) % FAST_CACHE * (1 + nr);
}

static inline void fast_count(struct vm *vm, struct fast_agg *a, const uint64_t *rec)
{
	int64_t value = (int64_t)a->value.to;
	uint64_t *row;

	for (uint32_t i = 0; i < a->nr_words; i++)
		a->keys[a->at[i]] = fast_load(&a->words[i], rec);
	if (a->has_value)
		value = (int64_t)fast_load(&a->value, rec);
	row = tab_find(&a->agg->tab, a->keys);
	if (__builtin_expect(row && a->agg->def->func == DPROG_AGG_COUNT, 1))
		row[a->nr_keys]++;
	else
		agg_update(a->agg, &vm->agg_budget, a->keys, value, 1);
}

/* One word as key, and the same row as the last time. */
static inline void fast_count_cached(struct vm *vm, struct fast_agg *a, const uint64_t *rec, uint32_t src_vm)
{
	uint64_t word = rec[a->words[0].pos];
	const uint64_t *at = fast_slot(a, &word, 1);

	if (at[1] == word && at[0] && a->is_plain && a->agg_gen == a->agg->gen)
		a->agg->tab.rows[(at[0] - 1) * 2 + 1]++;
	else
		fast_agg_cached(vm, a, rec, src_vm);
}

/** fast_fire() - all clauses of a probe for a record of at least f->nr_words */
static inline void fast_fire(struct vm *vm, struct fast *f, const uint64_t *rec)
{
	struct fast_clause *c = f->clauses, *end = c + f->nr_clauses;

	do {
		const struct fast_test *t = c->tests, *last = t + c->nr_tests;
		struct fast_agg *a = c->aggs, *last_agg = a + c->nr_aggs;

		for (; t < last; t++)
			if ((fast_load(&t->word, rec) - t->lo <= t->span) == t->is_not)
				goto next;
		do
			if (a->is_cached)
				fast_count_cached(vm, a, rec, f->vm);
			else
				fast_count(vm, a, rec);
		while (++a < last_agg);
next:;
	} while (++c < end);
}

#endif /* BEAMTAP_DRUN_FAST_H */
