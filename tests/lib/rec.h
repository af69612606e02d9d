/* SPDX-License-Identifier: Apache-2.0 */
/* rec.h - recordings for tests: a fixture written as one, all of a source in memory */
#ifndef BEAMTAP_TESTS_REC_H
#define BEAMTAP_TESTS_REC_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "export/ctfw.h"
#include "source/ctf.h"
#include "source/text.h"

/* All records of a source, one after another: thread, ts, the words with the time taken out. */
struct rec_all {
	uint64_t *words;
	size_t nr, cap;
	unsigned int records, gaps;
	uint64_t lost;
	int result; /* of the last src_run() */
	uint64_t last_ts;
	bool went_back;
};

static inline void rec_push(struct rec_all *a, uint64_t w)
{
	if (a->nr == a->cap) {
		a->cap = a->cap * 2 + 1024;
		a->words = realloc(a->words, a->cap * sizeof(*a->words));
		if (!a->words)
			abort();
	}
	a->words[a->nr++] = w;
}

static inline void rec_read(struct rec_all *a, struct src *s, struct diag *d)
{
	struct src_run run = { 0 };
	struct src_rec rec;

	memset(a, 0, sizeof(*a));
	while ((a->result = src_run(s, &run, d)) > 0) {
		while (src_run_next(&run, &rec)) {
			a->went_back |= rec.ts < a->last_ts;
			a->last_ts = rec.ts;
			if (rec.event == BTAP_LOST_EVENT) {
				a->gaps++;
				a->lost += rec.words[1];
			} else {
				a->records++;
			}
			rec_push(a, rec.thread);
			rec_push(a, rec.ts);
			rec_push(a, rec.words[0] & ((1u << BTAP_TIME_SHIFT) - 1));
			for (uint32_t i = 1; i < rec.nr_words; i++)
				rec_push(a, rec.words[i]);
		}
	}
}

static inline void rec_done(struct rec_all *a)
{
	free(a->words);
	memset(a, 0, sizeof(*a));
}

/* Write a one-VM source as a recording, @per_packet records a packet.  Return: 0 or -errno */
static inline int rec_write(struct src *s, const char *dir, unsigned int per_packet, struct diag *d)
{
	struct ctfw *w;
	struct src_rec rec;
	uint64_t *buf[64] = { 0 }, base[64];
	size_t nr[64] = { 0 };
	unsigned int in[64] = { 0 };
	int r = ctfw_open(&w, dir, &s->vms[0].facts, s->vms[0].strs, d);

	if (r)
		return r;
	while ((r = src_next(s, &rec, d)) > 0) {
		uint32_t t = rec.thread;

		if (!buf[t])
			buf[t] = malloc(per_packet * BTAP_MAX_WORDS * 8ul);
		if ((rec.event == BTAP_LOST_EVENT || in[t] == per_packet) && in[t]) {
			r = ctfw_packet(w, t, src_thread(s, t), buf[t], nr[t], base[t], NULL, d);
			nr[t] = in[t] = 0;
		}
		if (r >= 0 && rec.event == BTAP_LOST_EVENT)
			r = ctfw_gap(w, t, src_thread(s, t), rec.words[1], rec.words[2],
				     rec.words[3], d);
		if (r < 0)
			break;
		if (rec.event == BTAP_LOST_EVENT)
			continue;
		if (!in[t]++)
			base[t] = rec.ts;
		memcpy(buf[t] + nr[t], rec.words, rec.nr_words * 8ul);
		nr[t] += rec.nr_words;
	}
	for (uint32_t t = 0; t < 64; t++) {
		if (r >= 0 && in[t])
			r = ctfw_packet(w, t, src_thread(s, t), buf[t], nr[t], base[t], NULL, d);
		free(buf[t]);
	}
	if (r < 0) {
		ctfw_close(w, 0, 0, NULL);
		return r;
	}
	return ctfw_close(w, 0, 0, d);
}

static inline int rec_from_text(const char *dir, const char *text, unsigned int per_packet,
				struct diag *d)
{
	struct src *s;
	int r = text_open_mem(&s, "fixture", text, strlen(text), d);

	if (r)
		return r;
	r = rec_write(s, dir, per_packet, d);
	src_close(s);
	return r;
}

