// SPDX-License-Identifier: Apache-2.0
/* btapw_map_facts.c - what the system knows of this process, and its clocks */
#include "btapw_map_int.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t btapw_map_now_ns(void)
{
	return btapw_now(false);
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void btapw_map_pair(bool is_tsc, struct btap_clock_pair *p)
{
	uint64_t best = UINT64_MAX, before, after, mono;

	/* The tightest of some tries: one may have been interrupted. */
	for (int i = 0; i < 6; i++) {
		before = btapw_now(is_tsc);
		mono = clock_ns(CLOCK_MONOTONIC);
		after = btapw_now(is_tsc);
		if (after - before >= best)
			continue;
		best = after - before;
		p->ticks = is_tsc ? before + best / 2 : mono;
		p->mono_ns = mono;
		p->real_ns = clock_ns(CLOCK_REALTIME);
		p->boot_ns = clock_ns(CLOCK_BOOTTIME);
	}
}

/* Read a small file.  Return: bytes, NUL-terminated; 0 when it cannot be read. */
static size_t read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return 0;
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	buf[len] = '\0';
	return len;
}

static bool has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *p = flags; (p = strstr(p, flag)); p += len)
		if (p > flags && p[-1] == ' ' && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

/*
 * May the TSC be the ring clock?  The processor must say that it runs at one speed
 * in all states, and it must be a straight line to CLOCK_MONOTONIC.
 * Return: its frequency, or 0.
 */
static uint64_t tsc_hz(void)
{
#if defined(__x86_64__)
	static const struct timespec nap = { 0, 3000000 };
	struct btap_clock_pair p[3];
	double hz[2];
	char buf[8192], *flags, *end;

	read_text("/proc/cpuinfo", buf, sizeof(buf));
	flags = strstr(buf, "\nflags");
	if (!flags)
		return 0;
	end = strchr(flags + 1, '\n');
	if (end)
		*end = '\0';
	if (!has_flag(flags, "constant_tsc") || !has_flag(flags, "nonstop_tsc"))
		return 0;
	for (int i = 0; i < 3; i++) {
		if (i)
			nanosleep(&nap, NULL);
		btapw_map_pair(true, &p[i]);
	}
	for (int i = 0; i < 2; i++) {
		if (p[i + 1].ticks <= p[i].ticks || p[i + 1].mono_ns <= p[i].mono_ns)
			return 0;
		hz[i] = (double)(p[i + 1].ticks - p[i].ticks) * 1e9 /
			(double)(p[i + 1].mono_ns - p[i].mono_ns);
	}
	if (hz[0] < 1e9 || hz[0] > 1e10 || hz[1] / hz[0] < 0.999 || hz[1] / hz[0] > 1.001)
		return 0;
	return (uint64_t)((double)(p[2].ticks - p[0].ticks) * 1e9 /
			  (double)(p[2].mono_ns - p[0].mono_ns));
#else
	return 0;
#endif
}

/* Field 22 of /proc/self/stat; the name in field 2 may hold anything. */
static uint64_t start_ticks(void)
{
	char buf[1024], *p;

	read_text("/proc/self/stat", buf, sizeof(buf));
	p = strrchr(buf, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

static void boot_id(uint8_t id[16])
{
	char buf[64];
	unsigned int n = 0;

	read_text("/proc/sys/kernel/random/boot_id", buf, sizeof(buf));
	memset(id, 0, 16);
	for (const char *p = buf; *p && n < 32; p++) {
		int c = *p >= '0' && *p <= '9' ? *p - '0' :
			*p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;

		if (c >= 0) {
			id[n / 2] |= (uint8_t)(n % 2 ? c : c << 4);
			n++;
		}
	}
}

void btapw_map_facts(struct btap_facts *f, int clock)
{
	struct btap_clock_pair p;
	struct stat st;

	f->os_pid = (uint32_t)getpid();
	f->pidns_inode = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
	f->start_ticks = start_ticks();
	boot_id(f->boot_id);
	f->clock = BTAP_CLOCK_MONOTONIC;
	f->clock_hz = 1000000000;
	if (clock != 1 + BTAP_CLOCK_MONOTONIC) {
		uint64_t hz = tsc_hz();

		if (hz) {
			f->clock = BTAP_CLOCK_TSC;
			f->clock_hz = hz;
		}
	}
	btapw_map_pair(false, &p);
	f->real_ns = p.real_ns;
	f->mono_ns = p.mono_ns;
	f->erts_version[sizeof(f->erts_version) - 1] = '\0';
	f->emulator[sizeof(f->emulator) - 1] = '\0';
	f->node[sizeof(f->node) - 1] = '\0';
	snprintf(f->writer, sizeof(f->writer), "beamtap %s", BEAMTAP_VERSION);
}
