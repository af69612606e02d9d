// SPDX-License-Identifier: Apache-2.0
/*
 * fast.c - which clauses need no machine
 *
 * A clause is walked once with values instead of numbers in its registers:
 * constants, words of the record, comparisons of these.  Whatever is not
 * understood ends the walk, and the clause stays with the machine.
 */
#include <stdlib.h>
#include <string.h>
#include "drun/ctx.h"
#include "drun/fast.h"

enum what {
	NOTHING, /* not known */
	CONST,	 /* n: an integer */
	TEXT,	 /* n: an interned string that stays */
	WORD,	 /* an integer of the record */
	NAME,	 /* a string of the record: an atom, a pid, ... */
	TEST,	 /* a comparison of a word with a constant */
};

struct sym {
	enum what what;
	int arg; /* of WORD, NAME: arg<n> */
	uint64_t n;
	struct fast_word word;
	struct fast_test test;
};

struct walk {
	struct vm *vm;
	const struct vm_arg *args;
	struct fast_clause *c;
	struct sym *regs;
	uint32_t clause;
	int last_arg; /* as the machine keeps it */
	uint32_t nr_words;
};

static void need(struct walk *w, uint32_t pos)
{
	if (pos >= w->nr_words)
		w->nr_words = pos + 1;
}

static bool load_arg(struct walk *w, struct sym *s, int32_t i)
{
	const struct vm_arg *a;

	if (i < 0 || i >= VM_NR_ARGS)
		return false;
	a = &w->args[i];
	if (a->field < 0 || !a->pos || a->type == DESC_text)
		return false;
	*s = (struct sym){ .what = WORD, .arg = i, .word.pos = a->pos };
	if (ctx_is_string(a->type)) {
		s->word.from = 0;
		s->word.to = CTX_ARG_AREA + (uint64_t)i;
	} else {
		s->word.from = BTAP_UNKNOWN;
		s->word.to = ctx_unknown(a->type);
	}
	w->last_arg = i;
	need(w, a->pos);
	return true;
}

static bool load_args(struct walk *w, struct sym *s, int32_t i)
{
	int last = w->last_arg;

	if (!load_arg(w, s, i))
		return false;
	if (ctx_is_string(w->args[i].type)) {
		s->what = NAME;
		w->last_arg = last; /* the machine does not ask for the number */
	}
	return w->args[i].type != DESC_int; /* cut to 32 bits */
}

/* copyinstr() of the argument that was loaded just now, or the like. */
static bool load_text(struct walk *w, struct sym *s, const struct sym *addr, const struct dprog_insn *in)
{
	if (in->c != DPROG_NOREG || addr->what != WORD || addr->arg != w->last_arg ||
	    !ctx_is_string(w->args[addr->arg].type))
		return false;
	*s = *addr;
	s->what = NAME;
	return true;
}

static bool load_bvar(struct walk *w, struct sym *s, enum dprog_bvar id)
{
	const struct vm_probe *p = w->vm->ev.probe;
	const struct str *t;
	uint32_t clause = w->vm->clause;

	switch (id) {
	case DPROG_V_PROBEPROV:
	case DPROG_V_PROBEMOD:
	case DPROG_V_PROBEFUNC:
	case DPROG_V_PROBENAME:
		if (!p->names)
			return false;
		t = str_of(vm_bvar(w->vm, id));
		if (!t || t->len >= w->vm->opts.strsize) /* a key would be cut */
			return false;
		*s = (struct sym){ .what = TEXT, .n = str_word(t) };
		return true;
	case DPROG_V_ID:
	case DPROG_V_EPID:
		w->vm->clause = w->clause;
		*s = (struct sym){ .what = CONST, .n = vm_bvar(w->vm, id) };
		w->vm->clause = clause;
		return true;
	default:
		return false;
	}
}

