// SPDX-License-Identifier: Apache-2.0
/* diag.c - chains of causes; see diag.h */
#include "base/diag.h"

int diag_vfail(struct diag *d, int err, const char *fmt, va_list ap)
{
	if (!d)
		return err;
	if (d->nr == DIAG_MAX_CAUSES)
		d->nr--;
	vsnprintf(d->text[d->nr++], DIAG_TEXT_MAX, fmt, ap);
	return err;
}

int diag_fail(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vfail(d, err, fmt, ap);
	va_end(ap);
	return err;
}

void diag_clear(struct diag *d)
{
	if (d)
		d->nr = 0;
}

void diag_print(const struct diag *d, FILE *f, const char *prog)
{
	for (unsigned int i = d->nr; i-- > 0;)
		fprintf(f, "%s: %s%s\n", prog, i == d->nr - 1 ? "" : "  because ", d->text[i]);
}
