// SPDX-License-Identifier: Apache-2.0
/* open.c - open what a user names; see open.h */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "source/ctf.h"
#include "source/merge.h"
#include "source/open.h"
#include "source/region.h"
#include "source/text.h"

/* Whether a file begins as a region, or as one that was never made ready. */
static bool is_region(const char *path)
{
	uint64_t magic[1] = { 1 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	     (magic[0] == BTAP_MAGIC || magic[0] == 0);
	close(fd);
	return is;
}

static int open_one(struct src **out, const char *path, int64_t shift_ns, struct diag *d)
{
	struct ctf_opts opts = { .shift_ns = shift_ns };
	struct region *r;
	struct stat st;
	int err;

	if (stat(path, &st)) {
		if (errno == ENOENT)
			return diag_fail(d, -ENOENT,
					 "there is no %s: name a recording (a directory that "
					 "`beamtap record` made), a region or a fixture",
					 path);
		return diag_fail(d, -errno, "cannot open %s: %s", path, strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		return ctf_open(out, path, &opts, d);
	if (!S_ISREG(st.st_mode))
		return diag_fail(d, -EINVAL, "%s is no file and no directory", path);
	if (!is_region(path))
		return text_open(out, path, d);
	err = region_open(&r, path, NULL, d);
	if (!err)
		*out = region_src(r);
	return err;
}

/* Time of day minus CLOCK_MONOTONIC, where a VM says it. */
static bool real_offset(const struct src *s, int64_t *offset)
{
	const struct btap_facts *f;

	if (!s->nr_vms)
		return false;
	f = &s->vms[0].facts;
	*offset = (int64_t)(f->real_ns - f->mono_ns);
	return f->real_ns && f->real_ns < INT64_MAX && f->mono_ns < INT64_MAX;
}

/* A recording of another boot or machine has another CLOCK_MONOTONIC. */
static int shift_to(struct src **s, const struct src *first, const char *path, struct diag *d)
{
	int64_t a, b;

	if (!memcmp((*s)->vms[0].facts.boot_id, first->vms[0].facts.boot_id, 16) ||
	    !ctf_is_recording(path) || !real_offset(first, &a) || !real_offset(*s, &b))
		return 0;
	src_close(*s);
	*s = NULL;
	return open_one(s, path, b - a, d);
}

int open_any(struct src **out, const char *const *paths, unsigned int nr, struct diag *d)
{
	struct src **s;
	unsigned int i;
	int r = 0;

	*out = NULL;
	if (nr == 1)
		return open_one(out, paths[0], 0, d);
	s = calloc(nr + 1, sizeof(struct src *));
	if (!s)
		return diag_fail(d, -ENOMEM, "no memory to open %u paths", nr);
	for (i = 0; i < nr && !r; i++) {
		r = open_one(&s[i], paths[i], 0, d);
		if (!r && i)
			r = shift_to(&s[i], s[0], paths[i], d);
	}
	if (!r)
		r = merge_open(out, s, nr, d);
	else
		for (i = 0; i < nr; i++)
			src_close(s[i]);
	free(s);
	return r;
}
