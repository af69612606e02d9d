// SPDX-License-Identifier: Apache-2.0
/*
 * hist.c - bins of distributions; see hist.h
 *
 * A llquantize is laid out as
 *
 *	bin  0        1 ... n               n + 1       n + 2 ... 2n + 1      2n + 2
 *	     <= -top  -(top-step) ... -low  around 0    low ... (top-step)    >= top
 *
 * where n is the number of steps on one side and top = factor^(high + 1).
 */
#include <stdio.h>
#include "drun/hist.h"

/* factor^n, or the largest value when that is beyond 63 bits */
static int64_t power(uint32_t factor, uint32_t n)
{
	int64_t v = 1;

	while (n--)
		if (__builtin_mul_overflow(v, (int64_t)factor, &v))
			return INT64_MAX;
	return v;
}

static unsigned int lq_levels(const struct hist_shape *s)
{
	return (unsigned int)((s->limit - s->base) / s->step);
}

/* The steps of one power: from @from up to @to, which is excluded. */
static int64_t ll_step(const struct hist_shape *s, int64_t to)
{
	return to > (int64_t)s->steps ? to / s->steps : 1;
}

static unsigned int ll_count(const struct hist_shape *s, int64_t from, int64_t to)
{
	int64_t step = ll_step(s, to);

	return (unsigned int)((to - from + step - 1) / step);
}

static unsigned int ll_side(const struct hist_shape *s)
{
	unsigned int n = 0;

	for (uint32_t m = s->low; m <= s->high; m++)
		n += ll_count(s, power(s->factor, m), power(s->factor, m + 1));
	return n;
}

unsigned int hist_nr_bins(const struct hist_shape *s)
{
	switch (s->kind) {
	case HIST_LQUANTIZE:
		return lq_levels(s) + 2;
	case HIST_LLQUANTIZE:
		return 2 * ll_side(s) + 3;
	case HIST_QUANTIZE:
		break;
	}
	return HIST_QUANTIZE_BINS;
}

static unsigned int lq_bin(const struct hist_shape *s, int64_t v)
{
	unsigned int levels = lq_levels(s);
	uint64_t i;

	if (v < s->base)
		return 0;
	i = ((uint64_t)v - (uint64_t)s->base) / (uint64_t)s->step;
	return i >= levels ? levels + 1 : (unsigned int)i + 1;
}

static unsigned int ll_bin(const struct hist_shape *s, int64_t v)
{
	unsigned int side = ll_side(s), n = 0;
	int64_t a = v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;

	if (a < power(s->factor, s->low))
		return side + 1;
	for (uint32_t m = s->low; m <= s->high; m++) {
		int64_t from = power(s->factor, m), to = power(s->factor, m + 1);

		if (a < to) {
			n += (unsigned int)((a - from) / ll_step(s, to));
			return v < 0 ? side - n : side + 2 + n;
		}
		n += ll_count(s, from, to);
	}
	return v < 0 ? 0 : 2 * side + 2;
}

unsigned int hist_bin(const struct hist_shape *s, int64_t v)
{
	switch (s->kind) {
	case HIST_LQUANTIZE:
		return lq_bin(s, v);
	case HIST_LLQUANTIZE:
		return ll_bin(s, v);
	case HIST_QUANTIZE:
		break;
	}
	return hist_quantize_bin(v);
}

static void lq_label(const struct hist_shape *s, unsigned int bin, char *buf, size_t size)
{
	unsigned int levels = lq_levels(s);
	long long at = s->base + (int64_t)(bin - 1) * s->step;

	if (bin == 0)
		snprintf(buf, size, "< %lld", (long long)s->base);
	else if (bin == levels + 1)
		snprintf(buf, size, ">= %lld", at);
	else
		snprintf(buf, size, "%lld", at);
}

static void ll_label(const struct hist_shape *s, unsigned int bin, char *buf, size_t size)
{
	unsigned int side = ll_side(s), n;
	long long top = power(s->factor, s->high + 1), low = power(s->factor, s->low);

	if (bin == 0) {
		snprintf(buf, size, "<= %lld", -top);
		return;
	}
	if (bin == 2 * side + 2) {
		snprintf(buf, size, ">= %lld", top);
		return;
	}
	if (bin == side + 1) {
		if (low == 1)
			snprintf(buf, size, "0");
		else
			snprintf(buf, size, "abs() < %lld", low);
		return;
	}
	n = bin <= side ? side - bin : bin - side - 2;
	for (uint32_t m = s->low; m <= s->high; m++) {
		int64_t from = power(s->factor, m), to = power(s->factor, m + 1);
		unsigned int here = ll_count(s, from, to);

		if (n < here) {
			long long at = from + n * ll_step(s, to);

			snprintf(buf, size, "%lld", bin <= side ? -at : at);
			return;
		}
		n -= here;
	}
}

void hist_label(const struct hist_shape *s, unsigned int bin, char *buf, size_t size)
{
	switch (s->kind) {
	case HIST_LQUANTIZE:
		lq_label(s, bin, buf, size);
		return;
	case HIST_LLQUANTIZE:
		ll_label(s, bin, buf, size);
		return;
	case HIST_QUANTIZE:
		break;
	}
	if (bin < HIST_QUANTIZE_ZERO)
		snprintf(buf, size, "%lld", -(1LL << (HIST_QUANTIZE_ZERO - 1 - bin)));
	else if (bin == HIST_QUANTIZE_ZERO)
		snprintf(buf, size, "0");
	else
		snprintf(buf, size, "%lld", 1LL << (bin - HIST_QUANTIZE_ZERO - 1));
}

unsigned int hist_middle(const struct hist_shape *s)
{
	switch (s->kind) {
	case HIST_LQUANTIZE:
		return 1;
	case HIST_LLQUANTIZE:
		return ll_side(s) + 1;
	case HIST_QUANTIZE:
		break;
	}
	return HIST_QUANTIZE_ZERO;
}

/* The number that a llquantize's bin stands for. */
static double ll_value(const struct hist_shape *s, unsigned int bin)
{
	unsigned int side = ll_side(s), n;

	if (bin == side + 1)
		return 0;
	if (!bin || bin == 2 * side + 2)
		return (bin ? 1 : -1) * (double)power(s->factor, s->high + 1);
	n = bin <= side ? side - bin : bin - side - 2;
	for (uint32_t m = s->low; m <= s->high; m++) {
		int64_t from = power(s->factor, m), to = power(s->factor, m + 1);
		unsigned int here = ll_count(s, from, to);

		if (n < here)
			return (bin <= side ? -1 : 1) * (double)(from + n * ll_step(s, to));
		n -= here;
	}
	return 0;
}

/* The number that a bin stands for: that of its label; a bit outside for the two ends. */
static double bin_value(const struct hist_shape *s, unsigned int bin)
{
	switch (s->kind) {
	case HIST_LQUANTIZE:
		return bin ? (double)s->base + (double)(bin - 1) * (double)s->step : (double)s->base - 1;
	case HIST_LLQUANTIZE:
		return ll_value(s, bin);
	case HIST_QUANTIZE:
		break;
	}
	if (bin == HIST_QUANTIZE_ZERO)
		return 0;
	if (bin < HIST_QUANTIZE_ZERO)
		return -(double)(1ULL << (HIST_QUANTIZE_ZERO - 1 - bin));
	return (double)(1ULL << (bin - HIST_QUANTIZE_ZERO - 1));
}

double hist_weight(const struct hist_shape *s, const int64_t *bins)
{
	unsigned int nr = hist_nr_bins(s);
	double sum = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (bins[i])
			sum += bin_value(s, i) * (double)bins[i];
	return sum;
}
