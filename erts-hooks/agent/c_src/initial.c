// SPDX-License-Identifier: Apache-2.0
/* initial.c - with what a process begins that proc_lib started; see initial.h */
#include "agent.h"
#include "initial.h"

#define MAX_ARGS 255

#define ATOMS(A) \
	A(proc_lib) A(init_p) A(gen) A(init_it) A(init) A(supervisor) A(supervisor_bridge) \
	A(gen_event)

static struct {
#define AS_MEMBER(a) ERL_NIF_TERM a;
	ATOMS(AS_MEMBER)
#undef AS_MEMBER
} am;

void initial_load(ErlNifEnv *env)
{
#define AS_INIT(a) am.a = enif_make_atom(env, #a);
	ATOMS(AS_INIT)
#undef AS_INIT
}

/*
 * The first @max elements of a list.
 * Return: how many the list has; 0 when it is improper, or longer than a function's arguments
 */
static unsigned int elements(ErlNifEnv *env, ERL_NIF_TERM list, ERL_NIF_TERM *el, unsigned int max)
{
	ERL_NIF_TERM head;
	unsigned int n;

	for (n = 0; n <= MAX_ARGS && term_cell(env, list, &head, &list); n++)
		if (n < max)
			el[n] = head;
	return n <= MAX_ARGS && enif_is_empty_list(env, list) ? n : 0;
}

/* gen:init_it(Behaviour, Starter, Parent[, Name], Module, Arguments, Options) */
static uint64_t of_behaviour(ErlNifEnv *env, const ERL_NIF_TERM *arg, unsigned int nr)
{
	ERL_NIF_TERM module = arg[nr - 3], args = arg[nr - 2], tail;
	const ERL_NIF_TERM *el;
	int n;

	if (arg[0] == am.gen_event)
		return agent_mfa(env, am.gen_event, am.init_it, 6);
	/* {Name, Module, Arguments} */
	if (module == am.supervisor) {
		el = term_tuple(env, args, &n);
		if (el && n == 3 && term_is_atom(el[1]))
			return agent_mfa(env, module, el[1], 1);
	}
	if (module == am.supervisor_bridge && term_cell(env, args, &args, &tail) &&
	    term_is_atom(args))
		return agent_mfa(env, module, args, 1);
	return agent_mfa(env, module, am.init, 1);
}

uint64_t initial_of(ErlNifEnv *env, ERL_NIF_TERM mfa)
{
	const ERL_NIF_TERM *el;
	ERL_NIF_TERM arg[7];
	unsigned int n;
	int nr;

	el = term_tuple(env, mfa, &nr);
	if (!el || nr != 3 || el[0] != am.proc_lib || el[1] != am.init_p)
		return 0;
	/* Parent, Ancestors, M, F, Arguments; or a function in place of the last three */
	if (elements(env, el[2], arg, 5) != 5)
		return 0;
	if (!term_is_atom(arg[2]) || !term_is_atom(arg[3]))
		return 0;
	mfa = arg[4];
	if (arg[2] == am.gen && arg[3] == am.init_it) {
		ERL_NIF_TERM gen[7];

		n = elements(env, mfa, gen, 7);
		if ((n == 6 || n == 7) && term_is_atom(gen[n - 3]))
			return of_behaviour(env, gen, n);
	} else {
		n = elements(env, mfa, arg, 0);
	}
	if (!n && !enif_is_empty_list(env, mfa))
		return 0;
	return agent_mfa(env, arg[2], arg[3], n);
}
