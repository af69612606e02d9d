// SPDX-License-Identifier: Apache-2.0
/* wish.c - from what a user writes to what a node is asked for; see wish.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/wish.h"
#include "event/desc.h"
#include "provider/erlang.h"

static void add(uint64_t set[BTAP_MASK_WORDS], unsigned int event)
{
	set[event / 64] |= 1ULL << event % 64;
}

/* What only those ask for who name it: dear, or of use to few. */
static bool is_special(unsigned int event)
{
	return (event >= BTAP_EV_copy_struct && event <= BTAP_EV_exception_catch) ||
	       (event >= BTAP_EV_timer_set && event <= BTAP_EV_timer_fire) ||
	       (event >= BTAP_EV_driver_init && event <= BTAP_EV_aio_pool_get) ||
	       event == BTAP_EV_trace || event == BTAP_EV_trace_seq;
}

/* The agent's own words: they are always wanted. */
static bool is_own_word(unsigned int event)
{
	return event >= BTAP_EV_state_asked;
}

static void add_default(struct wish *w)
{
	for (unsigned int i = 0; i < desc_nr; i++)
		if (!is_special(desc_all[i]->id) || is_own_word(desc_all[i]->id))
			add(w->want.events, desc_all[i]->id);
}

static bool is_empty(const uint64_t set[BTAP_MASK_WORDS])
{
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++)
		if (set[i])
			return false;
	return true;
}

/* The catalogue's own spelling, message_send, where a glob matched no probe. */
static bool add_by_event_name(const char *glob, uint64_t set[BTAP_MASK_WORDS])
{
	bool has = false;

	for (unsigned int i = 0; i < desc_nr; i++) {
		if (!match_glob(glob, desc_all[i]->name))
			continue;
		add(set, desc_all[i]->id);
		has = true;
	}
	return has;
}

/* Step over `:word` at the end of a text.  Return: whether it was there */
static bool ends_with(const char *text, size_t *len, const char *word)
{
	size_t n = strlen(word);

	if (*len <= n || memcmp(text + *len - n, word, n))
		return false;
	*len -= n;
	return true;
}

/* One glob of -e, with `:stack` behind it for stacks too. */
static int add_part(struct wish *w, struct provider_set *set, const char *text, size_t len,
		    uint64_t events[BTAP_MASK_WORDS], uint64_t stacks[BTAP_MASK_WORDS],
		    struct diag *bad)
{
	struct match m = { 0 };
	uint64_t found[BTAP_MASK_WORDS] = { 0 };
	bool with_stack = ends_with(text, &len, ":stack");
	char *glob = strndup(text, len);
	int r, err = 0;

	if (!glob)
		return diag_fail(bad, -ENOMEM, "no memory for '%s'", text);
	r = match_add(&m, glob, bad);
	for (unsigned int i = 0; !r && i < m.nr; i++) {
		struct diag why = DIAG_INIT;

		err = erlang_want(set, &m.descs[i], found, w->spec, sizeof(w->spec), &why);
		if (err == -ENOENT && *m.descs[i].glob[MATCH_NAME] &&
		    add_by_event_name(m.descs[i].glob[MATCH_NAME], found))
			err = 0;
		if (err)
			r = diag_fail(bad, err, "%s", why.nr ? why.text[0] : glob);
	}
	match_fini(&m);
	free(glob);
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++) {
		events[i] |= found[i];
		stacks[i] |= with_stack ? found[i] : 0;
	}
	return r;
}

/* One -e.  What is wrong with it is appended to @bad. */
static int add_glob(struct wish *w, struct provider_set *set, const struct src_vm *vm,
		    const char *text, struct diag *bad)
{
	uint64_t events[BTAP_MASK_WORDS] = { 0 }, stacks[BTAP_MASK_WORDS] = { 0 };
	int r;

	for (const char *part = text;; part++) {
		size_t len = strcspn(part, ",");

		r = add_part(w, set, part, len, events, stacks, bad);
		if (r)
			return r;
		part += len;
		if (!*part)
			break;
	}
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++) {
		events[i] &= vm->facts.able[i];
		w->want.events[i] |= events[i];
		w->want.stacks[i] |= stacks[i] & events[i];
	}
	if (is_empty(events))
		return diag_fail(bad, -EOPNOTSUPP,
				 "no probe that '%s' matches can fire in this node; `beamtap list "
				 "-p %u` shows those that can",
				 text, vm->facts.os_pid);
	return 0;
}

/* lists:map/2, with `:return` behind it for returns and exceptions too, `:stack` for the calls' stacks. */
static int add_function(struct wish *w, const char *text, struct diag *bad)
{
	size_t len = strlen(text), used = strlen(w->spec);
	bool with_stack = ends_with(text, &len, ":stack");
	bool with_return = ends_with(text, &len, ":return");
	int n;

	with_stack = with_stack || ends_with(text, &len, ":stack");
	if (!len || strchr(text, '\n'))
		return diag_fail(bad, -EINVAL, "'%s' is no function: write module:function/arity",
				 text);
	n = snprintf(w->spec + used, sizeof(w->spec) - used, "%.*s%s\n", (int)len, text,
		     with_return ? " return" : "");
	if ((size_t)n >= sizeof(w->spec) - used) {
		w->spec[used] = 0;
		return diag_fail(bad, -E2BIG,
				 "the functions take more than %d bytes; use patterns (shop_*:_/_)",
				 BTAP_LEASE_SPEC_MAX);
	}
	add(w->want.events, BTAP_EV_function_entry);
	if (with_stack)
		add(w->want.stacks, BTAP_EV_function_entry);
	if (with_return) {
		add(w->want.events, BTAP_EV_function_return);
		add(w->want.events, BTAP_EV_function_replaced);
		add(w->want.events, BTAP_EV_exception_throw);
		add(w->want.events, BTAP_EV_exception_catch);
	}
	return 0;
}

int wish_make(struct wish *w, const struct src *s, struct diag *d)
{
	struct provider_set *set = provider_set_new();
	struct diag bad = DIAG_INIT;
	int r, first = 0;

	if (!set || erlang_provide(set, s->vms, s->nr_vms, d))
		return diag_fail(d, -ENOMEM, "no memory for the probes");
	memset(&w->want, 0, sizeof(w->want));
	w->spec[0] = 0;
	if (!w->nr_globs)
		add_default(w);
	for (unsigned int i = 0; i < w->nr_globs; i++) {
		r = add_glob(w, set, &s->vms[0], w->globs[i], &bad);
		first = first ? first : r;
	}
	for (unsigned int i = 0; i < w->nr_functions; i++) {
		r = add_function(w, w->functions[i], &bad);
		first = first ? first : r;
	}
	for (unsigned int i = 0; i < desc_nr; i++)
		if (is_own_word(desc_all[i]->id))
			add(w->want.events, desc_all[i]->id);
	for (unsigned int i = 0; i < BTAP_MASK_WORDS; i++)
		w->want.events[i] &= s->vms[0].facts.able[i];
	w->want.functions = *w->spec ? w->spec : NULL;
	w->want.flags = w->with_state ? BTAP_LEASE_STATE : 0;
	provider_set_free(set);
	/* The first that was written is told first. */
	for (unsigned int i = bad.nr; i-- > 0;)
		diag_fail(d, first, "%s", bad.text[i]);
	if (bad.nr > 1)
		diag_fail(d, first, "%u of the things asked for cannot be had", bad.nr);
	return first;
}
