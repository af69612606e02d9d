// SPDX-License-Identifier: Apache-2.0
/* hist.c - the picture of a distribution */
#include <math.h>
#include <string.h>
#include "dout/hist.h"

#define BAR 40

/* What all rows have in common. */
struct picture {
	double total; /* of the counts without their signs */
	bool negative, mixed;
	int64_t normal;
};

static void fill(char *at, unsigned int n)
{
	memset(at, '@', n);
}

static void row(FILE *f, const struct picture *p, const char *text, int64_t count)
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
		fprintf(f, "%16s %s|%s %-9lld\n", text, left, right, (long long)count);
	else if (p->negative)
		fprintf(f, "%16s %s| %-9lld\n", text, left, (long long)count);
	else
		fprintf(f, "%16s |%s %-9lld\n", text, right, (long long)count);
}

void hist_print(FILE *f, const struct hist_shape *s, const int64_t *bins, int64_t normal)
{
	unsigned int nr = hist_nr_bins(s), first = nr, last = 0;
	struct picture p = { .normal = normal ? normal : 1 };
	bool positive = false;
	char text[40] = "";

	for (unsigned int i = 0; i < nr; i++) {
		if (!bins[i])
			continue;
		if (first == nr)
			first = i;
		last = i;
		p.total += fabs((double)bins[i]);
		p.negative |= bins[i] < 0;
		positive |= bins[i] > 0;
	}
	p.mixed = p.negative && positive;
	if (first == nr) {
		/* nothing counted, or it was cleared: show where 0 would be */
		first = last = hist_middle(s);
	}
	if (first > 0)
		first--;
	if (last < nr - 1)
		last++;
	fprintf(f, "%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
	for (unsigned int i = first; i <= last; i++) {
		hist_label(s, i, text, sizeof(text));
		row(f, &p, text, bins[i]);
	}
}
