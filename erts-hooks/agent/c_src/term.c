// SPDX-License-Identifier: Apache-2.0
/* term.c - does this VM lay out its terms as term.h believes? */
#include <string.h>
#include "term.h"

bool term_is_raw;
ERL_NIF_TERM term_map_head;
ERL_NIF_TERM term_alias_head;
unsigned int term_alias_at;
struct term_rotation term_rotation;

static bool list_is_known(ErlNifEnv *env, ERL_NIF_TERM a, ERL_NIF_TERM b)
{
	ERL_NIF_TERM l = enif_make_list2(env, a, b), nil = enif_make_list(env, 0);
	ERL_NIF_TERM tail;

	if ((l & 3) != 1 || (nil & 3) != 3 || TERM_PTR(l)[0] != a)
		return false;
	tail = TERM_PTR(l)[1];
	return (tail & 3) == 1 && TERM_PTR(tail)[0] == b && TERM_PTR(tail)[1] == nil;
}

static bool tuple_is_known(ErlNifEnv *env, ERL_NIF_TERM a, ERL_NIF_TERM b)
{
	ERL_NIF_TERM t = enif_make_tuple3(env, a, b, a), m = enif_make_new_map(env);
	const ERL_NIF_TERM *p = TERM_PTR(t);
	ERL_NIF_TERM bin;

	if ((t & 3) != 2 || p[0] != 3 << 6 || p[1] != a || p[2] != b || p[3] != a)
		return false;
	/* What is no tuple must not look like one. */
	if ((m & 3) != 2 || !(TERM_PTR(m)[0] & 0x3f))
		return false;
	enif_make_new_binary(env, 100, &bin);
	return (bin & 3) == 2 && (TERM_PTR(bin)[0] & 0x3f);
}

/* Return: the head word of a map whose keys and values lie where term_option() looks, or 0 */
static ERL_NIF_TERM map_head(ErlNifEnv *env, ERL_NIF_TERM a, ERL_NIF_TERM b)
{
	ERL_NIF_TERM m = enif_make_new_map(env), m2, key;
	const ERL_NIF_TERM *p, *keys;
	int i;

	if (!enif_make_map_put(env, m, a, b, &m) || !enif_make_map_put(env, m, b, a, &m2))
		return 0;
	p = TERM_PTR(m);
	if ((m & 3) != 2 || p[1] != 1 || (p[2] & 3) != 2 || p[3] != b)
		return 0;
	keys = TERM_PTR(p[2]);
	if (keys[0] != 1 << 6 || keys[1] != a)
		return 0;
	if (TERM_PTR(m2)[0] != p[0])
		return 0;
	p = TERM_PTR(m2);
	if (p[1] != 2 || (p[2] & 3) != 2)
		return 0;
	keys = TERM_PTR(p[2]);
	if (keys[0] != 2 << 6)
		return 0;
	for (i = 0; i < 2; i++) {
		key = keys[1 + i];
		if (p[3 + i] != (key == a ? b : a))
			return 0;
	}
	return p[0];
}

bool term_init(ErlNifEnv *env)
{
	ERL_NIF_TERM a = enif_make_atom(env, "extra");
	ERL_NIF_TERM b = enif_make_atom(env, "match_spec_result");
	ERL_NIF_TERM small = enif_make_int(env, 1234), neg = enif_make_int(env, -5);
	ErlNifPid self;

	term_is_raw = false;
	term_map_head = 0;
	if (sizeof(ERL_NIF_TERM) != 8 || !term_is_atom(a) || !term_is_atom(b))
		return false;
	if (term_small(small, 0) != 1234 || (int64_t)term_small(neg, 0) != -5)
		return false;
	if (enif_self(env, &self) && !term_is_pid(self.pid))
		return false;
	term_is_raw = list_is_known(env, a, b) && tuple_is_known(env, a, small);
	if (term_is_raw)
		term_map_head = map_head(env, a, b);
	return true;
}

static bool is_copied_as_it_is(ERL_NIF_TERM t, unsigned int nr)
{
	ErlNifEnv *env = enif_alloc_env();
	ERL_NIF_TERM copy = env ? enif_make_copy(env, t) : 0;
	bool same = copy && (copy & 3) == 2 && TERM_PTR(copy) != TERM_PTR(t) &&
		    memcmp(TERM_PTR(copy), TERM_PTR(t), (1 + nr) * sizeof(t)) == 0;

	if (env)
		enif_free_env(env);
	return same;
}

bool term_learn_alias(ErlNifEnv *env, ERL_NIF_TERM alias, ERL_NIF_TERM self)
{
	unsigned int i, nr, at = 0, found = 0;
	const ERL_NIF_TERM *p;

	if (!term_is_raw || (alias & 3) != 2 || !enif_is_ref(env, alias) || !term_is_pid(self))
		return false;
	p = TERM_PTR(alias);
	nr = (unsigned int)(p[0] >> 6);
	if (nr > TERM_ALIAS_MAX || !is_copied_as_it_is(alias, nr))
		return false;
	for (i = 1; i <= nr; i++)
		if (p[i] == self) {
			at = i;
			found++;
		}
	if (found != 1)
		return false;
	term_alias_at = at;
	term_alias_head = p[0];
	return true;
}
