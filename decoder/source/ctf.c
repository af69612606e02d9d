// SPDX-License-Identifier: Apache-2.0
/*
 * ctf.c - a recording as a source; see ctf.h
 *
 * Entries are read when it is opened, packets as they are asked for.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "source/ctf.h"
#include "source/ctf_stream.h"
#include "source/kway.h"
#include "source/strings.h"

#define ENTRIES_MAX (256u << 20) /* bytes of entries that are read */
#define SEARCH_MAX  (64u << 20)	 /* bytes summed up at most to find the next whole entry */

struct ctf {
	struct src s; /* first: struct src * is struct ctf * */
	struct ctf_shared c;
	struct src_vm vm;
	struct src_strings *strs;
	char *path;
	int dir;
	struct ctf_stream *streams;
	uint32_t nr_streams;
	struct ctf_thread threads[CTF_MAX_STREAMS]; /* by ring; ring UINT32_MAX: not known */
	struct kway k;
	bool has_begun, has_facts, has_end, is_told;
	bool is_entries_cut;
	struct ctf_end end;
};

/* -- entries -- */

static int take_facts(struct ctf *t, const void *bytes, uint32_t len, struct diag *d)
{
	struct ctf_facts f = { 0 };

	memcpy(&f, bytes, len < sizeof(f) ? len : sizeof(f));
	if (len < offsetof(struct ctf_facts, hostname))
		return 0;
	if (f.version != CTF_VERSION)
		return diag_fail(d, -EPROTONOSUPPORT,
				 "%s has version %u of the format, this beamtap reads "
				 "version %u: use the beamtap that made it, or a newer one",
				 t->path, f.version, CTF_VERSION);
	f.vm.erts_version[sizeof(f.vm.erts_version) - 1] = 0;
	f.vm.emulator[sizeof(f.vm.emulator) - 1] = 0;
	f.vm.node[sizeof(f.vm.node) - 1] = 0;
	f.vm.writer[sizeof(f.vm.writer) - 1] = 0;
	memcpy(t->c.uuid, f.uuid, sizeof(f.uuid));
	t->vm.facts = f.vm;
	t->has_facts = true;
	return 0;
}

static void take_string(struct ctf *t, const void *bytes, uint32_t len)
{
	struct btap_string s;

	if (len < sizeof(s))
		return;
	memcpy(&s, bytes, sizeof(s));
	/* One that the table refuses is as if it were not there: its number is shown. */
	if (s.len <= len - sizeof(s))
		strings_add(t->strs, s.kind, s.key, (const char *)bytes + sizeof(s), s.len);
}

static int take_entry(struct ctf *t, const struct ctf_entry *e, const void *bytes, struct diag *d)
{
	struct ctf_class c;
	struct ctf_thread th;

	switch (e->kind) {
	case CTF_ENTRY_FACTS:
		return take_facts(t, bytes, e->len, d);
	case CTF_ENTRY_STRING:
		take_string(t, bytes, e->len);
		break;
	case CTF_ENTRY_CLASS:
		if (e->len < sizeof(c))
			break;
		memcpy(&c, bytes, sizeof(c));
		if (c.class_id >= BTAP_MAX_EVENTS)
			ctf_stream_class(&t->c, c.class_id, c.event);
		break;
	case CTF_ENTRY_THREAD:
		if (e->len < sizeof(th))
			break;
		memcpy(&th, bytes, sizeof(th));
		th.name[sizeof(th.name) - 1] = 0;
		if (th.ring < CTF_MAX_STREAMS)
			t->threads[th.ring] = th;
		break;
	case CTF_ENTRY_END:
		t->has_end = true;
		memcpy(&t->end, bytes, e->len < sizeof(t->end) ? e->len : sizeof(t->end));
		break;
	}
	return 0;
}

/* Is there a whole entry at @at?  Adds the bytes looked at to *@work. */
static bool is_entry(const char *buf, uint64_t at, uint64_t len, struct ctf_entry *e,
		     uint64_t *work)
{
	if (len - at < sizeof(*e))
		return false;
	memcpy(e, buf + at, sizeof(*e));
	if (e->len > CTF_ENTRY_MAX || e->len > len - at - sizeof(*e))
		return false;
	*work += e->len;
	return e->sum == ctf_entry_sum(e, buf + at + sizeof(*e));
}

static void note_entry_damage(struct ctf *t, uint64_t at)
{
	if (!t->c.nr_damages++)
		snprintf(t->c.damage, sizeof(t->c.damage),
			 "%.120s/" CTF_ENTRIES_NAME " is damaged at byte %" PRIu64
			 ": names may be missing",
			 t->path, at);
}

static int take_entries(struct ctf *t, const char *buf, uint64_t len, struct diag *d)
{
	uint64_t at = sizeof(uint64_t), bad_at = 0, work = 0, ok_work = 0;
	struct ctf_entry e;
	int r;

	while (at < len && work < SEARCH_MAX) {
		if (!is_entry(buf, at, len, &e, bad_at ? &work : &ok_work)) {
			if (!bad_at)
				bad_at = at;
			at += 8;
			continue;
		}
		if (bad_at)
			note_entry_damage(t, bad_at);
		bad_at = 0;
		r = take_entry(t, &e, buf + at + sizeof(e), d);
		if (r)
			return r;
		at += sizeof(e) + (e.len + 7ull) / 8 * 8;
	}
	t->is_entries_cut = bad_at != 0;
	return 0;
}

