// SPDX-License-Identifier: Apache-2.0
/* region_test.c - a region as a source: live, after its VM's death, damaged, refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <btapw_map.h>
#include "lib/shm_dir.h"
#include "source/region.h"

static struct btapw_map *new_map(uint32_t sub_bytes)
{
	struct btapw_map_opts o = { .dir = dir, .ring_bytes = 64 << 10, .sub_bytes = sub_bytes };
	char why[BTAPW_WHY_MAX];
	struct btapw_map *m;

	o.facts.otp_release = 25;
	strcpy(o.facts.node, "nonode@nohost");
	o.facts.nr_schedulers = 2;
	memset(o.facts.able, 0xff, sizeof(o.facts.able));
	if (btapw_map_new(&m, &o, why) < 0)
		fail_msg("%s", why);
	assert_string_equal(why, "");
	return m;
}

static struct region *open_region(const char *path, bool from_oldest)
{
	struct region_opts o = { .from_oldest = from_oldest };
	struct diag d = DIAG_INIT;
	struct region *r;

	if (region_open(&r, path, &o, &d) < 0) {
		diag_print(&d, stderr, "region_test");
		fail();
	}
	return r;
}

struct sums {
	uint64_t records, lost, last_ts, damages, first, last;
};

/* Read all there is now.  Records carry a number in word 1. */
static void drain(struct src *s, struct sums *t)
{
	struct diag d = DIAG_INIT;
	struct src_run run = { 0 };
	struct src_rec rec;
	int n;

	while ((n = src_run(s, &run, &d)) != 0) {
		if (n < 0) {
			assert_int_equal(n, -EPROTO);
			assert_true(d.nr > 0);
			d.nr = 0;
			t->damages++;
			continue;
		}
		while (src_run_next(&run, &rec)) {
			assert_true(rec.ts >= t->last_ts);
			t->last_ts = rec.ts;
			if (rec.event == BTAP_LOST_EVENT) {
				assert_true(rec.words[2] <= rec.words[3]);
				t->lost += rec.words[1];
				continue;
			}
			if (!t->records++)
				t->first = rec.words[1];
			t->last = rec.words[1];
		}
	}
}

static void drain_all(struct src *s, struct sums *t)
{
	usleep(3000);
	drain(s, t);
}

static void reads_a_live_vm_in_order(void **state)
{
	struct btapw_map *m = new_map(4096);
	struct region *r = open_region(btapw_map_path(m), false);
	struct src *s = region_src(r);
	struct sums t = { 0 };
	struct src_stats st;
	struct btapw a, b;
	uint64_t now;

	assert_int_equal(btapw_map_thread(m, &a, BTAP_THREAD_SCHEDULER, 1, "1_scheduler"), 0);
	assert_int_equal(btapw_map_thread(m, &b, BTAP_THREAD_SCHEDULER, 2, "2_scheduler"), 0);
	for (int i = 0; i < 500; i++) {
		btapw_put2(&a, BTAP_EV_process_link, 2 * i, 0);
		btapw_put2(&b, BTAP_EV_process_link, 2 * i + 1, 0);
	}
	drain_all(s, &t);
	now = btapw_now(false);
	assert_int_equal(t.records, 1000);
	assert_int_equal(t.lost, 0);
	assert_int_equal(t.first, 0);
	assert_int_equal(t.last, 999);
	assert_true(t.last_ts <= now && now - t.last_ts < 1000000000);
	assert_int_equal(s->nr_threads, 2);
	assert_string_equal(s->vms[0].facts.node, "nonode@nohost");
	btapw_map_node(m, "shop@localhost");
	assert_string_equal(src_thread(s, 1)->name, "2_scheduler");
	assert_int_equal(src_thread(s, 1)->number, 2);
	src_stats(s, &st);
	assert_int_equal(st.records, 1000);
	assert_int_equal(st.lost + st.late + st.strings_lost, 0);
	assert_int_equal(region_alive(r, NULL, 0), REGION_LIVE);

	btapw_put2(&a, BTAP_EV_process_link, 5000, 0);
	btapw_map_close(m);
	drain_all(s, &t);
	assert_int_equal(t.records, 1001);
	assert_string_equal(s->vms[0].facts.node, "shop@localhost");
	assert_int_equal(region_alive(r, NULL, 0), REGION_CLOSED);
	src_close(s);
	btapw_map_free(m);
}

