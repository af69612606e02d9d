// SPDX-License-Identifier: Apache-2.0
/* vm.c - the machine's loop over op.def */
#include <string.h>
#include "drun/ctx.h"
#include "drun/func.h"
#include "drun/rec.h"
#include "drun/spec.h"

#define A regs[in->a]
#define B regs[in->b]
#define C regs[in->c]
#define IMM ((int64_t)in->imm)
#define NEXT goto *labels[(++in)->op]
#define GO(i)                                       \
	do {                                        \
		in = &vm->prog->code[i];            \
		goto *labels[in->op];               \
	} while (0)
#define FAIL(f, v)                                  \
	do {                                        \
		vm_fail(vm, f, v);                  \
		goto faulted;                       \
	} while (0)
/* behind whatever may have faulted */
#define NEXT_IF_FINE                                \
	do {                                        \
		if (__builtin_expect(vm->fault, 0)) \
			goto faulted;               \
		NEXT;                               \
	} while (0)
/* @wide: the type by which it becomes 64 bits, with its sign or without */
#define LOAD_AS(type, wide)                                         \
	do {                                                        \
		uint64_t at = B + (uint64_t)IMM;                    \
		const char *p = mem_at(&vm->mem, at, sizeof(type)); \
		type v;                                             \
		if (!p)                                             \
			FAIL(DPROG_F_BADADDR, at);                  \
		memcpy(&v, p, sizeof(v));                           \
		A = (uint64_t)(wide)v;                              \
		NEXT;                                               \
	} while (0)
#define LOAD(type)  LOAD_AS(type, int64_t)
#define LOADU(type) LOAD_AS(type, uint64_t)
#define STORE(type)                                                 \
	do {                                                        \
		uint64_t at = B + (uint64_t)IMM;                    \
		char *p = mem_at(&vm->mem, at, sizeof(type));       \
		type v = (type)A;                                   \
		if (!p)                                             \
			FAIL(DPROG_F_BADADDR, at);                  \
		memcpy(p, &v, sizeof(v));                           \
		NEXT;                                               \
	} while (0)

static uint64_t low_bits(unsigned int nr)
{
	return nr >= 64 ? ~0ULL : (1ULL << nr) - 1;
}

static uint64_t bits_of(uint64_t v, int32_t imm, bool is_signed)
{
	unsigned int first = ((unsigned int)imm >> 8) & 63, nr = imm & 0xff;

	v = v >> first & low_bits(nr);
	if (is_signed && nr && nr < 64 && (v >> (nr - 1) & 1))
		v |= ~low_bits(nr);
	return v;
}

static uint64_t with_bits(uint64_t old, uint64_t v, int32_t imm)
{
	unsigned int first = ((unsigned int)imm >> 8) & 63, nr = imm & 0xff;
	uint64_t m = low_bits(nr) << first;

	return (old & ~m) | (v << first & m);
}

