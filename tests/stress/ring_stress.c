// SPDX-License-Identifier: Apache-2.0
/*
 * ring_stress.c - many writers, readers that are lapped, the smallest sub-buffers
 *
 *	ring_stress [-n RECORDS] [-w WRITERS] [-r READERS] [-s SEED] [-v]
 *
 * Runs a matrix of sub-buffer sizes, ring lengths and modes; RECORDS are shared
 * out among its cases.  What must hold:
 *   - every record read is whole: its words are a function of its number in the ring;
 *   - no record is damaged, none comes twice or out of order;
 *   - in overwrite mode the first record of a chunk has the number that the chunk says;
 *   - for each reader and ring: read + lost == offered (since the reader began).
 * Built with SAN=thread it also shows that no word is shared without an atomic.
 */
#include <btapw.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "source/ring.h"

#define MAX_WRITERS 16
#define MAX_READERS 16

enum mode { OVERWRITE, STOP, FLIP, NR_MODES };
static const char *const mode_name[] = { "overwrite", "stop when full", "both in turn" };

struct bed {
	uint32_t sub_size, nr_subs;
	enum mode mode;
	unsigned int nr_writers, nr_readers;
	uint64_t nr_each;
	struct btap_ctl ctl;
	struct btap_ring ring[MAX_WRITERS];
	unsigned char *data[MAX_WRITERS];
	int is_done; /* writers have ended */
	uint64_t read, lost, damaged;
	uint64_t seed;
};

struct job {
	struct bed *bed;
	unsigned int nr;
	pthread_t thread;
};

static int nr_failed;

static void failed(const char *what, const struct bed *b, unsigned int reader, unsigned int ring,
		   uint64_t a, uint64_t x)
{
	if (__atomic_fetch_add(&nr_failed, 1, __ATOMIC_RELAXED) < 20)
		fprintf(stderr, "FAILED: %s: %s, %u x %u bytes, reader %u, ring %u: %llu, %llu\n",
			what, mode_name[b->mode], b->nr_subs, b->sub_size, reader, ring,
			(unsigned long long)a, (unsigned long long)x);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x7fb5d329728ea185ull;
	x ^= x >> 27;
	x *= 0x81dadef4bc2dd44dull;
	return x ^ x >> 33;
}

/* Word @i of record @seq of ring @ring, as the writer and the checker know it. */
static uint64_t word_of(unsigned int ring, uint64_t seq, unsigned int i)
{
	return i == 1 ? seq : mix(seq * 8 + i + ((uint64_t)ring << 56));
}

/* 5 to 8 words, or a text. */
static unsigned int words_of(unsigned int ring, uint64_t seq)
{
	return 5 + mix(seq ^ ring) % 4;
}

static bool is_text(unsigned int ring, uint64_t seq)
{
	return mix(seq + 77 * ring) % 8 == 0;
}

static size_t text_of(unsigned int ring, uint64_t seq, char text[64])
{
	size_t len = mix(seq + ring) % 40;

	for (size_t i = 0; i < len; i++)
		text[i] = 'a' + mix(seq + i) % 26;
	return len;
}

static void write_one(struct btapw *w, unsigned int ring, uint64_t seq)
{
	unsigned int i, n;
	struct btapw_text t;
	char text[64];
	uint64_t *p;

	if (is_text(ring, seq)) {
		t = btapw_text_fit(text, text_of(ring, seq, text), 30);
		p = btapw_reserve(w, BTAP_EV_process_exit, 2 + btapw_text_words(&t));
		if (p) {
			btapw_set(p, 1, seq);
			btapw_text_store(p + 2, &t);
			btapw_commit(w);
		}
		return;
	}
	n = words_of(ring, seq);
	p = btapw_reserve(w, BTAP_EV_message_send, n);
	if (!p)
		return;
	for (i = 1; i < n; i++)
		btapw_set(p, i, word_of(ring, seq, i));
	btapw_commit(w);
}

static void *writer(void *arg)
{
	struct job *j = arg;
	struct bed *b = j->bed;
	struct btapw w;
	uint64_t seq, rnd = mix(b->seed + j->nr);

	btapw_init(&w, &b->ring[j->nr], b->data[j->nr], b->sub_size, b->nr_subs, &b->ctl,
#if defined(__x86_64__)
		   true);
#else
		   false);
#endif
	__atomic_store_n(&b->ring[j->nr].used, 1, __ATOMIC_RELEASE);
	for (seq = 0; seq < b->nr_each; seq++) {
		write_one(&w, j->nr, seq);
		rnd = rnd * 6364136223846793005ull + 1442695040888963407ull;
		if (rnd >> 50 == 0)
			sched_yield();
		/* Let the readers catch up, so that both are often in the same sub-buffer. */
		if (rnd >> 59 == 0)
			for (volatile unsigned int i = rnd >> 40 & 2047; i > 0; i--)
				;
	}
	return NULL;
}

