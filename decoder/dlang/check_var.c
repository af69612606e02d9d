// SPDX-License-Identifier: Apache-2.0
/*
 * check_var.c - names in expressions: variables, args[], inlines, members,
 * translated members; and keys
 */
#include "dlang/check.h"

static struct node *fail(struct node *n)
{
	n->type = NULL;
	return n;
}

/* kinds of names that have a value */
#define VALUES                                                                                     \
	(1u << SYM_VAR | 1u << SYM_BVAR | 1u << SYM_ARG | 1u << SYM_ARGS | 1u << SYM_INLINE |      \
	 1u << SYM_ENUM)

/* Says so once a name: from then on the name is one in error. */
void check_undef(struct dlang *dl, const struct node *n)
{
	unsigned int scope = n->kind == N_SCOPED ? n->op : DPROG_GLOBAL;
	const struct strmap *maps[] = { &dl->names[scope], &dl->builtins };
	const char *near;

	if (scope == DPROG_GLOBAL)
		err_at(dl, n->line, D_IDENT_UNDEF, "failed to resolve %s: %s", n->str,
		       "Unknown variable name");
	else
		err_at(dl, n->line, D_VAR_UNDEF, "%s%s has not yet been declared or assigned",
		       check_scope_prefix(scope), n->str);
	near = dl->nr_errs == DL_MAX_ERRORS
		       ? NULL
		       : err_near(dl, maps, scope == DPROG_GLOBAL ? 2 : 1, VALUES, n->str);
	if (near)
		err_hint(dl, "nearest name: %s%s", check_scope_prefix(scope), near);
	check_new_var(dl, scope, n->str, dl->t_void, n->line);
}

static struct node *badref(struct dlang *dl, struct node *n, const char *what, const char *as)
{
	err_at(dl, n->line, D_IDENT_BADREF, "%s '%s' may not be referenced as %s", what, n->str,
	       as);
	return fail(n);
}

/* An inline's expression in place of its name; with parameters, bound to registers by a LET */
static struct node *expand(struct dlang *dl, struct node *n, const struct sym *s, struct node *args)
{
	struct strmap map = { 0 }, *outer = dl->scope;
	struct node *body, *let, *p, *next;
	unsigned int i;

	if (!parse_enter(dl)) {
		parse_leave(dl);
		return fail(n);
	}
	for (i = 0; i < s->nr_params; i++)
		if (*s->params[i]->name)
			strmap_put(&map, s->params[i]->name, strlen(s->params[i]->name),
				   s->params[i]);
	dl->scope = s->nr_params ? &map : NULL;
	body = check_expr(dl, ast_copy(dl, s->expr));
	dl->scope = outer;
	strmap_fini(&map);
	parse_leave(dl);
	if (!body->type)
		return fail(n);
	body = check_conv(dl, body, s->type);
	body->is_lval = false;
	if (!s->nr_params)
		return body;
	let = ast_new(dl, N_LET, n->line);
	let->list = args;
	for (i = 0, p = args; p; p = next, i++) {
		next = p->next;
		p->value = s->params[i]->number;
	}
	let->b = body;
	let->type = s->type;
	return let;
}

struct node *check_ident(struct dlang *dl, struct node *n)
{
	unsigned int scope = n->kind == N_SCOPED ? n->op : DPROG_GLOBAL;
	struct sym *s = check_lookup(dl, scope, n->str);

	if (!s) {
		check_undef(dl, n);
		return fail(n);
	}
	n->sym = s;
	switch (s->kind) {
	case SYM_VAR:
		if (s->is_assoc)
			return badref(dl, n, "associative array", "scalar");
		if (type_is_void(s->type)) /* in error already */
			return fail(n);
		n->type = s->type;
		n->is_lval = true;
		return n;
	case SYM_BVAR:
	case SYM_ARG:
		n->type = s->type;
		return n;
	case SYM_ARGS:
		return badref(dl, n, "array", "scalar");
	case SYM_ENUM:
		return ast_int(dl, n->line, s->value, s->type);
	case SYM_INLINE:
		if (s->nr_params)
			return badref(dl, n, "inline array", "scalar");
		return expand(dl, n, s, NULL);
	case SYM_PARAM:
		n->kind = N_PARAM;
		n->value = s->number;
		n->type = s->type;
		return n;
	case SYM_REFUSED:
		err_at(dl, n->line, s->tag, "%s", s->refused);
		return fail(n);
	case SYM_FUNC:
		return badref(dl, n, "function", "scalar");
	case SYM_AGGFN:
		return badref(dl, n, "aggregating function", "scalar");
	default:
		return badref(dl, n, "action", "scalar");
	}
}

