// SPDX-License-Identifier: Apache-2.0
/*
 * region_find.c - which regions are there, and which belongs to a pid
 *
 * Regions lie in /dev/shm: in ours, and in those of containers, which are seen through
 * /proc/PID/root of their processes.  A directory or file that is seen by several
 * ways is looked at once (device and inode).  Nothing is mapped here: headers are read
 * by pread().  Others are held by the kernel module; region_dev.c finds those.
 */
#include "source/region_int.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHM	    "/dev/shm"
#define PREFIX	    "beamtap."
#define MAX_REGIONS 4096

struct found {
	struct region_info *info;
	struct { dev_t dev; ino_t ino; } *file;
	size_t nr, cap;
	struct { dev_t dev; ino_t ino; } dir[256];
	size_t nr_dirs;
};

static uint32_t count_used(int fd, const struct btap_region_hdr *h)
{
	struct btap_ring ring;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < h->nr_rings; i++)
		if (pread(fd, &ring, sizeof(ring),
			  (off_t)(h->ring_off + (uint64_t)i * h->ring_entry_size)) ==
			    (ssize_t)sizeof(ring) && ring.used)
			nr++;
	return nr;
}

/* Fill in what the file says. */
static void look_into(struct region_info *info)
{
	struct diag d = DIAG_INIT;
	struct btap_region_hdr h;
	bool is_writable;
	int fd;

	fd = region_hdr_open(info->path, &is_writable, &info->size, &d);
	if (fd < 0) {
		info->err = fd;
		if (d.nr)
			snprintf(info->why, sizeof(info->why), "%.199s", d.text[0]);
		return;
	}
	memset(&h, 0, sizeof(h));
	if (pread(fd, &h, sizeof(h), 0) < 0)
		info->err = -errno;
	else
		info->err = region_hdr_check(&h, info->size, &d);
	if (d.nr)
		snprintf(info->why, sizeof(info->why), "%.199s", d.text[0]);
	if (info->err == 0) {
		info->facts = h.facts;
		info->os_pid = h.facts.os_pid;
		info->life = h.state == BTAP_STATE_CLOSED ? REGION_CLOSED :
			     region_hdr_is_locked(fd, BTAP_LOCK_VM) ? REGION_LIVE : REGION_DEAD;
		info->nr_threads = count_used(fd, &h);
		for (uint32_t i = 0; i < h.nr_leases; i++)
			info->nr_leases += region_hdr_is_locked(fd, BTAP_LOCK_LEASE + i);
	}
	close(fd);
}

/* Room for one more. */
static int grow(struct found *f)
{
	size_t cap = f->cap ? 2 * f->cap : 16;
	void *p;

	if (f->nr < f->cap)
		return 0;
	p = realloc(f->info, cap * sizeof(*f->info));
	if (!p)
		return -ENOMEM;
	f->info = p;
	p = realloc(f->file, cap * sizeof(*f->file));
	if (!p)
		return -ENOMEM;
	f->file = p;
	f->cap = cap;
	return 0;
}

static int add_dev(const struct region_info *info, void *arg)
{
	struct found *f = arg;

	if (f->nr == MAX_REGIONS)
		return 0;
	if (grow(f) < 0)
		return -ENOMEM;
	f->info[f->nr] = *info;
	f->file[f->nr].dev = 0;
	f->file[f->nr++].ino = 0;
	return 0;
}

static int add_file(struct found *f, const char *dir, const char *name, int dirfd)
{
	struct region_info *info;
	struct stat st;

	if (f->nr == MAX_REGIONS || fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; i < f->nr; i++)
		if (f->file[i].dev == st.st_dev && f->file[i].ino == st.st_ino)
			return 0;
	if (grow(f) < 0)
		return -ENOMEM;
	info = &f->info[f->nr];
	memset(info, 0, sizeof(*info));
	if ((size_t)snprintf(info->path, sizeof(info->path), "%s/%s", dir, name) >=
	    sizeof(info->path))
		return 0;
	info->uid = st.st_uid;
	info->size = (uint64_t)st.st_size;
	info->life = REGION_DEAD;
	f->file[f->nr].dev = st.st_dev;
	f->file[f->nr].ino = st.st_ino;
	f->nr++;
	look_into(info);
	return 0;
}

static int add_dir(struct found *f, const char *path)
{
	struct dirent *e;
	struct stat st;
	int n = 0;
	DIR *d;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	for (size_t i = 0; i < f->nr_dirs; i++)
		if (f->dir[i].dev == st.st_dev && f->dir[i].ino == st.st_ino)
			return 0;
	if (f->nr_dirs < sizeof(f->dir) / sizeof(f->dir[0])) {
		f->dir[f->nr_dirs].dev = st.st_dev;
		f->dir[f->nr_dirs++].ino = st.st_ino;
	}
	d = opendir(path);
	while (d && n == 0 && (e = readdir(d)))
		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0)
			n = add_file(f, path, e->d_name, dirfd(d));
	if (d)
		closedir(d);
	return n;
}

/* The pid by which a process knows itself: the last of NSpid.  0: not known. */
static uint32_t inner_pid(long pid)
{
	char path[64], line[256];
	uint32_t inner = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		for (char *p = strtok(line + 6, " \t\n"); p; p = strtok(NULL, " \t\n"))
			inner = (uint32_t)strtoul(p, NULL, 10);
		break;
	}
	if (f)
		fclose(f);
	return inner;
}

