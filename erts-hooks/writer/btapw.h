/* SPDX-License-Identifier: Apache-2.0 */
/*
 * btapw.h - the ring writer: what a hook calls
 *
 * One thread writes one ring (uapi/beamtap/region.h).  `struct btapw` is the
 * thread's private half: all that the writer relies on is kept here, and what
 * lies in shared memory is only written.  The words it reads back,
 * ctl.stop_when_full and ring.tail, decide between overwriting and dropping and
 * nothing else, so that a reader gone mad can spoil a trace but not the VM.
 *
 *	if (btapw_on(ctl, BTAP_EV_process_link))
 *		btapw_put2(w, BTAP_EV_process_link, pid, other);
 *
 * An event may be wanted for more than the ring: ctl.on says for what.  A record for
 * the ring alone is built in its place there.  One that a kernel tracepoint or a USDT
 * probe wants, too or alone, or that the Erlang stack goes with, is built in the thread's
 * own scratch memory; then btapw_commit() copies it into the ring if it is wanted there,
 * behind its stack, hands it to the kernel module, and fires the probe (btapw_other.c).
 * The caller need not know.
 *
 * No function here takes a lock, makes a system call (but for the clock where
 * the TSC cannot be trusted: a vDSO call), allocates, formats or fails: a record
 * that cannot be written is counted.  The exception is what was just said: a
 * tracepoint costs one system call, a probe formats its texts; and a thread's first record
 * may have to join (btapw_joiner).  None may be called from
 * a signal handler, or between btapw_reserve() and btapw_commit() of the same thread.
 *
 * Invariants: cur <= end; no record crosses `end`; no record of a sub-buffer is as late
 * as `until`; `last` never goes back; all shared words are stored whole, relaxed, so that
 * readers may copy at any time.
 */
#ifndef BEAMTAP_BTAPW_H
#define BEAMTAP_BTAPW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <beamtap/region.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define BTAPW_LIKELY(x)	  __builtin_expect(!!(x), 1)
#define BTAPW_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A sub-buffer is left before a record is this old: its time is kept in 46 bits. */
#define BTAPW_SPAN (1ULL << (BTAP_TIME_BITS - 1))

/* What an event is wanted for.  Who has ctl at an address known to the compiler may say so. */
#ifndef BTAPW_ON
#define BTAPW_ON(w, event) (w)->ctl->on[event]
#endif

struct btapw_map;

/**
 * struct btapw - a thread's private half of its ring
 *
 * All zero is valid: a thread without a ring, whose records are not written.
 */
struct btapw {
	/* what each record takes: one line of the cache */
	uint64_t *cur;	     /* where the next record goes */
	uint64_t *fast;	     /* before it btapw_try() may; NULL: it may not */
	uint64_t last;	     /* time of the last record; time never goes back in a ring */
	uint64_t until;	     /* time at which the sub-buffer is too old for another record */
	uint64_t pos_bias;   /* ring.pos == (uintptr_t)cur + pos_bias */
	uint64_t count;	     /* records offered */
	struct btap_ring *ring;
	const struct btap_ctl *ctl;
	/* what btapw_reserve() needs besides */
	uint64_t *end;	     /* end of the sub-buffer */
	uint64_t *next;	     /* end of the record that is reserved; NULL: it is in rec[] */
	bool is_tsc;	     /* ring clock: the TSC, or CLOCK_MONOTONIC */
	/* what only btapw_turn() needs */
	unsigned char *data; /* the ring's sub-buffers */
	uint32_t sub_size, nr_subs;
	uint64_t number;     /* of the sub-buffer */
	uint64_t dropped;    /* of `count` */
	uint64_t sub_start;  /* records written before this sub-buffer */
	uint64_t *unwritten; /* hdr.unwritten, for a thread without a ring; or NULL */
	/* what only records need that are not for the ring alone */
	struct btapw_map *map;	     /* borrowed; NULL: there is neither module nor probe */
	/*
	 * The Erlang stack at the event in @rec: the fields of a `stack` record, at most
	 * @max_words of them, into @to.  Return: words written; 0: there is no stack.
	 * NULL: the VM cannot tell.
	 */
	unsigned int (*stack)(const uint64_t *rec, uint64_t *to, unsigned int max_words);
	uint8_t other_on;	     /* BTAP_ON_* of the record in rec[] */
	uint64_t rec[BTAP_MAX_WORDS];
};

