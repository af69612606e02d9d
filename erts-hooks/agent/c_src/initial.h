/* SPDX-License-Identifier: Apache-2.0 */
/* initial.h - with what a process begins that proc_lib started, in the words of who wrote it */
#ifndef BEAMTAP_AGENT_INITIAL_H
#define BEAMTAP_AGENT_INITIAL_H

#include <stdint.h>
#include <erl_nif.h>

void initial_load(ErlNifEnv *env);

/**
 * initial_of() - the function behind proc_lib:init_p/5
 * @mfa: {M, F, Arguments} of a spawn
 *
 * For a process that follows gen_server and its like it is the init/1 of the callback
 * module, for a supervisor {supervisor, Module, 1}: what proc_lib:initial_call/1 says.
 * Return: as BTAP_MFA(); 0 when @mfa is nothing of that kind
 */
uint64_t initial_of(ErlNifEnv *env, ERL_NIF_TERM mfa);

#endif /* BEAMTAP_AGENT_INITIAL_H */
