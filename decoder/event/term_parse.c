// SPDX-License-Identifier: Apache-2.0
/* term_parse.c - pids, ports and names as people write them -> words of a VM */
#include <errno.h>
#include "event/term.h"
#include "event/utf8.h"

struct cursor {
	const char *at, *end;
};

static bool skip(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n))
		return false;
	c->at += n;
	return true;
}

/* Return: 0, -EINVAL for no digits, -ERANGE beyond 64 bits */
static int number(struct cursor *c, uint64_t *v)
{
	const char *begin = c->at;

	*v = 0;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*c->at - '0'), v))
			return -ERANGE;
	return c->at == begin ? -EINVAL : 0;
}

/* `@node` at the end, or nothing */
static int node(struct term_name *n, struct cursor *c)
{
	n->node = NULL;
	n->node_len = 0;
	if (c->at == c->end)
		return 0;
	if (!skip(c, "@") || c->at == c->end)
		return -EINVAL;
	n->node = c->at;
	n->node_len = (size_t)(c->end - c->at);
	return 0;
}

static int parse_pid(struct term_name *n, struct cursor *c)
{
	uint64_t other;
	int r;

	n->kind = TERM_PID;
	if ((r = number(c, &other)) || (r = skip(c, ".") ? 0 : -EINVAL) ||
	    (r = number(c, &n->number)) || (r = skip(c, ".") ? 0 : -EINVAL) ||
	    (r = number(c, &n->serial)))
		return r;
	return skip(c, ">") ? node(n, c) : -EINVAL;
}

static int parse_port(struct term_name *n, struct cursor *c)
{
	uint64_t other;
	int r;

	n->kind = TERM_PORT;
	n->serial = 0;
	if ((r = number(c, &other)) || (r = skip(c, ".") ? 0 : -EINVAL) ||
	    (r = number(c, &n->number)))
		return r;
	return skip(c, ">") ? node(n, c) : -EINVAL;
}

/* One character after a backslash, as in Erlang.  Return: 0 or -EINVAL */
static int escape(struct cursor *c, uint32_t *ch)
{
	static const char from[] = "nrtvbfeds", to[] = "\n\r\t\v\b\f\x1b\x7f ";
	const char *p;
	int digits = 0;
	bool braces;

	*ch = 0;
	if (c->at == c->end)
		return -EINVAL;
	if (*c->at >= '0' && *c->at <= '7') {
		for (; digits < 3 && c->at < c->end && *c->at >= '0' && *c->at <= '7'; digits++)
			*ch = *ch * 8 + (uint32_t)(*c->at++ - '0');
		return 0;
	}
	if (skip(c, "x")) {
		braces = skip(c, "{");
		for (; digits < (braces ? 6 : 2) && c->at < c->end; digits++, c->at++) {
			char d = *c->at | 32;

			if (*c->at >= '0' && *c->at <= '9')
				*ch = *ch * 16 + (uint32_t)(*c->at - '0');
			else if (d >= 'a' && d <= 'f')
				*ch = *ch * 16 + (uint32_t)(d - 'a' + 10);
			else
				break;
		}
		if (!digits || (braces && !skip(c, "}")) || *ch > 0x10ffff ||
		    (*ch >= 0xd800 && *ch < 0xe000))
			return -EINVAL;
		return 0;
	}
	p = memchr(from, *c->at, sizeof(from) - 1);
	*ch = p ? (unsigned char)to[p - from] : (unsigned char)*c->at;
	c->at++;
	return 0;
}

static int parse_quoted(struct term_name *n, struct cursor *c)
{
	uint32_t ch;
	int r;

	while (c->at < c->end && *c->at != '\'') {
		unsigned int len;

		if (n->len + 4 >= sizeof(n->text))
			return -ERANGE;
		if (skip(c, "\\")) {
			r = escape(c, &ch);
			if (r)
				return r;
		} else {
			len = utf8_get(c->at, (size_t)(c->end - c->at), &ch);
			if (!len)
				return -EINVAL;
			c->at += len;
		}
		n->len += utf8_put(n->text + n->len, ch);
	}
	return skip(c, "'") && c->at == c->end ? 0 : -EINVAL;
}

static int parse_name(struct term_name *n, struct cursor *c)
{
	size_t len = (size_t)(c->end - c->at), rest;
	unsigned int step;
	uint32_t ch;
	char full[sizeof(n->text)];

	n->kind = TERM_ATOM;
	n->len = 0;
	n->node = NULL;
	n->node_len = 0;
	if (skip(c, "'"))
		return parse_quoted(n, c);
	if (!len)
		return -EINVAL;
	if (len + 8 > sizeof(n->text))
		return -ERANGE;
	for (size_t i = 0; i < len; i += step) {
		step = utf8_get(c->at + i, len - i, &ch);
		if (!step || ch <= ' ' || ch == '<' || ch == '>' || ch == '#')
			return -EINVAL;
	}
	/* Shop.Cart is what Elixir's users write for 'Elixir.Shop.Cart'. */
	memcpy(full, "Elixir.", 7);
	memcpy(full + 7, c->at, len);
	if (atom_elixir_module(full, len + 7, &rest) &&
	    !(len > 7 && !memcmp(c->at, "Elixir.", 7))) {
		memcpy(n->text, full, len + 7);
		n->len = len + 7;
	} else {
		memcpy(n->text, c->at, len);
		n->len = len;
	}
	return 0;
}

int term_parse(struct term_name *n, const char *s, size_t len, struct diag *d)
{
	struct cursor c = { s, s + len };
	int r;

	if (skip(&c, "<"))
		r = parse_pid(n, &c);
	else if (skip(&c, "#Port<"))
		r = parse_port(n, &c);
	else
		r = parse_name(n, &c);
	if (r == -ERANGE)
		return diag_fail(d, r, "'%.*s' is too big a number, or too long a name",
				 (int)(len < 80 ? len : 80), s);
	if (r)
		return diag_fail(d, r,
				 "'%.*s' is no process, port or name: write <0.80.0>, "
				 "<0.80.0>@node, #Port<0.5>, name or 'a name'",
				 (int)(len < 80 ? len : 80), s);
	return 0;
}

bool term_make(const struct term_vm *t, const struct term_name *n, uint64_t *term)
{
	if (n->kind == TERM_PID) {
		unsigned int serial_shift = t->pid_shift + t->pid_number_bits;

		if (n->number >> t->pid_number_bits || n->serial >> t->pid_serial_bits)
			return false;
		*term = n->number << t->pid_shift | BTAP_TAG_PID;
		if (serial_shift < 64)
			*term |= n->serial << serial_shift;
		else if (n->serial)
			return false;
		return true;
	}
	if (n->kind == TERM_PORT) {
		if (n->number >> t->port_number_bits)
			return false;
		*term = n->number << t->port_shift | BTAP_TAG_PORT;
		return true;
	}
	return false; /* atoms are compared by their text */
}
