// SPDX-License-Identifier: Apache-2.0
/*
 * region_fuzz.c - arbitrary bytes as a region's file: open, look, read all
 *
 * Input: a byte that says what the others are.
 *   even: the file itself;
 *   odd:  changes to a sound region of two rings: 3 bytes of offset, one of length (0: 1), bytes.
 * Changes get further than bytes: a sound region is 130 KiB, nearly all of it zeroes.
 *
 * Built with clang it is a libFuzzer target; otherwise it replays the files and directories named.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <beamtap/region.h>
#include "source/region.h"
#include "source/strings.h"
#include "lib/replay.h"


#define SUB	  256
#define SUBS	  4
#define OFF_CTL	  4096
#define OFF_LEASE (OFF_CTL + 4096)
#define OFF_ANS	  (OFF_LEASE + BTAP_PAGE)
#define OFF_CLOCK (OFF_ANS + 4096)
#define OFF_STR	  (OFF_CLOCK + 40960)
#define OFF_RING  (OFF_STR + 4096)
#define OFF_DATA  (OFF_RING + 4096)
#define TOTAL	  (OFF_DATA + 4096)
/* Steps that no input of ours can need. */
#define MANY	  2000000

static unsigned char sound[TOTAL], file[1 << 20];
static char path[64];

/* A ring of @nr_subs sub-buffers that were written, the last one in part. */
static void make_ring(unsigned int nr, uint64_t last, uint64_t t)
{
	struct btap_ring *ring = (struct btap_ring *)(sound + OFF_RING) + nr;

	*ring = (struct btap_ring){ .used = 1, .kind = 1, .number = nr + 1, .tid = 100 + nr,
				    .data_off = OFF_DATA + nr * SUB * SUBS, .sub_size = SUB,
				    .nr_subs = SUBS, .name = "scheduler" };
	for (uint64_t n = 0; n <= last; n++) {
		struct btap_sub *s = (struct btap_sub *)(sound + ring->data_off + n % SUBS * SUB);
		uint64_t *w = (uint64_t *)(s + 1), nr_records = n == last ? 3 : 6;

		memset(s, 0, SUB);
		s->number = n;
		s->begin_time = t;
		s->first = ring->count;
		for (uint64_t i = 0; i < nr_records; i++, w += 4) {
			t += 1000;
			w[0] = BTAP_HEAD(i % 2 ? BTAP_EV_process_exit : BTAP_EV_process_monitor, 4 - !(i % 2), t);
			w[1] = 0x43;
			w[2] = i % 2 ? 6 : 0x53;
			if (i % 2)
				memcpy(w + 3, "normal", 6);
			else
				w--;
		}
		ring->count += nr_records;
		ring->pos = n * SUB + (uint64_t)((unsigned char *)w - (unsigned char *)s);
		ring->turn = n;
		if (n < last) {
			s->end_time = t;
			s->len = ring->pos - n * SUB;
			s->nr_records = nr_records;
		}
	}
}

static void make_sound(void)
{
	struct btap_region_hdr *h = (struct btap_region_hdr *)sound;
	struct btap_clocks *c = (struct btap_clocks *)(sound + OFF_CLOCK);
	struct btap_strtab *t = (struct btap_strtab *)(sound + OFF_STR);
	struct btap_string *s = (struct btap_string *)t->data;

	*h = (struct btap_region_hdr){
		.magic = BTAP_MAGIC, .abi = BTAP_ABI, .hdr_size = sizeof(*h), .total_size = TOTAL,
		.state = BTAP_STATE_OPEN, .nr_leases = 1, .ctl_off = OFF_CTL, .lease_off = OFF_LEASE,
		.answer_off = OFF_ANS, .clock_off = OFF_CLOCK, .strtab_off = OFF_STR,
		.strtab_size = 4096, .ring_off = OFF_RING, .nr_rings = 4,
		.ring_entry_size = sizeof(struct btap_ring), .data_off = OFF_DATA,
		.facts = { .otp_release = 25, .clock = BTAP_CLOCK_TSC, .clock_hz = 2000000000,
			   .pid_shift = 4, .pid_number_bits = 15, .pid_serial_bits = 13,
			   .port_shift = 4, .port_number_bits = 28, .node = "a@b" },
	};
	c->count = 3;
	for (uint64_t i = 0; i < 3; i++)
		c->pair[i] = (struct btap_clock_pair){ 2000000 * (i + 1), 1000000 * (i + 1), 7, 8 };
	*s = (struct btap_string){ .key = BTAP_ATOM_TERM(9), .kind = BTAP_STRING_ATOM, .len = 5 };
	memcpy(s->text, "lists", 5);
	t->used = 24;
	t->count = 1;
	make_ring(0, 2, 3000000);
	make_ring(1, 9, 3000500);
}

