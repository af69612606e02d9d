/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlang_c.h - D against C: random values, a C program run, a D program run
 */
#ifndef BEAMTAP_TESTS_DLANG_C_H
#define BEAMTAP_TESTS_DLANG_C_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "dlang/compile.h"
#include "drun/vm.h"

#define NR_VARS 8

static const char *const types[NR_VARS] = { "int8_t",  "uint8_t",  "int16_t", "uint16_t",
					    "int32_t", "uint32_t", "int64_t", "uint64_t" };

static uint64_t seed;

static inline uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static inline int64_t cut(unsigned int type, uint64_t v)
{
	switch (type) {
	case 0:
		return (int8_t)v;
	case 1:
		return (uint8_t)v;
	case 2:
		return (int16_t)v;
	case 3:
		return (uint16_t)v;
	case 4:
		return (int32_t)v;
	case 5:
		return (uint32_t)v;
	default:
		return (int64_t)v;
	}
}

static inline int64_t interesting(unsigned int type)
{
	static const uint64_t v[] = { 0,	  1,	      2,
				      3,	  7,	      0x7f,
				      0x80,	  0xff,	      0x7fff,
				      0x8000,	  0x7fffffff, 0x80000000,
				      0xffffffff, INT64_MAX,  (uint64_t)INT64_MIN,
				      UINT64_MAX };
	uint64_t r = rnd() % 3 ? v[rnd() % (sizeof(v) / sizeof(*v))] : rnd() >> rnd() % 64;

	return cut(type, rnd() & 1 ? 0 - r : r);
}

/* Compile and run a C program of one main(); its output goes to @out. */
static inline bool run_c(const char *body, char *out, size_t size)
{
	char dir[] = "/tmp/dlang_c.XXXXXX", cmd[400], path[100];
	size_t n;
	FILE *f;

	if (!mkdtemp(dir))
		return false;
	snprintf(path, sizeof(path), "%s/x.c", dir);
	f = fopen(path, "w");
	fprintf(f,
		"#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
		"<string.h>\n%s",
		body);
	fclose(f);
	snprintf(cmd, sizeof(cmd), "cc -w -std=gnu11 -fwrapv -O0 -o %s/x %s/x.c && %s/x", dir, dir,
		 dir);
	f = popen(cmd, "r");
	n = fread(out, 1, size - 1, f);
	out[n] = 0;
	n = pclose(f);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return !system(cmd) && !n;
}

static const struct vm_probe probe = {
	.id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN"
};

static inline long resolve(void *ctx, unsigned int kind, unsigned int vmno, uint64_t word, char *buf,
		    size_t size)
{
	return 0;
}

/* Value of a program's one trace(); with @bytes the bytes that it recorded */
static inline int64_t run_d_bytes(const char *text, void *bytes, size_t size)
{
	struct dlang_unit u = { .text = text, .len = strlen(text), .name = text };
	struct dlang_opts o = { 0 };
	struct vm_opts vo = VM_OPTS_INIT;
	struct vm_env env = { 0 };
	const struct dlang_error *e;
	struct dlang *dl = dlang_new(&o);
	struct vm vm;
	int64_t r;

	if (dlang_compile(dl, &u)) {
		dlang_errors(dl, &e);
		fail_msg("%s\n%s", e->text, text);
	}
	assert_int_equal(vm_init(&vm, dlang_finish(dl), &vo, &env, resolve, NULL), 0);
	memset(&vm.ev, 0, sizeof(vm.ev));
	vm.ev.probe = &probe;
	vm.ev.who.thread = VARS_NO_THREAD;
	vm_begin(&vm);
	assert_int_equal(vm_run(&vm, 0), VM_RECORD);
	assert_int_equal(vm.rec_used, bytes ? 1 + (size + 7) / 8 : 2);
	r = (int64_t)vm.rec[1];
	if (bytes)
		memcpy(bytes, &vm.rec[1], size);
	vm_fini(&vm);
	dlang_free(dl);
	return r;
}

static inline int64_t run_d(const char *text)
{
	return run_d_bytes(text, NULL, 0);
}

#endif /* BEAMTAP_TESTS_DLANG_C_H */
