/* SPDX-License-Identifier: Apache-2.0 */
/*
 * btapw_map_int.h - the map's inside, shared by btapw_map*.c alone
 *
 * Whatever the writer's side relies on is kept here, in private memory; the copies in
 * the region are for readers and are not read back.
 */
#ifndef BEAMTAP_BTAPW_MAP_INT_H
#define BEAMTAP_BTAPW_MAP_INT_H

#include <pthread.h>
#include <beamtap/ioctl.h>
#include "btapw_map.h"

/* Geometry of a ring, and whether a thread has it. */
struct btapw_slot {
	uint64_t data_off;
	uint32_t sub_size, nr_subs;
	uint32_t kind;	/* it is meant for */
	uint32_t taken; /* atomic: 0 or 1 */
};

/* What the controller remembers of a lease. */
struct btapw_watch {
	uint64_t heartbeat_ns; /* value seen last, in the reader's clock */
	uint64_t changed_ns;   /* when it was seen to change, in ours */
	uint64_t ttl_ns;
	uint64_t refused_gen;  /* nonsense that has been answered */
	uint64_t dead_gen;     /* gen when nobody held it; the next holder takes another */
};

/* What is laid out, and where it comes to lie; btapw_plan.c. */
struct btapw_plan {
	uint64_t ring_bytes, small_bytes, sub_bytes, strtab_bytes;
	uint32_t nr[BTAP_THREAD_POLL + 1]; /* rings by kind */
	uint32_t nr_rings;
	uint64_t ctl, lease, answer, clock, strtab, ring, data, total;
};
int btapw_plan_make(struct btapw_plan *p, const struct btapw_map_opts *o, char why[BTAPW_WHY_MAX]);
/** btapw_plan_shrink() - halve what is larger than the smallest.  False: nothing is left to halve */
bool btapw_plan_shrink(struct btapw_plan *p);
uint64_t btapw_plan_ring_bytes(const struct btapw_plan *p, unsigned int kind);
uint64_t btapw_plan_pages(uint64_t bytes); /* rounded up to whole pages */
/** btapw_plan_why() - say why.  Return: @err */
int btapw_plan_why(char why[BTAPW_WHY_MAX], int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Where a region's memory is; btapw_map_shm.c: in a file, btapw_map_dev.c: in the kernel module. */
struct btapw_map_ops {
	/* Take memory for the plan, shrink that if need be: sets .base, .fd, .path (and .dev_fd). */
	int (*make)(struct btapw_map *m, struct btapw_plan *p, const struct btapw_map_opts *opts,
		    char why[BTAPW_WHY_MAX]);
	void (*undo)(struct btapw_map *m); /* of what goes wrong after make() */
	int (*publish)(struct btapw_map *m); /* also when the node's name changed */
	int (*fill)(struct btapw_map *m, char why[BTAPW_WHY_MAX]);
	/*
	 * Set one BTAP_ON_* of the events in the mask, clear it for all others; and
	 * stop_when_full, nr_functions, off_since_ns as they are in *m.
	 */
	void (*set)(struct btapw_map *m, uint8_t purpose, const uint64_t mask[BTAP_MASK_WORDS]);
	void (*strings)(struct btapw_map *m); /* hand over those that are new; with the lock */
	bool (*is_held)(const struct btapw_map *m, unsigned int lease); /* has it a holder? */
	bool (*is_stop_held)(const struct btapw_map *m);
	void (*close)(struct btapw_map *m);
};
extern const struct btapw_map_ops btapw_map_shm_ops, btapw_map_dev_ops;
/** btapw_map_dev_is_wanted() - is there a device, and was nothing else asked for? */
bool btapw_map_dev_is_wanted(const struct btapw_map_opts *opts);

struct btapw_map {
	const struct btapw_map_ops *ops;
	int fd;
	bool is_closed, is_tsc, is_lazy;
	char path[256];
	unsigned char *base;
	uint64_t size;
	struct btap_region_hdr *hdr;
	struct btap_ctl *ctl;
	struct btap_answer *answer;
	struct btap_clocks *clocks;
	struct btap_strtab *strtab;
	struct btap_ring *ring;
	uint64_t lease_off;
	struct btap_facts facts;
	int dev_fd; /* the kernel module's, for its tracepoints; -1: there is none */

	struct btapw_slot *slot;
	uint32_t nr_slots;

	uint64_t nr_pairs; /* clock pairs written */
	uint64_t want[BTAP_MASK_WORDS], on[BTAP_MASK_WORDS]; /* for the ring */
	uint64_t stack[BTAP_MASK_WORDS]; /* wanted with a stack; none where this VM has no stacks */
	uint32_t no_stack; /* bit i: lease i asked for stacks, and there are none */
	uint32_t stop_when_full, nr_functions;
	uint64_t off_since_ns;
	struct btap_switch dev_switch[3]; /* what the module was told last: ring, USDT, stacks */
	struct btapw_watch watch[BTAP_MAX_LEASES];

	/* strings: all under the lock but for known_atoms, which is only ever set */
	pthread_mutex_t lock;
	uint64_t str_room, str_used, str_count, str_lost;
	uint64_t str_sent; /* of str_used, handed over to the module; atomic */
	uint64_t *known_atoms; /* a bit an atom number */
	struct btapw_name {
		uint64_t hash, number; /* number 0: free */
		uint64_t off;	       /* of its entry in the table */
	} *name;
	uint32_t name_size, nr_names;
	/*
	 * Where texts are in the table, for threads that format them: 1 + offset / 8, set once
	 * (release) and read without the lock.  Atoms in pages, made when they are needed.
	 */
	uint32_t **atom_page;
	uint32_t nr_atom_pages; /* those behind are not made; under the lock */
	uint32_t *name_at; /* by number */
};

/* Tests build small tables; a name table is at most this long. */
#define BTAPW_NAMES_MAX (1u << 16)

/* btapw_map_str.c */
int btapw_map_str_init(struct btapw_map *m, uint64_t room);
void btapw_map_str_fini(struct btapw_map *m);
/** btapw_map_str_send() - hand what was defined to the kernel module.  Any thread; cheap without news */
void btapw_map_str_send(struct btapw_map *m);
/**
 * btapw_map_atom_text() - text of an atom that was defined.  Any thread, takes no lock
 *
 * What lies in the table may have been spoilt by a reader: any bytes, but inside it.
 * Return: borrowed as long as the map is, without an end; NULL: not known
 */
const char *btapw_map_atom_text(const struct btapw_map *m, uint64_t term, size_t *len);
/** btapw_map_name_text() - the same for what btapw_map_name() gave a number */
const char *btapw_map_name_text(const struct btapw_map *m, uint64_t number, size_t *len);

/* btapw_map_file.c */
/**
 * btapw_map_file_open() - a new, empty, locked file DIR/beamtap.<pid>
 * @path: out: its path
 * Return: a descriptor, or a negative errno with @why.
 */
int btapw_map_file_open(const char *dir, char *path, size_t path_size, char why[BTAPW_WHY_MAX]);
/** btapw_map_file_prune() - delete this user's dead regions but for four, crashes before others */
void btapw_map_file_prune(const char *dir);
/** btapw_map_file_lock() - lock or ask for one byte.  Return: 0, -EAGAIN: somebody has it, ... */
int btapw_map_file_lock(int fd, uint64_t byte, bool is_test);
void btapw_map_file_unlock(int fd, uint64_t byte);

/* btapw_map_facts.c */
/** btapw_map_facts() - fill in what the system knows: pid, start, boot, clock */
void btapw_map_facts(struct btap_facts *f, int clock);
/** btapw_map_pair() - the ring clock and the system's clocks at one moment */
void btapw_map_pair(bool is_tsc, struct btap_clock_pair *p);

uint64_t btapw_map_now_ns(void);

#endif /* BEAMTAP_BTAPW_MAP_INT_H */
