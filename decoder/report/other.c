// SPDX-License-Identifier: Apache-2.0
/*
 * other.c - section: what is only counted: user probes by name, names, links, timers, busy nodes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "event/desc.h"
#include "report/model.h"
#include "report/tab.h"

#define MAX_PROBES 256u

/* A user's probe: by its name's term, its number, or the tag it was given. */
struct probe {
	uint32_t vm;
	uint32_t event;
	uint64_t key;
	uint64_t count;
	char name[TAB_CELL];
};

struct other {
	struct imap map;
	struct probe *probes;
	uint32_t nr;
	uint64_t more;
};

static const uint8_t events[] = {
	BTAP_EV_user_probe, BTAP_EV_user_trace_n, BTAP_EV_user_trace_i4s4, BTAP_EV_user_trace_s1, 0,
};

/* What no other section tells of. */
#define COUNTED                                                                                    \
	BTAP_EV_name_register, BTAP_EV_name_unregister, BTAP_EV_process_link,                      \
		BTAP_EV_process_unlink, BTAP_EV_process_linked, BTAP_EV_process_unlinked,          \
		BTAP_EV_process_monitor, BTAP_EV_process_demonitor, BTAP_EV_process_exit_signal,   \
		BTAP_EV_process_exit_signal_remote, BTAP_EV_process_hibernate,                     \
		BTAP_EV_process_port_unblocked, BTAP_EV_process_heap_grow,                         \
		BTAP_EV_process_heap_shrink, BTAP_EV_module_load, BTAP_EV_module_unload,           \
		BTAP_EV_timer_set, BTAP_EV_timer_cancel, BTAP_EV_timer_fire, BTAP_EV_dist_monitor, \
		BTAP_EV_dist_port_busy, BTAP_EV_dist_port_not_busy, BTAP_EV_dist_output,           \
		BTAP_EV_dist_outputv, BTAP_EV_port_busy, BTAP_EV_port_not_busy,                    \
		BTAP_EV_socket_open, BTAP_EV_socket_close, BTAP_EV_bif_entry, BTAP_EV_bif_return,  \
		BTAP_EV_nif_entry, BTAP_EV_nif_return, BTAP_EV_local_function_entry,               \
		BTAP_EV_global_function_entry, BTAP_EV_exception_throw, BTAP_EV_exception_catch
static const uint8_t counted[] = { COUNTED, 0 };
static const uint8_t need[] = {
	BTAP_EV_user_probe,
	BTAP_EV_user_trace_n,
	BTAP_EV_user_trace_i4s4,
	BTAP_EV_user_trace_s1,
	COUNTED,
	0,
};

static uint64_t hash_text(const struct decode_text *t)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (uint32_t i = 0; t->at && i < t->len; i++)
		h = (h ^ (unsigned char)t->at[i]) * 0x100000001b3ULL;
	return h;
}

/* A name of a user's own making: tags may hold data, so --redact hides them. */
static void name_of(struct report *r, struct probe *p, const struct src_rec *rec,
		    const struct decode_text *tag)
{
	if (rec->event == BTAP_EV_user_probe) {
		size_t len;
		const char *s = term_atom_text(&r->vms[p->vm].term, p->key, &len);

		tab_text(p->name, s, len, 40);
	} else if (rec->event == BTAP_EV_user_trace_n) {
		snprintf(p->name, sizeof(p->name), "user_trace-n%llu", (unsigned long long)p->key);
	} else if (rec->event == BTAP_EV_user_trace_i4s4 && tag->at) {
		char text[TAB_CELL];

		snprintf(p->name, sizeof(p->name), "dyntrace:p, tag %.70s",
			 tab_reason(r, text, tag->at, tag->len, 30));
	} else {
		snprintf(p->name, sizeof(p->name), "dyntrace:p%s",
			 rec->event == BTAP_EV_user_trace_s1 ? "/1" : ", no tag");
	}
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct other *o = r->other;
	struct decode_text tag = { NULL, 0 };
	uint64_t key = 0;
	uint32_t i, space = rec->event << 20 | (vm & 0xfffff);

	if (rec->event == BTAP_EV_user_probe) {
		key = DECODE(rec, user_probe, name);
	} else if (rec->event == BTAP_EV_user_trace_n) {
		key = DECODE(rec, user_trace_n, number);
	} else if (rec->event == BTAP_EV_user_trace_i4s4) {
		tag = DECODE_TEXT(rec, user_trace_i4s4, user_tag);
		key = hash_text(&tag);
	}
	i = imap_find(&o->map, key, space);
	if (i == IMAP_NONE) {
		if (o->nr == MAX_PROBES || imap_put(&o->map, key, space, o->nr)) {
			o->more++;
			return;
		}
		i = o->nr++;
		o->probes[i] = (struct probe){ .vm = vm, .event = rec->event, .key = key };
		name_of(r, &o->probes[i], rec, &tag);
	}
	o->probes[i].count++;
}

static int init(struct report *r)
{
	struct other *o = calloc(1, sizeof(*o));

	r->other = o;
	if (!o)
		return -ENOMEM;
	o->probes = calloc(MAX_PROBES, sizeof(*o->probes));
	return o->probes && !imap_init(&o->map, 64) ? 0 : -ENOMEM;
}

static void fini(struct report *r)
{
	if (!r->other)
		return;
	imap_fini(&r->other->map);
	free(r->other->probes);
	free(r->other);
}

static int by_count(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void print_probes(struct report *r)
{
	struct other *o = r->other;
	struct tab t = { 0 };

	qsort(o->probes, o->nr, sizeof(*o->probes), by_count);
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "user probe", true, false);
	tab_col(&t, "fired", false, false);
	tab_col(&t, "rate", false, false);
	for (uint32_t i = 0; i < o->nr && i < r->top; i++) {
		const struct probe *p = &o->probes[i];

		tab_row(&t);
		tab_node(r, tab_cell(&t, 0), p->vm);
		snprintf(tab_cell(&t, 1), TAB_CELL, "%s", p->name);
		tab_count(tab_cell(&t, 2), p->count);
		tab_rate(tab_cell(&t, 3), p->count, sect_span(r, p->vm));
	}
	tab_print(&t, r->out);
	if (o->nr > r->top || o->more)
		fprintf(r->out, "  and %u more probes%s\n", o->nr > r->top ? o->nr - r->top : 0,
			o->more ? ", besides those that are more than are kept" : "");
}

static void print(struct report *r)
{
	struct tab t = { 0 };

	sect_title(r, "ALSO RECORDED", "counted only");
	if (r->other->nr)
		print_probes(r);
	tab_col(&t, "event", true, false);
	tab_col(&t, "count", false, false);
	tab_col(&t, "", true, false);
	for (const uint8_t *id = counted; *id; id++) {
		const struct desc *d = desc_get(*id);

		if (!r->counts[*id] || !d)
			continue;
		tab_row(&t);
		snprintf(tab_cell(&t, 0), TAB_CELL, "%s", d->name);
		tab_count(tab_cell(&t, 1), r->counts[*id]);
		snprintf(tab_cell(&t, 2), TAB_CELL, "%s", d->doc);
	}
	if (t.nr_rows)
		tab_print(&t, r->out);
}

const struct sect other_sect = {
	.name = "other",
	.events = events,
	.need = need,
	.init = init,
	.event = event,
	.print = print,
	.fini = fini,
};
