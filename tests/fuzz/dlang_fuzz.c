// SPDX-License-Identifier: Apache-2.0
/*
 * dlang_fuzz.c - any text to the D compiler, with every pass shown; what compiles
 * is run
 *
 * The first byte chooses how the text is given (-n, a script, -P ...).  What
 * compiles must be sound and can be disassembled.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "dlang/compile.h"
#include "drun/vm.h"
#include "event/desc.h"
#include "lib/replay.h"

static int match(void *ctx, const struct dprog_pdesc *pd, struct dlang_match *m)
{
	const struct desc *d = desc_find(pd->name, strlen(pd->name));
	unsigned int i;

	m->nr_probes = strlen(pd->name) % 5 != 4;
	if (!d)
		return 0;
	m->nr_args = d->nr_args;
	for (i = 0; i < d->nr_args; i++)
		m->arg_types[i] = desc_arg_index(d, i) < 0
					  ? ""
					  : desc_types[d->fields[desc_arg_index(d, i)].type].dtype;
	return 0;
}

static long resolve(void *ctx, unsigned int kind, unsigned int vmno, uint64_t word, char *buf,
		    size_t size)
{
	return 0;
}

static void run(const struct dprog *p)
{
	static const struct vm_probe probe = {
		.id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN"
	};
	struct vm_opts o = VM_OPTS_INIT;
	struct vm_env env = { 0 };
	struct vm vm;
	uint32_t i, k;

	o.strsize = 32;
	o.scratch_size = 4096;
	o.aggsize = o.dynvarsize = 1 << 16;
	if (vm_init(&vm, p, &o, &env, resolve, NULL))
		return;
	memset(&vm.ev, 0, sizeof(vm.ev));
	vm.ev.probe = &probe;
	vm.ev.who.thread = VARS_NO_THREAD;
	for (k = 0; k < 2; k++) {
		vm_begin(&vm);
		for (i = 0; i < p->nr_clauses; i++)
			vm_run(&vm, i);
		vm_tidy(&vm);
	}
	vm_fini(&vm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "dtrace", "one", "-5", "0x1ffffffffffffffff" };
	static const struct dlang_macro macros[] = { { "pid", 42 }, { "target", 0 }, { NULL, 0 } };
	static FILE *null;
	struct dlang_probes probes = { .match = match };
	struct dlang_opts o = {
		.probes = &probes, .macros = macros, .argc = 4, .argv = argv, .no_arg_check = true
	};
	const struct dlang_error *e;
	const struct dprog *p;
	struct dlang_unit u;
	unsigned int i, nr;
	struct dlang *dl;
	char buf[300];

	if (!size)
		return 0;
	if (!null)
		null = fopen("/dev/null", "w");
	u = (struct dlang_unit){ .text = (const char *)data + 1,
				 .len = size - 1,
				 .name = "x",
				 .spec = data[0] % 5,
				 .is_file = data[0] & 32 };
	o.allow_zero = data[0] & 64;
	dl = dlang_new(&o);
	for (i = DLANG_TOK; i <= DLANG_DIS; i++)
		dlang_dump_to(dl, i, null);
	if (dlang_compile(dl, &u)) {
		nr = dlang_errors(dl, &e);
		if (!nr)
			abort();
		for (i = 0; i < nr; i++) {
			dlang_error_text(&e[i], &u, true, buf, sizeof(buf));
			if (!strncmp(e[i].text, "internal error", 14))
				abort();
		}
	}
	/* and once more: it shares what the first time defined, or did not */
	dlang_compile(dl, &u);
	p = dlang_finish(dl);
	if (!prog_check(p, NULL))
		abort();
	dis_prog(p, null);
	run(p);
	dlang_free(dl);
	return 0;
}
