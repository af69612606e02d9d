// SPDX-License-Identifier: Apache-2.0
/*
 * machine_fuzz.c - random sound programs over random events, printed
 *
 * The bytes choose instructions; what they choose is put right so that the
 * program is one that the compiler could have made: registers 0 to 31 hold
 * numbers and addresses, 32 to 47 strings, jumps go forward.  Everything else is
 * as wild as the bytes: addresses, sizes, positions, formats' widths.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "dout/dout.h"
#include "drun/spec.h"
#include "../lib/dasm.h"
#include "lib/replay.h"

#define NR_STRS	  6
#define NR_CONSTS 8
#define NR_ACTS	  12

struct input {
	const uint8_t *p, *end;
};

static uint8_t byte(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static uint8_t num(struct input *in)
{
	return byte(in) % 32;
}

static uint8_t text(struct input *in)
{
	return (uint8_t)(32 + byte(in) % 16);
}

static int32_t imm(struct input *in)
{
	uint32_t v = byte(in);

	return (int32_t)(v & 1 ? v >> 1 : (v >> 1) << (byte(in) % 25)) * (v & 2 ? 1 : -1);
}

static const char *const strs[NR_STRS] = { "", "a", "hello world", "/a/./b/../c", ":,:", "\xff\n%s" };

static void tables(struct dasm *a)
{
	static struct dfmt_conv convs[] = {
		{ .lit = "x", .lit_len = 1, .conv = 'd', .width = -1, .prec = -1, .arg = 1,
		  .flags = DFMT_WIDTH_ARG | DFMT_LEFT, .width_arg = 0 },
		{ .lit = "", .conv = 's', .width = 20, .prec = -1, .arg = 2 },
		{ .lit = "", .conv = 'S', .width = -1, .prec = 3, .arg = 2 },
		{ .lit = "", .conv = 'x', .width = -1, .prec = -1, .arg = 1, .flags = DFMT_PREC_ARG },
		{ .lit = "\n", .lit_len = 1 },
	};
	static struct dfmt fmt = { .convs = convs, .nr = 5 };
	static struct dfmt_conv agg_convs[] = {
		{ .lit = "[", .lit_len = 1, .conv = 's', .width = -1, .prec = -1, .arg = 1 },
		{ .lit = "", .conv = 'd', .width = -1, .prec = -1, .flags = DFMT_AGG },
	};
	static struct dfmt agg_fmt = { .convs = agg_convs, .nr = 2 };
	static uint32_t aggs[DPROG_NR_AGGFNS];
	static const uint8_t kinds[NR_ACTS] = { DPROG_ACT_TRACE, DPROG_ACT_TRACE, DPROG_ACT_PRINTF,
						DPROG_ACT_TRACEMEM, DPROG_ACT_PRINTA, DPROG_ACT_PRINTA,
						DPROG_ACT_SPECULATE, DPROG_ACT_COMMIT, DPROG_ACT_DISCARD,
						DPROG_ACT_TRUNC, DPROG_ACT_NORMALIZE, DPROG_ACT_CLEAR };
	struct dprog_val *keys = dasm_val(a, DPROG_INT, 4), *v;

	dasm_val(a, DPROG_STR, 16);
	for (int i = 0; i < NR_STRS; i++)
		dasm_str(a, strs[i]);
	for (int i = 0; i < NR_CONSTS; i++)
		dasm_const(a, ((const uint64_t[]){ 0, 1, (uint64_t)-1, INT64_MAX, (uint64_t)INT64_MIN,
						   MEM_SCRATCH + 8, MEM_STORE + 8, 0xffffffff })[i]);
	for (int i = 0; i < DPROG_NR_SCOPES; i++)
		a->prog.nr_slots[i] = 8; /* 0 to 3 numbers, 4 to 7 strings */
	for (uint32_t i = 0; i < 32; i++)
		a->vars[a->prog.nr_vars++] = (struct dprog_var){ .name = "v", .scope = (uint8_t)(i / 8), .slot = i % 8,
								 .val = *dasm_val(a, i % 8 < 4 ? DPROG_INT : DPROG_STR, 8) };
	for (uint8_t i = 0; i < 4; i++) /* arrays of numbers and of strings, global and self-> ; then aggregates */
		a->vars[a->prog.nr_vars++] = (struct dprog_var){ .name = "x", .scope = i / 2, .is_assoc = true, .nr_keys = 2,
								 .slot = UINT32_MAX, .keys = keys,
								 .val = *dasm_val(a, i % 2 ? DPROG_STR : DPROG_INT, i % 2 ? 16 : 4) };
	for (uint8_t i = 0; i < 3; i++)
		a->vars[a->prog.nr_vars++] = (struct dprog_var){ .name = "s", .scope = i, .slot = UINT32_MAX,
								 .val = *dasm_val(a, DPROG_BYTES, 40) };
	for (uint8_t f = 0; f < DPROG_NR_AGGFNS; f++) {
		struct dprog_agg *g = &a->aggs[a->prog.nr_aggs];

		aggs[f] = a->prog.nr_aggs++;
		*g = (struct dprog_agg){ .name = "g", .func = f, .nr_keys = 2, .is_signed = f & 1, .keys = keys };
		if (f == DPROG_AGG_LQUANTIZE)
			memcpy(g->param, (int64_t[4]){ -10, 100, 7, 0 }, 32);
		if (f == DPROG_AGG_LLQUANTIZE)
			memcpy(g->param, (int64_t[4]){ 10, 0, 5, 20 }, 32);
	}
	for (uint32_t i = 0; i < NR_ACTS; i++) {
		struct dprog_action *act = &a->actions[a->prog.nr_actions++];

		*act = (struct dprog_action){ .kind = kinds[i], .nr_values = 1 };
		act->values = v = dasm_val(a, i == 1 ? DPROG_STR : DPROG_INT, i == 1 ? 16 : 8);
		if (kinds[i] == DPROG_ACT_PRINTF) {
			*v = (struct dprog_val){ .kind = DPROG_INT, .size = 4, .is_signed = true };
			dasm_val(a, DPROG_INT, 2);
			dasm_val(a, DPROG_STR, 16);
			act->nr_values = 3;
			act->fmt = &fmt;
		}
		if (kinds[i] == DPROG_ACT_TRACEMEM) {
			dasm_val(a, DPROG_INT, 8);
			act->nr_values = 2;
		}
		if (kinds[i] == DPROG_ACT_PRINTA) {
			act->nr_values = 0;
			act->fmt = i == 5 ? &agg_fmt : NULL;
			act->aggs = aggs;
			act->nr_aggs = DPROG_NR_AGGFNS;
		}
		if (kinds[i] >= DPROG_ACT_TRACE || kinds[i] == DPROG_ACT_NORMALIZE || kinds[i] == DPROG_ACT_CLEAR) {
			act->aggs = aggs;
			act->nr_aggs = act->nr_aggs ? act->nr_aggs : 1;
		}
	}
}

