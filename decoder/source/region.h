/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region.h - a VM's region, live or left behind by a dead VM, as a source
 *
 * Two ways to read one, not both at once on the same struct region:
 *
 *   merged      region_src() is a struct src: src_run(), src_enable(), ...
 *   by the ring for those who keep whole sub-buffers (recordings):
 *
 *	for (;;) {
 *		region_poll(r, d);              new rings, strings, clock pairs; heartbeat
 *		for (i = 0; i < src->nr_threads; i++)
 *			while ((n = region_poll_ring(r, i, flags, &chunk, d)) > 0)
 *				...             chunk: ring.h; times turned by region_turn_chunk()
 *		sleep
 *	}
 *	at the end: once more with RING_FLUSH and without RING_WHOLE
 *
 * Live, records are handed on in the order of time once they are older than
 * the window: one that is published later than that after its time is handed on late,
 * and counted.  When the VM has gone, what lies in its rings is handed on, then
 * the source ends.  After src_disable() what was written until then is handed on,
 * and then nothing.
 *
 * Damage: src_run() and region_poll() return -EPROTO with its place, once for each
 * damaged stretch; whoever calls again goes on behind it.
 */
#ifndef BEAMTAP_REGION_SOURCE_H
#define BEAMTAP_REGION_SOURCE_H

#include <sys/types.h>
#include "source/clock.h"
#include "source/ring.h"
#include "source/src.h"

struct region;

enum region_life {
	REGION_LIVE,
	REGION_CLOSED, /* the VM's side went away in order */
	REGION_DEAD,   /* the VM ended without a word: killed or crashed */
	REGION_CUT,    /* the file was truncated under us */
};

struct region_opts {
	bool from_oldest;   /* live: what is in the rings already, too (a dead VM's: always) */
	uint64_t window_ns; /* 0: REGION_WINDOW_NS */
};
#define REGION_WINDOW_NS 2000000ULL

/**
 * region_open() - open a region
 * @out:  owned; end it with src_close(region_src(r))
 * @path: of the file; a link is not followed.  /dev/beamtap:N is region N of the kernel module
 * @opts: NULL: all zero
 * @d:    out: what is wrong and the remedy
 *
 * Return: 0, -ENOENT, -EACCES, -ELOOP, -EPROTO (not a region, or a damaged one),
 * -EPROTONOSUPPORT (another ABI version), -EAGAIN (not ready yet), or another -errno.
 */
int region_open(struct region **out, const char *path, const struct region_opts *opts,
		struct diag *d);
struct src *region_src(struct region *r);

/** region_hdr() - the header as it was checked when opened; borrowed */
const struct btap_region_hdr *region_hdr(const struct region *r);
const char *region_path(const struct region *r);
/** region_clock() - its clock table as of the last poll; borrowed */
struct clock_map *region_clock(struct region *r);
/** region_strings() - its strings as of the last poll; borrowed */
struct src_strings *region_strings(struct region *r);
/** region_unwritten() - records of threads that found no ring, since the region was made */
uint64_t region_unwritten(struct region *r);
/** region_answer() - text of the VM's last answer to region_enable; "" if there is none */
const char *region_answer(const struct region *r);

/** region_alive() - @why: out: a sentence for people; may be NULL */
enum region_life region_alive(struct region *r, char *why, size_t size);

/**
 * region_poll() - look for news: threads, strings, clock pairs, death; renews the heartbeat
 *
 * Called by src_run() too.  Return: 0, -EPROTO when something damaged was found (call it again), or
 * -EIO when the file was cut.
 */
int region_poll(struct region *r, struct diag *d);

/**
 * region_poll_ring() - the next piece of ring @i (an index of src->threads)
 * @flags: as ring_read()
 * @c:     out; c->words is borrowed until the next call for the same ring; the caller may
 *         change it
 *
 * Return: 1, 0 when there is nothing new, -EIO when the file was cut, -ENOMEM.
 */
int region_poll_ring(struct region *r, uint32_t i, unsigned int flags, struct ring_chunk *c,
		     struct diag *d);

/**
 * region_poll_ring_into() - the same, into memory of the caller
 * @buf: at least region_ring_size() bytes
 */
int region_poll_ring_into(struct region *r, uint32_t i, unsigned int flags, uint64_t *buf,
			  struct ring_chunk *c, struct diag *d);

/** region_ring_size() - bytes of a sub-buffer of ring @i; @nr_subs: out: how many it has */
uint32_t region_ring_size(const struct region *r, uint32_t i, uint32_t *nr_subs);

/**
 * region_turn_chunk() - give the records' header words nanoseconds of CLOCK_MONOTONIC, in place
 * @c: the chunk that region_poll_ring() gave for ring @i last; once
 * @begin_ns, @end_ns: out: time of its first and last record; may be NULL
 *
 * Times of one ring never go back, and jump less than 2^45 ns inside a chunk.
 */
void region_turn_chunk(struct region *r, uint32_t i, struct ring_chunk *c, uint64_t *begin_ns,
		       uint64_t *end_ns);

/**
 * region_release_ring() - the reader in charge is done with what it got of ring @i
 *
 * Nothing is done unless src_enable() was called with BTAP_LEASE_STOP.
 */
void region_release_ring(struct region *r, uint32_t i);

/** region_heartbeat() - renew the lease, at least every second.  Does nothing without one */
void region_heartbeat(struct region *r);

/* One region among those found. */
struct region_info {
	char path[256];	     /* to be opened; may lead through /proc/PID/root */
	pid_t pid;	     /* as seen here; 0: not known (a dead one, or one out of sight) */
	uint32_t os_pid;     /* as the VM sees it */
	uint32_t uid;
	enum region_life life;
	int err;	     /* 0, or -errno: it cannot be read; then path, uid and why hold */
	char why[200];	     /* then, a sentence for people; may be empty */
	uint64_t size;	     /* bytes */
	uint32_t nr_threads; /* rings in use */
	uint32_t nr_leases;  /* readers at present */
	struct btap_facts facts;
};

/**
 * region_list() - all regions there are, live and dead
 * @out: owned array, free() it; NULL when there is none
 *
 * Looks into /dev/shm and, through /proc/PID/root, into those of other mount
 * namespaces; shows each file once.  Those of other users are listed with err -EACCES.
 */
int region_list(struct region_info **out, size_t *nr, struct diag *d);

/**
 * region_find_pid() - the region of the VM with this pid
 * @pid:  as seen here, or as the VM in its container sees it (if there is just one)
 * @path: out: @size bytes
 *
 * Return: 0, -ENOENT, or -EMLINK when several VMs call themselves so.
 */
int region_find_pid(pid_t pid, char *path, size_t size, struct diag *d);

#endif /* BEAMTAP_REGION_SOURCE_H */
