// SPDX-License-Identifier: Apache-2.0
/*
 * exits.c - section: processes that began and ended, abnormal ends first
 *
 * Ends are grouped by reason and first function, beginnings by first function.
 * Reasons are told apart by all of their text, however much of it is shown; but
 * for pids, ports and references, which are shown as <_>.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report/model.h"
#include "report/tab.h"

#define MAX_GROUPS   4096u
#define MAX_FAMILIES 4096u
#define REASON_WIDTH 60

/* Ends as they are listed: the bad ones first. */
enum kind { ABNORMAL, UNKNOWN, NORMAL };

/* Ends of processes with one reason and one first function. */
struct group {
	uint32_t vm;
	enum kind kind;
	uint64_t mfa;
	char *reason; /* NULL: none was recorded */
	uint32_t len;
	uint64_t count, first, last; /* times since the node's first event counted */
};

/* Beginnings of processes with one first function. */
struct family {
	uint32_t vm;
	uint32_t by;	      /* index of who spawned the first; 0: nothing was known of it then */
	bool is_by_many;
	uint64_t mfa, parent; /* term of who spawned the first; 0: not recorded */
	uint64_t count;
};

struct exits {
	struct imap group_map, family_map;
	struct group *groups;
	struct family *families;
	uint32_t nr_groups, nr_families;
	uint64_t other_exits, other_spawns; /* in more groups than are kept */
	uint64_t exits, spawns, kinds[3];
};

static const uint8_t events[] = { BTAP_EV_process_spawn, BTAP_EV_process_exit, 0 };

static uint64_t hash_text(const char *s, size_t len, uint64_t h)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3ULL;
	return h ^ len << 56;
}

/*
 * Copy a reason; what differs each time, <0.12.3> of pids, ports and references,
 * becomes <_>.  Return: bytes, at most @len.
 */
static size_t blank(char *to, const char *s, size_t len)
{
	size_t n = 0, i = 0;

	while (i < len) {
		size_t k = i + 1, dots = 0;

		while (s[i] == '<' && k < len && ((s[k] >= '0' && s[k] <= '9') || s[k] == '.'))
			dots += s[k++] == '.';
		if (dots && k < len && s[k] == '>') {
			memcpy(to + n, "<_>", 3);
			n += 3;
			i = k + 1;
		} else {
			to[n++] = s[i++];
		}
	}
	return n;
}

static bool is_text(const char *s, size_t len, const char *what)
{
	return len == strlen(what) && !memcmp(s, what, len);
}

/* The reasons for which a process of OTP's ends in order are three. */
static enum kind kind_of(const char *s, size_t len)
{
	if (!s)
		return UNKNOWN;
	if (is_text(s, len, "normal") || is_text(s, len, "shutdown") ||
	    (len > 10 && !memcmp(s, "{shutdown,", 10)))
		return NORMAL;
	return ABNORMAL;
}

static bool is_same(const struct group *g, uint64_t mfa, const struct decode_text *t)
{
	return g->mfa == mfa && !g->reason == !t->at && g->len == t->len &&
	       (!t->at || !memcmp(g->reason, t->at, t->len));
}

static struct group *group_of(struct exits *x, uint32_t vm, uint64_t mfa, struct decode_text t)
{
	char text[8 * BTAP_MAX_WORDS];
	struct group *g;
	uint64_t key;
	uint32_t i;

	t.len = t.at && t.len <= sizeof(text) ? (uint32_t)blank(text, t.at, t.len) : 0;
	if (t.at)
		t.at = text;
	key = hash_text(text, t.len, mfa * 31 + !t.at);
	/* Two texts with one hash: the next key belongs to the second. */
	while ((i = imap_find(&x->group_map, key, vm)) != IMAP_NONE) {
		if (is_same(&x->groups[i], mfa, &t))
			return &x->groups[i];
		key++;
	}
	if (x->nr_groups == MAX_GROUPS || imap_put(&x->group_map, key, vm, x->nr_groups))
		return NULL;
	g = &x->groups[x->nr_groups++];
	*g = (struct group){ .vm = vm, .mfa = mfa, .len = t.len };
	g->kind = kind_of(t.at, t.len);
	if (t.at) {
		g->reason = malloc(t.len + 1);
		if (g->reason)
			memcpy(g->reason, t.at, t.len);
	}
	return g;
}

