// SPDX-License-Identifier: GPL-2.0
/* region_test.c - a VM's memory: make, map, publish, die, who may read */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>
#include "vm.h"
#include "harness.h"

#define SIZE (16 * BTAP_PAGE)
#define NOBODY 65534

static int new_with(struct btap_new req)
{
	int fd = open(BTAP_DEVICE, O_RDWR), r;

	r = vm_ioctl(fd, BTAP_IOC_NEW, &req);
	close(fd);
	return r;
}

TEST(new_checks)
{
	struct btap_new ok = vm_layout(SIZE), req;

	EXPECT_EQ(0, new_with(ok));
	req = ok, req.abi = BTAP_ABI + 1;
	EXPECT_EQ(-EPROTONOSUPPORT, new_with(req));
	req = ok, req.id = 1;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.reserved[1] = 1;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.size = 0;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.size += 8;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.size = BTAP_REGION_MAX + BTAP_PAGE;
	EXPECT_EQ(-E2BIG, new_with(req));
	req = ok, req.size = 1ull << 63;
	EXPECT_EQ(-E2BIG, new_with(req));
	req = ok, req.ctl_off = SIZE;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.ctl_off = 0ull - BTAP_PAGE;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.ctl_off += 64;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.ctl_off = req.lease_off + BTAP_PAGE;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.lease_off = SIZE - 3 * BTAP_PAGE;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.nr_leases = 0;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.nr_leases = BTAP_MAX_LEASES + 1;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.ring_off = req.lease_off;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.nr_rings = 0;
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.nr_rings = BTAP_MAX_RINGS; /* 48 pages do not fit */
	EXPECT_EQ(-EINVAL, new_with(req));
	req = ok, req.nr_rings = BTAP_MAX_RINGS + 1;
	EXPECT_EQ(-EINVAL, new_with(req));
}

TEST(parts_are_settled_once)
{
	struct btap_new req = vm_layout(SIZE);
	struct btap_info info = { 0 };
	struct vm vm;
	int fd;

	ASSERT_EQ(0, vm_open(&vm, SIZE, "a@b"));
	EXPECT_EQ(-EINVAL, vm_ioctl(vm.fd, BTAP_IOC_NEW, &req));
	info.id = vm.id;
	EXPECT_EQ(-EINVAL, vm_ioctl(vm.fd, BTAP_IOC_ATTACH, &info));
	EXPECT_EQ(-EINVAL, vm_ioctl(vm.fd, BTAP_IOC_NEXT, &info));
	EXPECT_EQ(-EINVAL, vm_ioctl(vm.fd, BTAP_IOC_BEAT, NULL));
	fd = vm_attach(vm.id, &info);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, vm_ioctl(fd, BTAP_IOC_NEW, &req));
	EXPECT_EQ(-EINVAL, vm_ioctl(fd, BTAP_IOC_ATTACH, &info));
	EXPECT_EQ(-EINVAL, vm_ioctl(fd, BTAP_IOC_SEEN, NULL));
	EXPECT_EQ(-ENOTTY, vm_ioctl(fd, _IO(BTAP_IOC_MAGIC, 0x7f), NULL));
	EXPECT_EQ(-EFAULT, vm_ioctl(fd, BTAP_IOC_INFO, (void *)8));
	close(fd);
	vm_close(&vm);
}

