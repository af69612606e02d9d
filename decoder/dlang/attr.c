// SPDX-License-Identifier: Apache-2.0
/*
 * attr.c - how stable names are and since which version of D they exist: what
 * -x amin and -x version compare, and #pragma D attributes sets
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include "dlang/check.h"

/* In dtrace(1)'s order, least first. */
static const char *const levels[] = { "Internal", "Private",  "Obsolete", "External",
				      "Unstable", "Evolving", "Stable",	  "Standard" };
static const char *const classes[] = { "Unknown", "CPU", "Platform", "Group", "ISA", "Common" };

enum { UNSTABLE = 4, EVOLVING, STABLE };
#define CLASS_COMMON 5

static const struct dlang_attr unstable = { UNSTABLE, UNSTABLE, CLASS_COMMON };
static const struct dlang_attr evolving = { EVOLVING, EVOLVING, CLASS_COMMON };
static const struct dlang_attr stable = { STABLE, STABLE, CLASS_COMMON };

static bool word(const char **p, const char *const *words, unsigned int nr, char end, uint8_t *v)
{
	size_t len = strcspn(*p, "/");
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (strlen(words[i]) == len && !strncasecmp(words[i], *p, len))
			break;
	if (i == nr || (*p)[len] != end)
		return false;
	*v = i;
	*p += len + (end != 0);
	return true;
}

bool dlang_attr(const char *text, struct dlang_attr *a)
{
	return word(&text, levels, 8, '/', &a->name) && word(&text, levels, 8, '/', &a->data) &&
	       word(&text, classes, 6, 0, &a->cls);
}

static const char *attr_text(struct dlang *dl, const struct dlang_attr *a)
{
	return arena_printf(&dl->mem, "%s/%s/%s", levels[a->name], levels[a->data],
			    classes[a->cls]);
}

#define VERSION(major, minor, micro) ((uint32_t)(major) << 24 | (minor) << 12 | (micro))
#define VERSION_LATEST VERSION(2, 0, 7)

static bool number(const char **p, unsigned long max, unsigned long *n)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*n = strtoul(*p, &end, 10);
	*p = end;
	return *n <= max;
}

int dlang_version(const char *text, uint32_t *v)
{
	static const uint32_t before_2[] = {
		VERSION(1, 0, 0), VERSION(1, 1, 0), VERSION(1, 2, 0), VERSION(1, 2, 1),
		VERSION(1, 2, 2), VERSION(1, 3, 0), VERSION(1, 4, 0), VERSION(1, 4, 1),
		VERSION(1, 5, 0), VERSION(1, 6, 0), VERSION(1, 6, 1), VERSION(1, 6, 2),
		VERSION(1, 6, 3), VERSION(1, 6, 4),
	};
	unsigned long n[3] = { 0, 0, 0 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (!number(&text, i ? 0xfff : 0xff, &n[i]))
			return -EPROTO;
		if (*text != '.')
			break;
		text++;
	}
	if (*text || !i)
		return -EPROTO;
	*v = VERSION(n[0], n[1], n[2]);
	for (i = 0; i < sizeof(before_2) / sizeof(before_2[0]); i++)
		if (*v == before_2[i])
			return 0;
	return *v >= VERSION(2, 0, 0) && *v <= VERSION_LATEST ? 0 : -ENOTSUP;
}

const char *dlang_option_error(int err)
{
	switch (err) {
	case -ENOENT:
		return "Invalid option name";
	case -EBUSY:
		return "Operation illegal when tracing is active";
	case -EPERM:
		return "Option cannot be used from within a D program";
	case -EPROTO:
		return "Version is not properly formatted or is too large";
	case -ENOTSUP:
		return "Requested version is not supported by compiler";
	case -EALREADY:
		return "Requested version conflicts with earlier setting";
	case -ENOMEM:
		return "Out of memory";
	default:
		return "Invalid value for specified option";
	}
}

/* Names that came after D 1.0, with those that are less than Stable/Stable/Common. */
static const struct row {
	const char *name;
	uint32_t version;
	const struct dlang_attr *attr;
} rows[] = {
	{ "d_path", 0, &evolving },
	{ "ddi_pathname", 0, &evolving },
	{ "freopen", VERSION(1, 1, 0), &stable },
	{ "func", VERSION(1, 2, 0), &stable },
	{ "getmajor", 0, &evolving },
	{ "getminor", 0, &evolving },
	{ "htonl", VERSION(1, 3, 0), &evolving },
	{ "htonll", VERSION(1, 3, 0), &evolving },
	{ "htons", VERSION(1, 3, 0), &evolving },
	{ "index", VERSION(1, 1, 0), &stable },
	{ "inet_ntoa", VERSION(1, 5, 0), &stable },
	{ "inet_ntoa6", VERSION(1, 5, 0), &stable },
	{ "inet_ntop", VERSION(1, 5, 0), &stable },
	{ "link_ntop", VERSION(1, 5, 0), &stable },
	{ "llquantize", VERSION(1, 6, 4), &stable },
	{ "mod", VERSION(1, 2, 0), &stable },
	{ "ntohl", VERSION(1, 3, 0), &evolving },
	{ "ntohll", VERSION(1, 3, 0), &evolving },
	{ "ntohs", VERSION(1, 3, 0), &evolving },
	{ "rindex", VERSION(1, 1, 0), &stable },
	{ "setopt", VERSION(1, 2, 0), &stable },
	{ "stddev", VERSION(1, 6, 0), &stable },
	{ "strchr", VERSION(1, 1, 0), &stable },
	{ "strrchr", VERSION(1, 1, 0), &stable },
	{ "strstr", VERSION(1, 1, 0), &stable },
	{ "strtok", VERSION(1, 1, 0), &stable },
	{ "substr", VERSION(1, 1, 0), &stable },
	{ "sym", VERSION(1, 2, 0), &stable },
	{ "uaddr", VERSION(1, 2, 0), &stable },
	{ "ucaller", VERSION(1, 2, 0), &stable },
	{ "ufunc", VERSION(1, 2, 0), &stable },
	{ "umod", VERSION(1, 2, 0), &stable },
	{ "ustackdepth", VERSION(1, 2, 0), &stable },
	{ "usym", VERSION(1, 2, 0), &stable },
};

