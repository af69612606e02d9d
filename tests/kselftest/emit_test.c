// SPDX-License-Identifier: GPL-2.0
/*
 * emit_test.c - records that are handed over come out as text, or are refused
 *
 * What is expected is made from the catalogue by other code than the kernel's.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm.h"
#include "harness.h"

#define SIZE (16 * BTAP_PAGE)
#define ATOM(n) BTAP_ATOM_TERM(1000 + (n))

/* The fields of an event, as text: "pid sender req\n..." */
struct event {
	unsigned int id;
	const char *name, *fields;
};

#define AS_FIELD(t, n, arg, need, doc) #t " " #n " " #need "\n"
#define AS_EVENT(id, ev, usdt, doc) { id, #ev, BTAP_FIELDS_##ev(AS_FIELD) },
static const struct event events[] = { BTAP_EVENTS(AS_EVENT) };
#undef AS_EVENT
#undef AS_FIELD
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

struct made {
	uint64_t words[BTAP_MAX_WORDS];
	unsigned int nr, nr_required;
	char text[8192], text_required[8192];
};

static void add(struct made *m, const char *name, bool is_there, const char *value, const char *none)
{
	size_t len = strlen(m->text), len2 = strlen(m->text_required);

	snprintf(m->text + len, sizeof(m->text) - len, " %s=%s", name, value);
	snprintf(m->text_required + len2, sizeof(m->text_required) - len2, " %s=%s", name,
		 is_there ? value : none);
}

/* A record of the event, each field another value; and what shall be printed of it. */
static void make(struct made *m, const struct event *e, uint32_t region)
{
	char type[32], name[64], need[8], value[128];
	const char *none;
	unsigned int i = 0;
	uint64_t w;

	memset(m, 0, sizeof(*m));
	m->nr = 1;
	snprintf(m->text, sizeof(m->text), "region=%u", region);
	strcpy(m->text_required, m->text);
	for (const char *p = e->fields; sscanf(p, "%31s %63s %7s\n", type, name, need) == 3;
	     p = strchr(p, '\n') + 1, i++) {
		bool is_there = !strcmp(need, "req");

		none = "?";
		if (!strcmp(type, "pid") || (!strcmp(type, "ident") && i % 3 == 0)) {
			w = VM_PID(32767 - i, 8191);
			sprintf(value, "<0.%u.8191>", 32767 - i);
		} else if (!strcmp(type, "port") || (!strcmp(type, "ident") && i % 3 == 1)) {
			w = VM_PORT((1u << 28) - 1 - i);
			sprintf(value, "#Port<0.%u>", (1u << 28) - 1 - i);
		} else if (!strcmp(type, "atom") || !strcmp(type, "ident")) {
			w = ATOM(i);
			sprintf(value, "atom%u", i);
		} else if (!strcmp(type, "mfa")) {
			w = BTAP_MFA(1000 + i, 1001 + i, i);
			sprintf(value, "atom%u:atom%u/%u", i, i + 1, i);
		} else if (!strcmp(type, "str")) {
			w = 500 + i;
			sprintf(value, "name %u", i);
		} else if (!strcmp(type, "text")) {
			sprintf(value, "%.*s%u", (int)i % 9, "abcdefgh", i);
			w = strlen(value);
		} else if (!strcmp(type, "int")) {
			w = -7 - (int64_t)i;
			sprintf(value, "%d", -7 - (int)i);
			none = "-2147483648";
		} else if (!strcmp(type, "u64") || !strcmp(type, "msgid")) {
			w = 0xfffffffffffffff0 + i;
			sprintf(value, "%llu", 0xfffffffffffffff0ull + i);
			none = "9223372036854775808";
		} else if (!strcmp(type, "hex")) {
			w = 0xfffffffffffffff0 + i;
			sprintf(value, "0x%llx", 0xfffffffffffffff0ull + i);
			none = "0x8000000000000000";
		} else { /* words, bytes, count, ns */
			w = (1ull << 62) + i;
			sprintf(value, "%llu", (1ull << 62) + i);
			none = "-9223372036854775808";
		}
		m->words[m->nr++] = w;
		if (!strcmp(type, "text")) {
			memcpy(&m->words[m->nr], value, w);
			m->nr += (w + 7) / 8;
		}
		if (is_there)
			m->nr_required = m->nr;
		add(m, name, is_there, value, none);
	}
	m->words[0] = BTAP_HEAD(e->id, m->nr, 12345);
}

FIXTURE(vm)
{
	struct vm vm;
};

