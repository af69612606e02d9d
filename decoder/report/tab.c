// SPDX-License-Identifier: Apache-2.0
/* tab.c - tables, numbers and names; see tab.h */
#include "report/tab.h"

#include <stdlib.h>
#include <string.h>
#include "event/outbuf.h"
#include "event/utf8.h"

void tab_col(struct tab *t, const char *head, bool is_left, bool is_off)
{
	t->cols[t->nr_cols++] = (struct tab_col){ head, is_left, is_off };
}

void tab_row(struct tab *t)
{
	if (t->nr_rows == t->cap) {
		unsigned int cap = t->cap ? t->cap * 2 : 16;
		void *cells = realloc(t->cells, (size_t)cap * t->nr_cols * TAB_CELL);

		if (!cells)
			abort(); /* some kilobytes, at the end of the pass */
		t->cells = cells;
		t->cap = cap;
	}
	memset(t->cells[(size_t)t->nr_rows * t->nr_cols], 0, (size_t)t->nr_cols * TAB_CELL);
	t->nr_rows++;
}

char *tab_cell(struct tab *t, unsigned int col)
{
	return t->cells[(size_t)(t->nr_rows - 1) * t->nr_cols + col];
}

/* Columns that UTF-8 text takes, one for each character. */
static unsigned int columns(const char *s)
{
	unsigned int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Copy clean text, cut to so many columns. */
static char *cut(char *buf, const char *s, unsigned int width)
{
	unsigned int n = 0;
	size_t keep = 0, i = 0;

	while (s[i]) {
		uint32_t c;
		unsigned int len = utf8_get(s + i, strlen(s + i), &c);

		len = len ? len : 1;
		if (i + len > TAB_CELL - 4)
			break;
		i += len;
		if (++n > width)
			break;
		if (n + 3 <= width)
			keep = i;
	}
	if (!s[i] && n <= width) {
		memcpy(buf, s, i + 1);
		return buf;
	}
	memcpy(buf, s, keep);
	strcpy(buf + keep, "...");
	return buf;
}

/* Blanks are held back until something follows them: none stand at a line's end. */
static void put_row(const struct tab *t, FILE *f, const unsigned int *width,
		    char (*cells)[TAB_CELL])
{
	unsigned int blanks = 0, pad;
	char text[TAB_CELL];

	for (unsigned int c = 0; c < t->nr_cols; c++) {
		if (t->cols[c].is_off)
			continue;
		cut(text, cells ? cells[c] : t->cols[c].head, width[c]);
		pad = width[c] - columns(text);
		blanks += 2 + (t->cols[c].is_left ? 0 : pad);
		if (*text) {
			fprintf(f, "%*s%s", (int)blanks, "", text);
			blanks = 0;
		}
		blanks += t->cols[c].is_left ? pad : 0;
	}
	fputc('\n', f);
}

/* Make the table fit: take from the widest text until it does. */
static void narrow(const struct tab *t, unsigned int *width)
{
	for (;;) {
		unsigned int total = 0, widest = TAB_COLS;

		for (unsigned int c = 0; c < t->nr_cols; c++) {
			if (t->cols[c].is_off)
				continue;
			total += 2 + width[c];
			if (t->cols[c].is_left && width[c] > TAB_MIN &&
			    (widest == TAB_COLS || width[c] > width[widest]))
				widest = c;
		}
		if (total <= TAB_TABLE || widest == TAB_COLS)
			return;
		width[widest]--;
	}
}

void tab_print(struct tab *t, FILE *f)
{
	unsigned int width[TAB_COLS] = { 0 };

	for (unsigned int c = 0; c < t->nr_cols; c++) {
		width[c] = columns(t->cols[c].head);
		for (unsigned int i = 0; i < t->nr_rows; i++) {
			unsigned int w = columns(t->cells[(size_t)i * t->nr_cols + c]);

			width[c] = w > width[c] ? w : width[c];
		}
	}
	narrow(t, width);
	put_row(t, f, width, NULL);
	for (unsigned int i = 0; i < t->nr_rows; i++)
		put_row(t, f, width, &t->cells[(size_t)i * t->nr_cols]);
	free(t->cells);
	t->cells = NULL;
	t->nr_rows = t->cap = 0;
}

/* Three digits of v in the largest unit of which there is at least one. */
static char *scaled(char *buf, double v, double step, const char *const *units, unsigned int nr)
{
	unsigned int u = 0;

	/* 999.5 would be printed as 1000: that is 1.00 of the next unit */
	while (u + 1 < nr && v >= (step == 1000 ? 999.5 : step * 0.9995)) {
		v /= step;
		u++;
	}
	if (u == 0)
		snprintf(buf, TAB_CELL, "%.0f%s", v, units[u]);
	else
		snprintf(buf, TAB_CELL, "%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u]);
	return buf;
}

char *tab_ns(char *buf, uint64_t ns)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };

	return scaled(buf, (double)ns, 1000, units, 4);
}

