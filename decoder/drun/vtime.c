// SPDX-License-Identifier: Apache-2.0
/* vtime.c - how long each Erlang process has run */
#include <stdlib.h>
#include <string.h>
#include "drun/vtime.h"
#include "event/idmap.h"

#define MAX_THREADS 65536
#define MAX_PROCS   (1u << 20) /* a VM; those beyond have no time */
#define NONE	    UINT32_MAX

struct thread {
	uint32_t vm, slot; /* NONE: nothing runs, or it is not known what */
	uint64_t since_ns, seen_ns;
};

struct procs {
	struct idmap map;	  /* process -> index in ran_ns */
	uint64_t *ran_ns;	  /* of a free one: the next free one, NONE at the end */
	uint32_t nr, cap, free;
};

struct vtime {
	struct thread *threads;
	uint32_t nr_threads;
	struct procs *vms;
	uint32_t nr_vms;
};

struct vtime *vtime_new(void)
{
	return calloc(1, sizeof(struct vtime));
}

void vtime_free(struct vtime *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; i < v->nr_vms; i++) {
		idmap_fini(&v->vms[i].map);
		free(v->vms[i].ran_ns);
	}
	free(v->vms);
	free(v->threads);
	free(v);
}

static struct thread *thread_of(struct vtime *v, uint32_t i)
{
	uint32_t nr = v->nr_threads ? v->nr_threads : 16;
	struct thread *t;

	if (i < v->nr_threads)
		return &v->threads[i];
	if (i >= MAX_THREADS)
		return NULL;
	while (nr <= i)
		nr *= 2;
	t = realloc(v->threads, nr * sizeof(*t));
	if (!t)
		return NULL;
	for (uint32_t k = v->nr_threads; k < nr; k++)
		t[k] = (struct thread){ .slot = NONE };
	v->threads = t;
	v->nr_threads = nr;
	return &t[i];
}

static struct procs *procs_of(struct vtime *v, uint32_t vm)
{
	struct procs *p;

	if (vm < v->nr_vms)
		return &v->vms[vm];
	p = realloc(v->vms, (vm + 1) * sizeof(*p));
	if (!p)
		return NULL;
	v->vms = p;
	for (; v->nr_vms <= vm; v->nr_vms++)
		p[v->nr_vms] = (struct procs){ .free = NONE };
	return &p[vm];
}

/* Where a process's time is kept; NONE without memory. */
static uint32_t slot_of(struct procs *p, uint64_t proc)
{
	const uint32_t *known = idmap_get(&p->map, proc);
	uint32_t slot;

	if (known)
		return *known;
	if (p->free == NONE && p->nr == p->cap) {
		uint32_t cap = p->cap ? p->cap * 2 : 64;
		uint64_t *r = cap > MAX_PROCS ? NULL : realloc(p->ran_ns, cap * sizeof(*r));

		if (!r)
			return NONE;
		p->ran_ns = r;
		p->cap = cap;
	}
	slot = p->free == NONE ? p->nr : p->free;
	if (idmap_put(&p->map, proc, slot))
		return NONE;
	if (slot == p->nr)
		p->nr++;
	else
		p->free = (uint32_t)p->ran_ns[slot];
	p->ran_ns[slot] = 0;
	return slot;
}

/* So far and no further: @ts at most. */
static void stop(struct vtime *v, struct thread *t, uint64_t ts)
{
	if (t->slot != NONE && ts > t->since_ns)
		v->vms[t->vm].ran_ns[t->slot] += ts - t->since_ns;
	t->slot = NONE;
}

void vtime_begin(struct vtime *v, uint32_t vm, uint32_t thread, uint64_t proc, uint64_t ts)
{
	struct thread *t = thread_of(v, thread);
	struct procs *p;

	if (!t)
		return;
	stop(v, t, t->seen_ns); /* its end was not seen */
	p = proc ? procs_of(v, vm) : NULL;
	*t = (struct thread){ .vm = vm, .slot = p ? slot_of(p, proc) : NONE, .since_ns = ts };
}

void vtime_end(struct vtime *v, uint32_t thread, uint64_t ts)
{
	if (thread < v->nr_threads)
		stop(v, &v->threads[thread], ts);
}

void vtime_lost(struct vtime *v, uint32_t thread)
{
	if (thread < v->nr_threads)
		stop(v, &v->threads[thread], v->threads[thread].seen_ns);
}

void vtime_forget(struct vtime *v, uint32_t vm, uint64_t proc)
{
	struct procs *p = vm < v->nr_vms ? &v->vms[vm] : NULL;
	const uint32_t *slot = p && proc ? idmap_get(&p->map, proc) : NULL;
	uint32_t freed;

	if (!slot)
		return;
	freed = *slot;
	for (uint32_t i = 0; i < v->nr_threads; i++)
		if (v->threads[i].vm == vm && v->threads[i].slot == freed)
			v->threads[i].slot = NONE;
	idmap_remove(&p->map, proc);
	p->ran_ns[freed] = p->free;
	p->free = freed;
}

uint64_t vtime_now(struct vtime *v, uint32_t thread, uint64_t ts)
{
	struct thread *t = thread < v->nr_threads ? &v->threads[thread] : NULL;

	if (!t || t->slot == NONE)
		return 0;
	if (ts > t->seen_ns)
		t->seen_ns = ts;
	return v->vms[t->vm].ran_ns[t->slot] + (ts > t->since_ns ? ts - t->since_ns : 0);
}
