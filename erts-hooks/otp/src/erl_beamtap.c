/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap.c - the region of this VM, its threads, atoms, and who wants what
 *
 * The region is made at boot and takes a few pages until somebody reads.  A thread
 * of our own looks at the readers' leases each 100 ms, wakes no scheduler, and
 * switches events on and off.  Where the application `beamtap` runs in the VM it does
 * that instead (erl_beamtap_api.c): it can also set up functions and tell the state.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "atom.h"
#include "beam_common.h"
#include "erl_beamtap_ctl.h"
#include "erl_version.h"

#define SCAN_MS 100
/* A VM that has just booted may be about to start the application: readers wait 3 s for an answer. */
#define YOUNG_SCANS 300
#define PATIENCE_SCANS 20
/* Atoms of a large system, each with 16 bytes and its text. */
#define STRTAB_BYTES (8u << 20)

unsigned char erts_beamtap_on[4096] __attribute__((aligned(4096)));
__thread struct erts_beamtap_thread erts_beamtap_thread;
int erts_beamtap_atoms;
Uint erts_beamtap_code_epoch = 1;

struct btapw_map *erts_beamtap_map;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leases, and who serves them */
static struct btapw_leases leases;
static int is_served; /* by the application */
static Uint64 nr_threads;
static unsigned int nr_scans, waited[BTAP_MAX_LEASES];
static Uint32 postponed; /* leases that ask for functions */

/* -- threads -- */

/* Before the thread's first record; once, even where it gets no ring. */
static void join(struct btapw *w)
{
    ErtsSchedulerData *esdp = erts_get_scheduler_data();
    unsigned int kind = BTAP_THREAD_OTHER;
    char name[32] = "";

    if (erts_beamtap_thread.msgid)
        return;
    erts_beamtap_thread.msgid = (__atomic_add_fetch(&nr_threads, 1, __ATOMIC_RELAXED) & 0x3ffff) << 40;
    pthread_getname_np(pthread_self(), name, sizeof(name));
    if (esdp)
        kind = esdp->type == ERTS_SCHED_NORMAL ? BTAP_THREAD_SCHEDULER
            : esdp->type == ERTS_SCHED_DIRTY_CPU ? BTAP_THREAD_DIRTY_CPU : BTAP_THREAD_DIRTY_IO;
    else if (strstr(name, "async"))
        kind = BTAP_THREAD_ASYNC;
    else if (strstr(name, "poll"))
        kind = BTAP_THREAD_POLL;
    btapw_map_thread(erts_beamtap_map, w, kind,
                     esdp ? (unsigned int) (esdp->no ? esdp->no : esdp->dirty_no) : 0,
                     name[0] ? name : NULL);
#ifdef BEAMTAP_PART_22
    w->stack = erts_beamtap_stack;
#endif
}

void erts_beamtap_join(void)
{
    join(&erts_beamtap_thread.w);
}

/* -- terms -- */

Uint64 erts_beamtap_ident(Eterm t)
{
    if (is_internal_pid(t))
        return beamtap_pid(t);
    if (is_internal_port(t))
        return beamtap_port(t);
    if (is_atom(t))
        return t;
    if (is_external_pid(t) || is_external_port(t))
        return external_thing_ptr(t)->node->sysname;
    return 0;
}

Uint64 erts_beamtap_find_pc(ErtsCodePtr pc)
{
    const ErtsCodeMFA *mfa;

    if (pc == beam_exit || pc == beam_continue_exit)
        return 0;
    mfa = erts_find_function_from_pc(pc);
    return beamtap_code_mfa(mfa);
}

Uint64 erts_beamtap_where(const Process *p)
{
    struct erts_beamtap_thread *t = &erts_beamtap_thread;
    Uint epoch = __atomic_load_n(&erts_beamtap_code_epoch, __ATOMIC_ACQUIRE);
    ErtsCodePtr pc = p->i;
    Uint i = BEAMTAP_WHERE_INDEX(pc);

    if (t->where_epoch != epoch) {
        memset(t->where, 0, sizeof(t->where));
        t->where_epoch = epoch;
    }
    if (t->where[i] != (Uint64) pc) {
        t->where[i + 1] = erts_beamtap_find_pc(pc);
        t->where[i] = (Uint64) pc;
    }
    /* A new process has not begun anywhere; as the VM's own trace has it. */
    if (!t->where[i + 1] && p->current)
        return beamtap_code_mfa(p->current);
    return t->where[i + 1];
}

void erts_beamtap_code_changed(void)
{
    __atomic_add_fetch(&erts_beamtap_code_epoch, 1, __ATOMIC_RELEASE);
}

/* -- atoms -- */

void erts_beamtap_new_atom(Uint index, const byte *text, Uint len)
{
    btapw_map_string(erts_beamtap_map, BTAP_STRING_ATOM, make_atom(index), (const char *) text, len);
}

void erts_beamtap_all_atoms(void)
{
    static int nr;
    int i, end;

    /* New ones tell of themselves from here on, so that none is between. */
    __atomic_store_n(&erts_beamtap_atoms, 1, __ATOMIC_SEQ_CST);
    end = atom_table_size();
    for (i = nr; i < end; i++) {
        const Atom *a = atom_tab(i);

        erts_beamtap_new_atom(i, (const byte *) beamtap_atom_text(a), a->len);
    }
    nr = end;
}

/* -- leases, where no application serves them -- */

