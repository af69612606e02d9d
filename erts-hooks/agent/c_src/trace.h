/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - the tracer's two callbacks, see erl_tracer(3)
 *
 * enabled/3 is asked at each trace point and answers from a table of bytes;
 * trace/5 then writes the records.  Both may be called on any scheduler, dirty
 * ones too, with or without a process behind the environment.
 */
#ifndef BEAMTAP_AGENT_TRACE_H
#define BEAMTAP_AGENT_TRACE_H

#include <erl_nif.h>

/* trace_load() - make the atoms that the callbacks compare with */
void trace_load(ErlNifEnv *env);
ERL_NIF_TERM trace_enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);
ERL_NIF_TERM trace_trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);
/* trace_node() - the node's name, an atom: to tell its own registered names from remote ones */
void trace_node(ERL_NIF_TERM node);

#endif /* BEAMTAP_AGENT_TRACE_H */
