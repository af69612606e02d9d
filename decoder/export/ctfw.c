// SPDX-License-Identifier: Apache-2.0
/*
 * ctfw.c - write a recording; see ctfw.h
 *
 * The order on disk is what makes a recording that was cut off readable: entries
 * (strings, threads, classes) go out before the packet that needs them, and so do
 * metadata that name a class for the first time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "export/ctfmeta.h"
#include "export/ctfw.h"
#include "export/ctfwalk.h"
#include "source/strings.h"

struct stream {
	int fd; /* -1: no packet yet */
	uint64_t off, seq, records, lost, last_ns;
};

/* A packet that waits to be written; its words are the caller's. */
struct pending {
	struct ctf_packet h;
	struct ctf_trailer t;
	uint64_t bytes, lost, nr_events; /* stacks are none */
};

struct ctfw {
	int dir, entries;
	uint64_t entries_len; /* bytes of whole entries in the file */
	char *path;
	struct ctfmeta meta;
	const struct src_strings *strs;
	uint32_t nr_strings; /* written */
	uint64_t last_pair;  /* ticks */
	struct outbuf out;   /* entries and metadata on their way */
	struct stream *streams;
	uint32_t nr_streams;
	struct pending pending[CTFW_BATCH]; /* all of ring pending_ring, one behind the other */
	struct iovec io[3 * CTFW_BATCH];
	unsigned int nr_pending;
	uint32_t pending_ring;
	struct ctfw_totals totals;
	int error; /* first that there was */
};

/* Nothing more is written after an error; its cause is told once. */
static int fail(struct ctfw *w, int err, struct diag *d, const char *name)
{
	w->error = err;
	diag_fail(d, err, "cannot write %s/%s: %s", w->path, name, strerror(-err));
	if (err == -ENOSPC || err == -EDQUOT || err == -EFBIG)
		diag_fail(d, err,
			  "the recording ends here; what was written before is whole and can be "
			  "read");
	return err;
}