static void begins_now_or_at_the_oldest(void **state)
{
	struct btapw_map *m = new_map(1024);
	struct sums old = { 0 }, young = { 0 };
	struct region *a, *b;
	struct btapw w;

	btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
	for (int i = 0; i < 10000; i++) /* more than the ring takes */
		btapw_put2(&w, BTAP_EV_process_link, i, 0);
	a = open_region(btapw_map_path(m), true);
	b = open_region(btapw_map_path(m), false);
	for (int i = 10000; i < 10010; i++)
		btapw_put2(&w, BTAP_EV_process_link, i, 0);
	drain_all(region_src(a), &old);
	drain_all(region_src(b), &young);
	assert_int_equal(old.records + old.lost, 10010);
	assert_true(old.lost > 0);
	assert_int_equal(old.last, 10009);
	assert_int_equal(young.records, 10);
	assert_int_equal(young.lost, 0);
	assert_int_equal(young.first, 10000);
	src_close(region_src(a));
	src_close(region_src(b));
	btapw_map_free(m);
}

static void reads_a_dead_vm(void **state)
{
	struct sums t = { 0 };
	struct region *r;
	char path[100];
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct btapw_map *m = new_map(4096);
		struct btapw w;

		btapw_map_string(m, BTAP_STRING_ATOM, BTAP_ATOM_TERM(7), "lists", 5);
		btapw_map_thread(m, &w, BTAP_THREAD_DIRTY_IO, 0, "3_dirty_io");
		for (int i = 0; i < 100; i++)
			btapw_put2(&w, BTAP_EV_process_link, i, 0);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	snprintf(path, sizeof(path), "%s/beamtap.%d", dir, pid);
	r = open_region(path, false);
	assert_int_equal(region_alive(r, NULL, 0), REGION_DEAD);
	drain(region_src(r), &t);
	assert_int_equal(t.records, 100);
	assert_int_equal(t.lost, 0);
	assert_int_equal(region_hdr(r)->facts.os_pid, pid);
	assert_string_equal(src_atom(region_src(r)->vms[0].strs, BTAP_ATOM_TERM(7), NULL), "lists");
	assert_null(src_atom(region_src(r)->vms[0].strs, BTAP_ATOM_TERM(8), NULL));
	src_close(region_src(r));
}

static void follows_a_vm_to_its_death(void **state)
{
	struct sums t = { 0 };
	struct region *r;
	char path[100], c;
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		struct btapw_map *m = new_map(4096);
		struct btapw w;

		btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
		if (write(pipes[1], "x", 1) != 1)
			_exit(1);
		usleep(50000);
		for (int i = 0; i < 200; i++)
			btapw_put2(&w, BTAP_EV_process_link, i, 0);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(pipes[0], &c, 1), 1);
	snprintf(path, sizeof(path), "%s/beamtap.%d", dir, pid);
	r = open_region(path, false);
	for (int i = 0; i < 300 && region_alive(r, NULL, 0) == REGION_LIVE; i++) {
		drain(region_src(r), &t);
		usleep(1000);
	}
	drain(region_src(r), &t);
	assert_int_equal(region_alive(r, NULL, 0), REGION_DEAD);
	assert_int_equal(t.records, 200);
	waitpid(pid, &status, 0);
	src_close(region_src(r));
	close(pipes[0]);
	close(pipes[1]);
}

/* The controller as the agent has it, in a thread of its own. */
struct agent {
	struct btapw_map *m;
	struct btapw_leases ls;
	int stop, error;
	pthread_t thread;
};

static void *agent_main(void *arg)
{
	struct agent *a = arg;
	uint32_t changed;
	int error;

	while (!__atomic_load_n(&a->stop, __ATOMIC_ACQUIRE)) {
		changed = btapw_map_leases(a->m, &a->ls);
		if (changed)
			btapw_map_enable(a->m, a->ls.want);
		error = __atomic_load_n(&a->error, __ATOMIC_RELAXED);
		for (unsigned int i = 0; i < BTAP_MAX_LEASES; i++)
			if (changed >> i & 1)
				btapw_map_answer(a->m, i, a->ls.lease[i].gen, error, 3,
						 a->ls.lease[i].want, error ? "not today" : "fine");
		usleep(2000);
	}
	return NULL;
}

