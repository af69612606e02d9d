// SPDX-License-Identifier: GPL-2.0
/* enable_test.c - a tracepoint goes on or off -> its bit in every VM's control page */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm.h"
#include "harness.h"

#define SIZE (16 * BTAP_PAGE)
#define SEND VM_EVENTS "message_send/"

FIXTURE(two)
{
	struct vm a, b;
};

FIXTURE_SETUP(two)
{
	ASSERT_EQ(0, vm_open(&self->a, SIZE, "a@host"));
	ASSERT_EQ(0, vm_open(&self->b, SIZE, "b@host"));
}

FIXTURE_TEARDOWN(two)
{
	vm_echo(VM_EVENTS "enable", "0");
	vm_close(&self->a);
	vm_close(&self->b);
}

static unsigned int on(const struct vm *vm, unsigned int event)
{
	return __atomic_load_n(&vm->ctl->on[event], __ATOMIC_RELAXED);
}

static unsigned int nr_on(const struct vm *vm)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++)
		n += !!on(vm, i);
	return n;
}

#define AS_ONE(id, ev, usdt, doc) + 1
static const unsigned int nr_events = 0 BTAP_EVENTS(AS_ONE);
#undef AS_ONE

TEST_F(two, all_vms_see_it)
{
	struct vm late;

	EXPECT_EQ(0, nr_on(&self->a));
	ASSERT_EQ(1, vm_echo(SEND "enable", "1"));
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->a, BTAP_EV_message_send));
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->b, BTAP_EV_message_send));
	EXPECT_EQ(1, nr_on(&self->a));
	/* One that comes later sees it at once, and not before it is published. */
	ASSERT_EQ(0, vm_open(&late, SIZE, "late@host"));
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&late, BTAP_EV_message_send));
	ASSERT_EQ(1, vm_echo(SEND "enable", "0"));
	EXPECT_EQ(0, nr_on(&self->a));
	EXPECT_EQ(0, nr_on(&self->b));
	EXPECT_EQ(0, nr_on(&late));
	vm_close(&late);
}

TEST_F(two, all_events)
{
	ASSERT_EQ(1, vm_echo(VM_EVENTS "enable", "1"));
	EXPECT_EQ(nr_events, nr_on(&self->a));
	EXPECT_EQ(nr_events, nr_on(&self->b));
	ASSERT_EQ(1, vm_echo(VM_EVENTS "enable", "0"));
	EXPECT_EQ(0, nr_on(&self->a));
}

