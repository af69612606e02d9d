// SPDX-License-Identifier: Apache-2.0
/* btapw_other_test.c - records that are not for the ring alone: tracepoints, USDT probes, their notes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <btapw_map_int.h>
#include <btapw_usdt.h>
#include "event/desc.h"

extern volatile unsigned short btapw_usdt_sem[BTAP_MAX_EVENTS] __attribute__((visibility("hidden")));

/* A region whose `module` is a pipe. */
struct bed {
	struct btapw_map *m;
	struct btapw w;
	struct btapw_leases *ls;
	int out; /* what was handed over */
};

static struct bed *new_bed(void)
{
	struct btapw_map_opts o = { .facts = { .nr_schedulers = 1, .pid_shift = 4,
					       .pid_number_bits = 15, .pid_serial_bits = 13,
					       .port_shift = 4, .port_number_bits = 28 } };
	struct bed *b = calloc(1, sizeof(*b));
	char why[BTAPW_WHY_MAX];
	int fds[2];

	memset(o.facts.able, 0xff, sizeof(o.facts.able));
	assert_int_equal(btapw_map_new(&b->m, &o, why), 0);
	btapw_map_thread(b->m, &b->w, BTAP_THREAD_SCHEDULER, 1, "t");
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	b->out = fds[0];
	b->m->dev_fd = fds[1];
	b->ls = calloc(1, sizeof(*b->ls));
	return b;
}

static void free_bed(struct bed *b)
{
	close(b->out);
	close(b->m->dev_fd);
	b->m->dev_fd = -1;
	unlink(btapw_map_path(b->m));
	btapw_map_free(b->m);
	free(b->ls);
	free(b);
}

static void set_on(struct bed *b, unsigned int event, uint8_t on)
{
	b->m->ctl->on[event] = on;
}

static void each_gets_what_it_wants(void **state)
{
	struct bed *b = new_bed();
	struct btap_ring *ring = b->w.ring;
	uint64_t got[8], *first = b->w.cur;

	for (uint8_t on = 1; on < 8; on++) {
		bool is_ring = on & BTAP_ON_RING;
		uint64_t count = ring->count;

		set_on(b, BTAP_EV_timer_set, on);
		errno = 77;
		assert_true(btapw_put3(&b->w, BTAP_EV_timer_set, on, 22, 33));
		assert_int_equal(errno, 77);
		assert_int_equal(ring->count, count + is_ring);
		if (on & BTAP_ON_TRACEPOINT) {
			assert_int_equal(read(b->out, got, sizeof(got)), 32);
			assert_int_equal(BTAP_HEAD_EVENT(got[0]), BTAP_EV_timer_set);
			assert_int_equal(BTAP_HEAD_WORDS(got[0]), 4);
			assert_int_equal(got[1], on);
			assert_int_equal(got[3], 33);
		} else {
			assert_int_equal(read(b->out, got, sizeof(got)), -1);
		}
	}
	/* 1, 3, 5, 7 are in the ring, one behind the other, and time does not go back. */
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(first[i * 4 + 1], 2 * i + 1);
		assert_int_equal(first[i * 4 + 2], 22);
		assert_int_equal(BTAP_HEAD_WORDS(first[i * 4]), 4);
		if (i)
			assert_true(BTAP_HEAD_TIME(first[i * 4]) >= BTAP_HEAD_TIME(first[i * 4 - 4]));
	}
	assert_int_equal(ring->pos, 64 + 4 * 32);
	free_bed(b);
}

