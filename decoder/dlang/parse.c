// SPDX-License-Identifier: Apache-2.0
/*
 * parse.c - a translation unit: declarations, and clauses with their probes
 *
 *	PROBE, PROBE ... / PREDICATE / { STATEMENT ; ... }
 *
 * Outside of clauses the text is looked at directly, since what begins there can
 * be a probe description, in which most characters may stand.
 */
#include <ctype.h>
#include "dlang/check.h"
#include "dlang/parse.h"

static bool is_decl_word(struct dlang *dl, const char *w)
{
	static const char *const words[] = {
		"auto",	   "char",   "const",	 "double",   "enum",	 "extern",   "float",
		"inline",  "int",    "long",	 "provider", "register", "restrict", "self",
		"short",   "signed", "static",	 "string",   "struct",	 "this",     "translator",
		"typedef", "union",  "unsigned", "userland", "void",	 "volatile",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], w))
			return true;
	if (!strcmp(w, "eself"))
		return !strmap_get(&dl->own_names, "eself", 5);
	return type_find(dl, w) != NULL;
}

/*
 * A declaration begins with a type or storage word that is not itself part of a probe
 * description.
 */
static bool at_declaration(struct dlang *dl)
{
	const char *w = lex_word(dl), *p;
	const struct lex *l = &dl->lex;

	if (!w || !is_decl_word(dl, w))
		return false;
	p = l->at + strlen(w);
	if (p == l->end || *p == ',' || *p == '/')
		return false;
	for (; p < l->end && !isspace((unsigned char)*p) && !strchr(",/{;", *p); p++)
		if (strchr(":-.?", *p))
			return false;
	return true;
}

static struct node *parse_predicate(struct dlang *dl)
{
	struct node *n;

	dl->lex.in_pred = true;
	lex_next(dl);			     /* the opening / */
	if (lex_peek(dl)->kind == T_EPRED) { /* / / */
		dl->lex.in_pred = false;
		parse_error(dl);
		return NULL;
	}
	n = parse_expr(dl);
	dl->lex.in_pred = false;
	if (!dl->syntax)
		parse_expect(dl, T_EPRED);
	return n;
}

static struct node *parse_body(struct dlang *dl)
{
	struct node *first = NULL, **tail = &first, *s;

	lex_next(dl);
	while (!dl->syntax && lex_peek(dl)->kind != T_RBRACE) {
		if (parse_accept(dl, T_SEMI))
			continue;
		s = ast_new(dl, N_STMT, lex_peek(dl)->line);
		s->a = parse_expr(dl);
		if (dl->syntax)
			break;
		*tail = s;
		tail = &s->next;
		if (lex_peek(dl)->kind != T_RBRACE)
			parse_expect(dl, T_SEMI);
	}
	if (!dl->syntax)
		lex_next(dl);
	return first;
}

static bool parse_pdescs(struct dlang *dl, struct node *clause)
{
	struct node **tail = &clause->list, *p;
	int c;

	for (;;) {
		p = ast_new(dl, N_PDESC, dl->lex.line);
		p->str = lex_spec(dl);
		if (!*p->str) {
			parse_error(dl);
			return false;
		}
		*tail = p;
		tail = &p->next;
		c = lex_skip_blank(dl);
		if (c != ',')
			return true;
		dl->lex.at++;
		lex_skip_blank(dl);
	}
}

static void parse_clause(struct dlang *dl)
{
	struct node *clause = ast_new(dl, N_CLAUSE, dl->lex.line);
	int c;

	clause->op = T_SEMI; /* no body so far: as an empty one */
	if (!parse_pdescs(dl, clause))
		goto out;
	dl->lex.in_top = false;
	c = lex_skip_blank(dl);
	if (c == '/') {
		clause->a = parse_predicate(dl);
		c = dl->lex.has_tok || dl->syntax ? 0 : lex_skip_blank(dl);
	}
	if (dl->syntax)
		goto out;
	if (c == '{') {
		clause->op = T_LBRACE;
		lex_peek(dl);
		clause->b = parse_body(dl);
	} else if (dl->unit && dl->unit->is_file && c != ';') {
		if (!clause->a)
			err_at(dl, clause->line, D_SYNTAX,
			       "expected predicate and/or actions following probe description");
	}
out:
	dl->lex.in_top = true;
	if (dl->syntax)
		return;
	if (dl->dump[DLANG_AST])
		ast_dump(clause, dl->dump[DLANG_AST]);
	check_clause(dl, clause);
	dl->depth = 0;
	*dl->clauses_tail = clause;
	dl->clauses_tail = &clause->next;
	dl->nr_clauses++;
}

