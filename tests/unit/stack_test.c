// SPDX-License-Identifier: Apache-2.0
/* stack_test.c - where the frames of jstack() come from, and how many there are */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "drun/bvar.h"
#include "drun/stack.h"
#include "lib/dasm.h"
#include "source/open.h"

#define NR 4

static const char fixture[] = "vm otp=25 node=a@host pid=4242\n"
			      "process_scheduled ts=100 p=<0.80.0> mfa=shop:buy/2\n"
			      "process_scheduled ts=110 p=<0.80.0> mfa='Elixir.Shop.Cart':total/1\n"
			      "process_scheduled ts=120 p=<0.80.0> mfa=gen_server:handle_msg/6\n"
			      "process_scheduled ts=130 p=<0.80.0> mfa=proc_lib:init_p_do_apply/3\n";

static struct dasm a;
static struct probes probes;
static struct run run;
static uint64_t frames[2 * NR]; /* and lines */

/* A run over the fixture whose functions are the frames. */
static int start(void **state)
{
	char path[] = "/tmp/stack_test.XXXXXX";
	const char *paths[] = { path };
	struct run_opts o = { .vm = VM_OPTS_INIT, .jstack_frames = 3, .ustack_frames = 9, .stack_frames = 9 };
	struct run_sink sink = { 0 };
	struct src *src;
	struct src_rec rec;
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, fixture, sizeof(fixture) - 1) == sizeof(fixture) - 1);
	close(fd);
	assert_int_equal(open_any(&src, paths, 1, NULL), 0);
	unlink(path);
	for (unsigned int i = 0; i < NR; i++) {
		assert_int_equal(src_next(src, &rec, NULL), 1);
		frames[2 * i] = DECODE(&rec, process_scheduled, mfa);
		frames[2 * i + 1] = i == 1 ? 42 : 0;
	}
	dasm_init(&a);
	dasm_clause(&a, "dtrace", "BEGIN", DPROG_C_RECORD);
	assert_int_equal(probes_init(&probes), 0);
	o.vm.strsize = 8; /* must not cut a stack */
	assert_int_equal(run_init(&run, &a.prog, &probes, src, &o, &sink, NULL), 0);
	return 0;
}

static int stop(void **state)
{
	struct src *src = run.src;

	run_fini(&run);
	probes_fini(&probes);
	src_close(src);
	return 0;
}

static void expect(enum dprog_stack kind, uint32_t max, const char *want)
{
	uint64_t s = stack_text(&run, &run.vm, kind, max);
	size_t n;
	const char *text = vm_text(&run.vm, s, &n);

	if (n != strlen(want) || memcmp(text, want, n))
		fail_msg("'%.*s', not '%s'", (int)n, text, want);
}

static void frames_of_event(void **state)
{
	run.vm.ev.frames = frames;
	run.vm.ev.nr_frames = NR;
	expect(DPROG_STACK_ERLANG, 0, "shop:buy/2\n'Elixir.Shop.Cart':total/1+42\ngen_server:handle_msg/6\n");
	expect(DPROG_STACK_ERLANG, 1, "shop:buy/2\n");
	expect(DPROG_STACK_ERLANG, 99, "shop:buy/2\n'Elixir.Shop.Cart':total/1+42\ngen_server:handle_msg/6\n"
				       "proc_lib:init_p_do_apply/3\n");
	expect(DPROG_STACK_USER, 2, "shop:buy/2\n'Elixir.Shop.Cart':total/1+42\n");
	expect(DPROG_STACK_KERNEL, 5, "");
	/* What is kept of it, as a key or in a speculation, is whole, too. */
	assert_int_equal(vm_keep(&run.vm, stack_text(&run, &run.vm, DPROG_STACK_ERLANG, 2)),
			 stack_text(&run, &run.vm, DPROG_STACK_ERLANG, 2));
}

static void no_frames(void **state)
{
	run.vm.ev.nr_frames = 0;
	expect(DPROG_STACK_USER, 0, "");
	expect(DPROG_STACK_ERLANG, 0, ""); /* and nobody keeps track of who runs where */
	run.vm.ev.frames = frames;
	run.vm.ev.nr_frames = NR;
	run.vm.ev.who.thread = VARS_NO_THREAD;
	expect(DPROG_STACK_ERLANG, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_of_event, start, stop),
		cmocka_unit_test_setup_teardown(no_frames, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
