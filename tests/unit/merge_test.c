// SPDX-License-Identifier: Apache-2.0
/* merge_test.c - several sources as one: order, numbering, gaps, errors, live ones */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/rec.h"
#include "source/merge.h"
#include "source/open.h"

static struct src *text(const char *t)
{
	struct diag d = DIAG_INIT;
	struct src *s;

	if (text_open_mem(&s, "t.ev", t, strlen(t), &d)) {
		diag_print(&d, stderr, "merge_test");
		fail();
	}
	return s;
}

static struct src *merge(struct src *a, struct src *b, struct src *c)
{
	struct src *in[] = { a, b, c }, *s;

	assert_int_equal(merge_open(&s, in, c ? 3 : 2, NULL), 0);
	return s;
}

static void by_time_then_by_source(void **state)
{
	struct src *s =
		merge(text("vm node=a@h\nstate_asked ts=10 p=<0.1.0>\nstate_asked ts=20 p=<0.2.0>\n"
			   "state_asked ts=20 p=<0.3.0>\n"),
		      text("vm node=b@h\nstate_asked ts=10 p=<0.4.0>\nstate_asked ts=20 p=<0.5.0> "
			   "on=poll/0\n"
			   "state_asked ts=30 p=<0.6.0>\n"),
		      NULL);
	static const unsigned int order[] = { 1, 4, 2, 3, 5, 6 };
	struct src_rec rec = { 0 };

	assert_int_equal(s->nr_vms, 2);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(src_next(s, &rec, NULL), 1);
		assert_int_equal(rec.words[1] >> 4, order[i]);
		assert_string_equal(src_vm_of(s, &rec)->facts.node, order[i] < 4 ? "a@h" : "b@h");
	}
	assert_int_equal(src_thread(s, 2)->kind, BTAP_THREAD_POLL);
	assert_int_equal(src_thread(s, 2)->vm, 1);
	assert_int_equal(src_next(s, &rec, NULL), 0);
	assert_int_equal(src_next(s, &rec, NULL), 0);
	assert_false(src_is_live(s));
	src_close(s);
}

static void gaps_keep_their_place(void **state)
{
	struct src *s = merge(text("state_asked ts=10 p=?\nlost ts=20 count=5 from=20 "
				   "to=30\nstate_asked ts=40 p=?\n"),
			      text("state_asked ts=19 p=?\nstate_asked ts=21 p=?\n"), NULL);
	static const uint64_t ts[] = { 10, 19, 20, 21, 40 };
	struct src_rec rec = { 0 };
	struct src_stats st;

	for (int i = 0; i < 5; i++) {
		assert_int_equal(src_next(s, &rec, NULL), 1);
		assert_int_equal(rec.ts, ts[i]);
		assert_int_equal(rec.event == BTAP_LOST_EVENT, i == 2);
	}
	src_stats(s, &st);
	assert_int_equal(st.records, 4);
	assert_int_equal(st.lost, 5);
	src_close(s);
}

/* A caller may stop in a run and ask again; a merge of merges does. */
static void runs_left_in_the_middle(void **state)
{
	struct src *s = merge(
		merge(text("state_asked ts=1 p=?\nstate_asked ts=2 p=?\nstate_asked ts=9 p=?\n"),
		      text("state_asked ts=3 p=?\nstate_asked ts=8 p=?\n"), NULL),
		merge(text("state_asked ts=4 p=?\nstate_asked ts=5 p=?\nstate_asked ts=7 p=?\n"),
		      text("state_asked ts=6 p=?\n"), NULL),
		NULL);
	struct src_run run = { 0 };
	struct src_rec rec = { 0 };

	for (uint64_t ts = 1; ts <= 9; ts++) {
		assert_int_equal(src_run(s, &run, NULL), 1);
		assert_true(src_run_next(&run, &rec));
		assert_int_equal(rec.ts, ts);
	}
	assert_int_equal(src_run(s, &run, NULL), 0);
	src_close(s);
}

static void random_order(void **state)
{
	char *t[3];
	size_t len;
	unsigned int seed = 1;
	struct rec_all a;
	struct src *s;

	for (int i = 0; i < 3; i++) {
		FILE *o = open_memstream(&t[i], &len);
		unsigned long ts = 0;

		for (int k = 0; k < 5000; k++) {
			seed = seed * 1103515245 + 12345;
			ts += seed >> 16 & 7;
			fprintf(o, "state_asked ts=%lu p=<0.%d.0> on=scheduler/%u\n", ts, k % 1000,
				seed >> 20 & 3);
		}
		fclose(o);
	}
	s = merge(text(t[0]), text(t[1]), text(t[2]));
	rec_read(&a, s, NULL);
	assert_int_equal(a.records, 15000);
	assert_false(a.went_back);
	rec_done(&a);
	src_close(s);
	for (int i = 0; i < 3; i++)
		free(t[i]);
}

