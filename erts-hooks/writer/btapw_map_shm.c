// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_map_shm.c - a region in a file of shared memory: its memory, its locks
 *
 * Whoever may write the file may spoil all that is in it.  What is on is written by
 * the controller itself; who lives is told by locks.
 */
#include "btapw_map_int.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SET(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)
#define GET(p)	  __atomic_load_n(&(p), __ATOMIC_RELAXED)

/* Memory for a part of the file.  Return: 0 or an errno */
static int fill(int fd, uint64_t from, uint64_t to)
{
	int r;

	do
		r = posix_fallocate(fd, (off_t)from, (off_t)(to - from));
	while (r == EINTR);
	return r;
}

/* What is written before anybody reads: some pages; the rest by btapw_map_fill(). */
static int fill_first(int fd, const struct btapw_plan *p)
{
	int r = ftruncate(fd, (off_t)p->total) < 0 ? errno : 0;

	r = r ? r : fill(fd, 0, p->lease);
	r = r ? r : fill(fd, p->clock, p->clock + BTAP_PAGE);
	r = r ? r : fill(fd, p->strtab, p->strtab + BTAP_PAGE);
	return r ? r : fill(fd, p->ring, p->data);
}

/* Make the file as long as the plan says, with all its memory; shrink the plan until it fits. */
static int allocate(int fd, struct btapw_plan *p, bool is_lazy, const char *path, char *why)
{
	uint64_t asked = p->ring_bytes, total = p->total;
	struct statvfs vfs;
	struct rlimit rl;
	int r;

	/* Beyond this limit the kernel would send SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
		while (p->total > rl.rlim_cur)
			if (!btapw_plan_shrink(p))
				return btapw_plan_why(why, -EFBIG, "files may have %llu bytes (ulimit -f), but the"
					    " region %s needs %llu; raise the limit or ask for less",
					    (unsigned long long)rl.rlim_cur, path,
					    (unsigned long long)p->total);
	for (;;) {
		r = ENOSPC;
		if (fstatvfs(fd, &vfs) < 0 || vfs.f_blocks == 0 ||
		    (uint64_t)vfs.f_bavail * vfs.f_frsize >= p->total)
			r = is_lazy ? fill_first(fd, p) : fill(fd, 0, p->total);
		if (r == 0)
			break;
		/* Give back what it got before it failed. */
		if (ftruncate(fd, 0) < 0)
			return btapw_plan_why(why, -errno, "cannot empty %s: %s", path, strerror(errno));
		if (r != ENOSPC && r != ENOMEM)
			return btapw_plan_why(why, -r, "cannot allocate %llu bytes for %s: %s",
				    (unsigned long long)p->total, path, strerror(r));
		if (!btapw_plan_shrink(p))
			return btapw_plan_why(why, -ENOSPC, "no room for %s: even small rings need %llu KiB; make"
				    " room there (old files beamtap.* may be deleted), or make the file"
				    " system larger (docker run --shm-size)", path,
				    (unsigned long long)p->total >> 10);
	}
	if (p->total < total)
		btapw_plan_why(why, 0, "little room for %s: rings have %llu KiB instead of %llu, so that"
		     " events are lost sooner", path, (unsigned long long)p->ring_bytes >> 10,
		     (unsigned long long)asked >> 10);
	return 0;
}

static int shm_make(struct btapw_map *m, struct btapw_plan *p, const struct btapw_map_opts *opts,
		    char why[BTAPW_WHY_MAX])
{
	const char *dir = opts->dir ? opts->dir : "/dev/shm";
	void *base;
	int r;

	btapw_map_file_prune(dir);
	r = btapw_map_file_open(dir, m->path, sizeof(m->path), why);
	if (r < 0)
		return r;
	m->fd = r;
	m->is_lazy = opts->is_lazy;
	r = allocate(m->fd, p, m->is_lazy, m->path, why);
	if (r < 0)
		goto unlink;
	base = mmap(NULL, p->total, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (m->is_lazy ? 0 : MAP_POPULATE), m->fd, 0);
	if (base == MAP_FAILED) {
		r = btapw_plan_why(why, -errno, "cannot map %s: %s", m->path, strerror(errno));
		goto unlink;
	}
	m->base = base;
	btapw_map_file_prune(dir);
	return 0;
unlink:
	unlink(m->path);
	return r;
}

static int shm_publish(struct btapw_map *m)
{
	return 0;
}

static int shm_fill(struct btapw_map *m, char why[BTAPW_WHY_MAX])
{
	int r = fill(m->fd, 0, m->size);

	if (r)
		return btapw_plan_why(why, -r, "cannot allocate %llu KiB for %s: %s; make room there",
				      (unsigned long long)m->size >> 10, m->path, strerror(r));
	/* Rings that threads have already; what else is touched later costs a fault a page. */
	madvise(m->base, m->size, MADV_WILLNEED);
	return 0;
}

static void shm_switch(struct btapw_map *m, uint8_t purpose, const uint64_t mask[BTAP_MASK_WORDS])
{
	SET(m->ctl->stop_when_full, m->stop_when_full);
	SET(m->ctl->nr_functions, m->nr_functions);
	SET(m->ctl->off_since_ns, m->off_since_ns);
	for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++) {
		uint8_t was = GET(m->ctl->on[i]);
		uint8_t is = mask[i / 64] >> (i % 64) & 1 ? was | purpose : was & ~purpose;

		if (is != was)
			SET(m->ctl->on[i], is);
	}
}

static bool shm_is_held(const struct btapw_map *m, unsigned int i)
{
	return btapw_map_file_lock(m->fd, BTAP_LOCK_LEASE + i, true) != 0;
}

static bool shm_is_stop_held(const struct btapw_map *m)
{
	return btapw_map_file_lock(m->fd, BTAP_LOCK_STOP, true) == -EAGAIN;
}

static void shm_close(struct btapw_map *m)
{
	/* By hand: the mapping keeps the open file, and so its lock, alive. */
	btapw_map_file_unlock(m->fd, BTAP_LOCK_VM);
	close(m->fd);
	m->fd = -1;
}

static void shm_undo(struct btapw_map *m)
{
	unlink(m->path);
}

static void shm_strings(struct btapw_map *m)
{
}

const struct btapw_map_ops btapw_map_shm_ops = {
	.make = shm_make,
	.undo = shm_undo,
	.publish = shm_publish,
	.fill = shm_fill,
	.set = shm_switch,
	.strings = shm_strings,
	.is_held = shm_is_held,
	.is_stop_held = shm_is_stop_held,
	.close = shm_close,
};
