/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.h - the machine: one clause over one event
 *
 * The machine trusts the program (prog_check() has been through it) and nothing
 * else: every address, size and number that the script computes is checked, and
 * a bad one ends the clause with a fault.  Code only jumps forward, so a clause
 * always ends.
 *
 * A record is a row of words in rec[]:
 *
 *	index of the action, then for each of its values
 *	  INT, SYM	the value
 *	  STR, STACK	the string (str.h), alive until the next firing
 *	  BYTES		the bytes, in whole words
 *	tracemem	size copied, size shown, the bytes
 *	print		address, the bytes
 */
#ifndef BEAMTAP_VM_H
#define BEAMTAP_VM_H

#include "drun/agg.h"
#include "drun/mem.h"
#include "drun/str.h"
#include "drun/vars.h"
#include "event/decode.h"

struct vm_opts {
	uint32_t strsize;	/* bytes of a string with its NUL */
	size_t scratch_size, aggsize, dynvarsize;
	bool show_copies;	/* printa() shows what vm_show() has copied */
	uint32_t nspec;
	size_t specsize;
	bool destructive;
};
#define VM_OPTS_INIT                                                                            \
	{ .strsize = DPROG_STRSIZE, .scratch_size = 65536, .aggsize = (size_t)256 << 20,        \
	  .dynvarsize = (size_t)256 << 20, .nspec = 1, .specsize = 32 << 10 }

struct fast;

/* A probe as the machine sees it: what fires clauses. */
struct vm_probe {
	uint32_t id;
	const char *prov, *mod, *func, *name;
	bool is_entry, is_return; /* for -F */
	uint32_t nr_clauses;
	uint32_t *clauses; /* indices in prog->clauses, ascending */
	struct fast *fast; /* fast.h; NULL: only the machine can do its clauses */
	uint64_t *names;   /* the four names as strings, 0 until they are asked for; may be NULL */
};

/* Where an event's D arguments are. */
struct vm_arg {
	uint8_t pos;  /* index of its word; 0: look it up, or there is none */
	uint8_t type; /* enum desc_type */
	int8_t field; /* -1: there is no such argument */
};
#define VM_NR_ARGS 16

/* What fired. */
struct vm_event {
	const struct vm_probe *probe;
	const struct src_rec *rec;   /* NULL: BEGIN, END, ERROR, tick, profile */
	const struct desc *desc;
	const struct vm_arg *args;   /* VM_NR_ARGS of them; NULL without rec */
	uint64_t arg[10];	     /* without rec */
	uint64_t ts;		     /* ns */
	struct vars_who who;
	uint32_t cpu;
	/* Erlang functions (BTAP_MFA) that were open and their lines, in turns, innermost first, borrowed */
	uint32_t nr_frames; /* 0: nothing says them */
	const uint64_t *frames;
};

/* What a function may want to know of the system that events come from. */
struct vm;
struct vm_env {
	void *ctx;
	/* built-in variables: the machine knows those of probe and time itself.  A string: from str.h's makers */
	uint64_t (*bvar)(void *ctx, struct vm *vm, enum dprog_bvar id);
	bool (*progenyof)(void *ctx, struct vm *vm, int64_t pid);
	/* stack of this kind and depth: an interned string, a line a frame; 0: empty */
	uint64_t (*stack)(void *ctx, struct vm *vm, enum dprog_stack kind, uint32_t frames);
	uint64_t (*epoch_offset)(void *ctx, uint32_t vm); /* CLOCK_REALTIME - CLOCK_MONOTONIC there */
	void (*destroy)(void *ctx, struct vm *vm, const struct dprog_action *act, uint64_t value);
};

/* A record that is handed on. */
struct vm_record {
	const struct vm_probe *probe;
	uint32_t clause, cpu, nr_words;
	const uint64_t *words; /* borrowed for the call */
	struct vars_who who;   /* who fired */
	uint64_t firing;       /* number of the firing: that of the record before if it is of the same */
	bool is_more;	       /* with -F, at a return: the next record is of the same firing */
	uint32_t depth;	       /* with -F, at an entry or return: open calls, as the event says; 0: it does not */
};

struct spec_set;

