/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vars.h - a script's variables
 *
 * Scalars live in slots: one row of slots for the globals, one for clause-local
 * ones, one a thread (self->) and one an Erlang process (eself->) that has
 * stored anything.  Arrays, and variables of aggregate type, are tables
 * (tab.h): the key is the tuple and, for self-> and eself->, whose it is; the
 * data are the value or the address in the store.
 *
 * What grows (rows, elements) is charged to one budget, option dynvarsize; what
 * finds no room is dropped and counted.
 *
 * String values and string keys are interned; vars_mark() marks them.
 */
#ifndef BEAMTAP_VARS_H
#define BEAMTAP_VARS_H

#include "dprog/prog.h"
#include "drun/mem.h"
#include "drun/str.h"
#include "drun/tab.h"

/* Whose variables: set for each event. */
struct vars_who {
	uint32_t thread; /* index of the thread in the source, or VARS_NO_THREAD */
	uint32_t vm;
	uint64_t proc; /* term of the Erlang process on it; 0: none */
};
#define VARS_NO_THREAD 0xffffffffu

struct vars {
	const struct dprog *prog;
	struct mem *mem;
	uint64_t *globals;
	uint64_t *locals;	/* this-> */
	uint64_t firing;	/* number of the firing; locals of aggregate type are of one */
	uint64_t **threads;	/* rows by thread; NULL: nothing stored */
	uint32_t nr_threads;	/* allocated */
	uint64_t *no_thread;	/* of events without thread (BEGIN, ticks) */
	struct tab procs;	/* (vm, pid) -> slots */
	struct tab *tabs;	/* by variable; of scalars unused */
	size_t size, used;	/* budget */
	uint64_t drops;
	uint8_t *is_str[DPROG_NR_SCOPES]; /* by slot */
};

/** vars_init() - @size: budget in bytes.  Return: 0 or -ENOMEM */
int vars_init(struct vars *v, const struct dprog *prog, struct mem *mem, size_t size);
void vars_fini(struct vars *v);

/** vars_begin() - a new firing: clause-local variables are 0 */
static inline void vars_begin(struct vars *v)
{
	v->firing++;
	for (uint32_t i = 0; i < v->prog->nr_slots[DPROG_CLAUSE]; i++)
		v->locals[i] = 0;
}

/** vars_get() - self-> and eself-> slots */
uint64_t vars_get_thread(const struct vars *v, const struct vars_who *w, uint32_t slot);
uint64_t vars_get_proc(const struct vars *v, const struct vars_who *w, uint32_t slot);
/** vars_set_thread(), vars_set_proc() - store; 0 gives a row back when it was the last value in it */
void vars_set_thread(struct vars *v, const struct vars_who *w, uint32_t slot, uint64_t value);
void vars_set_proc(struct vars *v, const struct vars_who *w, uint32_t slot, uint64_t value);

/**
 * vars_elem_get() - value of an element of an array
 * @keys: as many words as the variable has keys; strings interned
 */
uint64_t vars_elem_get(const struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys);
void vars_elem_set(struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys,
		   uint64_t value);
/**
 * vars_elem_ref() - where an element's value is, made (0) if it is not there
 * Return: borrowed until the next change of this variable; NULL: dropped
 */
uint64_t *vars_elem_ref(struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys);
/** vars_addr() - address of a variable or element of aggregate type, made and zeroed; 0: dropped */
uint64_t vars_addr(struct vars *v, const struct vars_who *w, uint32_t var, const uint64_t *keys);

/** vars_mark() - mark all strings that variables hold, before str_sweep() */
void vars_mark(const struct vars *v);
/** vars_drop_proc() - an Erlang process has ended: its variables go */
void vars_drop_proc(struct vars *v, uint32_t vm, uint64_t proc);

#endif /* BEAMTAP_VARS_H */
