// SPDX-License-Identifier: Apache-2.0
/* ctf_test.c - recordings: what is written is read, whatever happened to the files meanwhile */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/rec.h"

static char dir[64], copy[64];

static int make_dirs(void **state)
{
	/* Tens of thousands of small files are written: in memory where there is some. */
	const char *tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(dir, sizeof(dir), "%s/ctf_test.%d", tmp, getpid());
	snprintf(copy, sizeof(copy), "%s/ctf_test.%d.copy", tmp, getpid());
	return 0;
}

static int remove_dirs(void **state)
{
	rec_remove(dir);
	rec_remove(copy);
	return 0;
}

static void record(const char *text, unsigned int per_packet)
{
	struct diag d = DIAG_INIT;

	rec_remove(dir);
	if (rec_from_text(dir, text, per_packet, &d)) {
		diag_print(&d, stderr, "ctf_test");
		fail();
	}
}

static int read_dir(const char *path, struct rec_all *a, struct diag *d)
{
	struct src *s;
	int r = ctf_open(&s, path, NULL, d);

	memset(a, 0, sizeof(*a));
	if (r)
		return r;
	rec_read(a, s, d);
	src_close(s);
	return a->result;
}

static void all_events_come_back(void **state)
{
	unsigned int nr;
	char *text = rec_catalogue(&nr);
	struct rec_all a, b;
	struct src *s;

	record(text, 7);
	assert_int_equal(read_dir(dir, &a, NULL), 0);
	assert_int_equal(text_open_mem(&s, "t", text, strlen(text), NULL), 0);
	rec_read(&b, s, NULL);
	assert_int_equal(a.records, nr);
	assert_int_equal(a.nr, b.nr);
	assert_memory_equal(a.words, b.words, a.nr * 8);
	src_close(s);
	rec_done(&a);
	rec_done(&b);
	free(text);
}

static void facts_threads_and_strings_come_back(void **state)
{
	struct src_rec rec = { 0 };
	struct src *s;
	char tail[200];

	record("vm otp=27 node=a@host schedulers=4\nthread scheduler/2 tid=99 "
	       "name=\"2_scheduler\"\n"
	       "name_register ts=10 p=<0.1.0> name='h\u00e4\\n' on=scheduler/2\n",
	       10);
	assert_int_equal(ctf_open(&s, dir, NULL, NULL), 0);
	assert_int_equal(s->vms[0].facts.otp_release, 27);
	assert_string_equal(s->vms[0].facts.node, "a@host");
	assert_int_equal(s->nr_threads, 1);
	assert_int_equal(src_thread(s, 0)->tid, 99);
	assert_string_equal(src_thread(s, 0)->name, "2_scheduler");
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_string_equal(src_atom(s->vms[0].strs, rec.words[2], NULL), "h\u00e4\n");
	assert_int_equal(src_next(s, &rec, NULL), 0);
	assert_int_equal(ctf_tail(s, tail, sizeof(tail)), 0);
	assert_string_equal(tail, "");
	src_close(s);
}

static void gaps_keep_their_place_and_number(void **state)
{
	struct rec_all a;

	record("state_asked ts=10 p=?\nlost ts=20 count=5 from=20 to=30\nstate_asked ts=40 p=?\n"
	       "lost ts=40 count=2 from=40 to=41\n",
	       10);
	assert_int_equal(read_dir(dir, &a, NULL), 0);
	assert_int_equal(a.records, 2);
	assert_int_equal(a.gaps, 2);
	assert_int_equal(a.lost, 7);
	/* thread, ts, head, p | thread, ts, head, count, from, to | ... */
	assert_int_equal(a.words[5], 20);
	assert_int_equal(a.words[7], 5);
	assert_int_equal(a.words[8], 20);
	assert_int_equal(a.words[9], 30);
	assert_int_equal(a.words[a.nr - 1], 41);
	rec_done(&a);
}

static void days_between_records(void **state)
{
	struct rec_all a;

	record("state_asked ts=10 p=?\nstate_asked ts=100000000000000 p=?\n"
	       "state_asked ts=200000000000000 p=? on=poll/0\nstate_asked ts=900000000000000 p=?\n",
	       1);
	assert_int_equal(read_dir(dir, &a, NULL), 0);
	assert_int_equal(a.records, 4);
	assert_int_equal(a.last_ts, 900000000000000);
	assert_false(a.went_back);
	rec_done(&a);
}

static void times_are_shifted(void **state)
{
	struct ctf_opts opts = { .shift_ns = -5 };
	struct src_rec rec = { 0 };
	struct src *s;

	record("state_asked ts=10 p=?\nlost ts=20 count=5 from=20 to=30\n", 10);
	assert_int_equal(ctf_open(&s, dir, &opts, NULL), 0);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 5);
	assert_int_equal(src_next(s, &rec, NULL), 1);
	assert_int_equal(rec.ts, 15);
	assert_int_equal(rec.words[3], 25);
	src_close(s);
}

