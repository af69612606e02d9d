// SPDX-License-Identifier: Apache-2.0
/* ctf_stream.c - the packets of one stream of a recording; see ctf_stream.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "source/check.h"
#include "source/ctf_stream.h"

#define HEADER	sizeof(struct ctf_packet)
#define TRAILER sizeof(struct ctf_trailer)

void ctf_stream_class(struct ctf_shared *c, uint32_t class_id, uint32_t event)
{
	const struct check_shape *shape;

	if (class_id >= CTF_MAX_CLASSES || event >= BTAP_MAX_EVENTS ||
	    !check_shapes[event].min_words)
		return;
	shape = &check_shapes[event];
	c->classes[class_id] = (struct ctf_reader_class){
		.event = (uint16_t)event,
		.min_words = shape->min_words,
		.spare_words = (uint8_t)(shape->max_words - shape->min_words),
		.is_plain = event == class_id && !shape->nr_texts,
		.has_text = shape->nr_texts != 0,
	};
}

int ctf_stream_open(struct ctf_stream *s, struct ctf_shared *c, int dir, uint32_t ring)
{
	struct stat st;
	char name[32];

	*s = (struct ctf_stream){ .c = c, .ring = ring };
	snprintf(name, sizeof(name), CTF_STREAM_NAME, ring);
	s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (s->fd < 0)
		return -errno;
	if (fstat(s->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	s->size = (uint64_t)st.st_size;
	return 0;
}

void ctf_stream_close(struct ctf_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	free(s->win);
	s->win = NULL;
}

static void damage(struct ctf_stream *s, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void damage(struct ctf_stream *s, uint64_t off, const char *fmt, ...)
{
	char why[200];
	va_list ap;

	if (s->c->nr_damages++)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	snprintf(s->c->damage, sizeof(s->c->damage),
		 "packet %llu of %.120s/" CTF_STREAM_NAME " at byte %llu is damaged: %s",
		 (unsigned long long)s->next_seq, s->c->path, s->ring, (unsigned long long)off,
		 why);
}

/*
 * Bytes of the file at @off, a multiple of 8, @len <= CTF_WINDOW of them, with as
 * many more as there are.  NULL when they cannot be had.
 */
