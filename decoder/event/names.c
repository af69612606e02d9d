// SPDX-License-Identifier: Apache-2.0
/*
 * names.c - who is who in one VM
 *
 * Entries are never removed, so that a report can still name who has ended; a
 * number that comes again is a new process and a new entry.  What must hold at a
 * moment (who has a name now) is forgotten when records were lost.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "event/idmap.h"
#include "event/names.h"

#define REASON_BLOCK (1u << 16)
#define REASON_MAX   (32u << 20) /* bytes of exit reasons kept in all */

/* A registered name. */
struct owner {
	uint64_t who;	     /* pid or port, 0: nobody */
	uint64_t changed_ns; /* last register or unregister seen */
	uint32_t nr;	     /* different owners since the last loss */
	uint32_t losses;     /* as of which all this is; older: forgotten */
	bool is_doubtful;    /* told by one who was not asked in sight of us */
};

struct names {
	struct idmap by_pid, by_port, by_name;
	struct names_proc *procs;
	struct names_port *ports;
	struct owner *owners;
	uint32_t nr_procs, cap_procs, nr_ports, cap_ports, nr_owners, cap_owners;
	uint32_t max, losses;
	uint64_t uncounted;
	char **blocks; /* exit reasons */
	uint32_t nr_blocks;
	size_t block_left, reasons;
	char *block;
	enum { UNSAID, ON, OFF } changes; /* are changes of names recorded? */
};

struct names *names_new(uint32_t max)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n)
		n->max = max;
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->nr_blocks; i++)
		free(n->blocks[i]);
	free(n->blocks);
	idmap_fini(&n->by_pid);
	idmap_fini(&n->by_port);
	idmap_fini(&n->by_name);
	free(n->procs);
	free(n->ports);
	free(n->owners);
	free(n);
}

/* Room for one more.  Return: false, and counted, where there is none */
static bool grow(struct names *n, void *tab, uint32_t nr, uint32_t *cap, size_t size)
{
	uint32_t want = *cap ? *cap * 2 : 64;
	void *p;

	if (nr < *cap)
		return true;
	if (nr >= n->max) {
		n->uncounted++;
		return false;
	}
	if (want > n->max)
		want = n->max;
	p = realloc(*(void **)tab, want * size);
	if (!p) {
		n->uncounted++;
		return false;
	}
	*(void **)tab = p;
	*cap = want;
	return true;
}

static struct names_proc *find_proc(const struct names *n, uint64_t pid)
{
	const uint32_t *i = idmap_get(&n->by_pid, pid);

	return i ? &n->procs[*i] : NULL;
}

static struct names_port *find_port(const struct names *n, uint64_t port)
{
	const uint32_t *i = idmap_get(&n->by_port, port);

	return i ? &n->ports[*i] : NULL;
}

static struct names_proc *new_proc(struct names *n, uint64_t pid)
{
	struct names_proc *p;

	if (!grow(n, &n->procs, n->nr_procs, &n->cap_procs, sizeof(*n->procs)))
		return NULL;
	if (idmap_put(&n->by_pid, pid, n->nr_procs)) {
		n->uncounted++;
		return NULL;
	}
	p = &n->procs[n->nr_procs];
	memset(p, 0, sizeof(*p));
	p->pid = pid;
	p->index = n->nr_procs++;
	return p;
}

static struct names_proc *get_proc(struct names *n, uint64_t pid)
{
	struct names_proc *p;

	if ((pid & BTAP_TAG_MASK4) != BTAP_TAG_PID)
		return NULL;
	p = find_proc(n, pid);
	return p ? p : new_proc(n, pid);
}

static struct names_port *new_port(struct names *n, uint64_t port)
{
	struct names_port *p;

	if (!grow(n, &n->ports, n->nr_ports, &n->cap_ports, sizeof(*n->ports)))
		return NULL;
	if (idmap_put(&n->by_port, port, n->nr_ports)) {
		n->uncounted++;
		return NULL;
	}
	p = &n->ports[n->nr_ports];
	memset(p, 0, sizeof(*p));
	p->port = port;
	p->index = n->nr_ports++;
	return p;
}

static struct names_port *get_port(struct names *n, uint64_t port)
{
	struct names_port *p;

	if ((port & BTAP_TAG_MASK4) != BTAP_TAG_PORT)
		return NULL;
	p = find_port(n, port);
	return p ? p : new_port(n, port);
}

static struct owner *get_owner(struct names *n, uint64_t atom)
{
	uint32_t *i = idmap_get(&n->by_name, atom);
	struct owner *o;

	if (i) {
		o = &n->owners[*i];
		if (o->losses != n->losses)
			*o = (struct owner){ .losses = n->losses };
		return o;
	}
	if (!grow(n, &n->owners, n->nr_owners, &n->cap_owners, sizeof(*n->owners)))
		return NULL;
	if (idmap_put(&n->by_name, atom, n->nr_owners))
		return NULL;
	o = &n->owners[n->nr_owners++];
	*o = (struct owner){ .losses = n->losses };
	return o;
}