/* Numbers and strings as a function's parameters say. */
static void call(struct dasm *a, struct input *in)
{
	enum dprog_fn fn = (enum dprog_fn)(byte(in) % DPROG_NR_FNS);
	const char *p = prog_funcs[fn].params, *type = prog_funcs[fn].type;
	uint8_t n = 0, reg = 100;
	bool opt = byte(in) & 1;

	for (; *p; n++) {
		size_t len = strcspn(p, ",");
		bool is_text = len >= 6 && !strncmp(p, "char *", 6);

		if (*p == '[' && !opt)
			break;
		dasm_op(a, DPROG_OP_MOV, (uint8_t)(reg + n), is_text ? text(in) : num(in), 0, 0);
		p += len;
		p += strspn(p, ", ");
	}
	dasm_op(a, DPROG_OP_CALL, !strcmp(type, "string") ? text(in) : num(in), reg, n, (int32_t)fn);
}

static void keys(struct dasm *a, struct input *in)
{
	dasm_op(a, DPROG_OP_SX32, 110, num(in), 0, 0);
	dasm_op(a, DPROG_OP_MOV, 111, text(in), 0, 0);
}

static void action(struct dasm *a, struct input *in)
{
	uint32_t i = byte(in) % NR_ACTS;
	uint8_t kind = a->actions[i].kind;

	dasm_op(a, DPROG_OP_MOV, 120, i == 1 ? text(in) : num(in), 0, 0);
	if (kind == DPROG_ACT_PRINTF) {
		dasm_op(a, DPROG_OP_SX16, 121, num(in), 0, 0);
		dasm_op(a, DPROG_OP_MOV, 122, text(in), 0, 0);
	}
	if (kind == DPROG_ACT_TRACEMEM)
		dasm_op(a, DPROG_OP_MOV, 121, num(in), 0, 0);
	dasm_op(a, DPROG_OP_ACT, 120, 0, 0, (int32_t)i);
}

