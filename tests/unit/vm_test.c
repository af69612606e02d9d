// SPDX-License-Identifier: Apache-2.0
/* vm_test.c - the machine on small programs: operators against C, memory's bounds, faults, strings, speculation */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "drun/rec.h"
#include "drun/spec.h"
#include "lib/dasm.h"

static struct dasm a;
static struct vm vm;
static const struct vm_probe probe = { .id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN" };

static long resolve(void *ctx, unsigned int kind, unsigned int v, uint64_t word, char *buf, size_t size)
{
	return snprintf(buf, size, "<%u.%llu>", kind, (unsigned long long)word);
}

static void start(void)
{
	struct vm_opts opts = VM_OPTS_INIT;
	struct vm_env env = { 0 };

	dasm_clause(&a, "dtrace", "BEGIN", DPROG_C_RECORD);
	opts.strsize = 16;
	opts.scratch_size = 256;
	assert_int_equal(vm_init(&vm, &a.prog, &opts, &env, resolve, NULL), 0);
	memset(&vm.ev, 0, sizeof(vm.ev));
	vm.ev.probe = &probe;
	vm.ev.who.thread = VARS_NO_THREAD;
	vm_begin(&vm);
}

static uint64_t run_one(uint8_t op, uint64_t b, uint64_t c)
{
	uint64_t r;

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDC, 1, 0, 0, dasm_const(&a, b));
	dasm_op(&a, DPROG_OP_LDC, 2, 0, 0, dasm_const(&a, c));
	dasm_op(&a, (enum dprog_op)op, 3, 1, 2, 0);
	start();
	assert_int_equal(vm_run(&vm, 0), VM_RECORD);
	r = vm.regs[3];
	vm_fini(&vm);
	return r;
}

static void operators(void **state)
{
	static const uint64_t v[] = { 0, 1, 2, 7, 63, 64, (uint64_t)-1, (uint64_t)-7, INT64_MAX, (uint64_t)INT64_MIN,
				      0x8000, 0xffffffff };
	const size_t nr = sizeof(v) / sizeof(*v);

	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < nr; j++) {
			uint64_t x = v[i], y = v[j];

			assert_int_equal(run_one(DPROG_OP_ADD, x, y), x + y);
			assert_int_equal(run_one(DPROG_OP_MUL, x, y), x * y);
			assert_int_equal(run_one(DPROG_OP_SHL, x, y), x << (y & 63));
			assert_int_equal(run_one(DPROG_OP_SHRS, x, y), (uint64_t)((int64_t)x >> (y & 63)));
			assert_int_equal(run_one(DPROG_OP_LTS, x, y), (int64_t)x < (int64_t)y);
			assert_int_equal(run_one(DPROG_OP_LTU, x, y), x < y);
			if (!y)
				continue;
			assert_int_equal(run_one(DPROG_OP_DIVU, x, y), x / y);
			assert_int_equal(run_one(DPROG_OP_MODU, x, y), x % y);
			if ((int64_t)y == -1)
				continue;
			assert_int_equal(run_one(DPROG_OP_DIVS, x, y), (uint64_t)((int64_t)x / (int64_t)y));
			assert_int_equal(run_one(DPROG_OP_MODS, x, y), (uint64_t)((int64_t)x % (int64_t)y));
		}
	assert_int_equal(run_one(DPROG_OP_DIVS, (uint64_t)INT64_MIN, (uint64_t)-1), (uint64_t)INT64_MIN);
	assert_int_equal(run_one(DPROG_OP_MODS, (uint64_t)INT64_MIN, (uint64_t)-1), 0);
	assert_int_equal(run_one(DPROG_OP_SX16, 0x18000, 0), (uint64_t)-0x8000);
	assert_int_equal(run_one(DPROG_OP_ZX8, (uint64_t)-1, 0), 255);
}

static void expect_fault(enum dprog_fault fault, uint64_t value)
{
	start();
	assert_int_equal(vm_run(&vm, 0), VM_FAULTED);
	assert_int_equal(vm.fault, fault);
	assert_int_equal(mem_shown(vm.fault_value), value);
	vm_fini(&vm);
}

