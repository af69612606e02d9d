// SPDX-License-Identifier: GPL-2.0
/* lease_test.c - what readers ask for reaches the VM, and ends with them */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm.h"
#include "harness.h"

#define SIZE (16 * BTAP_PAGE)

FIXTURE(one)
{
	struct vm vm;
	int fd;
};

FIXTURE_SETUP(one)
{
	ASSERT_EQ(0, vm_open(&self->vm, SIZE, "a@host"));
	self->fd = vm_attach(self->vm.id, NULL);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(one)
{
	close(self->fd);
	vm_close(&self->vm);
}

static const struct btap_lease *lease(const struct vm *vm, unsigned int i)
{
	return (const void *)((char *)vm->lease + i * BTAP_PAGE);
}

static bool is_told(const struct vm *vm)
{
	struct pollfd p = { .fd = vm->fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

TEST_F(one, life_of_a_lease)
{
	struct btap_lease_req req = vm_lease_req("test");
	const struct btap_lease *l;
	uint64_t gen, beat;

	EXPECT_NE(0, self->vm.ctl->off_since_ns);
	EXPECT_EQ(false, is_told(&self->vm));
	req.spec = (uintptr_t)"lists:map/2 return\n";
	req.spec_len = 19;
	req.flags = BTAP_LEASE_STATE;
	req.stack[0] = 1ull << BTAP_EV_message_send;
	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	l = lease(&self->vm, req.index);
	gen = req.gen;
	EXPECT_EQ(gen, l->gen);
	EXPECT_EQ(0, gen % 2);
	EXPECT_EQ(BTAP_TTL_NS, l->ttl_ns);
	EXPECT_EQ(1ull << BTAP_EV_message_send, l->want[0]);
	EXPECT_EQ(1ull << BTAP_EV_message_send, l->stack[0]);
	EXPECT_EQ(0, l->stack[3]);
	EXPECT_EQ(BTAP_LEASE_STATE, l->flags);
	EXPECT_EQ((uint32_t)getpid(), l->pid);
	EXPECT_EQ(19, l->spec_len);
	EXPECT_EQ(0, memcmp(l->spec, "lists:map/2 return\n", 19));
	EXPECT_STREQ("test", l->who);
	EXPECT_EQ(0, self->vm.ctl->off_since_ns);
	EXPECT_EQ(1, vm_info(self->fd).nr_leases);

	EXPECT_EQ(true, is_told(&self->vm));
	EXPECT_EQ(0, vm_ioctl(self->vm.fd, BTAP_IOC_SEEN, NULL));
	EXPECT_EQ(false, is_told(&self->vm));

	beat = l->heartbeat_ns;
	usleep(1000);
	EXPECT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_BEAT, NULL));
	EXPECT_LT(beat, l->heartbeat_ns);
	EXPECT_EQ(gen, l->gen);
	EXPECT_EQ(false, is_told(&self->vm));

	req.spec_len = 0;
	req.want[1] = 6;
	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	EXPECT_EQ(gen + 2, req.gen);
	EXPECT_EQ(gen + 2, l->gen);
	EXPECT_EQ(6, l->want[1]);
	EXPECT_EQ(0, l->spec_len);
	EXPECT_EQ(true, is_told(&self->vm));
	EXPECT_EQ(0, vm_ioctl(self->vm.fd, BTAP_IOC_SEEN, NULL));

	EXPECT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_RETURN, NULL));
	EXPECT_EQ(0, l->gen);
	EXPECT_NE(0, self->vm.ctl->off_since_ns);
	EXPECT_EQ(true, is_told(&self->vm));
	EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, BTAP_IOC_RETURN, NULL));
	EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, BTAP_IOC_BEAT, NULL));
	/* The next one in this page has another number. */
	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	EXPECT_EQ(gen + 4, req.gen);
}

TEST_F(one, checks)
{
	struct btap_lease_req ok = vm_lease_req("test"), req;

	req = ok, req.ttl_ns = 999999999;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	req = ok, req.ttl_ns = 60000000001;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	req = ok, req.flags = 4;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	req = ok, req.reserved = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	req = ok, req.want[0] |= 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	req = ok, req.spec_len = BTAP_LEASE_SPEC_MAX + 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	req = ok, req.spec_len = 1, req.spec = 8;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	EXPECT_EQ(0, vm_info(self->fd).nr_leases);
	EXPECT_EQ(false, is_told(&self->vm));
	/* A whole page of functions fits. */
	req = ok, req.spec = (uintptr_t)self->vm.base, req.spec_len = BTAP_LEASE_SPEC_MAX;
	EXPECT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
}

