// SPDX-License-Identifier: Apache-2.0
/* names_test.c - who is who, as the stream tells it, and what must not be believed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "event/idmap.h"
#include "event/names.h"
#include "event/term.h"
#include "source/text.h"

struct story {
	struct src *s;
	struct names *n;
	struct term_vm t;
};

static void tell(struct story *st, const char *text)
{
	struct diag d = DIAG_INIT;
	struct src_rec rec;

	if (text_open_mem(&st->s, "story", text, strlen(text), &d)) {
		diag_print(&d, stderr, "names_test");
		fail();
	}
	st->n = names_new(1000);
	term_init(&st->t, &st->s->vms[0], 0);
	while (src_next(st->s, &rec, NULL) > 0)
		names_feed(st->n, &rec);
}

static void end(struct story *st)
{
	term_fini(&st->t);
	names_free(st->n);
	src_close(st->s);
}

static uint64_t pid(struct story *st, const char *text)
{
	struct term_name n;
	uint64_t w = 0;

	assert_int_equal(term_parse(&n, text, strlen(text), NULL), 0);
	assert_true(term_make(&st->t, &n, &w));
	return w;
}

/* The first atom that the story uses is number 1. */
#define ATOM(n) BTAP_ATOM_TERM(n)

static void test_process(void **state)
{
	const struct names_proc *p;
	struct story st;

	tell(&st, "name_register ts=5 p=<0.9.0> name=old\n"
		  "process_spawn ts=10 p=<0.1.0> mfa=shop:init/1 parent=<0.9.0>\n"
		  "name_register ts=11 p=<0.1.0> name=shop\n"
		  "process_exit ts=12 p=<0.1.0> reason=\"normal\"\n"
		  "process_spawn ts=20 p=<0.1.0> mfa=shop:init/1\n");
	p = names_proc(st.n, pid(&st, "<0.1.0>"));
	/* The number came again: another process. */
	assert_true(p->spawn_ns == 20 && !p->exit_ns && !p->name && !p->parent);
	p = names_proc_at(st.n, 1);
	assert_true(p->spawn_ns == 10 && p->exit_ns == 12 && p->is_spawned);
	assert_int_equal(p->name, ATOM(2));
	assert_int_equal(p->parent, pid(&st, "<0.9.0>"));
	assert_int_equal(p->reason_len, 6);
	assert_memory_equal(p->reason, "normal", 6);
	assert_int_equal(names_nr_procs(st.n), 3);
	assert_null(names_proc(st.n, pid(&st, "<0.77.0>")));
	assert_null(names_proc_at(st.n, 3));
	end(&st);
}

static void test_ports(void **state)
{
	const struct names_port *p;
	struct story st;

	tell(&st, "port_open ts=1 process=<0.1.0> port_name=\"tcp_inet\" port=#Port<0.5>\n"
		  "port_connect ts=2 process=<0.1.0> port=#Port<0.5> port_name=\"tcp_inet\" new_process=<0.2.0>\n"
		  "port_exit ts=3 process=<0.2.0> port=#Port<0.5> port_name=\"tcp_inet\" reason=\"normal\"\n"
		  "state_port ts=4 port=#Port<0.6> port_name=\"efile\" owner=<0.3.0> name=? input=0 output=0\n");
	p = names_port(st.n, pid(&st, "#Port<0.5>"));
	assert_int_equal(p->owner, pid(&st, "<0.2.0>"));
	assert_true(p->open_ns == 1 && p->close_ns == 3);
	assert_string_equal(src_string(st.s->vms[0].strs, p->port_name, NULL), "tcp_inet");
	p = names_port(st.n, pid(&st, "#Port<0.6>"));
	assert_int_equal(p->owner, pid(&st, "<0.3.0>"));
	assert_int_equal(names_nr_ports(st.n), 2);
	end(&st);
}

static void check_target(const char *text, const char *whereis, const char *target)
{
	struct story st;

	tell(&st, text);
	assert_int_equal(names_whereis(st.n, ATOM(1)), whereis ? pid(&st, whereis) : 0);
	assert_int_equal(names_target(st.n, ATOM(1)), target ? pid(&st, target) : 0);
	end(&st);
}