static void faults(void **state)
{
	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 5);
	dasm_op(&a, DPROG_OP_DIVS, 1, 1, 2, 0);
	expect_fault(DPROG_F_DIVZERO, 0);

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 0x10);
	dasm_op(&a, DPROG_OP_LD32S, 1, 1, 0, 0);
	expect_fault(DPROG_F_BADADDR, 0x10);

	dasm_init(&a); /* one byte behind what was asked for */
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 10);
	dasm_op(&a, DPROG_OP_ALLOCA, 2, 1, 0, 0);
	dasm_op(&a, DPROG_OP_LD8S, 3, 2, 0, 9);
	dasm_op(&a, DPROG_OP_LD8S, 3, 2, 0, 10);
	expect_fault(DPROG_F_BADADDR, 18);

	dasm_init(&a); /* and one before it */
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 10);
	dasm_op(&a, DPROG_OP_ALLOCA, 2, 1, 0, 0);
	dasm_op(&a, DPROG_OP_ST8, 1, 2, 0, -1);
	expect_fault(DPROG_F_BADADDR, 7);

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 1000);
	dasm_op(&a, DPROG_OP_ALLOCA, 2, 1, 0, 0);
	expect_fault(DPROG_F_NOSCRATCH, 1000);

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, -1);
	dasm_op(&a, DPROG_OP_ALLOCA, 2, 1, 0, 0);
	expect_fault(DPROG_F_NOSCRATCH, (uint64_t)-1);

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 5);
	dasm_op(&a, DPROG_OP_BOUND, 1, 0, 0, 5);
	expect_fault(DPROG_F_BADINDEX, 5);

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 1);
	dasm_op(&a, DPROG_OP_STRAT, 2, 1, 0, 0);
	expect_fault(DPROG_F_BADADDR, 1);
}

/* A chain of calls on string constants; the result is in register 9. */
static void call(enum dprog_fn fn, int nr_strs, const char *const *strs, int nr_ints, const int64_t *ints)
{
	int reg = 1;

	dasm_init(&a);
	for (int i = 0; i < nr_strs; i++)
		if (strs[i])
			dasm_op(&a, DPROG_OP_LDSC, (uint8_t)reg++, 0, 0, dasm_str(&a, strs[i]));
		else
			dasm_op(&a, DPROG_OP_LDI, (uint8_t)reg++, 0, 0, 0);
	for (int i = 0; i < nr_ints; i++)
		dasm_op(&a, DPROG_OP_LDI, (uint8_t)reg++, 0, 0, (int32_t)ints[i]);
	dasm_op(&a, DPROG_OP_CALL, 9, 1, (uint8_t)(reg - 1), (int32_t)fn);
	start();
	vm_run(&vm, 0);
}

static void text_is(enum dprog_fn fn, const char *want, const char *s1, const char *s2, int nr_ints, int64_t i1,
		    int64_t i2)
{
	const char *strs[2] = { s1, s2 };
	int64_t ints[2] = { i1, i2 };
	size_t len;

	call(fn, s2 ? 2 : 1, strs, nr_ints, ints);
	assert_int_equal(vm.fault, 0);
	if (want)
		assert_string_equal(str_text(&vm.pool, str_of(vm.regs[9]), &len), want);
	else
		assert_int_equal(vm.regs[9], 0);
	vm_fini(&vm);
}

static void number_is(enum dprog_fn fn, int64_t want, const char *s1, const char *s2, int nr_ints, int64_t i1)
{
	const char *strs[2] = { s1, s2 };

	call(fn, s2 ? 2 : 1, strs, nr_ints, &i1);
	assert_int_equal(vm.fault, 0);
	assert_int_equal((int64_t)vm.regs[9], want);
	vm_fini(&vm);
}

