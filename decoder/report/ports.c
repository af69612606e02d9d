// SPDX-License-Identifier: Apache-2.0
/*
 * ports.c - section: ports, the bytes that passed them, and ports nobody minds
 *
 * Bytes out are those of port_command, bytes in those of port_data.  Where the
 * VM's own totals of a port (state_port) were recorded twice, their difference
 * is what passed between, and is shown in place of the sums.
 */
#include <errno.h>
#include <stdlib.h>
#include "report/model.h"
#include "report/tab.h"

#define MAX_PORTS 65536u

struct port {
	uint64_t term, name, registered, owner;
	uint32_t vm;
	bool is_opened, is_closed;
	uint64_t in, out, commands, unsized, datas;
	uint64_t states; /* times its totals were told */
	uint64_t in_first, out_first, in_last, out_last;
};

struct ports {
	struct imap map;
	struct port *ports;
	uint32_t nr, cap;
	uint64_t no_room;
};

static const uint8_t events[] = {
	BTAP_EV_port_open,    BTAP_EV_port_command, BTAP_EV_port_control, BTAP_EV_port_exit,
	BTAP_EV_port_connect, BTAP_EV_port_data,    BTAP_EV_state_port,	  0,
};

static struct port *more(struct ports *p)
{
	if (p->nr == p->cap) {
		uint32_t cap = p->cap ? p->cap * 2 : 64;
		struct port *grown =
			p->nr < MAX_PORTS ? realloc(p->ports, cap * sizeof(*grown)) : NULL;

		if (!grown)
			return NULL;
		p->ports = grown;
		p->cap = cap;
	}
	return &p->ports[p->nr++];
}

static struct port *port_of(struct ports *p, uint32_t vm, uint64_t term)
{
	uint32_t i = imap_find(&p->map, term, vm);
	struct port *port;

	if (i != IMAP_NONE)
		return &p->ports[i];
	port = term ? more(p) : NULL;
	if (!port || imap_put(&p->map, term, vm, p->nr - 1)) {
		p->nr -= port != NULL;
		p->no_room++;
		return NULL;
	}
	*port = (struct port){ .term = term, .vm = vm };
	return port;
}

static void add(uint64_t *sum, uint64_t n)
{
	if ((int64_t)n > 0)
		*sum += n;
}

static void opened(struct ports *ps, struct port *p, uint32_t vm, const struct src_rec *rec)
{
	/* The VM may use the word of a closed port again: that is another port. */
	if (p->is_closed) {
		imap_del(&ps->map, p->term, vm);
		p = port_of(ps, vm, DECODE(rec, port_open, port));
		if (!p)
			return;
	}
	p->is_opened = true;
	p->name = DECODE(rec, port_open, port_name);
	p->owner = DECODE(rec, port_open, process);
}

static void commanded(struct port *p, const struct src_rec *rec)
{
	uint64_t bytes = DECODE_OPT(rec, port_command, bytes, BTAP_UNKNOWN);

	if (!p->name)
		p->name = DECODE(rec, port_command, port_name);
	p->commands++;
	if (bytes == BTAP_UNKNOWN)
		p->unsized++;
	else
		add(&p->out, bytes);
}

static void told(struct port *p, const struct src_rec *rec)
{
	uint64_t in = DECODE(rec, state_port, input), out = DECODE(rec, state_port, output);

	p->name = DECODE(rec, state_port, port_name) ? DECODE(rec, state_port, port_name) : p->name;
	p->owner = DECODE(rec, state_port, owner) ? DECODE(rec, state_port, owner) : p->owner;
	p->registered = DECODE(rec, state_port, name);
	if (in == BTAP_UNKNOWN || out == BTAP_UNKNOWN)
		return;
	if (!p->states++) {
		/* Opened in the recording: it began at nothing. */
		p->in_first = p->is_opened ? 0 : in;
		p->out_first = p->is_opened ? 0 : out;
		p->states += p->is_opened;
	}
	p->in_last = in;
	p->out_last = out;
}

static void event(struct report *r, const struct src_rec *rec, uint32_t vm)
{
	struct ports *ps = r->ports;
	uint64_t term = rec->event == BTAP_EV_port_open	   ? DECODE(rec, port_open, port)
			: rec->event == BTAP_EV_port_data  ? DECODE(rec, port_data, port)
			: rec->event == BTAP_EV_state_port ? DECODE(rec, state_port, port)
							   : DECODE(rec, port_command, port);
	struct port *p = port_of(ps, vm, term);

	if (!p)
		return;
	switch (rec->event) {
	case BTAP_EV_port_open:
		opened(ps, p, vm, rec);
		break;
	case BTAP_EV_port_command:
		commanded(p, rec);
		break;
	case BTAP_EV_port_exit:
		p->is_closed = true;
		break;
	case BTAP_EV_port_connect:
		p->owner = DECODE(rec, port_connect, new_process);
		break;
	case BTAP_EV_port_data:
		p->datas++;
		add(&p->in, DECODE(rec, port_data, bytes));
		break;
	case BTAP_EV_state_port:
		told(p, rec);
		break;
	default:
		break;
	}
}

static int init(struct report *r)
{
	r->ports = calloc(1, sizeof(*r->ports));
	return r->ports && !imap_init(&r->ports->map, 64) ? 0 : -ENOMEM;
}

static void fini(struct report *r)
{
	if (!r->ports)
		return;
	imap_fini(&r->ports->map);
	free(r->ports->ports);
	free(r->ports);
}

static bool has_totals(const struct port *p)
{
	return p->states >= 2 && p->in_last >= p->in_first && p->out_last >= p->out_first;
}