static const struct owner *find_owner(const struct names *n, uint64_t atom)
{
	const uint32_t *i = idmap_get(&n->by_name, atom);

	return i && n->owners[*i].losses == n->losses ? &n->owners[*i] : NULL;
}

static void set_name(struct names *n, uint64_t who, uint64_t atom)
{
	struct names_proc *proc = get_proc(n, who);
	struct names_port *port = get_port(n, who);

	if (proc)
		proc->name = atom;
	if (port)
		port->name = atom;
}

static void own(struct owner *o, uint64_t who)
{
	if (o->who != who)
		o->nr++;
	o->who = who;
}

/* -- events -- */

static void on_spawn(struct names *n, const struct src_rec *rec)
{
	uint64_t pid = DECODE(rec, process_spawn, p);
	struct names_proc *p = find_proc(n, pid);
	bool is_new = !p || p->is_spawned || p->exit_ns;

	if ((pid & BTAP_TAG_MASK4) != BTAP_TAG_PID)
		return;
	if (is_new)
		p = new_proc(n, pid);
	if (!p)
		return;
	p->is_spawned = true;
	p->spawn_ns = rec->ts;
	p->mfa = DECODE(rec, process_spawn, mfa);
	p->parent = DECODE_OPT(rec, process_spawn, parent, 0);
}

static const char *keep_reason(struct names *n, const char *s, uint32_t len)
{
	size_t size = len > REASON_BLOCK ? len : REASON_BLOCK;
	char **blocks;

	if (!len)
		return "";
	if (n->reasons + len > REASON_MAX)
		return NULL;
	if (len > n->block_left) {
		blocks = realloc(n->blocks, (n->nr_blocks + 1) * sizeof(*blocks));
		if (!blocks)
			return NULL;
		n->blocks = blocks;
		n->block = malloc(size);
		n->block_left = n->block ? size : 0;
		if (!n->block)
			return NULL;
		n->blocks[n->nr_blocks++] = n->block;
	}
	memcpy(n->block, s, len);
	n->block += len;
	n->block_left -= len;
	n->reasons += len;
	return n->block - len;
}

static void on_exit_(struct names *n, const struct src_rec *rec)
{
	struct decode_text reason = DECODE_TEXT(rec, process_exit, reason);
	struct names_proc *p = get_proc(n, DECODE(rec, process_exit, p));

	if (!p || p->exit_ns)
		return;
	p->exit_ns = rec->ts;
	if (!reason.at)
		return;
	p->reason = keep_reason(n, reason.at, reason.len);
	p->reason_len = p->reason ? reason.len : 0;
}

static void on_register(struct names *n, const struct src_rec *rec)
{
	uint64_t who = DECODE(rec, name_register, p), atom = DECODE(rec, name_register, name);
	struct owner *o = atom ? get_owner(n, atom) : NULL;

	if (n->changes == UNSAID)
		n->changes = ON;
	set_name(n, who, atom);
	if (!o)
		return;
	own(o, who);
	o->changed_ns = rec->ts;
}

static void on_unregister(struct names *n, const struct src_rec *rec)
{
	uint64_t atom = DECODE(rec, name_unregister, name);
	struct owner *o = atom ? get_owner(n, atom) : NULL;

	if (n->changes == UNSAID)
		n->changes = ON;
	if (!o)
		return;
	/* Whoever gets it next is another owner, though it be the same process. */
	if (!o->nr)
		o->nr = 1;
	o->who = 0;
	o->changed_ns = rec->ts;
}

static void on_state_process(struct names *n, const struct src_rec *rec)
{
	struct names_proc *p = get_proc(n, DECODE(rec, state_process, p));
	uint64_t atom = DECODE(rec, state_process, name);
	struct owner *o;

	if (!p)
		return;
	if (!p->mfa)
		p->mfa = DECODE(rec, state_process, mfa);
	if (!p->parent)
		p->parent = DECODE(rec, state_process, parent);
	if (p->asked_ns)
		p->answered_ns = p->asked_ns;
	if (!atom)
		return;
	o = get_owner(n, atom);
	/* What it answered was so at some time after it was asked: a change since then is newer. */
	if (!o || (o->changed_ns && o->changed_ns >= p->asked_ns))
		return;
	p->name = atom;
	own(o, p->pid);
	o->is_doubtful = !p->asked_ns;
}

static void on_state_port(struct names *n, const struct src_rec *rec)
{
	struct names_port *p = get_port(n, DECODE(rec, state_port, port));
	uint64_t atom = DECODE(rec, state_port, name);

	if (!p)
		return;
	p->port_name = DECODE(rec, state_port, port_name);
	p->owner = DECODE(rec, state_port, owner);
	if (atom)
		p->name = atom;
}

static void on_port_open(struct names *n, const struct src_rec *rec)
{
	uint64_t port = DECODE(rec, port_open, port);
	struct names_port *p = find_port(n, port);

	if ((port & BTAP_TAG_MASK4) != BTAP_TAG_PORT)
		return;
	if (!p || p->open_ns || p->close_ns)
		p = new_port(n, port);
	if (!p)
		return;
	p->open_ns = rec->ts;
	p->port_name = DECODE(rec, port_open, port_name);
	p->owner = DECODE(rec, port_open, process);
}