static void string_functions(void **state)
{
	text_is(DPROG_FN_SUBSTR, "ell", "hello", NULL, 2, 1, 3);
	text_is(DPROG_FN_SUBSTR, "llo", "hello", NULL, 1, -3, 0);
	text_is(DPROG_FN_SUBSTR, "llo", "hello", NULL, 1, 2, 0);
	text_is(DPROG_FN_SUBSTR, "", "abc", NULL, 1, 5, 0);
	text_is(DPROG_FN_SUBSTR, "hell", "hello", NULL, 2, 0, -1);
	text_is(DPROG_FN_SUBSTR, "h", "hello", NULL, 2, -7, 3);
	text_is(DPROG_FN_STRJOIN, "ab", "a", "b", 0, 0, 0);
	text_is(DPROG_FN_STRJOIN, "abcdefghijklmno", "abcdefghij", "klmnopqrst", 0, 0, 0); /* strsize 16 */
	text_is(DPROG_FN_STRCHR, "llo", "hello", NULL, 1, 'l', 0);
	text_is(DPROG_FN_STRCHR, NULL, "hello", NULL, 1, 'z', 0);
	text_is(DPROG_FN_STRRCHR, "lo", "hello", NULL, 1, 'l', 0);
	text_is(DPROG_FN_STRSTR, "llo", "hello", "ll", 0, 0, 0);
	text_is(DPROG_FN_STRSTR, "hello", "hello", "", 0, 0, 0);
	text_is(DPROG_FN_BASENAME, "c", "/a/b/c", NULL, 0, 0, 0);
	text_is(DPROG_FN_BASENAME, "b", "/a/b//", NULL, 0, 0, 0);
	text_is(DPROG_FN_BASENAME, "/", "//", NULL, 0, 0, 0);
	text_is(DPROG_FN_BASENAME, ".", "", NULL, 0, 0, 0);
	text_is(DPROG_FN_DIRNAME, "/a/b", "/a/b/c", NULL, 0, 0, 0);
	text_is(DPROG_FN_DIRNAME, "/", "/a", NULL, 0, 0, 0);
	text_is(DPROG_FN_DIRNAME, ".", "a", NULL, 0, 0, 0);
	text_is(DPROG_FN_CLEANPATH, "/a/c", "/a/./b/../c", NULL, 0, 0, 0);
	text_is(DPROG_FN_CLEANPATH, "/b", "/../b", NULL, 0, 0, 0);
	text_is(DPROG_FN_CLEANPATH, "/a/b", "/a//b", NULL, 0, 0, 0);
	text_is(DPROG_FN_TOUPPER, "AB\xc3\xa4", "aB\xc3\xa4", NULL, 0, 0, 0);
	number_is(DPROG_FN_STRLEN, 5, "hello", NULL, 0, 0);
	number_is(DPROG_FN_INDEX, 2, "hello", "l", 0, 0);
	number_is(DPROG_FN_INDEX, 3, "hello", "l", 1, 3);
	number_is(DPROG_FN_INDEX, -1, "hello", "z", 0, 0);
	number_is(DPROG_FN_RINDEX, 3, "hello", "l", 0, 0);
	number_is(DPROG_FN_RINDEX, 2, "hello", "l", 1, 2);
	number_is(DPROG_FN_RINDEX, -1, "hi", "hello", 0, 0);
	number_is(DPROG_FN_STRTOLL, -12, "-12x", NULL, 0, 0);
	number_is(DPROG_FN_STRTOLL, 255, "ff", NULL, 1, 16);
}

static void null_strings(void **state)
{
	const char *none[2] = { NULL, NULL };

	call(DPROG_FN_STRLEN, 1, none, 0, NULL);
	assert_int_equal(vm.fault, DPROG_F_BADADDR);
	vm_fini(&vm);
	call(DPROG_FN_STRJOIN, 2, none, 0, NULL);
	assert_int_equal(vm.fault, DPROG_F_BADADDR);
	vm_fini(&vm);
}

static void tokens(void **state)
{
	static const char *const parts[] = { "a", "b", "c" };

	dasm_init(&a);
	dasm_op(&a, DPROG_OP_LDSC, 1, 0, 0, dasm_str(&a, "a:b::c"));
	dasm_op(&a, DPROG_OP_LDSC, 2, 0, 0, dasm_str(&a, ":"));
	for (uint8_t i = 0; i < 4; i++) {
		dasm_op(&a, DPROG_OP_CALL, (uint8_t)(10 + i), 1, 2, DPROG_FN_STRTOK);
		dasm_op(&a, DPROG_OP_LDI, 1, 0, 0, 0);
	}
	start();
	vm_run(&vm, 0);
	for (int i = 0; i < 3; i++)
		assert_string_equal(str_text(&vm.pool, str_of(vm.regs[10 + i]), NULL), parts[i]);
	assert_int_equal(vm.regs[13], 0);
	vm_fini(&vm);
}

