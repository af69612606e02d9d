// SPDX-License-Identifier: Apache-2.0
/*
 * err.c - errors and warnings of one unit, in the order they are found
 */
#include "base/arena.h"
#include "dlang/check.h"
#include "provider/match.h"

static const struct {
	const char *name;
	bool is_in;
} tags[DL_NR_TAGS] = {
#define IN		      true
#define OUT		      false
#define DIAG(tag, scope, fmt) [tag] = { #tag, scope },
#include "diag.def"
#undef DIAG
#undef IN
#undef OUT
};

const char *err_tag_name(enum dl_tag tag)
{
	return tags[tag].name;
}

static void add(struct dlang *dl, uint32_t line, enum dl_tag tag, bool is_warning, const char *fmt,
		va_list ap)
{
	struct dlang_error *e;
	char text[1024];

	if (!is_warning)
		dl->failed = true;
	if (dl->nr_errs == DL_MAX_ERRORS)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	e = &dl->errs[dl->nr_errs++];
	*e = (struct dlang_error){
		.tag = tags[tag].name,
		.text = arena_strdup(&dl->mem, text),
		.hint = "",
		.file = dl->lex.file,
		.line = line,
		.region = tags[tag].is_in ? dl->region : DLANG_R_NONE,
		.is_warning = is_warning,
	};
}

void err_at(struct dlang *dl, uint32_t line, enum dl_tag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(dl, line, tag, false, fmt, ap);
	va_end(ap);
}

void err_warn(struct dlang *dl, uint32_t line, enum dl_tag tag, const char *fmt, ...)
{
	va_list ap;

	if (dl->opts.no_lint)
		return;
	va_start(ap, fmt);
	add(dl, line, tag, true, fmt, ap);
	va_end(ap);
}

/* To the newest error */
void err_hint(struct dlang *dl, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!dl->nr_errs)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dl->errs[dl->nr_errs - 1].hint = arena_strdup(&dl->mem, text);
}

const char *err_near(const struct dlang *dl, const struct strmap *const *maps, unsigned int nr,
		     unsigned int kinds, const char *name)
{
	size_t len = strlen(name), i;
	unsigned int best = len < 5 ? 1 : 2, m, d;
	const char *found = NULL;

	if (len < 3 || len > 64)
		return NULL;
	for (m = 0; m < nr; m++)
		for (i = 0; i < maps[m]->cap; i++) {
			const struct strmap_slot *s = &maps[m]->slots[i];

			const struct sym *sym = s->value;

			if (!s->key || !sym || s->len > 64 || !(kinds >> sym->kind & 1) ||
			    !strcmp(s->key, name) || attr_is_too_new(dl, sym))
				continue;
			d = match_distance(s->key, name, best);
			/*
			 * of equals the first in the alphabet, so that the answer is always the
			 * same
			 */
			if (d < best || (d == best && (!found || strcmp(s->key, found) < 0))) {
				best = d;
				found = s->key;
			}
		}
	return found;
}

void dlang_error_text(const struct dlang_error *e, const struct dlang_unit *u, bool with_tag,
		      char *buf, size_t size)
{
	static const char *const region[] = { "", "in predicate: ", "in action list: " };
	char tag[64] = "", where[64] = "";

	if (with_tag)
		snprintf(tag, sizeof(tag), "[%s] ", e->tag);
	if (u->is_file) {
		if (e->line)
			snprintf(where, sizeof(where), "line %u: ", e->line);
		if (e->file)
			snprintf(buf, size, "%s %s: %s\"%s\", %s%s",
				 e->is_warning ? "warning: script" : "failed to compile script",
				 u->name, tag, e->file, where, e->text);
		else
			snprintf(buf, size, "%s %s: %s%s%s",
				 e->is_warning ? "warning: script" : "failed to compile script",
				 u->name, tag, where, e->text);
		return;
	}
	snprintf(buf, size, "%s %s: %s%s%s",
		 e->is_warning ? "warning: probe specifier" : "invalid probe specifier", u->name,
		 tag, region[e->region], e->text);
}
