// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_map_dev.c - a region that the kernel module holds; see uapi/beamtap/ioctl.h
 *
 * Laid out as one in a file.  What is on, the leases and the ring's tails are the
 * kernel's to write; the controller says what it wants by calls.
 */
#include "btapw_map_int.h"
#include <beamtap/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define STRINGS_MAX (256u << 10) /* bytes in one call */

static int call(int fd, unsigned long request, void *arg)
{
	int r;

	do
		r = ioctl(fd, request, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/* The module's memory for regions is bounded: take less where it must be. */
static int reserve(int fd, struct btapw_plan *p, uint32_t *id, char why[BTAPW_WHY_MAX])
{
	uint64_t asked = p->ring_bytes;
	struct btap_new req;
	int r;

	for (;;) {
		req = (struct btap_new){ .abi = BTAP_ABI, .size = p->total, .ctl_off = p->ctl,
					 .lease_off = p->lease, .ring_off = p->ring,
					 .nr_leases = BTAP_MAX_LEASES, .nr_rings = p->nr_rings };
		r = call(fd, BTAP_IOC_NEW, &req);
		if (r == 0)
			break;
		if (r != -E2BIG && r != -ENOSPC && r != -ENOMEM)
			return btapw_plan_why(why, r, "%s: a region of %llu KiB is refused: %s",
					      BTAP_DEVICE, (unsigned long long)p->total >> 10,
					      strerror(-r));
		if (!btapw_plan_shrink(p))
			return btapw_plan_why(why, r, "%s: no room even for small rings, which need"
					      " %llu KiB; raise the module's parameters, see modinfo"
					      " beamtap", BTAP_DEVICE,
					      (unsigned long long)p->total >> 10);
	}
	*id = req.id;
	if (p->ring_bytes < asked)
		btapw_plan_why(why, 0, "little room in %s: rings have %llu KiB instead of %llu, so that"
			       " events are lost sooner", BTAP_DEVICE,
			       (unsigned long long)p->ring_bytes >> 10,
			       (unsigned long long)asked >> 10);
	return 0;
}

static int dev_make(struct btapw_map *m, struct btapw_plan *p, const struct btapw_map_opts *opts,
		    char why[BTAPW_WHY_MAX])
{
	int fd = open(BTAP_DEVICE, O_RDWR | O_CLOEXEC), r;
	uint32_t id = 0;
	void *base;

	if (fd < 0)
		return btapw_plan_why(why, -errno, "cannot open %s: %s", BTAP_DEVICE,
				      strerror(errno));
	r = reserve(fd, p, &id, why);
	if (r < 0)
		goto close;
	base = mmap(NULL, p->total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED) {
		r = btapw_plan_why(why, -errno, "cannot map %s: %s", BTAP_DEVICE, strerror(errno));
		goto close;
	}
	snprintf(m->path, sizeof(m->path), "%s:%u", BTAP_DEVICE, id);
	m->base = base;
	m->fd = fd;
	m->dev_fd = fd;
	return 0;
close:
	close(fd);
	return r;
}

static int dev_publish(struct btapw_map *m)
{
	return call(m->dev_fd, BTAP_IOC_PUBLISH, &m->facts);
}

static int dev_fill(struct btapw_map *m, char why[BTAPW_WHY_MAX])
{
	return 0; /* the kernel gave all of it at once */
}

static void dev_switch(struct btapw_map *m, uint8_t purpose, const uint64_t mask[BTAP_MASK_WORDS])
{
	struct btap_switch req = { .purpose = purpose };
	struct btap_switch *last =
		&m->dev_switch[purpose == BTAP_ON_RING ? 0 : purpose == BTAP_ON_USDT ? 1 : 2];

	if (purpose == BTAP_ON_RING) {
		req.stop_when_full = m->stop_when_full;
		req.nr_functions = m->nr_functions;
	}
	memcpy(req.mask, mask, sizeof(req.mask));
	req.mask[0] &= ~1ull;
	/* Called at each scan: a system call is only for news. */
	if (memcmp(&req, last, sizeof(req)) != 0 && call(m->dev_fd, BTAP_IOC_SWITCH, &req) == 0)
		*last = req;
}

/* Bytes of whole entries from @at on, at most STRINGS_MAX, unless one is longer. */
static uint64_t batch(const struct btapw_map *m, uint64_t at, uint64_t end)
{
	uint64_t n = 0, len;

	while (at + n < end) {
		len = ((const struct btap_string *)(m->strtab->data + at + n))->len;
		len = (sizeof(struct btap_string) + len + 7) & ~7ull;
		if (n && n + len > STRINGS_MAX)
			break;
		n += len;
	}
	return n;
}

/*
 * With the lock.  The table's entries are what the call takes, one behind the other.
 * Nobody but this process can write there.
 */
static void dev_strings(struct btapw_map *m)
{
	struct btap_strings req;
	uint64_t sent = m->str_sent;

	while (sent < m->str_used) {
		req.data = (uintptr_t)(m->strtab->data + sent);
		req.len = batch(m, sent, m->str_used);
		if (req.len > m->str_used - sent)
			break;
		/* Where the kernel's table is full, it will be so for the next ones. */
		call(m->dev_fd, BTAP_IOC_STRINGS, &req);
		sent += req.len;
	}
	__atomic_store_n(&m->str_sent, m->str_used, __ATOMIC_RELEASE);
}

static bool dev_is_held(const struct btapw_map *m, unsigned int i)
{
	const struct btap_lease *l = (const void *)(m->base + m->lease_off +
						    (uint64_t)i * BTAP_PAGE);

	return __atomic_load_n(&l->gen, __ATOMIC_RELAXED) != 0;
}

static bool dev_is_stop_held(const struct btapw_map *m)
{
	return true; /* the kernel gives that flag to one lease alone */
}

static void dev_close(struct btapw_map *m)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/*
	 * Other threads may be about to hand over a record: the number of the descriptor must
	 * not become another file's.  It stays, and is /dev/null from now on, until the end.
	 */
	if (null < 0 || dup3(null, m->dev_fd, O_CLOEXEC) < 0)
		/* No descriptor to be had: the region is closed by its state alone. */
		return;
	close(null);
}

static void dev_undo(struct btapw_map *m)
{
}

const struct btapw_map_ops btapw_map_dev_ops = {
	.make = dev_make,
	.undo = dev_undo,
	.publish = dev_publish,
	.fill = dev_fill,
	.set = dev_switch,
	.strings = dev_strings,
	.is_held = dev_is_held,
	.is_stop_held = dev_is_stop_held,
	.close = dev_close,
};

bool btapw_map_dev_is_wanted(const struct btapw_map_opts *opts)
{
	const char *env = getenv("BEAMTAP_DEVICE");

	return !opts->dir && !(env && strcmp(env, "off") == 0) &&
	       access(BTAP_DEVICE, R_OK | W_OK) == 0;
}