static void variables(void **state)
{
	struct vars_who one = { .thread = 3 }, two = { .thread = 4, .proc = 0x123 };
	uint64_t key[2] = { 7, 8 };

	dasm_init(&a);
	a.prog.nr_slots[DPROG_THREAD] = 2;
	a.prog.nr_slots[DPROG_PROC] = 1;
	a.vars[0] = (struct dprog_var){ .name = "x", .scope = DPROG_GLOBAL, .is_assoc = true, .nr_keys = 2,
					.slot = UINT32_MAX, .val = *dasm_val(&a, DPROG_INT, 8) };
	a.vars[0].keys = dasm_val(&a, DPROG_INT, 8);
	dasm_val(&a, DPROG_INT, 8);
	a.prog.nr_vars = 1;
	start();
	vars_set_thread(&vm.vars, &one, 0, 5);
	assert_int_equal(vars_get_thread(&vm.vars, &one, 0), 5);
	assert_int_equal(vars_get_thread(&vm.vars, &two, 0), 0);
	vars_set_proc(&vm.vars, &one, 0, 9); /* no process: dropped */
	vars_set_proc(&vm.vars, &two, 0, 9);
	assert_int_equal(vars_get_proc(&vm.vars, &one, 0), 0);
	assert_int_equal(vars_get_proc(&vm.vars, &two, 0), 9);
	vars_elem_set(&vm.vars, &one, 0, key, 77);
	assert_int_equal(vars_elem_get(&vm.vars, &two, 0, key), 77);
	key[1] = 9;
	assert_int_equal(vars_elem_get(&vm.vars, &two, 0, key), 0);
	/* all given back: nothing is charged any more */
	key[1] = 8;
	vars_elem_set(&vm.vars, &one, 0, key, 0);
	vars_set_thread(&vm.vars, &one, 0, 0);
	vars_drop_proc(&vm.vars, 0, 0x123);
	assert_int_equal(vm.vars.used, 0);
	/* a budget that is used up */
	vm.vars.size = 100;
	for (uint64_t i = 0; i < 10; i++) {
		key[0] = i;
		vars_elem_set(&vm.vars, &one, 0, key, 1);
	}
	assert_int_equal(vm.vars.drops, 8);
	vm_fini(&vm);
}

static unsigned int nr_committed;

static void committed(void *ctx, const struct vm_record *r)
{
	nr_committed++;
}

static void speculations(void **state)
{
	dasm_init(&a);
	start();
	vm.spec->commit = committed;
	assert_int_equal(spec_take(vm.spec), 1);
	assert_int_equal(spec_take(vm.spec), 0);
	assert_int_equal(vm.spec->failed, 1);
	vm.speculating = 1;
	spec_put(&vm, 1);
	spec_put(&vm, 2);
	spec_end(&vm, 1, true);
	assert_int_equal(nr_committed, 2);
	assert_int_equal(spec_live(vm.spec, 1), 0);
	spec_end(&vm, 1, true);
	spec_end(&vm, 99, true);
	assert_int_equal(nr_committed, 2);
	assert_int_equal(spec_take(vm.spec), 1);
	vm_fini(&vm);
}

static void interning(void **state)
{
	struct str *s, *t, *lazy;

	dasm_init(&a);
	start();
	s = str_intern_text(&vm.pool, "hello", 5);
	t = str_intern(&vm.pool, str_temp_copy(&vm.pool, "hello", 5), 100);
	assert_ptr_equal(s, t);
	assert_ptr_not_equal(s, str_intern(&vm.pool, s, 3));
	lazy = str_lazy(&vm.pool, 0, 0, 5);
	t = str_intern(&vm.pool, lazy, 100);
	assert_string_equal(t->text, "<0.5>");
	assert_ptr_equal(t, str_intern_text(&vm.pool, "<0.5>", 5));
	str_mark(str_word(s));
	str_sweep(&vm.pool);
	assert_int_equal(vm.pool.nr, 1);
	assert_ptr_equal(s, str_intern_text(&vm.pool, "hello", 5));
	for (int i = 0; i < 100000; i++) {
		char buf[16];

		str_intern_text(&vm.pool, buf, (size_t)snprintf(buf, sizeof(buf), "%d", i));
	}
	assert_int_equal(vm.pool.nr, 100001);
	vm_fini(&vm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators), cmocka_unit_test(faults),	 cmocka_unit_test(string_functions),
		cmocka_unit_test(null_strings), cmocka_unit_test(tokens), cmocka_unit_test(variables),
		cmocka_unit_test(speculations), cmocka_unit_test(interning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
