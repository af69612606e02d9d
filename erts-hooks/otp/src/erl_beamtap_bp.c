/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erl_beamtap_bp.c - which functions' calls are told
 *
 * The flags lie in the VM's own breakpoints, beside those of erlang:trace_pattern/3, and
 * are staged, installed and committed like those: with the permission to modify code, and
 * with all schedulers passing a barrier between two steps.  No process waits meanwhile;
 * whoever asked is sent a message in the end.
 */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "beam_bp.h"
#include "beam_code.h"
#include "code_ix.h"
#include "export.h"
#include "module.h"
#include "erl_bif_table.h"
#include <errno.h>
#include <stdlib.h>
#include "erl_beamtap_ctl.h"

#if BEAMTAP_OTP >= 27
#define try_seize erts_try_seize_code_mod_permission_aux
#define release erts_release_code_mod_permission
#define CODE_INFO(F) ((F)->code_info)
#define GEN_BP(CI) ((CI)->gen_bp)
#define NEXT_BP(G) ((G)->next)
#else
#define try_seize erts_try_seize_code_write_permission_aux
#define release erts_release_code_write_permission
#define CODE_INFO(F) ((F)->ci_exec)
#define GEN_BP(CI) ((CI)->u.gen_bp)
#define NEXT_BP(G) NULL
#endif

void erts_beamtap_set_break(BpFunctions *f, Uint flags); /* in beam_bp.c */

static void consolidate(BpFunctions *f)
{
#if BEAMTAP_OTP >= 27
    erts_consolidate_local_bp_data(f);
#else
    erts_consolidate_bp_data(f, 1);
#endif
}

struct request {
    BpFunctions with[3]; /* by what is to be told: nothing any more, calls, returns too */
    BpFunctions all;     /* these three, one behind the other */
    int step;
    size_t nr_wanted;
    struct btapw_function *wanted;
#if BEAMTAP_OTP >= 27
    ErtsCodeBarrier barrier;
#else
    ErtsThrPrgrLaterOp lop;
#endif
};

/* What is told now.  Who has the permission to modify code reads and writes it. */
static struct btapw_function *told;
static size_t nr_told;

static int is_busy, nr_found; /* between who asks and who does it */

static void free_request(struct request *r)
{
    free(r->all.matching);
    free(r->wanted);
    free(r);
}

