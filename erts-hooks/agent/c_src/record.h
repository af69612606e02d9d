/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - records that Erlang code asks for: the state of the VM, and users' own probes
 *
 * All are NIFs with the environment of a process.  Those of the state are
 * written whether or not an event is on: the controller decides.
 */
#ifndef BEAMTAP_AGENT_RECORD_H
#define BEAMTAP_AGENT_RECORD_H

#include <erl_nif.h>

typedef ERL_NIF_TERM record_nif(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);

/* record_load() - make the atoms that they compare with */
void record_load(ErlNifEnv *env);

record_nif record_asked;   /* state_asked(Pid) */
record_nif record_process; /* state_process(Pid, {M,F,A}, Name, Parent, QueueLen) */
record_nif record_port;	   /* state_port(Port, PortName, Owner, Name, Input, Output) */
record_nif record_socket;  /* socket_open(Port, Owner, Fd) -> Cookie | 0 */
record_nif record_tap;	   /* tap(start | stop | warning, Reader, Text) */
record_nif record_probe;   /* probe(Name, A1, A2, Text) */
record_nif record_s1;	   /* user_s1(Text) */
record_nif record_user;	   /* user(Number | -1, Tag, Integers, Texts) */

#endif /* BEAMTAP_AGENT_RECORD_H */