TEST_F(one, ends_with_its_holder)
{
	struct btap_lease_req req = vm_lease_req("test");
	int up[2];
	pid_t pid;

	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	close(self->fd);
	EXPECT_EQ(0, lease(&self->vm, req.index)->gen);
	self->fd = vm_attach(self->vm.id, NULL);
	ASSERT_EQ(0, pipe(up));
	vm_ioctl(self->vm.fd, BTAP_IOC_SEEN, NULL);
	pid = fork();
	if (!pid) {
		int fd = vm_attach(self->vm.id, NULL);

		if (vm_ioctl(fd, BTAP_IOC_LEASE, &req) || write(up[1], &req, sizeof(req)) < 0)
			_exit(1);
		pause();
	}
	ASSERT_EQ(sizeof(req), read(up[0], &req, sizeof(req)));
	EXPECT_EQ(req.gen, lease(&self->vm, req.index)->gen);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(0, lease(&self->vm, req.index)->gen);
	EXPECT_EQ(true, is_told(&self->vm));
	close(up[0]);
	close(up[1]);
}

TEST_F(one, all_taken_and_expired)
{
	struct btap_lease_req req = vm_lease_req("long"), brief = vm_lease_req("brief");
	int fd[5];

	brief.ttl_ns = 1000000000;
	for (int i = 0; i < 5; i++) {
		fd[i] = vm_attach(self->vm.id, NULL);
		ASSERT_GE(fd[i], 0);
	}
	for (int i = 0; i < 4; i++) {
		struct btap_lease_req r = i == 2 ? brief : req;

		ASSERT_EQ(0, vm_ioctl(fd[i], BTAP_IOC_LEASE, &r));
		EXPECT_EQ(i, r.index);
	}
	EXPECT_EQ(-EBUSY, vm_ioctl(fd[4], BTAP_IOC_LEASE, &req));
	/* One that has a lease may change it all the same. */
	EXPECT_EQ(0, vm_ioctl(fd[0], BTAP_IOC_LEASE, &req));
	usleep(1200000);
	ASSERT_EQ(0, vm_ioctl(fd[4], BTAP_IOC_LEASE, &req));
	EXPECT_EQ(2, req.index);
	EXPECT_EQ(-ENOENT, vm_ioctl(fd[2], BTAP_IOC_BEAT, NULL));
	EXPECT_EQ(-ENOENT, vm_ioctl(fd[2], BTAP_IOC_RETURN, NULL));
	EXPECT_EQ(req.gen, lease(&self->vm, 2)->gen);
	for (int i = 0; i < 5; i++)
		close(fd[i]);
	EXPECT_EQ(0, vm_info(self->fd).nr_leases);
}

TEST_F(one, stop_when_full_has_one_holder)
{
	struct btap_lease_req a = vm_lease_req("a"), b = vm_lease_req("b");
	struct btap_tail tail = { .ring = 1, .tail = 77 };
	int fd = vm_attach(self->vm.id, NULL);

	EXPECT_EQ(-EACCES, vm_ioctl(self->fd, BTAP_IOC_TAIL, &tail));
	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &a));
	EXPECT_EQ(-EACCES, vm_ioctl(self->fd, BTAP_IOC_TAIL, &tail));
	a.flags = BTAP_LEASE_STOP;
	a.ttl_ns = 1000000000;
	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &a));
	EXPECT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_TAIL, &tail));
	EXPECT_EQ(77, self->vm.ring[1].tail);
	EXPECT_EQ(0, self->vm.ring[0].tail);
	tail.ring = 2;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, BTAP_IOC_TAIL, &tail));
	tail.ring = 0;
	b.flags = BTAP_LEASE_STOP;
	EXPECT_EQ(-EBUSY, vm_ioctl(fd, BTAP_IOC_LEASE, &b));
	usleep(1200000);
	ASSERT_EQ(0, vm_ioctl(fd, BTAP_IOC_LEASE, &b));
	EXPECT_EQ(-EACCES, vm_ioctl(self->fd, BTAP_IOC_TAIL, &tail));
	EXPECT_EQ(0, vm_ioctl(fd, BTAP_IOC_TAIL, &tail));
	EXPECT_EQ(0, lease(&self->vm, a.index)->gen);
	close(fd);
}

TEST_F(one, no_lease_on_the_dead)
{
	struct btap_lease_req req = vm_lease_req("test");

	ASSERT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	vm_close(&self->vm);
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, BTAP_IOC_BEAT, NULL));
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, BTAP_IOC_LEASE, &req));
	EXPECT_EQ(0, vm_ioctl(self->fd, BTAP_IOC_RETURN, NULL));
	ASSERT_EQ(0, vm_open(&self->vm, SIZE, "a@host"));
}

TEST_HARNESS_MAIN
