// SPDX-License-Identifier: Apache-2.0
/*
 * check.c - what names stand for: built-in things, and what declarations define
 */
#include <ctype.h>
#include "dlang/check.h"
#include "dlang/prelude.h"

const char *check_scope_prefix(unsigned int scope)
{
	static const char *const prefix[DPROG_NR_SCOPES] = { "", "self->", "this->", "eself->" };

	return prefix[scope];
}

static struct sym *builtin(struct dlang *dl, enum sym_kind kind, const char *name,
			   unsigned int number, unsigned int flags)
{
	struct sym *s = arena_alloc(&dl->mem, sizeof(*s));

	*s = (struct sym){ .kind = kind, .name = name, .number = number, .is_ext = flags & BF_EXT };
	/* an action and a function may share a name: the first is kept */
	if (!strmap_get(&dl->builtins, name, strlen(name)))
		strmap_put(&dl->builtins, name, strlen(name), s);
	return s;
}

static const struct {
	const char *name;
	int tag;
	const char *text;
} refused[] = {
#define REFUSED(name_, tag_, text_) { name_, tag_, text_ },
#include "dprog/builtin.def"
};

void check_init(struct dlang *dl)
{
	static const char *const args[] = { "arg0", "arg1", "arg2", "arg3", "arg4",
					    "arg5", "arg6", "arg7", "arg8", "arg9" };
	unsigned int i;
	struct sym *s;

	parse_text(dl, prelude_types);
	for (i = 0; i < DPROG_NR_BVARS; i++) {
		s = builtin(dl, SYM_BVAR, prog_bvars[i].name, i, prog_bvars[i].flags);
		s->type = parse_type_text(dl, prog_bvars[i].type);
	}
	for (i = 0; i < 10; i++)
		builtin(dl, SYM_ARG, args[i], i, 0)->type = dl->t_int64;
	builtin(dl, SYM_ARGS, "args", 0, 0);
	for (i = 0; i < DPROG_NR_FNS; i++) {
		s = builtin(dl, SYM_FUNC, prog_funcs[i].name, i, prog_funcs[i].flags);
		s->type = parse_type_text(dl, prog_funcs[i].type);
	}
	for (i = 0; i < DPROG_NR_AGGFNS; i++)
		builtin(dl, SYM_AGGFN, prog_aggfuncs[i].name, i, 0);
	for (i = 0; i < DPROG_NR_ACTS; i++)
		builtin(dl, SYM_ACTION, prog_acts[i].name, i, prog_acts[i].flags);
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		s = builtin(dl, SYM_REFUSED, refused[i].name, 0, 0);
		s->tag = refused[i].tag;
		s->refused = refused[i].text;
	}
	parse_text(dl, prelude_names);
}

struct sym *check_lookup(struct dlang *dl, unsigned int scope, const char *name)
{
	size_t len = strlen(name);
	struct sym *s;

	if (scope == DPROG_GLOBAL && dl->scope) {
		s = strmap_get(dl->scope, name, len);
		if (s)
			return s;
	}
	s = strmap_get(&dl->names[scope], name, len);
	if (s || scope != DPROG_GLOBAL)
		return s;
	s = strmap_get(&dl->builtins, name, len);
	if (s && s->is_ext && strmap_get(&dl->own_names, name, len))
		return NULL;
	return s && attr_is_too_new(dl, s) ? NULL : s;
}

static struct sym *new_sym(struct dlang *dl, unsigned int scope, enum sym_kind kind,
			   const char *name, const struct dtype *t, uint32_t line)
{
	struct sym *s = arena_alloc(&dl->mem, sizeof(*s));

	name = arena_strdup(&dl->mem, name);
	*s = (struct sym){ .kind = kind, .scope = scope, .name = name, .type = t, .line = line };
	s->number = UINT32_MAX; /* until emitted */
	s->is_prelude = !dl->emit;
	strmap_put(&dl->names[scope], name, strlen(name), s);
	return s;
}