TEST(reader_sees_what_the_vm_writes)
{
	unsigned char *p;
	struct btap_info info;
	struct vm vm;
	int fd;

	ASSERT_EQ(0, vm_open(&vm, SIZE, "a@b"));
	for (size_t i = 0; i < SIZE; i += 64)
		if (i < vm.req.ctl_off || i >= vm.req.ctl_off + BTAP_PAGE)
			ASSERT_EQ(0, vm.base[i]);
	vm.base[SIZE - 1] = 42;
	fd = vm_attach(vm.id, &info);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(SIZE, info.size);
	EXPECT_EQ((uint32_t)getpid(), info.os_pid);
	EXPECT_EQ(getuid(), info.uid);
	EXPECT_EQ(1, info.is_alive);
	EXPECT_EQ(1, info.nr_readers);
	p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(42, p[SIZE - 1]);
	vm.base[0] = 7;
	EXPECT_EQ(7, p[0]);
	/* A reader's mapping can never be written. */
	EXPECT_EQ(-1, mprotect(p, SIZE, PROT_READ | PROT_WRITE));
	/* What was thrown away is fetched again, not zero. */
	EXPECT_EQ(0, madvise(p, SIZE, MADV_DONTNEED));
	EXPECT_EQ(42, p[SIZE - 1]);
	munmap(p, SIZE);
	close(fd);
	fd = open(BTAP_DEVICE, O_RDWR);
	memset(&info, 0, sizeof(info));
	info.id = vm.id;
	ASSERT_EQ(0, vm_ioctl(fd, BTAP_IOC_ATTACH, &info));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(EPERM, errno);
	p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, SIZE, PROT_READ | PROT_WRITE));
	munmap(p, SIZE);
	close(fd);
	vm_close(&vm);
}

TEST(odd_mappings)
{
	unsigned char *p;
	struct vm vm;
	int fd;

	fd = open(BTAP_DEVICE, O_RDWR);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0));
	close(fd);
	ASSERT_EQ(0, vm_open(&vm, SIZE, "a@b"));
	fd = vm.fd;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE + BTAP_PAGE, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, BTAP_PAGE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, BTAP_PAGE, PROT_READ, MAP_SHARED, fd, SIZE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, BTAP_PAGE, PROT_READ, MAP_SHARED, fd, 1ll << 50));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, BTAP_PAGE, PROT_READ, MAP_SHARED, fd,
				   0x7ffffffffffff000ll));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 1ul << 40, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0));
	/* A part, in the middle: the last page, then moved, then split. */
	p = mmap(NULL, 4 * BTAP_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, SIZE - 4 * BTAP_PAGE);
	ASSERT_NE(MAP_FAILED, p);
	vm.base[SIZE - 1] = 9;
	EXPECT_EQ(9, p[4 * BTAP_PAGE - 1]);
	EXPECT_EQ(MAP_FAILED, mremap(p, 4 * BTAP_PAGE, 8 * BTAP_PAGE, MREMAP_MAYMOVE));
	p = mremap(p, 4 * BTAP_PAGE, 4 * BTAP_PAGE, MREMAP_MAYMOVE);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0, munmap(p + BTAP_PAGE, BTAP_PAGE));
	EXPECT_EQ(9, p[4 * BTAP_PAGE - 1]);
	munmap(p, 4 * BTAP_PAGE);
	vm_close(&vm);
}

static int child_uses(void *arg)
{
	struct vm *vm = arg;
	struct btap_facts facts = vm_facts("child");
	struct btap_strings strings = { 0 };
	struct btap_switch sw = { .purpose = BTAP_ON_RING };
	unsigned char vec;

	/* The mapping is not there. */
	if (mincore(vm->base, BTAP_PAGE, &vec) != -1 || errno != ENOMEM)
		return 1;
	if (vm_send(vm, 1) != -EPERM)
		return 2;
	if (vm_ioctl(vm->fd, BTAP_IOC_PUBLISH, &facts) != -EPERM ||
	    vm_ioctl(vm->fd, BTAP_IOC_STRINGS, &strings) != -EPERM ||
	    vm_ioctl(vm->fd, BTAP_IOC_SWITCH, &sw) != -EPERM ||
	    vm_ioctl(vm->fd, BTAP_IOC_SEEN, NULL) != -EPERM)
		return 3;
	if (mmap(NULL, SIZE, PROT_READ, MAP_SHARED, vm->fd, 0) != MAP_FAILED || errno != EPERM)
		return 4;
	/* Its close is not the VM's death. */
	close(vm->fd);
	return 0;
}