struct node *check_agg_use(struct dlang *dl, struct node *n)
{
	if (!strmap_get(&dl->aggs, n->str, strlen(n->str)))
		err_at(dl, n->line, D_IDENT_UNDEF, "failed to resolve @%s: %s", n->str,
		       "Unknown variable name");
	else
		err_at(dl, n->line, D_AGG_USE, "aggregation @%s can not be used as a value",
		       n->str);
	return fail(n);
}

static unsigned int chain_len(const struct node *n)
{
	unsigned int nr = 0;

	for (; n; n = n->next)
		nr++;
	return nr;
}

const struct dtype *check_key_type(struct dlang *dl, const struct dtype *t)
{
	const struct dtype *b = dtype_base(t);

	if (type_is_text(t) && b->kind == DTYPE_ARRAY)
		return dl->t_string;
	if (b->kind == DTYPE_ARRAY)
		return type_ptr(dl, b->ref);
	return t;
}

/* May a value of this type be a key? */
static bool key_ok(const struct dtype *t, bool is_agg)
{
	unsigned int k = dtype_base(t)->kind;

	return k == DTYPE_INT || k == DTYPE_ENUM || k == DTYPE_PTR || k == DTYPE_STRING ||
	       (is_agg && (k == DTYPE_STACK || k == DTYPE_SYM));
}

bool check_keys(struct dlang *dl, struct node *n, const char *what, struct node **list,
		const struct dtype ***keys, unsigned int *nr_keys, bool define)
{
	struct node **at, *next, *k;
	unsigned int nr = chain_len(*list), i = 0;
	bool ok = true, is_agg = *what == '@';

	if (nr > DPROG_MAX_KEYS) {
		err_at(dl, n->line, D_TOOBIG, "%s[ ] has more than %u keys", what, DPROG_MAX_KEYS);
		return false;
	}
	if (define) {
		*nr_keys = nr;
		*keys = arena_alloc(&dl->mem, (nr ? nr : 1) * sizeof(**keys));
	} else if (nr != *nr_keys) {
		err_at(dl, n->line, D_PROTO_LEN,
		       "%s[ ] prototype mismatch: %u key%s passed, %u expected", what, nr,
		       nr == 1 ? "" : "s", *nr_keys);
		ok = false;
	}
	for (at = list; *at; at = &(*at)->next, i++) {
		next = (*at)->next;
		k = check_expr(dl, *at);
		if (define)
			(*keys)[i] = dl->t_void; /* until it is known: fits anything */
		if (k->type && define) {
			(*keys)[i] = check_key_type(dl, k->type);
			if (!key_ok((*keys)[i], is_agg)) {
				err_at(dl, n->line, D_KEY_TYPE,
				       "%s expression(s) may not be used as a key", k->type->name);
				ok = false;
			}
		} else if (k->type && ok && !type_is_void((*keys)[i]) &&
			   !check_assignable((*keys)[i], k) &&
			   dtype_base((*keys)[i]) != dtype_base(k->type)) {
			err_at(dl, n->line, D_PROTO_ARG,
			       "%s[ ] key #%u is incompatible with prototype:\n\tprototype: %s\n\t "
			       "     key: %s",
			       what, i + 1, (*keys)[i]->name, k->type->name);
			ok = false;
		}
		if (!k->type)
			ok = false;
		if (ok)
			k = check_conv(dl, k, (*keys)[i]);
		if (k != *at) {
			/*
			 * a node that came in place of another, or itself shared, must not share
			 * its chain
			 */
			k->next = next;
			*at = k;
		}
	}
	return ok;
}

static struct node *check_args(struct dlang *dl, struct node *n)
{
	struct node *i = check_expr(dl, n->list);
	const struct dlang_match *m = &dl->match;
	const struct dtype *t;

	if (!i->type)
		return fail(n);
	if (n->list->next || !check_is_const(i) || !type_is_int(i->type)) {
		err_at(dl, n->line, D_ARGS_TYPE, "args[ ] requires an integer constant index");
		return fail(n);
	}
	if (!dl->clause) {
		err_at(dl, n->line, D_ARGS_NONE,
		       "args[ ] may not be referenced outside of a clause");
		return fail(n);
	}
	if (i->value < 0 || i->value >= m->nr_args || !m->arg_types[i->value] ||
	    !*m->arg_types[i->value]) {
		err_at(dl, n->line, D_ARGS_IDX, "index %lld is out of range for %s args[ ]",
		       (long long)i->value, dl->match_text);
		return fail(n);
	}
	if (m->vary[i->value]) {
		err_at(dl, n->line, D_ARGS_MULTI,
		       "args[%lld] may not be referenced because probe description %s matches "
		       "probes that give it different types",
		       (long long)i->value, dl->match_text);
		return fail(n);
	}
	t = parse_type_text(dl, m->arg_types[i->value]);
	if (!t) {
		err_at(dl, n->line, D_ARGS_XLATOR, "type \"%s\" of args[%lld] is not known",
		       m->arg_types[i->value], (long long)i->value);
		return fail(n);
	}
	n->value = i->value;
	n->type = t;
	return n;
}

