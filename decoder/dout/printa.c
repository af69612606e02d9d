// SPDX-License-Identifier: Apache-2.0
/* printa.c - aggregations as text */
#include <stdlib.h>
#include "dout/agghist.h"
#include "dout/aggsort.h"
#include "dout/fmt.h"
#include "dout/hist.h"
#include "dout/printa.h"
#include "dout/put.h"
#include "dout/trace.h"

#define KEY_WIDTH   50
#define VALUE_WIDTH 16

static void print_key(struct dout *o, const struct dprog_val *v, uint64_t word)
{
	struct outbuf *b = &o->buf;
	char sym[32];
	const char *s;
	size_t n;

	switch (v->kind) {
	case DPROG_STR:
		s = vm_text(&o->run->vm, word, &n);
		outbuf_mem(b, "  ", 2);
		put_text(b, s, n, KEY_WIDTH);
		return;
	case DPROG_STACK:
		trace_stack(o, &o->buf, word);
		return;
	case DPROG_SYM:
		n = trace_symbol(sym, sizeof(sym), word);
		outbuf_mem(b, "  ", 2);
		put_text(b, sym, n, KEY_WIDTH);
		return;
	default:
		break;
	}
	outbuf_char(b, ' ');
	switch (v->size) { /* signs as dtrace(1) has them, whatever the type says */
	case 1:
		put_udec(b, (uint8_t)word, 3);
		return;
	case 2:
		put_udec(b, (uint16_t)word, 5);
		return;
	case 4:
		put_dec(b, (int32_t)word, 8);
		return;
	default:
		put_dec(b, (int64_t)word, 16);
	}
}

/* A distribution: newline, table.  @data NULL: a key that this aggregation has not. */
static void print_dist(struct dout *o, const struct agg *a, const uint64_t *data)
{
	size_t n = 0, nr = hist_nr_bins(&a->shape);
	uint64_t *none = NULL;
	char *text = NULL;
	FILE *f;

	if (!data) {
		none = calloc(nr, sizeof(*none));
		if (!none)
			return;
		data = none;
	}
	outbuf_char(&o->buf, '\n');
	f = open_memstream(&text, &n);
	if (f) {
		hist_print_zoomed(f, &a->shape, agg_bins(data), a->normal, o->opts.agg_zoom);
		fclose(f);
		outbuf_mem(&o->buf, text, n);
	}
	free(text);
	free(none);
}

static void print_value(struct dout *o, const struct agg *a, const uint64_t *data)
{
	int64_t v;

	if (agg_is_dist(a)) {
		print_dist(o, a, data);
		return;
	}
	outbuf_char(&o->buf, ' ');
	v = data ? agg_value(a, data, a->normal) : 0;
	put_dec(&o->buf, v, VALUE_WIDTH);
}

/* Options agghist and aggpack.  Return: whether they had anything to say */
static bool print_as_bars(struct dout *o, const struct aggsort *s)
{
	if (agg_is_dist(s->aggs[0]) ? !o->opts.agg_pack : !o->opts.agg_hist)
		return false;
	if (agg_is_dist(s->aggs[0]))
		agghist_packed(o, s);
	else
		agghist_bars(o, s);
	return true;
}

static void print_joined(struct dout *o, struct agg **aggs, uint32_t nr)
{
	const struct dprog_agg *def = aggs[0]->def;
	struct aggsort s;

	if (aggsort_join(&s, o, aggs, nr))
		return;
	if (nr == 1 && s.nr_rows && def->nr_keys && print_as_bars(o, &s)) {
		aggsort_fini(&s);
		return;
	}
	for (uint32_t r = 0; r < s.nr_rows; r++) {
		for (uint32_t k = 0; k < def->nr_keys; k++)
			print_key(o, &def->keys[k], s.rows[r].key[k]);
		for (uint32_t i = 0; i < nr; i++)
			print_value(o, aggs[i], s.rows[r].data[i]);
		outbuf_char(&o->buf, '\n');
	}
	aggsort_fini(&s);
}

void printa_default(struct dout *o, struct agg *a)
{
	print_joined(o, &a, 1);
}

/* -- with a format -- */