TEST_F(two, other_purposes_are_left_alone)
{
	struct btap_switch sw = { .purpose = BTAP_ON_RING, .stop_when_full = 1, .nr_functions = 3 };

	sw.mask[0] = 1ull << BTAP_EV_message_send | 1ull << BTAP_EV_process_exit;
	ASSERT_EQ(0, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	EXPECT_EQ(1, self->a.ctl->stop_when_full);
	EXPECT_EQ(3, self->a.ctl->nr_functions);
	EXPECT_EQ(0, self->b.ctl->nr_functions);
	ASSERT_EQ(1, vm_echo(SEND "enable", "1"));
	EXPECT_EQ(BTAP_ON_RING | BTAP_ON_TRACEPOINT, on(&self->a, BTAP_EV_message_send));
	EXPECT_EQ(BTAP_ON_RING, on(&self->a, BTAP_EV_process_exit));
	EXPECT_EQ(0, on(&self->b, BTAP_EV_process_exit));
	sw = (struct btap_switch){ .purpose = BTAP_ON_USDT };
	sw.mask[3] = 1ull << (BTAP_EV_tap_stop - 192);
	ASSERT_EQ(0, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	EXPECT_EQ(BTAP_ON_USDT, on(&self->a, BTAP_EV_tap_stop));
	EXPECT_EQ(1, self->a.ctl->stop_when_full);
	sw = (struct btap_switch){ .purpose = BTAP_ON_STACK };
	sw.mask[0] = 1ull << BTAP_EV_process_exit;
	ASSERT_EQ(0, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	EXPECT_EQ(BTAP_ON_RING | BTAP_ON_STACK, on(&self->a, BTAP_EV_process_exit));
	sw.mask[0] = 0;
	ASSERT_EQ(0, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	EXPECT_EQ(BTAP_ON_RING, on(&self->a, BTAP_EV_process_exit));
	sw = (struct btap_switch){ .purpose = BTAP_ON_RING };
	ASSERT_EQ(0, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->a, BTAP_EV_message_send));
	EXPECT_EQ(BTAP_ON_USDT, on(&self->a, BTAP_EV_tap_stop));
	EXPECT_EQ(0, self->a.ctl->stop_when_full);
	ASSERT_EQ(1, vm_echo(SEND "enable", "0"));
	EXPECT_EQ(1, nr_on(&self->a));
}

TEST_F(two, switch_checks)
{
	struct btap_switch sw = { .purpose = BTAP_ON_TRACEPOINT };

	EXPECT_EQ(-EINVAL, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	sw.purpose = BTAP_ON_RING | BTAP_ON_USDT;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	sw.purpose = BTAP_ON_RING;
	sw.mask[0] = 1; /* event 0 is padding */
	EXPECT_EQ(-EINVAL, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	sw.mask[0] = 0;
	sw.reserved = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	sw.reserved = 0;
	sw.stop_when_full = 2;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->a.fd, BTAP_IOC_SWITCH, &sw));
	EXPECT_EQ(0, nr_on(&self->a));
}

static int perf_open(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	char buf[32];

	if (vm_cat(SEND "id", buf, sizeof(buf)) <= 0) {
		errno = ENOSYS; /* it is perf that needs the number: without perf there is none */
		return -1;
	}
	attr.config = strtoul(buf, NULL, 10);
	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static uint64_t perf_count(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

/* Tracers of several kinds: on with the first, off with the last. */
TEST_F(two, several_tracers)
{
	int perf;

	mkdir(VM_TRACING "instances/btap", 0700);
	ASSERT_EQ(1, vm_echo(SEND "enable", "1"));
	perf = perf_open();
	if (perf < 0 && errno == ENOSYS) {
		vm_echo(SEND "enable", "0");
		rmdir(VM_TRACING "instances/btap");
		SKIP(return, "this kernel has no perf");
	}
	ASSERT_GE(perf, 0);
	ASSERT_EQ(1, vm_echo(VM_TRACING "instances/btap/events/beamtap/message_send/enable", "1"));
	ASSERT_EQ(1, vm_echo(SEND "enable", "0"));
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->a, BTAP_EV_message_send));
	close(perf);
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->a, BTAP_EV_message_send));
	ASSERT_EQ(0, rmdir(VM_TRACING "instances/btap"));
	EXPECT_EQ(0, on(&self->a, BTAP_EV_message_send));
}

/* The tracer is killed: nobody says "off", and off it goes. */
TEST_F(two, killed_tracer)
{
	int up[2], status, perf = perf_open();
	pid_t pid;
	char c;

	if (perf < 0 && errno == ENOSYS)
		SKIP(return, "this kernel has no perf");
	close(perf);
	ASSERT_EQ(0, pipe(up));
	pid = fork();
	if (!pid) {
		c = perf_open() >= 0 ? 'y' : 'n';
		if (write(up[1], &c, 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1, read(up[0], &c, 1));
	ASSERT_EQ('y', c);
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->b, BTAP_EV_message_send));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	for (int i = 0; i < 100 && on(&self->b, BTAP_EV_message_send); i++)
		usleep(20000);
	EXPECT_EQ(0, on(&self->b, BTAP_EV_message_send));
	EXPECT_EQ(0, on(&self->a, BTAP_EV_message_send));
	close(up[0]);
	close(up[1]);
}

/* The dead are not written any more; what the last events were is not changed either. */
TEST_F(two, dead_region)
{
	struct btap_info info;
	const struct btap_ctl *ctl;
	unsigned char *p;
	int fd = vm_attach(self->a.id, &info);

	ASSERT_GE(fd, 0);
	p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	ctl = (void *)(p + self->a.req.ctl_off);
	vm_close(&self->a);
	ASSERT_EQ(1, vm_echo(SEND "enable", "1"));
	EXPECT_EQ(0, ctl->on[BTAP_EV_message_send]);
	EXPECT_EQ(BTAP_ON_TRACEPOINT, on(&self->b, BTAP_EV_message_send));
	munmap(p, SIZE);
	close(fd);
	ASSERT_EQ(0, vm_open(&self->a, SIZE, "a@host"));
}

TEST_F(two, fired_and_not_wanted)
{
	struct btap_info info;
	int perf;

	EXPECT_EQ(0, vm_send(&self->a, 1));
	info = vm_info(self->a.fd);
	EXPECT_EQ(0, info.fired);
	EXPECT_EQ(1, info.refused);
	perf = perf_open();
	if (perf < 0 && errno == ENOSYS)
		SKIP(return, "this kernel has no perf");
	ASSERT_GE(perf, 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(0, vm_send(&self->a, i));
	EXPECT_EQ(10, vm_info(self->a.fd).fired);
	EXPECT_EQ(0, vm_info(self->b.fd).fired);
	EXPECT_GE(10, perf_count(perf)); /* of one cpu */
	close(perf);
	EXPECT_EQ(0, vm_send(&self->a, 1));
	EXPECT_EQ(10, vm_info(self->a.fd).fired);
	EXPECT_EQ(2, vm_info(self->a.fd).refused);
}

TEST_F(two, filters_on_fields)
{
	static char buf[1 << 16];
	const char *filters[] = {
		"sender == \"<0.80.0>\" && size > 7", /* 8, 9 */
		"receiver ~ \"<0.8*\" && size < 2",   /* 0, 1 */
		"region == 0",			      /* none */
		"msg == 1 && token_label == -2147483648 && size == 5",
	};
	const int want[] = { 2, 2, 0, 1 };

	for (int f = 0; f < 4; f++) {
		int n = 0;

		vm_echo(VM_TRACING "trace", "");
		ASSERT_LT(0, vm_echo(SEND "filter", filters[f]));
		ASSERT_EQ(1, vm_echo(SEND "enable", "1"));
		for (int i = 0; i < 10; i++)
			EXPECT_EQ(0, vm_send(&self->a, i));
		ASSERT_EQ(1, vm_echo(SEND "enable", "0"));
		vm_echo(SEND "filter", "0");
		vm_cat(VM_TRACING "trace", buf, sizeof(buf));
		for (char *p = buf; (p = strstr(p, ": message_send:")); p++)
			n++;
		EXPECT_EQ(want[f], n) { TH_LOG("filter %s", filters[f]); }
	}
}

TEST_HARNESS_MAIN