struct sym *check_new_var(struct dlang *dl, unsigned int scope, const char *name,
			  const struct dtype *t, uint32_t line)
{
	return new_sym(dl, scope, SYM_VAR, name, t, line);
}

/* Is a global name still free?  Reports if not. */
static bool is_free(struct dlang *dl, const char *name, uint32_t line)
{
	struct strmap *scope = dl->scope;
	struct sym *s;

	dl->scope = NULL;
	s = check_lookup(dl, DPROG_GLOBAL, name);
	dl->scope = scope;
	if (!s || s->is_prelude)
		return true;
	err_at(dl, line, D_DECL_IDRED, "identifier redeclared: %s", name);
	return false;
}

void check_enumerator(struct dlang *dl, const char *name, int64_t value, const struct dtype *t,
		      uint32_t line)
{
	if (is_free(dl, name, line))
		new_sym(dl, DPROG_GLOBAL, SYM_ENUM, name, t, line)->value = value;
}

struct sym *check_param(struct dlang *dl, struct strmap *map, const char *name,
			const struct dtype *t, uint32_t line)
{
	struct sym *s = arena_alloc(&dl->mem, sizeof(*s));

	if (type_is_void(t)) {
		err_at(dl, line, D_DECL_VOIDPARM,
		       "void may not be used as a key or parameter type");
		t = dl->t_int;
	}
	*s = (struct sym){ .kind = SYM_PARAM,
			   .name = name,
			   .type = t,
			   .line = line,
			   .number = dl->nr_bindings++ };
	if (*name) {
		if (strmap_get(map, name, strlen(name)))
			err_at(dl, line, D_DECL_IDRED, "identifier redeclared: %s", name);
		strmap_put(map, name, strlen(name), s);
	}
	return s;
}

void check_inline(struct dlang *dl, const char *name, const struct dtype *type, struct sym **params,
		  unsigned int nr_params, struct strmap *map, struct node *expr, uint32_t line)
{
	struct strmap *outer = dl->scope;
	struct node *try;
	struct sym *s;

	if (!is_free(dl, name, line))
		return;
	if (type_is_void(type)) {
		err_at(dl, line, D_DECL_VOIDOBJ, "cannot have void object: %s", name);
		return;
	}
	/* A trial with a copy, so that an error is told where it is written. */
	dl->scope = map;
	try = check_expr(dl, ast_copy(dl, expr));
	dl->scope = outer;
	if (try->type && !check_assignable(type, try))
		err_at(dl, line, D_INLINE_INCOMPAT,
		       "inline %s definition uses incompatible types: \"%s\" = \"%s\"", name,
		       type->name, try->type->name);
	if (!try->type)
		return;
	s = new_sym(dl, DPROG_GLOBAL, SYM_INLINE, name, type, line);
	s->expr = expr;
	s->params = params;
	s->nr_params = nr_params;
}

