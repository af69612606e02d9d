/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atom.h - names of modules, functions and other atoms, as Erlang or Elixir write them
 *
 * Input is UTF-8 text of an atom; all functions append to an outbuf.
 */
#ifndef BEAMTAP_ATOM_H
#define BEAMTAP_ATOM_H

#include <stdbool.h>
#include "event/outbuf.h"

/**
 * atom_put() - as io_lib:write_atom/1 does: `ok`, `'Elixir.Shop'`, `'it\'s'`, `'\e[2J'`
 * @otp: OTP release of the VM: `maybe` and `else` are words of the language since 27
 */
void atom_put(struct outbuf *o, const char *s, size_t len, unsigned int otp);

/** atom_is_reserved() - Return: whether a text is a word of the language in an OTP release */
bool atom_is_reserved(const char *s, size_t len, unsigned int otp);

/**
 * atom_elixir_module() - an Elixir module without its prefix
 *
 * Return: what follows `Elixir.`, or NULL where that is no alias such as Shop.Cart
 */
const char *atom_elixir_module(const char *s, size_t len, size_t *rest);

/** atom_put_elixir_function() - `total`, `do_it?`, `+`, `"any other"` */
void atom_put_elixir_function(struct outbuf *o, const char *s, size_t len);

/* A function that the compiler made out of a part of another. */
struct atom_fun {
	const char *what; /* "fun", "list comprehension", ...; static */
	const char *name; /* of a named fun, else NULL */
	size_t name_len;
	const char *number; /* digits that tell it from its siblings */
	size_t number_len;
	const char *parent; /* function it stands in */
	size_t parent_len;
	unsigned int arity; /* of that */
};
/** atom_fun() - take `-t_call/1-fun-1-` apart.  Return: false if the name is not of that kind */
bool atom_fun(const char *s, size_t len, struct atom_fun *f);

#endif /* BEAMTAP_ATOM_H */