static void on_port_exit(struct names *n, const struct src_rec *rec)
{
	struct names_port *p = get_port(n, DECODE(rec, port_exit, port));

	if (!p)
		return;
	if (!p->close_ns)
		p->close_ns = rec->ts;
	if (!p->port_name)
		p->port_name = DECODE(rec, port_exit, port_name);
}

static void on_port_connect(struct names *n, const struct src_rec *rec)
{
	struct names_port *p = get_port(n, DECODE(rec, port_connect, port));

	if (p)
		p->owner = DECODE(rec, port_connect, new_process);
}

static void on_socket_open(struct names *n, const struct src_rec *rec)
{
	struct names_port *p = get_port(n, DECODE(rec, socket_open, socket));

	if (p && DECODE(rec, socket_open, owner))
		p->owner = DECODE(rec, socket_open, owner);
}

/* The events that are on, as globs with blanks or commas between them: are both changes of names among them? */
static void on_tap_start(struct names *n, const struct src_rec *rec)
{
	struct decode_text t = DECODE_TEXT(rec, tap_start, events);
	bool reg = false, unreg = false;
	char glob[64];
	uint32_t i, len;

	for (i = 0; t.at && i < t.len; i += len + 1) {
		for (len = 0; i + len < t.len && !strchr(" ,\n", t.at[i + len]); len++)
			;
		if (!len || len >= sizeof(glob))
			continue;
		memcpy(glob, t.at + i, len);
		glob[len] = '\0';
		reg |= !fnmatch(glob, "name_register", 0);
		unreg |= !fnmatch(glob, "name_unregister", 0);
	}
	n->changes = reg && unreg ? ON : OFF;
}

bool names_is_wanted(unsigned int event)
{
	switch (event) {
	case BTAP_EV_process_spawn:
	case BTAP_EV_process_exit:
	case BTAP_EV_name_register:
	case BTAP_EV_name_unregister:
	case BTAP_EV_state_asked:
	case BTAP_EV_state_process:
	case BTAP_EV_state_port:
	case BTAP_EV_port_open:
	case BTAP_EV_port_exit:
	case BTAP_EV_port_connect:
	case BTAP_EV_socket_open:
	case BTAP_EV_tap_start:
	case BTAP_LOST_EVENT:
		return true;
	}
	return false;
}

void names_feed(struct names *n, const struct src_rec *rec)
{
	struct names_proc *p;

	switch (rec->event) {
	case BTAP_EV_process_spawn:
		on_spawn(n, rec);
		break;
	case BTAP_EV_process_exit:
		on_exit_(n, rec);
		break;
	case BTAP_EV_name_register:
		on_register(n, rec);
		break;
	case BTAP_EV_name_unregister:
		on_unregister(n, rec);
		break;
	case BTAP_EV_state_asked:
		p = get_proc(n, DECODE(rec, state_asked, p));
		if (p)
			p->asked_ns = rec->ts;
		break;
	case BTAP_EV_state_process:
		on_state_process(n, rec);
		break;
	case BTAP_EV_state_port:
		on_state_port(n, rec);
		break;
	case BTAP_EV_port_open:
		on_port_open(n, rec);
		break;
	case BTAP_EV_port_exit:
		on_port_exit(n, rec);
		break;
	case BTAP_EV_port_connect:
		on_port_connect(n, rec);
		break;
	case BTAP_EV_socket_open:
		on_socket_open(n, rec);
		break;
	case BTAP_EV_tap_start:
		on_tap_start(n, rec);
		break;
	case BTAP_LOST_EVENT:
		n->losses++;
		break;
	}
}

/* -- questions -- */

const struct names_proc *names_proc(const struct names *n, uint64_t pid)
{
	return find_proc(n, pid);
}

const struct names_port *names_port(const struct names *n, uint64_t port)
{
	return find_port(n, port);
}

uint64_t names_whereis(const struct names *n, uint64_t atom)
{
	const struct owner *o = find_owner(n, atom);

	return o ? o->who : 0;
}

uint64_t names_target(const struct names *n, uint64_t atom)
{
	const struct owner *o = find_owner(n, atom);

	return o && n->changes == ON && o->nr == 1 && !o->is_doubtful ? o->who : 0;
}

uint32_t names_nr_procs(const struct names *n)
{
	return n->nr_procs;
}

const struct names_proc *names_proc_at(const struct names *n, uint32_t index)
{
	return index < n->nr_procs ? &n->procs[index] : NULL;
}

uint32_t names_nr_ports(const struct names *n)
{
	return n->nr_ports;
}

const struct names_port *names_port_at(const struct names *n, uint32_t index)
{
	return index < n->nr_ports ? &n->ports[index] : NULL;
}

uint64_t names_uncounted(const struct names *n)
{
	return n->uncounted;
}
