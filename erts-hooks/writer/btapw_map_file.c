// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_map_file.c - the region's file: its name, what is in the way, what is left over
 *
 * The directory (/dev/shm) is anybody's to write in.  Nothing that lies there is
 * followed or trusted: files are opened without following links, without blocking,
 * and looked at through the descriptor.  Ours is what belongs to our user, is a
 * plain file with one name, and lets nobody else in.  Whether its VM lives is told by its lock.
 */
#include "btapw_map_int.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFIX	 "beamtap."
#define KEEP	 4   /* dead regions of a user */
#define MAX_DEAD 256 /* looked at in one go */
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

int btapw_map_file_lock(int fd, uint64_t byte, bool is_test)
{
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte,
			    .l_len = 1 };

	if (fcntl(fd, is_test ? F_OFD_GETLK : F_OFD_SETLK, &fl) < 0)
		return errno == EACCES ? -EAGAIN : -errno;
	return is_test && fl.l_type != F_UNLCK ? -EAGAIN : 0;
}

void btapw_map_file_unlock(int fd, uint64_t byte)
{
	struct flock fl = { .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte,
			    .l_len = 1 };

	fcntl(fd, F_OFD_SETLK, &fl);
}

/* NULL, or why this is not a region file of ours. */
static const char *foreign(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "a symbolic link";
	if (S_ISDIR(st->st_mode))
		return "a directory";
	if (!S_ISREG(st->st_mode))
		return "not a plain file";
	if (st->st_uid != geteuid())
		return "a file of another user";
	if (st->st_nlink != 1)
		return "a file with more than one name";
	if ((st->st_mode & 07777) != 0600)
		return "a file that others may use (its mode is not 0600)";
	return NULL;
}

/*
 * Open what lies under a name if it is ours and take its lock, so that nobody else takes it.
 * Return: a descriptor; -EEXIST: not ours, *what says what it is; -EBUSY: its VM lives;
 * -ENOENT, ...
 */
static int take_dead(int dirfd, const char *name, const char **what)
{
	struct stat st;
	int fd, r;

	*what = "something that cannot be looked at";
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	*what = foreign(&st);
	if (*what)
		return -EEXIST;
	fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Again, through the descriptor: the name may be another file's by now. */
	*what = fstat(fd, &st) < 0 ? "something that cannot be looked at" : foreign(&st);
	r = *what ? -EEXIST : btapw_map_file_lock(fd, BTAP_LOCK_VM, false);
	if (r < 0) {
		close(fd);
		return r == -EAGAIN ? -EBUSY : r;
	}
	return fd;
}

/* The first words of the header; false when it is no region. */
static bool read_hdr(int fd, struct btap_region_hdr *hdr)
{
	return pread(fd, hdr, sizeof(*hdr), 0) == (ssize_t)sizeof(*hdr) &&
	       hdr->magic == BTAP_MAGIC;
}

