// SPDX-License-Identifier: Apache-2.0
/* src.c - what is the same for all sources; see src.h */
#include <errno.h>
#include "source/src.h"

/* Whether the caller left a record of the run that is still within its bound. */
static bool has_rest(const struct src_run *run)
{
	return run->at != run->end && BTAP_TIME_FULL(*run->at, run->base) <= run->bound;
}

int src_run(struct src *s, struct src_run *run, struct diag *d)
{
	if (has_rest(run))
		return 1;
	return s->ops->run(s, run, d);
}

bool src_is_live(const struct src *s)
{
	return s->ops->is_live && s->ops->is_live(s);
}

int src_next(struct src *s, struct src_rec *rec, struct diag *d)
{
	int r;

	while (!src_run_next(&s->cur, rec)) {
		r = s->ops->run(s, &s->cur, d);
		if (r <= 0)
			return r;
	}
	return 1;
}

int src_enable(struct src *s, const struct src_want *want, struct diag *d)
{
	if (!s->ops->enable)
		return diag_fail(d, -EOPNOTSUPP,
				 "a %s has no events to switch on: they are switched on "
				 "in a live node",
				 s->ops->name);
	return s->ops->enable(s, want, d);
}

int src_disable(struct src *s, struct diag *d)
{
	return s->ops->disable ? s->ops->disable(s, d) : 0;
}

void src_stats(const struct src *s, struct src_stats *st)
{
	*st = (struct src_stats){ 0 };
	if (s->ops->stats)
		s->ops->stats(s, st);
}

void src_close(struct src *s)
{
	if (s)
		s->ops->close(s);
}