TEST(child_of_fork_may_not)
{
	struct vm vm;

	ASSERT_EQ(0, vm_open(&vm, SIZE, "a@b"));
	EXPECT_EQ(0, vm_in_child(child_uses, &vm));
	EXPECT_EQ(1, vm_info(vm.fd).is_alive);
	EXPECT_EQ(0, vm_send(&vm, 1));
	vm_close(&vm);
}

/* A VM that lives until told otherwise. */
static pid_t start_vm(struct vm *vm, int how, int *go)
{
	int up[2], down[2];
	pid_t pid;

	if (pipe(up) || pipe(down))
		return -1;
	pid = fork();
	if (!pid) {
		char c;

		close(up[0]);
		close(down[1]);
		if (vm_open(vm, SIZE, "child@host"))
			_exit(1);
		if (how == 'f') {
			/* Leave a grandchild that holds the descriptor for a while. */
			if (!fork()) {
				close(up[1]);
				sleep(2);
				_exit(0);
			}
		}
		if (write(up[1], &vm->id, sizeof(vm->id)) != sizeof(vm->id) ||
		    read(down[0], &c, 1) < 0)
			_exit(1);
		if (how == 'e') {
			char *argv[] = { "sleep", "2", NULL };

			execv("/bin/sleep", argv);
		}
		if (how == 'c') {
			close(vm->fd); /* the mapping stays */
			sleep(2);
		}
		_exit(0);
	}
	close(up[1]);
	close(down[0]);
	if (read(up[0], &vm->id, sizeof(vm->id)) != sizeof(vm->id))
		return -1;
	close(up[0]);
	*go = down[1];
	return pid;
}