static const struct row *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

bool attr_is_too_new(const struct dlang *dl, const struct sym *s)
{
	const struct row *r;

	if (!dl->opts.version || s->is_ext) /* names beyond DTrace are of no version */
		return false;
	r = find(s->name);
	return r && r->version > dl->opts.version;
}

/* What an attribute is of, in dtrace(1)'s words; NULL: a name that has none */
static const char *describe(struct dlang *dl, const struct node *n, const struct sym *s)
{
	const char *kind = NULL, *behind = "";

	if (n->kind == N_AGG)
		return arena_printf(&dl->mem, "aggregation @%s", n->str);
	switch (s->kind) {
	case SYM_VAR:
	case SYM_BVAR:
	case SYM_ARG:
	case SYM_ARGS:
	case SYM_INLINE:
		kind = s->is_assoc || s->kind == SYM_ARGS ? "associative array" : "scalar";
		break;
	case SYM_FUNC:
		kind = "function";
		behind = "( )";
		break;
	case SYM_AGGFN:
		kind = "aggregating function";
		behind = "( )";
		break;
	case SYM_ACTION:
		kind = "tracing function";
		behind = "( )";
		break;
	case SYM_ENUM:
		kind = "enumerator";
		break;
	}
	return kind ? arena_printf(&dl->mem, "%s %s%s", kind, n->str, behind) : NULL;
}

static const struct dlang_attr *attr_of(struct dlang *dl, const struct node *n, const struct sym *s)
{
	/* the pragma is about global names, which aggregations and self-> are not */
	bool is_global = n->kind == N_IDENT || n->kind == N_CALL;
	const struct dlang_attr *own =
		is_global ? strmap_get(&dl->attrs, n->str, strlen(n->str)) : NULL;
	const struct row *r;

	if (own)
		return own;
	if (!s || s->kind == SYM_VAR || s->kind == SYM_INLINE || s->kind == SYM_ENUM)
		return &stable;
	if (s->is_ext)
		return &evolving;
	r = find(s->name);
	return r ? r->attr : &stable;
}

static bool is_less(const struct dlang_attr *a, const struct dlang_attr *b)
{
	return a->name < b->name || a->data < b->data || a->cls < b->cls;
}

static void too_little(struct dlang *dl, uint32_t line, const char *what, const struct dlang_attr *a)
{
	err_at(dl, line, D_ATTR_MIN, "attributes for %s (%s) are less than predefined minimum",
	       what, attr_text(dl, a));
}

static void check_tree(struct dlang *dl, const struct node *n)
{
	const struct dlang_attr *a;
	const struct sym *s;
	const char *what;

	for (; n; n = n->next) {
		if (n->kind == N_IDENT || n->kind == N_CALL || n->kind == N_SCOPED ||
		    n->kind == N_AGG) {
			s = n->kind == N_AGG ? strmap_get(&dl->aggs, n->str, strlen(n->str))
					     : check_lookup(dl, n->kind == N_SCOPED ? n->op
										    : DPROG_GLOBAL,
							    n->str);
			a = attr_of(dl, n, s);
			what = s || n->kind == N_AGG ? describe(dl, n, s)
						     : arena_printf(&dl->mem, "scalar %s", n->str);
			if (what && is_less(a, &dl->opts.amin))
				too_little(dl, n->line, what, a);
		}
		check_tree(dl, n->a);
		check_tree(dl, n->b);
		check_tree(dl, n->c);
		check_tree(dl, n->list);
	}
}

struct dlang_attr dlang_attr_of_probes(const struct dprog_pdesc *pd)
{
	if (!*pd->prov || strpbrk(pd->prov, "*?[\\"))
		return unstable;
	return strncmp(pd->prov, "erlang", 6) ? stable : evolving;
}

void dlang_attr_text(const struct dlang_attr *a, const char *text[3])
{
	text[0] = levels[a->name];
	text[1] = levels[a->data];
	text[2] = classes[a->cls];
}

void attr_check(struct dlang *dl, const struct node *clause)
{
	const struct dlang_attr none = { 0, 0, 0 };
	const struct node *n;
	struct dlang_attr a;

	if (!is_less(&none, &dl->opts.amin))
		return;
	for (n = clause->list; n; n = n->next) {
		if (!n->data)
			continue;
		a = dlang_attr_of_probes(n->data);
		if (is_less(&a, &dl->opts.amin))
			too_little(dl, n->line, "clause", &a);
	}
	dl->region = DLANG_R_PRED;
	check_tree(dl, clause->a);
	dl->region = DLANG_R_BODY;
	check_tree(dl, clause->b);
	dl->region = DLANG_R_NONE;
}