/* A source that fails ends; the others are read to their end, then the error is told. */
static int run_bad(struct src *s, struct src_run *run, struct diag *d)
{
	return diag_fail(d, -EPROTO, "this one is bad");
}

static void close_bad(struct src *s)
{
}

static const struct src_ops bad_ops = { .name = "bad", .run = run_bad, .close = close_bad };

static void an_error_of_one_is_told_last(void **state)
{
	static struct src_vm vm;
	struct src bad = { .ops = &bad_ops, .vms = &vm, .nr_vms = 1 };
	struct diag d = DIAG_INIT;
	struct src *s = merge(&bad, text("state_asked ts=1 p=?\nstate_asked ts=2 p=?\n"), NULL);
	struct rec_all a;

	rec_read(&a, s, &d);
	assert_int_equal(a.records, 2);
	assert_int_equal(a.result, -EPROTO);
	assert_string_equal(d.text[0], "this one is bad");
	rec_done(&a);
	src_close(s);
}

/* A live source with nothing yet holds the younger records of others back. */
struct live {
	struct src s;
	struct src_vm vm;
	struct src_thread th;
	uint64_t words[2];
	bool is_live, has;
};

static int run_live(struct src *s, struct src_run *run, struct diag *d)
{
	struct live *l = (struct live *)s;

	if (!l->has)
		return 0;
	l->has = false;
	*run = (struct src_run){
		.at = l->words, .end = l->words + 2, .base = 0, .bound = UINT64_MAX
	};
	return 1;
}

static bool is_live(const struct src *s)
{
	return ((const struct live *)s)->is_live;
}

static const struct src_ops live_ops = {
	.name = "live", .run = run_live, .is_live = is_live, .close = close_bad
};

static void live_sources_are_waited_for(void **state)
{
	struct live l = { .s = { .ops = &live_ops,
				 .vms = &l.vm,
				 .nr_vms = 1,
				 .threads = &l.th,
				 .nr_threads = 1 },
			  .is_live = true };
	/* Far in the future: no window has passed. */
	struct src *s = merge(
		&l.s, text("state_asked ts=1 p=?\nstate_asked ts=4000000000000000000 p=?\n"), NULL);
	struct src_rec rec = { 0 };

	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 1);
	assert_int_equal(src_next(s, &rec, NULL), 0);
	assert_true(src_is_live(s));
	l.words[0] = BTAP_HEAD(BTAP_EV_state_asked, 2, 5);
	l.has = true;
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 5);
	assert_int_equal(src_next(s, &rec, NULL), 0);
	l.is_live = false;
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 4000000000000000000);
	src_close(s);
}

static void recordings_of_other_boots_are_shifted(void **state)
{
	char a[64], b[64];
	const char *paths[] = { a, b };
	struct src_rec rec = { 0 };
	struct src *s, *one;
	struct btap_facts *f;

	snprintf(a, sizeof(a), "/tmp/merge_test.%d.a", getpid());
	snprintf(b, sizeof(b), "/tmp/merge_test.%d.b", getpid());
	one = text("vm mono_ns=1000 real_ns=1700000000000000000\nstate_asked ts=2000 p=<0.1.0>\n");
	assert_int_equal(rec_write(one, a, 5, NULL), 0);
	src_close(one);
	/* The same moment, on a machine that has been up for longer. */
	one = text(
		"vm mono_ns=51000 real_ns=1700000000000000000\nstate_asked ts=52001 p=<0.2.0>\n");
	f = &one->vms[0].facts;
	f->boot_id[3] = 7;
	assert_int_equal(rec_write(one, b, 5, NULL), 0);
	src_close(one);
	assert_int_equal(open_any(&s, paths, 2, NULL), 0);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 2000);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 2001);
	src_close(s);
	rec_remove(a);
	rec_remove(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time_then_by_source),
		cmocka_unit_test(gaps_keep_their_place),
		cmocka_unit_test(runs_left_in_the_middle),
		cmocka_unit_test(random_order),
		cmocka_unit_test(an_error_of_one_is_told_last),
		cmocka_unit_test(live_sources_are_waited_for),
		cmocka_unit_test(recordings_of_other_boots_are_shifted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
