// SPDX-License-Identifier: Apache-2.0
/* erlang.c - the provider erlang<pid>: the catalogue's events as probes */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event/idmap.h"
#include "provider/erlang.h"
#include "provider/sites.h"

#define NR_USER_TRACE	951
#define MAX_FUNCTIONS	(1u << 20) /* probes on functions; a function beyond fires its template */
#define NO_PROBE	UINT32_MAX

static const char *const sites[BTAP_MAX_EVENTS] = {
#define AS_SITE(id, name, usdt, doc) [id] = SITE_##name,
	BTAP_EVENTS(AS_SITE)
#undef AS_SITE
};

/* Found again by event and function; what belongs to the set. */
struct erlang {
	uint32_t nr_vms;
	uint32_t (*first)[BTAP_MAX_EVENTS]; /* a VM: index of an event's (first) probe */
	struct idmap functions; /* mfa mixed with vm and event -> 1 + index of a chain's first probe */
	uint32_t *next;		/* chains of one key; by index - base */
	uint64_t *mfas;
	uint32_t base, cap;
	struct provider_kind kinds[BTAP_MAX_EVENTS];
	struct provider_arg args[BTAP_MAX_EVENTS][DESC_MAX_ARGS];
};

const char *erlang_site(unsigned int event)
{
	return event < BTAP_MAX_EVENTS && sites[event] ? sites[event] : "";
}

static void erlang_free(void *data)
{
	struct erlang *e = data;

	idmap_fini(&e->functions);
	free(e->first);
	free(e->next);
	free(e->mfas);
	free(e);
}

static void make_kind(struct erlang *e, const struct desc *d)
{
	struct provider_arg *args = e->args[d->id];

	for (unsigned int i = 0; i < DESC_MAX_ARGS; i++)
		args[i] = (struct provider_arg){ .name = "", .dtype = "uint64_t", .unit = "-",
						 .doc = "", .field = -1, .is_opt = true };
	for (unsigned int i = 0; i < d->nr_fields; i++) {
		const struct desc_field *f = &d->fields[i];
		const struct desc_type_info *t = &desc_types[f->type];

		args[f->arg] = (struct provider_arg){ f->name, t->dtype, t->unit, f->doc,
						      (int8_t)i, f->type, f->is_opt };
	}
	e->kinds[d->id] = (struct provider_kind){ d->doc, args, d->nr_args, d->id };
}

static struct erlang *get_erlang(struct provider_set *set)
{
	struct provider_own *own = provider_own(set, PROVIDER_ERLANG);
	struct erlang *e = own->data;

	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	for (unsigned int i = 0; i < desc_nr; i++)
		make_kind(e, desc_all[i]);
	own->data = e;
	own->free = erlang_free;
	return e;
}

static bool is_able(const struct src_vm *vm, unsigned int event)
{
	return !vm || (vm->facts.able[event / 64] >> event % 64 & 1);
}

static int add_event(struct provider_set *set, struct erlang *e, uint32_t vm_index,
		     const struct src_vm *vm, const struct desc *d, const char *prov, const char *mod)
{
	char name[64];
	struct provider_probe p = {
		.vm = vm_index,
		.prov = prov,
		.mod = mod,
		.func = erlang_site(d->id),
		.name = d->dname,
		.kind = &e->kinds[d->id],
		.flags = is_able(vm, d->id) ? PROVIDER_ABLE : 0,
		.number = -1,
	};

	if (!sites[d->id]) {
		p.flags |= PROVIDER_TEMPLATE;
		p.mod = "";
	}
	e->first[vm_index][d->id] = provider_nr(set);
	if (d->id != BTAP_EV_user_trace_n)
		return provider_add(set, &p) ? 0 : -ENOMEM;
	p.name = name;
	for (p.number = 0; p.number < NR_USER_TRACE; p.number++) {
		/* user_trace-n becomes user_trace-n0, ... */
		snprintf(name, sizeof(name), "%s%d", d->dname, p.number);
		if (!provider_add(set, &p))
			return -ENOMEM;
	}
	return 0;
}

int erlang_provide(struct provider_set *set, const struct src_vm *vms, uint32_t nr_vms,
		   struct diag *d)
{
	struct erlang *e = get_erlang(set);
	uint32_t nr = nr_vms ? nr_vms : 1;
	char prov[32], mod[sizeof(vms->facts.emulator) + 1];

