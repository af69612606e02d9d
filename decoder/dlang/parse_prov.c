// SPDX-License-Identifier: Apache-2.0
/*
 * parse_prov.c - declarations of providers: provider NAME { probe NAME(TYPES); ... };
 *
 * They have no effect on a program; `dtrace -h` makes a header of them.
 */
#include "dlang/parse.h"

/* The longest names that DTrace takes. */
#define MAX_PROVIDER 63
#define MAX_PROBE    63

static struct dlang_provider *provider_of(struct dlang *dl, const char *name)
{
	for (unsigned int i = 0; i < dl->nr_providers; i++)
		if (!strcmp(dl->providers[i].name, name))
			return &dl->providers[i];
	dl->providers = arena_grow(&dl->mem, dl->providers, dl->nr_providers, &dl->cap_providers,
				   sizeof(*dl->providers));
	dl->providers[dl->nr_providers] = (struct dlang_provider){ .name = name };
	return &dl->providers[dl->nr_providers++];
}

static void add_arg(struct dlang *dl, struct dlang_user_probe *p, const struct declarator *arg)
{
	if (p->nr_args == DLANG_MAX_USER_ARGS) {
		err_at(dl, arg->line, D_PROV_PRARGLEN, "probe %s has more than %u arguments", p->name,
		       DLANG_MAX_USER_ARGS);
		dl->syntax = true;
		return;
	}
	p->args[p->nr_args++] = (struct dlang_user_arg){ arg->name, arg->type };
}

/* ( void ) or ( TYPE NAME, ... ) */
static void arguments(struct dlang *dl, struct dlang_user_probe *p)
{
	struct declarator arg;
	bool has_void = false;
	struct specs sp;

	if (!parse_expect(dl, T_LPAREN) || parse_accept(dl, T_RPAREN))
		return;
	do {
		if (!parse_specs(dl, &sp) || !parse_declarator(dl, sp.type, &arg, true))
			return;
		if (type_is_void(arg.type)) {
			has_void = true;
			if (!arg.name && !p->nr_args && lex_peek(dl)->kind == T_RPAREN)
				break;
		}
		if (has_void) {
			err_at(dl, arg.line, D_DECL_PROTO_VOID,
			       "void must be the sole parameter in a probe declaration: %s", p->name);
			arg.type = dl->t_int;
		}
		add_arg(dl, p, &arg);
	} while (!dl->syntax && parse_accept(dl, T_COMMA));
	if (!dl->syntax)
		parse_expect(dl, T_RPAREN);
}

static void probe(struct dlang *dl, struct dlang_provider *prov)
{
	struct dlang_user_probe *p = arena_alloc(&dl->mem, sizeof(*p)), seen_by_d;
	struct dlang_user_probe **at = &prov->probes;

	if (!parse_expect(dl, T_PROBE))
		return;
	if (lex_peek(dl)->kind != T_IDENT) {
		parse_error(dl);
		return;
	}
	p->line = lex_peek(dl)->line;
	p->name = lex_next(dl).str;
	if (strlen(p->name) > MAX_PROBE)
		err_at(dl, p->line, D_PROV_BADNAME, "probe name may not exceed %u characters: %s", MAX_PROBE,
		       p->name);
	for (; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, p->name))
			err_at(dl, p->line, D_PROV_PRDUP, "probe redeclared: %s:::%s", prov->name, p->name);
	arguments(dl, p);
	if (!dl->syntax && parse_accept(dl, T_COLON)) { /* as D sees them; the caller's are those before */
		seen_by_d = (struct dlang_user_probe){ .name = p->name };
		arguments(dl, &seen_by_d);
	}
	if (!dl->syntax)
		parse_expect(dl, T_SEMI);
	*at = p;
}

void parse_provider(struct dlang *dl)
{
	struct dlang_provider *prov;
	const char *name;
	uint32_t line;
	size_t len;

	lex_next(dl); /* provider */
	line = lex_peek(dl)->line;
	if (lex_peek(dl)->kind != T_IDENT) {
		parse_error(dl);
		return;
	}
	name = lex_next(dl).str;
	len = strlen(name);
	if (len > MAX_PROVIDER)
		err_at(dl, line, D_PROV_BADNAME, "provider name may not exceed %u characters: %s", MAX_PROVIDER, name);
	else if (name[len - 1] >= '0' && name[len - 1] <= '9')
		err_at(dl, line, D_PROV_BADNAME, "provider name may not end with a digit: %s", name);
	prov = provider_of(dl, name);
	if (!parse_expect(dl, T_LBRACE))
		return;
	while (!dl->syntax && lex_peek(dl)->kind != T_RBRACE)
		probe(dl, prov);
	if (!dl->syntax && parse_expect(dl, T_RBRACE))
		parse_expect(dl, T_SEMI);
}

unsigned int dlang_providers(const struct dlang *dl, const struct dlang_provider **provs)
{
	*provs = dl->providers;
	return dl->nr_providers;
}