static bool is_whole(const struct bed *b, unsigned int ring, const uint64_t *p, unsigned int n)
{
	uint64_t seq = p[1];
	unsigned int i;
	struct btapw_text t;
	char text[64];
	uint64_t want[16];

	if (seq >= b->nr_each)
		return false;
	if (is_text(ring, seq)) {
		t = btapw_text_fit(text, text_of(ring, seq, text), 30);
		btapw_text_store(want, &t);
		return BTAP_HEAD_EVENT(p[0]) == BTAP_EV_process_exit &&
		       n == 2 + btapw_text_words(&t) && memcmp(want, p + 2, 8 * (n - 2)) == 0;
	}
	if (BTAP_HEAD_EVENT(p[0]) != BTAP_EV_message_send || n != words_of(ring, seq))
		return false;
	for (i = 1; i < n; i++)
		if (p[i] != word_of(ring, seq, i))
			return false;
	return true;
}

/* Check a chunk; @next: lowest number that may come. */
static void check_chunk(struct bed *b, const struct job *j, unsigned int ring,
			const struct ring_chunk *c, uint64_t *next)
{
	uint32_t at = 0, nr = 0;

	if (c->damage)
		failed(c->damage, b, j->nr, ring, c->number, c->damage_off);
	if (c->lost && c->lost_begin > c->lost_end)
		failed("loss ends before it begins", b, j->nr, ring, c->lost_begin, c->lost_end);
	while (at < c->nr_words) {
		const uint64_t *p = c->words + at;
		unsigned int n = BTAP_HEAD_WORDS(p[0]);

		if (!is_whole(b, ring, p, n))
			failed("record is not whole", b, j->nr, ring, p[0], p[1]);
		if (p[1] < *next)
			failed("record comes twice", b, j->nr, ring, p[1], *next);
		if (b->mode == OVERWRITE && p[1] != c->first + nr)
			failed("record has another number", b, j->nr, ring, p[1], c->first + nr);
		*next = p[1] + 1;
		at += n;
		nr++;
	}
	if (nr != c->nr_records)
		failed("records in a chunk", b, j->nr, ring, nr, c->nr_records);
}

struct view {
	struct ring ring;
	uint64_t next, start;
	bool is_open, is_started;
};

static bool read_ring(struct bed *b, const struct job *j, unsigned int i, struct view *v,
		      uint64_t *buf, bool is_end)
{
	bool from_now = j->nr % 3 == 2;
	unsigned int flags = 0;
	struct ring_chunk c;
	int n;

	if (!v->is_open) {
		if (!__atomic_load_n(&b->ring[i].used, __ATOMIC_ACQUIRE))
			return false;
		ring_init(&v->ring, &b->ring[i], b->data[i], b->sub_size, b->nr_subs,
			  from_now ? RING_FROM_NOW : RING_FROM_OLDEST);
		v->is_open = true;
	}
	/* Some ask for drops all the time, some for whole sub-buffers alone. */
	if (!is_end && j->nr % 4 == 3)
		flags = RING_WHOLE;
	else if (is_end || b->seed % 2 || j->nr % 4 == 1)
		flags = RING_FLUSH;
	n = ring_read(&v->ring, buf, flags, &c);
	if (!v->is_started && !v->ring.is_skipping) {
		v->start = v->ring.expected - v->ring.records - v->ring.lost;
		v->is_started = true;
	}
	if (n > 0)
		check_chunk(b, j, i, &c, &v->next);
	if (j->nr == 0)
		ring_release(&v->ring, &b->ring[i]);
	return n > 0;
}

/* Reader 0 is in charge; the others are of different slowness, some begin late. */
static void *reader(void *arg)
{
	struct job *j = arg;
	struct bed *b = j->bed;
	struct view *v = calloc(b->nr_writers, sizeof(*v));
	uint64_t *buf = malloc(b->sub_size), rnd = mix(b->seed * 31 + j->nr), count;
	bool is_end = false, got;
	unsigned int i;

	do {
		is_end = __atomic_load_n(&b->is_done, __ATOMIC_ACQUIRE);
		got = false;
		for (i = 0; i < b->nr_writers; i++)
			while (read_ring(b, j, i, &v[i], buf, is_end)) {
				got = true;
				rnd = rnd * 6364136223846793005ull + 1442695040888963407ull;
				if (j->nr && !is_end && (rnd >> 60) < j->nr)
					usleep(rnd >> 40 & 127);
			}
		if (!got && !is_end)
			sched_yield();
	} while (!is_end || got);

	for (i = 0; i < b->nr_writers; i++) {
		count = b->ring[i].count;
		if (count != b->nr_each)
			failed("records offered", b, j->nr, i, count, b->nr_each);
		if (v[i].start + v[i].ring.records + v[i].ring.lost != count)
			failed("read + lost is not what was offered", b, j->nr, i,
			       v[i].start + v[i].ring.records + v[i].ring.lost, count);
		if (ring_backlog(&v[i].ring))
			failed("something is left", b, j->nr, i, ring_backlog(&v[i].ring), 0);
		__atomic_fetch_add(&b->read, v[i].ring.records, __ATOMIC_RELAXED);
		__atomic_fetch_add(&b->lost, v[i].ring.lost, __ATOMIC_RELAXED);
	}
	free(buf);
	free(v);
	return NULL;
}

