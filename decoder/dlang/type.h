/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type.h - D types: made once, compared by address; private to this folder
 *
 * Pointers and arrays are interned, the named types are made by their
 * declaration.  "Base" means without typedef names.
 */
#ifndef BEAMTAP_DLANG_TYPE_H
#define BEAMTAP_DLANG_TYPE_H

#include "dlang/dl.h"

/** type_init() - the types D begins with */
void type_init(struct dlang *dl);
const struct dtype *type_ptr(struct dlang *dl, const struct dtype *to);
/** type_array() - Return: array type; size 0 when it would be too big (reported) */
const struct dtype *type_array(struct dlang *dl, const struct dtype *of, uint32_t nr,
			       uint32_t line);
const struct dtype *type_typedef(struct dlang *dl, const char *name, const struct dtype *to);
/** type_tagged() - a struct, union or enum by its tag, made incomplete when it is not there */
struct dtype *type_tagged(struct dlang *dl, enum dtype_kind kind, const char *tag);
/** type_is_prelude() - Return: whether a typedef is ours, not the script's */
bool type_is_prelude(const struct dtype *t);
/** type_find() - Return: type of a typedef name or NULL */
const struct dtype *type_find(struct dlang *dl, const char *name);
/**
 * type_member() - Return: member by name, anonymous ones searched, its bit offset in *@bit; NULL
 * if none
 */
const struct dtype_member *type_member(const struct dtype *sou, const char *name, uint32_t *bit);

static inline bool type_is_int(const struct dtype *t)
{
	unsigned int k = dtype_base(t)->kind;

	return k == DTYPE_INT || k == DTYPE_ENUM;
}
static inline bool type_is_ptr(const struct dtype *t)
{
	return dtype_base(t)->kind == DTYPE_PTR;
}
static inline bool type_is_array(const struct dtype *t)
{
	return dtype_base(t)->kind == DTYPE_ARRAY;
}
static inline bool type_is_str(const struct dtype *t)
{
	return dtype_base(t)->kind == DTYPE_STRING;
}
static inline bool type_is_void(const struct dtype *t)
{
	return dtype_base(t)->kind == DTYPE_VOID;
}
static inline bool type_is_sou(const struct dtype *t)
{
	return dtype_base(t)->kind == DTYPE_STRUCT || dtype_base(t)->kind == DTYPE_UNION;
}
/* held in memory, its value in a register is its address */
static inline bool type_is_agg(const struct dtype *t)
{
	return type_is_sou(t) || type_is_array(t);
}
static inline bool type_is_scalar(const struct dtype *t)
{
	return type_is_int(t) || type_is_ptr(t);
}
/** type_is_text() - char * or char [] */
static inline bool type_is_text(const struct dtype *t)
{
	t = dtype_base(t);
	if (t->kind != DTYPE_PTR && t->kind != DTYPE_ARRAY)
		return false;
	t = dtype_base(t->ref);
	return t->kind == DTYPE_INT && t->size == 1;
}
static inline bool type_is_strlike(const struct dtype *t)
{
	return type_is_str(t) || type_is_text(t);
}
/** type_promote() - C's integer promotion */
const struct dtype *type_promote(struct dlang *dl, const struct dtype *t);
/** type_common() - C's usual conversions of two integer types */
const struct dtype *type_common(struct dlang *dl, const struct dtype *a, const struct dtype *b);
/** type_normal() - Return: @v cut to an integer type's size and extended again */
int64_t type_normal(const struct dtype *t, int64_t v);
/** type_assignable() - may a value of type @from be given to one of type @to? */
bool type_assignable(const struct dtype *to, const struct dtype *from);

/* Declaration specifiers and declarators as read; see parse_decl.c */
const struct dtype *type_basic(struct dlang *dl, unsigned int counts[], uint32_t line);

#endif /* BEAMTAP_DLANG_TYPE_H */