/* Bytes or changes -> the file.  Return: its size. */
static size_t make_file(const uint8_t *data, size_t size)
{
	size_t i = 1;

	if (size == 0)
		return 0;
	if (data[0] % 2 == 0) {
		size = size - 1 < sizeof(file) ? size - 1 : sizeof(file);
		memcpy(file, data + 1, size);
		return size;
	}
	memcpy(file, sound, TOTAL);
	while (size - i > 4) {
		size_t off = (data[i] | data[i + 1] << 8 | data[i + 2] << 16) % TOTAL;
		size_t len = data[i + 3] ? data[i + 3] : 1;

		i += 4;
		if (len > size - i)
			len = size - i;
		if (len > TOTAL - off)
			len = TOTAL - off;
		memcpy(file + off, data + i, len);
		i += len;
	}
	return TOTAL;
}

static void read_merged(void)
{
	struct src_run run = { 0 };
	struct region *r;
	struct src_rec rec;
	struct src_stats st;
	struct diag d = DIAG_INIT;
	uint64_t sum = 0, steps = 0;
	static uint64_t last[BTAP_MAX_RINGS];
	int n;

	if (region_open(&r, path, NULL, &d) < 0) {
		if (d.nr == 0)
			abort(); /* an error without a reason */
		return;
	}
	memset(last, 0, sizeof(last));
	while ((n = src_run(region_src(r), &run, &d)) != 0) {
		if (n == -EIO || ++steps > MANY)
			break;
		while (n > 0 && src_run_next(&run, &rec)) {
			if (rec.thread >= region_src(r)->nr_threads || rec.ts < last[rec.thread])
				abort(); /* time goes back inside a thread */
			last[rec.thread] = rec.ts;
			for (uint32_t i = 0; i < rec.nr_words; i++)
				sum += rec.words[i];
			src_atom(region_src(r)->vms[0].strs, rec.words[rec.nr_words - 1], NULL);
		}
	}
	if (steps > MANY)
		abort();
	src_stats(region_src(r), &st);
	src_close(region_src(r));
	__asm__ volatile("" ::"r"(sum));
}

static void read_by_the_ring(void)
{
	struct ring_chunk c;
	struct region *r;
	uint64_t steps = 0, begin, end;

	if (region_open(&r, path, NULL, NULL) < 0)
		return;
	for (uint32_t pass = 0; pass < 2; pass++) {
		while (region_poll(r, NULL) == -EPROTO)
			if (++steps > MANY)
				abort();
		for (uint32_t i = 0; i < region_src(r)->nr_threads; i++)
			while (region_poll_ring(r, i, pass ? RING_FLUSH : RING_WHOLE, &c, NULL) > 0) {
				region_turn_chunk(r, i, &c, &begin, &end);
				if (begin > end || ++steps > MANY)
					abort();
			}
	}
	src_close(region_src(r));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;
	int fd;

	if (!path[0]) {
		make_sound();
		snprintf(path, sizeof(path), "/dev/shm/region_fuzz.%d", (int)getpid());
	}
	len = make_file(data, size);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
	if (fd < 0 || write(fd, file, len) != (ssize_t)len)
		abort();
	close(fd);
	read_merged();
	read_by_the_ring();
	unlink(path);
	return 0;
}