	if (!e)
		goto no_memory;
	e->first = calloc(nr, sizeof(*e->first));
	if (!e->first)
		goto no_memory;
	memset(e->first, 0xff, nr * sizeof(*e->first));
	e->nr_vms = nr_vms;
	for (uint32_t i = 0; i < nr; i++) {
		const struct src_vm *vm = nr_vms ? &vms[i] : NULL;

		snprintf(prov, sizeof(prov), "erlang");
		snprintf(mod, sizeof(mod), "beam.smp");
		if (vm) {
			snprintf(prov, sizeof(prov), "erlang%u", vm->facts.os_pid);
			snprintf(mod, sizeof(mod), "%.*s", (int)sizeof(vm->facts.emulator),
				 vm->facts.emulator);
		}
		for (unsigned int j = 0; j < desc_nr; j++)
			if (add_event(set, e, i, vm, desc_all[j], prov, mod))
				goto no_memory;
	}
	e->base = provider_nr(set);
	return 0;
no_memory:
	return diag_fail(d, -ENOMEM, "no memory for the probes of %u VMs", nr_vms);
}

/* -- probes on functions -- */

static bool grow_functions(struct erlang *e, uint32_t nr)
{
	uint32_t cap = e->cap ? e->cap * 2 : 64, *next;
	uint64_t *mfas;

	if (nr < e->cap)
		return true;
	if (nr >= MAX_FUNCTIONS)
		return false;
	next = realloc(e->next, cap * sizeof(*next));
	if (next)
		e->next = next;
	mfas = realloc(e->mfas, cap * sizeof(*mfas));
	if (mfas)
		e->mfas = mfas;
	if (!next || !mfas)
		return false;
	e->cap = cap;
	return true;
}

static void atom_text(char *buf, size_t size, const struct src_strings *strs, uint32_t number)
{
	const char *s = strs ? src_atom(strs, BTAP_ATOM_TERM(number), NULL) : NULL;

	if (s)
		snprintf(buf, size, "%s", s);
	else
		snprintf(buf, size, "#Atom<%u>", number);
}

static struct provider_probe *function_probe(struct provider_set *set, struct erlang *e,
					     struct provider_probe *tmpl,
					     const struct src_strings *strs, uint64_t mfa)
{
	uint64_t key = (mfa ^ (uint64_t)tmpl->id << 52) | 1ULL << 63;
	uint32_t *head = idmap_get(&e->functions, key), i, nr = provider_nr(set) - e->base;
	char mod[1100], func[1100];
	struct provider_probe p = *tmpl, *made;

	for (i = head ? *head : NO_PROBE; i != NO_PROBE; i = e->next[i])
		if (e->mfas[i] == mfa && provider_at(set, e->base + i)->tmpl == tmpl)
			return provider_at(set, e->base + i);
	if (!mfa || !grow_functions(e, nr))
		return tmpl;
	atom_text(mod, sizeof(mod), strs, BTAP_MFA_MODULE(mfa));
	atom_text(func, sizeof(func), strs, BTAP_MFA_FUNCTION(mfa));
	p.mod = mod;
	p.func = func;
	p.flags = (p.flags & ~PROVIDER_TEMPLATE) | PROVIDER_FUNCTION;
	p.tmpl = tmpl;
	p.user = NULL;
	i = head ? *head : NO_PROBE;
	if (idmap_put(&e->functions, key, nr))
		return tmpl;
	made = provider_add(set, &p);
	if (!made) {
		if (i == NO_PROBE)
			idmap_remove(&e->functions, key);
		else
			idmap_put(&e->functions, key, i);
		return tmpl;
	}
	e->next[nr] = i;
	e->mfas[nr] = mfa;
	return made;
}

struct provider_probe *erlang_probe_of(struct provider_set *set, const struct src *s,
				       const struct src_rec *rec)
{
	struct erlang *e = provider_own(set, PROVIDER_ERLANG)->data;
	uint32_t vm = src_thread(s, rec->thread)->vm, first;
	struct provider_probe *p;
	uint64_t n;

	if (!e || vm >= e->nr_vms || rec->event >= BTAP_MAX_EVENTS)
		return NULL;
	first = e->first[vm][rec->event];
	if (first == NO_PROBE)
		return NULL;
	p = provider_at(set, first);
	if (p->flags & PROVIDER_TEMPLATE)
		/* All of them have their function in the same place. */
		return function_probe(set, e, p, s->vms[vm].strs, DECODE(rec, function_entry, mfa));
	if (rec->event == BTAP_EV_user_trace_n) {
		n = DECODE(rec, user_trace_n, number);
		return n < NR_USER_TRACE ? provider_at(set, first + (uint32_t)n) : NULL;
	}
	return p;
}

