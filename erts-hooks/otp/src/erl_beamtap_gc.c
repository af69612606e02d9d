/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_gc.c - garbage collections, and heaps that change their size
 *
 * The numbers are those that a trace of garbage_collection gives.  A collection that
 * ends since the process reached its maximal heap size is told to have ended, too, with
 * nothing given back.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_gc.h"

/* Words in use on the young heap; one that was left for a NIF's or BIF's fragments counts. */
static ERTS_INLINE Uint heap_used(const Process *p)
{
    const Eterm *old = p->abandoned_heap;

    if (ERTS_LIKELY(!old))
        return (Uint) (p->htop - p->heap);
    return p->flags & F_ABANDONED_HEAP_USE ? (Uint) old[p->heap_sz - 1] : (Uint) p->heap_sz;
}

static ERTS_INLINE Uint old_heap_used(const Process *p)
{
    return p->old_heap ? (Uint) (p->old_htop - p->old_heap) : 0;
}

/*
 * @used: what is not on the old heap: the young heap, fragments, messages that count as heap.  The
 * collector has walked the message queue for it, so that nobody need do it again.
 */
static ERTS_INLINE void put_start(unsigned int event, Process *p, Sint need, Uint used)
{
    Uint heap = heap_used(p);
    Uint mbuf = used - (Uint) (p->htop - p->heap);

    if (p->abandoned_heap)
        mbuf -= heap;
    btapw_put6(beamtap_writer(), event, beamtap_pid(p->common.id), (Uint64) need, heap,
               old_heap_used(p), mbuf, MSO(p).overhead * sizeof(Eterm));
}

static ERTS_INLINE void put_end(unsigned int event, Process *p, Uint reclaimed)
{
    btapw_put6(beamtap_writer(), event, beamtap_pid(p->common.id), reclaimed, heap_used(p),
               old_heap_used(p), HEAP_SIZE(p), MSO(p).overhead * sizeof(Eterm));
}

void erts_beamtap_gc_minor_start(Process *p, Sint need, Uint used)
{
    put_start(BTAP_EV_gc_minor_start, p, need, used);
}

void erts_beamtap_gc_minor_end(Process *p, Uint reclaimed)
{
    put_end(BTAP_EV_gc_minor_end, p, reclaimed);
}

void erts_beamtap_gc_major_start(Process *p, Sint need, Uint used)
{
    put_start(BTAP_EV_gc_major_start, p, need, used);
}

void erts_beamtap_gc_major_end(Process *p, Uint reclaimed)
{
    put_end(BTAP_EV_gc_major_end, p, reclaimed);
}

void erts_beamtap_heap_changed(Process *p, Uint new_size)
{
    Uint old_size = HEAP_SIZE(p);

    if (new_size > old_size && ERTS_BEAMTAP_ON(process_heap_grow))
        btapw_put3(beamtap_writer(), BTAP_EV_process_heap_grow, beamtap_pid(p->common.id),
                   old_size, new_size);
    else if (new_size < old_size && ERTS_BEAMTAP_ON(process_heap_shrink))
        btapw_put3(beamtap_writer(), BTAP_EV_process_heap_shrink, beamtap_pid(p->common.id),
                   old_size, new_size);
}

#endif /* ERTS_ENABLE_BEAMTAP */
