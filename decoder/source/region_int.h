/* SPDX-License-Identifier: Apache-2.0 */
/* region_int.h - an open region's inside, shared by region*.c alone */
#ifndef BEAMTAP_REGION_INT_H
#define BEAMTAP_REGION_INT_H

#include <beamtap/ioctl.h>
#include "source/kway.h"
#include "source/region.h"
#include "source/strings.h"

/* A ring in use; input of the merge and index into src.threads. */
struct region_ring {
	struct ring ring;
	uint32_t entry;	  /* in the directory */
	uint64_t *buf;	  /* ring.sub_size bytes, when first read */
	uint64_t last_ns; /* of the last record handed on */
	uint64_t tail;	  /* that the kernel module was told last */
	struct ring_chunk chunk;
	bool has_lost, has_words, has_damage; /* of chunk: still to be handed on */
	uint64_t lost_words[4];
};

/*
 * Where a region lies: region_lease.c has those of files, region_dev.c those of the kernel
 * module.  What only the holder of a lease needs is never called without one.
 */
struct region_ops {
	/* Return: a descriptor, or a negative errno with the remedy.  @is_writable, @size: out */
	int (*open)(const char *path, bool *is_writable, uint64_t *size, struct diag *d);
	bool (*is_alive)(const struct region *r); /* its VM */
	/* Take a lease, if none is held; write the wishes; sets .lease and .gen.  @want is checked */
	int (*want)(struct region *r, const struct src_want *want, struct diag *d);
	void (*beat)(struct region *r);
	void (*give)(struct region *r); /* the lease back */
	/* What was read of ring @i may be overwritten, where we are the reader whom rings wait for. */
	void (*release)(struct region *r, uint32_t i);
};
extern const struct region_ops region_lease_ops, region_dev_ops;

struct region {
	struct src src; /* first */
	const struct region_ops *ops;
	struct src_vm vm;
	char path[256];
	int fd;
	bool is_writable; /* the descriptor */
	const unsigned char *base;
	size_t size;
	struct btap_region_hdr hdr; /* checked */
	enum region_life life;
	uint64_t life_ns; /* when it was looked at */
	struct region_opts opts;

	struct region_ring *rings; /* nr_threads of them */
	uint32_t cap_rings;
	uint8_t entry_state[BTAP_MAX_RINGS]; /* of the directory: 0 not seen, 1 in use, 2 damaged */
	uint64_t buf_bytes; /* that the rings' buffers may need */
	bool is_opened;	    /* the rings found from now on are new */

	struct clock_map clock;
	struct src_strings *strs;
	size_t str_next;
	bool is_str_bad;
	uint64_t unwritten_before;

	struct kway kway;
	bool is_ended, is_refill_due;
	bool is_draining;   /* src_disable() was called: hand on what is older, then nothing */
	uint64_t drain_ns;
	struct diag damage; /* found when it was opened; told by the next region_poll() */

	/* as the holder of a lease */
	int lease; /* -1: none */
	struct btap_lease *lease_map; /* all of them, writable */
	struct btap_ring *tail_map;   /* the directory, writable; NULL unless in charge of tails */
	bool is_in_charge; /* of the tails, in the kernel module's region */
	uint64_t gen, beat_ns;
	char answer[sizeof(((struct btap_answer *)0)->text)];
};

/* region_poll.c */
uint64_t region_now_ns(void);
/**
 * region_guarded() - call @fn, which touches the mapped file
 *
 * Return: what it returns; -EIO once the file was cut.
 */
int region_guarded(struct region *r, int (*fn)(struct region *r, void *arg), void *arg,
		   struct diag *d);

/* Does the VM live?  For region_guarded(). */
int region_look(struct region *r, void *arg);

/* region_hdr.c */
/** region_hdr_check() - is this private copy the header of a region in a file of @size bytes? */
int region_hdr_check(struct btap_region_hdr *hdr, uint64_t size, struct diag *d);
/** region_hdr_open() - open a file that may be a region; checks what kind of file and whose */
int region_hdr_open(const char *path, bool *is_writable, uint64_t *size, struct diag *d);
/** region_hdr_is_locked() - does somebody hold this byte? */
bool region_hdr_is_locked(int fd, uint64_t byte);

/* region.c */
/**
 * region_begin_now() - pass over what came since region_open(), where nothing was read yet
 *
 * For who is about to take a lease: until then events are on for others, and may go off again
 * before ours is seen, which would look as if nothing had happened.  Return: 0 or -errno.
 */
int region_begin_now(struct region *r, struct diag *d);

/* region_dev.c */
#define REGION_DEV_PREFIX BTAP_DEVICE ":" /* then the region's number */
/**
 * region_dev_list() - call @fn for each region of the kernel module
 * @fn: gets the description, borrowed; a negative result ends the walk
 *
 * Return: 0 (also where there is no module), or what @fn returned.
 */
int region_dev_list(int (*fn)(const struct region_info *info, void *arg), void *arg);

/* region_lease.c */
int region_lease_enable(struct src *s, const struct src_want *want, struct diag *d);
int region_lease_disable(struct src *s, struct diag *d);

#endif /* BEAMTAP_REGION_INT_H */
