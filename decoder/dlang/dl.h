/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dl.h - the compiler's state, shared by its passes; private to this folder
 *
 *	text -> lex -> parse -> (for each declaration and clause as it is read)
 *	check -> and, when the whole unit is free of errors, emit
 *
 * A pass that finds an error reports it with err_at(), gives back an error node
 * or type, and goes on.  All memory is of one arena that lives as long as the
 * program does.
 */
#ifndef BEAMTAP_DLANG_DL_H
#define BEAMTAP_DLANG_DL_H

#include <stdarg.h>
#include <string.h>
#include "base/arena.h"
#include "base/strmap.h"
#include "dlang/compile.h"
#include "dprog/prog.h"

#define DL_MAX_ERRORS  64	  /* kept for one unit */
#define DL_MAX_DEPTH   150	  /* nesting of expressions, declarators, types */
#define DL_MAX_TREE    1000	  /* depth of a tree */
#define DL_MAX_CHECK   2000	  /* the same with inlines put in */
#define DL_MAX_NODES   (1u << 20) /* of one session: bounds what inlines can blow up to */
#define DL_MAX_MEM     (256u << 20)
#define DL_MAX_OBJECT  (1u << 20) /* bytes of a struct or array */
#define DL_MAX_NAME    1024
#define DL_MAX_MEMBERS 4096
#define DL_MAX_XLATORS 1000

enum dl_tag {
#define DIAG(tag, scope, fmt) tag,
#include "diag.def"
#undef DIAG
	DL_NR_TAGS
};

enum tok_kind {
#define TOK(name, text) T_##name,
#define KEY(name, text) T_##name,
#include "token.def"
	T_NR
};

enum node_kind {
#define NODE(name, text, doc) N_##name,
#include "ast.def"
#undef NODE
	N_NR
};

struct sym;

struct node {
	uint8_t kind;	/* enum node_kind */
	uint8_t op;	/* enum tok_kind, or what the kind says */
	bool is_lval;	/* checked: names something that can be stored to */
	bool is_long;	/* STMT: see check_clause() */
	uint16_t depth; /* of the tree below: left-leaning ones are built without recursion */
	uint32_t line;
	struct node *a, *b, *c, *list, *next;
	const char *str;
	uint32_t len;
	int64_t value;
	const struct dtype *type; /* after checking; NULL in an error */
	struct sym *sym;
	void *data; /* what a check leaves for emit */
};

enum sym_kind {
	SYM_VAR,  /* global, self->, this->, eself-> */
	SYM_BVAR, /* number: enum dprog_bvar; arg0..9 and args have their own kinds */
	SYM_ARG,  /* number: 0..9 */
	SYM_ARGS,
	SYM_FUNC, /* number: enum dprog_fn */
	SYM_ACTION,
	SYM_AGGFN,
	SYM_REFUSED,
	SYM_INLINE,
	SYM_ENUM,  /* value */
	SYM_PARAM, /* of an inline or translator; number: its binding */
	SYM_AGG,
};

struct sym {
	uint8_t kind;
	uint8_t scope; /* SYM_VAR: enum dprog_scope */
	bool is_ext;   /* beyond DTrace: hidden by the script's own */
	bool is_assoc;
	bool is_prelude;   /* a name that the script did not write, and may write anew */
	bool is_declared; /* by a declaration, not by its first assignment */
	uint32_t number;  /* by kind */
	uint32_t line;
	const char *name;
	const struct dtype *type; /* of a value of it */
	const struct dtype **keys;
	unsigned int nr_keys;
	int64_t value;
	const char *refused; /* SYM_REFUSED: text */
	int tag;
	struct node *expr;   /* SYM_INLINE */
	struct sym **params; /* SYM_INLINE */
	unsigned int nr_params;
	int64_t param[4]; /* SYM_AGG: as struct dprog_agg */
	bool is_signed;	  /* SYM_AGG */
};

