// SPDX-License-Identifier: GPL-2.0
/* limit_test.c - how much there may be of regions and strings, and that nothing of them is left behind */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "vm.h"
#include "harness.h"

#define SIZE (16 * BTAP_PAGE)
#define NOBODY 65534
/* What the first string takes: buckets and a chunk; then a chunk more at a time. */
#define CHUNK	     32768
#define FIRST_STRING (65536 + CHUNK)
#define NAME_BYTES   280 /* of a name of 255 characters */

TEST(limits)
{
	unsigned int user = vm_param(VM_PARAM("user_mb"), 2);
	unsigned int regions, user_regions;
	struct vm a, b, c;

	vm_forget_orphans();
	ASSERT_EQ(0, vm_open(&a, 1 << 20, "a"));
	EXPECT_EQ(-ENOSPC, vm_open(&b, (1 << 20) + BTAP_PAGE, "b"));
	ASSERT_EQ(0, vm_open(&b, 1 << 20, "b"));
	EXPECT_EQ(-ENOSPC, vm_open(&c, SIZE, "c"));
	/* The dead make room for the living. */
	vm_close(&b);
	EXPECT_EQ(0, vm_open(&c, 1 << 20, "c"));
	vm_close(&c);
	vm_param(VM_PARAM("user_mb"), user);
	user_regions = vm_param(VM_PARAM("user_regions_max"), 1);
	EXPECT_EQ(-ENOSPC, vm_open(&c, SIZE, "c"));
	vm_param(VM_PARAM("user_regions_max"), user_regions);
	regions = vm_param(VM_PARAM("regions_max"), 1);
	EXPECT_EQ(-ENOSPC, vm_open(&c, SIZE, "c"));
	vm_param(VM_PARAM("regions_max"), regions);
	user = vm_param(VM_PARAM("total_mb"), 1);
	EXPECT_EQ(-ENOSPC, vm_open(&c, SIZE, "c"));
	vm_param(VM_PARAM("total_mb"), user);
	regions = vm_param(VM_PARAM("region_mb"), 1);
	EXPECT_EQ(-E2BIG, vm_open(&c, 2 << 20, "c"));
	vm_param(VM_PARAM("region_mb"), regions);
	vm_close(&a);
}

TEST(orphans)
{
	unsigned int old = vm_param(VM_PARAM("orphans_max"), 2);
	struct vm vm[4];
	int fd;

	vm_forget_orphans();
	vm_param(VM_PARAM("orphans_max"), 2);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, vm_open(&vm[i], SIZE, "x"));
	fd = vm_attach(vm[0].id, NULL);
	for (int i = 0; i < 4; i++)
		vm_close(&vm[i]);
	/* 0 is read and stays; 1 was the oldest of those that nobody reads, then 2. */
	EXPECT_EQ(2, vm_nr_listed());
	close(vm_attach(vm[0].id, NULL));
	EXPECT_EQ(-ENOENT, vm_attach(vm[1].id, NULL));
	EXPECT_EQ(-ENOENT, vm_attach(vm[2].id, NULL));
	close(vm_attach(vm[3].id, NULL));
	vm_param(VM_PARAM("orphans_max"), 1);
	close(fd);
	EXPECT_EQ(1, vm_nr_listed());
	EXPECT_EQ(-ENOENT, vm_attach(vm[0].id, NULL));
	vm_param(VM_PARAM("orphans_max"), old);
	vm_forget_orphans();
	/* By memory, too. */
	old = vm_param(VM_PARAM("orphans_mb"), 2);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, vm_open(&vm[i], 1 << 20, "x"));
		vm_close(&vm[i]);
	}
	EXPECT_EQ(2, vm_nr_listed());
	EXPECT_EQ(-ENOENT, vm_attach(vm[0].id, NULL));
	vm_param(VM_PARAM("orphans_mb"), old);
	vm_forget_orphans();
}

/* -- strings -- */

/* Define names until one finds no room, or @max.  Return: how many did */
static int define_names(struct vm *vm, int from, int max)
{
	static char text[256];
	int i;

	memset(text, 'n', sizeof(text) - 1);
	for (i = from; i < from + max; i++)
		if (vm_string(vm, BTAP_STRING_NAME, 1000 + i, text))
			break;
	return i - from;
}

static long string_bytes(uint32_t id)
{
	static char buf[1 << 18];
	unsigned int nr;
	long bytes;

	vm_cat("/sys/kernel/debug/beamtap/regions", buf, sizeof(buf));
	for (char *p = buf; (p = strchr(p, '\n')); p++)
		if (sscanf(p + 1, "%u %*s %*d %*u %*u %*u %*u %*u %*u %*u %*u %ld", &nr, &bytes) == 2 && nr == id)
			return bytes;
	return -1;
}

