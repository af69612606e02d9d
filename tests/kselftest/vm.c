// SPDX-License-Identifier: GPL-2.0
/* vm.c - plays a VM and a reader on /dev/beamtap, for tests */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../lib/facts.h"
#include "vm.h"

int vm_ioctl(int fd, unsigned long cmd, void *arg)
{
	int r = ioctl(fd, cmd, arg);

	return r < 0 ? -errno : r;
}

struct btap_new vm_layout(size_t size)
{
	struct btap_new req = {
		.abi = BTAP_ABI,
		.size = size,
		.ctl_off = 1 * BTAP_PAGE,
		.lease_off = 2 * BTAP_PAGE,
		.nr_leases = 4,
		.ring_off = 6 * BTAP_PAGE,
		.nr_rings = 2,
	};

	return req;
}

struct btap_facts vm_facts(const char *node)
{
	struct btap_facts f = {
		FACTS_OTP_25,
		.way = BTAP_WAY_HOOKS,
		.jit = 1,
		.os_pid = getpid(),
		.nr_schedulers = 1,
		.emulator = "vm.c",
		.writer = "kselftest",
	};

	snprintf(f.node, sizeof(f.node), "%s", node);
	return f;
}

int vm_open(struct vm *vm, size_t size, const char *node)
{
	struct btap_facts facts = vm_facts(node);
	int r;

	memset(vm, 0, sizeof(*vm));
	vm->base = MAP_FAILED;
	vm->fd = open(BTAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (vm->fd < 0)
		return -errno;
	vm->req = vm_layout(size);
	r = vm_ioctl(vm->fd, BTAP_IOC_NEW, &vm->req);
	if (r)
		goto close;
	vm->id = vm->req.id;
	vm->size = size;
	vm->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vm->fd, 0);
	if (vm->base == MAP_FAILED) {
		r = -errno;
		goto close;
	}
	vm->ctl = (void *)(vm->base + vm->req.ctl_off);
	vm->lease = (void *)(vm->base + vm->req.lease_off);
	vm->ring = (void *)(vm->base + vm->req.ring_off);
	r = vm_ioctl(vm->fd, BTAP_IOC_PUBLISH, &facts);
	if (!r)
		return 0;
close:
	vm_close(vm);
	return r;
}

void vm_close(struct vm *vm)
{
	if (vm->base != MAP_FAILED)
		munmap(vm->base, vm->size);
	close(vm->fd);
	vm->base = MAP_FAILED;
	vm->fd = -1;
}

int vm_string(struct vm *vm, unsigned int kind, uint64_t key, const char *text)
{
	size_t len = strlen(text), total = (sizeof(struct btap_string) + len + 7) & ~7ul;
	struct btap_string *s = calloc(1, total);
	struct btap_strings req = { .data = (uintptr_t)s, .len = total };
	int r;

	s->key = key;
	s->kind = kind;
	s->len = len;
	memcpy(s->text, text, len);
	r = vm_ioctl(vm->fd, BTAP_IOC_STRINGS, &req);
	free(s);
	return r;
}

int vm_put(struct vm *vm, const uint64_t *words, unsigned int nr)
{
	ssize_t n = write(vm->fd, words, nr * 8);

	if (n < 0)
		return -errno;
	return n == (ssize_t)nr * 8 ? 0 : -EIO;
}

int vm_send(struct vm *vm, uint64_t size)
{
	const uint64_t w[] = { BTAP_HEAD(BTAP_EV_message_send, 5, 0), VM_PID(80, 0), VM_PID(81, 0),
			       size, 1 };

	return vm_put(vm, w, 5);
}

int vm_attach(uint32_t id, struct btap_info *info)
{
	struct btap_info own = { .id = id };
	int fd = open(BTAP_DEVICE, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = vm_ioctl(fd, BTAP_IOC_ATTACH, &own);
	if (r) {
		close(fd);
		return r;
	}
	if (info)
		*info = own;
	return fd;
}

struct btap_info vm_info(int fd)
{
	struct btap_info info = { 0 };

	if (ioctl(fd, BTAP_IOC_INFO, &info))
		info.id = 0;
	return info;
}

struct btap_lease_req vm_lease_req(const char *who)
{
	struct btap_lease_req req = { .ttl_ns = BTAP_TTL_NS };

	snprintf(req.who, sizeof(req.who), "%s", who);
	req.want[0] = 1ull << BTAP_EV_message_send;
	return req;
}

ssize_t vm_echo(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}

ssize_t vm_cat(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	close(fd);
	buf[len] = '\0';
	return len;
}

unsigned int vm_param(const char *path, unsigned int value)
{
	char buf[32];
	unsigned int old = 0;

	if (vm_cat(path, buf, sizeof(buf)) > 0)
		old = strtoul(buf, NULL, 10);
	snprintf(buf, sizeof(buf), "%u", value);
	vm_echo(path, buf);
	return old;
}

uint64_t vm_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

int vm_nr_listed(void)
{
	static char buf[1 << 18];
	int n = -1; /* the head line */

	vm_cat("/sys/kernel/debug/beamtap/regions", buf, sizeof(buf));
	for (char *p = buf; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

void vm_forget_orphans(void)
{
	unsigned int old = vm_param(VM_PARAM("orphans_max"), 0);
	struct vm vm;

	vm_open(&vm, 16 * BTAP_PAGE, "none");
	vm_close(&vm);
	vm_param(VM_PARAM("orphans_max"), old);
}

int vm_in_child(int (*f)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(f(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
