// SPDX-License-Identifier: Apache-2.0
/*
 * msgpair_test.c - what is paired, and what must not be
 *
 * Each case is a story as a fixture, and the pairs that can be proved from it:
 * `sent>received` times in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event/msgpair.h"
#include "source/text.h"

static struct msgpair_stats run(const char *text, char *got, size_t size, uint32_t max)
{
	struct names *names = names_new(1u << 20);
	struct msgpair *m = msgpair_new(names, max);
	struct diag d = DIAG_INIT;
	struct msgpair_stats st;
	struct msgpair_hit hit;
	struct src_rec rec;
	struct src *s;
	size_t n = 0;

	if (text_open_mem(&s, "story", text, strlen(text), &d)) {
		diag_print(&d, stderr, "msgpair_test");
		fail();
	}
	if (size)
		got[0] = '\0';
	while (src_next(s, &rec, NULL) > 0) {
		names_feed(names, &rec);
		if (!msgpair_feed(m, &rec, &hit))
			continue;
		assert_int_equal(hit.latency_ns, rec.ts - hit.sent_ns);
		if (n < size)
			n += (size_t)snprintf(got + n, size - n, "%s%llu>%llu", n ? " " : "",
					      (unsigned long long)hit.sent_ns,
					      (unsigned long long)rec.ts);
	}
	st = *msgpair_stats(m);
	assert_int_equal(st.received, st.paired + st.unaligned + st.unknown + st.not_by_order);
	msgpair_free(m);
	names_free(names);
	src_close(s);
	return st;
}

static void check(const char *text, const char *want)
{
	char got[500];

	run(text, got, sizeof(got), 1000);
	if (strcmp(got, want))
		fail_msg("of\n%sgot '%s', expected '%s'", text, got, want);
}

#define SEND(t, a, b) "message_send ts=" #t " sender=<0." #a ".0> receiver=<0." #b ".0> size=1 msg=0\n"
#define RECV(t, a, b) "message_receive ts=" #t " receiver=<0." #b ".0> size=1 queue_len=? sender=<0." #a ".0> msg=0\n"
#define SPAWN(t, a) "process_spawn ts=" #t " p=<0." #a ".0> mfa=m:f/0\n"
#define EXIT(t, a) "process_exit ts=" #t " p=<0." #a ".0> reason=\"normal\"\n"
#define ASKED(t, a) "state_asked ts=" #t " p=<0." #a ".0>\n"
#define STATE(t, a) "state_process ts=" #t " p=<0." #a ".0> mfa=m:f/0 name=? parent=? queue_len=0\n"
#define LOST(t) "lost ts=" #t " count=1 from=" #t " to=" #t "\n"
#define TICK(t) "scheduler_sleep ts=" #t " scheduler=1\n"

static void test_ids(void **state)
{
	check("message_send ts=1 sender=<0.1.0> receiver=<0.2.0> size=1 msg=7\n"
	      "message_send ts=2 sender=<0.1.0> receiver=<0.2.0> size=1 msg=8\n"
	      "message_receive ts=5 receiver=<0.2.0> size=1 queue_len=0 sender=<0.1.0> msg=8\n"
	      "message_receive ts=6 receiver=<0.2.0> size=1 queue_len=0 sender=<0.1.0> msg=7\n"
	      "message_receive ts=7 receiver=<0.2.0> size=1 queue_len=0 sender=<0.1.0> msg=7\n"
	      "message_receive ts=8 receiver=<0.2.0> size=1 queue_len=0 sender=<0.1.0> msg=9\n",
	      "2>5 1>6");
	/* A loss does not matter where there are identities. */
	check("message_send ts=1 sender=<0.1.0> receiver=<0.2.0> size=1 msg=7\n" LOST(2)
	      "message_receive ts=5 receiver=<0.2.0> size=1 queue_len=0 sender=<0.1.0> msg=7\n", "1>5");
}

static void test_unknown_beginning(void **state)
{
	/* Messages may have been on their way when the recording began. */
	check(SEND(1, 1, 2) RECV(2, 1, 2) SEND(3, 1, 2) RECV(4, 1, 2), "");
	/* No sender is said. */
	check("message_send ts=1 sender=<0.1.0> receiver=<0.2.0> size=1 msg=0\n"
	      "message_receive ts=2 receiver=<0.2.0> size=1 queue_len=? sender=? msg=0\n", "");
}

