/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reason.h - a term as short text
 *
 * Exit reasons and exceptions can be of any size and hold anything.  What is
 * written here is bounded in bytes, in depth and in terms looked at, so that its
 * cost is bounded too; what is left out is shown as "...".  The text is UTF-8
 * without control characters: those of a binary or string are escaped.
 */
#ifndef BEAMTAP_AGENT_REASON_H
#define BEAMTAP_AGENT_REASON_H

#include <stddef.h>
#include <erl_nif.h>

#define REASON_MAX   120 /* bytes of text, without the end */
#define REASON_DEPTH 6
#define REASON_TERMS 48

/**
 * reason_print() - write a term
 * @env: any environment, also one without a process
 * @buf: out: REASON_MAX bytes and NUL
 *
 * Return: bytes written
 */
size_t reason_print(ErlNifEnv *env, ERL_NIF_TERM term, char buf[REASON_MAX + 1]);

/**
 * reason_atom() - the text of an atom, as it is, in UTF-8
 * @buf: out: 255 characters of up to 4 bytes, and NUL
 *
 * Return: bytes, or -1
 */
int reason_atom(ErlNifEnv *env, ERL_NIF_TERM atom, char buf[1024]);

/**
 * reason_remote() - name and node of a process of another node
 * @term: pid, or an alias: a reference that a process is reached by
 * @text: out: as Erlang prints it, but for the first number, which is 0
 * @node: out: atom, or 0
 *
 * Return: bytes of text, or -1 when it is none
 */
int reason_remote(ErlNifEnv *env, ERL_NIF_TERM term, char text[64], ERL_NIF_TERM *node);

/* How local pids and ports are numbered in this release; see struct btap_facts. */
struct reason_layout {
	unsigned int pid_number_bits, pid_serial_bits, port_number_bits;
};
extern struct reason_layout reason_layout;

#endif /* BEAMTAP_AGENT_REASON_H */
