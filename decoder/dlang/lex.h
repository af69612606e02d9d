/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex.h - D text to tokens; private to this folder
 */
#ifndef BEAMTAP_DLANG_LEX_H
#define BEAMTAP_DLANG_LEX_H

#include "dlang/dl.h"

/** lex_init() - begin with a text; skips a `#!` line */
void lex_init(struct dlang *dl, const char *text, size_t len);
/** lex_peek() - Return: the token at hand, not taken */
const struct tok *lex_peek(struct dlang *dl);
/** lex_peek2() - Return: the one behind it */
const struct tok *lex_peek2(struct dlang *dl);
/** lex_next() - take a token */
struct tok lex_next(struct dlang *dl);
/**
 * lex_skip_blank() - skip blanks, comments and control lines; only without a token at hand
 * Return: the character there, or -1 at the end
 */
int lex_skip_blank(struct dlang *dl);
/**
 * lex_spec() - take a probe description: up to a blank, comma, /, { or ;
 *
 * Macro variables in it are replaced.  Return: text (arena), "" if there is none
 */
const char *lex_spec(struct dlang *dl);
/**
 * lex_word() - Return: identifier at the place where no token is at hand, arena; NULL if none.
 * Not taken
 */
const char *lex_word(struct dlang *dl);
/** lex_tok_name() - Return: spelling of a kind */
const char *lex_tok_name(unsigned int kind);
/** lex_skip_clause() - after a syntax error: skip to behind the } or ; that ends what was begun */
void lex_skip_clause(struct dlang *dl, unsigned int depth);

/* lex_lit.c: a literal that begins where the text is; fills in all of @t but its line */
void lex_string(struct dlang *dl, struct tok *t);
void lex_char(struct dlang *dl, struct tok *t);
void lex_number(struct dlang *dl, struct tok *t);

#endif /* BEAMTAP_DLANG_LEX_H */