/* How deep in braces is the place where the syntax error was found? */
static unsigned int brace_depth(const char *from, const char *to)
{
	unsigned int depth = 0;
	char quote = 0;

	for (; from < to; from++) {
		if (quote) {
			if (*from == '\\')
				from++;
			else if (*from == quote || *from == '\n')
				quote = 0;
		} else if (*from == '"' || *from == '\'') {
			quote = *from;
		} else if (*from == '{') {
			depth++;
		} else if (*from == '}' && depth) {
			depth--;
		}
	}
	return depth;
}

void parse_unit(struct dlang *dl)
{
	struct lex *l = &dl->lex;
	const char *from;
	bool any = false;
	int c;

	while (!dl->too_big && (c = lex_skip_blank(dl)) >= 0) {
		from = l->at;
		if (c == ';') {
			l->at++;
			continue;
		}
		any = true;
		if (c == '}' || c == '{' || c == ',' || c == '/') {
			parse_error(dl);
		} else if (at_declaration(dl)) {
			parse_declaration(dl);
		} else {
			parse_clause(dl);
		}
		if (dl->syntax) {
			const char *stop = l->has_tok ? l->tok.at + l->tok.len : l->at;

			if (l->has_ahead)
				stop = l->ahead.at + l->ahead.len;
			l->has_tok = l->has_ahead = false;
			l->in_pred = false;
			lex_skip_clause(dl, brace_depth(from, stop));
			dl->syntax = false;
		}
		dl->depth = 0;
		l->in_top = true;
		/* one token may have been looked at behind a declaration */
		if (l->has_tok) {
			l->at = l->tok.at;
			l->line = l->tok.line;
			l->has_tok = l->has_ahead = false;
		}
	}
	if (!any && !dl->nr_errs && dl->unit && dl->unit->is_file && !dl->opts.allow_empty)
		err_at(dl, l->line, D_EMPTY, "empty D program translation unit");
}

bool parse_const(struct dlang *dl, int64_t *value)
{
	struct node *n;
	bool ok;

	/* no commas here: they part declarators and enumerators */
	n = parse_assign(dl);
	ok = !dl->syntax && check_const(dl, n, value);
	if (!ok)
		*value = 0;
	return ok;
}

struct saved {
	struct lex lex;
	const struct dlang_unit *unit;
	FILE *tok;
	bool syntax;
};

static void save(struct dlang *dl, struct saved *s, const char *text)
{
	*s = (struct saved){ dl->lex, dl->unit, dl->dump[DLANG_TOK], dl->syntax };
	dl->unit = NULL;
	dl->dump[DLANG_TOK] = NULL;
	dl->syntax = false;
	lex_init(dl, text, strlen(text));
}

static void restore(struct dlang *dl, const struct saved *s)
{
	dl->lex = s->lex;
	dl->unit = s->unit;
	dl->dump[DLANG_TOK] = s->tok;
	dl->syntax = s->syntax;
}

void parse_text(struct dlang *dl, const char *text)
{
	struct saved s;

	save(dl, &s, text);
	while (!dl->syntax && lex_peek(dl)->kind != T_EOF)
		parse_declaration(dl);
	restore(dl, &s);
}

const struct dtype *parse_type_text(struct dlang *dl, const char *text)
{
	unsigned int nr = dl->nr_errs;
	bool failed = dl->failed;
	const struct dtype *t;
	struct saved s;

	save(dl, &s, arena_strdup(&dl->mem, text));
	t = parse_is_type(dl, lex_peek(dl)) ? parse_type_name(dl) : NULL;
	if (t && lex_peek(dl)->kind != T_EOF)
		t = NULL;
	restore(dl, &s);
	dl->nr_errs = nr;
	dl->failed = failed;
	return t;
}
