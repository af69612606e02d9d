// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_map.c - the VM's region: layout, life, rings for threads; see btapw_map.h
 *
 * The layout is computed first, for ring sizes that are halved until they fit into
 * the file system; then the file is allocated whole, mapped, set up, and published
 * by its magic number.
 */
#include "btapw_map_int.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEFAULT_RING   (2ull << 20)
#define DEFAULT_SUB    (64u << 10)
#define DEFAULT_STRTAB (2ull << 20)
#define DEFAULT_SPARE  6
#define SMALLEST_RING  (64ull << 10) /* when the file system is nearly full */
#define LARGEST_RING   (1ull << 30)

#define SET(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)

/* What is to be laid out, and where it comes to lie. */
struct plan {
	uint64_t ring_bytes, small_bytes, sub_bytes, strtab_bytes;
	uint32_t nr[BTAP_THREAD_POLL + 1]; /* rings by kind */
	uint32_t nr_rings;
	uint64_t ctl, lease, answer, clock, strtab, ring, data, total;
};

static uint64_t pages(uint64_t bytes)
{
	return (bytes + BTAP_PAGE - 1) & ~(uint64_t)(BTAP_PAGE - 1);
}

static uint64_t power_of_two(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static uint64_t ring_bytes_of(const struct plan *p, unsigned int kind)
{
	return kind == BTAP_THREAD_SCHEDULER ? p->ring_bytes : p->small_bytes;
}

static void lay_out(struct plan *p)
{
	p->ctl = pages(sizeof(struct btap_region_hdr));
	p->lease = p->ctl + pages(sizeof(struct btap_ctl));
	p->answer = p->lease + (uint64_t)BTAP_MAX_LEASES * BTAP_PAGE;
	p->clock = p->answer + pages(BTAP_MAX_LEASES * sizeof(struct btap_answer));
	p->strtab = p->clock + pages(sizeof(struct btap_clocks));
	p->ring = p->strtab + pages(p->strtab_bytes);
	p->data = p->ring + pages(p->nr_rings * sizeof(struct btap_ring));
	p->total = p->data;
	for (unsigned int kind = 0; kind <= BTAP_THREAD_POLL; kind++)
		p->total += pages(p->nr[kind] * ring_bytes_of(p, kind));
}

static int fail(char *why, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int fail(char *why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, BTAPW_WHY_MAX, fmt, ap);
	va_end(ap);
	return err;
}

static int make_plan(struct plan *p, const struct btapw_map_opts *o, char *why)
{
	uint64_t ring = o->ring_bytes ? o->ring_bytes : DEFAULT_RING;
	uint64_t sub = o->sub_bytes ? o->sub_bytes : DEFAULT_SUB, small;

	memset(p, 0, sizeof(*p));
	if (ring < 2 * BTAP_SUB_MIN || ring > LARGEST_RING)
		return fail(why, -EINVAL, "a ring of %llu bytes is not possible: %u to %llu are",
			    (unsigned long long)ring, 2 * BTAP_SUB_MIN,
			    (unsigned long long)LARGEST_RING);
	if (sub < BTAP_SUB_MIN || sub > BTAP_SUB_MAX || sub != power_of_two(sub))
		return fail(why, -EINVAL, "a sub-buffer of %llu bytes is not possible:"
			    " powers of two from %u to %u are", (unsigned long long)sub,
			    BTAP_SUB_MIN, BTAP_SUB_MAX);
	p->ring_bytes = power_of_two(ring);
	small = p->ring_bytes / 8;
	if (small < SMALLEST_RING)
		small = p->ring_bytes < SMALLEST_RING ? p->ring_bytes : SMALLEST_RING;
	p->small_bytes = small;
	p->sub_bytes = sub;
	p->strtab_bytes = o->strtab_bytes ? o->strtab_bytes : DEFAULT_STRTAB;
	if (p->strtab_bytes < BTAP_PAGE || p->strtab_bytes > LARGEST_RING)
		return fail(why, -EINVAL, "a string table of %llu bytes is not possible: %u to %llu"
			    " are", (unsigned long long)p->strtab_bytes, BTAP_PAGE,
			    (unsigned long long)LARGEST_RING);

	p->nr[BTAP_THREAD_SCHEDULER] = o->facts.nr_schedulers ? o->facts.nr_schedulers : 1;
	p->nr[BTAP_THREAD_DIRTY_CPU] = o->facts.nr_dirty_cpu;
	p->nr[BTAP_THREAD_DIRTY_IO] = o->facts.nr_dirty_io;
	p->nr[BTAP_THREAD_ASYNC] = o->nr_async ? o->nr_async : 1;
	p->nr[BTAP_THREAD_POLL] = o->nr_poll ? o->nr_poll : 1;
	p->nr[BTAP_THREAD_OTHER] = o->nr_spare ? o->nr_spare : DEFAULT_SPARE;
	/* Schedulers first; threads for which none is left are counted when they write. */
	static const unsigned int order[] = { BTAP_THREAD_SCHEDULER, BTAP_THREAD_OTHER,
					      BTAP_THREAD_DIRTY_CPU, BTAP_THREAD_DIRTY_IO,
					      BTAP_THREAD_POLL, BTAP_THREAD_ASYNC };
	for (unsigned int i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint32_t *nr = &p->nr[order[i]];

		if (*nr > BTAP_MAX_RINGS - p->nr_rings)
			*nr = BTAP_MAX_RINGS - p->nr_rings;
		p->nr_rings += *nr;
	}
	lay_out(p);
	return 0;
}

/* Halve what is larger than the smallest.  False: nothing is left to halve. */
static bool shrink(struct plan *p)
{
	bool did = false;

	if (p->small_bytes > SMALLEST_RING && p->small_bytes >= p->ring_bytes / 8) {
		p->small_bytes /= 2;
		did = true;
	}
	if (p->ring_bytes > SMALLEST_RING) {
		p->ring_bytes /= 2;
		did = true;
	}
	if (p->strtab_bytes > (256u << 10)) {
		p->strtab_bytes /= 2;
		did = true;
	}
	lay_out(p);
	return did;
}

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
static int fill_first(int fd, const struct plan *p)
{
	int r = ftruncate(fd, (off_t)p->total) < 0 ? errno : 0;

	r = r ? r : fill(fd, 0, p->lease);
	r = r ? r : fill(fd, p->clock, p->clock + BTAP_PAGE);
	r = r ? r : fill(fd, p->strtab, p->strtab + BTAP_PAGE);
	return r ? r : fill(fd, p->ring, p->data);
}

/* Make the file as long as the plan says, with all its memory; shrink the plan until it fits. */
static int allocate(int fd, struct plan *p, bool is_lazy, const char *path, char *why)
{
	uint64_t asked = p->ring_bytes, total = p->total;
	struct statvfs vfs;
	struct rlimit rl;
	int r;

	/* Beyond this limit the kernel would send SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
		while (p->total > rl.rlim_cur)
			if (!shrink(p))
				return fail(why, -EFBIG, "files may have %llu bytes (ulimit -f), but the"
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
			return fail(why, -errno, "cannot empty %s: %s", path, strerror(errno));
		if (r != ENOSPC && r != ENOMEM)
			return fail(why, -r, "cannot allocate %llu bytes for %s: %s",
				    (unsigned long long)p->total, path, strerror(r));
		if (!shrink(p))
			return fail(why, -ENOSPC, "no room for %s: even small rings need %llu KiB; make"
				    " room there (old files beamtap.* may be deleted), or make the file"
				    " system larger (docker run --shm-size)", path,
				    (unsigned long long)p->total >> 10);
	}
	if (p->total < total)
		fail(why, 0, "little room for %s: rings have %llu KiB instead of %llu, so that"
		     " events are lost sooner", path, (unsigned long long)p->ring_bytes >> 10,
		     (unsigned long long)asked >> 10);
	return 0;
}

static void set_up(struct btapw_map *m, const struct plan *p, const struct btap_facts *facts)
{
	struct btap_region_hdr *h = m->hdr;
	uint64_t data = p->data;
	uint32_t i = 0, kind;

	h->abi = BTAP_ABI;
	h->hdr_size = sizeof(*h);
	h->total_size = p->total;
	h->state = BTAP_STATE_OPEN;
	h->nr_leases = BTAP_MAX_LEASES;
	h->ctl_off = p->ctl;
	h->lease_off = p->lease;
	h->answer_off = p->answer;
	h->clock_off = p->clock;
	h->strtab_off = p->strtab;
	h->strtab_size = p->ring - p->strtab;
	h->ring_off = p->ring;
	h->nr_rings = p->nr_rings;
	h->ring_entry_size = sizeof(struct btap_ring);
	h->data_off = p->data;
	h->facts = *facts;
	m->ctl->off_since_ns = btapw_map_now_ns();

	for (kind = 0; kind <= BTAP_THREAD_POLL; kind++) {
		uint64_t bytes = ring_bytes_of(p, kind), sub = p->sub_bytes;

		/* Four sub-buffers or more if possible: a lapped reader loses one of them. */
		while (sub > bytes / 4 && sub > BTAP_SUB_MIN)
			sub /= 2;
		for (uint32_t n = 0; n < p->nr[kind]; n++, i++) {
			struct btapw_slot *s = &m->slot[i];

			*s = (struct btapw_slot){ data + n * bytes, (uint32_t)sub,
						  (uint32_t)(bytes / sub), kind, 0 };
			m->ring[i].kind = kind;
			m->ring[i].data_off = s->data_off;
			m->ring[i].sub_size = s->sub_size;
			m->ring[i].nr_subs = s->nr_subs;
		}
		data += pages(p->nr[kind] * bytes);
	}
}