/* Give the dead region another name: beamtap.<pid>.<start of its VM>. */
static int move_aside(int dirfd, int fd, const char *name)
{
	struct btap_region_hdr hdr;
	char to[128];
	struct stat st;
	unsigned long long start = 0;

	if (read_hdr(fd, &hdr))
		start = hdr.facts.start_ticks;
	else if (fstat(fd, &st) == 0)
		start = (unsigned long long)st.st_mtime;
	/* One VM may leave several: its agent was stopped and started. */
	for (int i = 0; i < 100; i++) {
		if (i)
			snprintf(to, sizeof(to), "%s.%llu.%d", name, start, i);
		else
			snprintf(to, sizeof(to), "%s.%llu", name, start);
		if (syscall(SYS_renameat2, dirfd, name, dirfd, to, RENAME_NOREPLACE) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int why_fail(char *why, int err, const char *fmt, const char *a, const char *b)
	__attribute__((format(printf, 3, 0)));
static int why_fail(char *why, int err, const char *fmt, const char *a, const char *b)
{
	snprintf(why, BTAPW_WHY_MAX, fmt, a, b);
	return err;
}

static int clear_name(int dirfd, const char *name, const char *path, char *why)
{
	const char *what;
	int fd, r;

	fd = take_dead(dirfd, name, &what);
	if (fd == -ENOENT)
		return 0;
	if (fd == -EEXIST)
		return why_fail(why, -EEXIST, "%s is %s and is left alone; remove it, or choose"
				" another directory", path, what);
	if (fd == -EBUSY)
		return why_fail(why, -EBUSY, "%s is in use: this VM, or one with the same pid in"
				" another container, is tapped already%s", path, "");
	if (fd < 0)
		return why_fail(why, fd, "cannot open %s: %s", path, strerror(-fd));
	r = move_aside(dirfd, fd, name);
	btapw_map_file_unlock(fd, BTAP_LOCK_VM);
	close(fd);
	if (r < 0)
		return why_fail(why, r, "cannot move the old region %s aside: %s", path,
				strerror(-r));
	return 0;
}

int btapw_map_file_open(const char *dir, char *path, size_t path_size, char why[BTAPW_WHY_MAX])
{
	char name[32];
	int dirfd, fd = -1, r;

	snprintf(name, sizeof(name), PREFIX "%d", (int)getpid());
	if ((size_t)snprintf(path, path_size, "%s/%s", dir, name) >= path_size)
		return why_fail(why, -ENAMETOOLONG, "the directory's name %s is too long%s", dir, "");
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0) {
		r = -errno;
		return why_fail(why, r, "cannot open the directory %s: %s; mount a tmpfs there, or"
				" choose another one", dir, strerror(-r));
	}
	/* A second try, in case somebody else was there between the two steps. */
	for (int i = 0; i < 2 && fd < 0; i++) {
		r = clear_name(dirfd, name, path, why);
		if (r < 0)
			break;
		fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		r = fd < 0 ? -errno : 0;
		if (r < 0)
			why_fail(why, r, "cannot make %s: %s", path, strerror(-r));
	}
	close(dirfd);
	if (fd < 0)
		return r;
	/* The umask may have taken bits away. */
	if (fchmod(fd, 0600) < 0 || (r = btapw_map_file_lock(fd, BTAP_LOCK_VM, false)) < 0) {
		r = r < 0 ? r : -errno;
		unlink(path);
		close(fd);
		return why_fail(why, r, "cannot lock %s: %s", path, strerror(-r));
	}
	why[0] = '\0';
	return fd;
}

struct dead {
	char name[64];
	uint64_t real_ns;
	bool is_closed; /* its VM went in order: nobody will ask why */
};

static int by_worth(const void *a, const void *b)
{
	const struct dead *x = a, *y = b;

	if (x->is_closed != y->is_closed)
		return x->is_closed ? 1 : -1;
	return x->real_ns < y->real_ns ? 1 : x->real_ns > y->real_ns ? -1 : 0;
}

void btapw_map_file_prune(const char *dir)
{
	DIR *d = opendir(dir);
	struct dead *dead = calloc(MAX_DEAD, sizeof(*dead));
	struct btap_region_hdr hdr;
	struct dirent *e;
	const char *what;
	size_t nr = 0;
	int fd;

	while (d && dead && nr < MAX_DEAD && (e = readdir(d))) {
		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    strlen(e->d_name) >= sizeof(dead->name))
			continue;
		fd = take_dead(dirfd(d), e->d_name, &what);
		if (fd < 0)
			continue;
		if (read_hdr(fd, &hdr)) {
			strcpy(dead[nr].name, e->d_name);
			dead[nr].is_closed = hdr.state == BTAP_STATE_CLOSED;
			dead[nr++].real_ns = hdr.facts.real_ns;
		}
		btapw_map_file_unlock(fd, BTAP_LOCK_VM);
		close(fd);
	}
	if (nr > KEEP)
		qsort(dead, nr, sizeof(*dead), by_worth);
	for (size_t i = KEEP; i < nr; i++) {
		/* Once more, locked: it may have been replaced by a live one. */
		fd = take_dead(dirfd(d), dead[i].name, &what);
		if (fd < 0)
			continue;
		if (read_hdr(fd, &hdr) && hdr.facts.real_ns == dead[i].real_ns)
			unlinkat(dirfd(d), dead[i].name, 0);
		close(fd);
	}
	if (d)
		closedir(d);
	free(dead);
}
