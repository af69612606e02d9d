/* SPDX-License-Identifier: Apache-2.0 */
/*
 * btapw_map.h - the VM's region: make it, give rings to threads, intern strings, keep leases
 *
 * The cold path of the writer.  It runs inside the VM: nothing here exits,
 * asserts, prints or blocks for long; a call that cannot do its work returns a
 * negative errno, and a text that says why and what to do.  All functions take a
 * NULL map (-ENODEV, or nothing done) and may be called twice.
 *
 * Threads: btapw_map_thread(), btapw_map_string(), btapw_map_name() and the
 * inlines may be called by any thread at any time between btapw_map_new() and
 * btapw_map_free(); the others by one thread, the controller, alone.
 */
#ifndef BEAMTAP_BTAPW_MAP_H
#define BEAMTAP_BTAPW_MAP_H

#include "btapw.h"

#define BTAPW_WHY_MAX 400

/* Zero in any field: the default. */
struct btapw_map_opts {
	const char *dir;	     /* "/dev/shm" */
	uint64_t ring_bytes;	     /* of a scheduler's ring; rounded up to a power of two; 2 MiB.
				      * Other threads' rings have an eighth of it, 64 KiB or more */
	uint32_t sub_bytes;	     /* of a sub-buffer, a power of two; 64 KiB; at most 1/4 ring */
	uint32_t nr_spare;	     /* rings for threads that have none of their kind; 6 */
	uint32_t nr_async, nr_poll;  /* async threads, 1; poll threads, 1 */
	uint64_t strtab_bytes;	     /* 2 MiB */
	bool is_lazy;		     /* memory for the rings not before btapw_map_fill() */
	int clock;		     /* 0: find out; 1 + enum btap_clock: this one (tests) */
	/*
	 * What only the VM knows: otp_release, way, jit, nr_schedulers, nr_dirty_cpu, nr_dirty_io,
	 * pid_*, port_*, able, erts_version, emulator, node.  The rest is filled in here.
	 */
	struct btap_facts facts;
};

/**
 * btapw_map_new() - make the region of this VM and publish it
 * @out:  the map, owned; see btapw_map_free()
 * @opts: borrowed during the call
 * @why:  out: empty; with an error, what is wrong and the remedy; with 0, a warning if there is one
 *
 * The file is DIR/beamtap.<pid>, mode 0600.  What lies there already is moved
 * aside if it is a dead region of this user, and is refused otherwise.  Its
 * memory is allocated at once: a full file system is an error here and no
 * SIGBUS later; where there is little room, rings are made smaller (a warning).
 * Dead regions of this user but for four are deleted: kept are the newest that a
 * crash left, then the newest that were closed.
 *
 * Return: 0; -EEXIST: something is in the way; -EBUSY: a live region is;
 * -ENOSPC: no room even for small rings; -EINVAL: impossible sizes; or another -errno.
 */
int btapw_map_new(struct btapw_map **out, const struct btapw_map_opts *opts,
		  char why[BTAPW_WHY_MAX]);

/**
 * btapw_map_fill() - allocate what a lazy region was not given when it was made
 * @why: out: with an error, what is wrong and the remedy
 *
 * The controller calls it before it switches anything on, so that a full file
 * system is an error here and no SIGBUS in a hook.
 * Return: 0 (also when there was nothing to do), -ENOSPC or another -errno
 */
int btapw_map_fill(struct btapw_map *m, char why[BTAPW_WHY_MAX]);

/**
 * btapw_map_ctl_at() - lay the control page over a page of the program's own
 * @page: BTAP_PAGE bytes at such a boundary; what was there is gone.  It stays a
 *        mapping of the region for ever, all zero once the map was closed
 *
 * Hooks then test a byte at a fixed address.  Return: 0 or a negative errno
 */
int btapw_map_ctl_at(struct btapw_map *m, void *page);

/**
 * btapw_map_close() - say that nothing is written any more
 *
 * Switches all events off and sets the region's state to closed; the file stays
 * for readers.  The memory stays mapped, so that hooks that are still running in
 * other threads are safe.
 */
void btapw_map_close(struct btapw_map *m);
/** btapw_map_free() - close, unmap and free.  No thread may use a ring or the map any more */
void btapw_map_free(struct btapw_map *m);

const char *btapw_map_path(const struct btapw_map *m);
uint64_t btapw_map_size(const struct btapw_map *m); /* bytes */
/* What btapw_on() tests; lives as long as the map. */
const struct btap_ctl *btapw_map_ctl(const struct btapw_map *m);
bool btapw_map_is_tsc(const struct btapw_map *m);

/**
 * btapw_map_thread() - give the calling thread a ring
 * @w:      out; the thread's own memory.  Valid in any case: without a ring its records
 *          are counted as unwritten
 * @kind:   enum btap_thread_kind
 * @number: of the scheduler, from 1; 0 elsewhere
 * @name:   of the thread; NULL: as the kernel has it
 *
 * Takes no lock.  A kind whose rings are used up gets one of the spare rings,
 * then any small one.
 * Return: 0, -ENOSPC when no ring is left, -ENODEV without a map.
 */