struct xlator {
	const struct dtype *to, *from;
	struct sym *param;
	struct node *members; /* chain of STMT: str member, a: expression */
	uint32_t line;
	struct xlator *next;
};

struct tok {
	uint8_t kind;
	/* INT: number of l | 4 if unsigned | 8 if written in hex or octal | 16 a character */
	uint8_t suffix;
	uint32_t line;
	const char *at; /* where it is in the text */
	uint32_t len;
	uint64_t value;
	const char *str; /* IDENT, AGGNAME, STRING, SYMNAME; arena */
	uint32_t str_len;
};

struct lex {
	const char *text, *at, *end;
	uint32_t line;
	const char *file; /* of the last line marker; NULL: the unit's own */
	bool at_bol;	  /* only blanks so far on this line */
	bool in_pred;	  /* / may end the predicate */
	bool in_top;	  /* outside of clauses: control lines are allowed */
	struct tok tok, ahead;
	bool has_tok, has_ahead;
};

struct dlang {
	struct dlang_opts opts;
	struct arena mem;
	const struct dlang_unit *unit;
	struct lex lex;
	unsigned int depth, check_depth, nr_nodes;
	bool failed; /* this unit has an error */
	bool syntax; /* a syntax error was reported; skip what is being read */
	bool too_big;
	/* errors of the unit */
	struct dlang_error errs[DL_MAX_ERRORS];
	unsigned int nr_errs;
	uint8_t region;
	/* names */
	/* globals and all unscoped names; self->; this->; eself-> */
	struct strmap names[DPROG_NR_SCOPES];
	struct strmap builtins;	   /* what D has by itself */
	struct strmap aggs;
	struct strmap typedefs, tags[3]; /* struct, union, enum tags */
	struct strmap arrays;		 /* element type and number -> type */
	struct xlator *xlators;
	unsigned int nr_xlators;
	struct strmap *scope; /* parameters of the inline or translator being checked; NULL */
	uint64_t args_used;   /* bit n: $n was referred to */
	uint32_t nr_bindings;
	/* names that the script assigns or declares: these hide what is beyond DTrace */
	struct strmap own_names;
	struct strmap attrs; /* #pragma D attributes: name -> struct dlang_attr */
	/* clause being checked */
	struct node *clause;
	struct dlang_match match; /* of its descriptions, merged */
	const char *match_text;
	/* of the unit, to be emitted */
	struct node *clauses, **clauses_tail;
	unsigned int nr_clauses;
	/* provider declarations, in order */
	struct dlang_provider *providers;
	unsigned int nr_providers;
	size_t cap_providers;
	/* types */
	const struct dtype *t_void, *t_char, *t_uchar, *t_short, *t_ushort, *t_int, *t_uint,
		*t_long, *t_ulong, *t_llong, *t_ullong, *t_int64, *t_uint64, *t_string, *t_float,
		*t_double, *t_ldouble, *t_stack, *t_sym, *t_agg, *t_voidp, *t_charp, *t_size;
	/* output */
	struct emit *emit;
	struct dprog prog;
	FILE *dump[DLANG_DIS + 1];
};

/* err.c */
void err_at(struct dlang *dl, uint32_t line, enum dl_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void err_hint(struct dlang *dl, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_warn(struct dlang *dl, uint32_t line, enum dl_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
const char *err_tag_name(enum dl_tag tag);
/**
 * err_near() - name in some maps of symbols nearest to one that is not there
 * @kinds: bit n: enum sym_kind n is looked at
 * Return: the name, or NULL
 */
const char *err_near(const struct dlang *dl, const struct strmap *const *maps, unsigned int nr, unsigned int kinds,
		     const char *name);

/* preproc.c: the control lines that are left when cpp has run */
void preproc_line(struct dlang *dl, const char *line, size_t len, uint32_t nr);
/* pragma.c */
void pragma_line(struct dlang *dl, const char *text, size_t len, uint32_t line);

#endif /* BEAMTAP_DLANG_DL_H */
