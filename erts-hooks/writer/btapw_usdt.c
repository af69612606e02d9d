// SPDX-License-Identifier: Apache-2.0
/*
 * btapw_usdt.c - the USDT probes, projected from the catalogue; see btapw_usdt.h
 *
 * A probe is a 5-byte nop (which newer kernels can replace by a call instead of a trap)
 * and a return, called with the address of an array of arguments.  A note in the ELF
 * section .note.stapsdt says where the nop, its semaphore and its arguments are; its
 * layout is the one that SystemTap's sys/sdt.h made common.  The note's arguments are
 * all in that array, so no two probes differ but in their number.
 */
#include "btapw_usdt.h"
#include "btapw_map_int.h"

#if defined(__x86_64__)

/* Raised by the kernel: by event id. */
__attribute__((section(".probes"), visibility("hidden"), used))
volatile unsigned short btapw_usdt_sem[BTAP_MAX_EVENTS] = { 0 };

/* 8 bytes an event id: nop, return, padding. */
extern const char btapw_usdt_sites[] __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n"
	".balign 8\n"
	".hidden btapw_usdt_sites\n"
	".globl btapw_usdt_sites\n"
	".type btapw_usdt_sites, @function\n"
	"btapw_usdt_sites:\n"
	".cfi_startproc\n"
	".rept 256\n"
	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3, 0x66, 0x90\n"
	".endr\n"
	".cfi_endproc\n"
	".size btapw_usdt_sites, . - btapw_usdt_sites\n"
	".popsection\n"
	/* What tells a reader of the notes by how much addresses have moved since the link. */
	".pushsection .stapsdt.base, \"aG\", @progbits, .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n"
	/* Argument number \i at \off in the array, where the event has so many. */
	".macro btapw_arg i, off\n"
	".if \\i < btapw_nr\n"
	".if \\i\n.ascii \" \"\n.endif\n"
	".if btapw_signed_\\i\n.ascii \"-\"\n.endif\n"
	".ascii \"8@\\off(%rdi)\"\n"
	".endif\n"
	".endm\n"
	".macro btapw_note id, name\n"
	".pushsection .note.stapsdt, \"\", @note\n"
	".balign 4\n"
	".4byte 992f - 991f, 994f - 993f, 3\n"
	"991: .asciz \"stapsdt\"\n"
	"992: .balign 4\n"
	"993: .8byte btapw_usdt_sites + 8 * \\id\n"
	".8byte _.stapsdt.base\n"
	".8byte btapw_usdt_sem + 2 * \\id\n"
	".asciz \"beamtap\"\n"
	".asciz \"\\name\"\n"
	"btapw_arg 0, 0\n"
	"btapw_arg 1, 8\n"
	"btapw_arg 2, 16\n"
	"btapw_arg 3, 24\n"
	"btapw_arg 4, 32\n"
	"btapw_arg 5, 40\n"
	"btapw_arg 6, 48\n"
	"btapw_arg 7, 56\n"
	"btapw_arg 8, 64\n"
	"btapw_arg 9, 72\n"
	"btapw_arg 10, 80\n"
	"btapw_arg 11, 88\n"
	".byte 0\n"
	"994: .balign 4\n"
	".popsection\n"
	".endm\n");

/* Is a type a number with a sign?  As its D type says. */
#define AS_TYPE(name, wire, dtype, unit, doc) \
	".set btapw_type_" #name ", 0\n" \
	".ifeqs \"" dtype "\", \"int64_t\"\n.set btapw_type_" #name ", 1\n.endif\n" \
	".ifeqs \"" dtype "\", \"int\"\n.set btapw_type_" #name ", 1\n.endif\n"
__asm__(BTAP_TYPES(AS_TYPE));
#undef AS_TYPE

/* The notes: an event's fields first say which positions there are. */
#define AS_ARG(type, name, arg, need, doc) \
	".set btapw_signed_" #arg ", btapw_type_" #type "\n" \
	".if " #arg " >= btapw_nr\n.set btapw_nr, " #arg " + 1\n.endif\n"
#define AS_NOTE(id, name, usdt, doc) \
	".set btapw_nr, 0\n" \
	BTAP_FIELDS_##name(AS_ARG) \
	"btapw_note " #id ", " #usdt "\n"
__asm__(BTAP_EVENTS(AS_NOTE));
#undef AS_NOTE
#undef AS_ARG

enum type {
#define AS_TYPE(name, wire, dtype, unit, doc) T_##name,
	BTAP_TYPES(AS_TYPE)
#undef AS_TYPE
};

struct field {
	uint8_t type, arg;
};

#define AS_FIELD(type, name, arg, need, doc) { T_##type, arg },
#define AS_FIELDS(id, name, usdt, doc) \
	static const struct field fields_##name[] = { BTAP_FIELDS_##name(AS_FIELD) };
BTAP_EVENTS(AS_FIELDS)
#undef AS_FIELDS
#undef AS_FIELD

