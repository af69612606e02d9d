// SPDX-License-Identifier: Apache-2.0
/*
 * beamtap_nth.c - each call of /dev/beamtap with its 1st, 2nd, ... allocation or copy failing,
 * alone and with all allocations after it
 *
 * For each step of a region's life: bring a region there, do the step while the
 * n-th thing fails, until there are fewer than n.  The step must succeed or say
 * ENOMEM or EFAULT, and must then work when nothing fails.  That nothing is left
 * behind is for the kernel's checkers to see, and for the count of free memory.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <beamtap/ioctl.h>
#include "failnth.h"

#define PAGES	   48
#define SIZE	   (PAGES * BTAP_PAGE)
#define NR_LEASES  2
#define NR_RINGS   4
#define MANY_BYTES (256 * 1024)
#define TRACING	   "/sys/kernel/tracing/"
#define ENABLE	   TRACING "events/beamtap/message_send/enable"

/* How far a region's life has come before the step. */
enum level { AT_NOTHING, AT_OPEN, AT_NEW, AT_PUBLISHED, AT_READER, AT_ATTACHED, AT_LEASED };

static struct {
	int vm, reader;
	void *map;
	__u32 id;
} s = { -1, -1, NULL, 0 };

static char *many; /* entries of a string table */
static char few[64];

static int done(int r)
{
	return r < 0 ? -errno : 0;
}

static int open_vm(void)
{
	s.vm = open(BTAP_DEVICE, O_RDWR | O_CLOEXEC);
	return done(s.vm);
}

static int new_region(void)
{
	struct btap_new req = {
		.abi = BTAP_ABI, .size = SIZE, .ctl_off = BTAP_PAGE, .lease_off = 2 * BTAP_PAGE,
		.nr_leases = NR_LEASES, .ring_off = 4 * BTAP_PAGE, .nr_rings = NR_RINGS,
	};
	int r = done(ioctl(s.vm, BTAP_IOC_NEW, &req));

	s.id = req.id;
	return r;
}

