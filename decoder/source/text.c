// SPDX-License-Identifier: Apache-2.0
/*
 * text.c - a text fixture as a source; see text.h
 *
 * The whole file is read when it is opened: lines become records in one array
 * of words, and consecutive records of one thread a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "source/strings.h"
#include "source/text.h"
#include "source/textval.h"
#include "source/textvm.h"

#define TEXT_FILE_MAX (1u << 30)
#define MAX_FIELDS    16

struct field {
	const char *name;
	uint8_t type; /* enum textval_type */
	bool is_opt;
};

struct event {
	const char *name;
	const struct field *fields;
	uint8_t nr_fields;
	uint16_t id;
};

/* clang-format off */
#define NEED_req false
#define NEED_opt true
#define AS_FIELD(type, name, arg, need, doc) { #name, TEXTVAL_##type, NEED_##need },
#define AS_FIELDS(id, name, usdt, doc) \
	static const struct field fields_##name[] = { BTAP_FIELDS_##name(AS_FIELD) };
BTAP_EVENTS(AS_FIELDS)
BTAP_RING_EVENTS(AS_FIELDS)
#define AS_EVENT(id, name, usdt, doc) \
	{ #name, fields_##name, sizeof(fields_##name) / sizeof(fields_##name[0]), id },
static const struct event events[] = { BTAP_EVENTS(AS_EVENT) BTAP_RING_EVENTS(AS_EVENT) };
/* clang-format on */
#undef AS_FIELD
#undef AS_FIELDS
#undef AS_EVENT
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

struct text_run {
	size_t from, to; /* indices of words */
	uint64_t first, last;
	uint32_t thread;
	bool is_lost;
};

struct text {
	struct src s; /* first: struct src * is struct text * */
	struct src_vm vm;
	struct src_strings *strs;
	char *path;
	uint64_t *words;
	size_t nr_words, cap_words;
	struct text_run *runs;
	size_t nr_runs, cap_runs, cap_threads;
	size_t next; /* run to hand out */
	uint64_t records, lost, last_ts;
	bool has_vm, has_event;
};

/* What a line of an event is made of, before its words are put in order. */
struct line {
	uint64_t word[MAX_FIELDS];
	bool has[MAX_FIELDS];
	bool has_ts, has_on;
	uint64_t ts;
	uint32_t kind, number;
	struct {
		char *at; /* in bytes[] */
		size_t len;
		bool is_none;
	} text[MAX_FIELDS];
	size_t used;
	char bytes[MAX_FIELDS * TEXTVAL_BYTES_MAX];
};

static int grow(void *tab, size_t nr, size_t *cap, size_t size)
{
	void *p;

	if (nr <= *cap)
		return 0;
	p = realloc(*(void **)tab, (nr * 2 + 64) * size);
	if (!p)
		return -ENOMEM;
	*(void **)tab = p;
	*cap = nr * 2 + 64;
	return 0;
}

static int no_memory(struct textval *v)
{
	return diag_fail(v->d, -ENOMEM, "no memory for %s", v->file);
}

static int define(void *ctx, unsigned int kind, uint64_t key, const char *bytes, size_t len)
{
	struct text *t = ctx;
	int r = strings_add(t->strs, kind, key, bytes, len);

	return r == -EEXIST ? 0 : r;
}

/* The thread of this kind and number, made if it is new.  Return: its index or -ENOMEM */
static int thread_of(struct text *t, struct textval *v, uint32_t kind, uint32_t number)
{
	static const char *const names[] = {
		"%u_other", "%u_scheduler", "%u_dirty_cpu_scheduler", "%u_dirty_io_scheduler",
		"async_%u", "%u_poller"
	};
	struct src_thread *th;

	for (uint32_t i = 0; i < t->s.nr_threads; i++)
		if (t->s.threads[i].kind == kind && t->s.threads[i].number == number)
			return (int)i;
	if (t->s.nr_threads >= BTAP_MAX_RINGS)
		return textval_fail(v, v->bol, "there are more than %d threads", BTAP_MAX_RINGS);
	if (grow(&t->s.threads, t->s.nr_threads + 1, &t->cap_threads, sizeof(*th)))
		return no_memory(v);
	th = &t->s.threads[t->s.nr_threads];
	*th = (struct src_thread){ .kind = kind, .number = number };
	snprintf(th->name, sizeof(th->name), names[kind], number);
	return (int)t->s.nr_threads++;
}

static int key_twice(struct textval *v, const char *key, int len)
{
	return textval_fail(v, key, "%.*s stands here twice", len, key);
}

/* -- vm and thread lines -- */

static int vm_line(struct text *t, struct textval *v)
{
	const char *key;
	int len;

	if (t->has_vm || t->has_event)
		return textval_fail(v, v->bol, "vm stands once, before all events");
	t->has_vm = true;
	while (textval_more(v)) {
		len = textval_name(v, &key);
		if (len < 0 || textval_equals(v) || textvm_key(v, &t->vm.facts, key, len) ||
		    textval_ends(v))
			return -EINVAL;
	}
	return 0;
}

static int thread_line(struct text *t, struct textval *v)
{
	char name[32] = "";
	uint32_t kind, number;
	uint64_t tid = 0;
	const char *key;
	int len, i;

	if (!textval_more(v))
		return textval_fail(v, v->at, "expected KIND/NUMBER");
	if (textval_thread(v, &kind, &number) || textval_ends(v))
		return -EINVAL;
	while (textval_more(v)) {
		len = textval_name(v, &key);
		if (len < 0 || textval_equals(v))
			return -EINVAL;
		if (textval_is(key, len, "tid")) {
			if (textval_number(v, 0, UINT32_MAX, &tid))
				return -EINVAL;
		} else if (textval_is(key, len, "name")) {
			if (textval_chars(v, name, sizeof(name), false))
				return -EINVAL;
		} else {
			return textval_fail(v, key, "thread has no '%.*s', only tid and name", len,
					    key);
		}
		if (textval_ends(v))
			return -EINVAL;
	}
	i = thread_of(t, v, kind, number);
	if (i < 0)
		return i;
	t->s.threads[i].tid = (uint32_t)tid;
	if (name[0])
		memcpy(t->s.threads[i].name, name, sizeof(name));
	return 0;
}

/* -- events -- */

static int no_field(struct textval *v, const struct event *e, const char *key, int len)
{
	char list[300];
	size_t n = 0;

	list[0] = 0;
	for (unsigned int i = 0; i < e->nr_fields && n < sizeof(list); i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      e->fields[i].name);
	return textval_fail(v, key, "%s has no field '%.*s'; its fields are %s", e->name, len, key,
			    list);
}

/* Do words follow a field's first? */
static bool has_more(const struct field *f)
{
	return f->type == TEXTVAL_text || f->type == TEXTVAL_frames;
}

static int field_value(struct textval *v, const struct event *e, unsigned int i, struct line *l)
{
	int r;

	if (!has_more(&e->fields[i]))
		return textval_word(v, e->fields[i].type, &l->word[i]);
	l->text[i].at = l->bytes + l->used;
	l->text[i].len = 0;
	l->text[i].is_none = textval_is_unknown(v);
	if (!l->text[i].is_none) {
		r = e->fields[i].type == TEXTVAL_frames ? textval_frames(v, l->text[i].at, &l->text[i].len)
							: textval_bytes(v, l->text[i].at, &l->text[i].len);
		if (r)
			return r;
	}
	l->used += l->text[i].len;
	return 0;
}

static int event_key(struct textval *v, const struct event *e, struct line *l)
{
	unsigned int i;
	const char *key;
	bool *has = NULL;
	int len;

	len = textval_name(v, &key);
	if (len < 0 || textval_equals(v))
		return -EINVAL;
	if (textval_is(key, len, "ts")) {
		has = &l->has_ts;
		if (!*has && textval_number(v, 0, UINT64_MAX >> 1, &l->ts))
			return -EINVAL;
	} else if (textval_is(key, len, "on")) {
		has = &l->has_on;
		if (!*has && textval_thread(v, &l->kind, &l->number))
			return -EINVAL;
	} else {
		for (i = 0; i < e->nr_fields && !textval_is(key, len, e->fields[i].name); i++)
			;
		if (i == e->nr_fields)
			return no_field(v, e, key, len);
		has = &l->has[i];
		if (!*has && field_value(v, e, i, l))
			return -EINVAL;
	}
	if (*has)
		return key_twice(v, key, len);
	*has = true;
	return textval_ends(v);
}

/* What must be there is, the rest lacks from the end only.  Return: number of fields or -EINVAL */
static int check_fields(struct textval *v, const struct event *e, const struct line *l)
{
	unsigned int nr = e->nr_fields;

	while (nr && !l->has[nr - 1] && e->fields[nr - 1].is_opt)
		nr--;
	for (unsigned int i = 0; i < nr; i++) {
		if (l->has[i])
			continue;
		if (!e->fields[i].is_opt)
			return textval_fail(v, v->end, "%s lacks the field %s", e->name,
					    e->fields[i].name);
		return textval_fail(
			v, v->end,
			"%s has %s without %s before it; '?' stands for what is not known", e->name,
			e->fields[nr - 1].name, e->fields[i].name);
	}
	return (int)nr;
}

/* Append the words of a line.  Return: their number, or negative */
static int put_words(struct text *t, struct textval *v, const struct event *e, struct line *l,
		     unsigned int nr_fields)
{
	size_t nr = 1;
	uint64_t *w;

	for (unsigned int i = 0; i < nr_fields; i++)
		nr += 1 + (has_more(&e->fields[i]) ? (l->text[i].len + 7) / 8 : 0);
	if (nr > BTAP_MAX_WORDS)
		return textval_fail(v, v->bol, "this record has %zu words; more than %d do not go",
				    nr, BTAP_MAX_WORDS);
	if (grow(&t->words, t->nr_words + nr, &t->cap_words, sizeof(*t->words)))
		return no_memory(v);
	w = t->words + t->nr_words;
	*w++ = BTAP_HEAD(e->id, nr, l->ts & BTAP_TIME_MASK);
	for (unsigned int i = 0; i < nr_fields; i++) {
		size_t len = l->text[i].len;

		if (!has_more(&e->fields[i])) {
			*w++ = l->word[i];
			continue;
		}
		if (e->fields[i].type == TEXTVAL_frames)
			*w++ = len / 16;
		else
			*w++ = l->text[i].is_none ? BTAP_TEXT_NONE : len;
		if (len)
			w[(len - 1) / 8] = 0;
		memcpy(w, l->text[i].at, len);
		w += (len + 7) / 8;
	}
	return (int)nr;
}

/* Into the last run, or a new one. */
static int put_record(struct text *t, struct textval *v, const struct event *e, struct line *l,
		      int nr_fields)
{
	bool is_lost = e->id == BTAP_LOST_EVENT;
	struct text_run *run = t->nr_runs ? &t->runs[t->nr_runs - 1] : NULL;
	int thread, nr;

	thread = thread_of(t, v, l->kind, l->number);
	if (thread < 0)
		return thread;
	nr = put_words(t, v, e, l, (unsigned int)nr_fields);
	if (nr < 0)
		return nr;
	if (!run || is_lost || run->is_lost || run->thread != (uint32_t)thread ||
	    l->ts - run->last >= 1ULL << (BTAP_TIME_BITS - 1)) {
		if (grow(&t->runs, t->nr_runs + 1, &t->cap_runs, sizeof(*run)))
			return no_memory(v);
		run = &t->runs[t->nr_runs++];
		*run = (struct text_run){ .from = t->nr_words,
					  .first = l->ts,
					  .thread = (uint32_t)thread,
					  .is_lost = is_lost };
	}
	t->nr_words += (size_t)nr;
	run->to = t->nr_words;
	run->last = t->last_ts = l->ts;
	return 0;
}

static int event_line(struct text *t, struct textval *v, const struct event *e, struct line *l)
{
	int nr;

	memset(l, 0, offsetof(struct line, bytes));
	l->kind = BTAP_THREAD_SCHEDULER;
	l->number = 1;
	t->has_event = true;
	while (textval_more(v))
		if (event_key(v, e, l))
			return -EINVAL;
	if (!l->has_ts)
		return textval_fail(v, v->end, "ts= is missing: the time in nanoseconds");
	if (l->ts < t->last_ts)
		return textval_fail(v, v->bol, "time goes back: %llu after %llu",
				    (unsigned long long)l->ts, (unsigned long long)t->last_ts);
	nr = check_fields(v, e, l);
	if (nr < 0)
		return nr;
	if (e->id == BTAP_LOST_EVENT)
		t->lost += l->word[0];
	else
		t->records++;
	return put_record(t, v, e, l, nr);
}

static const struct field lost_fields[] = { { "count", TEXTVAL_u64, false },
					    { "from", TEXTVAL_u64, false },
					    { "to", TEXTVAL_u64, false } };
static const struct event lost_event = { "lost", lost_fields, 3, BTAP_LOST_EVENT };

static int read_line(struct text *t, struct textval *v, struct line *l)
{
	const char *word;
	int len;

	if (!textval_more(v))
		return 0;
	len = textval_name(v, &word);
	if (len < 0)
		return len;
	if (textval_is(word, len, "vm"))
		return vm_line(t, v);
	if (textval_is(word, len, "thread"))
		return thread_line(t, v);
	if (textval_is(word, len, "lost"))
		return event_line(t, v, &lost_event, l);
	for (size_t i = 0; i < NR_EVENTS; i++)
		if (textval_is(word, len, events[i].name))
			return event_line(t, v, &events[i], l);
	return textval_fail(v, word, "there is no event '%.*s' in the catalogue", len, word);
}

/* -- the source -- */

static int text_run(struct src *s, struct src_run *run, struct diag *d)
{
	struct text *t = (struct text *)s;
	const struct text_run *r;

	/* What the caller left lies beyond the bound that he has set himself. */
	if (run->at != run->end) {
		run->bound = UINT64_MAX;
		return 1;
	}
	if (t->next == t->nr_runs)
		return 0;
	r = &t->runs[t->next++];
	*run = (struct src_run){ .at = t->words + r->from,
				 .end = t->words + r->to,
				 .base = r->first,
				 .bound = UINT64_MAX,
				 .thread = r->thread,
				 .is_lost = r->is_lost };
	return 1;
}

static void text_stats(const struct src *s, struct src_stats *st)
{
	const struct text *t = (const struct text *)s;

	st->records = t->records;
	st->lost = t->lost;
	st->bytes = t->nr_words * 8;
}

static void text_close(struct src *s)
{
	struct text *t = (struct text *)s;

	strings_free(t->strs);
	free(t->s.threads);
	free(t->words);
	free(t->runs);
	free(t->path);
	free(t);
}

static const struct src_ops text_ops = {
	.name = "fixture", .run = text_run, .stats = text_stats, .close = text_close
};

static int read_all(struct text *t, const char *name, const char *bytes, size_t len, struct diag *d)
{
	struct textval v = {
		.file = name, .d = d, .facts = &t->vm.facts, .define = define, .ctx = t
	};
	struct line *l = malloc(sizeof(*l));
	const char *end = bytes + len, *eol;
	int r;

	if (!l)
		return diag_fail(d, -ENOMEM, "no memory for %s", name);
	r = textval_keep(&v, bytes, len);
	for (; !r && bytes < end; bytes = eol + 1) {
		eol = memchr(bytes, '\n', (size_t)(end - bytes));
		if (!eol)
			eol = end;
		v.line++;
		v.bol = v.at = bytes;
		v.end = eol;
		r = read_line(t, &v, l);
	}
	textval_fini(&v);
	free(l);
	return r;
}

int text_open_mem(struct src **out, const char *name, const char *text, size_t len, struct diag *d)
{
	struct text *t = calloc(1, sizeof(*t));
	int r;

	*out = NULL;
	if (!t)
		return diag_fail(d, -ENOMEM, "no memory for %s", name);
	t->s.ops = &text_ops;
	t->strs = strings_new();
	t->path = strdup(name);
	t->vm.path = t->path;
	t->vm.strs = t->strs;
	t->s.vms = &t->vm;
	t->s.nr_vms = 1;
	textvm_default(&t->vm.facts);
	if (t->strs && t->path)
		r = read_all(t, name, text, len, d);
	else
		r = diag_fail(d, -ENOMEM, "no memory for %s", name);
	if (r) {
		text_close(&t->s);
		return r;
	}
	*out = &t->s;
	return 0;
}

int text_open(struct src **out, const char *path, struct diag *d)
{
	char *buf = NULL;
	size_t len = 0, cap = 0;
	ssize_t n;
	int fd, r;

	*out = NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_fail(d, -errno, "cannot open %s: %s", path, strerror(errno));
	do {
		if (len > TEXT_FILE_MAX || grow(&buf, len + 65536, &cap, 1)) {
			r = diag_fail(d, -ENOMEM, "%s is too big for a fixture", path);
			goto out;
		}
		n = read(fd, buf + len, 65536);
		if (n < 0) {
			r = diag_fail(d, -errno, "cannot read %s: %s", path, strerror(errno));
			goto out;
		}
		len += (size_t)n;
	} while (n);
	r = text_open_mem(out, path, buf, len, d);
out:
	free(buf);
	close(fd);
	return r;
}