static uint64_t bytes_in(const struct port *p)
{
	return has_totals(p) ? p->in_last - p->in_first : p->in;
}

static uint64_t bytes_out(const struct port *p)
{
	return has_totals(p) ? p->out_last - p->out_first : p->out;
}

static const struct report *cmp_report;

static int by_bytes(const void *a, const void *b)
{
	const struct port *x = a, *y = b;
	uint64_t bx = bytes_in(x) + bytes_out(x), by = bytes_in(y) + bytes_out(y);

	if (bx != by)
		return bx > by ? -1 : 1;
	if (x->commands + x->datas != y->commands + y->datas)
		return x->commands + x->datas > y->commands + y->datas ? -1 : 1;
	return tab_before(cmp_report, x->vm, x->term, y->vm, y->term);
}

static void names(struct report *r, struct tab *t, const struct port *p)
{
	struct ent e = { .term = p->term, .vm = p->vm, .name = p->registered };
	size_t len = 0;
	const char *s = p->name ? src_string(r->src->vms[p->vm].strs, p->name, &len) : NULL;

	tab_node(r, tab_cell(t, 0), p->vm);
	tab_ent(r, tab_cell(t, 1), &e);
	snprintf(tab_cell(t, 2), TAB_CELL, "%s%s", p->is_opened ? "+" : "",
		 p->is_closed ? "-" : "");
	tab_text(tab_cell(t, 3), s ? s : "?", s ? len : 1, 40);
	if (p->owner)
		tab_term(r, tab_cell(t, 4), p->vm, p->owner);
	else
		snprintf(tab_cell(t, 4), TAB_CELL, "?");
}

static void head(struct report *r, struct tab *t)
{
	tab_col(t, "node", true, r->nr_vms < 2);
	tab_col(t, "port", true, false);
	tab_col(t, "", true, !r->counts[BTAP_EV_port_open] && !r->counts[BTAP_EV_port_exit]);
	tab_col(t, "opened with", true, false);
	tab_col(t, "owner", true, false);
}

static void print_traffic(struct report *r)
{
	struct ports *ps = r->ports;
	uint64_t unsized = 0, in = 0, out = 0, others = 0;
	bool has_in = false;
	struct tab t = { 0 };

	for (uint32_t i = 0; i < ps->nr; i++)
		has_in |= ps->ports[i].datas || has_totals(&ps->ports[i]);
	head(r, &t);
	tab_col(&t, "in", false, !has_in);
	tab_col(&t, "out", false, false);
	tab_col(&t, "commands", false, !r->counts[BTAP_EV_port_command]);
	for (uint32_t i = 0; i < ps->nr; i++) {
		const struct port *p = &ps->ports[i];

		unsized += has_totals(p) ? 0 : p->unsized;
		if (i >= r->top) {
			in += bytes_in(p);
			out += bytes_out(p);
			others++;
			continue;
		}
		tab_row(&t);
		names(r, &t, p);
		if (has_totals(p) || p->datas)
			tab_bytes(tab_cell(&t, 5), bytes_in(p));
		if (has_totals(p) || p->commands > p->unsized || !p->commands)
			tab_bytes(tab_cell(&t, 6), bytes_out(p));
		tab_count(tab_cell(&t, 7), p->commands);
	}
	if (others) {
		tab_row(&t);
		snprintf(tab_cell(&t, 1), TAB_CELL, "all others (%llu)",
			 (unsigned long long)others);
		tab_bytes(tab_cell(&t, 5), in);
		tab_bytes(tab_cell(&t, 6), out);
	}
	tab_print(&t, r->out);
	if (unsized)
		fprintf(r->out,
			"  Commands that do not say how much they wrote, and are not in \"out\": "
			"%llu\n",
			(unsigned long long)unsized);
	if (ps->no_room)
		fprintf(r->out,
			"  %llu events of more ports than are kept, or of no known port, are not "
			"counted.\n",
			(unsigned long long)ps->no_room);
}

/* Open, nothing passed, and its owner was seen to end. */
static bool is_forgotten(struct report *r, const struct port *p)
{
	uint32_t i = p->owner ? imap_find(&r->ents.map, p->owner, p->vm) : IMAP_NONE;

	return !p->is_closed && !bytes_in(p) && !bytes_out(p) && !p->commands && !p->datas &&
	       i != IMAP_NONE && ent_at(&r->ents, i)->flags & ENT_EXITED;
}

static void print_forgotten(struct report *r)
{
	struct ports *ps = r->ports;
	struct tab t = { 0 };
	uint32_t nr = 0;

	head(r, &t);
	for (uint32_t i = 0; i < ps->nr; i++) {
		if (!is_forgotten(r, &ps->ports[i]) || nr++ >= r->top)
			continue;
		tab_row(&t);
		names(r, &t, &ps->ports[i]);
	}
	if (!nr)
		return;
	fprintf(r->out, "\n  open at the end, without traffic, and the owner has ended: %u\n", nr);
	tab_print(&t, r->out);
}

static void print(struct report *r)
{
	cmp_report = r;
	qsort(r->ports->ports, r->ports->nr, sizeof(*r->ports->ports), by_bytes);
	sect_title(r, "PORTS",
		   "out: port_command, in: port_data; or the VM's totals where it told them twice\n"
		   "  + opened and - closed in the recording");
	print_traffic(r);
	print_forgotten(r);
}

const struct sect ports_sect = {
	.name = "ports",
	.want = "-e 'port-*'",
	.events = events,
	.init = init,
	.event = event,
	.print = print,
	.fini = fini,
};