/* However the VM ends, a reader sees it at once, and reads on. */
TEST(death)
{
	const char ways[] = "xkecf"; /* exit, kill, exec, close, exit with a grandchild */

	/* The grandchild is to be gone in the end, for rmmod. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (const char *way = ways; *way; way++) {
		struct btap_info info;
		unsigned char *p;
		struct pollfd pfd;
		struct vm vm;
		int go = -1, fd;
		pid_t pid = start_vm(&vm, *way, &go);

		ASSERT_GT(pid, 0);
		fd = vm_attach(vm.id, &info);
		ASSERT_GE(fd, 0);
		EXPECT_EQ((uint32_t)pid, info.os_pid);
		p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, p);
		pfd.fd = fd;
		pfd.events = POLLIN;
		EXPECT_EQ(0, poll(&pfd, 1, 0));
		if (*way == 'k')
			kill(pid, SIGKILL);
		else
			ASSERT_EQ(1, write(go, "x", 1));
		EXPECT_EQ(1, poll(&pfd, 1, 1500)) { TH_LOG("way %c", *way); }
		EXPECT_EQ(POLLHUP, pfd.revents & POLLHUP);
		info = vm_info(fd);
		EXPECT_EQ(0, info.is_alive);
		EXPECT_NE(0, info.died_ns);
		EXPECT_EQ(0, p[SIZE - 1]);
		munmap(p, SIZE);
		close(fd);
		/* It can be found and read when it is dead. */
		fd = vm_attach(vm.id, &info);
		EXPECT_GE(fd, 0);
		close(fd);
		close(go);
		waitpid(pid, NULL, 0);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static int walk(uint32_t *ids, int max)
{
	struct btap_info info = { .id = 1 };
	int fd = open(BTAP_DEVICE, O_RDONLY), n = 0;

	while (n < max && !vm_ioctl(fd, BTAP_IOC_NEXT, &info)) {
		ids[n++] = info.id;
		info.id++;
	}
	close(fd);
	return n;
}

TEST(next_walks_in_order)
{
	uint32_t ids[64];
	struct vm a, b, c;
	int n;

	vm_forget_orphans();
	ASSERT_EQ(0, vm_open(&a, SIZE, "a"));
	ASSERT_EQ(0, vm_open(&b, SIZE, "b"));
	ASSERT_EQ(0, vm_open(&c, SIZE, "c"));
	n = walk(ids, 64);
	ASSERT_EQ(3, n);
	EXPECT_EQ(a.id, ids[0]);
	EXPECT_EQ(b.id, ids[1]);
	EXPECT_EQ(c.id, ids[2]);
	vm_close(&b);
	EXPECT_EQ(3, walk(ids, 64)); /* an orphan is there, too */
	vm_close(&a);
	vm_close(&c);
}

TEST(unpublished_is_not_seen)
{
	struct btap_new req = vm_layout(SIZE);
	uint64_t w[2] = { BTAP_HEAD(BTAP_EV_port_busy, 2, 0), VM_PORT(1) };
	int fd = open(BTAP_DEVICE, O_RDWR), before = vm_nr_listed();

	ASSERT_EQ(0, vm_ioctl(fd, BTAP_IOC_NEW, &req));
	EXPECT_EQ(-ENOENT, vm_attach(req.id, NULL));
	EXPECT_EQ(-1, write(fd, w, sizeof(w)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(before + 1, vm_nr_listed());
	close(fd);
	EXPECT_EQ(before, vm_nr_listed());
}

TEST(facts_that_would_shift_too_far)
{
	struct btap_new req = vm_layout(SIZE);
	struct btap_facts f = vm_facts("a");
	int fd = open(BTAP_DEVICE, O_RDWR);

	ASSERT_EQ(0, vm_ioctl(fd, BTAP_IOC_NEW, &req));
	f.pid_shift = 60;
	EXPECT_EQ(-EINVAL, vm_ioctl(fd, BTAP_IOC_PUBLISH, &f));
	f = vm_facts("a");
	f.port_number_bits = 64;
	EXPECT_EQ(-EINVAL, vm_ioctl(fd, BTAP_IOC_PUBLISH, &f));
	f = vm_facts("a");
	f.pid_serial_bits = 255;
	EXPECT_EQ(-EINVAL, vm_ioctl(fd, BTAP_IOC_PUBLISH, &f));
	f = vm_facts("a");
	EXPECT_EQ(0, vm_ioctl(fd, BTAP_IOC_PUBLISH, &f));
	f.pid_shift = 200; /* the second time only the node's name counts */
	EXPECT_EQ(0, vm_ioctl(fd, BTAP_IOC_PUBLISH, &f));
	close(fd);
}

static int drop_caps_and_attach(void *arg)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { 0 };
	struct vm *vm = arg;
	uint32_t ids[64];
	int perfmon = vm->req.reserved[0], fd;

	if (perfmon && prctl(PR_SET_KEEPCAPS, 1))
		return 1;
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 2;
	if (perfmon) {
		d[CAP_PERFMON / 32].effective = d[CAP_PERFMON / 32].permitted =
			1u << CAP_PERFMON % 32;
		if (syscall(SYS_capset, &h, d))
			return 3;
	}
	fd = vm_attach(vm->id, NULL);
	if (perfmon)
		return fd >= 0 ? 0 : 4;
	return fd == -EACCES && walk(ids, 64) == 0 ? 0 : 5;
}

static int nobody_opens(void *arg)
{
	struct vm *vm = arg;
	struct vm own;
	struct btap_info info;
	int fd;

	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (vm_open(&own, SIZE, "nobody"))
		return 2;
	fd = vm_attach(own.id, &info);
	if (fd < 0 || info.uid != NOBODY)
		return 3;
	return vm_attach(vm->id, NULL) == -EACCES ? 0 : 4;
}

TEST(rights)
{
	struct vm vm;

	vm_forget_orphans();
	ASSERT_EQ(0, vm_open(&vm, SIZE, "root"));
	vm.req.reserved[0] = 0;
	EXPECT_EQ(0, vm_in_child(drop_caps_and_attach, &vm));
	vm.req.reserved[0] = 1;
	EXPECT_EQ(0, vm_in_child(drop_caps_and_attach, &vm));
	EXPECT_EQ(0, vm_in_child(nobody_opens, &vm));
	vm_close(&vm);
	vm_forget_orphans();
}

TEST_HARNESS_MAIN
