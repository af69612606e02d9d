/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_stack.c - the Erlang stack at an event, for readers who ask for it
 *
 * Functions and lines are looked up here and not by the reader, although that costs time in
 * the VM: an address means something only as long as the code it points into is loaded.
 * What was looked up of late is kept by thread, until code is loaded or purged.
 *
 * Which stack: that of the process that this scheduler runs, and no other.  It does not
 * change under us, and is walked from p->stop to its bottom:
 *
 *  - The JIT stores its stack pointer there before it calls anything that has a hook; where
 *    it did not, ../parts/22-stacks.hooks has it do so.  The word at the top is the return
 *    address into the function at hand; where that is not on the stack, and the event or
 *    p->i know it, it is put before.
 *  - A collector's hooks are where heap and stack are those of before or after it.
 *  - A process that exits gives up its heap at some time: it has a stack at process_exit and
 *    no more from then on.
 *  - A process on a dirty scheduler runs there alone; but an ordinary scheduler may look after
 *    its signals meanwhile, and leaves its stack alone.
 *  - A dirty scheduler's thread must hold up the release of code while it looks it up.
 *
 * Should p->stop be wrong all the same, words are read inside the heap's block and looked up
 * in the VM's table of loaded code, and nothing is followed.  At most MAX_WORDS are looked at.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_beamtap_frame.h"
#include "erl_thr_progress.h"

#define MAX_WORDS  1024 /* of a stack that are looked at */
#define MAX_FRAMES 100  /* that are told; 4 + 1 + 2 * 100 words are less than a record may have */
#define NR_PLACES  1024 /* a power of two */
#define NR_CACHES  256  /* threads that have one; untouched ones cost nothing */

#ifdef BEAMASM
#define CALL_BYTES 1 /* a return address less that is in the call */
#else
#define CALL_BYTES sizeof(UWord)
#endif

struct place {
    ErtsCodePtr pc;
    Uint64 mfa, line;
};

static struct places {
    Uint epoch;
    struct place place[NR_PLACES];
} caches[NR_CACHES];
static unsigned int nr_caches;

/* -- code -- */

static struct place look_up(ErtsCodePtr pc)
{
    struct place p = { pc, 0, 0 };
    FunctionInfo fi;

    erts_lookup_function_info(&fi, pc, 1);
    if (fi.mfa) {
        p.mfa = beamtap_code_mfa(fi.mfa);
        if (fi.loc != LINE_INVALID_LOCATION)
            p.line = LOC_LINE(fi.loc);
    }
    return p;
}

static ERTS_INLINE struct place place_of(struct places *c, ErtsCodePtr pc)
{
    struct place *p;

    if (ERTS_UNLIKELY(!c))
        return look_up(pc);
    p = &c->place[((UWord) pc >> 3 ^ (UWord) pc >> 13) & (NR_PLACES - 1)];
    if (ERTS_UNLIKELY(p->pc != pc))
        *p = look_up(pc);
    return *p;
}

/* This thread's, without what is of code that may be gone; NULL: it gets none. */
static struct places *my_places(void)
{
    struct erts_beamtap_thread *t = &erts_beamtap_thread;
    Uint epoch = __atomic_load_n(&erts_beamtap_code_epoch, __ATOMIC_ACQUIRE);
    struct places *c;

    if (ERTS_UNLIKELY(!t->stack_cache))
        t->stack_cache = __atomic_add_fetch(&nr_caches, 1, __ATOMIC_RELAXED);
    if (t->stack_cache > NR_CACHES)
        return NULL;
    c = &caches[t->stack_cache - 1];
    if (ERTS_UNLIKELY(c->epoch != epoch)) {
        memset(c->place, 0, sizeof(c->place));
        c->epoch = epoch;
    }
    return c;
}

/* -- the walk -- */

struct walk {
    struct places *cache;
    uint64_t *to;
    Uint max, nr, depth; /* frames: that there is room for, written, seen */
};

static ERTS_INLINE void put(struct walk *k, Uint64 mfa, Uint64 line)
{
    k->depth++;
    if (k->nr == k->max)
        return;
    k->to[2 * k->nr] = mfa;
    k->to[2 * k->nr + 1] = line;
    k->nr++;
}

/* An address in code that is no return address: where a process is or goes on. */
static int put_pc(struct walk *k, ErtsCodePtr pc)
{
    struct place p = { NULL, 0, 0 };

    if (pc)
        p = place_of(k->cache, pc);
    if (p.mfa)
        put(k, p.mfa, p.line);
    return p.mfa != 0;
}