FIXTURE_SETUP(vm)
{
	ASSERT_EQ(0, vm_open(&self->vm, SIZE, "a@host"));
	for (int i = 0; i < 20; i++) {
		char s[32];

		sprintf(s, "atom%d", i);
		ASSERT_EQ(0, vm_string(&self->vm, BTAP_STRING_ATOM, ATOM(i), s));
		sprintf(s, "name %d", i);
		ASSERT_EQ(0, vm_string(&self->vm, BTAP_STRING_NAME, 500 + i, s));
	}
	vm_echo(VM_TRACING "trace", "");
	ASSERT_EQ(1, vm_echo(VM_EVENTS "enable", "1"));
}

FIXTURE_TEARDOWN(vm)
{
	vm_echo(VM_EVENTS "enable", "0");
	vm_close(&self->vm);
}

static char trace[1 << 20];

/* What the trace says of the last event @name that it has; NULL: none. */
static char *last_of(const char *name)
{
	char key[80], *p, *found = NULL;

	vm_cat(VM_TRACING "trace", trace, sizeof(trace));
	snprintf(key, sizeof(key), ": %s: ", name);
	for (p = trace; (p = strstr(p, key)); found = p)
		p += strlen(key);
	if (found)
		*strchrnul(found, '\n') = '\0';
	return found;
}

TEST_F(vm, every_event)
{
	static struct made m;
	unsigned int bad = 0;

	/* One trace, read once: reading it is slow. */
	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		make(&m, &events[i], self->vm.id);
		ASSERT_EQ(0, vm_put(&self->vm, m.words, m.nr)) { TH_LOG("%s", events[i].name); }
	}
	vm_cat(VM_TRACING "trace", trace, sizeof(trace));
	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		char want[8300];

		make(&m, &events[i], self->vm.id);
		snprintf(want, sizeof(want), ": %s: %s\n", events[i].name, m.text);
		if (!strstr(trace, want)) {
			TH_LOG("not in the trace: %s", want);
			bad++;
		}
	}
	EXPECT_EQ(0, bad);
	/* The comparison can fail. */
	make(&m, &events[0], self->vm.id + 1);
	EXPECT_EQ(NULL, strstr(trace, m.text));
	EXPECT_EQ(NR_EVENTS, vm_info(self->vm.fd).fired);
	EXPECT_EQ(0, vm_info(self->vm.fd).refused);
}

/* Without the fields that may be missing; one word less is too few. */
TEST_F(vm, every_event_at_its_shortest)
{
	static struct made m;
	unsigned int bad = 0, refused = 0;

	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		make(&m, &events[i], self->vm.id);
		m.words[0] = BTAP_HEAD(events[i].id, m.nr_required, 0);
		ASSERT_EQ(0, vm_put(&self->vm, m.words, m.nr_required)) {
			TH_LOG("%s", events[i].name);
		}
		m.words[0] = BTAP_HEAD(events[i].id, m.nr_required - 1, 0);
		if (vm_put(&self->vm, m.words, m.nr_required - 1) == -EINVAL)
			refused++;
		else
			TH_LOG("not refused: %s", events[i].name);
	}
	EXPECT_EQ(NR_EVENTS, refused);
	EXPECT_EQ(NR_EVENTS, vm_info(self->vm.fd).refused);
	vm_cat(VM_TRACING "trace", trace, sizeof(trace));
	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		char want[8300];

		make(&m, &events[i], self->vm.id);
		snprintf(want, sizeof(want), ": %s: %s\n", events[i].name, m.text_required);
		if (!strstr(trace, want)) {
			TH_LOG("not in the trace: %s", want);
			bad++;
		}
	}
	EXPECT_EQ(0, bad);
}

TEST_F(vm, malformed)
{
	uint64_t w[260] = { 0 };
	struct vm *vm = &self->vm;
	uint64_t before, nr = 4;

	w[0] = BTAP_HEAD(BTAP_EV_port_busy, 2, 0);
	w[1] = VM_PORT(1);
	EXPECT_EQ(0, vm_put(vm, w, 2));
	EXPECT_EQ(-EINVAL, vm_put(vm, w, 1));
	EXPECT_EQ(-EINVAL, vm_put(vm, w, 3));
	before = vm_info(vm->fd).refused;
	EXPECT_EQ(-1, write(vm->fd, w, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(vm->fd, w, 15));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(vm->fd, w, 256 * 8));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(vm->fd, w, 1ul << 40));
	if (errno == EFAULT)
		nr--; /* so much is not in a process: User Mode Linux itself looks */
	EXPECT_EQ(-1, write(vm->fd, (void *)8, 16));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(before + nr, vm_info(vm->fd).refused);
	for (unsigned int id = 0; id < 1024; id++) {
		bool is_known = false;

		for (unsigned int i = 0; i < NR_EVENTS; i++)
			is_known |= events[i].id == id;
		if (is_known)
			continue;
		w[0] = BTAP_HEAD(id, 30, 0);
		EXPECT_EQ(-EINVAL, vm_put(vm, w, 30)) { TH_LOG("event %u", id); }
	}
	/* Texts that leave the record. */
	w[0] = BTAP_HEAD(BTAP_EV_process_exit, 4, 0);
	for (int i = 0; i < 4; i++) {
		static const uint64_t len[] = { 9, 1ull << 63, 0xfffffffffffffff8, 0xfffffffffffffffe };

		w[2] = len[i];
		EXPECT_EQ(-EINVAL, vm_put(vm, w, 4));
	}
	w[2] = 8;
	EXPECT_EQ(0, vm_put(vm, w, 4));
}