char *tab_count(char *buf, uint64_t n)
{
	snprintf(buf, TAB_CELL, "%llu", (unsigned long long)n);
	return buf;
}

char *tab_bytes(char *buf, uint64_t bytes)
{
	static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB" };

	return scaled(buf, (double)bytes, 1024, units, 5);
}

char *tab_rate(char *buf, uint64_t n, uint64_t span_ns)
{
	static const char *const units[] = { "", "/s", " k/s", " M/s", " G/s" };
	double v;

	if (!span_ns) {
		snprintf(buf, TAB_CELL, "-");
		return buf;
	}
	v = (double)n * 1e9 / (double)span_ns;
	if (v >= 999.5)
		return scaled(buf, v * 1000, 1000, units, 5);
	snprintf(buf, TAB_CELL, "%.*f/s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
	return buf;
}

char *tab_share(char *buf, uint64_t part, uint64_t whole)
{
	if (whole)
		snprintf(buf, TAB_CELL, "%.1f%%", 100.0 * (double)part / (double)whole);
	else
		snprintf(buf, TAB_CELL, "-");
	return buf;
}

char *tab_text(char *buf, const char *s, size_t len, unsigned int width)
{
	struct outbuf o;

	buf[0] = '\0';
	if (outbuf_init(&o, -1))
		return buf;
	/* more than this is cut off anyway */
	outbuf_escaped(&o, s, len < 4 * TAB_CELL ? len : 4 * TAB_CELL, 0);
	cut(buf, outbuf_cstr(&o), width);
	outbuf_fini(&o);
	return buf;
}

/* The name, with its control bytes made visible, behind what is in @o. */
static void put_atom(struct outbuf *o, struct term_vm *t, uint64_t atom)
{
	term_put(o, t, atom);
}

char *tab_ent(struct report *r, char *buf, const struct ent *e)
{
	struct term_vm *t = &r->vms[e->vm].term;
	struct outbuf o;

	if (!e->term) {
		snprintf(buf, TAB_CELL, "(not known)");
		return buf;
	}
	buf[0] = '\0';
	if (outbuf_init(&o, -1))
		return buf;
	if (e->flags & ENT_NODE)
		outbuf_str(&o, "node ");
	term_put(&o, t, e->term);
	if (e->name) {
		outbuf_char(&o, ' ');
		put_atom(&o, t, e->name);
	} else if (e->mfa) {
		outbuf_char(&o, ' ');
		term_put_mfa(&o, t, e->mfa);
	}
	cut(buf, outbuf_cstr(&o), TAB_NAME);
	outbuf_fini(&o);
	return buf;
}

char *tab_term(struct report *r, char *buf, uint32_t vm, uint64_t term)
{
	struct ent unknown = { .term = term, .vm = vm };
	uint32_t i = term ? imap_find(&r->ents.map, term, vm) : IMAP_NONE;

	return tab_ent(r, buf, i != IMAP_NONE ? ent_at(&r->ents, i) : &unknown);
}

char *tab_mfa(struct report *r, char *buf, uint32_t vm, uint64_t mfa, unsigned int width)
{
	struct outbuf o;

	snprintf(buf, TAB_CELL, "?");
	if (!mfa || outbuf_init(&o, -1))
		return buf;
	term_put_mfa(&o, &r->vms[vm].term, mfa);
	cut(buf, outbuf_cstr(&o), width);
	outbuf_fini(&o);
	return buf;
}

char *tab_reason(struct report *r, char *buf, const char *s, size_t len, unsigned int width)
{
	if (!s)
		snprintf(buf, TAB_CELL, "?");
	else if (r->o->redact)
		snprintf(buf, TAB_CELL, "(%zu bytes)", len);
	else
		tab_text(buf, s, len, width);
	return buf;
}

char *tab_node(struct report *r, char *buf, uint32_t vm)
{
	const char *node = r->src->vms[vm].facts.node;

	return tab_text(buf, node, strnlen(node, sizeof(r->src->vms[vm].facts.node)), 20);
}

static void number_of(const struct btap_facts *f, uint64_t term, uint64_t *number, uint64_t *serial)
{
	unsigned int shift = 4, bits = 60;

	if (term_is_pid(term)) {
		shift = f->pid_shift;
		bits = f->pid_number_bits;
	} else if (term_is_port(term)) {
		shift = f->port_shift;
		bits = f->port_number_bits;
	}
	*number = term >> (shift & 63);
	*serial = 0;
	if (bits < 64) {
		*serial = *number >> bits;
		*number &= (1ULL << bits) - 1;
	}
}

int tab_before(const struct report *r, uint32_t vm_a, uint64_t a, uint32_t vm_b, uint64_t b)
{
	uint64_t na, sa, nb, sb;

	if (vm_a != vm_b)
		return vm_a < vm_b ? -1 : 1;
	number_of(&r->src->vms[vm_a].facts, a, &na, &sa);
	number_of(&r->src->vms[vm_b].facts, b, &nb, &sb);
	if (na != nb)
		return na < nb ? -1 : 1;
	return sa < sb ? -1 : sa > sb;
}