static void test_born(void **state)
{
	check(SPAWN(1, 1) SEND(2, 1, 2) SEND(3, 1, 2) RECV(4, 1, 2) RECV(5, 1, 2), "2>4 3>5");
	check(SPAWN(1, 2) SEND(2, 1, 2) RECV(4, 1, 2), "2>4");
	/* To itself. */
	check(SPAWN(1, 2) SEND(2, 2, 2) RECV(4, 2, 2), "2>4");
	/* Something of it was there before: another's spawn came late, or its number came again. */
	check(SEND(1, 1, 2) SPAWN(2, 1) SEND(3, 1, 2) RECV(4, 1, 2), "");
	/* A loss on any thread takes it all back. */
	check(SPAWN(1, 1) SEND(2, 1, 2) LOST(3) RECV(4, 1, 2) SEND(5, 1, 2) RECV(6, 1, 2), "");
	check(LOST(1) SPAWN(2, 1) SEND(3, 1, 2) RECV(4, 1, 2), "3>4");
	/* Born inside the gap, as another thread saw it. */
	check("lost ts=1 count=1 from=1 to=9\n" SPAWN(2, 1) SEND(3, 1, 2) RECV(4, 1, 2), "");
	/* Switched on anew: before, other events may have been off. */
	check(SPAWN(1, 1) "tap_start ts=2 reader=1 events=\"*\"\n" SEND(3, 1, 2) RECV(4, 1, 2), "");
}

static void test_contradictions(void **state)
{
	/* A message too many (an exit signal received as a message, say): from then on nothing. */
	check(SPAWN(1, 1) SEND(2, 1, 2) RECV(3, 1, 2) RECV(4, 1, 2) SEND(5, 1, 2) RECV(6, 1, 2), "2>3");
	/* The receive came before the send, out of order: it must not be taken for the next one's. */
	check(SPAWN(1, 1) RECV(2, 1, 2) SEND(3, 1, 2) SEND(4, 1, 2) RECV(5, 1, 2), "");
	/* Another size: not this message. */
	check(SPAWN(1, 1) SEND(2, 1, 2)
	      "message_receive ts=3 receiver=<0.2.0> size=9 queue_len=? sender=<0.1.0> msg=0\n"
	      SEND(4, 1, 2) RECV(5, 1, 2), "");
	/* An exit signal may be received as a message. */
	check(SPAWN(1, 1) SEND(2, 1, 2)
	      "process_exit_signal ts=3 sender=<0.1.0> receiver=<0.2.0> reason=\"x\"\n"
	      RECV(4, 1, 2) RECV(5, 1, 2), "");
}

#define SEND_X(t, a, b) "message_send ts=" #t " sender=<0." #a ".0> receiver=<0." #b ".0> size=? msg=?\n"
#define RECV_X(t, a, b) "message_receive ts=" #t " receiver=<0." #b ".0> size=? queue_len=? sender=<0." #a ".0> msg=?\n"

/* What the VM may have made in another's name: not by order, on neither side. */
static void test_not_by_order(void **state)
{
	struct msgpair_stats st;

	/* exit(B, R) from A between two messages, received as a message. */
	check(SPAWN(1, 1) SEND(2, 1, 2) SEND(3, 1, 2) RECV(4, 1, 2) RECV_X(5, 1, 2) RECV(6, 1, 2), "2>4 3>6");
	/* The same tuple sent by hand. */
	check(SPAWN(1, 1) SEND(2, 1, 2) SEND_X(3, 1, 2) SEND(4, 1, 2) RECV(5, 1, 2) RECV_X(6, 1, 2)
	      RECV(7, 1, 2), "2>5 4>7");
	/* Alone, and first: nothing is known of the pair by that. */
	check(RECV_X(1, 1, 2) SEND_X(2, 1, 2) SEND(3, 1, 2) RECV(4, 1, 2), "");
	/* To a name that may be anybody's: it is in no pair's order. */
	check(SPAWN(1, 1) SEND(2, 1, 2) "message_send ts=3 sender=<0.1.0> receiver=srv size=? msg=?\n"
	      RECV(4, 1, 2), "2>4");
	st = run(SPAWN(1, 1) SEND_X(2, 1, 2) RECV_X(3, 1, 2), NULL, 0, 1000);
	assert_int_equal(st.sent, 1);
	assert_int_equal(st.received, 1);
	assert_int_equal(st.not_by_order, 1);
	assert_int_equal(st.paired, 0);
}