TEST_F(vm, texts)
{
	const uint64_t none[] = { BTAP_HEAD(BTAP_EV_process_exit, 3, 0), VM_PID(1, 2), BTAP_TEXT_NONE };
	uint64_t w[255] = { BTAP_HEAD(BTAP_EV_process_exit, 7, 0), 0, 29 };
	const char *got;

	memcpy(&w[3], "a\x1b[2Jb\nc\0d\x7f" "e\xc2\x9b" "f\xc3\xa4", 18);
	w[2] = 18;
	EXPECT_EQ(0, vm_put(&self->vm, w, 7)); /* words behind the fields are passed over */
	got = last_of("process_exit");
	ASSERT_NE(NULL, got);
	EXPECT_NE(NULL, strstr(got, "p=? reason=a?[2Jb?c?d?e??f\xc3\xa4")) { TH_LOG("%s", got); }
	EXPECT_EQ(0, vm_put(&self->vm, none, 3));
	got = last_of("process_exit");
	ASSERT_NE(NULL, got);
	EXPECT_NE(NULL, strstr(got, "p=<0.1.2> reason=(null)")) { TH_LOG("%s", got); }
	/* The longest that there can be: it fills the record. */
	w[0] = BTAP_HEAD(BTAP_EV_process_exit, 255, 0);
	w[2] = 252 * 8;
	memset(&w[3], 'x', 252 * 8);
	EXPECT_EQ(0, vm_put(&self->vm, w, 255));
	got = last_of("process_exit");
	ASSERT_NE(NULL, got);
	got = strstr(got, "reason=");
	ASSERT_NE(NULL, got);
	EXPECT_EQ(7 + 252 * 8, strlen(got));
	w[2] = 0;
	w[0] = BTAP_HEAD(BTAP_EV_process_exit, 3, 0);
	EXPECT_EQ(0, vm_put(&self->vm, w, 3));
	got = last_of("process_exit");
	ASSERT_NE(NULL, got);
	EXPECT_STREQ("reason=", strstr(got, "reason="));
}

TEST_F(vm, terms)
{
	static const struct {
		uint64_t term;
		const char *text;
	} t[] = {
		{ 0, "?" },
		{ VM_PID(0, 0), "<0.0.0>" },
		{ VM_PORT(0), "#Port<0.0>" },
		{ BTAP_ATOM_TERM(77), "#Atom<77>" },
		{ 0xffffffffffffffff, "#Term<0xffffffffffffffff>" },
		{ 0x1234567800000001, "#Term<0x1234567800000001>" },
		{ 0xfffffffffffffff3, "<0.32767.8191>" },
		{ 0xfffffffffffffff7, "#Port<0.268435455>" },
		{ 0xffffffffffffffcb, "#Atom<288230376151711743>" },
	};
	char want[100];

	for (unsigned int i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t w[] = { BTAP_HEAD(BTAP_EV_name_register, 3, 0), t[i].term, ATOM(0) };
		const char *got;

		EXPECT_EQ(0, vm_put(&self->vm, w, 3));
		got = last_of("name_register");
		ASSERT_NE(NULL, got);
		sprintf(want, "region=%u p=%s name=atom0", self->vm.id, t[i].text);
		EXPECT_STREQ(want, got);
	}
}

TEST_F(vm, functions_and_unknown_numbers)
{
	struct vm *vm = &self->vm;
	uint64_t w[] = { BTAP_HEAD(BTAP_EV_function_entry, 4, 0), VM_PID(1, 0), 0, BTAP_UNKNOWN };
	uint64_t c[] = { BTAP_HEAD(BTAP_EV_port_control, 5, 0), 0, 0, 0, BTAP_UNKNOWN };
	char want[100];

	EXPECT_EQ(0, vm_put(vm, w, 4));
	sprintf(want, "region=%u p=<0.1.0> mfa=? depth=-9223372036854775808", vm->id);
	EXPECT_STREQ(want, last_of("function_entry"));
	w[2] = BTAP_MFA(1002, 99, 255);
	EXPECT_EQ(0, vm_put(vm, w, 4));
	sprintf(want, "region=%u p=<0.1.0> mfa=atom2:#Atom<99>/255 depth=-9223372036854775808", vm->id);
	EXPECT_STREQ(want, last_of("function_entry"));
	EXPECT_EQ(0, vm_put(vm, c, 5));
	sprintf(want, "region=%u process=? port=? port_name=? command_no=-2147483648", vm->id);
	EXPECT_STREQ(want, last_of("port_control"));
	c[3] = 12345;
	EXPECT_EQ(0, vm_put(vm, c, 5));
	EXPECT_NE(NULL, strstr(last_of("port_control"), "port_name=#Name<12345>"));
}