static void what_no_ring_takes_is_handed_over_still(void **state)
{
	struct bed *b = new_bed();
	uint64_t got[300], *p;

	/* Longer than a sub-buffer can be; too long for any record; none. */
	set_on(b, BTAP_EV_process_exit, BTAP_ON_RING | BTAP_ON_TRACEPOINT);
	p = btapw_reserve(&b->w, BTAP_EV_process_exit, BTAP_MAX_WORDS);
	assert_non_null(p);
	for (unsigned int i = 1; i < BTAP_MAX_WORDS; i++)
		btapw_set(p, i, i);
	btapw_commit(&b->w);
	assert_int_equal(read(b->out, got, sizeof(got)), 8 * BTAP_MAX_WORDS);
	assert_int_equal(got[254], 254);
	assert_null(btapw_reserve(&b->w, BTAP_EV_process_exit, BTAP_MAX_WORDS + 1));
	assert_null(btapw_reserve(&b->w, BTAP_EV_process_exit, 0));
	assert_int_equal(b->w.ring->count, 3);
	assert_int_equal(b->w.ring->dropped, 2);
	/* A thread for which no ring was left. */
	btapw_init(&b->w, NULL, NULL, 0, 0, b->m->ctl, false);
	b->w.unwritten = (uint64_t *)&b->m->hdr->unwritten;
	b->w.map = b->m;
	assert_true(btapw_put1(&b->w, BTAP_EV_process_exit, 1));
	assert_int_equal(read(b->out, got, sizeof(got)), 16);
	assert_int_equal(b->m->hdr->unwritten, 1);
	set_on(b, BTAP_EV_process_exit, BTAP_ON_TRACEPOINT);
	assert_true(btapw_put1(&b->w, BTAP_EV_process_exit, 1));
	assert_int_equal(read(b->out, got, sizeof(got)), 16);
	assert_int_equal(b->m->hdr->unwritten, 1);
	/* A full pipe, or a module that refuses, is nobody's fault. */
	while (write(b->m->dev_fd, got, sizeof(got)) > 0)
		;
	assert_true(btapw_put1(&b->w, BTAP_EV_process_exit, 1));
	/* Without region, nothing happens. */
	memset(&b->w, 0, sizeof(b->w));
	assert_false(btapw_put1(&b->w, BTAP_EV_process_exit, 1));
	free_bed(b);
}

static void what_readers_were_not_asked_for_stays_theirs(void **state)
{
	struct bed *b = new_bed();

	/* tap_start and the like are written for readers of the ring, also while a probe listens. */
	set_on(b, BTAP_EV_tap_start, BTAP_ON_USDT);
	btapw_put2(&b->w, BTAP_EV_tap_start, 1, BTAP_TEXT_NONE);
	assert_int_equal(b->w.ring->count, 1);
	free_bed(b);
}

static void semaphores_switch_probes(void **state)
{
	struct bed *b = new_bed();
	const uint8_t *on = b->m->ctl->on;
	uint64_t all[BTAP_MASK_WORDS] = { ~0ull, ~0ull, ~0ull, ~0ull };

	assert_int_equal(btapw_map_leases(b->m, b->ls), 0);
	btapw_usdt_sem[BTAP_EV_message_send] = 1;
	btapw_usdt_sem[254] = 1; /* no such event */
	assert_int_equal(btapw_map_leases(b->m, b->ls), BTAPW_CHANGED_OTHER);
	assert_int_equal(on[BTAP_EV_message_send], BTAP_ON_USDT);
	assert_int_equal(on[254], 0);
	assert_int_equal(b->ls->want[0], 1ull << BTAP_EV_message_send);
	/* The ring is for those who hold a lease. */
	btapw_map_enable(b->m, all);
	assert_int_equal(on[BTAP_EV_message_send], BTAP_ON_USDT);
	assert_int_equal(btapw_map_leases(b->m, b->ls), 0);
	/* The kernel's bit is the kernel's. */
	set_on(b, BTAP_EV_process_exit, BTAP_ON_TRACEPOINT);
	assert_int_equal(btapw_map_leases(b->m, b->ls), BTAPW_CHANGED_OTHER);
	assert_int_equal(on[BTAP_EV_process_exit], BTAP_ON_TRACEPOINT);
	assert_true(b->ls->other[BTAP_EV_process_exit / 64] >> (BTAP_EV_process_exit % 64) & 1);
	set_on(b, BTAP_EV_process_exit, 0);
	btapw_usdt_sem[BTAP_EV_message_send] = 0;
	btapw_usdt_sem[254] = 0;
	assert_int_equal(btapw_map_leases(b->m, b->ls), BTAPW_CHANGED_OTHER);
	assert_int_equal(on[BTAP_EV_message_send], 0);
	assert_int_equal(b->ls->want[0], 0);
	free_bed(b);
}

static const char *arg(const struct btapw_usdt_args *a, unsigned int i)
{
	return (const char *)(uintptr_t)a->arg[i];
}

#define PID(n, s) ((uint64_t)(s) << 19 | (uint64_t)(n) << 4 | BTAP_TAG_PID)
#define PORT(n)	  ((uint64_t)(n) << 4 | BTAP_TAG_PORT)

