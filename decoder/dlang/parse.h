/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.h - recursive descent over D; private to this folder
 *
 * Each function reports a syntax error once, sets dl->syntax and returns an
 * error node; its callers go back up to the clause, which is skipped.
 */
#ifndef BEAMTAP_DLANG_PARSE_H
#define BEAMTAP_DLANG_PARSE_H

#include "dlang/ast.h"
#include "dlang/lex.h"
#include "dlang/type.h"

/* What a declaration's beginning says */
enum storage { ST_NONE, ST_SELF, ST_THIS, ST_PROC, ST_EXTERN, ST_STATIC, ST_TYPEDEF, ST_AUTO };
struct specs {
	const struct dtype *type;
	enum storage storage;
	bool has_type;
};

/* A declared name: its type, and for an associative array its keys */
struct declarator {
	const char *name; /* NULL: abstract */
	const struct dtype *type;
	const struct dtype **keys;
	unsigned int nr_keys;
	bool is_assoc, is_func;
	uint32_t line;
};

/** parse_unit() - all clauses and declarations; checks each as it is read */
void parse_unit(struct dlang *dl);
/** parse_text() - declarations in a text of our own (types the language begins with) */
void parse_text(struct dlang *dl, const char *text);
/**
 * parse_type_text() - a type name in a text, as the provider gives it.  Return: NULL if it is not
 * known
 */
const struct dtype *parse_type_text(struct dlang *dl, const char *text);

/* parse_expr.c */
struct node *parse_expr(struct dlang *dl);
struct node *parse_assign(struct dlang *dl);
/**
 * parse_const() - an integer constant expression, evaluated.  Return: false with nothing reported
 * if it is none
 */
bool parse_const(struct dlang *dl, int64_t *value);
struct node *parse_error(struct dlang *dl);
bool parse_expect(struct dlang *dl, unsigned int kind);
bool parse_accept(struct dlang *dl, unsigned int kind);
/** parse_enter() - one level deeper; false and an error past DL_MAX_DEPTH */
bool parse_enter(struct dlang *dl);
void parse_leave(struct dlang *dl);

/* parse_struct.c */
/** parse_tagged() - struct, union or enum with its tag and, if it is there, its body */
const struct dtype *parse_tagged(struct dlang *dl, enum dtype_kind kind);
/** parse_object_ok() - may there be an object or member of this type?  Reports if not */
bool parse_object_ok(struct dlang *dl, const char *name, const struct dtype *t, uint32_t line);

/* parse_decl.c */
bool parse_is_type(struct dlang *dl, const struct tok *t);
bool parse_specs(struct dlang *dl, struct specs *sp);
bool parse_declarator(struct dlang *dl, const struct dtype *base, struct declarator *dcl,
		      bool abstract_ok);
/** parse_type_name() - a type in a cast, sizeof, ...: NULL after an error */
const struct dtype *parse_type_name(struct dlang *dl);
/* parse_prov.c */
/** parse_provider() - a provider's declaration, from its first word up to its ; */
void parse_provider(struct dlang *dl);

/* parse_decl.c again */
/** parse_declaration() - at the top level, up to its ; */
void parse_declaration(struct dlang *dl);

#endif /* BEAMTAP_DLANG_PARSE_H */