TEST_F(vm, long_names)
{
	struct vm *vm = &self->vm;
	char name[1100], want[1200], *got;
	uint64_t w[] = { BTAP_HEAD(BTAP_EV_module_load, 3, 0), ATOM(90), 0 };
	uint64_t f[] = { BTAP_HEAD(BTAP_EV_function_replaced, 4, 0), 0, BTAP_MFA(1090, 1090, 2),
			 BTAP_MFA(1090, 1090, 2) };

	memset(name, 'n', 255);
	name[255] = '\0';
	ASSERT_EQ(0, vm_string(vm, BTAP_STRING_ATOM, ATOM(90), name));
	EXPECT_EQ(0, vm_put(vm, w, 3));
	got = last_of("module_load");
	ASSERT_NE(NULL, got);
	sprintf(want, "module=%s p=?", name);
	EXPECT_NE(NULL, strstr(got, want));
	/* Defined is defined. */
	ASSERT_EQ(0, vm_string(vm, BTAP_STRING_ATOM, ATOM(90), "other"));
	EXPECT_EQ(0, vm_put(vm, f, 4));
	got = last_of("function_replaced");
	ASSERT_NE(NULL, got);
	got = strstr(got, " by=");
	ASSERT_NE(NULL, got);
	EXPECT_EQ(4 + 255, strlen(got));
	EXPECT_STREQ("...", got + strlen(got) - 3);
	/* 4-byte characters: cut before one. */
	for (int i = 0; i < 1020; i += 4)
		memcpy(name + i, "\xf0\x9f\x90\x9d", 4);
	name[1020] = '\0';
	ASSERT_EQ(0, vm_string(vm, BTAP_STRING_ATOM, ATOM(91), name));
	w[1] = ATOM(91);
	EXPECT_EQ(0, vm_put(vm, w, 3));
	got = last_of("module_load");
	ASSERT_NE(NULL, got);
	EXPECT_NE(NULL, strstr(got, "\xf0\x9f\x90\x9d... p=?"));
}

/* The most text that one event can hold still fits into the trace. */
TEST_F(vm, fullest_record)
{
	struct vm *vm = &self->vm;
	uint64_t w[255] = { BTAP_HEAD(BTAP_EV_dist_monitor, 255, 0) };
	char name[256], *got;

	memset(name, 'n', 255);
	name[255] = '\0';
	ASSERT_EQ(0, vm_string(vm, BTAP_STRING_ATOM, ATOM(92), name));
	for (int i = 1; i < 5; i++)
		w[i] = ATOM(92);
	w[5] = 249 * 8;
	memset(&w[6], 'r', 249 * 8);
	EXPECT_EQ(0, vm_put(vm, w, 255));
	got = last_of("dist_monitor");
	ASSERT_NE(NULL, got);
	EXPECT_EQ(249 * 8, strlen(strstr(got, "reason=")) - 7);
}

TEST_F(vm, strings_checks)
{
	struct {
		struct btap_string s;
		char text[24];
	} s = { .s = { .key = ATOM(50), .kind = BTAP_STRING_ATOM, .len = 5 }, .text = "fifty" };
	struct btap_strings req = { .data = (uintptr_t)&s, .len = 24 };
	unsigned int old;
	int r = 0, i;

	EXPECT_EQ(0, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = 23;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = 15;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = 24;
	s.s.kind = 3;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	s.s.kind = BTAP_STRING_NAME;
	s.s.len = 0xffff;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = (1 << 20) + 8;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = 1ull << 63;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = 24;
	req.data = 8;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	req.len = 0;
	EXPECT_EQ(0, vm_ioctl(self->vm.fd, BTAP_IOC_STRINGS, &req));
	/* The table fills up; what found room is kept. */
	old = vm_param(VM_PARAM("strings_kb"), 128);
	for (i = 0; i < 3000 && !r; i++)
		r = vm_string(&self->vm, BTAP_STRING_NAME, 100000 + i, "a name of some length or other");
	EXPECT_EQ(-ENOSPC, r);
	EXPECT_GT(i, 400);
	EXPECT_LT(i, 2900);
	vm_param(VM_PARAM("strings_kb"), old);
	EXPECT_EQ(0, vm_string(&self->vm, BTAP_STRING_NAME, 99999, "again"));
}

TEST_HARNESS_MAIN
