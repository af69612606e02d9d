// SPDX-License-Identifier: Apache-2.0
/*
 * agghist.c - aggregations as bars
 *
 *	             key  ------------- Distribution ------------- count
 *	       <0.80.0> |@@@@@@@@@@@@@@@@@@@@@@@@@@               26
 *
 *	             key  4 .------------------. 4096 | count
 *	       <0.80.0>      :   _.oO@o.          :     | 7
 */
#include <stdlib.h>
#include "dout/agghist.h"
#include "dout/hist.h"
#include "dout/put.h"
#include "dout/trace.h"

#define LABEL_WIDTH 16
#define LABEL_MAX   256

/* All keys as one text, with ", " between them. */
static void key_text(struct dout *o, const struct dprog_agg *def, const uint64_t *key, char *buf, size_t size)
{
	struct dout part = { .opts = o->opts, .run = o->run };
	size_t n;

	*buf = 0;
	if (outbuf_init(&part.buf, -1))
		return;
	part.opts.stack_indent = 0;
	for (uint32_t k = 0; k < def->nr_keys; k++) {
		if (k)
			outbuf_str(&part.buf, ", ");
		trace_value(&part, &def->keys[k], &key[k], true);
	}
	n = part.buf.len < size - 1 ? part.buf.len : size - 1;
	for (size_t i = 0; i < n; i++)
		buf[i] = part.buf.buf[i] == '\n' ? ' ' : part.buf.buf[i];
	buf[n] = 0;
	outbuf_fini(&part.buf);
}

static int widest(struct dout *o, const struct aggsort *s)
{
	char text[LABEL_MAX];
	int width = LABEL_WIDTH;

	for (uint32_t r = 0; r < s->nr_rows; r++) {
		key_text(o, s->aggs[0]->def, s->rows[r].key, text, sizeof(text));
		if ((int)strlen(text) > width)
			width = (int)strlen(text);
	}
	return width;
}

static FILE *memory(char **text, size_t *n)
{
	*text = NULL;
	return open_memstream(text, n);
}

static void done(struct dout *o, FILE *f, char **text, size_t *n)
{
	fclose(f);
	outbuf_mem(&o->buf, *text, *n);
	free(*text);
}

void agghist_bars(struct dout *o, const struct aggsort *s)
{
	const struct agg *a = s->aggs[0];
	struct hist_picture p = { .normal = 1 };
	char label[LABEL_MAX], *text;
	size_t n;
	FILE *f = memory(&text, &n);

	if (!f)
		return;
	p.width = widest(o, s);
	for (uint32_t r = 0; r < s->nr_rows; r++)
		hist_add(&p, agg_value(a, s->rows[r].data[0], a->normal), o->opts.agg_zoom);
	fputc('\n', f);
	hist_head(f, "key", p.width);
	for (uint32_t r = 0; r < s->nr_rows; r++) {
		key_text(o, a->def, s->rows[r].key, label, sizeof(label));
		hist_row(f, &p, label, agg_value(a, s->rows[r].data[0], a->normal));
	}
	done(o, f, &text, &n);
}

/* How much of a key's count a bin has, as a character. */
static char height(int64_t count, double total)
{
	static const char marks[] = "_.:oO@";
	double share = total > 0 ? (double)count / total : 0;
	unsigned int i = (unsigned int)(share * 6);

	if (count <= 0)
		return count ? '-' : ' ';
	return marks[i > 5 ? 5 : i];
}

void agghist_packed(struct dout *o, const struct aggsort *s)
{
	const struct agg *a = s->aggs[0];
	unsigned int first = UINT32_MAX, last = 0, lo, hi;
	char label[LABEL_MAX], min[40], max[40], *text;
	int width = widest(o, s);
	size_t n;
	FILE *f;

	for (uint32_t r = 0; r < s->nr_rows; r++) {
		if (!hist_range(&a->shape, agg_bins(s->rows[r].data[0]), &lo, &hi))
			continue;
		first = lo < first ? lo : first;
		last = hi > last ? hi : last;
	}
	if (first > last)
		first = last = hist_middle(&a->shape);
	f = memory(&text, &n);
	if (!f)
		return;
	hist_label(&a->shape, first, min, sizeof(min));
	hist_label(&a->shape, last, max, sizeof(max));
	fprintf(f, "\n%*s  %s .", width, "key", min);
	for (unsigned int i = first; i <= last; i++)
		fputc('-', f);
	fprintf(f, ". %-s | count\n", max);
	for (uint32_t r = 0; r < s->nr_rows; r++) {
		const int64_t *bins = agg_bins(s->rows[r].data[0]);
		double total = 0, sum = 0;

		for (unsigned int i = first; i <= last; i++) {
			double size = bins[i] < 0 ? -(double)bins[i] : (double)bins[i];

			sum += (double)bins[i];
			total = !o->opts.agg_zoom ? total + size : size > total ? size : total;
		}
		key_text(o, a->def, s->rows[r].key, label, sizeof(label));
		fprintf(f, "%*s  %*s :", width, label, (int)strlen(min), "");
		for (unsigned int i = first; i <= last; i++)
			fputc(height(bins[i], total), f);
		fprintf(f, ": %*s | %.0f\n", (int)strlen(max), "", sum / (double)(a->normal ? a->normal : 1));
	}
	done(o, f, &text, &n);
}
