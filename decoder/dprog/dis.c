// SPDX-License-Identifier: Apache-2.0
/*
 * dis.c - a program as text, for -S and for tests
 *
 * One line an instruction: its number inside its clause, name, operands by the
 * shape that op.def gives, and behind a semicolon what a number stands for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "dprog/prog.h"

enum shape { S_N, S_A, S_AB, S_ABC, S_ABI, S_AI, S_AK, S_AS, S_AV, S_J, S_AJ, S_ABV, S_ABCV };

static const struct {
	const char *name;
	uint8_t shape;
} ops[DPROG_NR_OPS] = {
#define OP(name, shape, doc) [DPROG_OP_##name] = { #name, S_##shape },
#include "op.def"
#undef OP
};

static void dis_text(const char *s, uint32_t len, FILE *f)
{
	uint32_t i;

	fputc('"', f);
	for (i = 0; i < len; i++) {
		unsigned char c = s[i];

		if (c == '\n')
			fputs("\\n", f);
		else if (c == '\t')
			fputs("\\t", f);
		else if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 32 || c >= 127)
			fprintf(f, "\\%03o", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void dis_reg(unsigned int r, FILE *f)
{
	if (r == DPROG_NOREG)
		fputs("-", f);
	else
		fprintf(f, "r%u", r);
}

static const char *scope_prefix(unsigned int scope)
{
	static const char *const prefix[DPROG_NR_SCOPES] = { "", "self->", "this->", "eself->" };

	return prefix[scope];
}

/* Which variable has a slot: one row a scope.  Without memory slots go without their names. */
struct names {
	const struct dprog_var **row[DPROG_NR_SCOPES];
};

static void names_init(struct names *n, const struct dprog *p)
{
	for (unsigned int s = 0; s < DPROG_NR_SCOPES; s++)
		n->row[s] = calloc(p->nr_slots[s] + 1, sizeof(*n->row[s]));
	for (uint32_t i = 0; i < p->nr_vars; i++) {
		const struct dprog_var *v = &p->vars[i];

		if (n->row[v->scope] && v->slot < p->nr_slots[v->scope] && !n->row[v->scope][v->slot])
			n->row[v->scope][v->slot] = v;
	}
}

static void names_fini(struct names *n)
{
	for (unsigned int s = 0; s < DPROG_NR_SCOPES; s++)
		free(n->row[s]);
}

static void dis_slot(const struct dprog *p, const struct names *n, unsigned int scope, uint32_t slot, FILE *f)
{
	if (n->row[scope] && slot < p->nr_slots[scope] && n->row[scope][slot])
		fprintf(f, "\t; %s%s", scope_prefix(scope), n->row[scope][slot]->name);
}

/* What an instruction's number means */
static void dis_comment(const struct dprog *p, const struct names *n, const struct dprog_insn *i, FILE *f)
{
	uint32_t imm = (uint32_t)i->imm;

	switch (i->op) {
	case DPROG_OP_LDC:
		fprintf(f, "\t; %" PRId64, (int64_t)p->consts[imm]);
		break;
	case DPROG_OP_LDSC:
		fputs("\t; ", f);
		dis_text(p->strs[imm].text, p->strs[imm].len, f);
		break;
	case DPROG_OP_LDV:
		fprintf(f, "\t; %s", prog_bvars[imm].name);
		break;
	case DPROG_OP_LDG ... DPROG_OP_STGS:
		dis_slot(p, n, DPROG_GLOBAL, imm, f);
		break;
	case DPROG_OP_LDT ... DPROG_OP_STTS:
		dis_slot(p, n, DPROG_CLAUSE, imm, f);
		break;
	case DPROG_OP_LDS ... DPROG_OP_STSS:
		dis_slot(p, n, DPROG_THREAD, imm, f);
		break;
	case DPROG_OP_LDP ... DPROG_OP_STPS:
		dis_slot(p, n, DPROG_PROC, imm, f);
		break;
	case DPROG_OP_LDA ... DPROG_OP_AADDR:
		fprintf(f, "\t; %s%s", scope_prefix(p->vars[imm].scope), p->vars[imm].name);
		break;
	case DPROG_OP_CALL:
		fprintf(f, "\t; %s", prog_funcs[imm].name);
		break;
	case DPROG_OP_AGG:
		fprintf(f, "\t; @%s %s", p->aggs[imm].name, prog_aggfuncs[p->aggs[imm].func].name);
		break;
	case DPROG_OP_ACT:
		fprintf(f, "\t; %s", prog_acts[p->actions[imm].kind].name);
		break;
	}
}