static const struct {
	const struct field *fields;
	uint8_t nr;
} events[BTAP_MAX_EVENTS] = {
#define AS_EVENT(id, name, usdt, doc) \
	[id] = { fields_##name, sizeof(fields_##name) / sizeof(fields_##name[0]) },
	BTAP_EVENTS(AS_EVENT)
#undef AS_EVENT
};

static void put(struct btapw_usdt_args *t, const char *s, size_t len)
{
	size_t room = (size_t)(t->end - t->to);

	if (len > room)
		/* Before a character, not in it. */
		for (len = room; len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80;)
			len--;
	memcpy(t->to, s, len);
	t->to += len;
}

static void put_number(struct btapw_usdt_args *t, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	put(t, digits + n, sizeof(digits) - n);
}

static uint64_t bits(uint64_t v, unsigned int shift, unsigned int nr)
{
	return nr == 0 || shift > 63 ? 0 : v >> shift & (~0ull >> (64 - (nr > 63 ? 64 : nr)));
}

static void put_atom(struct btapw_usdt_args *t, uint64_t term)
{
	size_t len;
	const char *s = btapw_map_atom_text(t->m, term, &len);

	if (s) {
		put(t, s, len);
		return;
	}
	put(t, "#Atom<", 6);
	put_number(t, BTAP_ATOM_NUMBER(term));
	put(t, ">", 1);
}

static void put_term(struct btapw_usdt_args *t, uint64_t v)
{
	const struct btap_facts *f = &t->m->facts;

	if ((v & BTAP_TAG_MASK4) == BTAP_TAG_PID) {
		put(t, "<0.", 3);
		put_number(t, bits(v, f->pid_shift, f->pid_number_bits));
		put(t, ".", 1);
		put_number(t, bits(v, f->pid_shift + f->pid_number_bits, f->pid_serial_bits));
		put(t, ">", 1);
	} else if ((v & BTAP_TAG_MASK4) == BTAP_TAG_PORT) {
		put(t, "#Port<0.", 8);
		put_number(t, bits(v, f->port_shift, f->port_number_bits));
		put(t, ">", 1);
	} else if ((v & BTAP_TAG_MASK6) == BTAP_TAG_ATOM) {
		put_atom(t, v);
	}
}

static void put_mfa(struct btapw_usdt_args *t, uint64_t v)
{
	if (v == 0)
		return;
	put_atom(t, BTAP_ATOM_TERM((uint64_t)BTAP_MFA_MODULE(v)));
	put(t, ":", 1);
	put_atom(t, BTAP_ATOM_TERM((uint64_t)BTAP_MFA_FUNCTION(v)));
	put(t, "/", 1);
	put_number(t, BTAP_MFA_ARITY(v));
}

static void put_str(struct btapw_usdt_args *t, uint64_t number)
{
	size_t len;
	const char *s = btapw_map_name_text(t->m, number, &len);

	if (s)
		put(t, s, len);
}

/* A field's value as the probe's argument.  @words: left of the record, 1 or more. */
static uint64_t value_of(struct btapw_usdt_args *t, enum type type, const uint64_t *p, size_t words)
{
	char *begin = t->to, *end = t->buf + sizeof(t->buf) - 1;

	t->end = end - begin > BTAPW_USDT_TEXT_MAX ? begin + BTAPW_USDT_TEXT_MAX : end;
	switch (type) {
	case T_pid:
	case T_port:
	case T_ident:
	case T_atom:
		put_term(t, p[0]);
		break;
	case T_mfa:
		put_mfa(t, p[0]);
		break;
	case T_str:
		put_str(t, p[0]);
		break;
	case T_text:
		if (p[0] != BTAP_TEXT_NONE && p[0] <= (words - 1) * 8)
			put(t, (const char *)(p + 1), p[0]);
		break;
	default:
		return p[0];
	}
	*t->to = '\0';
	if (t->to < end)
		t->to++;
	return (uintptr_t)begin;
}

static bool is_string(enum type type)
{
	switch (type) {
#define AS_CASE(name, wire, dtype, unit, doc) case T_##name: return dtype[0] == 's';
	BTAP_TYPES(AS_CASE)
#undef AS_CASE
	}
	return false;
}

void btapw_usdt_args(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words,
		     struct btapw_usdt_args *a)
{
	unsigned int event = BTAP_HEAD_EVENT(rec[0]), at = 1;
	const struct field *f = events[event].fields;
	uint64_t len;

	a->m = m;
	a->to = a->buf;
	memset(a->arg, 0, sizeof(a->arg));
	for (unsigned int i = 0; i < events[event].nr; i++, f++) {
		if (at >= nr_words) {
			/* An optional field that was left away. */
			a->arg[f->arg] = is_string(f->type) ? (uintptr_t) "" : BTAP_UNKNOWN;
			continue;
		}
		a->arg[f->arg] = value_of(a, f->type, rec + at, nr_words - at);
		if (f->type == T_text && rec[at] != BTAP_TEXT_NONE) {
			len = rec[at] / 8 + (rec[at] % 8 != 0);
			at += len < nr_words ? (unsigned int)len : nr_words;
		}
		at++;
	}
}

void btapw_usdt_fire(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words)
{
	unsigned int event = BTAP_HEAD_EVENT(rec[0]);
	void (*site)(const uint64_t *args);
	struct btapw_usdt_args a;

	if (event >= BTAP_MAX_EVENTS || !events[event].fields || !btapw_usdt_sem[event])
		return;
	btapw_usdt_args(m, rec, nr_words, &a);
	site = (void (*)(const uint64_t *))(uintptr_t)(btapw_usdt_sites + 8 * (size_t)event);
	site(a.arg);
}

void btapw_usdt_wanted(uint64_t want[BTAP_MASK_WORDS])
{
	memset(want, 0, 8 * BTAP_MASK_WORDS);
	for (unsigned int i = 1; i < BTAP_MAX_EVENTS; i++)
		if (btapw_usdt_sem[i] && events[i].fields)
			want[i / 64] |= 1ull << (i % 64);
}

#else /* another processor: its addressing modes are not known here */

void btapw_usdt_args(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words,
		     struct btapw_usdt_args *a)
{
	memset(a, 0, sizeof(*a));
}

void btapw_usdt_fire(const struct btapw_map *m, const uint64_t *rec, unsigned int nr_words)
{
}

void btapw_usdt_wanted(uint64_t want[BTAP_MASK_WORDS])
{
	memset(want, 0, 8 * BTAP_MASK_WORDS);
}

#endif
