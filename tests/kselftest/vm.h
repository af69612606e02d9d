/* SPDX-License-Identifier: GPL-2.0 */
/* vm.h - plays a VM and a reader on /dev/beamtap, for tests */
#ifndef BTAP_VM_H
#define BTAP_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <beamtap/ioctl.h>

#define VM_PID(number, serial) ((uint64_t)(number) << 4 | (uint64_t)(serial) << 19 | BTAP_TAG_PID)
#define VM_PORT(number)	       ((uint64_t)(number) << 4 | BTAP_TAG_PORT)

struct vm {
	int fd;
	uint32_t id;
	unsigned char *base;
	size_t size;
	struct btap_ctl *ctl;
	struct btap_lease *lease; /* page 0; the others BTAP_PAGE apart */
	struct btap_ring *ring;
	struct btap_new req;
};

/* A small region: header, control page, 4 leases, 2 rings, data; as BTAP_IOC_NEW takes it. */
struct btap_new vm_layout(size_t size);
struct btap_facts vm_facts(const char *node);
/* Make, map, publish.  Return: 0 or -errno */
int vm_open(struct vm *vm, size_t size, const char *node);
void vm_close(struct vm *vm);
/* Define strings.  Return: 0 or -errno */
int vm_string(struct vm *vm, unsigned int kind, uint64_t key, const char *text);
/* write() a record of @nr words, header included.  Return: 0 or -errno */
int vm_put(struct vm *vm, const uint64_t *words, unsigned int nr);
/* A message_send of @size words from <0.80.0> to <0.81.0>. */
int vm_send(struct vm *vm, uint64_t size);

/* A reader of region @id.  Return: descriptor or -errno */
int vm_attach(uint32_t id, struct btap_info *info);
struct btap_info vm_info(int fd);
struct btap_lease_req vm_lease_req(const char *who);
/* ioctl() that returns -errno */
int vm_ioctl(int fd, unsigned long cmd, void *arg);

/* Write a text into a file; read one.  Return: bytes or -errno */
ssize_t vm_echo(const char *path, const char *text);
ssize_t vm_cat(const char *path, char *buf, size_t size);
#define VM_TRACING  "/sys/kernel/tracing/"
#define VM_EVENTS   VM_TRACING "events/beamtap/"
#define VM_PARAM(p) "/sys/module/beamtap/parameters/" p
/* Set a module parameter; return what it was. */
unsigned int vm_param(const char *path, unsigned int value);
uint64_t vm_now_ns(void);

/* Regions that debugfs lists. */
int vm_nr_listed(void);
/* Drop what dead VMs have left. */
void vm_forget_orphans(void);
/* Run @f in a child.  Return: its result, 128 + the signal that ended it, -1 */
int vm_in_child(int (*f)(void *), void *arg);

#endif /* BTAP_VM_H */
