// SPDX-License-Identifier: Apache-2.0
/* spec.c - speculations */
#include <stdlib.h>
#include <string.h>
#include "drun/rec.h"
#include "drun/spec.h"

/* A record lies in words[] as its head and then its data. */
struct head {
	const struct vm_probe *probe;
	uint32_t clause, cpu, nr_words, pad;
	struct vars_who who;
	uint64_t firing;
};
#define HEAD_WORDS (sizeof(struct head) / 8)

struct spec {
	bool is_taken;
	uint64_t *words;
	size_t used, cap; /* words */
	size_t counted;	  /* bytes */
};

struct spec_set *spec_new(uint32_t nr, size_t size)
{
	struct spec_set *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->specs = calloc(nr + 1, sizeof(*s->specs));
	if (!s->specs) {
		free(s);
		return NULL;
	}
	s->nr = nr;
	s->size = size;
	return s;
}

void spec_free(struct spec_set *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nr; i++)
		free(s->specs[i].words);
	free(s->specs);
	free(s);
}

uint32_t spec_take(struct spec_set *s)
{
	for (uint32_t i = 0; i < s->nr; i++) {
		if (s->specs[i].is_taken)
			continue;
		s->specs[i].is_taken = true;
		return i + 1;
	}
	s->failed++;
	return 0;
}

uint32_t spec_live(const struct spec_set *s, uint64_t number)
{
	return number && number <= s->nr && s->specs[number - 1].is_taken ? (uint32_t)number : 0;
}

void spec_put(struct vm *vm, uint64_t firing)
{
	struct spec_set *s = vm->spec;
	uint32_t n = spec_live(s, vm->speculating);
	struct head head = { vm->ev.probe, vm->clause, vm->ev.cpu, vm->rec_used, 0, vm->ev.who, firing };
	size_t need = HEAD_WORDS + vm->rec_used, bytes;
	struct spec *p;

	if (!n) /* committed or discarded since */
		return;
	p = &s->specs[n - 1];
	bytes = rec_size(vm->prog, vm->clause, vm->opts.strsize);
	if (bytes > s->size - p->counted) {
		s->drops++;
		return;
	}
	if (p->cap - p->used < need) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		uint64_t *w;

		while (cap - p->used < need)
			cap *= 2;
		w = realloc(p->words, cap * sizeof(*w));
		if (!w) {
			s->drops++;
			return;
		}
		p->words = w;
		p->cap = cap;
	}
	p->counted += bytes;
	memcpy(p->words + p->used, &head, sizeof(head));
	if (vm->rec_used)
		memcpy(p->words + p->used + HEAD_WORDS, vm->rec, (size_t)vm->rec_used * 8);
	rec_keep(vm, p->words + p->used + HEAD_WORDS, vm->rec_used);
	p->used += need;
}

static size_t get(const struct spec *p, size_t at, struct vm_record *r)
{
	struct head head;

	memcpy(&head, p->words + at, sizeof(head));
	*r = (struct vm_record){ head.probe, head.clause, head.cpu, head.nr_words,
				p->words + at + HEAD_WORDS, head.who, head.firing, false, 0 };
	return at + HEAD_WORDS + head.nr_words;
}

void spec_end(struct vm *vm, uint64_t number, bool is_commit)
{
	struct spec_set *s = vm->spec;
	uint32_t n = spec_live(s, number);
	struct spec *p;
	struct vm_record r;

	if (!n)
		return;
	p = &s->specs[n - 1];
	for (size_t at = 0; is_commit && s->commit && at < p->used;) {
		at = get(p, at, &r);
		s->commit(s->ctx, &r);
	}
	p->used = p->counted = 0;
	p->is_taken = false;
}

void spec_mark(const struct spec_set *s, const struct dprog *prog)
{
	struct vm_record r;

	for (uint32_t i = 0; i < s->nr; i++)
		for (size_t at = 0; at < s->specs[i].used;) {
			at = get(&s->specs[i], at, &r);
			rec_mark(prog, r.words, r.nr_words);
		}
}
