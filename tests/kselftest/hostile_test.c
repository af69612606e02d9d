// SPDX-License-Identifier: GPL-2.0
/*
 * hostile_test.c - a VM gone mad, calls at random, too little memory, cpus that go and come
 *
 * BTAP_SEED chooses another run, BTAP_SECONDS (3) how long each part takes.  What
 * is looked for: an oops or a warning (run.sh searches the log), a neighbour that
 * is harmed, memory that is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm.h"
#include "harness.h"

#define SIZE (64 * BTAP_PAGE)

static uint64_t seed(void)
{
	const char *s = getenv("BTAP_SEED");

	return s ? strtoull(s, NULL, 0) : 20251129;
}

static uint64_t run_ns(void)
{
	const char *s = getenv("BTAP_SECONDS");

	return (s ? strtoull(s, NULL, 0) : 3) * 1000000000ull;
}

static uint64_t rnd(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15ull);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Numbers near where something happens. */
static uint64_t edge(uint64_t *s)
{
	static const uint64_t e[] = { 0, 1, 2, 7, 8, 63, 64, 255, 256, 4095, 4096, 65535, 1 << 20, 1u << 31,
				      ~0u, 1ull << 63, ~0ull, BTAP_TEXT_NONE, BTAP_UNKNOWN };
	uint64_t r = rnd(s);

	switch (r % 4) {
	case 0:
		return e[(r >> 8) % (sizeof(e) / sizeof(e[0]))];
	case 1:
		return e[(r >> 8) % (sizeof(e) / sizeof(e[0]))] + (r >> 16) % 17 - 8;
	case 2:
		return (r >> 8) % 64;
	default:
		return rnd(s) >> (r >> 8) % 64;
	}
}

#define AS_ID(id, ev, usdt, doc) id,
static const unsigned int ids[] = { BTAP_EVENTS(AS_ID) };
#undef AS_ID
#define NR_IDS (sizeof(ids) / sizeof(ids[0]))

/* A record that looks like one: mostly a known event, lengths of texts that may fit. */
static unsigned int random_record(uint64_t *w, uint64_t *s)
{
	unsigned int nr = rnd(s) % 5 ? 1 + rnd(s) % 16 : 1 + rnd(s) % 255;
	unsigned int id = rnd(s) % 20 ? ids[rnd(s) % NR_IDS] : rnd(s) % 1024;

	w[0] = BTAP_HEAD(id, rnd(s) % 20 ? nr : rnd(s) % 256, rnd(s));
	for (unsigned int i = 1; i < nr; i++)
		w[i] = rnd(s) % 3 ? edge(s) : rnd(s) % (8 * nr);
	return nr;
}

/* -- the scribbler -- */

struct scribbler {
	struct vm vm;
	uint64_t seed, end_ns;
	int nr;
};

static void *scribble(void *arg)
{
	struct scribbler *m = arg;
	uint64_t s = m->seed + __atomic_fetch_add(&m->nr, 1, __ATOMIC_RELAXED);
	uint64_t *p = (uint64_t *)m->vm.base;

	while (vm_now_ns() < m->end_ns)
		for (int i = 0; i < 20000; i++) {
			uint64_t r = rnd(&s);

			p[r % (SIZE / 8)] = i % 64 ? r : 0;
		}
	return NULL;
}

static void *write_records(void *arg)
{
	struct scribbler *m = arg;
	uint64_t s = m->seed + 1000 + __atomic_fetch_add(&m->nr, 1, __ATOMIC_RELAXED), w[256];

	while (vm_now_ns() < m->end_ns)
		for (int i = 0; i < 100; i++) {
			/* From its own region, too, where others write meanwhile. */
			if (rnd(&s) % 4)
				vm_put(&m->vm, w, random_record(w, &s));
			else
				vm_put(&m->vm, (uint64_t *)m->vm.base + rnd(&s) % (SIZE / 8 - 256),
				       1 + rnd(&s) % 16);
			if (i % 16 == 0)
				vm_ioctl(m->vm.fd, BTAP_IOC_SEEN, NULL);
		}
	return NULL;
}