static void exited(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct exits *x = r->exits;
	struct decode_text t = DECODE_TEXT(rec, process_exit, reason);
	uint32_t i = ent_get(&r->ents, vm, DECODE(rec, process_exit, p));
	struct group *g = group_of(x, vm, ent_at(&r->ents, i)->mfa, t);
	uint64_t at = sect_since(r, vm, rec->ts);

	x->exits++;
	x->kinds[kind_of(t.at, t.len)]++;
	if (!g) {
		x->other_exits++;
		return;
	}
	if (!g->count++)
		g->first = at;
	g->last = at;
}

static void spawned(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct exits *x = r->exits;
	uint64_t mfa = DECODE(rec, process_spawn, mfa);
	uint64_t parent = DECODE_OPT(rec, process_spawn, parent, 0);
	uint32_t i = imap_find(&x->family_map, mfa, vm), by;

	x->spawns++;
	if (i == IMAP_NONE) {
		if (x->nr_families == MAX_FAMILIES ||
		    imap_put(&x->family_map, mfa, vm, x->nr_families)) {
			x->other_spawns++;
			return;
		}
		i = x->nr_families++;
		x->families[i] = (struct family){ .vm = vm, .mfa = mfa, .parent = parent };
		by = parent ? imap_find(&r->ents.map, parent, vm) : IMAP_NONE;
		x->families[i].by = by != IMAP_NONE ? by : 0;
	}
	x->families[i].is_by_many |= x->families[i].parent != parent;
	x->families[i].count++;
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	if (rec->event == BTAP_EV_process_exit)
		exited(r, rec, vm);
	else
		spawned(r, rec, vm);
}

static int init(struct report *r)
{
	struct exits *x = calloc(1, sizeof(*x));

	r->exits = x;
	if (!x)
		return -ENOMEM;
	x->groups = calloc(MAX_GROUPS, sizeof(*x->groups));
	x->families = calloc(MAX_FAMILIES, sizeof(*x->families));
	if (!x->groups || !x->families || imap_init(&x->group_map, 64) ||
	    imap_init(&x->family_map, 64))
		return -ENOMEM;
	return 0;
}

static void fini(struct report *r)
{
	struct exits *x = r->exits;

	if (!x)
		return;
	for (uint32_t i = 0; i < x->nr_groups; i++)
		free(x->groups[i].reason);
	imap_fini(&x->group_map);
	imap_fini(&x->family_map);
	free(x->groups);
	free(x->families);
	free(x);
}

static int by_gravity(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	uint32_t len = x->len < y->len ? x->len : y->len;
	int d;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	d = x->reason && y->reason ? memcmp(x->reason, y->reason, len) : 0;
	if (d || x->len != y->len)
		return d ? d : x->len < y->len ? -1 : 1;
	return x->mfa < y->mfa ? -1 : x->mfa > y->mfa;
}

static int by_count(const void *a, const void *b)
{
	const struct family *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->vm != y->vm)
		return x->vm < y->vm ? -1 : 1;
	return x->mfa < y->mfa ? -1 : x->mfa > y->mfa;
}