void check_translator(struct dlang *dl, const struct dtype *to, const struct dtype *from,
		      const char *param, struct node *members, uint32_t line)
{
	struct strmap map = { 0 }, seen = { 0 }, *outer = dl->scope;
	const struct dtype *b = dtype_base(to), *f = dtype_base(from);
	struct xlator *x = arena_alloc(&dl->mem, sizeof(*x)), *old;
	const struct dtype_member *m;
	struct node *n, *try;
	uint32_t bit;

	if (!type_is_sou(b) || b->is_incomplete) {
		err_at(dl, line, D_XLATE_SOU, "incomplete struct/union/enum %s", to->name);
		return;
	}
	if (f->kind == DTYPE_PTR)
		f = dtype_base(f->ref);
	if (type_is_sou(f) && f->is_incomplete) {
		err_at(dl, line, D_XLATE_SOU, "incomplete struct/union/enum %s", f->name);
		return;
	}
	if (++dl->nr_xlators > DL_MAX_XLATORS) {
		err_at(dl, line, D_TOOBIG, "more than %u translators", DL_MAX_XLATORS);
		return;
	}
	for (old = dl->xlators; old; old = old->next)
		if (dtype_base(old->to) == b && dtype_base(old->from) == dtype_base(from)) {
			err_at(dl, line, D_XLATE_REDECL,
			       "translator from %s to %s has already been declared", from->name,
			       to->name);
			return;
		}
	*x = (struct xlator){
		.to = to, .from = from, .members = members, .line = line, .next = dl->xlators
	};
	x->param = check_param(dl, &map, param, from, line);
	dl->scope = &map;
	for (n = members; n; n = n->next) {
		m = type_member(b, n->str, &bit);
		if (!m) {
			err_at(dl, n->line, D_TYPE_MEMBER, "%s is not a member of %s", n->str,
			       b->name);
			continue;
		}
		if (strmap_get(&seen, n->str, strlen(n->str)))
			err_at(dl, n->line, D_DECL_IDRED, "identifier redeclared: %s", n->str);
		strmap_put(&seen, n->str, strlen(n->str), n);
		try = check_expr(dl, ast_copy(dl, n->a));
		if (try->type && !check_assignable(m->type, try))
			err_at(dl, n->line, D_XLATE_INCOMPAT,
			       "translator member %s definition uses incompatible types: \"%s\" = "
			       "\"%s\"",
			       n->str, m->type->name, try->type->name);
	}
	dl->scope = outer;
	strmap_fini(&map);
	strmap_fini(&seen);
	dl->xlators = x;
}

static unsigned int scope_of(struct dlang *dl, enum storage st)
{
	return st == ST_SELF   ? DPROG_THREAD
	       : st == ST_THIS ? DPROG_CLAUSE
	       : st == ST_PROC ? DPROG_PROC
			       : DPROG_GLOBAL;
}

static const char *describe(struct dlang *dl, bool is_assoc, const struct dtype *t)
{
	return arena_printf(&dl->mem, "%s %s",
			    is_assoc	       ? "associative array"
			    : type_is_array(t) ? "array"
					       : "scalar",
			    t->name);
}

static bool same_keys(const struct sym *s, const struct declarator *dcl)
{
	unsigned int i;

	if (s->nr_keys != dcl->nr_keys)
		return false;
	for (i = 0; i < s->nr_keys; i++)
		if (dtype_base(s->keys[i]) != dtype_base(dcl->keys[i]))
			return false;
	return true;
}

void check_var_decl(struct dlang *dl, enum storage st, const struct declarator *dcl)
{
	unsigned int scope = scope_of(dl, st), i;
	struct sym *s = check_lookup(dl, scope, dcl->name);
	const struct dtype *t = dcl->type;

	if (dtype_base(t)->kind == DTYPE_FLOAT) {
		err_at(dl, dcl->line, D_DECL_FLOATOBJ,
		       "floating-point variables are not supported: %s", dcl->name);
		return;
	}
	if (st == ST_STATIC || st == ST_AUTO) {
		err_at(dl, dcl->line, D_DECL_CLASS, "specified storage class not appropriate in %s",
		       "D");
		return;
	}
	if (dcl->is_assoc && scope == DPROG_CLAUSE) {
		err_at(dl, dcl->line, D_DECL_CLASS, "specified storage class not appropriate in %s",
		       "associative array declaration");
		return;
	}
	if (s && !s->is_prelude) {
		if (s->kind == SYM_VAR && dtype_base(s->type) == dtype_base(t) &&
		    s->is_assoc == dcl->is_assoc && (!s->is_assoc || same_keys(s, dcl)))
			return;
		if (s->kind == SYM_VAR)
			err_at(dl, dcl->line, D_DECL_IDRED,
			       "identifier redeclared: %s%s\n\t current: %s\n\tprevious: %s",
			       check_scope_prefix(scope), dcl->name, describe(dl, dcl->is_assoc, t),
			       describe(dl, s->is_assoc, s->type));
		else
			err_at(dl, dcl->line, D_DECL_IDRED, "identifier redeclared: %s", dcl->name);
		return;
	}
	s = check_new_var(dl, scope, dcl->name, t, dcl->line);
	s->is_declared = true;
	s->is_assoc = dcl->is_assoc;
	s->keys = dcl->keys;
	s->nr_keys = dcl->nr_keys;
	for (i = 0; i < s->nr_keys; i++)
		s->keys[i] = check_key_type(dl, s->keys[i]);
}

