// SPDX-License-Identifier: Apache-2.0
/* textvm.c - the `vm` line of a fixture: facts about the VM */
#include <errno.h>
#include <string.h>
#include "source/textvm.h"

static void set_bits(struct btap_facts *f)
{
	bool is_wide = f->otp_release >= 26;

	f->pid_shift = f->port_shift = 4;
	f->pid_number_bits = is_wide ? 28 : 15;
	f->pid_serial_bits = is_wide ? 32 : 13;
	f->port_number_bits = is_wide ? 60 : 28;
}

void textvm_default(struct btap_facts *f)
{
	f->otp_release = 25;
	f->way = BTAP_WAY_AGENT;
	f->jit = 1;
	f->os_pid = 1;
	f->nr_schedulers = f->nr_dirty_cpu = 1;
	f->nr_dirty_io = 10;
	f->clock = BTAP_CLOCK_MONOTONIC;
	f->clock_hz = 1000000000;
	strcpy(f->erts_version, "13.1.5");
	strcpy(f->emulator, "beam.smp");
	strcpy(f->node, "nonode@nohost");
	strcpy(f->writer, "fixture");
#define AS_ABLE(id, name, usdt, doc) f->able[(id) / 64] |= 1ULL << (id) % 64;
	BTAP_EVENTS(AS_ABLE)
#undef AS_ABLE
	set_bits(f);
}

/* shift/number[/serial]: @nr of them. */
static int read_bits(struct textval *v, uint8_t *bits[], unsigned int nr)
{
	const char *from = v->at;
	unsigned int sum = 0;
	uint64_t n;

	for (unsigned int i = 0; i < nr; i++) {
		if (i && (v->at == v->end || *v->at++ != '/'))
			return textval_fail(v, from, "expected %u numbers with / between them", nr);
		if (textval_number(v, i < 1 ? 4 : 0, 60, &n))
			return -EINVAL;
		*bits[i] = (uint8_t)n;
		sum += (unsigned int)n;
	}
	return sum > 64 ? textval_fail(v, from, "these are %u bits; a word has 64", sum) : 0;
}

static int read_way(struct textval *v, uint32_t *way)
{
	char buf[TEXTVAL_BYTES_MAX];
	const char *from = v->at;
	size_t len;

	if (textval_bare(v, buf, &len))
		return -EINVAL;
	if (textval_is(buf, (int)len, "agent"))
		*way = BTAP_WAY_AGENT;
	else if (textval_is(buf, (int)len, "hooks"))
		*way = BTAP_WAY_HOOKS;
	else
		return textval_fail(v, from, "expected agent or hooks");
	return 0;
}

int textvm_key(struct textval *v, struct btap_facts *f, const char *key, int len)
{
	uint8_t *pid_bits[] = { &f->pid_shift, &f->pid_number_bits, &f->pid_serial_bits };
	uint8_t *port_bits[] = { &f->port_shift, &f->port_number_bits };
	const struct {
		const char *name;
		uint32_t *to;
		uint64_t min, max;
	} small[] = {
		{ "otp", &f->otp_release, 1, 1000 },
		{ "jit", &f->jit, 0, 1 },
		{ "pid", &f->os_pid, 0, UINT32_MAX },
		{ "schedulers", &f->nr_schedulers, 1, 1024 },
		{ "dirty_cpu", &f->nr_dirty_cpu, 0, 1024 },
		{ "dirty_io", &f->nr_dirty_io, 0, 1024 },
	};
	uint64_t n;

	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
		if (!textval_is(key, len, small[i].name))
			continue;
		if (textval_number(v, small[i].min, small[i].max, &n))
			return -EINVAL;
		*small[i].to = (uint32_t)n;
		if (i == 0)
			set_bits(f);
		return 0;
	}
	if (textval_is(key, len, "node"))
		return textval_chars(v, f->node, sizeof(f->node), true);
	if (textval_is(key, len, "erts"))
		return textval_chars(v, f->erts_version, sizeof(f->erts_version), false);
	if (textval_is(key, len, "emulator"))
		return textval_chars(v, f->emulator, sizeof(f->emulator), false);
	if (textval_is(key, len, "writer"))
		return textval_chars(v, f->writer, sizeof(f->writer), false);
	if (textval_is(key, len, "way"))
		return read_way(v, &f->way);
	if (textval_is(key, len, "mono_ns") || textval_is(key, len, "real_ns")) {
		if (textval_number(v, 0, UINT64_MAX, &n))
			return -EINVAL;
		*(key[0] == 'm' ? &f->mono_ns : &f->real_ns) = n;
		return 0;
	}
	if (textval_is(key, len, "pid_bits"))
		return read_bits(v, pid_bits, 3);
	if (textval_is(key, len, "port_bits"))
		return read_bits(v, port_bits, 2);
	return textval_fail(v, key, "vm has no '%.*s'", len, key);
}