static void start_agent(struct agent *a, struct btapw_map *m)
{
	memset(a, 0, sizeof(*a));
	a->m = m;
	pthread_create(&a->thread, NULL, agent_main, a);
}

static void stop_agent(struct agent *a)
{
	__atomic_store_n(&a->stop, 1, __ATOMIC_RELEASE);
	pthread_join(a->thread, NULL);
}

static bool comes_true(const struct btap_ctl *ctl, unsigned int event, bool on)
{
	for (int i = 0; i < 400; i++) {
		if (btapw_on(ctl, event) == on)
			return true;
		usleep(5000);
	}
	return false;
}

static void switches_events_on_and_off(void **state)
{
	struct btapw_map *m = new_map(4096);
	const struct btap_ctl *ctl = btapw_map_ctl(m);
	struct region *r = open_region(btapw_map_path(m), false);
	struct region *r2 = open_region(btapw_map_path(m), false);
	struct src_want want = { .who = "region_test", .functions = "lists:map/2\n" };
	struct sums seen = { 0 };
	struct diag d = DIAG_INIT;
	static struct agent a;
	struct btapw w;

	/* What another reader had before is not for this one. */
	btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
	btapw_put2(&w, BTAP_EV_process_link, 1, 0);
	start_agent(&a, m);
	want.events[0] = 1ull << BTAP_EV_message_send;
	assert_false(btapw_on(ctl, BTAP_EV_message_send));
	assert_int_equal(src_enable(region_src(r), &want, &d), 0);
	assert_string_equal(region_answer(r), "fine");
	btapw_put2(&w, BTAP_EV_process_link, 2, 0);
	drain_all(region_src(r), &seen);
	assert_int_equal(seen.records, 1);
	assert_int_equal(seen.first, 2);
	assert_true(btapw_on(ctl, BTAP_EV_message_send));
	/* A second reader, then other wishes of the first. */
	want.events[0] = 1ull << BTAP_EV_process_link;
	assert_int_equal(src_enable(region_src(r2), &want, &d), 0);
	assert_true(btapw_on(ctl, BTAP_EV_message_send));
	assert_true(btapw_on(ctl, BTAP_EV_process_link));
	assert_int_equal(src_enable(region_src(r), &want, &d), 0);
	assert_true(comes_true(ctl, BTAP_EV_message_send, false));
	assert_int_equal(src_disable(region_src(r), &d), 0);
	usleep(20000);
	assert_true(btapw_on(ctl, BTAP_EV_process_link));
	/* The last one just goes. */
	src_close(region_src(r2));
	assert_true(comes_true(ctl, BTAP_EV_process_link, false));
	assert_true(__atomic_load_n(&ctl->off_since_ns, __ATOMIC_RELAXED) != 0);
	/* And a refusal. */
	__atomic_store_n(&a.error, -EOPNOTSUPP, __ATOMIC_RELAXED);
	assert_int_equal(src_enable(region_src(r), &want, &d), -EOPNOTSUPP);
	assert_non_null(strstr(d.text[0], "not today"));
	stop_agent(&a);
	assert_string_equal(a.ls.lease[0].spec, "lists:map/2\n");
	assert_string_equal(a.ls.lease[0].who, "region_test");
	src_close(region_src(r));
	btapw_map_free(m);
}

static void a_killed_reader_switches_off(void **state)
{
	struct btapw_map *m = new_map(4096);
	const struct btap_ctl *ctl = btapw_map_ctl(m);
	static struct agent a;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct src_want want = { .events = { 1ull << BTAP_EV_message_send } };
		struct region *r = NULL;

		if (region_open(&r, btapw_map_path(m), NULL, NULL) == 0)
			src_enable(region_src(r), &want, NULL);
		pause();
		_exit(0);
	}
	start_agent(&a, m);
	assert_true(comes_true(ctl, BTAP_EV_message_send, true));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_true(comes_true(ctl, BTAP_EV_message_send, false));
	stop_agent(&a);
	btapw_map_free(m);
}

