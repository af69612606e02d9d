// SPDX-License-Identifier: Apache-2.0
/* probes.c - all probes that a D program can name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "drun/probes.h"

static const struct provider_kind own_kind = { .doc = "of the tracing itself" };
static const struct provider_kind profile_kind = { .doc = "fires at a rate" };

static const char *const standard[] = {
	"profile-97",	"profile-199",	"profile-499", "profile-997", "profile-1999", "profile-4001",
	"profile-4999", "tick-1",	"tick-10",     "tick-100",    "tick-500",     "tick-1000",
	"tick-5000",
};

static struct provider_probe *add_profile(struct probes *p, const char *name)
{
	struct provider_probe probe = { .prov = "profile", .mod = "", .func = "", .name = name,
					.kind = &profile_kind, .flags = PROVIDER_ABLE, .number = -1 };

	return provider_add(p->set, &probe);
}

int probes_init(struct probes *p)
{
	static const char *const names[] = { "", "BEGIN", "END", "ERROR" };

	memset(p, 0, sizeof(*p));
	p->set = provider_set_new();
	if (!p->set)
		return -ENOMEM;
	for (uint32_t i = 1; i < 4; i++)
		p->own[i] = (struct provider_probe){ .id = i, .prov = "dtrace", .mod = "", .func = "",
						     .name = names[i], .kind = &own_kind,
						     .flags = PROVIDER_ABLE, .number = -1 };
	for (unsigned int i = 0; i < sizeof(standard) / sizeof(*standard); i++)
		if (!add_profile(p, standard[i])) {
			probes_fini(p);
			return -ENOMEM;
		}
	return 0;
}

void probes_fini(struct probes *p)
{
	provider_set_free(p->set);
	memset(p, 0, sizeof(*p));
}

struct match_desc probes_desc(const struct dprog_pdesc *pd)
{
	return (struct match_desc){ .glob = { (char *)pd->prov, (char *)pd->mod, (char *)pd->func,
					      (char *)pd->name } };
}

bool probes_matches(const struct dprog_pdesc *pd, const struct provider_probe *probe)
{
	struct match_desc m = probes_desc(pd);

	if (pd->id)
		return probe->id == (uint32_t)pd->id;
	return provider_matches(&m, probe);
}

static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },	      { "nsec", 1 },	    { "us", 1000 },	    { "usec", 1000 },
	{ "ms", 1000000 },    { "msec", 1000000 },  { "s", 1000000000 },    { "sec", 1000000000 },
	{ "m", 60000000000 }, { "min", 60000000000 }, { "h", 3600000000000 }, { "hour", 3600000000000 },
	{ "d", 86400000000000 }, { "day", 86400000000000 },
};

uint64_t probes_period(const char *name)
{
	unsigned long long n;
	char *end;

	if (!strncmp(name, "tick-", 5))
		name += 5;
	else if (!strncmp(name, "profile-", 8))
		name += 8;
	else
		return 0;
	if (*name < '0' || *name > '9')
		return 0;
	n = strtoull(name, &end, 10);
	if (!n || n > 1000000000000ULL)
		return 0;
	if (!*end || !strcmp(end, "hz"))
		return n > 1000000000 ? 1 : 1000000000 / n;
	for (unsigned int i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].name))
			return n > UINT64_MAX / 4 / units[i].ns ? 0 : n * units[i].ns;
	return 0;
}

static bool is_known(const struct probes *p, const char *name)
{
	for (uint32_t i = 0; i < provider_nr(p->set); i++) {
		const struct provider_probe *q = provider_at(p->set, i);

		if (q->kind == &profile_kind && !strcmp(q->name, name))
			return true;
	}
	return false;
}

/* A rate named in full, of a provider that may be profile: made if it is new. */
static void make_profile(struct probes *p, const struct dprog_pdesc *pd)
{
	if (!match_is_literal(pd->name) || !probes_period(pd->name) || !match_glob(pd->prov, "profile") ||
	    !match_glob(pd->mod, "") || !match_glob(pd->func, "") || is_known(p, pd->name))
		return;
	add_profile(p, pd->name);
}

int probes_each(struct probes *p, const struct dprog_pdesc *pd,
		int (*fn)(void *ctx, struct provider_probe *probe), void *ctx)
{
	struct match_desc m = probes_desc(pd);
	struct provider_probe *probe;
	int nr = 0, r;

	if (pd->id) {
		probe = pd->id > 0 && pd->id < PROVIDER_FIRST_ID ? &p->own[pd->id]
								 : provider_by_id(p->set, (uint32_t)pd->id);
		if (!probe)
			return 0;
		r = fn(ctx, probe);
		return r ? r : 1;
	}
	for (unsigned int i = 1; i < 4; i++) {
		probe = &p->own[i];
		if (!match_one(&m, probe->prov, probe->mod, probe->func, probe->name))
			continue;
		nr++;
		r = fn(ctx, probe);
		if (r)
			return r;
	}
	make_profile(p, pd);
	r = provider_each(p->set, &m, fn, ctx);
	return r < 0 ? r : nr + r;
}