static int map(int fd, int prot)
{
	void *p = mmap(NULL, SIZE, prot, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	s.map = p; /* to be unmapped when nothing fails */
	return 0;
}

static int map_vm(void)
{
	return map(s.vm, PROT_READ | PROT_WRITE);
}

static int publish(void)
{
	struct btap_facts facts = {
		.otp_release = 25, .pid_shift = 4, .pid_number_bits = 15, .pid_serial_bits = 13,
		.port_shift = 4, .port_number_bits = 28, .node = "nth@localhost",
	};

	return done(ioctl(s.vm, BTAP_IOC_PUBLISH, &facts));
}

static int define(const void *data, size_t len)
{
	struct btap_strings req = { .data = (uintptr_t)data, .len = len };

	return done(ioctl(s.vm, BTAP_IOC_STRINGS, &req));
}

static int define_few(void)
{
	struct btap_string *str = (struct btap_string *)few;

	str->key = BTAP_ATOM_TERM(7);
	str->kind = BTAP_STRING_ATOM;
	str->len = 5;
	memcpy(str->text, "alpha", 5);
	return define(few, sizeof(*str) + 8);
}

static int define_many(void)
{
	return define(many, MANY_BYTES);
}

static int switch_ring(void)
{
	struct btap_switch req = { .purpose = BTAP_ON_RING, .mask = { 0xfffffffffffffffe } };

	return done(ioctl(s.vm, BTAP_IOC_SWITCH, &req));
}

static int emit(__u64 *words, unsigned int nr)
{
	ssize_t len = write(s.vm, words, nr * 8);

	return len < 0 ? -errno : len == nr * 8 ? 0 : -EIO;
}

static int emit_short(void)
{
	__u64 w[] = { BTAP_HEAD(BTAP_EV_message_send, 5, 0), 0x10 | BTAP_TAG_PID,
		      BTAP_ATOM_TERM(7), 12, 99 };

	return emit(w, 5);
}

/* process, node, size, and a text of 100 words */
static int emit_long(void)
{
	__u64 w[105] = { BTAP_HEAD(BTAP_EV_message_send_remote, 105, 0), 0x10 | BTAP_TAG_PID,
			 BTAP_ATOM_TERM(7), 12, 800 };

	memset(w + 5, 'x', 800);
	return emit(w, 105);
}

static int tracepoint(const char *value)
{
	int fd = open(ENABLE, O_WRONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = write(fd, value, 1) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static int tracepoint_on(void)
{
	return tracepoint("1");
}

static int tracepoint_off(void)
{
	return tracepoint("0");
}

static int open_reader(void)
{
	s.reader = open(BTAP_DEVICE, O_RDWR | O_CLOEXEC);
	return done(s.reader);
}

static int next(void)
{
	struct btap_info info = { .id = s.id };

	return done(ioctl(s.reader, BTAP_IOC_NEXT, &info));
}

static int attach(void)
{
	struct btap_info info = { .id = s.id };

	return done(ioctl(s.reader, BTAP_IOC_ATTACH, &info));
}

static int map_reader(void)
{
	return map(s.reader, PROT_READ);
}

static int lease(void)
{
	static const char spec[] = "lists:_/_ return\n";
	struct btap_lease_req req = {
		.flags = BTAP_LEASE_STOP, .ttl_ns = BTAP_TTL_NS, .want = { 2 },
		.spec = (uintptr_t)spec, .spec_len = sizeof(spec) - 1, .who = "nth",
	};

	return done(ioctl(s.reader, BTAP_IOC_LEASE, &req));
}

static int beat(void)
{
	return done(ioctl(s.reader, BTAP_IOC_BEAT));
}

static int tail(void)
{
	struct btap_tail req = { .ring = 1, .tail = 5 };

	return done(ioctl(s.reader, BTAP_IOC_TAIL, &req));
}

static int give_back(void)
{
	return done(ioctl(s.reader, BTAP_IOC_RETURN));
}

static int info(void)
{
	struct btap_info i;

	return done(ioctl(s.reader, BTAP_IOC_INFO, &i));
}

static int poll_vm(void)
{
	struct pollfd p = { .fd = s.vm, .events = POLLIN };

	return done(poll(&p, 1, 0));
}

static int seen(void)
{
	return done(ioctl(s.vm, BTAP_IOC_SEEN));
}

static int close_vm(void)
{
	close(s.vm);
	s.vm = -1;
	return 0;
}

static int close_reader(void)
{
	close(s.reader);
	s.reader = -1;
	return 0;
}

static const struct step {
	const char *name;
	enum level level;
	int (*run)(void);
	bool is_once; /* it may have happened though its answer did not arrive */
} steps[] = {
	{ "open", AT_NOTHING, open_vm, false },
	{ "new", AT_OPEN, new_region, true },
	{ "mmap by the VM", AT_NEW, map_vm, false },
	{ "publish", AT_NEW, publish, false },
	{ "publish again", AT_PUBLISHED, publish, false },
	{ "few strings", AT_NEW, define_few, false },
	{ "many strings", AT_NEW, define_many, false },
	{ "switch", AT_PUBLISHED, switch_ring, false },
	{ "tracepoint on", AT_PUBLISHED, tracepoint_on, false },
	{ "record", AT_PUBLISHED, emit_short, false },
	{ "long record", AT_PUBLISHED, emit_long, false },
	{ "tracepoint off", AT_PUBLISHED, tracepoint_off, false },
	{ "open by a reader", AT_PUBLISHED, open_reader, false },
	{ "next", AT_READER, next, false },
	{ "attach", AT_READER, attach, true },
	{ "mmap by a reader", AT_ATTACHED, map_reader, false },
	{ "lease", AT_ATTACHED, lease, false },
	{ "beat", AT_LEASED, beat, false },
	{ "tail", AT_LEASED, tail, false },
	{ "poll", AT_LEASED, poll_vm, false },
	{ "seen", AT_LEASED, seen, false },
	{ "info", AT_LEASED, info, false },
	{ "return", AT_LEASED, give_back, false },
	{ "close by the VM", AT_LEASED, close_vm, true },
	{ "close by a reader", AT_LEASED, close_reader, true },
};

static void must(const char *what, int r)
{
	if (!r)
		return;
	printf("not ok - %s: %s though nothing was made to fail\n", what, strerror(-r));
	exit(1);
}

static void bring_to(enum level level)
{
	static const struct {
		const char *what;
		int (*run)(void);
	} way[] = {
		{ "open", open_vm }, { "new", new_region }, { "publish", publish },
		{ "open", open_reader }, { "attach", attach }, { "lease", lease },
	};
	int i;

	for (i = 0; i < (int)level; i++)
		must(way[i].what, way[i].run());
}

static void end_all(void)
{
	if (s.map)
		munmap(s.map, SIZE);
	s.map = NULL;
	if (s.vm >= 0)
		close_vm();
	if (s.reader >= 0)
		close_reader();
}

/* The thread's two files of fault injection. */
static int counter, rest;

/* Return: how many failures it took, or -1 having said why. */
static int try(const struct step *step, bool rest_too)
{
	int n, r, again;
	bool hit;

	for (n = 1; n < 5000; n++) {
		bring_to(step->level);
		if (rest_too)
			failnth_rest(rest, true);
		failnth_arm(counter, n);
		r = step->run();
		hit = failnth_hit(counter);
		if (rest_too)
			failnth_rest(rest, false);
		if (!hit && r) {
			printf("not ok - %s: %s with nothing failing\n", step->name, strerror(-r));
			return -1;
		}
		if (r && r != -ENOMEM && r != -EFAULT) {
			printf("not ok - %s: %s when failure %d was injected\n", step->name,
			       strerror(-r), n);
			return -1;
		}
		if (r) {
			again = step->run();
			if (again && !(step->is_once && r == -EFAULT && again == -EINVAL)) {
				printf("not ok - %s: after failure %d it does not work again: %s\n",
				       step->name, n, strerror(-again));
				return -1;
			}
		}
		end_all();
		if (!hit)
			return n - 1;
	}
	printf("not ok - %s: no end of failures\n", step->name);
	return -1;
}

static void make_many(void)
{
	size_t off;
	__u64 key = 1000;

	many = calloc(1, MANY_BYTES);
	for (off = 0; off + 64 <= MANY_BYTES; off += 64) {
		struct btap_string *str = (struct btap_string *)(many + off);

		str->key = key++;
		str->kind = BTAP_STRING_NAME;
		str->len = 64 - sizeof(*str);
		memset(str->text, 'a' + key % 26, str->len);
	}
}

/* Sum of the numbers behind @format, of all lines of a file. */
static long sum_of(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	long nr, sum = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &nr) == 1)
			sum += nr;
	if (f)
		fclose(f);
	return sum;
}

/* With the pages that wait on the cpus' own lists, which MemFree does not have. */
static long free_kb(void)
{
	failnth_write("/proc/sys/vm/drop_caches", "3");
	return sum_of("/proc/meminfo", "MemFree: %ld") + 4 * sum_of("/proc/zoneinfo", " count: %ld");
}

/* @told: what to say of each step's failures; NULL: nothing.  Return: failures survived, or -1 */
static int try_all(bool rest_too, const char *told)
{
	int i, nr, all = 0;
	bool is_bad = false;

	for (i = 0; i < (int)(sizeof(steps) / sizeof(steps[0])); i++) {
		nr = try(&steps[i], rest_too);
		if (nr < 0) {
			is_bad = true;
			end_all();
			continue;
		}
		if (told)
			printf("ok - %s: %s, %d times\n", steps[i].name, told, nr);
		all += nr;
	}
	tracepoint_off();
	return is_bad ? -1 : all;
}

int main(void)
{
	int all, more, status = 0;
	long before, after;

	setvbuf(stdout, NULL, _IOLBF, 0);
	make_many();
	failnth_setup();
	/* Regions of the dead are not kept, so that memory can be counted. */
	failnth_write("/sys/module/beamtap/parameters/orphans_max", "0");
	counter = failnth_open();
	rest = failnth_open_rest();
	all = try_all(false, "one failure is survived");
	more = try_all(true, "that nothing is to be had is survived");
	/* Once more, since the kernel's own caches grow at first. */
	before = free_kb();
	if (all < 0 || more < 0 || try_all(false, NULL) < 0)
		return 1;
	after = free_kb();
	/* Noise is half of this; a page lost with each of the 190 regions comes on top of it. */
	if (before - after > 1000) {
		printf("not ok - %ld KiB of memory are gone\n", before - after);
		status = 1;
	} else {
		printf("ok - memory is back (%ld KiB less)\n", before - after);
	}
	if (all < 100) {
		printf("not ok - %d failures in all: the injection is blind\n", all);
		status = 1;
	}
	return status;
}