static int mad_vm(uint64_t end_ns)
{
	struct scribbler m = { .seed = seed(), .end_ns = end_ns };
	pthread_t t[5];

	if (vm_open(&m.vm, SIZE, "mad@host"))
		return 1;
	for (int i = 0; i < 5; i++)
		if (pthread_create(&t[i], NULL, i < 3 ? scribble : write_records, &m))
			return 2;
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* Walks, attaches, maps, reads all, leases, beats, moves tails: of all regions. */
static int mad_reader(uint64_t end_ns)
{
	uint64_t s = seed() + 77, sum = 0;

	while (vm_now_ns() < end_ns) {
		struct btap_lease_req req = vm_lease_req("reader");
		struct btap_info info = { .id = 1 };
		struct btap_tail tail = { .tail = rnd(&s) };
		int walk = open(BTAP_DEVICE, O_RDONLY), fd;

		for (; !vm_ioctl(walk, BTAP_IOC_NEXT, &info); info.id++) {
			uint64_t *p;

			fd = vm_attach(info.id, &info);
			if (fd < 0)
				continue;
			p = mmap(NULL, info.size, PROT_READ, MAP_SHARED, fd, 0);
			if (p == MAP_FAILED)
				return 1;
			req.flags = rnd(&s) % 4;
			if (!vm_ioctl(fd, BTAP_IOC_LEASE, &req)) {
				tail.ring = rnd(&s) % 3;
				vm_ioctl(fd, BTAP_IOC_TAIL, &tail);
				vm_ioctl(fd, BTAP_IOC_BEAT, NULL);
			}
			for (size_t i = 0; i < info.size / 8; i += 8)
				sum += p[i];
			munmap(p, info.size);
			close(fd);
		}
		close(walk);
	}
	return sum == 42 ? 0 : 0;
}

TEST(scribbler)
{
	uint64_t end = vm_now_ns() + run_ns(), sent = 0, got = 0;
	struct vm good;
	static char trace[4 << 20];
	pid_t child[3];
	int status;

	TH_LOG("seed %llu", (unsigned long long)seed());
	vm_echo(VM_TRACING "buffer_size_kb", "512");
	vm_echo(VM_TRACING "trace", "");
	ASSERT_EQ(1, vm_echo(VM_EVENTS "enable", "1"));
	ASSERT_EQ(0, vm_open(&good, SIZE, "good@host"));
	for (int i = 0; i < 3; i++) {
		child[i] = fork();
		if (!child[i])
			_exit(i < 2 ? mad_vm(end) : mad_reader(end));
	}
	memset(good.base + 8 * BTAP_PAGE, 0x5a, SIZE - 8 * BTAP_PAGE);
	while (vm_now_ns() < end) {
		ASSERT_EQ(0, vm_send(&good, sent));
		sent++;
		for (int i = 0; i < BTAP_MAX_EVENTS; i++)
			ASSERT_EQ(0, good.ctl->on[i] & ~BTAP_ON_TRACEPOINT);
		ASSERT_EQ(BTAP_ON_TRACEPOINT, good.ctl->on[BTAP_EV_message_send]);
	}
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	for (size_t i = 8 * BTAP_PAGE; i < SIZE; i++)
		ASSERT_EQ(0x5a, good.base[i]);
	EXPECT_EQ(sent, vm_info(good.fd).fired);
	EXPECT_EQ(0, vm_info(good.fd).refused);
	EXPECT_EQ(0, vm_info(good.fd).nr_leases);
	/* What the trace holds of the good one is right. */
	vm_echo(VM_EVENTS "enable", "0");
	vm_cat(VM_TRACING "trace", trace, sizeof(trace));
	for (char *p = trace, *end_of; (p = strstr(p, ": message_send: region=")); p = end_of) {
		unsigned int region;
		long long size;

		end_of = strchrnul(p, '\n');
		if (sscanf(p, ": message_send: region=%u", &region) != 1 || region != good.id)
			continue;
		ASSERT_EQ(1, sscanf(p + strlen(": message_send: region=") + snprintf(NULL, 0, "%u", region),
				    " sender=<0.80.0> receiver=<0.81.0> size=%lld msg=1 ", &size));
		ASSERT_LT(size, sent);
		got++;
	}
	TH_LOG("%llu sent by the good one, %llu of them still in the trace", (unsigned long long)sent,
	       (unsigned long long)got);
	vm_close(&good);
	vm_echo(VM_TRACING "trace", "");
	vm_echo(VM_TRACING "buffer_size_kb", "1408");
}

/* -- calls at random -- */

#define NR_FDS 8

struct fuzz {
	uint64_t seed, end_ns;
	int fd[NR_FDS];
	int nr;
	uint64_t calls, ok;
};

static uint64_t *scratch; /* 2 MiB, and nothing behind it */

static void *random_arg(uint64_t *s)
{
	uint64_t r = rnd(s);

	switch (r % 8) {
	case 0:
		return (void *)(edge(s));
	case 1: /* crosses into nothing */
		return (char *)scratch + (2 << 20) - r / 8 % 600;
	default:
		return (char *)scratch + (r >> 8) % (1 << 20) / 8 * 8;
	}
}

/* Something like what the call expects, with faults. */
static void prepare(unsigned int cmd, void *arg, uint64_t *s)
{
	struct btap_new new = vm_layout((1 + rnd(s) % 64) * BTAP_PAGE);
	struct btap_facts facts = vm_facts("fuzz@host");
	struct btap_switch sw = { .purpose = 1 << rnd(s) % 3, .mask = { rnd(s) & ~1ull, rnd(s), 0, 0 } };
	struct btap_strings strings = { (uintptr_t)scratch + rnd(s) % 4096 * 8, rnd(s) % 8192 };
	struct btap_info info = { .id = rnd(s) % 2 ? rnd(s) % 50 : rnd(s) % 100000 };
	struct btap_lease_req lease = vm_lease_req("fuzz");
	struct btap_tail tail = { .ring = rnd(s) % 3, .tail = rnd(s) };
	char buf[1024];
	size_t len;

	lease.spec = (uintptr_t)random_arg(s);
	lease.spec_len = rnd(s) % 4200;
	lease.flags = rnd(s) % 5;
	switch (cmd) {
#define AS_CASE(c, v)                        \
	case c:                              \
		len = sizeof(v);             \
		memcpy(buf, &v, sizeof(v));  \
		break;
	AS_CASE(BTAP_IOC_NEW, new)
	AS_CASE(BTAP_IOC_PUBLISH, facts)
	AS_CASE(BTAP_IOC_STRINGS, strings)
	AS_CASE(BTAP_IOC_SWITCH, sw)
	AS_CASE(BTAP_IOC_NEXT, info)
	AS_CASE(BTAP_IOC_ATTACH, info)
	AS_CASE(BTAP_IOC_LEASE, lease)
	AS_CASE(BTAP_IOC_TAIL, tail)
#undef AS_CASE
	default:
		return;
	}
	for (int i = rnd(s) % 6 - 3; i > 0; i--) {
		uint64_t v = edge(s);

		memcpy(buf + rnd(s) % (len / 4) * 4, &v, 4);
	}
	memcpy(arg, buf, len);
}

static void *fuzz(void *arg)
{
	static const unsigned int cmds[] = {
		BTAP_IOC_NEW, BTAP_IOC_PUBLISH, BTAP_IOC_STRINGS, BTAP_IOC_SWITCH, BTAP_IOC_SEEN,
		BTAP_IOC_NEXT, BTAP_IOC_ATTACH, BTAP_IOC_INFO, BTAP_IOC_LEASE, BTAP_IOC_BEAT,
		BTAP_IOC_RETURN, BTAP_IOC_TAIL,
	};
	struct fuzz *f = arg;
	uint64_t s = f->seed + 31 * __atomic_fetch_add(&f->nr, 1, __ATOMIC_RELAXED), w[256];
	uint64_t calls = 0, ok = 0;

	/* A slow machine takes the time that it needs. */
	while (vm_now_ns() < f->end_ns || ok < 50) {
		unsigned int i = rnd(&s) % NR_FDS, r = rnd(&s) % 100, cmd;
		int fd = __atomic_load_n(&f->fd[i], __ATOMIC_RELAXED), res = 0;
		struct pollfd pfd = { .fd = fd, .events = POLLIN };
		void *a = random_arg(&s), *p;

		calls++;
		if (r < 3) {
			fd = open(BTAP_DEVICE, rnd(&s) % 4 ? O_RDWR : O_RDONLY);
			/* Another thread may be in a call on the old one. */
			close(__atomic_exchange_n(&f->fd[i], fd, __ATOMIC_RELAXED));
		} else if (r < 10) {
			size_t len = rnd(&s) % 80 * BTAP_PAGE;

			p = mmap(NULL, len, rnd(&s) % 8, rnd(&s) % 4, fd,
				 rnd(&s) % 8 ? 0 : edge(&s) & ~4095ull);
			if (p != MAP_FAILED) {
				unsigned char vec;

				ok++;
				mincore(p, BTAP_PAGE, &vec);
				madvise(p, len, rnd(&s) % 2 ? MADV_DONTNEED : MADV_WILLNEED);
				munmap(p, len);
			}
		} else if (r < 20) {
			res = write(fd, w, random_record(w, &s) * 8);
			ok += res > 0;
		} else if (r < 23) {
			poll(&pfd, 1, 0);
		} else {
			cmd = cmds[rnd(&s) % 12];
			if (rnd(&s) % 50 == 0)
				cmd ^= 1u << rnd(&s) % 32;
			if ((char *)a >= (char *)scratch && (char *)a < (char *)scratch + (1 << 20))
				prepare(cmd, a, &s);
			ok += ioctl(fd, cmd, a) == 0;
		}
	}
	__atomic_fetch_add(&f->calls, calls, __ATOMIC_RELAXED);
	__atomic_fetch_add(&f->ok, ok, __ATOMIC_RELAXED);
	return NULL;
}

TEST(calls_at_random)
{
	struct fuzz f = { .seed = seed(), .end_ns = vm_now_ns() + run_ns() };
	unsigned int old = vm_param(VM_PARAM("orphans_max"), 0);
	pthread_t t[3];
	struct vm vm;

	TH_LOG("seed %llu", (unsigned long long)seed());
	scratch = mmap(NULL, (2 << 20) + BTAP_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, scratch);
	munmap((char *)scratch + (2 << 20), BTAP_PAGE);
	vm_echo(VM_EVENTS "enable", "1");
	for (int i = 0; i < NR_FDS; i++)
		f.fd[i] = open(BTAP_DEVICE, O_RDWR);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&t[i], NULL, fuzz, &f));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	vm_echo(VM_EVENTS "enable", "0");
	TH_LOG("%llu calls, %llu of them did something", (unsigned long long)f.calls,
	       (unsigned long long)f.ok);
	EXPECT_GT(f.ok, 100);
	EXPECT_GT(f.calls, f.ok);
	for (int i = 0; i < NR_FDS; i++)
		close(f.fd[i]);
	/* Nothing is left, and it still works. */
	EXPECT_EQ(0, vm_nr_listed());
	ASSERT_EQ(0, vm_open(&vm, SIZE, "after@host"));
	EXPECT_EQ(0, vm_send(&vm, 1));
	vm_close(&vm);
	vm_param(VM_PARAM("orphans_max"), old);
}

