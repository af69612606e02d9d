/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vtime.h - how long each Erlang process has run, for vtimestamp
 *
 * A process runs from its process_scheduled (dirty_scheduled) to its
 * process_unscheduled, on whatever threads.  That is time on a scheduler: what
 * of it the kernel gave to another thread is not known.  Time before a process
 * was first seen to begin is not in it; so it is good for differences, and for
 * one process it never goes back.
 */
#ifndef BEAMTAP_DRUN_VTIME_H
#define BEAMTAP_DRUN_VTIME_H

#include <stdint.h>

struct vtime;

/** vtime_new() - Return: owned, or NULL without memory */
struct vtime *vtime_new(void);
void vtime_free(struct vtime *v);

/** vtime_begin() - process @proc of VM @vm begins to run on a thread */
void vtime_begin(struct vtime *v, uint32_t vm, uint32_t thread, uint64_t proc, uint64_t ts);
/** vtime_end() - what runs on a thread stops to */
void vtime_end(struct vtime *v, uint32_t thread, uint64_t ts);
/** vtime_lost() - events of a thread are missing: what runs there is not known, nor until when what did */
void vtime_lost(struct vtime *v, uint32_t thread);
/** vtime_forget() - a process is no more */
void vtime_forget(struct vtime *v, uint32_t vm, uint64_t proc);
/** vtime_now() - ns that the process on a thread has run; 0: none, or not known */
uint64_t vtime_now(struct vtime *v, uint32_t thread, uint64_t ts);

#endif /* BEAMTAP_DRUN_VTIME_H */