/* The whole file, owned; @len: out. */
static char *read_file(int fd, uint64_t *len)
{
	struct stat st;
	uint64_t size;
	char *buf;

	*len = 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	size = (uint64_t)st.st_size < ENTRIES_MAX ? (uint64_t)st.st_size : ENTRIES_MAX;
	buf = malloc(size + 8);
	while (buf && *len < size) {
		ssize_t n = pread(fd, buf + *len, size - *len, (off_t)*len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		*len += (uint64_t)n;
	}
	return buf;
}

static int read_entries(struct ctf *t, struct diag *d)
{
	int fd = openat(t->dir, CTF_ENTRIES_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	uint64_t len, magic = 0;
	char *buf;
	int r;

	if (fd < 0 && errno == ENOENT && !faccessat(t->dir, "metadata", F_OK, 0))
		return diag_fail(d, -EPROTO,
				 "%s is a trace that beamtap did not make; babeltrace2 reads it",
				 t->path);
	if (fd < 0 && errno == ENOENT)
		return diag_fail(d, -EPROTO, "%s is no recording: it has no file " CTF_ENTRIES_NAME,
				 t->path);
	if (fd < 0)
		return diag_fail(d, -errno, "cannot open %s/" CTF_ENTRIES_NAME ": %s", t->path,
				 strerror(errno));
	buf = read_file(fd, &len);
	close(fd);
	if (!buf)
		return diag_fail(d, -EIO, "cannot read %s/" CTF_ENTRIES_NAME, t->path);
	if (len >= sizeof(magic))
		memcpy(&magic, buf, sizeof(magic));
	if (magic == CTF_FILE_MAGIC)
		r = take_entries(t, buf, len, d);
	else
		r = diag_fail(d, -EPROTO,
			      "%s/" CTF_ENTRIES_NAME " does not begin as one of beamtap's does",
			      t->path);
	free(buf);
	if (!r && !t->has_facts)
		r = diag_fail(d, -EPROTO,
			      "%s was cut off before the facts about its VM: nothing can be read",
			      t->path);
	return r;
}

/* -- streams -- */

static int compare_rings(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Numbers of the ring_N there are, in order. */
static int list_rings(struct ctf *t, uint32_t *rings, struct diag *d)
{
	int fd = openat(t->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), nr = 0;
	DIR *ls = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!ls)
		return diag_fail(d, -errno, "cannot look into %s: %s", t->path, strerror(errno));
	while ((e = readdir(ls))) {
		char name[32];
		unsigned int n;

		if (sscanf(e->d_name, CTF_STREAM_NAME, &n) != 1 || n >= CTF_MAX_STREAMS)
			continue;
		snprintf(name, sizeof(name), CTF_STREAM_NAME, n);
		if (!strcmp(name, e->d_name) && (unsigned int)nr < CTF_MAX_STREAMS)
			rings[nr++] = n;
	}
	closedir(ls);
	qsort(rings, (size_t)nr, sizeof(*rings), compare_rings);
	return nr;
}

static void set_thread(struct ctf *t, struct ctf_stream *s)
{
	struct src_thread *th = &t->s.threads[s->thread];
	const struct ctf_thread *known = &t->threads[s->ring];
	struct ctf_packet h;

	if (known->ring == s->ring) {
		*th = (struct src_thread){ .kind = known->kind,
					   .number = known->number,
					   .tid = known->tid };
		memcpy(th->name, known->name, sizeof(th->name));
	} else {
		if (ctf_stream_peek(s, &h))
			*th = (struct src_thread){ .kind = h.thread,
						   .number = h.number,
						   .tid = (uint32_t)h.tid };
		snprintf(th->name, sizeof(th->name), CTF_STREAM_NAME, s->ring);
	}
	if (th->kind > BTAP_THREAD_POLL)
		th->kind = BTAP_THREAD_OTHER;
}

static int open_streams(struct ctf *t, struct diag *d)
{
	uint32_t rings[CTF_MAX_STREAMS];
	int nr = list_rings(t, rings, d), r;

	if (nr < 0)
		return nr;
	t->streams = calloc((size_t)nr + 1, sizeof(*t->streams));
	t->s.threads = calloc((size_t)nr + 1, sizeof(*t->s.threads));
	if (!t->streams || !t->s.threads)
		return diag_fail(d, -ENOMEM, "no memory for %s", t->path);
	for (int i = 0; i < nr; i++) {
		struct ctf_stream *s = &t->streams[i];

		r = ctf_stream_open(s, &t->c, t->dir, rings[i]);
		t->nr_streams++;
		if (r)
			return diag_fail(d, r, "cannot open %s/" CTF_STREAM_NAME ": %s", t->path,
					 rings[i], strerror(-r));
		s->thread = (uint32_t)i;
		set_thread(t, s);
		t->s.nr_threads++;
		if (kway_add(&t->k) < 0)
			return diag_fail(d, -ENOMEM, "no memory for %s", t->path);
	}
	return 0;
}

/* -- the source -- */

static int fill(void *ctx, unsigned int i, struct src_run *run, struct diag *d)
{
	struct ctf *t = ctx;

	return ctf_stream_run(&t->streams[i], run);
}

static int run_ctf(struct src *s, struct src_run *run, struct diag *d)
{
	struct ctf *t = (struct ctf *)s;
	int r;

	if (!t->has_begun) {
		t->has_begun = true;
		r = kway_refill(&t->k, d);
		if (r < 0)
			return r;
	}
	r = kway_run(&t->k, run, d);
	if (r || !t->c.nr_damages || t->is_told)
		return r;
	t->is_told = true;
	diag_fail(d, -EPROTO, "%s", t->c.damage);
	return diag_fail(d, -EPROTO,
			 "recording %s is damaged in %u place%s; all that is whole was read",
			 t->path, t->c.nr_damages, t->c.nr_damages == 1 ? "" : "s");
}

static void stats_ctf(const struct src *s, struct src_stats *st)
{
	const struct ctf *t = (const struct ctf *)s;

	for (uint32_t i = 0; i < t->nr_streams; i++) {
		st->records += t->streams[i].total_records;
		st->lost += t->streams[i].total_lost;
		st->bytes += t->streams[i].total_bytes;
	}
	st->late = t->k.late;
	st->strings_lost = t->end.strings_lost;
}

static void close_ctf(struct src *s)
{
	struct ctf *t = (struct ctf *)s;

	for (uint32_t i = 0; i < t->nr_streams; i++)
		ctf_stream_close(&t->streams[i]);
	kway_fini(&t->k);
	strings_free(t->strs);
	if (t->dir >= 0)
		close(t->dir);
	free(t->streams);
	free(t->s.threads);
	free(t->path);
	free(t);
}

static const struct src_ops ctf_ops = {
	.name = "recording", .run = run_ctf, .stats = stats_ctf, .close = close_ctf
};

static int open_all(struct ctf *t, struct diag *d)
{
	int r;

	t->dir = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0)
		return diag_fail(d, -errno, "cannot open recording %s: %s", t->path,
				 strerror(errno));
	for (uint32_t i = 0; i < BTAP_MAX_EVENTS; i++)
		ctf_stream_class(&t->c, i, i);
	for (uint32_t i = 0; i < CTF_MAX_STREAMS; i++)
		t->threads[i].ring = UINT32_MAX;
	r = read_entries(t, d);
	return r ? r : open_streams(t, d);
}

int ctf_open(struct src **out, const char *path, const struct ctf_opts *opts, struct diag *d)
{
	struct ctf *t = calloc(1, sizeof(*t));
	int r;

	*out = NULL;
	if (!t)
		return diag_fail(d, -ENOMEM, "no memory for %s", path);
	t->dir = -1;
	t->s.ops = &ctf_ops;
	t->path = strdup(path);
	t->strs = strings_new();
	t->c.path = t->vm.path = t->path;
	t->c.shift_ns = opts ? opts->shift_ns : 0;
	t->vm.strs = t->strs;
	t->s.vms = &t->vm;
	t->s.nr_vms = 1;
	kway_init(&t->k, fill, t);
	r = t->path && t->strs ? open_all(t, d) : diag_fail(d, -ENOMEM, "no memory for %s", path);
	if (r) {
		close_ctf(&t->s);
		return r;
	}
	*out = &t->s;
	return 0;
}

bool ctf_is_recording(const char *path)
{
	char name[4096];
	uint64_t magic = 0;
	bool is;
	int fd;

	if ((size_t)snprintf(name, sizeof(name), "%s/" CTF_ENTRIES_NAME, path) >= sizeof(name))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	is = read(fd, &magic, sizeof(magic)) == sizeof(magic) && magic == CTF_FILE_MAGIC;
	close(fd);
	return is;
}

unsigned int ctf_tail(const struct src *s, char *buf, size_t size)
{
	const struct ctf *t = (const struct ctf *)s;
	unsigned int nr = 0;
	const struct ctf_stream *first = NULL;

	buf[0] = 0;
	if (s->ops != &ctf_ops)
		return 0;
	for (uint32_t i = 0; i < t->nr_streams; i++)
		if (t->streams[i].is_cut && !nr++)
			first = &t->streams[i];
	if (first)
		snprintf(buf, size,
			 "%u of %u rings end in a packet that is not whole: the recorder was "
			 "stopped "
			 "in the middle of it; other CTF readers want it cut off (truncate -s "
			 "%" PRIu64 " %s/" CTF_STREAM_NAME ")",
			 nr, t->nr_streams, first->cut_at, t->path, first->ring);
	else if (!t->has_end)
		snprintf(
			buf, size,
			"the recording was not ended in order%s: it goes on still, or its recorder "
			"was stopped; its last moments are not in it",
			t->is_entries_cut ? ", its list of names is cut off" : "");
	return nr;
}
