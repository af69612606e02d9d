// SPDX-License-Identifier: Apache-2.0
/* region_hdr.c - is this file a region, and are its header's numbers possible? */
#include "source/region_int.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool region_hdr_is_locked(int fd, uint64_t byte)
{
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte,
			    .l_len = 1 };

	return fcntl(fd, F_OFD_GETLK, &fl) == 0 && fl.l_type != F_UNLCK;
}

int region_hdr_open(const char *path, bool *is_writable, uint64_t *size, struct diag *d)
{
	int fd, flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	struct stat st;

	/* Before it is opened: opening a device can have effects. */
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return diag_fail(d, S_ISLNK(st.st_mode) ? -ELOOP : -EPROTO,
				 "%s is %s, not a region; name the file itself", path,
				 S_ISLNK(st.st_mode) ? "a symbolic link" :
				 S_ISDIR(st.st_mode) ? "a directory" : "not a plain file");
	fd = open(path, O_RDWR | flags);
	*is_writable = fd >= 0;
	if (fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
		fd = open(path, O_RDONLY | flags);
	if (fd < 0 && errno == ENOENT)
		return diag_fail(d, -ENOENT, "there is no %s; `beamtap list` shows what can be tapped",
				 path);
	if (fd < 0 && errno == EACCES)
		return diag_fail(d, -EACCES, "%s may not be read: it belongs to another user; run"
				 " beamtap as the node's user or as root", path);
	if (fd < 0)
		return diag_fail(d, -errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return diag_fail(d, -EPROTO, "%s is not a plain file", path);
	}
	if (st.st_uid != geteuid() && geteuid() != 0) {
		close(fd);
		return diag_fail(d, -EACCES, "%s belongs to user %u, who could make us read"
				 " anything; run beamtap as that user or as root", path, st.st_uid);
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

/* Does [off, off + len) lie in the region, at a page's begin? */
static bool is_inside(const struct btap_region_hdr *h, uint64_t off, uint64_t len)
{
	return off % BTAP_PAGE == 0 && off >= sizeof(*h) && off <= h->total_size &&
	       len <= h->total_size - off;
}

int region_hdr_check(struct btap_region_hdr *h, uint64_t size, struct diag *d)
{
	struct btap_facts *f = &h->facts;
	const char *what = NULL;

	if (h->magic == 0)
		return diag_fail(d, -EAGAIN, "the region is not ready: its VM is just starting, or"
				 " died while it was; try again");
	if (h->magic != BTAP_MAGIC)
		return diag_fail(d, -EPROTO, "not a region of beamtap: it begins with 0x%016llx",
				 (unsigned long long)h->magic);
	if (h->abi != BTAP_ABI)
		return diag_fail(d, -EPROTONOSUPPORT, "wrong ABI version %u: this beamtap knows %u;"
				 " use the beamtap of the same release as the node's agent", h->abi,
				 BTAP_ABI);
	if (h->total_size > size)
		return diag_fail(d, -EPROTO, "the region is cut off: its header says %llu bytes, the"
				 " file has %llu", (unsigned long long)h->total_size,
				 (unsigned long long)size);
	if (h->hdr_size < sizeof(*h) || h->hdr_size > BTAP_PAGE)
		what = "hdr_size";
	else if (h->ring_entry_size < sizeof(struct btap_ring) || h->ring_entry_size % 8 ||
		 h->ring_entry_size > BTAP_PAGE)
		what = "ring_entry_size";
	else if (h->nr_leases > BTAP_MAX_LEASES)
		what = "nr_leases";
	else if (h->nr_rings > BTAP_MAX_RINGS)
		what = "nr_rings";
	else if (!is_inside(h, h->ctl_off, sizeof(struct btap_ctl)))
		what = "ctl_off";
	else if (!is_inside(h, h->lease_off, (uint64_t)h->nr_leases * BTAP_PAGE))
		what = "lease_off";
	else if (!is_inside(h, h->answer_off, h->nr_leases * sizeof(struct btap_answer)))
		what = "answer_off";
	else if (!is_inside(h, h->clock_off, sizeof(struct btap_clocks)))
		what = "clock_off";
	else if (h->strtab_size < sizeof(struct btap_strtab) ||
		 !is_inside(h, h->strtab_off, h->strtab_size))
		what = "strtab_off";
	else if (!is_inside(h, h->ring_off, (uint64_t)h->nr_rings * h->ring_entry_size))
		what = "ring_off";
	else if (!is_inside(h, h->data_off, 0))
		what = "data_off";
	if (what)
		return diag_fail(d, -EPROTO, "the region's header is damaged: %s is impossible", what);

	f->erts_version[sizeof(f->erts_version) - 1] = '\0';
	f->emulator[sizeof(f->emulator) - 1] = '\0';
	f->node[sizeof(f->node) - 1] = '\0';
	f->writer[sizeof(f->writer) - 1] = '\0';
	/* Whoever shifts by these must be able to. */
	if (f->pid_shift > 32 || f->pid_number_bits > 60 || f->pid_serial_bits > 60 ||
	    f->port_shift > 32 || f->port_number_bits > 60 ||
	    f->pid_shift + f->pid_number_bits + f->pid_serial_bits > 64 ||
	    f->port_shift + f->port_number_bits > 64)
		return diag_fail(d, -EPROTO, "the region's header is damaged: the widths of pids and"
				 " ports are impossible");
	return 0;
}