static uint64_t *need(struct ctf_stream *s, uint64_t off, uint64_t len)
{
	uint64_t got = 0;

	if (off >= s->win_off && off + len <= s->win_off + s->win_len)
		return s->win + (off - s->win_off) / 8;
	if (!s->win)
		s->win = malloc(CTF_WINDOW);
	if (!s->win)
		return NULL;
	s->win_off = off;
	s->win_len = 0;
	while (got < CTF_WINDOW) {
		ssize_t n =
			pread(s->fd, (char *)s->win + got, CTF_WINDOW - got, (off_t)(off + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (uint64_t)n;
	}
	s->win_len = got;
	return len <= got ? s->win : NULL;
}

/* -- packets -- */

/* Why these cannot be a packet at @off; NULL if they can.  Sizes are such that sums do not wrap. */
static const char *check_header(const struct ctf_stream *s, const struct ctf_packet *h)
{
	uint64_t content = h->content_size / 8, size = h->packet_size / 8;

	if (h->magic != CTF_MAGIC)
		return "it does not begin with a packet's magic number";
	if (memcmp(h->uuid, s->c->uuid, sizeof(h->uuid)))
		return "it belongs to another recording";
	if (h->stream_id != 0)
		return "its stream class is not known";
	if (h->packet_size % 64 || size < HEADER + TRAILER || size > CTF_PACKET_MAX)
		return "its size is impossible";
	if (h->content_size % 8 || content < HEADER || (content + 7) / 8 * 8 != size - TRAILER)
		return "its content's size is impossible";
	if (h->timestamp_begin > h->timestamp_end || h->timestamp_end > INT64_MAX)
		return "its times are impossible";
	return NULL;
}

/* The header at @off, copied.  NULL: it is good so far. */
static const char *read_header(struct ctf_stream *s, uint64_t off, struct ctf_packet *h)
{
	const uint64_t *p = need(s, off, HEADER);

	if (!p)
		return "it cannot be read";
	memcpy(h, p, HEADER);
	return check_header(s, h);
}

/* Reads the trailer past the window, which stays where the records begin. */
static const char *read_trailer(struct ctf_stream *s)
{
	uint64_t off = s->packet_end - TRAILER;

	if (off >= s->win_off && s->packet_end <= s->win_off + s->win_len)
		memcpy(&s->t, (char *)s->win + (off - s->win_off), TRAILER);
	else if (pread(s->fd, &s->t, TRAILER, (off_t)off) != (ssize_t)TRAILER)
		return "its end cannot be read";
	if (s->t.sum != ctf_packet_sum(&s->h, &s->t))
		return "header and trailer do not agree";
	if ((s->t.nr_records == 0) != (s->body_end == s->at))
		return "its number of records is impossible";
	if (s->t.first < s->records || s->h.packet_seq_num < s->next_seq ||
	    s->h.events_discarded < s->discarded || s->h.timestamp_begin < s->last_ns)
		return "it does not follow the one before";
	return NULL;
}

/* Where after @off a packet may begin: its magic and identity are there.  Or the end. */
static uint64_t next_magic(struct ctf_stream *s, uint64_t off)
{
	uint32_t pattern[2] = { CTF_MAGIC };
	uint64_t want, *p;

	memcpy(&pattern[1], s->c->uuid, 4);
	memcpy(&want, pattern, 8);
	while (off + HEADER <= s->size && (p = need(s, off, 8))) {
		uint64_t nr = (s->win_off + s->win_len - off) / 8;

		for (uint64_t i = 0; i < nr; i++)
			if (p[i] == want)
				return off + i * 8;
		off += nr * 8;
	}
	return s->size;
}

static void cut(struct ctf_stream *s, uint64_t off)
{
	s->is_cut = true;
	s->cut_at = off;
	s->has_ended = true;
}

/*
 * Go to the next packet that is one.  False: there is none; the stream has ended.
 */
static bool next_packet(struct ctf_stream *s)
{
	uint64_t off = s->packet_end;
	const char *why;
	bool is_lost = false; /* we look for a packet's begin */

	for (; off != s->size; off = next_magic(s, off + 8)) {
		if (s->size - off < HEADER) {
			cut(s, off);
			return false;
		}
		why = read_header(s, off, &s->h);
		if (!why && s->h.packet_size / 8 > s->size - off) {
			/* Looks whole but is not: the end, unless a flipped bit made it long. */
			if (!is_lost)
				s->cut_at = off;
			if (next_magic(s, off + 8) == s->size) {
				cut(s, is_lost ? s->cut_at : off);
				return false;
			}
			why = "its size is impossible";
		}
		if (!why) {
			s->packet_off = off;
			s->packet_end = off + s->h.packet_size / 8;
			s->at = off + HEADER;
			s->body_end = s->packet_end - TRAILER;
			why = read_trailer(s);
		}
		if (!why) {
			s->seen = 0;
			return true;
		}
		if (!is_lost)
			damage(s, off, "%s", why);
		is_lost = true;
	}
	s->has_ended = true;
	return false;
}

/* -- runs -- */

static int gap(struct ctf_stream *s, uint64_t count, uint64_t from, uint64_t to,
	       struct src_run *run)
{
	uint64_t shift = (uint64_t)s->c->shift_ns;

	s->total_lost += count;
	s->gap[0] = BTAP_HEAD(BTAP_LOST_EVENT, 4, (from + shift) & BTAP_TIME_MASK);
	s->gap[1] = count;
	s->gap[2] = from + shift;
	s->gap[3] = to + shift;
	*run = (struct src_run){ .at = s->gap,
				 .end = s->gap + 4,
				 .base = from + shift,
				 .bound = UINT64_MAX,
				 .thread = s->thread,
				 .is_lost = true };
	s->last_ns = from;
	return 1;
}

/* Put the texts of a record into the ring's form, and check it. */
static bool turn_texts(uint64_t *p, unsigned int nr_words, const struct check_shape *shape)
{
	unsigned int at = 1;

	for (unsigned int i = 0; i < shape->nr_fields && at < nr_words; i++, at++) {
		uint64_t more;

		if (shape->is_text[i] == CHECK_TEXT && p[at] == CTF_TEXT_NONE)
			p[at] = BTAP_TEXT_NONE;
		more = check_more(shape->is_text[i], p[at]);
		if (more > nr_words)
			return false;
		at += (unsigned int)more;
	}
	return check_texts(p, nr_words, shape) == (int)nr_words;
}

/*
 * Check records from @p on and put them into the ring's form.  *@avail: in: words
 * there; out: words of the records that are good.  False: the one behind them is
 * not, or not all there.
 */
static bool turn_records(struct ctf_stream *s, uint64_t *p, uint64_t *avail, uint64_t *nr_records)
{
	const struct ctf_reader_class *classes = s->c->classes;
	uint64_t shift = (uint64_t)s->c->shift_ns << BTAP_TIME_SHIFT;
	uint64_t *from = p, *end = p + *avail, base = s->last_ns, last = s->h.timestamp_end, nr = 0;
	uint64_t *stack = NULL;
	unsigned int nr_stacks = 0;

	while (p < end) {
		uint64_t w = *p, ts = BTAP_TIME_FULL(w, base);
		const struct ctf_reader_class c = classes[BTAP_HEAD_EVENT(w)];
		unsigned int n = BTAP_HEAD_WORDS(w);

		if (n - c.min_words > c.spare_words || n > (size_t)(end - p) || ts > last)
			break;
		if (!c.is_plain || shift) {
			if (!c.event || (c.has_text && !turn_texts(p, n, &check_shapes[c.event])))
				break;
			*p = ((w + shift) & ~(uint64_t)(CTF_MAX_CLASSES - 1)) | c.event;
		}
		stack = c.event == BTAP_EV_stack ? p : NULL;
		nr_stacks += stack != NULL;
		base = ts;
		p += n;
		nr++;
	}
	/*
	 * A stack and its event are handed on in one run, though the window may end between
	 * them: then the next one begins with the stack, and is read anew from the file.
	 */
	if (stack && nr > 1 && end - p < BTAP_MAX_WORDS && s->at + *avail * 8 < s->body_end) {
		p = stack;
		end = stack;
		nr--;
		nr_stacks--;
	}
	s->last_ns = base;
	*avail = (uint64_t)(p - from);
	*nr_records = nr;
	s->new_stacks = nr_stacks;
	return p == end;
}

/* Say why the record at s->at is not good; the packet ends there. */
static int bad_record(struct ctf_stream *s, struct src_run *run)
{
	uint64_t left = s->body_end - s->at, missing = s->t.nr_records - s->seen;
	uint64_t off = s->at,
		 *p = need(s, off, left < BTAP_MAX_WORDS * 8 ? left : BTAP_MAX_WORDS * 8);
	char why[120];

	if (!p) {
		damage(s, off, "it cannot be read to its end");
	} else {
		unsigned int id = BTAP_HEAD_EVENT(*p), event = s->c->classes[id].event;

		if (!event)
			damage(s, off,
			       "record %llu is of event class %u, which this version does not know",
			       (unsigned long long)s->seen, id);
		else if (BTAP_TIME_FULL(*p, s->last_ns) > s->h.timestamp_end)
			damage(s, off, "the time of record %llu is outside the packet's",
			       (unsigned long long)s->seen);
		else {
			*p = (*p & ~(uint64_t)(CTF_MAX_CLASSES - 1)) | event;
			damage(s, off, "record %llu: %s", (unsigned long long)s->seen,
			       check_why(p, left / 8, why, sizeof(why)));
		}
	}
	s->at = s->body_end;
	s->records += s->t.nr_records - s->seen;
	s->seen = s->t.nr_records;
	return gap(s, missing, s->last_ns, s->h.timestamp_end, run);
}

/* The records of the packet that are in the window. */
static int body_run(struct ctf_stream *s, struct src_run *run)
{
	uint64_t left = s->body_end - s->at, nr, avail, *p;
	const uint64_t pair = 2 * BTAP_MAX_WORDS * 8;
	uint64_t base = s->last_ns;
	bool is_good;

	p = need(s, s->at, 8);
	if (!p)
		return bad_record(s, run);
	avail = s->win_off + s->win_len - s->at;
	if (avail < left && avail < pair) {
		/* What is left in the window may be part of a record, or a stack without its event. */
		p = need(s, s->at, left < pair ? left : pair);
		if (!p)
			return bad_record(s, run);
		avail = s->win_off + s->win_len - s->at;
	}
	avail = (avail < left ? avail : left) / 8;
	is_good = turn_records(s, p, &avail, &nr);
	if (nr > s->t.nr_records - s->seen || (!nr && !is_good)) {
		s->last_ns = base;
		return bad_record(s, run);
	}
	s->at += avail * 8;
	s->seen += nr;
	s->records += nr;
	s->total_records += nr - s->new_stacks;
	s->total_bytes += avail * 8;
	*run = (struct src_run){ .at = p,
				 .end = p + avail,
				 .base = base + (uint64_t)s->c->shift_ns,
				 .bound = UINT64_MAX,
				 .thread = s->thread };
	return 1;
}

/* A packet begins: what the stream lacks before it is told first. */
static bool begin_packet(struct ctf_stream *s, struct src_run *run)
{
	uint64_t missing = s->t.first - s->records;
	uint64_t lost = s->h.events_discarded - s->discarded;
	uint64_t from = s->last_ns ? s->last_ns : s->h.timestamp_begin;

	s->next_seq = s->h.packet_seq_num + 1;
	s->discarded = s->h.events_discarded;
	s->records = s->t.first;
	if (!missing && lost && s->t.nr_records == 0) {
		gap(s, lost, s->h.timestamp_begin, s->h.timestamp_end, run);
		s->last_ns = s->h.timestamp_end;
		return true;
	}
	if (missing || lost) {
		gap(s, missing + lost, from, s->h.timestamp_begin, run);
		s->last_ns = s->h.timestamp_begin;
		return true;
	}
	s->last_ns = s->h.timestamp_begin;
	return false;
}

int ctf_stream_run(struct ctf_stream *s, struct src_run *run)
{
	while (!s->has_ended) {
		if (s->at < s->body_end)
			return body_run(s, run);
		if (s->packet_end && s->seen < s->t.nr_records)
			return bad_record(s, run);
		if (!next_packet(s))
			break;
		if (begin_packet(s, run))
			return 1;
	}
	free(s->win);
	s->win = NULL;
	s->win_len = 0;
	return 0;
}

bool ctf_stream_peek(struct ctf_stream *s, struct ctf_packet *h)
{
	bool is_good = s->size >= HEADER && !read_header(s, 0, h);

	/* Streams are many and windows big: it is read again when it is their turn. */
	free(s->win);
	s->win = NULL;
	s->win_len = 0;
	return is_good;
}