static void stops_when_full(void **state)
{
	struct btapw_map *m = new_map(1024);
	struct region *r = open_region(btapw_map_path(m), false);
	struct region *r2 = open_region(btapw_map_path(m), false);
	struct src_want want = { .flags = BTAP_LEASE_STOP };
	struct diag d = DIAG_INIT;
	struct sums t = { 0 };
	static struct agent a;
	struct btapw w;

	want.events[0] = 1ull << BTAP_EV_process_link;
	btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
	start_agent(&a, m);
	assert_int_equal(src_enable(region_src(r), &want, &d), 0);
	assert_int_equal(src_enable(region_src(r2), &want, &d), -EBUSY);
	for (int i = 0; i < 5000; i++)
		btapw_put2(&w, BTAP_EV_process_link, i, 0);
	drain_all(region_src(r), &t);
	assert_int_equal(t.first, 0);
	assert_true(t.records > 2000 && t.records < 5000);
	/* There is room again. */
	btapw_put2(&w, BTAP_EV_process_link, 5000, 0);
	assert_int_equal(src_disable(region_src(r), &d), 0);
	drain(region_src(r), &t);
	assert_int_equal(t.last, 5000);
	assert_int_equal(t.records + t.lost, 5001);
	stop_agent(&a);
	src_close(region_src(r));
	src_close(region_src(r2));
	btapw_map_free(m);
}

/* -- what must be refused, and what must be survived -- */

static int try_open(const char *path, struct diag *d)
{
	struct region *r;
	int n;

	d->nr = 0;
	n = region_open(&r, path, NULL, d);
	if (n == 0)
		src_close(region_src(r));
	else
		assert_true(d->nr > 0);
	return n;
}

static void refuses_what_is_no_region(void **state)
{
	struct btapw_map *m = new_map(4096);
	struct btap_region_hdr h, bad;
	struct diag d = DIAG_INIT;
	char path[100], link_path[100];
	int fd, hfd;

	assert_int_equal(try_open("/nowhere/at/all", &d), -ENOENT);
	assert_int_equal(try_open(dir, &d), -EPROTO);
	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	assert_int_equal(symlink(btapw_map_path(m), link_path), 0);
	assert_int_equal(try_open(link_path, &d), -ELOOP);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(try_open(path, &d), -EPROTO); /* empty */
	hfd = open(btapw_map_path(m), O_RDONLY);
	assert_int_equal(pread(hfd, &h, sizeof(h), 0), sizeof(h));
	close(hfd);
	assert_int_equal(ftruncate(fd, (off_t)h.total_size), 0);
	assert_int_equal(try_open(path, &d), -EAGAIN); /* zeroes */

	bad = h;
	bad.abi = BTAP_ABI + 1;
	assert_int_equal(pwrite(fd, &bad, sizeof(bad), 0), sizeof(bad));
	assert_int_equal(try_open(path, &d), -EPROTONOSUPPORT);
	snprintf(link_path, sizeof(link_path), "wrong ABI version %u: this beamtap knows %u", BTAP_ABI + 1,
		 BTAP_ABI);
	assert_non_null(strstr(d.text[0], link_path));
	bad = h;
	bad.magic++;
	assert_int_equal(pwrite(fd, &bad, sizeof(bad), 0), sizeof(bad));
	assert_int_equal(try_open(path, &d), -EPROTO);
	/* Each offset in turn: beyond the end, and about to wrap. */
	for (size_t off = offsetof(struct btap_region_hdr, ctl_off);
	     off < offsetof(struct btap_region_hdr, unwritten); off += 8) {
		bad = h;
		*(uint64_t *)((char *)&bad + off) = 0xfffffffffffff000ull;
		assert_int_equal(pwrite(fd, &bad, sizeof(bad), 0), sizeof(bad));
		assert_int_equal(try_open(path, &d), -EPROTO);
	}
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(try_open(path, &d), 0);
	assert_int_equal(ftruncate(fd, (off_t)h.total_size - 4096), 0);
	assert_int_equal(try_open(path, &d), -EPROTO);
	assert_non_null(strstr(d.text[0], "cut off"));
	close(fd);
	btapw_map_free(m);
}