static void refuse(unsigned int i, const struct btapw_lease *l)
{
    if (nr_scans < YOUNG_SCANS && waited[i]++ < PATIENCE_SCANS) {
        postponed |= 1u << i;
        return;
    }
    waited[i] = 0;
    btapw_map_answer(erts_beamtap_map, i, l->gen, -EOPNOTSUPP, 0, NULL,
                     "functions are set up by the application beamtap, which does not run"
                     " in this VM; start it with beamtap:start()");
}

static void answer(void)
{
    char why[BTAPW_WHY_MAX] = "";
    bool is_wanted = leases.nr_alive;
    int r = 0;
    unsigned int i;

    /* By a tracepoint or a USDT probe, too: their texts need the atoms. */
    for (i = 0; i < BTAP_MASK_WORDS; i++)
        is_wanted |= leases.other[i] != 0;
    if (is_wanted) {
        r = btapw_map_fill(erts_beamtap_map, why);
        if (r == 0)
            erts_beamtap_all_atoms();
    }
    if (r == 0)
        btapw_map_enable(erts_beamtap_map, leases.want);
    for (i = 0; i < BTAP_MAX_LEASES; i++) {
        const struct btapw_lease *l = &leases.lease[i];
        Uint64 on[BTAP_MASK_WORDS];
        unsigned int j;

        if (!(leases.changed & 1u << i) || !l->is_alive)
            continue;
        btapw_map_on(erts_beamtap_map, on);
        for (j = 0; j < BTAP_MASK_WORDS; j++)
            on[j] &= l->want[j];
        if (r < 0)
            btapw_map_answer(erts_beamtap_map, i, l->gen, r, 0, NULL, why);
        else if (l->spec_len)
            refuse(i, l);
        else
            btapw_map_answer(erts_beamtap_map, i, l->gen, 0, 0, on,
                             l->flags & BTAP_LEASE_STATE
                             ? "what was there before is told by the application beamtap,"
                             " which does not run in this VM" : NULL);
    }
}

static void *serve(void *arg)
{
    struct timespec nap = { 0, SCAN_MS * 1000000L };
    unsigned int n = 0;

    for (;;) {
        pthread_mutex_lock(&lock);
        if (!is_served) {
            nr_scans++;
            if (btapw_map_leases(erts_beamtap_map, &leases) | postponed) {
                leases.changed |= postponed;
                postponed = 0;
                answer();
            }
            if (leases.nr_alive && n++ % (1000 / SCAN_MS) == 0)
                btapw_map_clock(erts_beamtap_map);
        }
        pthread_mutex_unlock(&lock);
        nanosleep(&nap, NULL);
    }
    return NULL;
}

void erts_beamtap_serve(int is_application)
{
    pthread_mutex_lock(&lock);
    is_served = is_application;
    postponed = 0;
    memset(&leases, 0, sizeof(leases));
    pthread_mutex_unlock(&lock);
}

/* -- boot -- */

static void close_region(void)
{
    btapw_map_close(erts_beamtap_map);
}

static void facts(struct btap_facts *f)
{
    int i;

    f->otp_release = (unsigned int) atoi(ERLANG_OTP_RELEASE);
    f->way = BTAP_WAY_HOOKS;
#ifdef BEAMASM
    f->jit = 1;
#endif
    f->nr_schedulers = (unsigned int) erts_no_schedulers;
    f->nr_dirty_cpu = (unsigned int) erts_no_dirty_cpu_schedulers;
    f->nr_dirty_io = (unsigned int) erts_no_dirty_io_schedulers;
    f->pid_shift = f->port_shift = _TAG_IMMED1_SIZE;
    f->pid_number_bits = _PID_NUM_SIZE;
    f->pid_serial_bits = _PID_SER_SIZE;
    f->port_number_bits = _PORT_NUM_SIZE;
    erts_snprintf(f->erts_version, sizeof(f->erts_version), "%s", ERLANG_VERSION);
    erts_snprintf(f->node, sizeof(f->node), "nonode@nohost");
    for (i = 0; i < erts_beamtap_nr_able; i++)
        f->able[erts_beamtap_able[i] / 64] |= 1ull << (erts_beamtap_able[i] % 64);
}

void erts_beamtap_init(void)
{
    const char *ring = getenv("BEAMTAP_RING_BYTES"), *off = getenv("BEAMTAP");
    struct btapw_map_opts o = { 0 };
    char why[BTAPW_WHY_MAX];
    sigset_t all, was;
    pthread_t thread;
    int r;

    erts_beamtap_api_init();
    if (off && strcmp(off, "off") == 0)
        return;
#ifdef BEAMTAP_PART_04
    erts_beamtap_proc_init();
#endif
    o.dir = getenv("BEAMTAP_DIR");
    o.ring_bytes = ring ? strtoull(ring, NULL, 0) : 0;
    o.strtab_bytes = STRTAB_BYTES;
    o.is_lazy = 1;
    o.nr_async = (unsigned int) erts_async_max_threads;
    facts(&o.facts);
    btapw_joiner = join;
    r = btapw_map_new(&erts_beamtap_map, &o, why);
    if (r == 0)
        r = btapw_map_ctl_at(erts_beamtap_map, erts_beamtap_on);
    if (r < 0) {
        erts_fprintf(stderr, "beamtap: this node cannot be traced: %s\n", why);
        btapw_map_free(erts_beamtap_map);
        erts_beamtap_map = NULL;
        return;
    }
    erts_beamtap_api_init();
    /* The VM's signals are for the VM's own thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    if (pthread_create(&thread, NULL, serve, NULL) == 0) {
        pthread_setname_np(thread, "beamtap");
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    atexit(close_region);
}

#else
typedef int erl_beamtap_is_off; /* no translation unit is empty */
#endif /* ERTS_ENABLE_BEAMTAP */