#define SEND_I(t, a, b, i) "message_send ts=" #t " sender=<0." #a ".0> receiver=<0." #b ".0> size=? msg=" #i "\n"
#define RECV_I(t, a, b, i) "message_receive ts=" #t " receiver=<0." #b ".0> size=? queue_len=? sender=<0." #a ".0> msg=" #i "\n"

/* An identity that two messages had at a time says nothing any more. */
static void test_ids_twice(void **state)
{
	check(SEND_I(1, 1, 2, 7) RECV_I(2, 1, 2, 7) SEND_I(3, 1, 2, 7) RECV_I(4, 1, 2, 7), "1>2 3>4");
	check(SEND_I(1, 1, 2, 7) SEND_I(2, 1, 2, 7) RECV_I(3, 1, 2, 7) SEND_I(4, 1, 2, 7) RECV_I(5, 1, 2, 7)
	      RECV_I(6, 1, 2, 7), "");
	/* Of another sender: not this message. */
	check(SEND_I(1, 3, 2, 7) RECV_I(2, 1, 2, 7), "");
}

static void test_exits(void **state)
{
	/* What a dead process sent is still on its way. */
	check(SPAWN(1, 1) SEND(2, 1, 2) EXIT(3, 1) RECV(4, 1, 2), "2>4");
	/* Then its DOWN. */
	check(SPAWN(1, 1) SEND(2, 1, 2) EXIT(3, 1) RECV(4, 1, 2) RECV(5, 1, 2), "2>4");
	/* What was on its way to a dead process is gone; its number comes again. */
	check(SPAWN(1, 2) SEND(2, 1, 2) EXIT(3, 2) SPAWN(4, 2) SEND(5, 1, 2) RECV(6, 1, 2), "5>6");
	/* Sent to a dead process: nowhere. */
	check(SPAWN(1, 2) EXIT(2, 2) SEND(3, 1, 2) SPAWN(4, 2) SEND(5, 1, 2) RECV(6, 1, 2), "5>6");
	/* The sender's number comes again while its messages are on their way. */
	check(SPAWN(1, 1) SEND(2, 1, 2) EXIT(3, 1) SPAWN(4, 1) SEND(5, 1, 2) RECV(6, 1, 2) RECV(7, 1, 2),
	      "2>6 5>7");
}

static void test_questions(void **state)
{
	/* All that was sent before the question has been received when the answer is there. */
	check(SEND(1, 1, 2) TICK(2) ASKED(3, 2) RECV(4, 1, 2) STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2),
	      "6>7");
	/* A pair that is new after the answer. */
	check(ASKED(3, 2) STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2), "6>7");
	/* ... or between question and answer: before it, nothing was on its way but what came first. */
	check(ASKED(3, 2) SEND(4, 1, 2) STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2), "");
	/* Sent since the question: not known whether received. */
	check(SEND(1, 1, 2) TICK(2) ASKED(3, 2) SEND(4, 1, 2) STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2), "");
	/* The thread that sent has not been heard of since: its send may not be over. */
	check(SEND(1, 1, 2) "state_asked ts=3 p=<0.2.0> on=scheduler/2\n"
	      "state_process ts=5 p=<0.2.0> mfa=m:f/0 name=? parent=? queue_len=0 on=scheduler/2\n"
	      SEND(6, 1, 2) RECV(7, 1, 2), "");
	/* An answer without a question proves nothing. */
	check(STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2), "");
	/* A loss between them. */
	check(ASKED(3, 2) LOST(4) STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2), "");
	/* An aligned pair stays so. */
	check(SPAWN(1, 1) ASKED(2, 2) SEND(3, 1, 2) STATE(4, 2) RECV(5, 1, 2), "3>5");
	/* What should have been received by then was not: it was not what we thought. */
	check(SPAWN(1, 1) SEND(2, 1, 2) TICK(3) ASKED(4, 2) STATE(5, 2) SEND(6, 1, 2) RECV(7, 1, 2), "6>7");
}