/**
 * btapw_on() - is an event wanted, by anybody?  One load and one branch
 */
static inline bool btapw_on(const struct btap_ctl *ctl, unsigned int event)
{
	return BTAPW_UNLIKELY(__atomic_load_n(&ctl->on[event], __ATOMIC_RELAXED));
}

/** btapw_now() - the ring clock */
static inline uint64_t btapw_now(bool is_tsc)
{
	struct timespec ts;

#if defined(__x86_64__)
	if (BTAPW_LIKELY(is_tsc))
		return __rdtsc();
#endif
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/**
 * btapw_init() - begin to write a ring
 * @w:        out
 * @ring:     entry of the directory, or NULL: all records are counted in @unwritten
 * @data:     @nr_subs * @sub_size bytes, zeroed, 8-byte aligned
 * @sub_size: bytes, a power of two, BTAP_SUB_MIN or more
 * @nr_subs:  a power of two, 2 or more
 * @ctl:      borrowed as long as @w is used; NULL: records are for the ring, which overwrites
 * @is_tsc:   the ring clock
 *
 * Sets up sub-buffer 0; the caller publishes the ring (ring.used) afterwards.
 */
void btapw_init(struct btapw *w, struct btap_ring *ring, void *data, uint32_t sub_size,
		uint32_t nr_subs, const struct btap_ctl *ctl, bool is_tsc);

/* Out of line: reserve where there is no room in this sub-buffer, or not for the ring alone. */
uint64_t *btapw_reserve_slow(struct btapw *w, unsigned int event, unsigned int nr_words,
			     uint64_t now);
/*
 * Called where a thread without a ring writes a record and @w is still all zero: it may make it the
 * thread's, by btapw_map_thread().  NULL: who calls has done so before.
 */
extern void (*btapw_joiner)(struct btapw *w);
/* Out of line: what becomes of the record in w->rec. */
void btapw_commit_other(struct btapw *w);

/** btapw_max_words() - words of the longest record that this ring takes */
static inline unsigned int btapw_max_words(const struct btapw *w)
{
	size_t room = w->ring ? (w->sub_size - sizeof(struct btap_sub)) / 8 : 0;

	return room < BTAP_MAX_WORDS ? room : BTAP_MAX_WORDS;
}

/** btapw_set() - store word @i of a reserved record (word 0 is the header, already stored) */
static inline void btapw_set(uint64_t *rec, unsigned int i, uint64_t v)
{
	__atomic_store_n(&rec[i], v, __ATOMIC_RELAXED);
}

/*
 * Behind a reader that keeps up, each line of the ring lies in another CPU's cache, and to get it
 * back takes longer than to write the records in it.  Asked for eight lines ahead it is there in
 * time: an event then costs a third of that.  Beyond the ring's end it does no harm: it cannot
 * fault.
 */
static inline void btapw_ahead(const uint64_t *p)
{
#if defined(__x86_64__)
	/* __builtin_prefetch(p, 1) asks for a copy to read, unless for newer CPUs alone. */
	__asm__ volatile("prefetchw %0" : : "m"(p[64]));
#else
	__builtin_prefetch(p + 64, 1);
#endif
}

/**
 * btapw_reserve() - begin a record
 * @event:    enum btap_event_id
 * @nr_words: of the whole record, header included: 1 to BTAP_MAX_WORDS
 *
 * Return: the record, its header word stored; fill the others with btapw_set(),
 * then call btapw_commit().  NULL: it was dropped, and counted.
 */
static inline uint64_t *btapw_reserve(struct btapw *w, unsigned int event, unsigned int nr_words)
{
	uint64_t now = btapw_now(w->is_tsc);
	uint64_t *p = w->cur;

	btapw_ahead(p);
	if (now < w->last)
		now = w->last;
	/* Room first: a thread without a ring may have no ctl. */
	if (BTAPW_UNLIKELY((size_t)(w->end - p) < nr_words || now >= w->until ||
			   __atomic_load_n(&w->ctl->on[event], __ATOMIC_RELAXED) & ~BTAP_ON_RING))
		return btapw_reserve_slow(w, event, nr_words, now);
	w->last = now;
	w->next = p + nr_words;
	btapw_set(p, 0, BTAP_HEAD(event, nr_words, now));
	return p;
}

/**
 * btapw_commit() - publish the record that was reserved
 *
 * The release of pos pairs with the acquire in ring_read(): whoever sees pos sees
 * the record.  count comes after pos, so that a reader who loads count first and
 * pos second finds every record that count stands for, or knows it was dropped.
 */
static inline void btapw_commit(struct btapw *w)
{
	struct btap_ring *ring = w->ring;
	uint64_t *next = w->next;

	if (BTAPW_UNLIKELY(!next)) {
		btapw_commit_other(w);
		return;
	}
	w->cur = next;
	w->count++;
	__atomic_store_n(&ring->pos, (uintptr_t)next + w->pos_bias, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->count, w->count, __ATOMIC_RELEASE);
}

/* The longest record that btapw_try() makes. */
#define BTAPW_FAST_WORDS 8

/**
 * btapw_try() - reserve where nothing stands in the way: there is room, and the ring alone wants it
 * @event:    enum btap_event_id
 * @nr_words: of the whole record, header included: 1 to BTAPW_FAST_WORDS, a constant
 *
 * For hot hooks, which so need no call and no stack.  Return: the record, its header word stored,
 * to be ended by btapw_done(); NULL: nothing was done, go by way of btapw_reserve().
 */
static inline uint64_t *btapw_try(struct btapw *w, unsigned int event, unsigned int nr_words)
{
	uint64_t *p = w->cur, now;

#if defined(__x86_64__)
	/* Room first: a thread without a ring may have no ctl.  One limit for all lengths and clocks. */
	if (BTAPW_UNLIKELY(p >= w->fast || nr_words > BTAPW_FAST_WORDS ||
			   __atomic_load_n(&BTAPW_ON(w, event), __ATOMIC_RELAXED) & ~BTAP_ON_RING))
		return NULL;
	btapw_ahead(p);
	now = __rdtsc();
	if (BTAPW_UNLIKELY(now < w->last || now >= w->until))
		return NULL;
	w->last = now;
	btapw_set(p, 0, BTAP_HEAD(event, nr_words, now));
	if (!p)
		__builtin_unreachable(); /* there is room: who calls need not look again */
	return p;
#else
	(void)p, (void)now, (void)event, (void)nr_words;
	return NULL;
#endif
}

/**
 * btapw_done() - publish the record that btapw_try() gave, as btapw_commit() does
 * @end: the word behind it
 */
static inline void btapw_done(struct btapw *w, uint64_t *end)
{
	struct btap_ring *ring = w->ring;
	uint64_t count = w->count + 1;

	w->cur = end;
	w->count = count;
	__atomic_store_n(&ring->pos, (uintptr_t)end + w->pos_bias, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->count, count, __ATOMIC_RELEASE);
}

/* Out of line: a record of @nr words of arguments by way of btapw_reserve(). */
bool btapw_put_slow(struct btapw *w, unsigned int event, unsigned int nr, const uint64_t *words);

/*
 * A record of @nr words of arguments, a constant.  They go from registers to the ring: by way of an
 * array on the stack, which GCC fills and reads in a loop, an event takes 1 to 2 ns more.
 */
static inline __attribute__((always_inline)) bool
btapw_put(struct btapw *w, unsigned int event, unsigned int nr, uint64_t a, uint64_t b, uint64_t c,
	  uint64_t d, uint64_t e, uint64_t f)
{
	uint64_t *p = btapw_try(w, event, 1 + nr);

	if (BTAPW_UNLIKELY(!p)) {
		const uint64_t words[] = { a, b, c, d, e, f };

		return btapw_put_slow(w, event, nr, words);
	}
	btapw_set(p, 1, a);
	if (nr > 1)
		btapw_set(p, 2, b);
	if (nr > 2)
		btapw_set(p, 3, c);
	if (nr > 3)
		btapw_set(p, 4, d);
	if (nr > 4)
		btapw_set(p, 5, e);
	if (nr > 5)
		btapw_set(p, 6, f);
	btapw_done(w, p + 1 + nr);
	return true;
}

/* btapw_putN() - a record of N words of arguments.  Return: false when it was dropped. */
static inline bool btapw_put1(struct btapw *w, unsigned int event, uint64_t a)
{
	return btapw_put(w, event, 1, a, 0, 0, 0, 0, 0);
}

static inline bool btapw_put2(struct btapw *w, unsigned int event, uint64_t a, uint64_t b)
{
	return btapw_put(w, event, 2, a, b, 0, 0, 0, 0);
}

static inline bool btapw_put3(struct btapw *w, unsigned int event, uint64_t a, uint64_t b,
			      uint64_t c)
{
	return btapw_put(w, event, 3, a, b, c, 0, 0, 0);
}

static inline bool btapw_put4(struct btapw *w, unsigned int event, uint64_t a, uint64_t b,
			      uint64_t c, uint64_t d)
{
	return btapw_put(w, event, 4, a, b, c, d, 0, 0);
}

static inline bool btapw_put5(struct btapw *w, unsigned int event, uint64_t a, uint64_t b,
			      uint64_t c, uint64_t d, uint64_t e)
{
	return btapw_put(w, event, 5, a, b, c, d, e, 0);
}

static inline bool btapw_put6(struct btapw *w, unsigned int event, uint64_t a, uint64_t b,
			      uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	return btapw_put(w, event, 6, a, b, c, d, e, f);
}

/*
 * Text fields.  Fit first, reserve what it takes, then store:
 *
 *	struct btapw_text t = btapw_text_fit(reason, len, 100);
 *	uint64_t *p = btapw_reserve(w, BTAP_EV_process_exit, 2 + btapw_text_words(&t));
 *	if (p) {
 *		btapw_set(p, 1, pid);
 *		btapw_text_store(p + 2, &t);
 *		btapw_commit(w);
 *	}
 */
struct btapw_text {
	const char *s; /* NULL: there is no text */
	uint32_t len;  /* bytes of s that are kept */
	bool is_cut;   /* "..." follows them */
};

/**
 * btapw_text_fit() - what of a text is written
 * @s:         UTF-8, borrowed until it is stored; NULL: no text
 * @max_bytes: limit, the mark included; 8 or more
 *
 * A text that is too long is cut before a character, and marked with "...".
 */
static inline struct btapw_text btapw_text_fit(const char *s, size_t len, size_t max_bytes)
{
	struct btapw_text t = { s, (uint32_t)len, false };
	size_t n;

	if (BTAPW_LIKELY(!s || len <= max_bytes))
		return t;
	n = max_bytes - 3;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	t.len = (uint32_t)n;
	t.is_cut = true;
	return t;
}

/** btapw_text_words() - words that the field takes, its length word included */
static inline unsigned int btapw_text_words(const struct btapw_text *t)
{
	return t->s ? 1 + (t->len + (t->is_cut ? 3 : 0) + 7) / 8 : 1;
}

/** btapw_text_store() - store the field at @p.  Return: the word behind it */
uint64_t *btapw_text_store(uint64_t *p, const struct btapw_text *t);

#endif /* BEAMTAP_BTAPW_H */
