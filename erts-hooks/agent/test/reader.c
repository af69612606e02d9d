// SPDX-License-Identifier: Apache-2.0
/*
 * reader.c - a reader of regions for the agent's tests, driven by lines on its standard input
 *
 *	want W0,W1,W2,W3 FLAGS SPEC;SPEC   take or change the lease (masks in hex), print the answer
 *	free                               give it back
 *	dump                               print the records written since the last dump, oldest ring first
 *	count                              print how many records each ring was offered
 *	strings                            print atoms and names
 *	facts                              print what the region says of its VM
 *	quit
 *
 * Each reply ends with a line "end".  It knows no more of a region than
 * uapi/beamtap/region.h says, and nothing of the decoder: two readers of one
 * text.  It is for live regions that do not lap it within a dump.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <beamtap/region.h>

enum type { pid, port, ident, atom, mfa, str, text, frames, words, bytes, count, ns, int_, u64, hex, msgid };
#define int int_
struct field {
	const char *name;
	enum type type;
};
#define AS_FIELD(t, n, arg, need, doc) { #n, t },
#define AS_FIELDS(id, name, usdt, doc) static const struct field f_##name[] = { BTAP_FIELDS_##name(AS_FIELD) { 0 } };
BTAP_EVENTS(AS_FIELDS)
#undef int
static const struct event {
	const char *name;
	const struct field *fields;
} events[BTAP_MAX_EVENTS] = {
#define AS_EVENT(id, name, usdt, doc) [id] = { #name, f_##name },
	BTAP_EVENTS(AS_EVENT)
};

static unsigned char *base;
static struct btap_region_hdr *hdr;
static int fd, slot = -1;
static uint64_t at[BTAP_MAX_RINGS];

static struct btap_lease *lease(unsigned int i)
{
	return (void *)(base + hdr->lease_off + (size_t)i * BTAP_PAGE);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void *beat(void *arg)
{
	for (;;) {
		if (slot >= 0)
			__atomic_store_n(&lease(slot)->heartbeat_ns, now_ns(), __ATOMIC_RELAXED);
		usleep(200000);
	}
	return NULL;
}

static bool lock_slot(unsigned int i)
{
	struct flock l = { .l_type = F_WRLCK, .l_start = (off_t)(BTAP_LOCK_LEASE + i), .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

static void unlock_slot(unsigned int i)
{
	struct flock l = { .l_type = F_UNLCK, .l_start = (off_t)(BTAP_LOCK_LEASE + i), .l_len = 1 };

	fcntl(fd, F_OFD_SETLK, &l);
}

static void want(char *line)
{
	unsigned long long w[4] = { 0 };
	unsigned int i, flags = 0;
	struct btap_answer *a;
	struct btap_lease *l;
	uint64_t gen, end;
	int skip = 0;

	sscanf(line, "%llx,%llx,%llx,%llx %u %n", &w[0], &w[1], &w[2], &w[3], &flags, &skip);
	for (i = 0; slot < 0 && i < hdr->nr_leases; i++)
		if (lock_slot(i))
			slot = (int)i;
	if (slot < 0) {
		printf("none\nend\n");
		return;
	}
	l = lease(slot);
	gen = l->gen + 1 + (l->gen & 1); /* odd: being written */
	__atomic_store_n(&l->gen, gen++, __ATOMIC_SEQ_CST);
	l->heartbeat_ns = now_ns();
	l->ttl_ns = 1500000000;
	for (i = 0; i < 4; i++)
		l->want[i] = w[i];
	l->flags = flags;
	l->pid = (unsigned int)getpid();
	strcpy(l->who, "test");
	strncpy(l->spec, line + skip, BTAP_LEASE_SPEC_MAX - 1);
	l->spec_len = (unsigned int)strlen(l->spec);
	for (i = 0; i < l->spec_len; i++)
		if (l->spec[i] == ';')
			l->spec[i] = '\n';
	__atomic_store_n(&l->gen, gen, __ATOMIC_SEQ_CST);
	a = (struct btap_answer *)(base + hdr->answer_off) + slot;
	for (end = now_ns() + 3000000000ull; now_ns() < end; usleep(1000))
		if (__atomic_load_n(&a->gen, __ATOMIC_ACQUIRE) == gen)
			break;
	if (a->gen != gen)
		printf("timeout\nend\n");
	else
		printf("answer %d %u %llx,%llx,%llx,%llx %s\nend\n", a->error, a->nr_functions,
		       a->on[0], a->on[1], a->on[2], a->on[3], a->text);
}

static void give_back(void)
{
	if (slot >= 0) {
		__atomic_store_n(&lease(slot)->gen, 0, __ATOMIC_SEQ_CST);
		unlock_slot(slot);
	}
	slot = -1;
	printf("end\n");
}

static const uint64_t *print_text(const uint64_t *p, const uint64_t *end)
{
	const unsigned char *s = (const unsigned char *)(p + 1);
	uint64_t n = *p, i;

	if (n == BTAP_TEXT_NONE) {
		printf("none");
		return p + 1;
	}
	if (n > (uint64_t)(end - p - 1) * 8) {
		printf("BAD");
		return end;
	}
	putchar('"');
	for (i = 0; i < n; i++)
		if (s[i] == '"' || s[i] == '\\' || s[i] < 32)
			printf("\\x{%x}", s[i]);
		else
			putchar(s[i]);
	putchar('"');
	return p + 1 + (n + 7) / 8;
}