static int find(const struct btapw_function *f, BpFunction *out)
{
    Module *modp = erts_get_module(f->module, erts_active_code_ix());
    const BeamCodeHeader *hdr = modp ? modp->curr.code_hdr : NULL;
    Uint i;

    for (i = 0; hdr && i < (Uint) hdr->num_functions; i++) {
        const ErtsCodeInfo *ci = hdr->functions[i];

        if (ci->mfa.function != f->function || ci->mfa.arity != f->arity)
            continue;
        out->mod = modp;
#if BEAMTAP_OTP >= 27
        out->code_info = ci;
#else
        out->ci_exec = ci;
        out->ci_rw = (ErtsCodeInfo *) erts_writable_code_ptr(&modp->curr, ci);
#endif
        return 1;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct btapw_function *x = a, *y = b;

    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->arity < y->arity ? -1 : x->arity > y->arity;
}

/* Built-in functions are called past their breakpoints unless their export says that they have one. */
static void bif_traced(const BpFunctions *fs)
{
    Uint i;

    for (i = 0; i < fs->matched; i++) {
        const ErtsCodeInfo *ci = CODE_INFO(&fs->matching[i]);
        Export *ep = (Export *) erts_active_export_entry(ci->mfa.module, ci->mfa.function,
                                                         ci->mfa.arity);

        if (ep && ep->bif_number != -1)
            ep->is_bif_traced = GEN_BP(ci) != NULL;
    }
}

/* Return: 0, or -ENOMEM */
static int match(struct request *r)
{
    size_t room = nr_told + r->nr_wanted, i;
    BpFunction *at;
    int k;

    r->all.matching = at = calloc(room ? room : 1, sizeof(*at));
    if (!at)
        return -ENOMEM;
    for (k = 0; k < 3; k++) {
        r->with[k].matching = at;
        if (k == 0) {
            for (i = 0; i < nr_told; i++)
                if (!bsearch(&told[i], r->wanted, r->nr_wanted, sizeof(*told), compare))
                    at += find(&told[i], at);
        } else {
            for (i = 0; i < r->nr_wanted; i++)
                if (!r->wanted[i].has_return == (k == 1))
                    at += find(&r->wanted[i], at);
        }
        r->with[k].matched = (Uint) (at - r->with[k].matching);
    }
    r->all.matched = (Uint) (at - r->all.matching);
    return 0;
}

static void begin(void *arg);

static void done(struct request *r, int nr)
{
    if (nr >= 0) {
        struct btapw_function *old = told;

        told = r->wanted;
        nr_told = r->nr_wanted;
        r->wanted = old;
    }
    release();
    free_request(r);
    __atomic_store_n(&nr_found, nr < 0 ? 0 : nr, __ATOMIC_RELAXED);
    __atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
}

static void step(void *arg);

static void next(struct request *r)
{
#if BEAMTAP_OTP >= 27
    erts_schedule_code_barrier(&r->barrier, step, r);
#else
    erts_schedule_thr_prgr_later_op(step, r, &r->lop);
#endif
}

/* All schedulers have passed a barrier since the step before. */
static void step(void *arg)
{
    struct request *r = arg;

    switch (r->step++) {
    case 0:
        /* The breakpoints have their data, but none that is in use: code may lead to them. */
        erts_install_breakpoints(&r->with[1]);
        erts_install_breakpoints(&r->with[2]);
        break;
    case 1:
        erts_commit_staged_bp();
        break;
    case 2:
        erts_uninstall_breakpoints(&r->all);
        break;
    case 3:
        consolidate(&r->all);
        bif_traced(&r->all);
#if BEAMTAP_OTP >= 27
        break;
    default:
        erts_free_breakpoints();
#endif
        done(r, (int) (r->with[1].matched + r->with[2].matched));
        return;
    }
    next(r);
}

static void begin(void *arg)
{
    struct request *r = arg;

    if (!try_seize(begin, r))
        return; /* called again when it may be had */
    if (match(r) < 0) {
        done(r, -ENOMEM);
        return;
    }
    if (r->all.matched == 0) {
        done(r, 0);
        return;
    }
#if BEAMTAP_OTP >= 27
    /* Breakpoints belong to a trace session: ours to the one that is always there. */
    erts_staging_trace_session = &erts_trace_session_0;
#endif
    erts_beamtap_set_break(&r->with[0], 0);
    erts_beamtap_set_break(&r->with[1], ERTS_BEAMTAP_BPF_CALL);
    erts_beamtap_set_break(&r->with[2], ERTS_BEAMTAP_BPF_CALL | ERTS_BEAMTAP_BPF_RETURN);
    next(r);
}

int erts_beamtap_functions(const struct btapw_function *f, size_t nr)
{
    ErtsSchedulerData *esdp = erts_get_scheduler_data();
    struct request *r;
    int free_now = 0;

    if (!esdp || (nr && !f))
        return -EINVAL;
    if (!__atomic_compare_exchange_n(&is_busy, &free_now, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return -EBUSY;
    r = calloc(1, sizeof(*r));
    if (r)
        r->wanted = malloc((nr ? nr : 1) * sizeof(*f));
    if (!r || !r->wanted) {
        free(r);
        __atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
        return -ENOMEM;
    }
    if (nr)
        memcpy(r->wanted, f, nr * sizeof(*f));
    r->nr_wanted = nr;
    qsort(r->wanted, nr, sizeof(*f), compare);
    erts_schedule_misc_aux_work(1, begin, r);
    return 0;
}

bool erts_beamtap_is_told(const struct btapw_function *f)
{
    ErtsBpIndex ix = erts_active_bp_ix();
    const GenericBp *g;
    BpFunction at;

    if (!erts_get_scheduler_data() || !find(f, &at))
        return false;
    for (g = GEN_BP(CODE_INFO(&at)); g; g = NEXT_BP(g))
        if (g->data[ix].flags & ERTS_BEAMTAP_BPF)
            return true;
    return false;
}

int erts_beamtap_functions_done(void)
{
    return __atomic_load_n(&is_busy, __ATOMIC_ACQUIRE) ? -1
        : __atomic_load_n(&nr_found, __ATOMIC_RELAXED);
}

#endif /* ERTS_ENABLE_BEAMTAP */
