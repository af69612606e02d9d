/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provider.h - the probes there are, and their arguments as D sees them
 *
 * A registry (struct provider_set) holds the probes of a source.  Providers fill
 * it; the Erlang one, erlang.c, projects the catalogue for each VM.  Those who
 * run programs over events ask twice: once which probes a description matches,
 * then, for each record, which probe it fires:
 *
 *	struct provider_set *set = provider_set_new();
 *	erlang_provide(set, src, d);
 *	provider_each(set, &match_desc, fn, ctx);          enabling
 *	p = erlang_probe_of(set, src, rec);                running
 *
 * Probes on functions (function-entry, function-return, ...) exist once as a
 * template, whose module and function are empty and match anything; each
 * function that is really seen gets a probe of its own, with its own id and the
 * Erlang module and function in the probe's fields, see erlang_probe_of().  So
 * whoever enables a template keeps the description's module and function globs
 * and asks match_one() again when he meets a new probe.
 */
#ifndef BEAMTAP_PROVIDER_H
#define BEAMTAP_PROVIDER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/diag.h"
#include "provider/match.h"
#include "source/src.h"

#define PROVIDER_FIRST_ID 4 /* 1 to 3 are BEGIN, END and ERROR */

struct provider_arg {
	const char *name;  /* "sender" */
	const char *dtype; /* "string", "int64_t": its type in D */
	const char *unit;  /* "word", "ns", "byte", "-" */
	const char *doc;
	int8_t field;	   /* index of the field in the event's record; -1: there is no such argument */
	uint8_t type;	   /* enum desc_type */
	bool is_opt;
};

/* What a probe is made of besides its names; shared by probes of one kind, constant. */
struct provider_kind {
	const char *doc;
	const struct provider_arg *args; /* by D's position */
	uint8_t nr_args;
	uint16_t event;	     /* record that fires it: enum btap_event_id */
};

/* flags of a probe */
#define PROVIDER_TEMPLATE 1u /* stands for a probe a function */
#define PROVIDER_ABLE	  2u /* can fire in this VM */
#define PROVIDER_FUNCTION 4u /* a probe on one Erlang function, made from a template */

struct provider_probe {
	uint32_t id; /* in this registry, from PROVIDER_FIRST_ID */
	uint32_t vm; /* index in the source */
	const char *prov, *mod, *func, *name;
	const struct provider_kind *kind;
	uint32_t flags;
	int32_t number;			    /* of user_trace-nNNN, else -1 */
	const struct provider_probe *tmpl; /* of a probe on one function: its template */
	void *user;			    /* free for whoever runs programs; NULL at first */
};

struct provider_set;

struct provider_set *provider_set_new(void);
void provider_set_free(struct provider_set *set);

/**
 * provider_add() - a new probe
 * @p: its fields but id; texts are copied, kind is borrowed for the life of the set
 * Return: the probe, borrowed from the set for its life, or NULL without memory
 */
struct provider_probe *provider_add(struct provider_set *set, const struct provider_probe *p);
/** provider_nr() - probes in the set; provider_at() takes 0 .. nr - 1 in the order of ids */
uint32_t provider_nr(const struct provider_set *set);
struct provider_probe *provider_at(const struct provider_set *set, uint32_t i);
/** provider_by_id() - Return: probe or NULL */
struct provider_probe *provider_by_id(const struct provider_set *set, uint32_t id);

/*
 * What a provider keeps beside the set: one slot each, freed with the set.
 */
enum provider_slot { PROVIDER_ERLANG, PROVIDER_NR_SLOTS = 8 };
struct provider_own {
	void *data;
	void (*free)(void *data);
};
struct provider_own *provider_own(struct provider_set *set, enum provider_slot slot);

/**
 * provider_matches() - whether a description matches a probe
 *
 * A template: whether it can match it in some function.  A probe on a function
 * of an Elixir module matches under both names, Elixir.Shop.Cart and Shop.Cart.
 */
bool provider_matches(const struct match_desc *m, const struct provider_probe *p);
/**
 * provider_each() - call @fn for each probe that a description matches, ids ascending
 * @fn:  a result other than 0 ends the walk
 * Return: how many matched, or the negative result of @fn
 */
int provider_each(struct provider_set *set, const struct match_desc *m,
		  int (*fn)(void *ctx, struct provider_probe *p), void *ctx);

/**
 * provider_suggest() - names like one that matched nothing
 * @buf: out: "message-send, message-queued", "" if nothing is near
 */
void provider_suggest(const struct provider_set *set, const struct match_desc *m, char *buf,
		      size_t size);

#endif /* BEAMTAP_PROVIDER_H */