int btapw_map_thread(struct btapw_map *m, struct btapw *w, unsigned int kind, unsigned int number,
		     const char *name);

/**
 * btapw_map_atom_known() - has this atom's text been defined?  One load, any thread
 *
 * Call btapw_map_string(m, BTAP_STRING_ATOM, term, ...) when not.
 */
bool btapw_map_atom_known(const struct btapw_map *m, uint64_t term);

/**
 * btapw_map_string() - define a string, once
 * @kind: enum btap_string_kind
 * @key:  atom term, or number
 * @text: UTF-8, @len bytes; cut at 65535 bytes (atoms: 1020)
 *
 * An atom that is defined already is left as it is.  Takes a mutex.
 * Return: 0, or -ENOSPC: the table is full; the loss is counted, and not tried again for an atom.
 */
int btapw_map_string(struct btapw_map *m, unsigned int kind, uint64_t key, const char *text,
		     size_t len);
/**
 * btapw_map_name() - number of a text, for `str` fields; the same text has the same number
 *
 * Takes a mutex.  Return: 1 or more; 0 when there is no room (counted).
 */
uint64_t btapw_map_name(struct btapw_map *m, const char *text, size_t len);

/** btapw_map_clock() - write a clock pair; the controller calls it each second */
void btapw_map_clock(struct btapw_map *m);
/** btapw_map_node() - the node got a name; cut at 255 bytes */
void btapw_map_node(struct btapw_map *m, const char *node);
/** btapw_map_functions() - tell readers how many functions are traced now */
void btapw_map_functions(struct btapw_map *m, uint32_t nr);

/* A reader's wishes, copied and checked. */
struct btapw_lease {
	bool is_alive;
	uint64_t gen; /* of one that is not alive, 0: it was given back; else its holder is gone */
	uint64_t want[BTAP_MASK_WORDS];
	uint64_t stack[BTAP_MASK_WORDS]; /* of want; cleared where this VM has no stacks */
	uint32_t flags; /* BTAP_LEASE_* */
	uint32_t pid;
	uint32_t spec_len;
	char who[32];			   /* printable ASCII, ends with NUL */
	char spec[BTAP_LEASE_SPEC_MAX + 1]; /* spec_len bytes and NUL; any bytes */
};

#define BTAPW_CHANGED_OTHER (1u << BTAP_MAX_LEASES) /* in `changed`: `other` is not what it was */

/* Kept by the controller between scans; zero it once. */
struct btapw_leases {
	uint64_t want[BTAP_MASK_WORDS]; /* union over those alive, and `other` */
	uint32_t nr_alive;
	uint32_t changed; /* bit i: lease i came, changed or went since the scan before */
	/*
	 * Wanted by a tracepoint or a USDT probe; in `want` too.  They are on already: what the
	 * caller has to do for them is what the VM needs besides (trace flags, for the agent).
	 */
	uint64_t other[BTAP_MASK_WORDS];
	struct btapw_lease lease[BTAP_MAX_LEASES];
};

/**
 * btapw_map_leases() - look who wants what; the controller calls it every 100 ms
 * @ls: in: result of the scan before; out: of this one
 *
 * A lease is alive while its holder has its lock and renews its heartbeat.  One
 * that is being written is kept as it was.  Events that nobody wants any more are switched off
 * here, at once; what is newly wanted the caller switches on with
 * btapw_map_enable(), and then answers each changed lease with btapw_map_answer().
 * Stacks go on and off with the events that they belong to.
 * Tracepoints and USDT probes are looked at, too.
 * Sets ctl.stop_when_full and ctl.off_since_ns too, and writes a clock pair when
 * a lease begins.
 * Return: ls->changed.
 */
uint32_t btapw_map_leases(struct btapw_map *m, struct btapw_leases *ls);
/**
 * btapw_map_enable() - set what hooks test; cut to facts.able and to the wishes of the last scan
 */
void btapw_map_enable(struct btapw_map *m, const uint64_t on[BTAP_MASK_WORDS]);
/** btapw_map_on() - what goes into the rings now */
void btapw_map_on(const struct btapw_map *m, uint64_t on[BTAP_MASK_WORDS]);
/**
 * btapw_map_answer() - answer lease @i
 * @gen:   that is answered: btapw_lease.gen
 * @error: 0 or a negative errno
 * @on:    what of its wishes is on; NULL: nothing
 * @text:  reason or warning; NULL: none; cut if long
 *
 * That a lease asked for stacks, and this VM has none, is added to @text.
 */
void btapw_map_answer(struct btapw_map *m, unsigned int i, uint64_t gen, int error,
		      uint32_t nr_functions, const uint64_t on[BTAP_MASK_WORDS], const char *text);

#endif /* BEAMTAP_BTAPW_MAP_H */
