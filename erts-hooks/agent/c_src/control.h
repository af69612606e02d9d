/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the thread that watches the readers' leases
 *
 * It looks every 100 ms, without waking a scheduler; events that nobody wants
 * any more it switches off itself, at once.  When something changed it tells
 * the controller, a process, by the message {beamtap_nif, leases}; the
 * controller then sets or clears trace flags and answers.
 */
#ifndef BEAMTAP_AGENT_CONTROL_H
#define BEAMTAP_AGENT_CONTROL_H

#include <stdbool.h>
#include <erl_nif.h>

#define CONTROL_SCAN_MS	  100
#define CONTROL_ORPHAN_MS 10000 /* without a controller for so long: let the VM drop the flags */

/* control_load() - once.  Return: false when memory is short */
bool control_load(ErlNifEnv *env);
/** control_start() - start the thread.  Return: 0 or a negative errno */
int control_start(void);
/** control_stop() - end it and wait for its end; the caller does not hold agent_lock */
void control_stop(void);
/** control_set() - who is told.  Caller holds agent_lock */
void control_set(const ErlNifPid *controller);
/**
 * control_take() - which leases changed, or BTAPW_CHANGED_OTHER, since the last call.  Caller holds agent_lock
 */
uint32_t control_take(void);

#endif /* BEAMTAP_AGENT_CONTROL_H */