/* @raised: a return address that was told already.  Return: are there words that were not looked at? */
static int walk(struct walk *k, Eterm *ptr, Eterm *bottom, ErtsCodePtr raised)
{
    Eterm *end = bottom - ptr > MAX_WORDS ? ptr + MAX_WORDS : bottom;
    int is_first = 1;

    while (ptr + CP_SIZE <= end) {
        ErtsCodePtr pc;
        int nr;

        if (!is_CP(*ptr)) {
            ptr++;
            continue;
        }
        (void) erts_inspect_frame(ptr, &pc);
        nr = pc ? beamtap_trace_words(pc) : 0;
        if (nr) {
            ptr += nr;
            continue;
        }
        ptr += CP_SIZE;
        if (!(is_first && pc == raised) && pc) {
            /* Those not told any more are counted, without knowing them. */
            if (k->nr == k->max)
                k->depth++;
            else
                put_pc(k, (ErtsCodePtr) ((const char *) pc - CALL_BYTES));
        }
        is_first = 0;
    }
    return end < bottom;
}

/* -- the function at hand, where it is not on the stack -- */

static void put_head(struct walk *k, Process *p, const uint64_t *rec, erts_aint32_t state)
{
    struct erts_beamtap_thread *t = &erts_beamtap_thread;

    switch (BTAP_HEAD_EVENT(rec[0])) {
    case BTAP_EV_function_entry:
    case BTAP_EV_function_return:
    case BTAP_EV_function_replaced:
    case BTAP_EV_bif_entry:
    case BTAP_EV_bif_return:
    case BTAP_EV_nif_entry:
    case BTAP_EV_nif_return:
    case BTAP_EV_dirty_scheduled:
    case BTAP_EV_dirty_unscheduled:
        if (rec[2])
            put(k, rec[2], 0); /* these have it as their second field */
        break;
    case BTAP_EV_exception_throw:
        if (t->raised_by)
            put(k, t->raised_by, 0);
        put_pc(k, t->raised_at);
        break;
    case BTAP_EV_process_scheduled:
    case BTAP_EV_process_unscheduled:
        if (!put_pc(k, p->i) && p->current)
            put(k, beamtap_code_mfa(p->current), 0);
        break;
    case BTAP_EV_message_receive:
        put_pc(k, p->i); /* the receive expression */
        break;
    case BTAP_EV_timer_set:
    case BTAP_EV_timer_cancel:
        if (rec[2] >> 63) /* of a receive expression, too */
            put_pc(k, p->i);
        break;
    default:
        /* It handles its signals before it goes on. */
        if (state & ERTS_PSFLG_RUNNING_SYS)
            put_pc(k, p->i);
    }
}

unsigned int erts_beamtap_stack(const uint64_t *rec, uint64_t *to, unsigned int max_words)
{
    ErtsSchedulerData *esdp = erts_get_scheduler_data();
    Process *p = esdp ? esdp->current_process : NULL;
    ErtsThrPrgrDelayHandle delay = ERTS_THR_PRGR_DHANDLE_MANAGED;
    erts_aint32_t state;
    struct walk k = { 0 };
    int is_dirty, is_cut;

    if (!p || max_words < 5)
        return 0;
    is_dirty = ERTS_SCHEDULER_IS_DIRTY(esdp);
    state = erts_atomic32_read_nob(&p->state);
    if (state & ERTS_PSFLG_FREE
        || (state & ERTS_PSFLG_EXITING && BTAP_HEAD_EVENT(rec[0]) != BTAP_EV_process_exit)
        || (!is_dirty && state & (ERTS_PSFLG_DIRTY_RUNNING | ERTS_PSFLG_DIRTY_RUNNING_SYS))
        || p->stop < HEAP_START(p) || p->stop > STACK_START(p))
        return 0;
    if (is_dirty)
        delay = erts_thr_progress_unmanaged_delay();
    k.cache = my_places();
    k.to = to + 5;
    k.max = (max_words - 5) / 2 < MAX_FRAMES ? (max_words - 5) / 2 : MAX_FRAMES;
    put_head(&k, p, rec, state);
    is_cut = walk(&k, p->stop, STACK_START(p),
                  BTAP_HEAD_EVENT(rec[0]) == BTAP_EV_exception_throw
                  ? erts_beamtap_thread.raised_at : NULL);
    if (is_dirty)
        erts_thr_progress_unmanaged_continue(delay);
    to[0] = beamtap_pid(p->common.id);
    to[1] = BTAP_HEAD_EVENT(rec[0]);
    to[2] = k.depth;
    to[3] = is_cut || k.depth > k.nr;
    to[4] = k.nr;
    return (unsigned int) (5 + 2 * k.nr);
}

#endif /* ERTS_ENABLE_BEAMTAP */
