// SPDX-License-Identifier: Apache-2.0
/* message.c - how a message can be told from others; see message.h */
#include "message.h"

#define ATOMS(A) \
	A(alias, "alias") A(exit, "EXIT") A(ets_transfer, "ETS-TRANSFER") A(ok, "ok") \
	A(process, "process") A(garbage_collect, "garbage_collect") \
	A(check_process_code, "check_process_code") A(copy_literals, "copy_literals") \
	A(auto_connect, "auto_connect")

static struct {
#define AS_MEMBER(a, text) ERL_NIF_TERM a;
	ATOMS(AS_MEMBER)
#undef AS_MEMBER
} am;

void message_load(ErlNifEnv *env)
{
#define AS_INIT(a, text) am.a = enif_make_atom(env, text);
	ATOMS(AS_INIT)
#undef AS_INIT
}

/* {[alias | Alias], _}, {Alias, _}, {Ref, _} */
static uint64_t of_pair(ErlNifEnv *env, ERL_NIF_TERM first)
{
	ERL_NIF_TERM head, tail;

	if ((first & 3) == 3)
		return 0;
	if ((first & 3) == 1)
		return term_cell(env, first, &head, &tail) && head == am.alias ?
			       term_alias_id(tail) :
			       0;
	if (term_alias(first))
		return term_alias_id(first);
	return enif_is_ref(env, first) ? BTAP_UNKNOWN : 0;
}

static bool is_name_at_node(ErlNifEnv *env, ERL_NIF_TERM t)
{
	const ERL_NIF_TERM *el;
	int nr;

	el = term_tuple(env, t, &nr);
	return el && nr == 2 && term_is_atom(el[0]) && term_is_atom(el[1]);
}

uint64_t message_id_boxed(ErlNifEnv *env, ERL_NIF_TERM msg, ERL_NIF_TERM from)
{
	const ERL_NIF_TERM *el;
	bool is_like = false;
	int nr;

	el = term_tuple(env, msg, &nr);
	if (!el)
		return 0;
	switch (nr) {
	case 2:
		return of_pair(env, el[0]);
	case 3: /* {'EXIT', Pid, _}; answers {What, Id, _} to requests; of the VM to its servers */
		is_like = (el[0] == am.exit && el[1] == from) || el[0] == am.garbage_collect ||
			  el[0] == am.check_process_code || el[0] == am.copy_literals ||
			  el[0] == am.auto_connect;
		break;
	case 4: /* {'ETS-TRANSFER', _, Pid, _}; {_, Ref, ok, Pid}: its first may be any term */
		is_like = (el[0] == am.ets_transfer && el[2] == from) ||
			  (el[2] == am.ok && el[3] == from);
		break;
	case 5: /* {_, Ref, process, Pid or {Name, Node}, _}: its first may be any term, too */
		is_like = el[2] == am.process && (el[3] == from || is_name_at_node(env, el[3]));
		break;
	}
	return is_like ? BTAP_UNKNOWN : 0;
}