static struct node *check_inline_call(struct dlang *dl, struct node *n, struct sym *s)
{
	struct node *first = NULL, **tail = &first, *a, *next, *p;
	unsigned int nr = chain_len(n->list), i = 0;
	bool ok = true;

	if (nr != s->nr_params) {
		err_at(dl, n->line, D_PROTO_LEN,
		       "%s[ ] prototype mismatch: %u key%s passed, %u expected", s->name, nr,
		       nr == 1 ? "" : "s", s->nr_params);
		return fail(n);
	}
	for (a = n->list; a; a = next, i++) {
		next = a->next;
		a->next = NULL;
		p = ast_new(dl, N_PARAM, n->line);
		p->a = check_expr(dl, a);
		if (!p->a->type) {
			ok = false;
		} else if (!check_assignable(s->params[i]->type, p->a)) {
			err_at(dl, n->line, D_PROTO_ARG,
			       "%s[ ] key #%u is incompatible with prototype:\n\tprototype: %s\n\t "
			       "     key: %s",
			       s->name, i + 1, s->params[i]->type->name, p->a->type->name);
			ok = false;
		} else {
			p->a = check_conv(dl, p->a, s->params[i]->type);
			p->type = s->params[i]->type;
		}
		*tail = p;
		tail = &p->next;
	}
	return ok ? expand(dl, n, s, first) : fail(n);
}

static struct node *check_array(struct dlang *dl, struct node *n)
{
	const struct dtype *t = dtype_base(n->a->type);
	struct node *i = check_expr(dl, n->list);

	if (!i->type)
		return fail(n);
	if (n->list->next || !type_is_int(i->type)) {
		if (t->kind != DTYPE_ARRAY && t->kind != DTYPE_PTR && t->kind != DTYPE_STRING)
			err_at(dl, n->line, D_DEREF_NONPTR, "cannot dereference non-pointer type");
		else
			err_at(dl, n->line, D_ARR_BADREF, "array index must be one integer");
		return fail(n);
	}
	n->list = check_conv(dl, i, dl->t_long);
	switch (t->kind) {
	case DTYPE_STRING:
		n->type = dl->t_char;
		return n;
	case DTYPE_ARRAY:
		if (check_is_const(n->list) && t->nr && (uint64_t)n->list->value >= t->nr) {
			err_at(dl, n->line, D_ARR_BOUNDS,
			       "index outside array bounds: %lld, max is %u",
			       (long long)n->list->value, t->nr);
			return fail(n);
		}
		break;
	case DTYPE_PTR:
		if (type_is_void(t->ref)) {
			err_at(dl, n->line, D_DEREF_VOID, "cannot dereference pointer to void");
			return fail(n);
		}
		if (dtype_base(t->ref)->is_incomplete) {
			err_at(dl, n->line, D_OP_INCOMPLETE,
			       "operator %s cannot be applied to a pointer to type \"%s\" of "
			       "unknown size",
			       "[]", t->ref->name);
			return fail(n);
		}
		break;
	default:
		err_at(dl, n->line, D_DEREF_NONPTR, "cannot dereference non-pointer type");
		return fail(n);
	}
	n->type = t->ref;
	n->is_lval = true;
	return n;
}

struct node *check_index(struct dlang *dl, struct node *n)
{
	unsigned int scope = n->a->kind == N_SCOPED ? n->a->op : DPROG_GLOBAL;
	struct sym *s;

	if (n->a->kind == N_IDENT || n->a->kind == N_SCOPED) {
		s = check_lookup(dl, scope, n->a->str);
		if (!s) {
			check_undef(dl, n->a);
			return fail(n);
		}
		if (s->kind == SYM_ARGS) {
			n->sym = s;
			return check_args(dl, n);
		}
		if (s->kind == SYM_INLINE && s->nr_params)
			return check_inline_call(dl, n, s);
		if (s->kind == SYM_VAR && s->is_assoc) {
			n->str = s->name;
			if (!check_keys(dl, n,
					arena_printf(&dl->mem, "%s%s", check_scope_prefix(scope),
						     s->name),
					&n->list, &s->keys, &s->nr_keys, false))
				return fail(n);
			n->sym = s;
			n->type = s->type;
			n->is_lval = true;
			return n;
		}
	}
	n->a = check_expr(dl, n->a);
	return n->a->type ? check_array(dl, n) : fail(n);
}

