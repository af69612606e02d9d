/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h - reading the VM's terms in place
 *
 * A tracer callback gets terms that the VM has just built.  Asking enif_*
 * functions for each list cell and tuple element costs more than all the rest
 * of the callback, so the few shapes that matter are read directly: immediates,
 * list cells, tuples, and maps of one or two keys.  term_init() builds such
 * terms through the official interface and looks whether they are laid out as
 * this file believes; if one is not, term_is_raw stays false and the official
 * interface is used for everything but the tags of immediates, which records.h
 * fixes for all releases known.
 *
 * Nothing here follows a pointer that did not come from the VM in this call.
 */
#ifndef BEAMTAP_AGENT_TERM_H
#define BEAMTAP_AGENT_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <erl_nif.h>
#include <beamtap/records.h>

#define TERM_PTR(t)  ((const ERL_NIF_TERM *)((t) & ~(ERL_NIF_TERM)7))
#define TERM_ALIAS_MAX 8
#define TERM_NONE    ((ERL_NIF_TERM)0)
#define TERM_LIKELY(x) __builtin_expect(!!(x), 1)

extern bool term_is_raw;
extern ERL_NIF_TERM term_map_head; /* first word of a small map */
extern ERL_NIF_TERM term_alias_head; /* first word of an alias; 0: not known */
extern unsigned int term_alias_at;   /* which word of it is the process */

/**
 * term_init() - check the layout of terms in this VM
 * @env: of a NIF call
 *
 * Return: false when a pid, an atom or a small integer is not what records.h
 * says; nothing can be traced then.
 */
bool term_init(ErlNifEnv *env);

/**
 * term_learn_alias() - find where an alias keeps its process
 * @alias: of the process @self
 *
 * Return: false when that could not be told, or a copy is not the same words;
 * aliases are not resolved then.
 */
bool term_learn_alias(ErlNifEnv *env, ERL_NIF_TERM alias, ERL_NIF_TERM self);

static inline bool term_is_atom(ERL_NIF_TERM t)
{
	return (t & BTAP_TAG_MASK6) == BTAP_TAG_ATOM;
}

static inline bool term_is_pid(ERL_NIF_TERM t)
{
	return (t & BTAP_TAG_MASK4) == BTAP_TAG_PID;
}

static inline bool term_is_port(ERL_NIF_TERM t)
{
	return (t & BTAP_TAG_MASK4) == BTAP_TAG_PORT;
}

/*
 * From OTP 26 on the low `bits` of the number in a pid or port are rotated by `by`: they are its
 * place in the VM's table, spread over cache lines.  Records hold the number as it is printed.
 */
struct term_rotation {
	unsigned int bits, by; /* bits 0: none */
};
extern struct term_rotation term_rotation;

/* A pid or port as records hold it. */
static inline uint64_t term_word(ERL_NIF_TERM t)
{
	unsigned int bits = term_rotation.bits, by = term_rotation.by;
	uint64_t mask, low;

	if (!bits)
		return t;
	mask = (1ULL << bits) - 1;
	low = t >> 4 & mask;
	low = (low >> by | low << (bits - by)) & mask;
	return (t & ~(mask << 4)) | low << 4;
}

/* A local process, port or an atom: what a record can hold.  0 for all else. */
static inline uint64_t term_ident(ERL_NIF_TERM t)
{
	if (term_is_pid(t) || term_is_port(t))
		return term_word(t);
	return term_is_atom(t) ? t : 0;
}

static inline uint64_t term_pid(ERL_NIF_TERM t)
{
	return term_is_pid(t) ? term_word(t) : 0;
}

/* Small integers only; others give @unknown. */
static inline uint64_t term_small(ERL_NIF_TERM t, uint64_t unknown)
{
	return (t & 0xf) == 0xf ? (uint64_t)((int64_t)t >> 4) : unknown;
}

/* Words that a term takes on a heap, where that is seen at once. */
static inline uint64_t term_size(ERL_NIF_TERM t)
{
	return (t & 3) == 3 ? 0 : BTAP_UNKNOWN;
}

static inline bool term_cell(ErlNifEnv *env, ERL_NIF_TERM t, ERL_NIF_TERM *head,
			     ERL_NIF_TERM *tail)
{
	if (TERM_LIKELY(term_is_raw)) {
		if ((t & 3) != 1)
			return false;
		*head = TERM_PTR(t)[0];
		*tail = TERM_PTR(t)[1];
		return true;
	}
	return enif_get_list_cell(env, t, head, tail);
}

/* Return: the elements, @arity of them; NULL when it is no tuple */
static inline const ERL_NIF_TERM *term_tuple(ErlNifEnv *env, ERL_NIF_TERM t, int *arity)
{
	const ERL_NIF_TERM *p;

	if (TERM_LIKELY(term_is_raw)) {
		if ((t & 3) != 2)
			return NULL;
		p = TERM_PTR(t);
		if (p[0] & 0x3f)
			return NULL;
		*arity = (int)(p[0] >> 6);
		return p + 1;
	}
	return enif_get_tuple(env, t, arity, &p) ? p : NULL;
}

/* The process behind an alias, which is what calls of OTP's servers are answered to; or 0. */
static inline ERL_NIF_TERM term_alias(ERL_NIF_TERM t)
{
	ERL_NIF_TERM p;

	if (!term_alias_head || (t & 3) != 2 || TERM_PTR(t)[0] != term_alias_head)
		return 0;
	p = TERM_PTR(t)[term_alias_at];
	return term_is_pid(p) ? p : 0;
}

/*
 * A number of an alias, the same for each copy of it; 0 when it is none.  Two aliases have
 * different ones but by a chance of 2^-63.
 */
static inline uint64_t term_alias_id(ERL_NIF_TERM t)
{
	uint64_t id = 0;
	unsigned int i, nr = (unsigned int)(term_alias_head >> 6);

	if (!term_alias(t))
		return 0;
	for (i = 1; i <= nr && i <= TERM_ALIAS_MAX; i++) {
		id = (id ^ TERM_PTR(t)[i]) * 0x9e3779b97f4a7c15;
		id ^= id >> 32;
	}
	return id >> 1 | 1;
}

/* A value of the tracer's options.  Return: TERM_NONE when the key is not there */
static inline ERL_NIF_TERM term_option(ErlNifEnv *env, ERL_NIF_TERM map, ERL_NIF_TERM key)
{
	const ERL_NIF_TERM *p, *keys;
	ERL_NIF_TERM value;
	uint64_t i, n;

	if (TERM_LIKELY(term_map_head && (map & 3) == 2)) {
		p = TERM_PTR(map);
		if (TERM_LIKELY(p[0] == term_map_head)) {
			n = p[1];
			keys = TERM_PTR(p[2]) + 1;
			for (i = 0; i < n && i < 8; i++)
				if (keys[i] == key)
					return p[3 + i];
			return TERM_NONE;
		}
	}
	return enif_get_map_value(env, map, key, &value) ? value : TERM_NONE;
}

#endif /* BEAMTAP_AGENT_TERM_H */