static void nothing_is_overwritten(void **state)
{
	struct btap_facts f = { 0 };
	struct diag d = DIAG_INIT;
	struct ctfw *w;
	struct stat st;

	record("state_asked ts=10 p=?\n", 10);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(ctfw_open(&w, dir, &f, NULL, &d), -EEXIST);
	assert_non_null(strstr(d.text[0], "is not empty"));
	assert_null(w);
	rec_remove(dir);
	rec_spill("/", dir + 1, "x", 1);
	assert_int_equal(ctfw_open(&w, dir, &f, NULL, &d), -EEXIST);
	unlink(dir);
	assert_int_equal(symlink("/tmp", dir), 0);
	assert_int_equal(ctfw_open(&w, dir, &f, NULL, &d), -EEXIST);
	unlink(dir);
}

static const char small[] =
	"process_spawn ts=10 p=<0.9.0> mfa=shop:init/1 parent=<0.1.0>\n"
	"name_register ts=11 p=<0.9.0> name=shop\n"
	"message_send ts=12 sender=<0.1.0> receiver=<0.9.0> size=4 msg=1\n"
	"message_queued ts=13 receiver=<0.9.0> size=4 queue_len=1 sender=<0.1.0> msg=1 "
	"on=scheduler/2\n"
	"lost ts=20 count=5 from=20 to=30 on=scheduler/2\n"
	"process_exit ts=40 p=<0.9.0> reason=\"normal, it said\" on=scheduler/2\n"
	"gc_minor_start ts=41 p=<0.1.0> need=5\n"
	"gc_minor_end ts=42 p=<0.1.0> reclaimed=5 heap=17\n"
	"process_exit ts=43 p=<0.1.0> reason=?\n";

/* Records of whole packets in the first @len bytes of a stream. */
static unsigned int whole_records(const char *bytes, size_t len)
{
	unsigned int nr = 0;
	struct ctf_packet h;
	struct ctf_trailer t;

	for (size_t at = 0; len - at >= sizeof(h); at += h.packet_size / 8) {
		memcpy(&h, bytes + at, sizeof(h));
		if (h.packet_size / 8 > len - at)
			break;
		memcpy(&t, bytes + at + h.packet_size / 8 - sizeof(t), sizeof(t));
		nr += t.nr_records;
	}
	return nr;
}

static const char *const files[] = { CTF_ENTRIES_NAME, "ring_0", "ring_1" };

static void copy_dir(void)
{
	rec_remove(copy);
	mkdir(copy, 0700);
	for (int i = 0; i < 3; i++) {
		size_t len;
		char *bytes = rec_slurp(dir, files[i], &len);

		rec_spill(copy, files[i], bytes, len);
		free(bytes);
	}
}

static void cut_at_every_byte(void **state)
{
	unsigned int all[3];
	size_t len;
	char *bytes;

	record(small, 2);
	copy_dir();
	for (int i = 1; i < 3; i++) {
		bytes = rec_slurp(dir, files[i], &len);
		all[i] = whole_records(bytes, len);
		free(bytes);
	}
	assert_int_equal(all[1] + all[2], 8);
	for (int i = 1; i < 3; i++) {
		bytes = rec_slurp(dir, files[i], &len);
		for (size_t cut = 0; cut <= len; cut++) {
			struct rec_all a;

			rec_spill(copy, files[i], bytes, cut);
			assert_int_equal(read_dir(copy, &a, NULL), 0);
			assert_int_equal(a.records, whole_records(bytes, cut) + all[3 - i]);
			rec_done(&a);
		}
		free(bytes);
	}
}

static void names_cut_at_every_byte(void **state)
{
	unsigned int nr_refused = 0;
	struct ctf_entry e;
	size_t len, facts;
	char *bytes;

	record(small, 2);
	copy_dir();
	bytes = rec_slurp(dir, CTF_ENTRIES_NAME, &len);
	memcpy(&e, bytes + 8, sizeof(e));
	facts = 8 + sizeof(e) + e.len;
	for (size_t cut = 0; cut <= len; cut++) {
		struct diag d = DIAG_INIT;
		struct rec_all a;
		int r;

		rec_spill(copy, CTF_ENTRIES_NAME, bytes, cut);
		r = read_dir(copy, &a, &d);
		/* Entries are written before packets, so such a cut is damage; the facts decide. */
		if (cut < facts) {
			assert_int_equal(r, -EPROTO);
			assert_true(d.nr > 0);
			nr_refused++;
		} else if (r == 0) {
			assert_int_equal(a.records, 8);
		} else {
			assert_int_equal(r, -EPROTO);
		}
		rec_done(&a);
	}
	assert_int_equal(nr_refused, facts);
	free(bytes);
}

static void flipped_bits(void **state)
{
	unsigned int nr_told = 0;

	record(small, 2);
	copy_dir();
	for (int i = 0; i < 3; i++) {
		size_t len;
		char *bytes = rec_slurp(dir, files[i], &len);

		for (size_t bit = 0; bit < len * 8; bit++) {
			struct diag d = DIAG_INIT;
			struct rec_all a;

			bytes[bit / 8] ^= (char)(1 << bit % 8);
			rec_spill(copy, files[i], bytes, len);
			nr_told += read_dir(copy, &a, &d) != 0;
			/* What is not read is counted, but for a cut at the end. */
			assert_true(a.records <= 8);
			assert_false(a.went_back);
			rec_done(&a);
			bytes[bit / 8] ^= (char)(1 << bit % 8);
		}
		rec_spill(copy, files[i], bytes, len);
		free(bytes);
	}
	assert_true(nr_told > 1000);
}