static void arguments_are_texts_and_numbers(void **state)
{
	struct bed *b = new_bed();
	struct btapw_usdt_args *a = malloc(sizeof(*a));
	uint64_t rec[BTAP_MAX_WORDS], atom = BTAP_ATOM_TERM(7ull), high = BTAP_ATOM_TERM(0xfffffffull);
	uint64_t name = btapw_map_name(b->m, "tcp_inet", 8);
	struct btapw_text t;
	char text[1200];

	btapw_map_string(b->m, BTAP_STRING_ATOM, atom, "lists", 5);
	btapw_map_string(b->m, BTAP_STRING_ATOM, high, "map", 3);

	/* The fourth field is the third argument. */
	rec[0] = BTAP_HEAD(BTAP_EV_message_send_remote, 6, 0);
	rec[1] = PID(80, 3);
	rec[2] = atom;
	rec[3] = 9;
	t = btapw_text_fit("<9.1.0>", 7, 100);
	btapw_text_store(rec + 4, &t);
	btapw_usdt_args(b->m, rec, 6, a);
	assert_string_equal(arg(a, 0), "<0.80.3>");
	assert_string_equal(arg(a, 1), "lists");
	assert_string_equal(arg(a, 2), "<9.1.0>");
	assert_int_equal(a->arg[3], 9);
	assert_true(a->arg[4] == BTAP_UNKNOWN && a->arg[6] == BTAP_UNKNOWN);

	rec[0] = BTAP_HEAD(BTAP_EV_function_entry, 4, 0);
	rec[2] = BTAP_MFA(7, 0xfffffff, 2);
	rec[3] = BTAP_UNKNOWN;
	btapw_usdt_args(b->m, rec, 4, a);
	assert_string_equal(arg(a, 1), "lists:map/2");
	rec[2] = BTAP_MFA(8, 9, 255);
	btapw_usdt_args(b->m, rec, 4, a);
	assert_string_equal(arg(a, 1), "#Atom<8>:#Atom<9>/255");
	rec[2] = 0;
	btapw_usdt_args(b->m, rec, 4, a);
	assert_string_equal(arg(a, 1), "");

	rec[0] = BTAP_HEAD(BTAP_EV_port_command, 5, 0);
	rec[1] = PID(1, 0);
	rec[2] = PORT(4242);
	rec[3] = name;
	rec[4] = 12; /* no term */
	btapw_usdt_args(b->m, rec, 5, a);
	assert_string_equal(arg(a, 1), "#Port<0.4242>");
	assert_string_equal(arg(a, 2), "tcp_inet");
	assert_string_equal(arg(a, 3), "");
	assert_true(a->arg[4] == BTAP_UNKNOWN);
	for (uint64_t n = 0; n < 3; n++) {
		rec[3] = n == 0 ? 0 : n == 1 ? name + 1 : UINT64_MAX;
		btapw_usdt_args(b->m, rec, 5, a);
		assert_string_equal(arg(a, 2), "");
	}

	/* Texts: whole words, none, cut before a character, and a length that is a lie. */
	rec[0] = BTAP_HEAD(BTAP_EV_process_exit, 4, 0);
	t = btapw_text_fit("shutdown", 8, 100);
	btapw_text_store(rec + 2, &t);
	btapw_usdt_args(b->m, rec, 4, a);
	assert_string_equal(arg(a, 1), "shutdown");
	rec[2] = BTAP_TEXT_NONE;
	btapw_usdt_args(b->m, rec, 3, a);
	assert_string_equal(arg(a, 1), "");
	rec[2] = 9;
	btapw_usdt_args(b->m, rec, 4, a);
	assert_string_equal(arg(a, 1), "");
	rec[2] = BTAP_TEXT_NONE - 1;
	btapw_usdt_args(b->m, rec, 4, a);
	assert_string_equal(arg(a, 1), "");
	for (unsigned int i = 0; i < 1200; i++)
		text[i] = i % 2 ? '\xa4' : '\xc3';
	t = btapw_text_fit(text, 1200, 1200);
	btapw_text_store(rec + 2, &t);
	btapw_usdt_args(b->m, rec, 3 + 150, a);
	assert_int_equal(strlen(arg(a, 1)), 510);

	/* Four texts of 500 bytes, in all that fits. */
	rec[0] = BTAP_HEAD(BTAP_EV_user_trace_i4s4, BTAP_MAX_WORDS, 0);
	t = btapw_text_fit(text, 480, 1200);
	uint64_t *p = btapw_text_store(rec + 2, &t);
	for (unsigned int i = 0; i < 4; i++)
		*p++ = i;
	for (unsigned int i = 0; i < 3; i++)
		p = btapw_text_store(p, &t);
	t = btapw_text_fit(NULL, 0, 8);
	p = btapw_text_store(p, &t);
	btapw_usdt_args(b->m, rec, (unsigned int)(p - rec), a);
	assert_int_equal(strlen(arg(a, 1)), 480);
	assert_int_equal(strlen(arg(a, 8)), 480);
	assert_int_equal(a->arg[5], 3);
	assert_string_equal(arg(a, 9), "");
	free(a);
	free_bed(b);
}