struct node *check_member(struct dlang *dl, struct node *n)
{
	const struct dtype *t;
	const struct dtype_member *m;
	uint32_t bit;

	if (n->a->kind == N_XLATE)
		return check_xlate_member(dl, n);
	n->a = check_expr(dl, n->a);
	t = n->a->type;
	if (!t)
		return fail(n);
	if (n->kind == N_ARROW) {
		if (!type_is_ptr(t) && !type_is_array(t)) {
			err_at(dl, n->line, D_OP_PTR, "operator %s must be applied to a pointer",
			       "->");
			return fail(n);
		}
		t = dtype_base(t)->ref;
	}
	if (!type_is_sou(t)) {
		err_at(dl, n->line, D_OP_SOU,
		       "operator %s cannot be applied to type \"%s\"; must be applied to a struct "
		       "or union",
		       n->kind == N_ARROW ? "->" : ".", t->name);
		return fail(n);
	}
	if (dtype_base(t)->is_incomplete) {
		err_at(dl, n->line, D_OP_INCOMPLETE,
		       "operator %s cannot be applied to a pointer to type \"%s\" of unknown size",
		       n->kind == N_ARROW ? "->" : ".", t->name);
		return fail(n);
	}
	m = type_member(t, n->str, &bit);
	if (!m) {
		err_at(dl, n->line, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
		       dtype_base(t)->name);
		return fail(n);
	}
	n->is_lval = n->kind == N_ARROW || n->a->is_lval;
	n->kind = N_MEMBER;
	n->value = bit;
	n->len = m->nr_bits;
	n->type = m->type;
	return n;
}

static struct xlator *find_xlator(struct dlang *dl, const struct dtype *to, const struct node *from)
{
	struct xlator *x, *loose = NULL;

	for (x = dl->xlators; x; x = x->next) {
		if (dtype_base(x->to) != dtype_base(to))
			continue;
		if (dtype_base(x->from) == dtype_base(from->type))
			return x;
		if (check_assignable(x->from, from))
			loose = x;
	}
	return loose;
}

bool check_has_xlator(struct dlang *dl, struct node *n)
{
	const struct dtype *to = n->data;

	if (type_is_ptr(to))
		to = dtype_base(to)->ref;
	if (find_xlator(dl, to, n->a))
		return true;
	err_at(dl, n->line, D_XLATE_NONE, "cannot translate from \"%s\" to \"%s\"",
	       n->a->type->name, to->name);
	return false;
}

/* xlate<T>(e).m and xlate<T *>(e)->m: m's expression with e bound to the parameter */
struct node *check_xlate_member(struct dlang *dl, struct node *n)
{
	struct strmap map = { 0 }, *outer = dl->scope;
	const struct dtype *to = n->a->data;
	struct node *e, *m, *let, *p;
	const struct dtype_member *dm;
	struct xlator *x;
	uint32_t bit;

	e = check_expr(dl, n->a->a);
	if (!to || !e->type)
		return fail(n);
	if (n->kind == N_ARROW) {
		if (!type_is_ptr(to)) {
			err_at(dl, n->line, D_OP_PTR, "operator %s must be applied to a pointer",
			       "->");
			return fail(n);
		}
		to = dtype_base(to)->ref;
	}
	x = find_xlator(dl, to, e);
	if (!x) {
		err_at(dl, n->line, D_XLATE_NONE, "cannot translate from \"%s\" to \"%s\"",
		       e->type->name, to->name);
		return fail(n);
	}
	dm = type_member(to, n->str, &bit);
	if (!dm) {
		err_at(dl, n->line, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
		       dtype_base(to)->name);
		return fail(n);
	}
	for (m = x->members; m && strcmp(m->str, n->str); m = m->next)
		;
	if (!m) {
		err_at(dl, n->line, D_XLATE_MEMB,
		       "translator does not define conversion for member: %s", n->str);
		return fail(n);
	}
	let = ast_new(dl, N_LET, n->line);
	p = ast_new(dl, N_PARAM, n->line);
	p->a = check_conv(dl, e, x->from);
	p->value = x->param->number;
	p->type = x->from;
	let->list = p;
	strmap_put(&map, x->param->name, strlen(x->param->name), x->param);
	dl->scope = &map;
	if (parse_enter(dl))
		let->b = check_expr(dl, ast_copy(dl, m->a));
	parse_leave(dl);
	dl->scope = outer;
	strmap_fini(&map);
	if (!let->b || !let->b->type)
		return fail(n);
	let->b = check_conv(dl, let->b, type_is_array(dm->type) ? let->b->type : dm->type);
	let->type = let->b->type;
	return let;
}