static void one_op(struct dasm *a, struct input *in)
{
	static const uint8_t vars_num[] = { DPROG_OP_LDG, DPROG_OP_STG, DPROG_OP_LDT, DPROG_OP_STT,
					    DPROG_OP_LDS, DPROG_OP_STS, DPROG_OP_LDP, DPROG_OP_STP };
	static const uint8_t vars_text[] = { DPROG_OP_LDG, DPROG_OP_STGS, DPROG_OP_LDT, DPROG_OP_STTS,
					     DPROG_OP_LDS, DPROG_OP_STSS, DPROG_OP_LDP, DPROG_OP_STPS };
	uint8_t what = byte(in) % 16, op;

	switch (what) {
	case 0:
		dasm_op(a, DPROG_OP_LDC, num(in), 0, 0, byte(in) % NR_CONSTS);
		return;
	case 1:
		dasm_op(a, DPROG_OP_LDI, num(in), 0, 0, imm(in));
		return;
	case 2:
		dasm_op(a, DPROG_OP_LDSC, text(in), 0, 0, byte(in) % NR_STRS);
		return;
	case 3:
		dasm_op(a, byte(in) & 1 ? DPROG_OP_LDARG : DPROG_OP_LDV, num(in), 0, 0, byte(in) % 10);
		if (a->code[a->prog.nr_code - 1].op == DPROG_OP_LDV)
			a->code[a->prog.nr_code - 1].imm = DPROG_V_TIMESTAMP;
		return;
	case 4:
		op = (uint8_t)(DPROG_OP_ADD + byte(in) % (DPROG_OP_ADDI - DPROG_OP_ADD));
		dasm_op(a, (enum dprog_op)op, num(in), num(in), num(in), 0);
		return;
	case 5:
		op = (uint8_t)(DPROG_OP_SX8 + byte(in) % (DPROG_OP_EQI - DPROG_OP_SX8));
		dasm_op(a, (enum dprog_op)op, num(in), num(in), num(in), byte(in) % 64 << 8 | (1 + byte(in) % 64));
		return;
	case 6:
		op = (uint8_t)(DPROG_OP_LD8S + byte(in) % (DPROG_OP_STSTR - DPROG_OP_LD8S));
		dasm_op(a, (enum dprog_op)op, num(in), num(in), 0, imm(in));
		return;
	case 7:
		dasm_op(a, DPROG_OP_STSTR, text(in), num(in), 0, byte(in));
		dasm_op(a, DPROG_OP_COPY, num(in), num(in), 0, byte(in));
		return;
	case 8:
		dasm_op(a, DPROG_OP_ALLOCA, num(in), num(in), 0, 0);
		return;
	case 9:
		op = byte(in);
		dasm_op(a, (enum dprog_op)(op & 1 ? vars_num : vars_text)[byte(in) % 8], op & 1 ? num(in) : text(in), 0, 0,
			(op & 1 ? 0 : 4) + byte(in) % 4);
		return;
	case 10:
		keys(a, in);
		op = byte(in) % 4;
		dasm_op(a, op & 1 ? byte(in) & 1 ? DPROG_OP_STAS : DPROG_OP_LDA : byte(in) & 1 ? DPROG_OP_STA : DPROG_OP_ADDA,
			op & 1 ? text(in) : num(in), 110, num(in), 32 + op);
		return;
	case 11:
		dasm_op(a, DPROG_OP_VADDR, num(in), 0, 0, 36 + byte(in) % 3);
		return;
	case 12:
		op = byte(in) % 4;
		if (op == 0)
			dasm_op(a, DPROG_OP_STRAT, text(in), num(in), 0, byte(in));
		else if (op == 1)
			dasm_op(a, DPROG_OP_COPYINSTR, text(in), num(in), byte(in) & 1 ? num(in) : DPROG_NOREG, 0);
		else if (op == 2)
			dasm_op(a, DPROG_OP_STRMEM, num(in), text(in), 0, 0);
		else
			dasm_op(a, byte(in) & 1 ? DPROG_OP_SEQ : DPROG_OP_SCMP, num(in), text(in), text(in), 0);
		return;
	case 13:
		call(a, in);
		return;
	case 14:
		keys(a, in);
		dasm_op(a, DPROG_OP_AGG, num(in), 110, byte(in) & 1 ? num(in) : DPROG_NOREG,
			byte(in) % DPROG_NR_AGGFNS);
		return;
	default:
		action(a, in);
	}
}

