/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h - the VM's terms as text, and back
 *
 * Terms in records are raw words of the VM.  How a pid's or port's number lies
 * in its word differs between OTP releases and is said by the region's facts
 * (btap_facts.pid_shift ...).  Everything printed is as Erlang prints it:
 *
 *	<0.80.0>  #Port<0.5>  ok  'Elixir.Shop'  lists:map/2  'Elixir.Shop':total/1
 *
 * with TERM_ELIXIR: Shop, Shop.total/1.  A term that is not known, or an atom
 * whose text is not in the string table, is printed as what it is, never
 * guessed: `#Atom<1234>`, `#Term<0xff>`, and `?` for 0.
 */
#ifndef BEAMTAP_TERM_H
#define BEAMTAP_TERM_H

#include <stdbool.h>
#include "event/atom.h"
#include "event/outbuf.h"
#include "source/src.h"

/* Flags of term_init(). */
#define TERM_ELIXIR 1u /* modules as Elixir writes them */
#define TERM_FUNS   2u /* "fun 1 in m:t_call/1" in place of m:'-t_call/1-fun-1-'/0 */

#define TERM_PID_MAX	64 /* bytes of a pid or port at most */
#define TERM_MAX_CACHED (1u << 20)

/* A text that was made once. */
struct term_entry {
	uint64_t key; /* 0: free */
	const char *text;
	uint32_t len;
};
struct term_cache {
	struct term_entry *tab;
	uint32_t mask, nr;
};

/* Printer of the terms of one VM, with what it printed before.  Fields are private. */
struct term_vm {
	const struct src_strings *strs;
	uint32_t otp;
	uint8_t pid_shift, pid_number_bits, pid_serial_bits;
	uint8_t port_shift, port_number_bits;
	unsigned int flags;
	struct term_cache atoms, mfas;
	char **blocks; /* memory of the cached texts */
	uint32_t nr_blocks, nr_scratch;
	char *block;
	size_t block_left;
	struct outbuf scratch[8]; /* in turn, for texts that are not kept */
};

/**
 * term_init() - printer for the terms of @vm
 * @vm:    borrowed for the call; its strings as long as the printer lives
 * @flags: TERM_*
 * Return: 0 or -ENOMEM
 */
int term_init(struct term_vm *t, const struct src_vm *vm, unsigned int flags);
void term_fini(struct term_vm *t);

/** term_put() - append any term, by its tag */
void term_put(struct outbuf *o, struct term_vm *t, uint64_t term);
/** term_put_mfa() - append a BTAP_MFA word */
void term_put_mfa(struct outbuf *o, struct term_vm *t, uint64_t mfa);
/**
 * term_mfa_text() - text of a function, cached
 * @len: out, or NULL
 * Return: text that ends with NUL and lives as long as @t; a text that cannot
 * be kept (an atom in it is not known yet, or TERM_MAX_CACHED functions are
 * kept already) lives until the eighth call after it.
 */
const char *term_mfa_text(struct term_vm *t, uint64_t mfa, size_t *len);
/** term_atom_text() - the same for an atom: as written, with quotes where needed */
const char *term_atom_text(struct term_vm *t, uint64_t term, size_t *len);
/** term_atom_raw() - Return: the atom's characters alone, without quotes, or NULL if not known */
const char *term_atom_raw(const struct term_vm *t, uint64_t term, size_t *len);

/** term_put_pid(), term_put_port() - at most TERM_PID_MAX bytes.  Return: behind the last */
char *term_put_pid(char *p, const struct term_vm *t, uint64_t term);
char *term_put_port(char *p, const struct term_vm *t, uint64_t term);

static inline bool term_is_pid(uint64_t w)  { return (w & BTAP_TAG_MASK4) == BTAP_TAG_PID; }
static inline bool term_is_port(uint64_t w) { return (w & BTAP_TAG_MASK4) == BTAP_TAG_PORT; }
static inline bool term_is_atom(uint64_t w) { return (w & BTAP_TAG_MASK6) == BTAP_TAG_ATOM; }

/* What a user names: as read by term_parse(). */
enum term_kind { TERM_PID, TERM_PORT, TERM_ATOM };
struct term_name {
	enum term_kind kind;
	uint64_t number, serial;   /* of pid or port */
	const char *node;	   /* `<0.80.0>@a@host`, or NULL; borrowed from the text parsed */
	size_t node_len;
	char text[1024];	   /* of an atom: its characters, without quotes; Elixir modules in full */
	size_t len;
};

/**
 * term_parse() - read `<0.80.0>`, `<9646.80.0>`, `#Port<0.5>`, `<0.80.0>@node@host`, `'my name'`, `name`
 *
 * The first number of a pid is that by which some node knows another; it says
 * nothing and is ignored.
 * Return: 0, -EINVAL when it is none of these, -ERANGE when a number is too big.
 */
int term_parse(struct term_name *n, const char *s, size_t len, struct diag *d);
/** term_make() - the word that a pid or port has in @t's VM.  Return: false if it cannot be there */
bool term_make(const struct term_vm *t, const struct term_name *n, uint64_t *term);

#endif /* BEAMTAP_TERM_H */