static void dis_insn(const struct dprog *p, const struct names *n, uint32_t start, const struct dprog_insn *i, FILE *f)
{
	fprintf(f, "%-9s ", ops[i->op].name);
	switch (ops[i->op].shape) {
	case S_N:
		break;
	case S_A:
		dis_reg(i->a, f);
		break;
	case S_AB:
		fprintf(f, "r%u, r%u", i->a, i->b);
		break;
	case S_ABC:
		fprintf(f, "r%u, r%u, ", i->a, i->b);
		dis_reg(i->c, f);
		break;
	case S_ABI:
		fprintf(f, "r%u, r%u, %d", i->a, i->b, i->imm);
		break;
	case S_AI:
	case S_AK:
	case S_AS:
	case S_AV:
		dis_reg(i->a, f);
		fprintf(f, ", %d", i->imm);
		break;
	case S_J:
		fprintf(f, "%u", (uint32_t)i->imm - start);
		break;
	case S_AJ:
		fprintf(f, "r%u, %u", i->a, (uint32_t)i->imm - start);
		break;
	case S_ABV:
		dis_reg(i->a, f);
		fputs(", ", f);
		dis_reg(i->b, f);
		fprintf(f, ", %d", i->imm);
		break;
	case S_ABCV:
		dis_reg(i->a, f);
		fputs(", ", f);
		dis_reg(i->b, f);
		fputs(", ", f);
		if (i->op == DPROG_OP_CALL)
			fprintf(f, "%u", i->c);
		else
			dis_reg(i->c, f);
		fprintf(f, ", %d", i->imm);
		break;
	}
	dis_comment(p, n, i, f);
	fputc('\n', f);
}

static void clause_text(const struct dprog *p, const struct names *n, uint32_t clause, FILE *f)
{
	const struct dprog_clause *c = &p->clauses[clause];
	uint32_t i;

	fprintf(f, "clause %u:", clause);
	for (i = 0; i < c->nr_pdescs; i++)
		fprintf(f, "%s%s", i ? "," : " ", c->pdescs[i].text);
	fprintf(f, "  line %u, %u registers%s%s%s%s\n", c->line, c->nr_regs,
		c->flags & DPROG_C_PRED ? ", predicate" : "",
		c->flags & DPROG_C_RECORD ? ", record" : "",
		c->flags & DPROG_C_SPEC ? ", speculation" : "",
		c->flags & DPROG_C_DESTR ? ", destructive" : "");
	for (i = c->start; i < c->end; i++) {
		fprintf(f, "%4u  ", i - c->start);
		dis_insn(p, n, c->start, &p->code[i], f);
	}
}

void dis_clause(const struct dprog *p, uint32_t clause, FILE *f)
{
	struct names n;

	names_init(&n, p);
	clause_text(p, &n, clause, f);
	names_fini(&n);
}

static void dis_val(const struct dprog_val *v, FILE *f)
{
	static const char *const kinds[] = { "int", "str", "bytes", "stack", "sym" };

	if (v->kind == DPROG_INT)
		fprintf(f, "%c%u", v->is_signed ? 's' : 'u', v->size * 8);
	else if (v->kind == DPROG_BYTES)
		fprintf(f, "%s%u", kinds[v->kind], v->size);
	else
		fputs(kinds[v->kind], f);
}

static void dis_vals(const struct dprog_val *v, unsigned int nr, FILE *f)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (i)
			fputs(", ", f);
		dis_val(&v[i], f);
	}
}

static void dis_action(const struct dprog *p, uint32_t n, FILE *f)
{
	const struct dprog_action *a = &p->actions[n];
	unsigned int i;

	fprintf(f, "action %u: %s(", n, prog_acts[a->kind].name);
	dis_vals(a->values, a->nr_values, f);
	for (i = 0; i < a->nr_aggs; i++)
		fprintf(f, "%s@%s", i || a->nr_values ? ", " : "", p->aggs[a->aggs[i]].name);
	fputc(')', f);
	if (a->type)
		fprintf(f, " of %s", a->type->name);
	if (a->size)
		fprintf(f, " size %u", a->size);
	if (a->fmt) {
		fputs(" format ", f);
		dis_text(a->fmt->text, __builtin_strlen(a->fmt->text), f);
	}
	fputc('\n', f);
}

void dis_prog(const struct dprog *p, FILE *f)
{
	struct names n;
	uint32_t i;

	for (i = 0; i < p->nr_options; i++)
		fprintf(f, "option %s%s%s\n", p->options[i].name, p->options[i].value ? "=" : "",
			p->options[i].value ? p->options[i].value : "");
	for (i = 0; i < p->nr_vars; i++) {
		const struct dprog_var *v = &p->vars[i];

		fprintf(f, "var %u: %s%s", i, scope_prefix(v->scope), v->name);
		if (v->is_assoc) {
			fputc('[', f);
			dis_vals(v->keys, v->nr_keys, f);
			fputc(']', f);
		}
		fputs(" ", f);
		dis_val(&v->val, f);
		if (v->slot != UINT32_MAX)
			fprintf(f, " slot %u", v->slot);
		fputc('\n', f);
	}
	for (i = 0; i < p->nr_aggs; i++) {
		const struct dprog_agg *a = &p->aggs[i];

		fprintf(f, "agg %u: @%s[", i, a->name);
		dis_vals(a->keys, a->nr_keys, f);
		fprintf(f, "] %s %s", prog_aggfuncs[a->func].name,
			a->is_signed ? "signed" : "unsigned");
		if (a->func == DPROG_AGG_LQUANTIZE)
			fprintf(f, "(%" PRId64 ", %" PRId64 ", %" PRId64 ")", a->param[0],
				a->param[1], a->param[2]);
		else if (a->func == DPROG_AGG_LLQUANTIZE)
			fprintf(f, "(%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ")",
				a->param[0], a->param[1], a->param[2], a->param[3]);
		fputc('\n', f);
	}
	for (i = 0; i < p->nr_actions; i++)
		dis_action(p, i, f);
	names_init(&n, p);
	for (i = 0; i < p->nr_clauses; i++)
		clause_text(p, &n, i, f);
	names_fini(&n);
}