static void conv_value(struct dout *o, const struct dfmt_conv *c, const struct agg *a, const uint64_t *data)
{
	struct fmt_val v = { .size = 8, .is_signed = true };

	if (agg_is_dist(a)) {
		print_dist(o, a, data);
		return;
	}
	v.word = data ? (uint64_t)agg_value(a, data, a->normal) : 0;
	fmt_print(&o->buf, c, &v, FMT_NONE, FMT_NONE);
}

static void print_formatted(struct dout *o, const struct dfmt *f, struct agg **aggs, uint32_t nr)
{
	const struct dprog_agg *def = aggs[0]->def;
	const uint64_t *at[DPROG_MAX_KEYS];
	struct aggsort s;

	if (aggsort_join(&s, o, aggs, nr))
		return;
	for (uint32_t r = 0; r < s.nr_rows; r++) {
		for (uint32_t i = 0; i < def->nr_keys; i++)
			at[i] = &s.rows[r].key[i];
		for (uint32_t i = 0; i < f->nr; i++) {
			const struct dfmt_conv *c = &f->convs[i];

			outbuf_mem(&o->buf, c->lit, c->lit_len);
			if (c->flags & DFMT_AGG) {
				if (c->agg < nr)
					conv_value(o, c, aggs[c->agg], s.rows[r].data[c->agg]);
			} else if (c->conv && c->arg < def->nr_keys) {
				trace_conv(o, &o->buf, c, def->keys, def->nr_keys, at);
			}
		}
	}
	aggsort_fini(&s);
}

void printa_action(struct dout *o, const struct dprog_action *act)
{
	struct agg **aggs = calloc(act->nr_aggs + 1u, sizeof(*aggs));

	if (!aggs)
		return;
	for (unsigned int i = 0; i < act->nr_aggs; i++) {
		aggs[i] = vm_shown(&o->run->vm, act->aggs[i]);
		o->run->vm.aggs[act->aggs[i]].is_printed = true;
	}
	if (act->nr_aggs && act->fmt) {
		print_formatted(o, act->fmt, aggs, act->nr_aggs);
	} else if (act->nr_aggs) {
		outbuf_char(&o->buf, '\n');
		print_joined(o, aggs, act->nr_aggs);
	}
	free(aggs);
}

/* -- what changes them -- */

/* trunc(@a, n): the n largest stay; -n: the n smallest.  By value, whatever the options say. */
static void truncate_to(struct dout *o, struct agg *a, struct agg_budget *b, int64_t keep)
{
	struct dout_opts saved = o->opts;
	const uint64_t **rows;
	struct aggsort s;
	uint64_t nr = keep < 0 ? 0 - (uint64_t)keep : (uint64_t)keep;
	uint32_t first;
	int err;

	if (!nr) {
		agg_drop_all(a, b);
		return;
	}
	o->opts.agg_sort_key = o->opts.agg_sort_rev = false;
	err = aggsort_join(&s, o, &a, 1);
	o->opts = saved;
	if (err)
		return;
	if (nr < s.nr_rows && (rows = calloc(nr, sizeof(*rows)))) {
		first = keep < 0 ? 0 : s.nr_rows - (uint32_t)nr;
		for (uint32_t i = 0; i < nr; i++)
			rows[i] = s.rows[first + i].key;
		agg_retain(a, b, rows, (uint32_t)nr);
		free(rows);
	}
	aggsort_fini(&s);
}

void printa_change(struct dout *o, const struct dprog_action *act, const uint64_t *words)
{
	struct vm *vm = &o->run->vm;
	struct agg_budget none = { .size = SIZE_MAX };
	int64_t keep = act->nr_values ? (int64_t)words[0] : 0;
	struct agg *a, *copy;

	if (!act->nr_aggs)
		return;
	a = &vm->aggs[act->aggs[0]];
	copy = vm->shown ? &vm->shown[act->aggs[0]] : NULL;
	switch (act->kind) {
	case DPROG_ACT_CLEAR:
		agg_clear(a);
		if (copy)
			agg_clear(copy);
		return;
	case DPROG_ACT_TRUNC:
		truncate_to(o, a, &vm->agg_budget, keep);
		if (copy)
			truncate_to(o, copy, &none, keep);
		return;
	case DPROG_ACT_NORMALIZE:
		a->normal = words[0] ? (int64_t)words[0] : 1;
		return;
	case DPROG_ACT_DENORMALIZE:
		a->normal = 1;
		return;
	default:
		return;
	}
}
