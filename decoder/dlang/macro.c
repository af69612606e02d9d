// SPDX-License-Identifier: Apache-2.0
/*
 * macro.c - macro variables: $0 .. $n the script's arguments, $pid and kin what
 * the command knows.  $$x is always a string; $1 is a number or, where it begins
 * with a letter, an identifier.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "dlang/macro.h"

/* Return: number of an argument macro, or -1 for a named one */
static long arg_number(const char *name, size_t len)
{
	size_t i;
	long v = 0;

	for (i = 0; i < len; i++) {
		if (!isdigit((unsigned char)name[i]))
			return -1;
		v = v * 10 + (name[i] - '0');
		if (v > 1000000)
			return 1000000;
	}
	return len ? v : -1;
}

/* Text of a macro variable, or NULL with the error reported */
static const char *value_of(struct dlang *dl, const char *name, size_t len, bool text,
			    uint32_t line)
{
	long n = arg_number(name, len);
	const struct dlang_macro *m;

	if (n >= 0) {
		if (n < 64)
			dl->args_used |= 1ull << n;
		if (n < dl->opts.argc)
			return dl->opts.argv[n];
		if (dl->opts.default_args)
			return text ? "" : "0";
		err_at(dl, line, D_MACRO_UNDEF, "macro argument $%s%.*s is not defined",
		       text ? "$" : "", (int)(len > 20 ? 20 : len), name);
		return NULL;
	}
	for (m = dl->opts.macros; m && m->name; m++)
		if (strlen(m->name) == len && !memcmp(m->name, name, len))
			return arena_printf(&dl->mem, "%" PRId64, m->value);
	err_at(dl, line, D_MACRO_UNDEF, "macro variable $%s%.*s is not defined", text ? "$" : "",
	       (int)(len > 64 ? 64 : len), name);
	return NULL;
}

void macro_token(struct dlang *dl, struct tok *t, bool text)
{
	const char *name = t->at + 1 + text, *v;
	size_t len = t->len - 1 - text;
	char *end;
	uint64_t n;

	if (!len) {
		t->kind = T_ERROR;
		return;
	}
	v = value_of(dl, name, len, text, t->line);
	if (!v)
		v = text ? "" : "0";
	if (text) {
		t->kind = T_STRING;
		t->str = v;
		t->str_len = strlen(v);
		return;
	}
	if (isalpha((unsigned char)*v) || *v == '_') {
		t->kind = T_IDENT;
		t->str = arena_strdup(&dl->mem, v);
		t->str_len = strlen(v);
		return;
	}
	errno = 0;
	n = strtoull(v, &end, 0);
	if (errno || *end || !*v)
		err_at(dl, t->line, D_MACRO_OFLOW,
		       "macro argument $%.*s constant %.60s results in integer overflow",
		       (int)(len > 64 ? 64 : len), name, v);
	t->kind = T_INT;
	t->value = n;
	/* a negative number is one token here */
	if (*v == '-')
		t->suffix = (int64_t)n >= INT32_MIN ? 32 : 33;
}

size_t macro_spec(struct dlang *dl, const char *p, size_t len, char *out, size_t *n, size_t cap)
{
	bool text = len > 1 && p[1] == '$';
	size_t i = 1 + text, k;
	const char *v;

	if (i < len && isdigit((unsigned char)p[i]))
		while (i < len && isdigit((unsigned char)p[i]))
			i++;
	else
		while (i < len && (isalpha((unsigned char)p[i]) || p[i] == '_'))
			i++;
	if (i == 1u + text) {
		if (*n < cap)
			out[(*n)++] = '$';
		return 1;
	}
	v = value_of(dl, p + 1 + text, i - 1 - text, text, dl->lex.line);
	k = v ? strlen(v) : 0;
	if (*n + k < cap) {
		memcpy(out + *n, v ? v : "", k);
		*n += k;
	}
	return i;
}