static void test_targets(void **state)
{
	check_target("name_register ts=1 p=<0.1.0> name=a\n", "<0.1.0>", "<0.1.0>");
	check_target("name_register ts=1 p=<0.1.0> name=a\n"
		     "name_unregister ts=2 p=<0.1.0> name=a\n", NULL, NULL);
	/* It had another owner: a send close to the change may have gone to either. */
	check_target("name_register ts=1 p=<0.1.0> name=a\n"
		     "name_unregister ts=2 p=<0.1.0> name=a\n"
		     "name_register ts=3 p=<0.2.0> name=a\n", "<0.2.0>", NULL);
	/* Its first owner was not seen, but that there was one. */
	check_target("name_unregister ts=2 p=<0.1.0> name=a\n"
		     "name_register ts=3 p=<0.2.0> name=a\n", "<0.2.0>", NULL);
	/* A loss: it may have changed hands. */
	check_target("name_register ts=1 p=<0.1.0> name=a\n"
		     "lost ts=2 count=1 from=1 to=2\n", NULL, NULL);
	check_target("lost ts=2 count=1 from=1 to=2\n"
		     "name_register ts=3 p=<0.1.0> name=a\n", "<0.1.0>", "<0.1.0>");
}

static void test_answers(void **state)
{
	/* Nothing says that changes of names are recorded. */
	check_target("state_asked ts=1 p=<0.1.0>\n"
		     "state_process ts=2 p=<0.1.0> mfa=? name=a parent=? queue_len=0\n", "<0.1.0>", NULL);
	check_target("tap_start ts=0 reader=0 events=\"message_*, name_*\"\n"
		     "state_asked ts=1 p=<0.1.0>\n"
		     "state_process ts=2 p=<0.1.0> mfa=? name=a parent=? queue_len=0\n", "<0.1.0>", "<0.1.0>");
	check_target("tap_start ts=0 reader=0 events=\"message_* name_register\"\n"
		     "state_asked ts=1 p=<0.1.0>\n"
		     "state_process ts=2 p=<0.1.0> mfa=? name=a parent=? queue_len=0\n", "<0.1.0>", NULL);
	/* When it was asked was not seen. */
	check_target("tap_start ts=0 reader=0 events=\"*\"\n"
		     "state_process ts=2 p=<0.1.0> mfa=? name=a parent=? queue_len=0\n", "<0.1.0>", NULL);
	/* The name changed hands while it answered: what it says is old. */
	check_target("tap_start ts=0 reader=0 events=\"*\"\n"
		     "state_asked ts=1 p=<0.1.0>\n"
		     "name_register ts=2 p=<0.2.0> name=a\n"
		     "state_process ts=3 p=<0.1.0> mfa=? name=a parent=? queue_len=0\n", "<0.2.0>", "<0.2.0>");
}

static void test_full(void **state)
{
	struct story st;
	char text[5000], *p = text;

	for (int i = 0; i < 50; i++)
		p += sprintf(p, "process_spawn ts=%d p=<0.%d.0> mfa=a:b/0\n", i, i);
	tell(&st, "");
	names_free(st.n);
	src_close(st.s);
	assert_int_equal(text_open_mem(&st.s, "t", text, strlen(text), NULL), 0);
	st.n = names_new(10);
	for (struct src_rec rec; src_next(st.s, &rec, NULL) > 0;)
		names_feed(st.n, &rec);
	assert_int_equal(names_nr_procs(st.n), 10);
	assert_int_equal(names_uncounted(st.n), 40);
	end(&st);
}

static void test_idmap(void **state)
{
	struct idmap m = { 0 };
	uint32_t seed = 1;
	uint8_t is_in[512] = { 0 };

	for (int i = 0; i < 200000; i++) {
		uint32_t k;

		seed = seed * 1103515245 + 12345;
		k = seed >> 16 & 511;
		if (seed >> 30 & 1) {
			assert_int_equal(idmap_put(&m, k + 1, k), 0);
			is_in[k] = 1;
		} else {
			idmap_remove(&m, k + 1);
			is_in[k] = 0;
		}
		k = seed >> 8 & 511;
		assert_int_equal(idmap_get(&m, k + 1) != NULL, is_in[k]);
		if (is_in[k])
			assert_int_equal(*idmap_get(&m, k + 1), k);
	}
	idmap_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process), cmocka_unit_test(test_ports),
		cmocka_unit_test(test_targets), cmocka_unit_test(test_answers),
		cmocka_unit_test(test_full),	cmocka_unit_test(test_idmap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