/* word op c, as a range; false where no value, or every one, fulfils it */
static bool range(struct fast_test *t, unsigned int op, uint64_t c)
{
	const uint64_t min = (uint64_t)INT64_MIN, max = INT64_MAX;

	t->is_not = op == DPROG_OP_NEI;
	switch (op) {
	case DPROG_OP_EQI:
	case DPROG_OP_NEI:
		t->lo = c;
		t->span = 0;
		return true;
	case DPROG_OP_LTSI:
		if (c == min)
			return false;
		c--; /* fall through */
	case DPROG_OP_LESI:
		t->lo = min;
		t->span = c - min;
		return true;
	case DPROG_OP_GTSI:
		if (c == max)
			return false;
		c++; /* fall through */
	case DPROG_OP_GESI:
		t->lo = c;
		t->span = max - c;
		return true;
	default:
		return false;
	}
}

static bool compare(struct sym *s, const struct sym *b, unsigned int op, uint64_t c)
{
	struct sym r = { .what = TEST, .test.word = b->word };

	if (b->what != WORD || !range(&r.test, op, c))
		return false;
	*s = r;
	return true;
}

/* Comparisons of two registers, one of them a constant. */
static bool compare_regs(struct sym *s, const struct sym *b, const struct sym *c, unsigned int op)
{
	bool turned = b->what == CONST;

	switch (op) {
	case DPROG_OP_EQ:
		op = DPROG_OP_EQI;
		break;
	case DPROG_OP_NE:
		op = DPROG_OP_NEI;
		break;
	case DPROG_OP_LTS:
		op = turned ? DPROG_OP_GTSI : DPROG_OP_LTSI;
		break;
	case DPROG_OP_LES:
		op = turned ? DPROG_OP_GESI : DPROG_OP_LESI;
		break;
	default:
		return false;
	}
	if (turned)
		return compare(s, c, op, b->n);
	return c->what == CONST && compare(s, b, op, c->n);
}

/* What is tested: a comparison, or a word that must not be 0. */
static bool add_test(struct walk *w, const struct sym *s)
{
	struct sym t = *s;

	if (w->c->nr_aggs || w->c->nr_tests == FAST_MAX_TESTS)
		return false;
	if (t.what == WORD && !compare(&t, s, DPROG_OP_NEI, 0))
		return false;
	if (t.what != TEST)
		return false;
	w->c->tests[w->c->nr_tests++] = t.test;
	return true;
}

static bool add_key(struct fast_agg *a, const struct sym *s, unsigned int i, bool is_text)
{
	uint32_t n = a->nr_words;

	switch (s->what) {
	case CONST:
	case TEXT:
		a->keys[i] = s->n;
		return is_text == (s->what == TEXT);
	case WORD:
	case NAME:
		if (is_text != (s->what == NAME))
			return false;
		a->words[n] = s->word;
		a->at[n] = (uint8_t)i;
		a->text[n] = -1;
		a->is_cached |= is_text;
		a->nr_words++;
		return true;
	default:
		return false;
	}
}

static bool add_agg(struct walk *w, const struct dprog_insn *in)
{
	struct fast_agg *a = &w->c->aggs[w->c->nr_aggs];
	const struct dprog_agg *def = w->vm->aggs[in->imm].def;
	const struct sym *v = in->a == DPROG_NOREG ? NULL : &w->regs[in->a];

	if (w->c->nr_aggs == FAST_MAX_AGGS || def->nr_keys > FAST_MAX_KEYS || in->c != DPROG_NOREG)
		return false;
	*a = (struct fast_agg){ .agg = &w->vm->aggs[in->imm], .nr_keys = def->nr_keys };
	for (unsigned int i = 0; i < def->nr_keys; i++) {
		const struct sym *s = &w->regs[in->b + i];

		if (def->keys[i].kind != DPROG_INT && def->keys[i].kind != DPROG_STR)
			return false;
		if (!add_key(a, s, i, def->keys[i].kind == DPROG_STR))
			return false;
		if (s->what == NAME) {
			/* str_lazy() wants the word as it is */
			a->text[a->nr_words - 1] = w->args[s->arg].type;
			a->words[a->nr_words - 1].to = 0;
		}
	}
	if (v && v->what == WORD) {
		a->has_value = true;
		a->value = v->word;
	} else if (v && v->what == CONST) {
		a->value.to = v->n;
	} else if (v) {
		return false;
	}
	a->is_plain = a->nr_words == 1 && def->nr_keys == 1 && def->func == DPROG_AGG_COUNT;
	a->is_cached |= a->is_plain;
	w->c->nr_aggs++;
	return true;
}