/* Call @fn for each process that is seen here. */
static int each_pid(int (*fn)(long pid, void *arg), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (d && n == 0 && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			n = fn(strtol(e->d_name, NULL, 10), arg);
	if (d)
		closedir(d);
	return n;
}

static int add_root_of(long pid, void *arg)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/root" SHM, pid);
	return add_dir(arg, path);
}

/* A live region's pid as seen here: the process that is called so in its namespace. */
static int name_pid(long pid, void *arg)
{
	struct found *f = arg;
	uint32_t inner = inner_pid(pid);
	char path[64];
	struct stat st;

	for (size_t i = 0; inner && i < f->nr; i++) {
		struct region_info *info = &f->info[i];

		if (info->err || info->pid || info->life != REGION_LIVE || info->os_pid != inner)
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/ns/pid", pid);
		if (stat(path, &st) < 0 || st.st_ino == info->facts.pidns_inode)
			info->pid = (pid_t)pid;
	}
	return 0;
}

int region_list(struct region_info **out, size_t *nr, struct diag *d)
{
	struct found *f = calloc(1, sizeof(*f));
	int n;

	*out = NULL;
	*nr = 0;
	if (!f)
		return diag_fail(d, -ENOMEM, "no memory");
	n = region_dev_list(add_dev, f);
	if (n == 0)
		n = add_dir(f, SHM);
	if (n == 0)
		n = each_pid(add_root_of, f);
	if (n == 0 && f->nr)
		each_pid(name_pid, f);
	if (n == 0) {
		*out = f->info;
		*nr = f->nr;
	} else {
		free(f->info);
		diag_fail(d, n, "no memory for the list of regions");
	}
	free(f->file);
	free(f);
	return n;
}

/* Is this the region of a VM that calls itself @os_pid? */
static bool is_region_of(const char *path, uint32_t os_pid, enum region_life *life)
{
	struct region_info info = { 0 };

	snprintf(info.path, sizeof(info.path), "%s", path);
	info.life = REGION_DEAD;
	look_into(&info);
	*life = info.life;
	return info.err == 0 && info.os_pid == os_pid;
}

static int by_inner_pid(pid_t pid, char *path, size_t size, struct diag *d)
{
	struct region_info *list;
	size_t nr, hits = 0;
	int n = region_list(&list, &nr, d);

	if (n < 0)
		return n;
	for (size_t i = 0; i < nr; i++) {
		if (list[i].err || list[i].os_pid != (uint32_t)pid || list[i].life != REGION_LIVE)
			continue;
		hits++;
		snprintf(path, size, "%s", list[i].path);
	}
	free(list);
	if (hits > 1)
		return diag_fail(d, -EMLINK, "%zu nodes in containers have the pid %d there; use the pid"
				 " that `beamtap list` shows", hits, (int)pid);
	return hits ? 0 : -ENOENT;
}

/* The kernel module's region of this process; of dead ones the last. */
struct wanted {
	pid_t pid;
	bool is_alive;
	char *path;
	size_t size;
	bool is_found;
};

static int is_wanted(const struct region_info *info, void *arg)
{
	struct wanted *w = arg;

	if (info->err ||
	    (w->is_alive ? info->life != REGION_LIVE || info->pid != w->pid :
			   info->life == REGION_LIVE || info->os_pid != (uint32_t)w->pid))
		return 0;
	snprintf(w->path, w->size, "%s", info->path);
	w->is_found = true;
	return 0;
}

static bool find_dev(pid_t pid, bool is_alive, char *path, size_t size)
{
	struct wanted w = { pid, is_alive, path, size, false };

	region_dev_list(is_wanted, &w);
	return w.is_found;
}

int region_find_pid(pid_t pid, char *path, size_t size, struct diag *d)
{
	uint32_t inner = inner_pid(pid);
	enum region_life life;
	struct stat own, other;
	int n;

	if (find_dev(pid, true, path, size))
		return 0;
	/* The process of that pid as we see it, wherever it lives. */
	snprintf(path, size, "/proc/%d/root" SHM "/" PREFIX "%u", (int)pid, inner);
	if (inner && is_region_of(path, inner, &life) && life == REGION_LIVE) {
		char plain[64];

		snprintf(plain, sizeof(plain), SHM "/" PREFIX "%u", inner);
		if (stat(path, &own) == 0 && stat(plain, &other) == 0 &&
		    own.st_dev == other.st_dev && own.st_ino == other.st_ino)
			snprintf(path, size, "%s", plain);
		return 0;
	}
	/* One that calls itself so in its container. */
	n = by_inner_pid(pid, path, size, d);
	if (n != -ENOENT)
		return n;
	/* What a VM of that pid has left behind. */
	if (find_dev(pid, false, path, size))
		return 0;
	snprintf(path, size, SHM "/" PREFIX "%d", (int)pid);
	if (is_region_of(path, (uint32_t)pid, &life))
		return 0;
	if (lstat(path, &own) == 0) {
		struct region *r;
		int err = region_open(&r, path, NULL, d);

		/* Something is there: opening it says what is wrong with it. */
		if (err)
			return err;
		src_close(region_src(r));
		return diag_fail(d, -EPROTO, "%s is the region of another process", path);
	}
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return diag_fail(d, -ENOENT, "there is no process %d, and no region that it left;"
				 " `beamtap list` shows what can be tapped", (int)pid);
	return diag_fail(d, -ENOENT, "process %d is not tapped: start the agent in it (`beamtap:start()`,"
			 " or `erl -s beamtap`)", (int)pid);
}