static void survives_truncation(void **state)
{
	struct btapw_map *m = new_map(4096);
	struct region *r = open_region(btapw_map_path(m), false);
	struct diag d = DIAG_INIT;
	struct src_run run = { 0 };
	struct btapw w;
	int n = 0;

	btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
	btapw_put2(&w, BTAP_EV_process_link, 1, 2);
	assert_int_equal(truncate(btapw_map_path(m), 4096), 0);
	for (int i = 0; i < 3; i++)
		n = src_run(region_src(r), &run, &d);
	assert_int_equal(n, -EIO);
	assert_non_null(strstr(d.text[0], "cut off"));
	assert_int_equal(region_alive(r, NULL, 0), REGION_CUT);
	assert_int_equal(src_enable(region_src(r), &(struct src_want){ { 0 } }, &d), -ESRCH);
	src_close(region_src(r));
	/* Long enough again, so that the writer's side can be closed here. */
	assert_int_equal(truncate(btapw_map_path(m), (off_t)btapw_map_size(m)), 0);
	btapw_map_free(m);
}

static void tells_damage_and_goes_on(void **state)
{
	struct btapw_map *m = new_map(1024);
	struct sums t = { 0 };
	struct region *r;
	struct btapw w;
	uint64_t *sub;

	btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
	for (int i = 0; i < 400; i++)
		btapw_put2(&w, BTAP_EV_process_link, i, 0);
	/* 40 records a sub-buffer; spoil the 11th of the third one: an event that is none. */
	sub = (uint64_t *)(w.data + 2 * 1024);
	sub[8 + 3 * 10] = BTAP_HEAD(0, 3, 0);
	/* And the head of the fifth. */
	((struct btap_sub *)(w.data + 4 * 1024))->number = 77;
	r = open_region(btapw_map_path(m), true);
	drain_all(region_src(r), &t);
	assert_int_equal(t.damages, 2);
	assert_int_equal(t.lost, 30 + 40);
	assert_int_equal(t.records + t.lost, 400);
	src_close(region_src(r));
	btapw_map_free(m);
}

static void survives_a_bad_directory(void **state)
{
	struct btapw_map *m = new_map(1024);
	struct btap_region_hdr h;
	struct sums t = { 0 };
	struct region *r;
	struct btapw w;
	int fd = open(btapw_map_path(m), O_RDWR);
	struct btap_ring *rings;

	btapw_map_thread(m, &w, BTAP_THREAD_SCHEDULER, 1, NULL);
	btapw_put2(&w, BTAP_EV_process_link, 1, 2);
	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	rings = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)h.ring_off);
	for (int i = 0; i < 6; i++) {
		rings[i].used = 1;
		rings[i].sub_size = i == 0 ? 0 : i == 1 ? 300 : i == 2 ? 1u << 31 : 1024;
		rings[i].nr_subs = i == 3 ? 1u << 31 : i == 4 ? 1 : 4;
		rings[i].data_off = i == 5 ? h.total_size - 8 : h.data_off;
	}
	r = open_region(btapw_map_path(m), true);
	drain_all(region_src(r), &t);
	assert_int_equal(t.records, 1);
	assert_true(t.damages >= 5);
	munmap(rings, 4096);
	close(fd);
	src_close(region_src(r));
	btapw_map_free(m);
}

static void counts_threads_without_a_ring(void **state)
{
	struct btapw_map *m = new_map(1024);
	struct region *r = open_region(btapw_map_path(m), false);
	struct src_stats st;
	struct btapw w;
	int nr = 0;

	while (btapw_map_thread(m, &w, BTAP_THREAD_OTHER, 0, NULL) == 0)
		nr++;
	assert_true(nr > 4);
	assert_false(btapw_put2(&w, BTAP_EV_process_link, 1, 2));
	assert_false(btapw_put2(&w, BTAP_EV_process_link, 1, 2));
	assert_int_equal(region_unwritten(r), 2);
	src_stats(region_src(r), &st);
	assert_int_equal(st.lost, 2);
	src_close(region_src(r));
	btapw_map_free(m);
}

#define T(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(reads_a_live_vm_in_order),
		T(begins_now_or_at_the_oldest),
		T(reads_a_dead_vm),
		T(follows_a_vm_to_its_death),
		T(switches_events_on_and_off),
		T(a_killed_reader_switches_off),
		T(stops_when_full),
		T(refuses_what_is_no_region),
		T(survives_truncation),
		T(tells_damage_and_goes_on),
		T(survives_a_bad_directory),
		T(counts_threads_without_a_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