/* Return: 1: go on, 0: the end was reached, -1: not understood */
static int step(struct walk *w, const struct dprog_insn *in, const struct dprog_insn *code)
{
	struct sym *a = in->a == DPROG_NOREG ? NULL : &w->regs[in->a];
	struct sym *b = &w->regs[in->b], *c = &w->regs[in->c];
	const struct dprog_insn *to;

	switch (in->op) {
	case DPROG_OP_NOP:
		return 1;
	case DPROG_OP_MOV:
		*a = *b;
		return 1;
	case DPROG_OP_LDI:
		*a = (struct sym){ .what = CONST, .n = (uint64_t)(int64_t)in->imm };
		return 1;
	case DPROG_OP_LDC:
		*a = (struct sym){ .what = CONST, .n = w->vm->prog->consts[in->imm] };
		return 1;
	case DPROG_OP_LDSC:
		*a = (struct sym){ .what = TEXT, .n = w->vm->str_consts[in->imm] };
		return a->n ? 1 : -1;
	case DPROG_OP_LDARG:
		return load_arg(w, a, in->imm) ? 1 : -1;
	case DPROG_OP_LDARGS:
		return load_args(w, a, in->imm) ? 1 : -1;
	case DPROG_OP_LDV:
		return load_bvar(w, a, (enum dprog_bvar)in->imm) ? 1 : -1;
	case DPROG_OP_COPYINSTR:
		return load_text(w, a, b, in) ? 1 : -1;
	case DPROG_OP_EQI:
	case DPROG_OP_NEI:
	case DPROG_OP_LTSI:
	case DPROG_OP_LESI:
	case DPROG_OP_GTSI:
	case DPROG_OP_GESI:
		return compare(a, b, in->op, (uint64_t)(int64_t)in->imm) ? 1 : -1;
	case DPROG_OP_EQ:
	case DPROG_OP_NE:
	case DPROG_OP_LTS:
	case DPROG_OP_LES:
		return compare_regs(a, b, c, in->op) ? 1 : -1;
	case DPROG_OP_JZ:
		/* && of a predicate: where it goes, this register is the predicate's value, and 0 */
		to = &code[in->imm];
		return to->op == DPROG_OP_PRED && to->a == in->a && add_test(w, a) ? 1 : -1;
	case DPROG_OP_PRED:
		return add_test(w, a) ? 1 : -1;
	case DPROG_OP_AGG:
		return add_agg(w, in) ? 1 : -1;
	case DPROG_OP_END:
		return 0;
	default:
		return -1;
	}
}

static bool take_apart(struct walk *w, uint32_t clause)
{
	const struct dprog *prog = w->vm->prog;
	const struct dprog_clause *c = &prog->clauses[clause];
	int r = 1;

	if (c->flags & (DPROG_C_RECORD | DPROG_C_DATA | DPROG_C_DESTR | DPROG_C_SPEC))
		return false;
	memset(w->regs, 0, (DPROG_MAX_REGS + 1) * sizeof(*w->regs));
	w->clause = clause;
	w->last_arg = -1;
	for (uint32_t i = c->start; i < c->end && r > 0; i++)
		r = step(w, &prog->code[i], prog->code);
	return r == 0 && w->c->nr_aggs > 0;
}

static bool make_caches(struct fast *f)
{
	for (uint32_t i = 0; i < f->nr_clauses; i++)
		for (uint32_t k = 0; k < f->clauses[i].nr_aggs; k++) {
			struct fast_agg *a = &f->clauses[i].aggs[k];

			if (a->is_cached)
				a->cache = calloc(FAST_CACHE, (1 + a->nr_words) * sizeof(*a->cache));
			if (a->is_cached && !a->cache)
				return false;
		}
	return true;
}