#define NAMED(t, a) "message_send ts=" #t " sender=<0." #a ".0> receiver=srv size=1 msg=0\n"
#define REG(t, a) "name_register ts=" #t " p=<0." #a ".0> name=srv\n"
#define UNREG(t, a) "name_unregister ts=" #t " p=<0." #a ".0> name=srv\n"

static void test_names(void **state)
{
	check(SPAWN(1, 2) REG(2, 2) NAMED(3, 1) SEND(4, 1, 2) RECV(5, 1, 2) RECV(6, 1, 2), "3>5 4>6");
	/* To whom?  It may have been to 2: then its count is not known. */
	check(SPAWN(1, 2) SEND(2, 1, 2) NAMED(3, 1) RECV(4, 1, 2) RECV(5, 1, 2), "");
	check(SPAWN(1, 2) NAMED(3, 1) SEND(4, 1, 2) RECV(5, 1, 2), "");
	/* Other senders are not touched by that. */
	check(SPAWN(1, 2) NAMED(3, 1) SEND(4, 3, 2) RECV(5, 3, 2), "4>5");
	/* The name went to another: which of them got it cannot be told. */
	check(SPAWN(1, 2) SPAWN(2, 3) REG(3, 2) UNREG(4, 2) REG(5, 3) NAMED(6, 1) RECV(7, 1, 3), "");
	/* A later question mends it. */
	check(SPAWN(1, 2) SEND(2, 1, 2) NAMED(3, 1) TICK(4) ASKED(5, 2) RECV(6, 1, 2) STATE(7, 2)
	      SEND(8, 1, 2) RECV(9, 1, 2), "8>9");
}

static void test_ports_are_left_alone(void **state)
{
	check(SPAWN(1, 1) "message_send ts=2 sender=<0.1.0> receiver=#Port<0.5> size=1 msg=0\n"
	      SEND(3, 1, 2) RECV(4, 1, 2), "3>4");
}

/* Little memory: fewer pairs, never a wrong one; the counts add up (see run()). */
static void test_full(void **state)
{
	size_t size = 4u << 20, n = 0;
	char *text = malloc(size);
	struct msgpair_stats st;

	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "process_spawn ts=%d p=<0.%d.0> mfa=m:f/0\n"
				      "message_send ts=%d sender=<0.%d.0> receiver=<0.1.1> size=1 msg=0\n",
				      i * 2 + 1, i + 2, i * 2 + 2, i + 2);
	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "message_receive ts=%d receiver=<0.1.1> size=1 queue_len=? sender=<0.%d.0> msg=0\n",
				      20000 + i, i + 2);
	st = run(text, NULL, 0, 1u << 20);
	assert_int_equal(st.paired, 5000);
	st = run(text, NULL, 0, 64);
	assert_true(st.paired > 0 && st.paired <= 64);
	assert_true(st.no_room > 0);
	free(text);
}

/* Processes come and go: the memory for them is used again. */
static void test_churn(void **state)
{
	size_t size = 8u << 20, n = 0;
	char *text = malloc(size);
	struct msgpair_stats st;

	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "process_spawn ts=%d p=<0.%d.0> mfa=m:f/0\n"
				      "message_send ts=%d sender=<0.%d.0> receiver=<0.1.1> size=1 msg=0\n"
				      "message_send ts=%d sender=<0.1.1> receiver=<0.%d.0> size=1 msg=0\n"
				      "message_receive ts=%d receiver=<0.1.1> size=1 queue_len=? sender=<0.%d.0> msg=0\n"
				      "process_exit ts=%d p=<0.%d.0> reason=\"normal\"\n",
				      i * 5 + 1, i + 2, i * 5 + 2, i + 2, i * 5 + 3, i + 2, i * 5 + 4, i + 2,
				      i * 5 + 4, i + 2);
	st = run(text, NULL, 0, 64);
	assert_int_equal(st.paired, 5000);
	assert_int_equal(st.no_room, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),	  cmocka_unit_test(test_unknown_beginning),
		cmocka_unit_test(test_born),	  cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_exits),	  cmocka_unit_test(test_questions),
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_ports_are_left_alone),
		cmocka_unit_test(test_not_by_order), cmocka_unit_test(test_ids_twice),
		cmocka_unit_test(test_full),	  cmocka_unit_test(test_churn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
