// SPDX-License-Identifier: Apache-2.0
/* hist.c - the picture of a distribution */
#include <math.h>
#include <string.h>
#include "dout/hist.h"

#define BAR 40

static void fill(char *at, unsigned int n)
{
	memset(at, '@', n);
}

void hist_head(FILE *f, const char *label, int width)
{
	fprintf(f, "%*s %41s %-9s\n", width, label, "------------- Distribution -------------", "count");
}

void hist_add(struct hist_picture *p, int64_t count, bool zoom)
{
	double size = fabs((double)count);

	if (zoom)
		p->total = size > p->total ? size : p->total;
	else
		p->total += size;
	p->negative |= count < 0;
	p->mixed |= (count < 0 && p->positive) || (count > 0 && p->negative);
	p->positive |= count > 0;
}

void hist_row(FILE *f, const struct hist_picture *p, const char *text, int64_t count)
{
	unsigned int width = p->mixed ? BAR / 2 : BAR;
	double share = p->total > 0 ? fabs((double)count) * width / p->total : 0;
	unsigned int len = (unsigned int)(share + 0.5);
	char left[BAR + 1] = "", right[BAR + 1] = "";

	if (len > width)
		len = width;
	memset(left, ' ', width);
	memset(right, ' ', width);
	if (count < 0)
		fill(left + width - len, len);
	else
		fill(right, len);
	left[width] = right[width] = '\0';
	/* -count is not defined for the smallest number, nor is its division by -1 */
	if (p->normal == -1)
		count = (int64_t)(0 - (uint64_t)count);
	else
		count /= p->normal;
	if (p->mixed)
		fprintf(f, "%*s %s|%s %-9lld\n", p->width, text, left, right, (long long)count);
	else if (p->negative)
		fprintf(f, "%*s %s| %-9lld\n", p->width, text, left, (long long)count);
	else
		fprintf(f, "%*s |%s %-9lld\n", p->width, text, right, (long long)count);
}

bool hist_range(const struct hist_shape *s, const int64_t *bins, unsigned int *first, unsigned int *last)
{
	unsigned int nr = hist_nr_bins(s);
	bool any = false;

	for (unsigned int i = 0; i < nr; i++) {
		if (!bins[i])
			continue;
		if (!any)
			*first = i;
		*last = i;
		any = true;
	}
	return any;
}

void hist_print_zoomed(FILE *f, const struct hist_shape *s, const int64_t *bins, int64_t normal, bool zoom)
{
	struct hist_picture p = { .width = 16, .normal = normal ? normal : 1 };
	unsigned int nr = hist_nr_bins(s), first = 0, last = 0;
	char text[40] = "";

	/* nothing counted, or it was cleared: show where 0 would be */
	if (!hist_range(s, bins, &first, &last))
		first = last = hist_middle(s);
	for (unsigned int i = first; i <= last; i++)
		hist_add(&p, bins[i], zoom);
	if (first > 0)
		first--;
	if (last < nr - 1)
		last++;
	hist_head(f, "value", p.width);
	for (unsigned int i = first; i <= last; i++) {
		hist_label(s, i, text, sizeof(text));
		hist_row(f, &p, text, bins[i]);
	}
}

void hist_print(FILE *f, const struct hist_shape *s, const int64_t *bins, int64_t normal)
{
	hist_print_zoomed(f, s, bins, normal, false);
}