static long resolve(void *ctx, unsigned int kind, unsigned int vm, uint64_t word, char *buf, size_t size)
{
	return snprintf(buf, size, "<%llu>", (unsigned long long)word);
}

static void commit(void *ctx, const struct vm_record *r)
{
	dout_record(ctx, r);
}

static void fire(struct run *r, struct dout *o, struct input *in)
{
	static struct vm_probe probe = { .id = 5, .prov = "p", .mod = "m", .func = "f", .name = "entry" };
	uint64_t words[BTAP_MAX_WORDS] = { 0 };
	const struct desc *d = desc_all[byte(in) % desc_nr];
	struct src_rec rec = { .ts = 7, .words = words, .event = d->id };
	uint32_t nr = d->min_words;
	struct vm *vm = &r->vm;

	for (uint32_t i = 1; i < nr; i++)
		words[i] = byte(in) * 0x123ULL;
	for (unsigned int i = 0; i < d->nr_fields; i++)
		if (d->fields[i].type == DESC_text && i < d->nr_req) {
			unsigned int pos = d->fields[i].pos;

			if (pos)
				words[pos] = BTAP_TEXT_NONE; /* sources check lengths; here there is none */
		}
	for (uint32_t i = 1; i < nr; i++)
		if (d->nr_fixed < d->nr_fields)
			words[i] = BTAP_TEXT_NONE;
	rec.nr_words = nr;
	memset(&vm->ev, 0, sizeof(vm->ev));
	if (byte(in) & 1) {
		vm->ev.rec = &rec;
		vm->ev.desc = d;
		vm->ev.args = vm->args[d->id];
	}
	vm->ev.probe = &probe;
	vm->ev.who.proc = byte(in) % 3;
	vm_begin(vm);
	for (uint32_t c = 0; c < vm->prog->nr_clauses; c++) {
		struct vm_record out;

		/* code of the compiler writes a register before it reads it */
		memset(vm->regs, 0, sizeof(vm->regs));
		if (vm_run(vm, c) != VM_RECORD)
			continue;
		out = (struct vm_record){ &probe, c, 0, vm->rec_used, vm->rec };
		if (vm->speculating)
			spec_put(vm, 0);
		else
			dout_record(o, &out);
	}
	if (o->buf.len > 1 << 20)
		o->buf.len = 0;
	vm->pool.swept_bytes = 0;
	vm->pool.bytes |= byte(in) & 1 ? 8u << 20 : 0; /* sweep now and then */
	vm_tidy(vm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + (size > 2048 ? 2048 : size) };
	struct vm_opts opts = VM_OPTS_INIT;
	struct dout_opts oo = DOUT_OPTS_INIT;
	struct dasm *a = malloc(sizeof(*a));
	struct vm_env env = { 0 };
	struct run run = { 0 };
	struct dout o;

	dasm_init(a);
	tables(a);
	while (in.p < in.end && a->prog.nr_code < 3000 && a->prog.nr_clauses < 8) {
		int n = byte(&in) % 64;

		while (n-- && in.p < in.end)
			one_op(a, &in);
		dasm_clause(a, "p", "entry", DPROG_C_RECORD);
	}
	opts.strsize = 16;
	opts.scratch_size = 4096;
	opts.aggsize = opts.dynvarsize = 1 << 16;
	opts.nspec = 2;
	oo.quiet = size & 1;
	oo.flowindent = size & 2;
	oo.agg_sort_rev = size & 4;
	run.prog = &a->prog;
	if (!vm_init(&run.vm, &a->prog, &opts, &env, resolve, NULL)) {
		if (!dout_init(&o, -1, &oo)) {
			o.run = &run;
			run.vm.spec->commit = commit;
			run.vm.spec->ctx = &o;
			in.p = data;
			for (int i = 0; i < 4; i++)
				fire(&run, &o, &in);
			dout_end(&o);
			dout_fini(&o);
		}
		vm_fini(&run.vm);
	}
	free(a);
	return 0;
}