static uint64_t normalise(const struct dprog_val *val, uint64_t v)
{
	switch (val->size) {
	case 1: return val->is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
	case 2: return val->is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
	case 4: return val->is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

/* Strings among the keys become the one copy of their text, in their registers. */
static void keep_keys(struct vm *vm, const struct dprog_val *keys, unsigned int nr, uint64_t *regs)
{
	for (unsigned int i = 0; i < nr; i++)
		if (keys[i].kind == DPROG_STR || keys[i].kind == DPROG_STACK)
			regs[i] = vm_keep(vm, regs[i]);
}

static inline uint64_t *elem_keys(struct vm *vm, uint32_t var, uint64_t *keys)
{
	const struct dprog_var *d = &vm->prog->vars[var];

	keep_keys(vm, d->keys, d->is_assoc ? d->nr_keys : 0, keys);
	return keys;
}

static uint64_t add_elem(struct vm *vm, uint32_t var, uint64_t *keys, uint64_t add)
{
	uint64_t *ref = vars_elem_ref(&vm->vars, &vm->ev.who, var, keys), v;

	if (!ref)
		return normalise(&vm->prog->vars[var].val, add);
	v = *ref = normalise(&vm->prog->vars[var].val, *ref + add);
	if (!v)
		vars_elem_set(&vm->vars, &vm->ev.who, var, keys, 0);
	return v;
}

static int equal(struct vm *vm, uint64_t a, uint64_t b)
{
	if (a == b)
		return 1;
	if (!a || !b)
		return 0;
	return !str_cmp(&vm->pool, str_of(a), str_of(b));
}

static int compare(struct vm *vm, uint64_t a, uint64_t b)
{
	int r;

	if (!a || !b)
		return (a != 0) - (b != 0);
	r = str_cmp(&vm->pool, str_of(a), str_of(b));
	return (r > 0) - (r < 0);
}

static uint64_t string_char(struct vm *vm, uint64_t s, int64_t i)
{
	size_t len;
	const char *t;

	if (!s)
		return vm_fail(vm, DPROG_F_BADADDR, 0);
	t = vm_text(vm, s, &len);
	return i >= 0 && (size_t)i < len ? (uint64_t)(int64_t)(signed char)t[i] : 0;
}

static uint64_t string_memory(struct vm *vm, uint64_t s)
{
	size_t len;
	const char *t;
	uint64_t at;

	if (!s)
		return 0;
	t = vm_text(vm, s, &len);
	at = mem_scratch(&vm->mem, len + 1);
	if (!at)
		return vm_fail(vm, DPROG_F_NOSCRATCH, len + 1);
	memcpy(mem_at(&vm->mem, at, len + 1), t, len);
	return at;
}

static void store_string(struct vm *vm, uint64_t s, uint64_t at, uint64_t room)
{
	char *p = mem_at(&vm->mem, at, room);
	const char *t;
	size_t len;

	if (!p || !room) {
		vm_fail(vm, DPROG_F_BADADDR, at);
		return;
	}
	t = vm_text(vm, s, &len);
	if (len > room - 1)
		len = room - 1;
	memcpy(p, t, len);
	memset(p + len, 0, room - len);
}

static void copy_bytes(struct vm *vm, uint64_t to, uint64_t from, uint64_t n)
{
	const char *src = mem_at(&vm->mem, from, n);
	char *dst = mem_at(&vm->mem, to, n);

	if (!src)
		vm_fail(vm, DPROG_F_BADADDR, from);
	else if (!dst)
		vm_fail(vm, DPROG_F_BADADDR, to);
	else
		memmove(dst, src, n);
}

static uint64_t addr_of(struct vm *vm, uint32_t var, uint64_t *keys)
{
	uint64_t at = vars_addr(&vm->vars, &vm->ev.who, var, elem_keys(vm, var, keys));

	if (!at) /* dropped and counted: the clause goes on with memory that is forgotten */
		at = mem_scratch(&vm->mem, vm->prog->vars[var].val.size);
	return at ? at : vm_fail(vm, DPROG_F_NOSCRATCH, vm->prog->vars[var].val.size);
}

static void aggregate(struct vm *vm, const struct dprog_insn *in, uint64_t *regs)
{
	struct agg *a = &vm->aggs[in->imm];
	uint64_t *key = &regs[in->b];

	if (vm->agg_texts[in->imm])
		keep_keys(vm, a->def->keys, a->def->nr_keys, key);
	agg_update(a, &vm->agg_budget, key, in->a == DPROG_NOREG ? 0 : (int64_t)regs[in->a],
		   in->c == DPROG_NOREG ? 1 : (int64_t)regs[in->c]);
}

enum vm_result vm_run(struct vm *vm, uint32_t clause)
{
	static const void *const labels[DPROG_NR_OPS] = {
#define OP(name, shape, doc) [DPROG_OP_##name] = &&L_##name,
#include "dprog/op.def"
#undef OP
	};
	const struct dprog_clause *c = &vm->prog->clauses[clause];
	const struct dprog_insn *in = &vm->prog->code[c->start];
	uint64_t *regs = vm->regs;

	vm->clause = clause;
	vm->fault = DPROG_F_NONE;
	vm->rec_used = 0;
	vm->speculating = 0;
	vm->is_void = false;
	vm->last_arg = -1;
	goto *labels[in->op];

L_NOP:	NEXT;
L_MOV:	A = B; NEXT;
L_LDI:	A = (uint64_t)IMM; NEXT;
L_LDC:	A = vm->prog->consts[in->imm]; NEXT;
L_LDSC:	A = vm->str_consts[in->imm]; NEXT;

L_LDARG:	A = ctx_arg(vm, (unsigned int)in->imm); NEXT;
L_LDARGS:	A = vm_arg_value(vm, (unsigned int)in->imm); NEXT_IF_FINE;
L_LDV:	A = vm_bvar(vm, (enum dprog_bvar)in->imm); NEXT_IF_FINE;
L_LDTS:	A = vm->ev.ts; NEXT;

L_ADD:	A = B + C; NEXT;
L_SUB:	A = B - C; NEXT;
L_MUL:	A = B * C; NEXT;
L_DIVS:
	if (!C)
		FAIL(DPROG_F_DIVZERO, 0);
	A = (int64_t)C == -1 ? 0 - B : (uint64_t)((int64_t)B / (int64_t)C);
	NEXT;
L_DIVU:
	if (!C)
		FAIL(DPROG_F_DIVZERO, 0);
	A = B / C;
	NEXT;
L_MODS:
	if (!C)
		FAIL(DPROG_F_DIVZERO, 0);
	A = (int64_t)C == -1 ? 0 : (uint64_t)((int64_t)B % (int64_t)C);
	NEXT;
L_MODU:
	if (!C)
		FAIL(DPROG_F_DIVZERO, 0);
	A = B % C;
	NEXT;
L_AND:	A = B & C; NEXT;
L_OR:	A = B | C; NEXT;
L_XOR:	A = B ^ C; NEXT;
L_SHL:	A = B << (C & 63); NEXT;
L_SHRS:	A = (uint64_t)((int64_t)B >> (C & 63)); NEXT;
L_SHRU:	A = B >> (C & 63); NEXT;
L_NEG:	A = 0 - B; NEXT;
L_NOT:	A = ~B; NEXT;
L_LNOT:	A = !B; NEXT;
L_BOOL:	A = B != 0; NEXT;
L_ADDI:	A = B + (uint64_t)IMM; NEXT;
L_MULI:	A = B * (uint64_t)IMM; NEXT;
L_ANDI:	A = B & (uint64_t)IMM; NEXT;
L_SHLI:	A = B << (in->imm & 63); NEXT;
L_SHRSI:	A = (uint64_t)((int64_t)B >> (in->imm & 63)); NEXT;
L_SHRUI:	A = B >> (in->imm & 63); NEXT;
L_DIVSI:	A = (uint64_t)((int64_t)B / IMM); NEXT;
L_MODSI:	A = (uint64_t)((int64_t)B % IMM); NEXT;
L_DIVUI:	A = B / (uint64_t)IMM; NEXT;
L_MODUI:	A = B % (uint64_t)IMM; NEXT;

L_SX8:	A = (uint64_t)(int64_t)(int8_t)B; NEXT;
L_SX16:	A = (uint64_t)(int64_t)(int16_t)B; NEXT;
L_SX32:	A = (uint64_t)(int64_t)(int32_t)B; NEXT;
L_ZX8:	A = (uint8_t)B; NEXT;
L_ZX16:	A = (uint16_t)B; NEXT;
L_ZX32:	A = (uint32_t)B; NEXT;
L_BFXS:	A = bits_of(B, in->imm, true); NEXT;
L_BFXU:	A = bits_of(B, in->imm, false); NEXT;
L_BFI:	A = with_bits(A, B, in->imm); NEXT;

L_EQ:	A = B == C; NEXT;
L_NE:	A = B != C; NEXT;
L_LTS:	A = (int64_t)B < (int64_t)C; NEXT;
L_LES:	A = (int64_t)B <= (int64_t)C; NEXT;
L_LTU:	A = B < C; NEXT;
L_LEU:	A = B <= C; NEXT;
L_EQI:	A = B == (uint64_t)IMM; NEXT;
L_NEI:	A = B != (uint64_t)IMM; NEXT;
L_LTSI:	A = (int64_t)B < IMM; NEXT;
L_LESI:	A = (int64_t)B <= IMM; NEXT;
L_GTSI:	A = (int64_t)B > IMM; NEXT;
L_GESI:	A = (int64_t)B >= IMM; NEXT;

L_JMP:	GO(in->imm);
L_JZ:
	if (!A)
		GO(in->imm);
	NEXT;
L_JNZ:
	if (A)
		GO(in->imm);
	NEXT;
L_PRED:
	if (!A)
		return VM_NOTHING;
	NEXT;
L_END:
	if (!(c->flags & DPROG_C_RECORD) || vm->is_void)
		return VM_NOTHING;
	return VM_RECORD;
L_FAULT:	FAIL((enum dprog_fault)in->imm, A);

L_LDG:	A = vm->vars.globals[in->imm]; NEXT;
L_STG:	vm->vars.globals[in->imm] = A; NEXT;
L_STGS:	vm->vars.globals[in->imm] = vm_keep(vm, A); NEXT;
L_LDT:	A = vm->vars.locals[in->imm]; NEXT;
L_STT:
L_STTS:	vm->vars.locals[in->imm] = A; NEXT; /* scratch lives as long as they do */
L_LDS:	A = vars_get_thread(&vm->vars, &vm->ev.who, (uint32_t)in->imm); NEXT;
L_STS:	vars_set_thread(&vm->vars, &vm->ev.who, (uint32_t)in->imm, A); NEXT;
L_STSS:	vars_set_thread(&vm->vars, &vm->ev.who, (uint32_t)in->imm, vm_keep(vm, A)); NEXT;
L_LDP:	A = vars_get_proc(&vm->vars, &vm->ev.who, (uint32_t)in->imm); NEXT;
L_STP:	vars_set_proc(&vm->vars, &vm->ev.who, (uint32_t)in->imm, A); NEXT;
L_STPS:	vars_set_proc(&vm->vars, &vm->ev.who, (uint32_t)in->imm, vm_keep(vm, A)); NEXT;

L_LDA:
	A = vars_elem_get(&vm->vars, &vm->ev.who, (uint32_t)in->imm,
			  elem_keys(vm, (uint32_t)in->imm, &B));
	NEXT;
L_STA:
	vars_elem_set(&vm->vars, &vm->ev.who, (uint32_t)in->imm,
		      elem_keys(vm, (uint32_t)in->imm, &B), A);
	NEXT;
L_STAS:
	vars_elem_set(&vm->vars, &vm->ev.who, (uint32_t)in->imm,
		      elem_keys(vm, (uint32_t)in->imm, &B), vm_keep(vm, A));
	NEXT;
L_ADDA:
	A = add_elem(vm, (uint32_t)in->imm, elem_keys(vm, (uint32_t)in->imm, &B), C);
	NEXT;

L_VADDR:	A = addr_of(vm, (uint32_t)in->imm, NULL); NEXT_IF_FINE;
L_AADDR:	A = addr_of(vm, (uint32_t)in->imm, &B); NEXT_IF_FINE;
L_LD8S:	LOAD(int8_t);
L_LD8U:	LOADU(uint8_t);
L_LD16S:	LOAD(int16_t);
L_LD16U:	LOADU(uint16_t);
L_LD32S:	LOAD(int32_t);
L_LD32U:	LOADU(uint32_t);
L_LD64:	LOADU(uint64_t);
L_ST8:	STORE(uint8_t);
L_ST16:	STORE(uint16_t);
L_ST32:	STORE(uint32_t);
L_ST64:	STORE(uint64_t);
L_STSTR:	store_string(vm, A, B, (uint32_t)in->imm); NEXT_IF_FINE;
L_COPY:	copy_bytes(vm, A, B, (uint32_t)in->imm); NEXT_IF_FINE;
L_ALLOCA:
	{
		uint64_t size = B;

		A = mem_scratch(&vm->mem, size);
		if (!A)
			FAIL(DPROG_F_NOSCRATCH, size);
	}
	NEXT;
L_BOUND:
	if (A >= (uint32_t)in->imm)
		FAIL(DPROG_F_BADINDEX, A);
	NEXT;

L_STRAT:	A = vm_string_at(vm, B, (uint32_t)in->imm); NEXT_IF_FINE;
L_COPYINSTR:	A = vm_string_at(vm, B, in->c == DPROG_NOREG ? 0 : C); NEXT_IF_FINE;
L_STRMEM:	A = string_memory(vm, B); NEXT_IF_FINE;
L_STRCH:	A = string_char(vm, B, (int64_t)C); NEXT_IF_FINE;
L_SEQ:	A = (uint64_t)equal(vm, B, C); NEXT;
L_SNE:	A = !equal(vm, B, C); NEXT;
L_SCMP:	A = (uint64_t)(int64_t)compare(vm, B, C); NEXT;
L_ITOSTR:	A = vm_string_at(vm, B, 0); NEXT_IF_FINE;

L_CALL:
	{
		uint64_t r = func_call(vm, (enum dprog_fn)in->imm, &B, in->c);

		if (in->a != DPROG_NOREG)
			A = r;
	}
	NEXT_IF_FINE;
L_STACK:
	A = vm->env.stack ? vm->env.stack(vm->env.ctx, vm, (enum dprog_stack)in->b, (uint32_t)in->imm) : 0;
	NEXT;
L_AGG:	aggregate(vm, in, regs); NEXT;
L_ACT:	vm->at = in; rec_act(vm, (uint32_t)in->imm, &A); NEXT_IF_FINE;

faulted:
	vm->fault_pc = (uint32_t)(in - vm->prog->code) - c->start;
	vm->rec_used = 0;
	return VM_FAULTED;
}