struct vm {
	const struct dprog *prog;
	struct vm_opts opts;
	struct vm_env env;
	struct str_pool pool;
	struct mem mem;
	struct vars vars;
	struct agg *aggs; /* prog->nr_aggs */
	struct agg *shown; /* option aggrate, live: as they were when it was last due; NULL: print what is */
	bool *agg_texts;  /* has this aggregation keys that are strings? */
	struct agg_budget agg_budget;
	uint64_t *str_consts; /* interned */
	struct spec_set *spec;
	struct vm_arg (*args)[VM_NR_ARGS]; /* by event id */
	/* the event at hand */
	struct vm_event ev;
	uint32_t clause;
	const struct dprog_insn *at; /* the action that is being done */
	int last_arg; /* whose number was loaded last: what COPYINSTR most likely wants */
	/* the record that is being made */
	uint64_t *rec;
	uint32_t rec_used, rec_cap;
	uint32_t speculating; /* number of the speculation the record goes to; 0: none */
	bool is_void;	      /* speculate() named no live speculation: the record is dropped */
	bool is_over;	      /* exit() was called */
	int32_t status;	      /* of exit() */
	/* the last fault */
	enum dprog_fault fault;
	uint64_t fault_value;
	uint32_t fault_pc;
	uint64_t strtok_rest; /* interned string; what strtok(NULL, ...) goes on with */
	uint64_t seed;	      /* of rand() */
	uint64_t regs[DPROG_MAX_REGS + 1];
};

enum vm_result {
	VM_NOTHING,	/* no record: predicate false, or only aggregations and the like */
	VM_RECORD,	/* rec[0 .. rec_used) is one, perhaps empty */
	VM_FAULTED,	/* see fault, fault_value, fault_pc */
};

/**
 * vm_init() - a machine for a program
 * @prog:    checked program, borrowed
 * @opts:    copied
 * @env:     copied; functions may be NULL: then what they would say is 0
 * @resolve: makes text of the VM's values, with env->ctx
 *
 * Return: 0, -ENOMEM, or -EINVAL when the program is not sound.
 */
int vm_init(struct vm *vm, const struct dprog *prog, const struct vm_opts *opts, const struct vm_env *env,
	    str_resolve_fn *resolve, struct diag *d);
void vm_fini(struct vm *vm);

/** vm_begin() - a new firing: vm->ev has been filled in */
static inline void vm_begin(struct vm *vm)
{
	str_scratch_reset(&vm->pool);
	if (vm->mem.nr_pieces)
		mem_reset_scratch(&vm->mem);
	vars_begin(&vm->vars);
}

/** vm_run() - run one clause for the event at hand */
enum vm_result vm_run(struct vm *vm, uint32_t clause);

/** vm_show_copies() - set option show_copies while the machine runs.  Return: 0 or -ENOMEM: nothing has changed */
int vm_show_copies(struct vm *vm, bool on);
/** vm_show() - what printa() shows from now on is what the aggregations hold; without show_copies: nothing to do */
void vm_show(struct vm *vm);
/** vm_shown() - an aggregation as printa() shows it */
static inline struct agg *vm_shown(struct vm *vm, uint32_t i)
{
	if (!vm->shown)
		return &vm->aggs[i];
	vm->shown[i].normal = vm->aggs[i].normal;
	return &vm->shown[i];
}

/** vm_tidy() - between events: free strings that nothing holds, if there are many */
void vm_tidy(struct vm *vm);

/** vm_fault_text() - what a report says of a fault: "divide-by-zero" */
void vm_fault_text(enum dprog_fault fault, uint64_t value, char *buf, size_t size);

/* -- for the functions of the machine (func*.c) -- */

/** vm_fail() - raise a fault; the clause ends when the function returns */
static inline uint64_t vm_fail(struct vm *vm, enum dprog_fault fault, uint64_t value)
{
	vm->fault = fault;
	vm->fault_value = value;
	return 0;
}
/** vm_arg_word() - arg<i> as a number */
uint64_t vm_arg_word(struct vm *vm, unsigned int i);
/** vm_arg_value() - args[i] as its type in D says */
uint64_t vm_arg_value(struct vm *vm, unsigned int i);
/** vm_string_at() - string at an address: an event's argument or the script's memory; 0 with a fault */
uint64_t vm_string_at(struct vm *vm, uint64_t addr, uint64_t max);
/** vm_text() - a string's text, at most strsize - 1 bytes of it */
static inline const char *vm_text(struct vm *vm, uint64_t s, size_t *len)
{
	const char *t = str_text(&vm->pool, str_of(s), len);

	if (*len >= vm->opts.strsize && !(str_of(s)->flags & STR_WHOLE))
		*len = vm->opts.strsize - 1;
	return t;
}
/** vm_new_text() - temporary string, cut to strsize - 1 bytes; faults without memory */
uint64_t vm_new_text(struct vm *vm, const char *text, size_t len);
/** vm_keep() - the string as one that may be kept: interned and cut */
static inline uint64_t vm_keep(struct vm *vm, uint64_t s)
{
	return str_word(str_intern(&vm->pool, str_of(s), vm->opts.strsize - 1));
}
/** vm_bvar() - built-in variable */
uint64_t vm_bvar(struct vm *vm, enum dprog_bvar id);

#endif /* BEAMTAP_VM_H */