/* Writes all of @io, which is used up by it.  *@off: where; moves behind what was written. */
static int write_iov(int fd, struct iovec *io, int nr, uint64_t *off)
{
	while (nr) {
		ssize_t n = io->iov_len ? pwritev(fd, io, nr, (off_t)*off) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (n == 0 && io->iov_len))
			return n < 0 ? -errno : -EIO;
		*off += (uint64_t)n;
		for (; nr && (size_t)n >= io->iov_len; io++, nr--)
			n -= (ssize_t)io->iov_len;
		if (nr) {
			io->iov_base = (char *)io->iov_base + n;
			io->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int write_all(int fd, const char *p, size_t len, uint64_t off)
{
	struct iovec io = { (void *)p, len };

	return write_iov(fd, &io, 1, &off);
}

/* After a failed write: what is whole stays.  If this fails, too, readers find the cut. */
static void cut_back(int fd, uint64_t len)
{
	if (ftruncate(fd, (off_t)len))
		return;
}

/* -- entries -- */

static void put_entry(struct ctfw *w, uint32_t kind, const void *bytes, size_t len)
{
	struct ctf_entry e = { .kind = kind, .len = (uint32_t)len };

	e.sum = ctf_entry_sum(&e, bytes);
	outbuf_mem(&w->out, (const char *)&e, sizeof(e));
	outbuf_mem(&w->out, bytes, len);
	outbuf_fill(&w->out, 0, -len & 7);
}

static int flush_entries(struct ctfw *w, struct diag *d)
{
	int r = w->out.error;

	if (!w->out.len)
		return 0;
	if (!r)
		r = write_all(w->entries, w->out.buf, w->out.len, w->entries_len);
	if (r) {
		cut_back(w->entries, w->entries_len);
		return fail(w, r, d, CTF_ENTRIES_NAME);
	}
	w->entries_len += w->out.len;
	w->out.len = 0;
	return 0;
}

static void put_strings(struct ctfw *w)
{
	char buf[sizeof(struct btap_string) + UINT16_MAX];

	for (; w->nr_strings < strings_count(w->strs); w->nr_strings++) {
		const struct strings_entry *e = strings_entry(w->strs, w->nr_strings);
		uint32_t len = e->len < UINT16_MAX ? e->len : UINT16_MAX;
		struct btap_string s = { .key = e->key,
					 .kind = (uint16_t)e->kind,
					 .len = (uint16_t)len };

		memcpy(buf, &s, sizeof(s));
		memcpy(buf + sizeof(s), e->text, len);
		put_entry(w, CTF_ENTRY_STRING, buf, sizeof(s) + len);
	}
}

int ctfw_facts(struct ctfw *w, const struct btap_facts *facts, struct diag *d)
{
	if (w->error)
		return w->error;
	if (!memcmp(&w->meta.facts.vm, facts, sizeof(*facts)))
		return 0;
	w->meta.facts.vm = *facts;
	put_entry(w, CTF_ENTRY_FACTS, &w->meta.facts, sizeof(w->meta.facts));
	return flush_entries(w, d);
}

int ctfw_clock(struct ctfw *w, const struct btap_clock_pair *pair, struct diag *d)
{
	if (w->error || (w->last_pair && pair->ticks <= w->last_pair))
		return w->error;
	w->last_pair = pair->ticks;
	put_entry(w, CTF_ENTRY_CLOCK, pair, sizeof(*pair));
	return flush_entries(w, d);
}

static void put_classes(struct ctfw *w)
{
	const struct ctfmeta_class *c = ctfmeta_classes();

	for (uint32_t i = BTAP_MAX_EVENTS; i < CTF_MAX_CLASSES; i++) {
		struct ctf_class e = { i, c[i].event, c[i].nr_missing, 0 };

		if (e.event)
			put_entry(w, CTF_ENTRY_CLASS, &e, sizeof(e));
	}
}

/* -- metadata -- */

static int write_metadata(struct ctfw *w, struct diag *d)
{
	static const char tmp[] = ".metadata.new";
	int fd, r;

	w->out.len = 0;
	ctfmeta_text(&w->meta, w->strs, &w->out);
	r = w->out.error;
	fd = openat(w->dir, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return fail(w, -errno, d, tmp);
	if (!r)
		r = write_all(fd, w->out.buf, w->out.len, 0);
	if (close(fd) && !r)
		r = -errno;
	w->out.len = 0;
	/* In one step, so that there is a whole one at any moment. */
	if (!r && renameat(w->dir, tmp, w->dir, "metadata"))
		r = -errno;
	if (r) {
		unlinkat(w->dir, tmp, 0);
		return fail(w, r, d, "metadata");
	}
	return 0;
}

/* -- packets -- */

static int open_stream(struct ctfw *w, uint32_t ring, const struct src_thread *th, struct diag *d)
{
	struct ctf_thread e = {
		.ring = ring, .kind = th->kind, .number = th->number, .tid = th->tid
	};
	struct stream *s;
	char name[32];

	if (ring >= CTF_MAX_STREAMS)
		return diag_fail(d, -E2BIG, "a recording has at most %u rings", CTF_MAX_STREAMS);
	if (ring >= w->nr_streams) {
		s = realloc(w->streams, (ring + 1) * sizeof(*s));
		if (!s)
			return diag_fail(d, -ENOMEM, "no memory for ring %u", ring);
		w->streams = s;
		for (; w->nr_streams <= ring; w->nr_streams++)
			s[w->nr_streams] = (struct stream){ .fd = -1 };
	}
	s = &w->streams[ring];
	if (s->fd >= 0)
		return 0;
	memcpy(e.name, th->name, sizeof(e.name));
	put_entry(w, CTF_ENTRY_THREAD, &e, sizeof(e));
	snprintf(name, sizeof(name), CTF_STREAM_NAME, ring);
	s->fd = openat(w->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return s->fd < 0 ? fail(w, -errno, d, name) : 0;
}

/* All that a packet needs is in the files before it. */
static int write_needed(struct ctfw *w, struct diag *d)
{
	int r;

	put_strings(w);
	r = flush_entries(w, d);
	if (!r && ctfmeta_is_stale(&w->meta, w->strs))
		r = write_metadata(w, d);
	return r;
}

int ctfw_flush(struct ctfw *w, struct diag *d)
{
	struct stream *s;
	uint64_t at, end;
	char name[32];
	int r = w->error;

	if (r || !w->nr_pending)
		return r;
	r = write_needed(w, d);
	if (r)
		return r;
	s = &w->streams[w->pending_ring];
	end = s->off;
	r = write_iov(s->fd, w->io, (int)(3 * w->nr_pending), &end);
	at = s->off;
	for (unsigned int i = 0; i < w->nr_pending && at + w->pending[i].bytes <= end; i++) {
		at += w->pending[i].bytes;
		w->totals.bytes += w->pending[i].bytes;
		w->totals.records += w->pending[i].nr_events;
		w->totals.lost += w->pending[i].lost;
	}
	s->off = at;
	w->nr_pending = 0;
	if (r) {
		cut_back(s->fd, at);
		snprintf(name, sizeof(name), CTF_STREAM_NAME, w->pending_ring);
		return fail(w, r, d, name);
	}
	return 0;
}

/* Room for a packet of @ring, whose file is open then. */
static int make_pending(struct ctfw *w, uint32_t ring, const struct src_thread *th, struct diag *d)
{
	int r = w->error;

	if (!r && (w->nr_pending == CTFW_BATCH || w->pending_ring != ring))
		r = ctfw_flush(w, d);
	if (!r)
		r = open_stream(w, ring, th, d);
	if (!r)
		w->pending_ring = ring;
	return r;
}

static void put_packet(struct ctfw *w, const struct src_thread *th, const uint64_t *words,
		       size_t nr_words, const struct ctfwalk *k, uint64_t lost)
{
	struct stream *s = &w->streams[w->pending_ring];
	struct pending *p = &w->pending[w->nr_pending];
	struct iovec *io = &w->io[3 * w->nr_pending++];

	s->lost += lost;
	p->bytes = sizeof(p->h) + nr_words * 8 + sizeof(p->t);
	p->lost = lost;
	p->nr_events = k->nr_records - k->nr_stacks;
	p->h = (struct ctf_packet){ .magic = CTF_MAGIC,
				    .timestamp_begin = k->first_ns,
				    .timestamp_end = k->last_ns,
				    .content_size = (sizeof(p->h) + nr_words * 8 - k->pad) * 8,
				    .packet_size = p->bytes * 8,
				    .packet_seq_num = s->seq++,
				    .events_discarded = s->lost,
				    .thread = th->kind,
				    .number = th->number,
				    .tid = th->tid };
	memcpy(p->h.uuid, w->meta.facts.uuid, sizeof(p->h.uuid));
	p->t = (struct ctf_trailer){ .first = s->records, .nr_records = k->nr_records };
	p->t.sum = ctf_packet_sum(&p->h, &p->t);
	s->records += k->nr_records;
	s->last_ns = k->last_ns;
	io[0] = (struct iovec){ &p->h, sizeof(p->h) };
	io[1] = (struct iovec){ (void *)(uintptr_t)words, nr_words * 8 };
	io[2] = (struct iovec){ &p->t, sizeof(p->t) };
}

int ctfw_queue(struct ctfw *w, uint32_t ring, const struct src_thread *th, uint64_t *words,
	       size_t nr_words, uint64_t base, struct clock_map *map, struct diag *d)
{
	struct ctfwalk k = { 0 };
	int r = make_pending(w, ring, th, d);

	if (r)
		return r;
	k.last_ns = w->streams[ring].last_ns;
	ctfwalk_packet(&w->meta, words, nr_words, base, map, &k);
	put_packet(w, th, words, nr_words, &k, 0);
	return 0;
}

int ctfw_packet(struct ctfw *w, uint32_t ring, const struct src_thread *th, uint64_t *words,
		size_t nr_words, uint64_t base, struct clock_map *map, struct diag *d)
{
	int r = ctfw_queue(w, ring, th, words, nr_words, base, map, d);

	return r ? r : ctfw_flush(w, d);
}

int ctfw_gap(struct ctfw *w, uint32_t ring, const struct src_thread *th, uint64_t count,
	     uint64_t from_ns, uint64_t to_ns, struct diag *d)
{
	const struct stream *s;
	struct ctfwalk k = { 0 };
	int r = make_pending(w, ring, th, d);

	if (r)
		return r;
	s = &w->streams[ring];
	k.first_ns = from_ns > s->last_ns ? from_ns : s->last_ns;
	k.last_ns = to_ns > k.first_ns ? to_ns : k.first_ns;
	put_packet(w, th, NULL, 0, &k, count);
	return 0;
}

void ctfw_totals(const struct ctfw *w, struct ctfw_totals *t)
{
	*t = w->totals;
	t->bytes += w->entries_len;
}

/* -- open and close -- */

static int is_empty(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *ls = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int n = 0;

	if (!ls)
		return -errno;
	while (n < 3 && (e = readdir(ls)))
		n++;
	closedir(ls);
	return n <= 2;
}

static int make_dir(struct ctfw *w, struct diag *d)
{
	bool is_new = !mkdir(w->path, 0700);
	int r;

	if (!is_new && errno != EEXIST)
		return diag_fail(d, -errno, "cannot make the directory %s: %s", w->path,
				 strerror(errno));
	w->dir = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (w->dir < 0 && (errno == ENOTDIR || errno == ELOOP))
		return diag_fail(d, -EEXIST,
				 "%s is there and is no directory; name one that is not there yet",
				 w->path);
	if (w->dir < 0)
		return diag_fail(d, -errno, "cannot open %s: %s", w->path, strerror(errno));
	r = is_new ? 1 : is_empty(w->dir);
	if (r < 0)
		return diag_fail(d, r, "cannot look into %s: %s", w->path, strerror(-r));
	if (!r)
		return diag_fail(d, -EEXIST,
				 "%s is not empty; recordings overwrite nothing: name another "
				 "directory, or remove what is in it",
				 w->path);
	if (!is_new && fchmod(w->dir, 0700))
		return diag_fail(d, -errno, "cannot keep %s from other users: %s", w->path,
				 strerror(errno));
	return 0;
}

static int make_files(struct ctfw *w, struct diag *d)
{
	static const uint64_t magic = CTF_FILE_MAGIC;
	int r;

	w->entries = openat(w->dir, CTF_ENTRIES_NAME,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->entries < 0)
		return fail(w, -errno, d, CTF_ENTRIES_NAME);
	outbuf_mem(&w->out, (const char *)&magic, sizeof(magic));
	put_entry(w, CTF_ENTRY_FACTS, &w->meta.facts, sizeof(w->meta.facts));
	put_classes(w);
	put_strings(w);
	r = flush_entries(w, d);
	return r ? r : write_metadata(w, d);
}

static void ctfw_free(struct ctfw *w)
{
	for (uint32_t i = 0; i < w->nr_streams; i++)
		if (w->streams[i].fd >= 0)
			close(w->streams[i].fd);
	if (w->entries >= 0)
		close(w->entries);
	if (w->dir >= 0)
		close(w->dir);
	outbuf_fini(&w->out);
	free(w->streams);
	free(w->path);
	free(w);
}

int ctfw_open(struct ctfw **out, const char *path, const struct btap_facts *facts,
	      const struct src_strings *strs, struct diag *d)
{
	struct ctfw *w = calloc(1, sizeof(*w));
	struct ctf_facts *f;
	int r;

	*out = NULL;
	ctfwalk_init();
	if (!w || outbuf_init(&w->out, -1)) {
		free(w);
		return diag_fail(d, -ENOMEM, "no memory to record");
	}
	w->dir = w->entries = -1;
	w->strs = strs;
	w->path = strdup(path);
	f = &w->meta.facts;
	f->version = CTF_VERSION;
	f->abi = BTAP_ABI;
	f->vm = *facts;
	gethostname(f->hostname, sizeof(f->hostname) - 1);
	if (!w->path)
		r = diag_fail(d, -ENOMEM, "no memory to record");
	else if (getrandom(f->uuid, sizeof(f->uuid), 0) != sizeof(f->uuid))
		r = diag_fail(d, -errno, "cannot make an identity for the recording: %s",
			      strerror(errno));
	else
		r = make_dir(w, d);
	if (!r)
		r = make_files(w, d);
	if (r) {
		ctfw_free(w);
		return r;
	}
	*out = w;
	return 0;
}

int ctfw_close(struct ctfw *w, uint64_t strings_lost, uint64_t unwritten, struct diag *d)
{
	int r = ctfw_flush(w, d);
	struct ctf_end e = { w->totals.records, w->totals.bytes, w->totals.lost, strings_lost,
			     unwritten };

	if (!r) {
		put_strings(w);
		put_entry(w, CTF_ENTRY_END, &e, sizeof(e));
		r = flush_entries(w, d);
	}
	if (!r)
		r = write_metadata(w, d);
	ctfw_free(w);
	return r;
}

void ctfw_remove_empty(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (dir < 0)
		return;
	unlinkat(dir, CTF_ENTRIES_NAME, 0);
	unlinkat(dir, "metadata", 0);
	close(dir);
	rmdir(path); /* stays where something else is in it */
}