TEST(strings_are_charged_to_the_owner)
{
	unsigned int user, kb, total;
	struct vm a, b;
	int n;

	vm_forget_orphans();
	user = vm_param(VM_PARAM("user_mb"), 1);
	/* A region that leaves room for the first chunk and two more. */
	ASSERT_EQ(0, vm_open(&a, (1 << 20) - FIRST_STRING - 2 * CHUNK, "a"));
	EXPECT_EQ(0, string_bytes(a.id));
	n = define_names(&a, 0, 10000);
	EXPECT_EQ(FIRST_STRING + 2 * CHUNK, string_bytes(a.id));
	EXPECT_EQ(3 * (CHUNK / NAME_BYTES), n);
	EXPECT_EQ(-ENOSPC, vm_open(&b, SIZE, "b"));
	/* With more for this user there is more for strings, up to what one region may have. */
	vm_param(VM_PARAM("user_mb"), 2);
	kb = vm_param(VM_PARAM("strings_kb"), 256);
	EXPECT_LT(0, define_names(&a, n, 10000));
	EXPECT_EQ(256 << 10, string_bytes(a.id));
	vm_param(VM_PARAM("strings_kb"), kb);
	/* A dead region makes room for a living one's strings. */
	n = (2 << 20) - ((1 << 20) - FIRST_STRING - 2 * CHUNK) - (256 << 10);
	ASSERT_EQ(0, vm_open(&b, n, "b"));
	EXPECT_EQ(0, define_names(&a, 20000, 1));
	vm_close(&b);
	EXPECT_EQ(2, vm_nr_listed());
	n = 2 * (CHUNK / NAME_BYTES);
	EXPECT_EQ(n, define_names(&a, 20001, n));
	EXPECT_EQ(1, vm_nr_listed());
	vm_param(VM_PARAM("user_mb"), user);
	/* Those of all users together are bounded, too. */
	total = vm_param(VM_PARAM("total_mb"), 1);
	n = string_bytes(a.id);
	define_names(&a, 30000, 1000);
	EXPECT_EQ(n, string_bytes(a.id));
	vm_param(VM_PARAM("total_mb"), total);
	vm_close(&a);
	vm_forget_orphans();
}

static int nobody_takes_his_share(void *arg)
{
	struct vm vm;

	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (vm_open(&vm, (1 << 20) - FIRST_STRING, "nobody"))
		return 2;
	return define_names(&vm, 0, 1000) == CHUNK / NAME_BYTES ? 0 : 3;
}

TEST(a_user_takes_his_own_share)
{
	unsigned int user = vm_param(VM_PARAM("user_mb"), 1);
	struct vm vm;

	vm_forget_orphans();
	ASSERT_EQ(0, vm_open(&vm, 1 << 19, "root"));
	EXPECT_EQ(0, vm_in_child(nobody_takes_his_share, NULL));
	/* What root may have is not less for that. */
	EXPECT_LT(0, define_names(&vm, 0, 500));
	vm_close(&vm);
	vm_param(VM_PARAM("user_mb"), user);
	vm_forget_orphans();
}

/* -- what is left behind -- */

struct held {
	long files, regions, pages, string_bytes;
};

static struct held held(void)
{
	struct held h = { -1, -1, -1, -1 };
	char buf[256];

	vm_cat("/sys/kernel/debug/beamtap/memory", buf, sizeof(buf));
	sscanf(buf, "files %ld regions %ld pages %ld string_bytes %ld", &h.files, &h.regions, &h.pages,
	       &h.string_bytes);
	return h;
}

/*
 * Free memory, with the pages that wait on the lists of each cpu, up to 28 MiB on
 * each of two: MemFree does not have them, and what is freed page by page goes there first.
 */
static long free_kib(void)
{
	static char buf[1 << 16];
	long pages, kib = 0;

	vm_echo("/proc/sys/vm/drop_caches", "3");
	vm_cat("/proc/meminfo", buf, sizeof(buf));
	sscanf(strstr(buf, "MemFree:"), "MemFree: %ld", &kib);
	vm_cat("/proc/zoneinfo", buf, sizeof(buf));
	for (char *p = buf; (p = strstr(p, "count:")); p++)
		if (sscanf(p, "count: %ld", &pages) == 1)
			kib += pages * 4;
	return kib;
}

/* The kernel gives memory back when it finds time: wait until it has. */
static long settled_kib(void)
{
	long was, now = free_kib();

	for (int i = 0; i < 50; i++) {
		was = now;
		usleep(200000);
		now = free_kib();
		if (labs(now - was) < 128)
			break;
	}
	return now;
}

