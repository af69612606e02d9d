// SPDX-License-Identifier: Apache-2.0
/* func.c - D's functions that are not about strings, and the table of all */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "drun/ctx.h"
#include "drun/func.h"
#include "drun/spec.h"

static uint64_t do_alloca(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	uint64_t at = mem_scratch(&vm->mem, args[0]);

	return at ? at : vm_fail(vm, DPROG_F_NOSCRATCH, args[0]);
}

static uint64_t do_bcopy(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t from_room, to_room = mem_room(&vm->mem, args[1]);
	const char *from = ctx_bytes_at(vm, args[0], &from_room);
	uint64_t n = args[2];

	if (!n)
		return 0;
	if (!to_room)
		return vm_fail(vm, DPROG_F_BADADDR, args[1]);
	if (n > to_room)
		return vm_fail(vm, DPROG_F_BADSIZE, n);
	if (!from || n > from_room + 1) /* a string's NUL is there too */
		return vm_fail(vm, from ? DPROG_F_BADSIZE : DPROG_F_BADADDR, from ? n : args[0]);
	memmove(mem_at(&vm->mem, args[1], n), from, n > from_room ? from_room : n);
	return 0;
}

static uint64_t copy_in(struct vm *vm, uint64_t addr, uint64_t n, uint64_t to)
{
	size_t room;
	const char *from = ctx_bytes_at(vm, addr, &room);
	char *p = mem_at(&vm->mem, to, n);

	if (!from)
		return vm_fail(vm, DPROG_F_BADADDR, addr);
	if (!p)
		return vm_fail(vm, DPROG_F_BADADDR, to);
	memcpy(p, from, n > room ? room : n); /* behind a string's end there are zeros */
	return to;
}

static uint64_t do_copyin(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	uint64_t at;

	if (args[1] > vm->mem.scratch_size)
		return vm_fail(vm, DPROG_F_BADSIZE, args[1]);
	at = mem_scratch(&vm->mem, args[1]);
	if (!at)
		return vm_fail(vm, DPROG_F_NOSCRATCH, args[1]);
	return copy_in(vm, args[0], args[1], at);
}

static uint64_t do_copyinto(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return copy_in(vm, args[0], args[1], args[2]);
}

static uint64_t do_copyinstr(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return vm_string_at(vm, args[0], nr > 1 ? args[1] : 0);
}

/* An event is over when it is read: nothing can be written into its process. */
static uint64_t do_copyout(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return vm_fail(vm, DPROG_F_BADADDR, args[1]);
}

static uint64_t do_d_path(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return vm_fail(vm, DPROG_F_BADADDR, args[0]);
}

static uint64_t do_getmajor(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return args[0] >> 20 & 0xfff;
}

static uint64_t do_getminor(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return args[0] & 0xfffff;
}

static uint64_t swap16(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return htobe16((uint16_t)args[0]);
}

static uint64_t swap32(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return htobe32((uint32_t)args[0]);
}

static uint64_t swap64(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return htobe64(args[0]);
}

static uint64_t address_text(struct vm *vm, int family, uint64_t addr)
{
	size_t need = family == AF_INET ? 4 : 16, room;
	const char *p = ctx_bytes_at(vm, addr, &room);
	char buf[INET6_ADDRSTRLEN];

	if (!p || room < need)
		return vm_fail(vm, DPROG_F_BADADDR, addr);
	if (!inet_ntop(family, p, buf, sizeof(buf)))
		return vm_fail(vm, DPROG_F_ILLOP, (uint64_t)family);
	return vm_new_text(vm, buf, strlen(buf));
}

static uint64_t do_inet_ntoa(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return address_text(vm, AF_INET, args[0]);
}

static uint64_t do_inet_ntoa6(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return address_text(vm, AF_INET6, args[0]);
}

static uint64_t do_inet_ntop(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	int family = (int)args[0];

	if (family != AF_INET && family != AF_INET6)
		return vm_fail(vm, DPROG_F_ILLOP, args[0]);
	return address_text(vm, family, args[1]);
}