struct fast *fast_new(struct vm *vm, const struct vm_probe *probe, uint32_t event, uint32_t src_vm)
{
	struct fast *f = calloc(1, sizeof(*f) + probe->nr_clauses * sizeof(f->clauses[0]));
	struct sym *regs = malloc((DPROG_MAX_REGS + 1) * sizeof(*regs));
	struct walk w = { .vm = vm, .args = vm->args[event], .regs = regs };
	const struct vm_probe *old = vm->ev.probe;
	bool ok = f && regs && probe->nr_clauses;

	vm->ev.probe = probe; /* whose names are asked for */
	for (uint32_t i = 0; ok && i < probe->nr_clauses; i++) {
		w.c = &f->clauses[i];
		ok = take_apart(&w, probe->clauses[i]);
	}
	vm->ev.probe = old;
	free(regs);
	if (ok) {
		f->vm = src_vm;
		f->nr_words = w.nr_words;
		f->nr_clauses = probe->nr_clauses;
		ok = make_caches(f);
	}
	if (ok)
		return f;
	fast_free(f);
	return NULL;
}

void fast_free(struct fast *f)
{
	for (uint32_t i = 0; f && i < f->nr_clauses; i++)
		for (uint32_t k = 0; k < f->clauses[i].nr_aggs; k++)
			free(f->clauses[i].aggs[k].cache);
	free(f);
}

/* The keys as the machine has them.  Return: they will be the same the next time */
static bool make_keys(struct vm *vm, struct fast_agg *a, const uint64_t *words, uint32_t src_vm)
{
	bool is_final = true;

	str_scratch_reset(&vm->pool);
	for (uint32_t i = 0; i < a->nr_words; i++) {
		struct str *s;

		if (a->text[i] < 0) {
			a->keys[a->at[i]] = words[i];
			continue;
		}
		s = str_lazy(&vm->pool, (unsigned int)a->text[i], src_vm, words[i]);
		is_final &= s && (s->flags & STR_INTERNED);
		a->keys[a->at[i]] = vm_keep(vm, str_word(s));
	}
	return is_final;
}

void fast_agg_cached(struct vm *vm, struct fast_agg *a, const uint64_t *rec, uint32_t src_vm)
{
	uint64_t words[FAST_MAX_KEYS], *at, *row, *data;
	struct tab *t = &a->agg->tab;
	int64_t value = (int64_t)a->value.to;
	bool is_final;

	for (uint32_t i = 0; i < a->nr_words; i++)
		words[i] = fast_load(&a->words[i], rec);
	if (a->has_value)
		value = (int64_t)fast_load(&a->value, rec);
	if (a->agg_gen != a->agg->gen) {
		memset(a->cache, 0, FAST_CACHE * (1 + a->nr_words) * sizeof(*a->cache));
		a->agg_gen = a->agg->gen;
	}
	at = fast_slot(a, words, a->nr_words);
	if (*at && tab_same(at + 1, words, a->nr_words)) {
		data = tab_data(t, tab_row(t, (uint32_t)*at - 1));
		if (a->agg->def->func == DPROG_AGG_COUNT)
			data[0]++;
		else
			agg_apply(a->agg, data, value, 1);
		return;
	}
	is_final = make_keys(vm, a, words, src_vm);
	row = tab_find(t, a->keys);
	if (row) {
		agg_apply(a->agg, tab_data(t, row), value, 1);
	} else {
		agg_update(a->agg, &vm->agg_budget, a->keys, value, 1);
		row = tab_find(t, a->keys);
	}
	if (!row || !is_final)
		return;
	*at = (uint64_t)((size_t)(row - t->rows) / t->stride) + 1;
	memcpy(at + 1, words, a->nr_words * sizeof(*words));
}