static void print_exits(struct report *r)
{
	struct exits *x = r->exits;
	uint64_t rest = x->other_exits, others = 0;
	struct tab t = { 0 };

	fprintf(r->out,
		"  %llu ended, %llu of them abnormally (not normal, shutdown or {shutdown,_})",
		(unsigned long long)x->exits, (unsigned long long)x->kinds[ABNORMAL]);
	if (x->kinds[UNKNOWN])
		fprintf(r->out, ",\n  %llu for a reason that is not recorded",
			(unsigned long long)x->kinds[UNKNOWN]);
	fputc('\n', r->out);
	if (!x->exits)
		return;
	qsort(x->groups, x->nr_groups, sizeof(*x->groups), by_gravity);
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "", true, !x->kinds[ABNORMAL]);
	tab_col(&t, "ended", false, false);
	tab_col(&t, "reason", true, false);
	tab_col(&t, "first function", true, false);
	tab_col(&t, "first at", false, false);
	tab_col(&t, "last at", false, false);
	for (uint32_t i = 0; i < x->nr_groups; i++) {
		const struct group *g = &x->groups[i];

		if (i >= r->top) {
			rest += g->count;
			others++;
			continue;
		}
		tab_row(&t);
		tab_node(r, tab_cell(&t, 0), g->vm);
		snprintf(tab_cell(&t, 1), TAB_CELL, "%s", g->kind == ABNORMAL ? "!" : "");
		tab_count(tab_cell(&t, 2), g->count);
		tab_reason(r, tab_cell(&t, 3), g->reason, g->len, REASON_WIDTH);
		tab_mfa(r, tab_cell(&t, 4), g->vm, g->mfa, 60);
		tab_ns(tab_cell(&t, 5), g->first);
		tab_ns(tab_cell(&t, 6), g->last);
	}
	if (rest) {
		tab_row(&t);
		tab_count(tab_cell(&t, 2), rest);
		snprintf(tab_cell(&t, 3), TAB_CELL, "all others (%s%llu groups)",
			 x->other_exits ? "more than " : "", (unsigned long long)others);
	}
	tab_print(&t, r->out);
}

/* Who spawned all of a family: as it was then, for its word may be another's now. */
static void spawner(struct report *r, char *buf, const struct family *f)
{
	const struct ent *e = ent_at(&r->ents, f->by);
	struct ent bare = { .term = f->parent, .vm = f->vm };

	if (f->is_by_many)
		snprintf(buf, TAB_CELL, "several");
	else if (f->parent && !f->by)
		tab_term(r, buf, f->vm, f->parent);
	else if (f->parent)
		tab_ent(r, buf, e->term == f->parent && e->vm == f->vm ? e : &bare);
}

static void print_spawns(struct report *r)
{
	struct exits *x = r->exits;
	uint64_t rest = x->other_spawns, span = 0, others = 0;
	char rate[TAB_CELL];
	struct tab t = { 0 };

	for (uint32_t i = 0; i < r->nr_vms; i++)
		span = sect_span(r, i) > span ? sect_span(r, i) : span;
	fprintf(r->out, "\n  %llu spawned, %s\n", (unsigned long long)x->spawns,
		tab_rate(rate, x->spawns, span));
	qsort(x->families, x->nr_families, sizeof(*x->families), by_count);
	tab_col(&t, "node", true, r->nr_vms < 2);
	tab_col(&t, "spawned", false, false);
	tab_col(&t, "rate", false, false);
	tab_col(&t, "first function", true, false);
	tab_col(&t, "spawned by", true, false);
	for (uint32_t i = 0; i < x->nr_families; i++) {
		const struct family *f = &x->families[i];

		if (i >= r->top) {
			rest += f->count;
			others++;
			continue;
		}
		tab_row(&t);
		tab_node(r, tab_cell(&t, 0), f->vm);
		tab_count(tab_cell(&t, 1), f->count);
		tab_rate(tab_cell(&t, 2), f->count, sect_span(r, f->vm));
		tab_mfa(r, tab_cell(&t, 3), f->vm, f->mfa, 60);
		spawner(r, tab_cell(&t, 4), f);
	}
	if (rest) {
		tab_row(&t);
		tab_count(tab_cell(&t, 1), rest);
		snprintf(tab_cell(&t, 3), TAB_CELL, "all others (%s%llu functions)",
			 x->other_spawns ? "more than " : "", (unsigned long long)others);
	}
	tab_print(&t, r->out);
}

static void print(struct report *r)
{
	sect_title(r, "PROCESSES THAT BEGAN AND ENDED",
		   "process_exit by reason and first function; process_spawn by first function");
	print_exits(r);
	if (r->exits->spawns)
		print_spawns(r);
}

const struct sect exits_sect = {
	.name = "exits",
	.want = "-e process-spawn -e process-exit",
	.events = events,
	.init = init,
	.event = event,
	.print = print,
	.fini = fini,
};