static void run_case(struct bed *b, bool is_loud)
{
	struct job w[MAX_WRITERS], r[MAX_READERS];
	size_t size = (size_t)b->sub_size * b->nr_subs;
	uint64_t dropped = 0;
	unsigned int i;
	bool running = true;

	b->ctl.stop_when_full = b->mode == STOP;
	for (i = 0; i < b->nr_writers; i++)
		b->data[i] = calloc(1, size);
	for (i = 0; i < b->nr_readers; i++) {
		r[i] = (struct job){ b, i, 0 };
		pthread_create(&r[i].thread, NULL, reader, &r[i]);
	}
	for (i = 0; i < b->nr_writers; i++) {
		w[i] = (struct job){ b, i, 0 };
		pthread_create(&w[i].thread, NULL, writer, &w[i]);
	}
	while (b->mode == FLIP && running) {
		__atomic_xor_fetch(&b->ctl.stop_when_full, 1, __ATOMIC_RELAXED);
		usleep(500);
		running = false;
		for (i = 0; i < b->nr_writers; i++)
			running |= __atomic_load_n(&b->ring[i].count, __ATOMIC_RELAXED) < b->nr_each;
	}
	for (i = 0; i < b->nr_writers; i++)
		pthread_join(w[i].thread, NULL);
	__atomic_store_n(&b->is_done, 1, __ATOMIC_RELEASE);
	for (i = 0; i < b->nr_readers; i++)
		pthread_join(r[i].thread, NULL);
	for (i = 0; i < b->nr_writers; i++) {
		dropped += b->ring[i].dropped;
		free(b->data[i]);
	}
	if (is_loud)
		printf("%2u writers %u readers %4u x %5u bytes, %-14s: offered %llu dropped %llu,"
		       " readers' read %llu lost %llu\n", b->nr_writers, b->nr_readers, b->nr_subs,
		       b->sub_size, mode_name[b->mode], (unsigned long long)(b->nr_each * b->nr_writers),
		       (unsigned long long)dropped, (unsigned long long)b->read,
		       (unsigned long long)b->lost);
	if (b->mode == OVERWRITE && dropped)
		failed("records dropped", b, 0, 0, dropped, 0);
}

int main(int argc, char **argv)
{
	static const uint32_t shapes[][2] = { { 256, 2 }, { 256, 8 }, { 512, 4 }, { 4096, 4 },
					      { 65536, 8 } };
	/* Each shape and mode twice: one writer and one reader, truly side by side; then crowds. */
	const unsigned int nr_half = sizeof(shapes) / sizeof(shapes[0]) * NR_MODES;
	const unsigned int nr_cases = 2 * nr_half;
	uint64_t nr = 3000000, seed = (uint64_t)time(NULL), offered = 0, read = 0, lost = 0;
	unsigned int nr_writers = 4, nr_readers = 4, i;
	bool is_loud = false;
	int opt;

	while ((opt = getopt(argc, argv, "n:w:r:s:v")) != -1) {
		switch (opt) {
		case 'n': nr = strtoull(optarg, NULL, 0); break;
		case 'w': nr_writers = (unsigned int)atoi(optarg); break;
		case 'r': nr_readers = (unsigned int)atoi(optarg); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'v': is_loud = true; break;
		default: return 2;
		}
	}
	if (nr_writers < 1 || nr_writers > MAX_WRITERS || nr_readers < 1 || nr_readers > MAX_READERS)
		return 2;
	for (i = 0; i < nr_cases && !nr_failed; i++) {
		struct bed *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

		memset(b, 0, sizeof(*b));
		b->sub_size = shapes[i % nr_half / NR_MODES][0];
		b->nr_subs = shapes[i % nr_half / NR_MODES][1];
		b->mode = (enum mode)(i % NR_MODES);
		b->nr_writers = i < nr_half ? 1 : nr_writers;
		b->nr_readers = i < nr_half ? 1 : nr_readers;
		b->nr_each = nr / nr_cases / b->nr_writers + 1;
		b->seed = seed + i;
		run_case(b, is_loud);
		offered += b->nr_each * b->nr_writers;
		read += b->read;
		lost += b->lost;
		free(b);
	}
	printf("ring_stress: seed %llu: %llu records offered, readers read %llu and lost %llu: %s\n",
	       (unsigned long long)seed, (unsigned long long)offered, (unsigned long long)read,
	       (unsigned long long)lost, nr_failed ? "FAILED" : "ok");
	return nr_failed ? 1 : 0;
}
