// SPDX-License-Identifier: Apache-2.0
/*
 * region_dev.c - regions that the kernel module holds; see uapi/beamtap/ioctl.h
 *
 * The memory is mapped read-only and cannot be cut under us.  Leases and tails go
 * through the module.  What lies in the memory is the VM's, and trusted as little as a
 * file's.
 */
#include "source/region_int.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int call(int fd, unsigned long request, void *arg)
{
	int r;

	do
		r = ioctl(fd, request, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

static int attach(uint32_t id, struct btap_info *info)
{
	int fd = open(BTAP_DEVICE, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	*info = (struct btap_info){ .id = id };
	r = call(fd, BTAP_IOC_ATTACH, info);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

static int dev_open(const char *path, bool *is_writable, uint64_t *size, struct diag *d)
{
	const char *number = path + strlen(REGION_DEV_PREFIX);
	struct btap_info info;
	unsigned long id;
	char *end;
	int fd;

	id = strtoul(number, &end, 10);
	if (*number < '0' || *number > '9' || *end || id == 0 || id > UINT32_MAX)
		return diag_fail(d, -EINVAL, "%s: after the colon goes the number of a region, as in "
				 REGION_DEV_PREFIX "1", path);
	fd = attach((uint32_t)id, &info);
	if (fd == -ENOENT)
		return diag_fail(d, fd, "there is no %s; `beamtap list` shows what can be tapped", path);
	if (fd == -EACCES)
		return diag_fail(d, fd, "%s may not be read: it belongs to another user; run beamtap as"
				 " the node's user or as root", path);
	if (fd < 0)
		return diag_fail(d, fd, "cannot attach to %s: %s", path, strerror(-fd));
	*is_writable = true; /* leases go by calls */
	*size = info.size;
	return fd;
}

static bool dev_is_alive(const struct region *r)
{
	struct btap_info info;

	return call(r->fd, BTAP_IOC_INFO, &info) == 0 && info.is_alive;
}

static int dev_want(struct region *r, const struct src_want *want, struct diag *d)
{
	struct btap_lease_req req = { .flags = want->flags, .ttl_ns = BTAP_TTL_NS };
	int n;

	memcpy(req.want, want->events, sizeof(req.want));
	req.want[0] &= ~1ull;
	memcpy(req.stack, want->stacks, sizeof(req.stack));
	if (want->functions) {
		req.spec = (uintptr_t)want->functions;
		req.spec_len = (uint32_t)strlen(want->functions);
	}
	if (want->who)
		snprintf(req.who, sizeof(req.who), "%s", want->who);
	n = call(r->fd, BTAP_IOC_LEASE, &req);
	if (n == -EBUSY)
		return diag_fail(d, n, "all readers that %s can serve are there already, or another has"
				 " its rings stop when they are full; end one of them", r->path);
	if (n < 0)
		return diag_fail(d, n, "%s gives no lease: %s", r->path, strerror(-n));
	/* What a hostile kernel says is not our concern, but this is an index. */
	if (req.index >= r->hdr.nr_leases)
		return diag_fail(d, -EPROTO, "the header of %s is damaged: it has %u leases, and we hold"
				 " number %u", r->path, r->hdr.nr_leases, req.index);
	r->lease = (int)req.index;
	r->gen = req.gen;
	r->beat_ns = region_now_ns();
	r->is_in_charge = want->flags & BTAP_LEASE_STOP;
	for (uint32_t i = 0; i < r->src.nr_threads; i++) {
		r->rings[i].tail = UINT64_MAX; /* whatever the last one in charge left there */
		region_release_ring(r, i);
	}
	return 0;
}

static void dev_beat(struct region *r)
{
	call(r->fd, BTAP_IOC_BEAT, NULL);
}

static void dev_give(struct region *r)
{
	r->is_in_charge = false;
	call(r->fd, BTAP_IOC_RETURN, NULL);
}

static void dev_release(struct region *r, uint32_t i)
{
	struct region_ring *in = &r->rings[i];
	struct btap_tail req = { .ring = in->entry, .tail = in->ring.number };

	/* A system call: only when there is something to give. */
	if (r->is_in_charge && in->tail != req.tail && call(r->fd, BTAP_IOC_TAIL, &req) == 0)
		in->tail = req.tail;
}

const struct region_ops region_dev_ops = {
	.open = dev_open,
	.is_alive = dev_is_alive,
	.want = dev_want,
	.beat = dev_beat,
	.give = dev_give,
	.release = dev_release,
};

/* -- which there are -- */

static void copy_words(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / 8; i++)
		((uint64_t *)to)[i] = __atomic_load_n((const uint64_t *)from + i, __ATOMIC_RELAXED);
}

/* Fill in what its header says. */
static void look_into(struct region_info *info, uint32_t id)
{
	const struct btap_ring *ring;
	struct diag d = DIAG_INIT;
	struct btap_region_hdr h;
	struct btap_info now;
	unsigned char *base;
	int fd = attach(id, &now);

	info->err = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	base = mmap(NULL, info->size, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED || info->size < BTAP_PAGE) {
		info->err = base == MAP_FAILED ? -errno : -EPROTO;
	} else {
		copy_words(&h, base, sizeof(h));
		info->err = region_hdr_check(&h, info->size, &d);
	}
	if (d.nr)
		snprintf(info->why, sizeof(info->why), "%.199s", d.text[0]);
	if (info->err == 0) {
		info->facts = h.facts;
		info->os_pid = h.facts.os_pid;
		if (h.state == BTAP_STATE_CLOSED)
			info->life = REGION_CLOSED;
		for (uint32_t i = 0; i < h.nr_rings; i++) {
			ring = (const void *)(base + h.ring_off + (uint64_t)i * h.ring_entry_size);
			info->nr_threads += __atomic_load_n(&ring->used, __ATOMIC_RELAXED) != 0;
		}
	}
	if (base != MAP_FAILED)
		munmap(base, info->size);
	close(fd);
}

int region_dev_list(int (*fn)(const struct region_info *info, void *arg), void *arg)
{
	int fd = open(BTAP_DEVICE, O_RDONLY | O_CLOEXEC), n = 0;
	struct btap_info at = { .id = 1 };

	while (fd >= 0 && n >= 0 && call(fd, BTAP_IOC_NEXT, &at) == 0) {
		struct region_info info = { .pid = at.is_alive ? (pid_t)at.os_pid : 0,
					    .uid = at.uid,
					    .life = at.is_alive ? REGION_LIVE : REGION_DEAD,
					    .size = at.size,
					    .nr_leases = at.nr_leases };

		snprintf(info.path, sizeof(info.path), REGION_DEV_PREFIX "%u", at.id);
		look_into(&info, at.id);
		n = fn(&info, arg);
		if (at.id == UINT32_MAX)
			break;
		at = (struct btap_info){ .id = at.id + 1 };
	}
	if (fd >= 0)
		close(fd);
	return n < 0 ? n : 0;
}
