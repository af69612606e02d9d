/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - who is who in one VM: processes, ports and registered names, learned from the stream
 *
 * Feed it the records of one VM in time order; ask it about a moment that is now.
 * It knows what the events said and nothing else: a process of which only the
 * number was seen has no name and no first function.
 */
#ifndef BEAMTAP_NAMES_H
#define BEAMTAP_NAMES_H

#include <stdbool.h>
#include "event/decode.h"

struct names_proc {
	uint64_t pid;	   /* term */
	uint64_t name;	   /* last registered name: atom term; 0: none.  Kept when it is given up */
	uint64_t mfa;	   /* first function, BTAP_MFA; 0: not known */
	uint64_t parent;   /* term; 0: not known */
	uint64_t spawn_ns; /* 0: was there before, or not seen */
	uint64_t exit_ns;  /* 0: lives, or not seen */
	uint64_t asked_ns; /* when it was last asked for its state; 0: not */
	uint64_t answered_ns; /* asked_ns of the last question that it answered; 0: none */
	const char *reason; /* exit reason as the VM gave it, no NUL; NULL: none.  Lives as long as the registry */
	uint32_t reason_len;
	uint32_t index;	   /* 0, 1, 2 ... in order of appearance: for tables of your own */
	bool is_spawned;   /* its process_spawn was seen */
};

struct names_port {
	uint64_t port;	    /* term */
	uint64_t port_name; /* `str` number of what it was opened with; 0: not known */
	uint64_t owner;	    /* pid term; 0: not known */
	uint64_t name;	    /* registered name; 0: none */
	uint64_t open_ns, close_ns;
	uint32_t index;
};

struct names;

/**
 * names_new() - empty registry
 * @max: processes and ports kept at most; more are counted, see names_uncounted()
 * Return: owned by the caller, or NULL without memory
 */
struct names *names_new(uint32_t max);
void names_free(struct names *n);

/** names_is_wanted() - Return: whether names_feed() takes anything from this event */
bool names_is_wanted(unsigned int event);
/** names_feed() - learn from a record; any event may be given */
void names_feed(struct names *n, const struct src_rec *rec);

/** names_proc() - Return: what is known of a process, borrowed until the next feed, or NULL */
const struct names_proc *names_proc(const struct names *n, uint64_t pid);
const struct names_port *names_port(const struct names *n, uint64_t port);
/** names_whereis() - Return: pid or port registered under an atom now as far as is known, or 0 */
uint64_t names_whereis(const struct names *n, uint64_t atom);
/**
 * names_target() - who gets a message sent to a name now, where that is beyond doubt
 *
 * The name had one owner since the last loss, all changes of names are recorded,
 * and it was not being changed while its owner answered.
 * Return: its owner, or 0
 */
uint64_t names_target(const struct names *n, uint64_t atom);

/** names_nr_procs() - processes known; names_proc_at() takes their index */
uint32_t names_nr_procs(const struct names *n);
const struct names_proc *names_proc_at(const struct names *n, uint32_t index);
uint32_t names_nr_ports(const struct names *n);
const struct names_port *names_port_at(const struct names *n, uint32_t index);
/** names_uncounted() - Return: processes and ports that found no room */
uint64_t names_uncounted(const struct names *n);

#endif /* BEAMTAP_NAMES_H */