static int map_file(struct btapw_map *m, const struct plan *p, const struct btap_facts *facts,
		    char *why)
{
	void *base = mmap(NULL, p->total, PROT_READ | PROT_WRITE,
			  MAP_SHARED | (m->is_lazy ? 0 : MAP_POPULATE), m->fd, 0);

	if (base == MAP_FAILED)
		return fail(why, -errno, "cannot map %s: %s", m->path, strerror(errno));
	m->base = base;
	m->size = p->total;
	m->hdr = base;
	m->ctl = (struct btap_ctl *)(m->base + p->ctl);
	m->lease_off = p->lease;
	m->answer = (struct btap_answer *)(m->base + p->answer);
	m->clocks = (struct btap_clocks *)(m->base + p->clock);
	m->strtab = (struct btap_strtab *)(m->base + p->strtab);
	m->ring = (struct btap_ring *)(m->base + p->ring);
	m->nr_slots = p->nr_rings;
	m->slot = calloc(p->nr_rings, sizeof(*m->slot));
	m->is_tsc = facts->clock == BTAP_CLOCK_TSC;
	memcpy(m->able, facts->able, sizeof(m->able));
	m->pid_shift = facts->pid_shift;
	m->pid_number_bits = facts->pid_number_bits;
	m->pid_serial_bits = facts->pid_serial_bits;
	m->port_shift = facts->port_shift;
	m->port_number_bits = facts->port_number_bits;
	if (!m->slot ||
	    btapw_map_str_init(m, p->ring - p->strtab - sizeof(struct btap_strtab)) < 0)
		return fail(why, -ENOMEM, "no memory for the region's tables");
	set_up(m, p, facts);
	btapw_map_clock(m);
	/* Pairs with the acquire in region_open(): all is set up. */
	__atomic_store_n(&m->hdr->magic, BTAP_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

int btapw_map_new(struct btapw_map **out, const struct btapw_map_opts *opts,
		  char why[BTAPW_WHY_MAX])
{
	const char *dir = opts->dir ? opts->dir : "/dev/shm";
	struct btap_facts facts = opts->facts;
	struct btapw_map *m;
	struct plan plan;
	int r;

	*out = NULL;
	why[0] = '\0';
	r = make_plan(&plan, opts, why);
	if (r < 0)
		return r;
	m = calloc(1, sizeof(*m));
	if (!m)
		return fail(why, -ENOMEM, "no memory");
	btapw_map_file_prune(dir);
	r = btapw_map_file_open(dir, m->path, sizeof(m->path), why);
	if (r < 0) {
		free(m);
		return r;
	}
	m->fd = r;
	m->dev_fd = -1;
	btapw_map_facts(&facts, opts->clock);
	m->is_lazy = opts->is_lazy;
	r = allocate(m->fd, &plan, m->is_lazy, m->path, why);
	if (r == 0)
		r = map_file(m, &plan, &facts, why);
	if (r < 0) {
		unlink(m->path);
		btapw_map_free(m);
		return r;
	}
	btapw_map_file_prune(dir);
	*out = m;
	return 0;
}

int btapw_map_fill(struct btapw_map *m, char why[BTAPW_WHY_MAX])
{
	int r;

	why[0] = '\0';
	if (!m || m->is_closed)
		return -ENODEV;
	if (!m->is_lazy)
		return 0;
	r = fill(m->fd, 0, m->size);
	if (r)
		return fail(why, -r, "cannot allocate %llu KiB for %s: %s; make room there",
			    (unsigned long long)m->size >> 10, m->path, strerror(r));
	m->is_lazy = false;
	/* Rings that threads have already; what else is touched later costs a fault a page. */
	madvise(m->base, m->size, MADV_WILLNEED);
	return 0;
}

int btapw_map_ctl_at(struct btapw_map *m, void *page)
{
	if (!m || m->is_closed)
		return -ENODEV;
	if (mmap(page, BTAP_PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, m->fd,
		 (off_t)((unsigned char *)m->ctl - m->base)) == MAP_FAILED)
		return -errno;
	return 0;
}

void btapw_map_close(struct btapw_map *m)
{
	if (!m || m->is_closed)
		return;
	m->is_closed = true;
	if (m->base) {
		for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++)
			SET(m->ctl->on[i], 0);
		/* Pairs with the acquire in region_poll(): nothing is written any more. */
		__atomic_store_n(&m->hdr->state, BTAP_STATE_CLOSED, __ATOMIC_RELEASE);
	}
	/* By hand: the mapping keeps the open file, and so its lock, alive. */
	btapw_map_file_unlock(m->fd, BTAP_LOCK_VM);
	close(m->fd);
	m->fd = -1;
}

void btapw_map_free(struct btapw_map *m)
{
	if (!m)
		return;
	btapw_map_close(m);
	if (m->base) {
		munmap(m->base, m->size);
		btapw_map_str_fini(m);
	}
	free(m->slot);
	free(m);
}

const char *btapw_map_path(const struct btapw_map *m)
{
	return m ? m->path : "";
}

uint64_t btapw_map_size(const struct btapw_map *m)
{
	return m ? m->size : 0;
}

const struct btap_ctl *btapw_map_ctl(const struct btapw_map *m)
{
	return m ? m->ctl : NULL;
}

bool btapw_map_is_tsc(const struct btapw_map *m)
{
	return m && m->is_tsc;
}

/* A free ring meant for @kind; NULL: none. */
static struct btapw_slot *claim(struct btapw_map *m, uint32_t kind)
{
	for (uint32_t i = 0; i < m->nr_slots; i++) {
		uint32_t is_free = 0;

		if (m->slot[i].kind == kind &&
		    __atomic_compare_exchange_n(&m->slot[i].taken, &is_free, 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return &m->slot[i];
	}
	return NULL;
}

int btapw_map_thread(struct btapw_map *m, struct btapw *w, unsigned int kind, unsigned int number,
		     const char *name)
{
	static const uint32_t small[] = { BTAP_THREAD_OTHER, BTAP_THREAD_ASYNC, BTAP_THREAD_POLL,
					  BTAP_THREAD_DIRTY_IO, BTAP_THREAD_DIRTY_CPU };
	struct btapw_slot *s;
	struct btap_ring *ring;
	char own[32] = { 0 };

	if (!m || m->is_closed) {
		memset(w, 0, sizeof(*w));
		return -ENODEV;
	}
	s = claim(m, kind);
	for (unsigned int i = 0; !s && i < sizeof(small) / sizeof(small[0]); i++)
		s = claim(m, small[i]);
	if (!s) {
		btapw_init(w, NULL, NULL, 0, 0, m->ctl, m->is_tsc);
		w->unwritten = (uint64_t *)&m->hdr->unwritten;
		w->map = m;
		return -ENOSPC;
	}
	ring = &m->ring[s - m->slot];
	if (!name && prctl(PR_GET_NAME, own) == 0)
		name = own;
	ring->kind = kind;
	ring->number = number;
	ring->tid = (uint32_t)syscall(SYS_gettid);
	if (name)
		snprintf(ring->name, sizeof(ring->name), "%.31s", name);
	btapw_init(w, ring, m->base + s->data_off, s->sub_size, s->nr_subs, m->ctl, m->is_tsc);
	w->map = m;
	/* Pairs with the acquire in region_poll(). */
	__atomic_store_n(&ring->used, 1, __ATOMIC_RELEASE);
	return 0;
}

void btapw_map_node(struct btapw_map *m, const char *node)
{
	size_t len;

	if (!m || !node)
		return;
	len = strnlen(node, sizeof(m->hdr->facts.node) - 1);
	for (size_t i = 0; i < sizeof(m->hdr->facts.node); i++)
		SET(m->hdr->facts.node[i], i < len ? node[i] : '\0');
}

void btapw_map_functions(struct btapw_map *m, uint32_t nr)
{
	if (m)
		SET(m->ctl->nr_functions, nr);
}