static void damage_is_told_and_counted(void **state)
{
	struct diag d = DIAG_INIT;
	struct ctf_packet h;
	struct rec_all a;
	size_t len;
	char *bytes;

	record("state_asked ts=10 p=?\nstate_asked ts=11 p=?\nstate_asked ts=12 p=?\n"
	       "state_asked ts=13 p=?\nstate_asked ts=14 p=?\nstate_asked ts=15 p=?\n",
	       2);
	bytes = rec_slurp(dir, "ring_0", &len);
	memcpy(&h, bytes, sizeof(h));
	/* The second record of the second packet: 9 words. */
	bytes[h.packet_size / 8 + sizeof(h) + 16 + 1] = 9 << 2;
	rec_spill(dir, "ring_0", bytes, len);
	assert_int_equal(read_dir(dir, &a, &d), -EPROTO);
	assert_int_equal(a.records, 5);
	assert_int_equal(a.lost, 1);
	assert_int_equal(d.nr, 2);
	assert_non_null(strstr(d.text[0], "ring_0 at byte"));
	assert_non_null(strstr(d.text[0], "state_asked"));
	rec_done(&a);
	/* The second packet's header: found again at the third. */
	bytes[h.packet_size / 8 + 1] ^= 1;
	rec_spill(dir, "ring_0", bytes, len);
	assert_int_equal(read_dir(dir, &a, NULL), -EPROTO);
	assert_int_equal(a.records, 4);
	assert_int_equal(a.lost, 2);
	rec_done(&a);
	free(bytes);
}

static void what_is_no_recording(void **state)
{
	struct diag d = DIAG_INIT;
	struct src *s;

	rec_remove(dir);
	assert_int_equal(ctf_open(&s, dir, NULL, &d), -ENOENT);
	mkdir(dir, 0700);
	assert_int_equal(ctf_open(&s, dir, NULL, &d), -EPROTO);
	assert_non_null(strstr(d.text[1], "is no recording"));
	rec_spill(dir, "metadata", "x", 1);
	assert_int_equal(ctf_open(&s, dir, NULL, &d), -EPROTO);
	assert_non_null(strstr(d.text[2], "babeltrace2 reads it"));
	assert_false(ctf_is_recording(dir));
	record(small, 2);
	assert_true(ctf_is_recording(dir));
}

static void another_version_is_refused(void **state)
{
	struct diag d = DIAG_INIT;
	struct ctf_entry e;
	struct rec_all a;
	size_t len;
	char *bytes;

	record(small, 2);
	bytes = rec_slurp(dir, CTF_ENTRIES_NAME, &len);
	memcpy(&e, bytes + 8, sizeof(e));
	bytes[8 + sizeof(e)] = 77;
	e.sum = ctf_entry_sum(&e, bytes + 8 + sizeof(e));
	memcpy(bytes + 8, &e, sizeof(e));
	rec_spill(dir, CTF_ENTRIES_NAME, bytes, len);
	free(bytes);
	assert_int_equal(read_dir(dir, &a, &d), -EPROTONOSUPPORT);
	assert_non_null(strstr(d.text[0], "version 77"));
}

/* More than a window of one packet, records of all lengths. */
static void big_packets(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *o = open_memstream(&text, &len);
	struct rec_all a, b;
	struct src *s;

	for (int i = 0; i < 20000; i++)
		fprintf(o, "tap_warning ts=%d message=\"%.*s\"\n", i, i % 137,
			"00000000000000000000000000000000000000000000000000000000000000000000"
			"00000000000000000000000000000000000000000000000000000000000000000000000");
	fclose(o);
	record(text, 20000);
	assert_int_equal(read_dir(dir, &a, NULL), 0);
	assert_int_equal(text_open_mem(&s, "t", text, len, NULL), 0);
	rec_read(&b, s, NULL);
	assert_int_equal(a.records, 20000);
	assert_int_equal(a.nr, b.nr);
	assert_memory_equal(a.words, b.words, a.nr * 8);
	rec_done(&a);
	rec_done(&b);
	src_close(s);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_events_come_back),
		cmocka_unit_test(facts_threads_and_strings_come_back),
		cmocka_unit_test(gaps_keep_their_place_and_number),
		cmocka_unit_test(days_between_records),
		cmocka_unit_test(times_are_shifted),
		cmocka_unit_test(nothing_is_overwritten),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(names_cut_at_every_byte),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(damage_is_told_and_counted),
		cmocka_unit_test(what_is_no_recording),
		cmocka_unit_test(another_version_is_refused),
		cmocka_unit_test(big_packets),
	};

	return cmocka_run_group_tests(tests, make_dirs, remove_dirs);
}
