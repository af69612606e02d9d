// SPDX-License-Identifier: Apache-2.0
/*
 * ctf_fuzz.c - the reader of recordings against bytes of any kind
 *
 * Input: one byte of flags, four bytes with the length of .beamtap, its bytes, the
 * rest is ring_0 (and ring_1: the same).  Flags say which sums and identities are
 * put right first, so that what lies behind them is reached:
 *	1  entries' magic and sums		2  packets' magic, identity, sizes and sums
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "source/check.h"
#include "source/ctf.h"
#include "source/ctf_format.h"
#include "lib/replay.h"

static char dir[64];
static uint8_t *copy;
static uint8_t uuid[16];

static void spill(const char *name, const uint8_t *bytes, size_t len)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
}

static void mend_entries(uint8_t *p, size_t len)
{
	static const uint64_t magic = CTF_FILE_MAGIC;
	struct ctf_entry e;
	struct ctf_facts f;

	if (len < 8)
		return;
	memcpy(p, &magic, 8);
	for (size_t at = 8; len - at >= sizeof(e); at += sizeof(e) + (e.len + 7ul) / 8 * 8) {
		memcpy(&e, p + at, sizeof(e));
		e.kind %= 8;
		if (e.len > len - at - sizeof(e))
			e.len = (uint32_t)(len - at - sizeof(e));
		if (e.kind == CTF_ENTRY_FACTS && e.len >= offsetof(struct ctf_facts, hostname)) {
			memcpy(&f, p + at + sizeof(e), offsetof(struct ctf_facts, hostname));
			f.version = CTF_VERSION;
			memcpy(uuid, f.uuid, sizeof(uuid));
			memcpy(p + at + sizeof(e), &f, 4);
		}
		e.sum = ctf_entry_sum(&e, p + at + sizeof(e));
		memcpy(p + at, &e, sizeof(e));
		if (at + sizeof(e) + (e.len + 7ul) / 8 * 8 > len)
			break;
	}
}

static void mend_packets(uint8_t *p, size_t len)
{
	struct ctf_packet h;
	struct ctf_trailer t;
	size_t size;

	for (size_t at = 0; len - at >= sizeof(h) + sizeof(t); at += size) {
		memcpy(&h, p + at, sizeof(h));
		h.magic = CTF_MAGIC;
		memcpy(h.uuid, uuid, sizeof(uuid));
		h.stream_id = 0;
		size = h.packet_size / 64 * 8;
		if (size < sizeof(h) + sizeof(t) || size > len - at)
			size = (len - at) / 8 * 8;
		h.packet_size = size * 8;
		h.content_size = (size - sizeof(t)) * 8 - h.content_size / 8 % 8 * 8;
		if (h.content_size < sizeof(h) * 8)
			h.content_size = sizeof(h) * 8;
		memcpy(p + at, &h, sizeof(h));
		memcpy(&t, p + at + size - sizeof(t), sizeof(t));
		t.sum = ctf_packet_sum(&h, &t);
		memcpy(p + at + size - sizeof(t), &t, sizeof(t));
	}
}

/* Everything handed on must be what src.h promises. */
static void walk(struct src *s)
{
	struct src_run run = { 0 };
	struct src_rec rec;
	struct diag d = DIAG_INIT;
	uint64_t last = 0, sum = 0;
	char tail[300];
	int r;

	while ((r = src_run(s, &run, &d)) > 0) {
		while (src_run_next(&run, &rec)) {
			if (rec.thread >= s->nr_threads || (rec.ts < last && !run.is_lost))
				abort();
			last = rec.ts > last ? rec.ts : last;
			if (rec.event != BTAP_LOST_EVENT &&
			    check_record(rec.words, rec.nr_words) != (int)rec.nr_words)
				abort();
			for (uint32_t i = 0; i < rec.nr_words; i++)
				sum += rec.words[i];
		}
	}
	if (r < 0 && !d.nr)
		abort();
	ctf_tail(s, tail, sizeof(tail));
	src_atom(s->vms[0].strs, sum, NULL);
}

static void remove_dir(void)
{
	static const char *const names[] = { CTF_ENTRIES_NAME, "ring_0", "ring_1" };
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = DIAG_INIT;
	uint32_t nr_entries;
	struct src *s;
	size_t rest;

	if (size < 5)
		return 0;
	if (!dir[0]) {
		snprintf(dir, sizeof(dir), "/dev/shm/ctf_fuzz.%d", (int)getpid());
		mkdir(dir, 0700);
		atexit(remove_dir);
	}
	memcpy(&nr_entries, data + 1, 4);
	if (nr_entries > size - 5)
		nr_entries = (uint32_t)(size - 5);
	rest = size - 5 - nr_entries;
	copy = malloc(size);
	memcpy(copy, data, size);
	memset(uuid, 0, sizeof(uuid));
	if (data[0] & 1)
		mend_entries(copy + 5, nr_entries);
	if (data[0] & 2)
		mend_packets(copy + 5 + nr_entries, rest);
	spill(CTF_ENTRIES_NAME, copy + 5, nr_entries);
	spill("ring_0", copy + 5 + nr_entries, rest);
	spill("ring_1", copy + 5 + nr_entries, rest);
	free(copy);
	if (!ctf_open(&s, dir, NULL, &d)) {
		walk(s);
		src_close(s);
	} else if (!d.nr) {
		abort();
	}
	return 0;
}
