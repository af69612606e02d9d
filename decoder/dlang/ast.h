/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h - making, copying and showing tree nodes; private to this folder
 */
#ifndef BEAMTAP_DLANG_AST_H
#define BEAMTAP_DLANG_AST_H

#include "dlang/dl.h"

/** ast_new() - Return: a node; past DL_MAX_NODES the unit is marked as too big and fails */
struct node *ast_new(struct dlang *dl, enum node_kind kind, uint32_t line);
struct node *ast_int(struct dlang *dl, uint32_t line, int64_t value, const struct dtype *type);
/** ast_copy() - Return: deep copy of a tree that has not been checked */
struct node *ast_copy(struct dlang *dl, const struct node *n);
/** ast_dump() - a tree, one node a line; with types once checked */
void ast_dump(const struct node *n, FILE *f);

#endif /* BEAMTAP_DLANG_AST_H */