/* Remove a directory of plain files. */
static inline void rec_remove(const char *dir)
{
	DIR *ls = opendir(dir);
	struct dirent *e;

	while (ls && (e = readdir(ls)))
		unlinkat(dirfd(ls), e->d_name, 0);
	if (ls)
		closedir(ls);
	rmdir(dir);
}

/* A file's bytes, owned. */
static inline char *rec_slurp(const char *dir, const char *name, size_t *len)
{
	char path[4096];
	struct stat st;
	char *buf;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		abort();
	buf = malloc((size_t)st.st_size + 1);
	if (!buf || read(fd, buf, (size_t)st.st_size) != st.st_size)
		abort();
	close(fd);
	*len = (size_t)st.st_size;
	return buf;
}

static inline void rec_spill(const char *dir, const char *name, const char *bytes, size_t len)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
}

/*
 * A fixture of every event of the catalogue: whole, then with each number of
 * optional fields missing, then with all texts unknown.  Owned.
 */
static inline char *rec_catalogue(unsigned int *nr_lines)
{
	static const char *const values[] = {
#define VALUE_pid			       "<0.80.1>"
#define VALUE_port			       "#Port<0.5>"
#define VALUE_ident			       "'my name'"
#define VALUE_atom			       "ok"
#define VALUE_mfa			       "lists:'map fun'/2"
#define VALUE_str			       "\"tcp_inet\""
#define VALUE_text			       "\"{badarg,\\\"x\\\"}\""
#define VALUE_frames			       "[lists:'map fun'/2+7]"
#define VALUE_words			       "-1"
#define VALUE_bytes			       "4096"
#define VALUE_count			       "7"
#define VALUE_ns			       "1000"
#define VALUE_int			       "-2147483648"
#define VALUE_u64			       "18446744073709551615"
#define VALUE_hex			       "0xdeadbeef"
#define VALUE_msgid			       "42"
#define AS_VALUE(name, wire, dtype, unit, doc) VALUE_##name,
		BTAP_TYPES(AS_VALUE)
#undef AS_VALUE
	};
	enum {
#define AS_TYPE(name, wire, dtype, unit, doc) REC_##name,
		BTAP_TYPES(AS_TYPE)
#undef AS_TYPE
	};
	struct f {
		const char *name;
		int type;
		bool is_opt;
	};
#define NEED_req		   false
#define NEED_opt		   true
#define AS_F(t, n, arg, need, doc) { #n, REC_##t, NEED_##need },
#define AS_FS(id, name, usdt, doc)                                                                 \
	static const struct f rec_##name[] = { BTAP_FIELDS_##name(AS_F) };
	BTAP_EVENTS(AS_FS)
#undef AS_FS
#undef AS_F
#undef NEED_req
#undef NEED_opt
	static const struct {
		const char *name;
		const struct f *f;
		unsigned int nr;
	} evs[] = {
#define AS_E(id, name, usdt, doc) { #name, rec_##name, sizeof(rec_##name) / sizeof(rec_##name[0]) },
		BTAP_EVENTS(AS_E)
#undef AS_E
	};
	char *out = NULL;
	size_t len;
	FILE *o = open_memstream(&out, &len);
	unsigned long ts = 1000;

	*nr_lines = 0;
	for (size_t e = 0; e < sizeof(evs) / sizeof(evs[0]); e++) {
		unsigned int nr = evs[e].nr, has_text = 0;

		for (unsigned int i = 0; i < nr; i++)
			has_text |= evs[e].f[i].type == REC_text;
		for (unsigned int none = 0; none <= has_text; none++) {
			for (unsigned int k = nr;; k--) {
				fprintf(o, "%s ts=%lu", evs[e].name, ts += 10);
				for (unsigned int i = 0; i < k; i++)
					fprintf(o, " %s=%s", evs[e].f[i].name,
						none && evs[e].f[i].type == REC_text
							? "?"
							: values[evs[e].f[i].type]);
				fprintf(o, "%s\n", e % 3 == 1 ? " on=dirty_io/2" : "");
				++*nr_lines;
				if (k == 0 || !evs[e].f[k - 1].is_opt)
					break;
			}
		}
	}
	fclose(o);
	return out;
}

#endif /* BEAMTAP_TESTS_REC_H */
