/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eproc.h - which Erlang process and port run on which thread, for eproc, ename, efunc, eport and eself->
 *
 * A process runs from its process_scheduled on to its process_unscheduled; where
 * a recording begins in the middle nothing is known until the first of them.
 * Events that say by themselves who acts (the sender of a message, the process
 * that is collected) are believed first.
 */
#ifndef BEAMTAP_EPROC_H
#define BEAMTAP_EPROC_H

#include "drun/vars.h"
#include "event/names.h"

struct eproc;

/**
 * eproc_new() - nothing is known yet
 * @with_names: learn registered names, too
 * @with_time:  learn how long processes run, too (vtime.h)
 * Return: owned, or NULL without memory
 */
struct eproc *eproc_new(bool with_names, bool with_time);
void eproc_free(struct eproc *e);

/* When a record is to be fed: what begins counts for its own probe, so does what ends with it. */
enum eproc_when { EPROC_NEVER, EPROC_BEFORE, EPROC_AFTER };

/** eproc_wanted() - does eproc_feed() take anything from this event, and when? */
enum eproc_when eproc_wanted(const struct eproc *e, unsigned int event);
/** eproc_feed() - learn from a record */
void eproc_feed(struct eproc *e, uint32_t vm, const struct src_rec *rec);
/** eproc_lost() - events of a thread are missing: what runs there is not known any more */
void eproc_lost(struct eproc *e, uint32_t thread);

/** eproc_actor() - term of the process that a record says acts in it; 0: it does not say */
uint64_t eproc_actor(const struct src_rec *rec);
/** eproc_proc(), eproc_port() - term of what runs on a thread; 0: nothing, or not known */
uint64_t eproc_proc(const struct eproc *e, uint32_t thread);
uint64_t eproc_port(const struct eproc *e, uint32_t thread);
/** eproc_func() - BTAP_MFA that the process on a thread was last seen in; 0: not known */
uint64_t eproc_func(const struct eproc *e, uint32_t thread);
/** eproc_ran() - ns that the process on a thread has run up to @ts; 0: not known */
uint64_t eproc_ran(const struct eproc *e, uint32_t thread, uint64_t ts);
/** eproc_name() - registered name of a process, an atom's term; 0: none */
uint64_t eproc_name(const struct eproc *e, uint32_t vm, uint64_t proc);

#endif /* BEAMTAP_EPROC_H */
