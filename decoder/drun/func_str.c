// SPDX-License-Identifier: Apache-2.0
/*
 * func_str.c - D's functions on strings
 *
 * A NULL string is an address that cannot be read: a fault, but for strtok(),
 * which goes on with the string it had.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "drun/func.h"

/* Text of argument @s; NULL with a fault. */
static const char *text(struct vm *vm, uint64_t s, size_t *len)
{
	if (!s) {
		*len = 0;
		vm_fail(vm, DPROG_F_BADADDR, 0);
		return NULL;
	}
	return vm_text(vm, s, len);
}

static const char *find(const char *hay, size_t n, const char *needle, size_t m)
{
	return m ? memmem(hay, n, needle, m) : hay;
}

static const char *find_last(const char *hay, size_t n, const char *needle, size_t m)
{
	if (m > n)
		return NULL;
	for (const char *p = hay + (n - m);; p--) {
		if (!memcmp(p, needle, m))
			return p;
		if (p == hay)
			return NULL;
	}
}

uint64_t func_str_strlen(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n;

	return text(vm, args[0], &n) ? n : 0;
}

uint64_t func_str_strjoin(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, m;
	const char *a = text(vm, args[0], &n), *b = a ? text(vm, args[1], &m) : NULL;
	struct str *s;
	char *to;

	if (!b)
		return 0;
	if (n + m >= vm->opts.strsize)
		m = vm->opts.strsize - 1 - n;
	s = str_temp(&vm->pool, n + m, &to);
	if (!s)
		return vm_fail(vm, DPROG_F_NOSCRATCH, n + m);
	memcpy(to, a, n);
	memcpy(to + n, b, m);
	return str_word(s);
}

uint64_t func_str_strchr(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n;
	const char *s = text(vm, args[0], &n), *p = s ? memchr(s, (char)args[1], n) : NULL;

	return p ? vm_new_text(vm, p, n - (size_t)(p - s)) : 0;
}

uint64_t func_str_strrchr(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n;
	const char *s = text(vm, args[0], &n), *p = s ? memrchr(s, (char)args[1], n) : NULL;

	return p ? vm_new_text(vm, p, n - (size_t)(p - s)) : 0;
}

uint64_t func_str_strstr(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, m;
	const char *s = text(vm, args[0], &n), *needle = s ? text(vm, args[1], &m) : NULL, *p;

	if (!needle)
		return 0;
	p = find(s, n, needle, m);
	return p ? vm_new_text(vm, p, n - (size_t)(p - s)) : 0;
}

uint64_t func_str_index(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, m;
	const char *s = text(vm, args[0], &n), *needle = s ? text(vm, args[1], &m) : NULL, *p;
	int64_t from = nr > 2 ? (int32_t)args[2] : 0;

	if (!needle)
		return 0;
	if (from < 0)
		from = 0;
	if ((uint64_t)from > n)
		return m ? (uint64_t)-1 : n;
	p = find(s + from, n - (size_t)from, needle, m);
	return p ? (uint64_t)(p - s) : (uint64_t)-1;
}

uint64_t func_str_rindex(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, m;
	const char *s = text(vm, args[0], &n), *needle = s ? text(vm, args[1], &m) : NULL, *p;
	int64_t from = nr > 2 ? (int32_t)args[2] : INT_MAX;

	if (!needle)
		return 0;
	if (from < 0)
		return m ? (uint64_t)-1 : 0;
	/* a match may begin at @from at the latest */
	if ((uint64_t)from + m < n)
		n = (size_t)from + m;
	p = find_last(s, n, needle, m);
	return p ? (uint64_t)(p - s) : (uint64_t)-1;
}

uint64_t func_str_substr(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n;
	const char *s = text(vm, args[0], &n);
	int64_t from = (int32_t)args[1], end, len = nr > 2 ? (int32_t)args[2] : INT_MAX;

	if (!s)
		return 0;
	if (from < 0) {
		from += (int64_t)n;
		if (from < 0) { /* begins before the string: what lies there is not */
			if (len >= 0)
				len += from;
			from = 0;
			if (len <= 0 && nr > 2)
				return vm_new_text(vm, "", 0);
		}
	}
	if (from >= (int64_t)n)
		return vm_new_text(vm, "", 0);
	end = len < 0 ? (int64_t)n + len : from + len;
	if (end > (int64_t)n)
		end = (int64_t)n;
	return vm_new_text(vm, s + from, end > from ? (size_t)(end - from) : 0);
}