/* VMs of 1 MiB, and a reader each, with few orphans.  Return: 0, or which call failed */
static int cycles(int nr)
{
	struct vm vm;

	for (int i = 0; i < nr; i++) {
		int fd;

		if (vm_open(&vm, 1 << 20, "x"))
			return 1;
		fd = vm_attach(vm.id, NULL);
		if (fd < 0)
			return 2;
		vm_string(&vm, BTAP_STRING_ATOM, 0x10b, "atom");
		vm.base[vm.size - 1] = 1;
		if (i % 2) {
			close(fd);
			vm_close(&vm);
		} else {
			vm_close(&vm);
			close(fd);
		}
	}
	return 0;
}

/* A page lost a turn would be 4 MiB in the end. */
#define NR_CYCLES 1000
#define NOISE_KIB 3000

TEST(thousand_cycles)
{
	unsigned int old = vm_param(VM_PARAM("orphans_max"), 3);
	long before, after, with;
	struct held h;
	struct vm vm;

	ASSERT_EQ(0, cycles(10));
	vm_forget_orphans();
	before = settled_kib();
	ASSERT_EQ(0, cycles(NR_CYCLES));
	h = held();
	EXPECT_EQ(0, h.files);
	EXPECT_EQ(3, h.regions);
	EXPECT_EQ(3 << 8, h.pages);
	EXPECT_EQ(3 * FIRST_STRING, h.string_bytes);
	vm_param(VM_PARAM("orphans_max"), old);
	vm_forget_orphans();
	/* The module's own count: exact, but it believes what it is told. */
	EXPECT_EQ(0, vm_nr_listed());
	h = held();
	EXPECT_EQ(0, h.files);
	EXPECT_EQ(0, h.regions);
	EXPECT_EQ(0, h.pages);
	EXPECT_EQ(0, h.string_bytes);
	/* The kernel's, which is rough. */
	after = settled_kib();
	TH_LOG("free: %ld KiB before, %ld KiB after", before, after);
	EXPECT_LT(before - after, NOISE_KIB);
	/* These scales do move: by what one region weighs. */
	ASSERT_EQ(0, vm_open(&vm, 16 << 20, "x"));
	EXPECT_EQ(4096, held().pages);
	with = settled_kib();
	TH_LOG("free: %ld KiB with 16 MiB held", with);
	EXPECT_GT(after - with, (16 << 10) - NOISE_KIB);
	EXPECT_LT(after - with, (16 << 10) + NOISE_KIB);
	vm_close(&vm);
	vm_forget_orphans();
	EXPECT_EQ(0, held().pages);
}

#define CG "/run/cg-limit"

static long charged_kib(void)
{
	char buf[64];

	vm_cat(CG "/btap/memory.current", buf, sizeof(buf));
	return atol(buf) >> 10;
}

static int cycles_in_cgroup(void *arg)
{
	if (vm_echo(CG "/btap/cgroup.procs", "0") < 0)
		return 100;
	return cycles(NR_CYCLES);
}

/* A page that was charged to a memory cgroup stays so until it is free: what is left there has leaked. */
TEST(thousand_cycles_leave_nothing_in_their_cgroup)
{
	unsigned int old = vm_param(VM_PARAM("orphans_max"), 3);
	long left;

	vm_forget_orphans();
	mkdir(CG, 0700);
	mount("cg", CG, "cgroup2", 0, NULL);
	vm_echo(CG "/cgroup.subtree_control", "+memory");
	if (mkdir(CG "/btap", 0700) || access(CG "/btap/memory.current", R_OK)) {
		vm_param(VM_PARAM("orphans_max"), old);
		SKIP(return, "no memory cgroup");
	}
	EXPECT_EQ(0, vm_in_child(cycles_in_cgroup, NULL));
	/* Three orphans of 1 MiB, with what belongs to them. */
	left = charged_kib();
	TH_LOG("%ld KiB are charged with three orphans", left);
	EXPECT_GE(left, 3 << 10);
	vm_param(VM_PARAM("orphans_max"), old);
	vm_forget_orphans();
	/* A page of a file that nobody had read before is charged, too: have it taken back. */
	vm_echo(CG "/btap/memory.reclaim", "64M");
	left = charged_kib();
	for (int i = 0; i < 25 && left > 1024; i++) {
		usleep(200000);
		left = charged_kib();
	}
	TH_LOG("%ld KiB are charged when all are gone", left);
	/* Each cpu keeps a stock of charges, 256 KiB; a page lost a turn would be 4000. */
	EXPECT_LT(left, 1500);
	rmdir(CG "/btap");
	umount(CG);
}

TEST(module_in_use_stays)
{
	struct vm vm;

	ASSERT_EQ(0, vm_open(&vm, SIZE, "x"));
	EXPECT_EQ(-1, syscall(SYS_delete_module, "beamtap", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	vm_close(&vm);
}

TEST_HARNESS_MAIN