/* Forks, execs and exits while threads write: whoever goes first. */
TEST(fork_and_exit_in_any_order)
{
	uint64_t s = seed();

	for (int round = 0; round < 40; round++) {
		pid_t pid = fork();

		if (!pid) {
			struct scribbler m = { .seed = rnd(&s), .end_ns = vm_now_ns() + 20000000 };
			pthread_t t;

			if (vm_open(&m.vm, SIZE, "fork@host"))
				_exit(1);
			pthread_create(&t, NULL, write_records, &m);
			if (!fork()) {
				usleep(rnd(&s) % 20000);
				if (rnd(&s) % 2)
					execl("/bin/true", "true", NULL);
				_exit(0);
			}
			usleep(rnd(&s) % 10000);
			if (round % 4 == 1)
				close(m.vm.fd);
			if (round % 4 == 2)
				munmap(m.vm.base, m.vm.size);
			if (round % 4 == 3)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	EXPECT_LE(vm_nr_listed(), 16);
}

/* -- memory -- */

/* A memory cgroup pays for a region, and its limit is met with an error, not a kill. */
TEST(memory_cgroup_pays)
{
	unsigned int total = vm_param(VM_PARAM("total_mb"), 100000);
	unsigned int user = vm_param(VM_PARAM("user_mb"), 100000);
	char buf[64];
	pid_t pid;
	int status, up[2];
	long before, after;

	mkdir("/run/cg", 0700);
	mount("cg", "/run/cg", "cgroup2", 0, NULL);
	vm_echo("/run/cg/cgroup.subtree_control", "+memory");
	if (mkdir("/run/cg/btap", 0700) || vm_echo("/run/cg/btap/memory.max", "33554432") < 0)
		SKIP(return, "no memory cgroup");
	ASSERT_EQ(0, pipe(up));
	pid = fork();
	if (!pid) {
		struct vm vm;
		int r;

		if (vm_echo("/run/cg/btap/cgroup.procs", "0") < 0)
			_exit(1);
		vm_cat("/run/cg/btap/memory.current", buf, sizeof(buf));
		before = atol(buf);
		if (vm_open(&vm, 8 << 20, "paying@host"))
			_exit(2);
		vm_cat("/run/cg/btap/memory.current", buf, sizeof(buf));
		after = atol(buf);
		if (after - before < 8 << 20)
			_exit(3);
		r = vm_open(&vm, 64 << 20, "too@much");
		_exit(r == -ENOMEM ? 0 : 4);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(up[0]);
	close(up[1]);
	/* An orphan keeps what it was charged; it goes with the orphan. */
	vm_cat("/run/cg/btap/memory.current", buf, sizeof(buf));
	EXPECT_GE(atol(buf), 8 << 20);
	status = vm_param(VM_PARAM("orphans_max"), 0);
	{
		struct vm vm;

		ASSERT_EQ(0, vm_open(&vm, SIZE, "last@host"));
		vm_close(&vm);
	}
	vm_param(VM_PARAM("orphans_max"), status);
	vm_cat("/run/cg/btap/memory.current", buf, sizeof(buf));
	EXPECT_LT(atol(buf), 8 << 20);
	vm_param(VM_PARAM("total_mb"), total);
	vm_param(VM_PARAM("user_mb"), user);
	EXPECT_EQ(0, rmdir("/run/cg/btap"));
	umount("/run/cg");
}

/* More than there is: an error, and all of it is given back. */
TEST(memory_runs_out)
{
	unsigned int total = vm_param(VM_PARAM("total_mb"), 100000);
	unsigned int user = vm_param(VM_PARAM("user_mb"), 100000);
	struct vm vm[4], small;
	int r = 0, n = 0;

	for (; n < 4 && !r; n++)
		r = vm_open(&vm[n], 700 << 20, "big@host");
	EXPECT_EQ(-ENOMEM, r);
	for (int i = 0; i < n - 1; i++)
		vm_close(&vm[i]);
	vm_param(VM_PARAM("total_mb"), total);
	vm_param(VM_PARAM("user_mb"), user);
	ASSERT_EQ(0, vm_open(&small, SIZE, "small@host"));
	EXPECT_EQ(0, vm_send(&small, 1));
	vm_close(&small);
}

/* -- cpus -- */

TEST(cpus_go_and_come)
{
	const char *cpu = "/sys/devices/system/cpu/cpu1/online";
	uint64_t end = vm_now_ns() + run_ns(), sent = 0;
	struct vm vm;
	pid_t pid;

	if (access(cpu, W_OK))
		SKIP(return, "one cpu only, or it cannot be taken offline");
	ASSERT_EQ(0, vm_open(&vm, SIZE, "cpu@host"));
	ASSERT_EQ(1, vm_echo(VM_EVENTS "message_send/enable", "1"));
	pid = fork();
	if (!pid) {
		while (vm_now_ns() < end) {
			vm_echo(cpu, "0");
			vm_echo(cpu, "1");
		}
		_exit(0);
	}
	while (vm_now_ns() < end) {
		ASSERT_EQ(0, vm_send(&vm, sent));
		sent++;
	}
	waitpid(pid, NULL, 0);
	EXPECT_EQ(1, vm_echo(cpu, "1"));
	/* Counts of a cpu that went are not lost. */
	EXPECT_EQ(sent, vm_info(vm.fd).fired);
	vm_echo(VM_EVENTS "message_send/enable", "0");
	vm_close(&vm);
}

TEST_HARNESS_MAIN