#define ARP_ETHER 1

static uint64_t do_link_ntop(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t room;
	const unsigned char *p = (const unsigned char *)ctx_bytes_at(vm, args[1], &room);
	char buf[20];

	if ((int)args[0] != ARP_ETHER)
		return vm_fail(vm, DPROG_F_ILLOP, args[0]);
	if (!p || room < 6)
		return vm_fail(vm, DPROG_F_BADADDR, args[1]);
	snprintf(buf, sizeof(buf), "%02x:%02x:%02x:%02x:%02x:%02x", p[0], p[1], p[2], p[3], p[4], p[5]);
	return vm_new_text(vm, buf, strlen(buf));
}

static uint64_t do_progenyof(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return vm->env.progenyof ? vm->env.progenyof(vm->env.ctx, vm, (int32_t)args[0]) : 0;
}

static uint64_t do_rand(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	uint64_t x = vm->seed += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (uint64_t)(int64_t)(int32_t)(x >> 32);
}

static uint64_t do_speculation(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return spec_take(vm->spec);
}

static func_fn *const funcs[DPROG_NR_FNS] = {
	[DPROG_FN_ALLOCA] = do_alloca,
	[DPROG_FN_BASENAME] = func_str_basename,
	[DPROG_FN_BCOPY] = do_bcopy,
	[DPROG_FN_CLEANPATH] = func_str_cleanpath,
	[DPROG_FN_COPYIN] = do_copyin,
	[DPROG_FN_COPYINSTR] = do_copyinstr,
	[DPROG_FN_COPYINTO] = do_copyinto,
	[DPROG_FN_COPYOUT] = do_copyout,
	[DPROG_FN_COPYOUTSTR] = do_copyout,
	[DPROG_FN_DIRNAME] = func_str_dirname,
	[DPROG_FN_D_PATH] = do_d_path,
	[DPROG_FN_GETMAJOR] = do_getmajor,
	[DPROG_FN_GETMINOR] = do_getminor,
	[DPROG_FN_HTONL] = swap32,
	[DPROG_FN_HTONLL] = swap64,
	[DPROG_FN_HTONS] = swap16,
	[DPROG_FN_INDEX] = func_str_index,
	[DPROG_FN_INET_NTOA] = do_inet_ntoa,
	[DPROG_FN_INET_NTOA6] = do_inet_ntoa6,
	[DPROG_FN_INET_NTOP] = do_inet_ntop,
	[DPROG_FN_LINK_NTOP] = do_link_ntop,
	[DPROG_FN_LLTOSTR] = func_str_lltostr,
	[DPROG_FN_NTOHL] = swap32,
	[DPROG_FN_NTOHLL] = swap64,
	[DPROG_FN_NTOHS] = swap16,
	[DPROG_FN_PROGENYOF] = do_progenyof,
	[DPROG_FN_RAND] = do_rand,
	[DPROG_FN_RINDEX] = func_str_rindex,
	[DPROG_FN_SPECULATION] = do_speculation,
	[DPROG_FN_STRCHR] = func_str_strchr,
	[DPROG_FN_STRJOIN] = func_str_strjoin,
	[DPROG_FN_STRLEN] = func_str_strlen,
	[DPROG_FN_STRRCHR] = func_str_strrchr,
	[DPROG_FN_STRSTR] = func_str_strstr,
	[DPROG_FN_STRTOK] = func_str_strtok,
	[DPROG_FN_STRTOLL] = func_str_strtoll,
	[DPROG_FN_SUBSTR] = func_str_substr,
	[DPROG_FN_TOLOWER] = func_str_tolower,
	[DPROG_FN_TOUPPER] = func_str_toupper,
};

uint64_t func_call(struct vm *vm, enum dprog_fn id, const uint64_t *args, unsigned int nr)
{
	if ((unsigned int)id >= DPROG_NR_FNS || !funcs[id])
		return vm_fail(vm, DPROG_F_ILLOP, (uint64_t)id);
	return funcs[id](vm, args, nr);
}