#define SAME_PLACE(ev) \
	_Static_assert(DECODE_POS(ev, mfa) == DECODE_POS(function_entry, mfa), #ev)
SAME_PLACE(local_function_entry);
SAME_PLACE(global_function_entry);
SAME_PLACE(function_return);
SAME_PLACE(function_replaced);
SAME_PLACE(bif_entry);
SAME_PLACE(bif_return);
SAME_PLACE(nif_entry);
SAME_PLACE(nif_return);

/* -- what to ask for -- */

struct want {
	const struct provider_set *set;
	const struct match_desc *m;
	uint64_t *want;
	char *spec;
	size_t size;
	struct diag *d;
};

/* A line of the lease's function list, once. */
static int add_line(struct want *w, bool with_return)
{
	const char *mod = w->m->glob[MATCH_MOD], *func = w->m->glob[MATCH_FUNC];
	bool is_elixir = *mod >= 'A' && *mod <= 'Z' && strncmp(mod, "Elixir", 6);
	char line[2300];
	size_t used = strlen(w->spec), n;

	/* A module `*` would have every function of the VM traced. */
	if (!mod[strspn(mod, "*")])
		return diag_fail(w->d, -EINVAL,
				 "a probe on functions of a live VM needs their module: write "
				 "erlang*:lists:map:function-entry or erlang*:lists::function-entry");
	n = (size_t)snprintf(line, sizeof(line), "%s%s:%s/_%s\n", is_elixir ? "Elixir." : "", mod,
			     *func ? func : "_", with_return ? " return" : "");
	if (n >= sizeof(line))
		return diag_fail(w->d, -E2BIG, "the name %.60s... is too long", mod);
	if (strstr(w->spec, line))
		return 0;
	if (used + n >= w->size)
		return diag_fail(w->d, -E2BIG,
				 "too many functions are asked for at once: their names take more than %zu bytes",
				 w->size - 1);
	memcpy(w->spec + used, line, n + 1);
	return 0;
}

/* Module of the probes that are no functions'; other providers' may stand before them. */
static const char *emulator(const struct provider_set *set)
{
	for (uint32_t i = 0; i < provider_nr(set); i++) {
		const struct provider_probe *p = provider_at(set, i);

		if (p->kind->event && *p->mod)
			return p->mod;
	}
	return "";
}

static int want_probe(void *ctx, struct provider_probe *p)
{
	struct want *w = ctx;
	unsigned int event = p->kind->event;

	if (!event || (p->flags & PROVIDER_FUNCTION))
		return 0; /* another provider's, such as a tick, or one that its template stands for */
	w->want[event / 64] |= 1ULL << event % 64;
	if (event != BTAP_EV_function_entry && event != BTAP_EV_function_return &&
	    event != BTAP_EV_function_replaced)
		return 0;
	/* Names such as `*` match templates too: without a module, or with the emulator's, no function was meant. */
	if ((!*w->m->glob[MATCH_MOD] && !*w->m->glob[MATCH_FUNC]) ||
	    !strcmp(w->m->glob[MATCH_MOD], emulator(w->set)))
		return 0;
	return add_line(w, event != BTAP_EV_function_entry);
}

int erlang_want(struct provider_set *set, const struct match_desc *m,
		uint64_t want[BTAP_MASK_WORDS], char *spec, size_t spec_size, struct diag *d)
{
	struct want w = { set, m, want, spec, spec_size, d };
	char near[300];
	int r = provider_each(set, m, want_probe, &w);

	if (r < 0)
		return r;
	if (r > 0)
		return 0;
	provider_suggest(set, m, near, sizeof(near));
	return diag_fail(d, -ENOENT, "no probe matches %s:%s:%s:%s%s%s", m->glob[MATCH_PROV],
			 m->glob[MATCH_MOD], m->glob[MATCH_FUNC], m->glob[MATCH_NAME],
			 *near ? "; the nearest: " : "", near);
}