static void print_record(unsigned int ring, const struct btap_ring *r, const uint64_t *p)
{
	const uint64_t *end = p + BTAP_HEAD_WORDS(*p);
	const struct event *e = &events[BTAP_HEAD_EVENT(*p) & 255];
	const struct field *f;

	printf("rec %u %u %u %llu %s", ring, r->kind, r->number,
	       (unsigned long long)BTAP_HEAD_TIME(*p), e->name ? e->name : "BAD");
	p++;
	for (f = e->fields; f && f->name && p < end; f++) {
		printf(" %s=", f->name);
		if (f->type == text)
			p = print_text(p, end);
		else
			printf("%" PRIx64, *p++);
	}
	printf(p == end ? "\n" : " BAD\n");
}

static void dump_ring(unsigned int i, const struct btap_ring *r)
{
	uint64_t pos = __atomic_load_n(&r->pos, __ATOMIC_ACQUIRE), n = pos / r->sub_size, off;
	const unsigned char *data = base + r->data_off;
	const struct btap_sub *sub;
	uint64_t limit;

	if (at[i] == 0 || n - at[i] / r->sub_size >= r->nr_subs) {
		if (at[i])
			printf("lost %u\n", i);
		at[i] = (n >= r->nr_subs ? n - r->nr_subs + 1 : 0) * r->sub_size;
	}
	while (at[i] < pos) {
		n = at[i] / r->sub_size;
		off = at[i] % r->sub_size;
		sub = (const void *)(data + n % r->nr_subs * r->sub_size);
		if (off < sizeof(*sub))
			off = sizeof(*sub);
		limit = n == pos / r->sub_size ? pos % r->sub_size : sub->len;
		while (off < limit) {
			const uint64_t *p = (const void *)((const unsigned char *)sub + off);

			if (BTAP_HEAD_WORDS(*p) == 0) {
				printf("BAD record\n");
				break;
			}
			print_record(i, r, p);
			off += 8 * BTAP_HEAD_WORDS(*p);
		}
		at[i] = n == pos / r->sub_size ? pos : (n + 1) * r->sub_size;
	}
}

static const struct btap_ring *ring(unsigned int i)
{
	return (const void *)(base + hdr->ring_off + (size_t)i * hdr->ring_entry_size);
}

static void dump(bool is_count)
{
	const struct btap_ring *r;
	unsigned int i;

	for (i = 0; i < hdr->nr_rings && i < BTAP_MAX_RINGS; i++) {
		r = ring(i);
		if (!__atomic_load_n(&r->used, __ATOMIC_ACQUIRE))
			continue;
		if (is_count)
			printf("ring %u %u %u %llu %llu %s\n", i, r->kind, r->number, r->count,
			       r->dropped, r->name);
		else
			dump_ring(i, r);
	}
	printf("end\n");
}

static void strings(void)
{
	const struct btap_strtab *t = (const void *)(base + hdr->strtab_off);
	uint64_t used = __atomic_load_n(&t->used, __ATOMIC_ACQUIRE), off;
	const struct btap_string *s;

	for (off = 0; off + sizeof(*s) <= used; off += (sizeof(*s) + s->len + 7) & ~7ull) {
		s = (const void *)(t->data + off);
		printf("%s %" PRIx64 " %.*s\n", s->kind == BTAP_STRING_ATOM ? "atom" : "name",
		       (uint64_t)s->key, s->len, s->text);
	}
	printf("end\n");
}

static void facts(void)
{
	const struct btap_facts *f = &hdr->facts;
	const struct btap_ctl *ctl = (const void *)(base + hdr->ctl_off);
	uint64_t on[BTAP_MASK_WORDS] = { 0 };

	printf("state %u\notp %u\nnode %s\nerts %s\nemulator %s\npid %u %u %u\nport %u %u\n", hdr->state,
	       f->otp_release, f->node, f->erts_version, f->emulator, f->pid_shift,
	       f->pid_number_bits, f->pid_serial_bits, f->port_shift, f->port_number_bits);
	printf("able %llx,%llx,%llx,%llx\n", f->able[0], f->able[1], f->able[2], f->able[3]);
	printf("clocks %llu\n", ((struct btap_clocks *)(base + hdr->clock_off))->count);
	for (unsigned int i = 0; i < BTAP_MAX_EVENTS; i++)
		on[i / 64] |= (uint64_t)!!(ctl->on[i] & BTAP_ON_RING) << (i % 64);
	printf("enabled %lx,%lx,%lx,%lx\nend\n", on[0], on[1], on[2], on[3]);
}

int main(int argc, char **argv)
{
	char line[8192];
	pthread_t t;
	struct stat st;

	if (argc != 2)
		return 2;
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		printf("error %s\n", strerror(errno));
		return 1;
	}
	base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	hdr = (void *)base;
	if (base == MAP_FAILED || hdr->magic != BTAP_MAGIC || hdr->abi != BTAP_ABI) {
		printf("error no region\n");
		return 1;
	}
	pthread_create(&t, NULL, beat, NULL);
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	printf("pid %d\nend\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (strncmp(line, "want ", 5) == 0)
			want(line + 5);
		else if (strcmp(line, "free") == 0)
			give_back();
		else if (strcmp(line, "dump") == 0)
			dump(false);
		else if (strcmp(line, "count") == 0)
			dump(true);
		else if (strcmp(line, "strings") == 0)
			strings();
		else if (strcmp(line, "facts") == 0)
			facts();
		else
			break;
		fflush(stdout);
	}
	return 0;
}
