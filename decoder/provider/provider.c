// SPDX-License-Identifier: Apache-2.0
/* provider.c - the registry of probes */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "provider/provider.h"

struct provider_set {
	struct provider_probe **probes; /* by id - PROVIDER_FIRST_ID; each allocated with its texts */
	uint32_t nr, cap;
	struct provider_own own[PROVIDER_NR_SLOTS];
};

struct provider_set *provider_set_new(void)
{
	return calloc(1, sizeof(struct provider_set));
}

void provider_set_free(struct provider_set *set)
{
	if (!set)
		return;
	for (unsigned int i = 0; i < PROVIDER_NR_SLOTS; i++)
		if (set->own[i].free)
			set->own[i].free(set->own[i].data);
	for (uint32_t i = 0; i < set->nr; i++)
		free(set->probes[i]);
	free(set->probes);
	free(set);
}

struct provider_own *provider_own(struct provider_set *set, enum provider_slot slot)
{
	return &set->own[slot];
}

static const char *copy(char **at, const char *s)
{
	size_t n = strlen(s ? s : "") + 1;
	char *to = memcpy(*at, s ? s : "", n);

	*at += n;
	return to;
}

static size_t text_size(const char *s)
{
	return s ? strlen(s) + 1 : 1;
}

struct provider_probe *provider_add(struct provider_set *set, const struct provider_probe *from)
{
	size_t texts = text_size(from->prov) + text_size(from->mod) + text_size(from->func) +
		       text_size(from->name);
	struct provider_probe **probes, *p;
	char *at;

	if (set->nr == set->cap) {
		uint32_t cap = set->cap ? set->cap * 2 : 256;

		probes = realloc(set->probes, cap * sizeof(*probes));
		if (!probes)
			return NULL;
		set->probes = probes;
		set->cap = cap;
	}
	p = malloc(sizeof(*p) + texts);
	if (!p)
		return NULL;
	*p = *from;
	at = (char *)(p + 1);
	p->prov = copy(&at, from->prov);
	p->mod = copy(&at, from->mod);
	p->func = copy(&at, from->func);
	p->name = copy(&at, from->name);
	p->id = PROVIDER_FIRST_ID + set->nr;
	set->probes[set->nr++] = p;
	return p;
}

uint32_t provider_nr(const struct provider_set *set)
{
	return set->nr;
}

struct provider_probe *provider_at(const struct provider_set *set, uint32_t i)
{
	return i < set->nr ? set->probes[i] : NULL;
}

struct provider_probe *provider_by_id(const struct provider_set *set, uint32_t id)
{
	return id < PROVIDER_FIRST_ID ? NULL : provider_at(set, id - PROVIDER_FIRST_ID);
}

bool provider_matches(const struct match_desc *m, const struct provider_probe *p)
{
	if (p->flags & PROVIDER_TEMPLATE)
		return match_glob(m->glob[MATCH_NAME], p->name) &&
		       match_glob(m->glob[MATCH_PROV], p->prov);
	if (match_one(m, p->prov, p->mod, p->func, p->name))
		return true;
	return (p->flags & PROVIDER_FUNCTION) && !strncmp(p->mod, "Elixir.", 7) &&
	       match_one(m, p->prov, p->mod + 7, p->func, p->name);
}

int provider_each(struct provider_set *set, const struct match_desc *m,
		  int (*fn)(void *ctx, struct provider_probe *p), void *ctx)
{
	int nr = 0, r;

	for (uint32_t i = 0; i < set->nr; i++) {
		if (!provider_matches(m, set->probes[i]))
			continue;
		nr++;
		r = fn ? fn(ctx, set->probes[i]) : 0;
		if (r)
			return r < 0 ? r : nr;
	}
	return nr;
}

#define MAX_SUGGESTED 4

struct near {
	const char *name;
	unsigned int distance;
};

/* Keep the nearest, each name once. */
static void keep_near(struct near *near, unsigned int *nr, const char *name, unsigned int distance)
{
	unsigned int i, j;

	for (i = 0; i < *nr; i++)
		if (!strcmp(near[i].name, name))
			return;
	for (i = 0; i < *nr && near[i].distance <= distance; i++)
		;
	if (i == MAX_SUGGESTED)
		return;
	if (*nr < MAX_SUGGESTED)
		(*nr)++;
	for (j = *nr - 1; j > i; j--)
		near[j] = near[j - 1];
	near[i] = (struct near){ name, distance };
}

void provider_suggest(const struct provider_set *set, const struct match_desc *m, char *buf,
		      size_t size)
{
	const char *want = m->glob[MATCH_NAME];
	unsigned int nr = 0, max = (unsigned int)strlen(want) / 3, d;
	struct near near[MAX_SUGGESTED];
	size_t n = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < set->nr; i++) {
		const struct provider_probe *p = set->probes[i];

		if (*want && match_glob(want, p->name)) {
			/* The name is right, so another field is not: show them. */
			snprintf(buf, size, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
			return;
		}
		d = match_distance(want, p->name, max);
		if (d <= max)
			keep_near(near, &nr, p->name, d);
		else if (strlen(want) >= 3 && strstr(p->name, want))
			keep_near(near, &nr, p->name, max + 1);
	}
	for (unsigned int i = 0; i < nr && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", near[i].name);
}
