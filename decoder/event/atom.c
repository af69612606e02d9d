// SPDX-License-Identifier: Apache-2.0
/* atom.c - names of modules, functions and other atoms */
#include "event/atom.h"
#include "event/utf8.h"

bool atom_is_reserved(const char *s, size_t len, unsigned int otp)
{
	static const char words[][8] = {
		"after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr",
		"bxor", "case", "catch", "cond", "div", "end", "fun", "if", "let",
		"not", "of", "or", "orelse", "receive", "rem", "try", "when", "xor",
	};

	if (len < 2 || len > 7)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return true;
	return otp >= 27 && ((len == 5 && !memcmp(s, "maybe", 5)) || (len == 4 && !memcmp(s, "else", 4)));
}

static bool is_lower(uint32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c <= 0xff && c != 0xf7);
}

/* May stand in an atom without quotes; letters up to U+00FF only. */
static bool is_plain(uint32_t c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '@' || (c >= 0xc0 && c <= 0xde && c != 0xd7);
}

static bool needs_quotes(const char *s, size_t len, unsigned int otp)
{
	unsigned int n;
	uint32_t c;
	size_t i;

	for (i = 0; i < len; i += n) {
		n = utf8_get(s + i, len - i, &c);
		if (!n || !(i ? is_plain(c) : is_lower(c)))
			return true;
	}
	return !len || atom_is_reserved(s, len, otp);
}

/* What follows the backslash in Erlang, for a character that has a letter. */
static char letter_of(uint32_t c)
{
	switch (c) {
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	case '\v': return 'v';
	case '\b': return 'b';
	case '\f': return 'f';
	case 0x1b: return 'e';
	case 0x7f: return 'd';
	case '\'': return '\'';
	case '\\': return '\\';
	}
	return 0;
}

static char *put_quoted_char(char *p, const char *s, unsigned int n, uint32_t c)
{
	char letter = letter_of(c);

	if (letter) {
		*p++ = '\\';
		*p++ = letter;
	} else if (c >= ' ' && !(c >= 0x7f && c < 0xa0)) {
		memcpy(p, s, n);
		p += n;
	} else {
		*p++ = '\\';
		*p++ = (char)('0' + (c >> 6));
		*p++ = (char)('0' + (c >> 3 & 7));
		*p++ = (char)('0' + (c & 7));
	}
	return p;
}

void atom_put(struct outbuf *o, const char *s, size_t len, unsigned int otp)
{
	unsigned int n;
	uint32_t c;

	if (!needs_quotes(s, len, otp)) {
		outbuf_mem(o, s, len);
		return;
	}
	outbuf_char(o, '\'');
	for (; len; s += n, len -= n) {
		char *p = outbuf_room(o, 8);

		n = utf8_get(s, len, &c);
		if (!n) { /* cannot come from a VM */
			n = 1;
			c = 0xfffd;
			memcpy(p, "\xef\xbf\xbd", 3);
			outbuf_done(o, p + 3);
			continue;
		}
		outbuf_done(o, put_quoted_char(p, s, n, c));
	}
	outbuf_char(o, '\'');
}

const char *atom_elixir_module(const char *s, size_t len, size_t *rest)
{
	bool first = true; /* of a part: has to be a capital */
	size_t i;

	if (len < 8 || memcmp(s, "Elixir.", 7))
		return NULL;
	for (i = 7; i < len; i++) {
		char c = s[i];

		if (first ? !(c >= 'A' && c <= 'Z') :
			    !(c == '.' || c == '_' || (c >= '0' && c <= '9') ||
			      ((c | 32) >= 'a' && (c | 32) <= 'z')))
			return NULL;
		first = c == '.';
	}
	if (first)
		return NULL;
	*rest = len - 7;
	return s + 7;
}

static bool is_elixir_operator(const char *s, size_t len)
{
	static const char ops[][5] = {
		"!", "++", "--", "<>", "|", "||", "|||", "&&", "&&&", "::", "@", "^", "&", "+",
		"-", "*", "/", "+++", "---", "~>", "~>>", "<~", "<~>", "<<~", "<<<", ">>>", "|>",
		"==", "!=", "===", "!==", "=~", "=", "<", ">", "<=", ">=", "**", "^^^", "~~~",
		"<|>",
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (strlen(ops[i]) == len && !memcmp(ops[i], s, len))
			return true;
	return false;
}

static bool is_elixir_identifier(const char *s, size_t len)
{
	unsigned int n;
	uint32_t c;
	size_t i;

	for (i = 0; i < len; i += n) {
		n = utf8_get(s + i, len - i, &c);
		if (!n)
			return false;
		if (c == '_' || is_lower(c))
			continue;
		if (i && (is_plain(c) && c != '@'))
			continue;
		if (i && i + 1 == len && (c == '?' || c == '!'))
			continue;
		return false;
	}
	return len > 0;
}

void atom_put_elixir_function(struct outbuf *o, const char *s, size_t len)
{
	if (is_elixir_identifier(s, len) || is_elixir_operator(s, len)) {
		outbuf_mem(o, s, len);
		return;
	}
	outbuf_char(o, '"');
	outbuf_escaped(o, s, len, '"');
	outbuf_char(o, '"');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What the compiler calls the parts it makes functions of. */
static const char *part_name(const char *s, size_t len)
{
	static const struct {
		const char *key, *what;
	} parts[] = {
		{ "fun", "fun" },		     { "lc", "list comprehension" },
		{ "lbc", "binary comprehension" },   { "bc", "binary comprehension" },
		{ "blc", "binary comprehension" },   { "bbc", "binary comprehension" },
		{ "mc", "map comprehension" },	     { "recv", "receive" },
		{ "after", "after" },		     { "inlined", "inlined" },
		{ "anonymous", "fun" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strlen(parts[i].key) == len && !memcmp(parts[i].key, s, len))
			return parts[i].what;
	return NULL;
}

/*
 * From the right: `-` NUMBER `-` PART `-` ARITY `/` PARENT `-`, where PART is
 * `fun`, or like `lc$^0/1`, or a named fun and its arity like `Loop/2`.
 */
bool atom_fun(const char *s, size_t len, struct atom_fun *f)
{
	const char *end = s + len, *p, *part, *part_end;
	size_t n;

	if (len < 8 || *s != '-' || end[-1] != '-')
		return false;
	p = --end;
	while (p > s && is_digit(p[-1]))
		p--;
	if (p == end || p - s < 2 || p[-1] != '-')
		return false;
	f->number = p;
	f->number_len = (size_t)(end - p);
	part_end = p - 1;
	for (part = part_end; part > s && part[-1] != '-'; part--)
		;
	if (part - s < 4)
		return false;
	/* `-` PARENT `/` ARITY `-` stands before part */
	end = part - 1;
	for (p = end; p > s && is_digit(p[-1]); p--)
		;
	if (p == end || end - p > 3 || p - s < 3 || p[-1] != '/')
		return false;
	f->arity = 0;
	for (const char *q = p; q < end; q++)
		f->arity = f->arity * 10 + (unsigned int)(*q - '0');
	f->parent = s + 1;
	f->parent_len = (size_t)(p - 1 - f->parent);
	n = 0;
	while (part + n < part_end && part[n] != '$' && part[n] != '/')
		n++;
	f->name = NULL;
	f->name_len = 0;
	f->what = part_name(part, n);
	if (!f->what) {
		/* A named fun: a variable's name, or something unknown. */
		if (!n || !((*part >= 'A' && *part <= 'Z') || *part == '_'))
			return false;
		f->what = "fun";
		f->name = part;
		f->name_len = n;
	}
	return true;
}
