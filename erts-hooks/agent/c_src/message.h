/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - how a message can be told from others: the `msg` of its records
 *
 * A stock VM has no identities of messages; from one process to another, readers
 * count them.  Two kinds of messages would spoil the count:
 *
 *  - What the VM itself makes in a process's name, which is received but not sent:
 *    exit signals that are trapped, 'DOWN', answers to process_info/2 and other
 *    requests, {'ETS-TRANSFER', ...}, the answer to spawn_request/1.
 *  - Answers to an alias, which are sent but not received once it has been given up.
 *
 * Which of the first a message is cannot be told: a process may send the like.  So
 * all of such a shape have the msg BTAP_UNKNOWN, sent or received, and are not
 * counted.  The second have their alias in them: [alias | Alias] or Alias is the
 * first of two elements, as gen:reply/2 and Elixir's tasks have it.  That is their
 * identity.
 */
#ifndef BEAMTAP_AGENT_MESSAGE_H
#define BEAMTAP_AGENT_MESSAGE_H

#include "term.h"

void message_load(ErlNifEnv *env);

/* Cold or not: what message_id() is for a term that is neither immediate nor a list. */
uint64_t message_id_boxed(ErlNifEnv *env, ERL_NIF_TERM msg, ERL_NIF_TERM from);

/**
 * message_id() - the `msg` of a message's record
 * @from: its sender, a local process; for others the result is 0
 *
 * Return: the same where it is sent and where it is received: an identity; 0, when
 * it can be found by its order only; BTAP_UNKNOWN, when not by that either
 */
static inline uint64_t message_id(ErlNifEnv *env, ERL_NIF_TERM msg, ERL_NIF_TERM from)
{
	return (msg & 3) == 2 && term_is_pid(from) ? message_id_boxed(env, msg, from) : 0;
}

#endif /* BEAMTAP_AGENT_MESSAGE_H */