bool check_const(struct dlang *dl, struct node *n, int64_t *value)
{
	n = check_expr(dl, n);
	if (!n->type || !check_is_const(n))
		return false;
	*value = n->value;
	return true;
}

static bool word_at(const char *text, size_t len, size_t i, const char *w)
{
	size_t n = strlen(w);

	return i + n <= len && !memcmp(text + i, w, n) &&
	       (i + n == len || !(isalnum((unsigned char)text[i + n]) || text[i + n] == '_')) &&
	       (!i || !(isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_'));
}

/* Does what stands around a name show that the script stores to it or declares it? */
static bool is_own_use(const char *text, size_t len, size_t at, size_t n)
{
	size_t i = at + n, j = at;

	while (i < len && isspace((unsigned char)text[i]))
		i++;
	if (i < len && (text[i] == '[' || (text[i] == '=' && !(i + 1 < len && text[i + 1] == '='))))
		return true;
	if (i + 1 < len && ((strchr("+-*/%&|^", text[i]) && text[i + 1] == '=') ||
			    ((text[i] == '+' || text[i] == '-') && text[i + 1] == text[i])))
		return true;
	while (j && (text[j - 1] == ' ' || text[j - 1] == '\t' || text[j - 1] == '*'))
		j--;
	/* behind a word on the same line: a declaration; behind `>` or `.`: a member */
	return j < at && j && (isalnum((unsigned char)text[j - 1]) || text[j - 1] == '_') &&
	       !(j >= 6 && !memcmp(text + j - 6, "sizeof", 6)) &&
	       !(j >= 8 && !memcmp(text + j - 8, "stringof", 8));
}

/* The last byte of a comment or string that begins at @i; @i where there is none */
static size_t skip_text(const char *text, size_t len, size_t i)
{
	const char *end;

	if (text[i] == '"') {
		for (i++; i < len && text[i] != '"' && text[i] != '\n'; i++)
			i += text[i] == '\\';
		return i;
	}
	if (text[i] != '/' || i + 1 >= len)
		return i;
	if (text[i + 1] == '/') {
		end = memchr(text + i, '\n', len - i);
		return end ? (size_t)(end - text) : len;
	}
	if (text[i + 1] == '*') {
		end = memmem(text + i + 2, len - i - 2, "*/", 2);
		return end ? (size_t)(end - text) + 1 : len;
	}
	return i;
}

void check_scan_own(struct dlang *dl, const char *text, size_t len)
{
	const char *const *w;
	static const char *const words[] = { "eproc", "ename",	"efunc", "eport",
					     "enode", "esched", NULL };
	size_t i;

	for (i = 0; i < len; i++) {
		i = skip_text(text, len, i); /* what a text says does not count */
		if (i >= len || text[i] != 'e')
			continue;
		for (w = words; *w; w++)
			if (word_at(text, len, i, *w) && is_own_use(text, len, i, strlen(*w)))
				strmap_put(&dl->own_names, *w, strlen(*w), dl);
		/* eself is own when it is used other than as `eself->x` or to declare one */
		if (word_at(text, len, i, "eself")) {
			size_t j = i + 5;

			while (j < len && isspace((unsigned char)text[j]))
				j++;
			if (j < len && (text[j] == '=' || text[j] == '['))
				strmap_put(&dl->own_names, "eself", 5, dl);
		}
	}
}