static void a_spoilt_string_table_spoils_the_text_alone(void **state)
{
	struct bed *b = new_bed();
	struct btap_string *s = (struct btap_string *)b->m->strtab->data;
	uint64_t atom = BTAP_ATOM_TERM(7ull);
	size_t len = 0;

	btapw_map_string(b->m, BTAP_STRING_ATOM, atom, "lists", 5);
	assert_memory_equal(btapw_map_atom_text(b->m, atom, &len), "lists", 5);
	assert_int_equal(len, 5);
	b->m->str_room = 64;
	s->len = 0xffff;
	assert_null(btapw_map_atom_text(b->m, atom, &len));
	assert_null(btapw_map_atom_text(b->m, BTAP_ATOM_TERM(8ull), &len));
	assert_null(btapw_map_atom_text(b->m, BTAP_ATOM_TERM(1ull << 40), &len));
	assert_null(btapw_map_atom_text(b->m, UINT64_MAX, &len));
	free_bed(b);
}

/* What the ELF notes of this program say. */
struct note {
	const char *name, *args;
	uint64_t pc, sem;
};

static unsigned int read_notes(const unsigned char *elf, struct note *to, unsigned int max)
{
	const Elf64_Ehdr *eh = (const void *)elf;
	const Elf64_Shdr *sh = (const void *)(elf + eh->e_shoff);
	const char *names = (const char *)elf + sh[eh->e_shstrndx].sh_offset;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < eh->e_shnum; i++) {
		if (strcmp(names + sh[i].sh_name, ".note.stapsdt") != 0)
			continue;
		for (size_t at = 0; at + sizeof(Elf64_Nhdr) < sh[i].sh_size && nr < max;) {
			const unsigned char *p = elf + sh[i].sh_offset + at;
			const Elf64_Nhdr *nh = (const void *)p;
			const unsigned char *d = p + sizeof(*nh) + (nh->n_namesz + 3u) / 4 * 4;
			const char *provider = (const char *)d + 24;

			assert_int_equal(nh->n_type, 3);
			assert_string_equal((const char *)p + sizeof(*nh), "stapsdt");
			assert_string_equal(provider, "beamtap");
			memcpy(&to[nr].pc, d, 8);
			memcpy(&to[nr].sem, d + 16, 8);
			to[nr].name = provider + strlen(provider) + 1;
			to[nr].args = to[nr].name + strlen(to[nr].name) + 1;
			nr++;
			at = (size_t)(d - (elf + sh[i].sh_offset)) + (nh->n_descsz + 3u) / 4 * 4;
		}
	}
	return nr;
}

static void the_notes_are_the_catalogue(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct note note[300];
	const struct desc *d;
	unsigned char *elf;
	struct stat st;
	char want[300];

	assert_int_equal(fstat(fd, &st), 0);
	elf = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_ptr_not_equal(elf, MAP_FAILED);
	assert_int_equal(read_notes(elf, note, 300), desc_nr);
	for (unsigned int i = 0; i < desc_nr; i++) {
		d = desc_find(note[i].name, strlen(note[i].name));
		assert_non_null(d);
		assert_string_equal(note[i].name, d->usdt);
		/* One behind the other: 8 bytes of code, 2 of semaphore, by id. */
		assert_int_equal(note[i].pc - note[0].pc, 8 * (d->id - desc_all[0]->id));
		assert_int_equal(note[i].sem - note[0].sem, 2 * (d->id - desc_all[0]->id));
		want[0] = '\0';
		for (unsigned int a = 0; a < d->nr_args; a++) {
			/* No position is left out, or D's arguments would not be the probe's. */
			int f = desc_arg_index(d, a);
			const char *type;

			assert_true(f >= 0);
			type = desc_types[d->fields[f].type].dtype;
			sprintf(want + strlen(want), "%s%s8@%u(%%rdi)", a ? " " : "",
				strcmp(type, "int") == 0 || strcmp(type, "int64_t") == 0 ? "-" : "",
				8 * a);
		}
		assert_string_equal(note[i].args, want);
	}
	munmap(elf, (size_t)st.st_size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gets_what_it_wants),
		cmocka_unit_test(what_no_ring_takes_is_handed_over_still),
		cmocka_unit_test(what_readers_were_not_asked_for_stays_theirs),
		cmocka_unit_test(semaphores_switch_probes),
		cmocka_unit_test(arguments_are_texts_and_numbers),
		cmocka_unit_test(a_spoilt_string_table_spoils_the_text_alone),
		cmocka_unit_test(the_notes_are_the_catalogue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