uint64_t func_str_strtok(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, m, len;
	uint64_t string = args[0] ? args[0] : vm->strtok_rest, part;
	const char *s, *sep, *end;

	if (!string)
		return 0;
	s = vm_text(vm, string, &n);
	sep = text(vm, args[1], &m);
	if (!sep)
		return 0;
	end = s + n;
	while (s < end && memchr(sep, *s, m))
		s++;
	vm->strtok_rest = 0;
	if (s == end)
		return 0;
	for (len = 0; s + len < end && !memchr(sep, s[len], m);)
		len++;
	part = vm_new_text(vm, s, len);
	if (s + len < end)
		vm->strtok_rest = str_word(str_intern_text(&vm->pool, s + len + 1,
							   (size_t)(end - s) - len - 1));
	return part;
}

uint64_t func_str_lltostr(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	int64_t base = nr > 1 ? (int32_t)args[1] : 10;
	char buf[72], *p = buf + sizeof(buf);
	uint64_t v = args[0];
	bool minus = base == 10 && (int64_t)v < 0;

	if (base < 2 || base > 36)
		return vm_fail(vm, DPROG_F_ILLOP, (uint64_t)base);
	if (minus)
		v = 0 - v;
	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % (uint64_t)base];
		v /= (uint64_t)base;
	} while (v);
	if (base == 8)
		*--p = '0';
	if (base == 16) {
		*--p = 'x';
		*--p = '0';
	}
	if (minus)
		*--p = '-';
	return vm_new_text(vm, p, (size_t)(buf + sizeof(buf) - p));
}

uint64_t func_str_strtoll(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	int64_t base = nr > 1 ? (int32_t)args[1] : 10;
	size_t n;
	const char *s = text(vm, args[0], &n);

	if (!s)
		return 0;
	if (base < 2 || base > 36)
		return vm_fail(vm, DPROG_F_ILLOP, (uint64_t)base);
	return (uint64_t)strtoll(str_text(&vm->pool, str_of(args[0]), &n), NULL, (int)base);
}

static uint64_t changed(struct vm *vm, uint64_t arg, int (*fn)(int c))
{
	size_t n;
	const char *s = text(vm, arg, &n);
	struct str *t;
	char *to;

	if (!s)
		return 0;
	t = str_temp(&vm->pool, n, &to);
	if (!t)
		return vm_fail(vm, DPROG_F_NOSCRATCH, n);
	for (size_t i = 0; i < n; i++) /* bytes of UTF-8 stay as they are */
		to[i] = (unsigned char)s[i] < 128 ? (char)fn((unsigned char)s[i]) : s[i];
	return str_word(t);
}

uint64_t func_str_tolower(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return changed(vm, args[0], tolower);
}

uint64_t func_str_toupper(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	return changed(vm, args[0], toupper);
}

/* Length without the slashes at the end; a path of slashes alone keeps one. */
static size_t cut_slashes(const char *s, size_t n)
{
	while (n > 1 && s[n - 1] == '/')
		n--;
	return n;
}

uint64_t func_str_basename(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, from;
	const char *s = text(vm, args[0], &n);

	if (!s)
		return 0;
	if (!n)
		return vm_new_text(vm, ".", 1);
	n = cut_slashes(s, n);
	for (from = n; from && s[from - 1] != '/';)
		from--;
	if (from == n)
		return vm_new_text(vm, "/", 1);
	return vm_new_text(vm, s + from, n - from);
}

uint64_t func_str_dirname(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n;
	const char *s = text(vm, args[0], &n);

	if (!s)
		return 0;
	n = cut_slashes(s, n);
	while (n && s[n - 1] != '/')
		n--;
	if (!n)
		return vm_new_text(vm, ".", 1);
	n = cut_slashes(s, n);
	return vm_new_text(vm, s, n);
}

/* Takes out // and /./ and /x/../ ; a path that climbs above / stays at /. */
uint64_t func_str_cleanpath(struct vm *vm, const uint64_t *args, unsigned int nr)
{
	size_t n, m = 0;
	const char *s = text(vm, args[0], &n), *end;
	char *to;
	struct str *t = s ? str_temp(&vm->pool, n, &to) : NULL;

	if (!t)
		return s ? vm_fail(vm, DPROG_F_NOSCRATCH, n) : 0;
	end = s + n;
	while (s < end) {
		const char *slash = memchr(s, '/', (size_t)(end - s)), *part = s;
		size_t len = (size_t)((slash ? slash : end) - s);

		s = slash ? slash + 1 : end;
		if (m && to[m - 1] == '/' && slash && !len)
			continue; /* // */
		if (len == 1 && part[0] == '.' && m && to[m - 1] == '/')
			continue;
		if (len == 2 && part[0] == '.' && part[1] == '.' && m && to[m - 1] == '/') {
			if (m > 1) {
				m--;
				while (m && to[m - 1] != '/')
					m--;
			}
			continue;
		}
		memcpy(to + m, part, len);
		m += len;
		if (slash)
			to[m++] = '/';
	}
	t->len = (uint32_t)m;
	to[m] = 0;
	return str_word(t);
}
