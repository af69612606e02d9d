// SPDX-License-Identifier: Apache-2.0
/* reason.c - a term as short text; see reason.h */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include "reason.h"
#include "term.h"

struct reason_layout reason_layout = { 15, 13, 28 };

struct out {
	ErlNifEnv *env;
	char *buf;
	size_t len;
	int terms; /* left to look at */
	bool is_full;
};

static void put(struct out *o, const char *s, size_t n)
{
	size_t room = REASON_MAX - 3 - o->len;

	if (o->is_full)
		return;
	if (n > room) {
		/* Cut before a character. */
		n = room;
		while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
			n--;
		o->is_full = true;
	}
	memcpy(o->buf + o->len, s, n);
	o->len += n;
	if (o->is_full) {
		memcpy(o->buf + o->len, "...", 3);
		o->len += 3;
	}
}

static void puts_(struct out *o, const char *s)
{
	put(o, s, strlen(s));
}

static void put_number(struct out *o, const char *fmt, unsigned long long v)
{
	char tmp[32];

	snprintf(tmp, sizeof(tmp), fmt, v);
	puts_(o, tmp);
}

/* One character of a quoted text; bytes above 0x7f are taken for Latin-1 or left when UTF-8. */
static void put_char(struct out *o, unsigned char c, char quote)
{
	char tmp[8];

	if (c == (unsigned char)quote || c == '\\') {
		tmp[0] = '\\';
		tmp[1] = (char)c;
		put(o, tmp, 2);
	} else if (c == '\n' || c == '\t' || c == '\r' || c == 27) {
		tmp[0] = '\\';
		tmp[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : 'e';
		put(o, tmp, 2);
	} else if (c < 32 || c >= 127) {
		snprintf(tmp, sizeof(tmp), "\\x%02x", c);
		puts_(o, tmp);
	} else {
		tmp[0] = (char)c;
		put(o, tmp, 1);
	}
}

/* Length of the UTF-8 sequence at @s that may stand in a text as it is; 0: none */
static size_t utf8_printable(const unsigned char *s, size_t n)
{
	size_t len = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0, i;

	if (s[0] >= 0xf5 || len == 0 || len > n)
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (len == 2 && s[0] == 0xc2 && s[1] < 0xa0)
		return 0; /* C1 controls */
	if (len == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
		return 0;
	if (len == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
		return 0;
	return len;
}

static void put_quoted(struct out *o, const unsigned char *s, size_t n, char quote)
{
	size_t i, len;

	put(o, &quote, 1);
	for (i = 0; i < n && !o->is_full;) {
		len = s[i] >= 0x80 ? utf8_printable(s + i, n - i) : 0;
		if (len) {
			put(o, (const char *)s + i, len);
			i += len;
		} else {
			put_char(o, s[i++], quote);
		}
	}
	put(o, &quote, 1);
}

/* An atom in the external format.  Return: bytes it takes there, 0 when it is none */
static size_t etf_atom(const unsigned char *p, size_t n, const unsigned char **s, size_t *len,
		       bool *is_latin1)
{
	size_t head;

	if (n < 3)
		return 0;
	switch (p[0]) {
	case 119: /* one byte of length, UTF-8 */
	case 115: /* one byte, Latin-1 */
		head = 2;
		*len = p[1];
		break;
	case 118: /* two bytes, UTF-8 */
	case 100: /* two bytes, Latin-1 */
		head = 3;
		*len = (size_t)p[1] << 8 | p[2];
		break;
	default:
		return 0;
	}
	if (head + *len > n)
		return 0;
	*s = p + head;
	*is_latin1 = p[0] == 115 || p[0] == 100;
	return head + *len;
}

int reason_atom(ErlNifEnv *env, ERL_NIF_TERM atom, char buf[1024])
{
	const unsigned char *s = NULL;
	bool is_latin1 = false;
	ErlNifBinary bin;
	size_t len, i;
	int n, out = 0;

	/* Latin-1 is all that old releases give; text that is ASCII is the same in both. */
	n = enif_get_atom(env, atom, buf, 1024, ERL_NIF_LATIN1);
	for (i = 0; n > 0 && i < (size_t)n - 1; i++)
		if ((unsigned char)buf[i] >= 0x80)
			n = 0;
	if (n > 0)
		return n - 1;
	if (!enif_is_atom(env, atom) || !enif_term_to_binary(env, atom, &bin))
		return -1;
	if (bin.size < 2 || !etf_atom(bin.data + 1, bin.size - 1, &s, &len, &is_latin1) ||
	    (is_latin1 ? len * 2 : len) >= 1024) {
		enif_release_binary(&bin);
		return -1;
	}
	for (i = 0; i < len; i++) {
		if (is_latin1 && s[i] >= 0x80) {
			buf[out++] = (char)(0xc0 | s[i] >> 6);
			buf[out++] = (char)(0x80 | (s[i] & 0x3f));
		} else {
			buf[out++] = (char)s[i];
		}
	}
	buf[out] = 0;
	enif_release_binary(&bin);
	return out;
}

static const char *const reserved[] = {
	"after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr", "bxor", "case",
	"catch", "cond", "div", "else", "end", "fun", "if", "let", "maybe", "not", "of", "or",
	"orelse", "receive", "rem", "try", "when", "xor",
};

static bool is_plain_atom(const char *s, size_t n)
{
	size_t i;

	if (n == 0 || s[0] < 'a' || s[0] > 'z')
		return false;
	for (i = 1; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' && s[i] != '@')
			return false;
	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(s, reserved[i]) == 0)
			return false;
	return true;
}

static void put_atom(struct out *o, ERL_NIF_TERM t)
{
	char text[1024];
	int n = reason_atom(o->env, t, text);

	if (n < 0)
		puts_(o, "'?'");
	else if (is_plain_atom(text, (size_t)n))
		put(o, text, (size_t)n);
	else
		put_quoted(o, (unsigned char *)text, (size_t)n, '\'');
}

static bool is_text(const unsigned char *s, size_t n)
{
	size_t i, len, bad = 0;

	if (n > REASON_MAX)
		n = REASON_MAX;
	for (i = 0; i < n; i += len) {
		len = 1;
		if (s[i] >= 0x80) {
			len = utf8_printable(s + i, n - i);
			if (!len) {
				/* A sequence cut by our own limit is no fault. */
				if (n == REASON_MAX && i + 4 > n)
					break;
				return false;
			}
		} else if (s[i] < 32 && !strchr("\n\r\t\033", s[i])) {
			bad++;
		} else if (s[i] == 0 || s[i] == 127) {
			bad++;
		}
	}
	/* A stray control character is shown escaped; more of them are no text. */
	return bad * 4 <= n;
}

static void put_binary(struct out *o, ERL_NIF_TERM t)
{
	ErlNifBinary bin;

	if (!enif_inspect_binary(o->env, t, &bin)) {
		puts_(o, "<<...>>");
		return;
	}
	if (bin.size == 0) {
		puts_(o, "<<>>");
	} else if (is_text(bin.data, bin.size)) {
		puts_(o, "<<");
		put_quoted(o, bin.data, bin.size, '"');
		puts_(o, ">>");
	} else {
		put_number(o, "<<%llu bytes>>", bin.size);
	}
}

static void print(struct out *o, ERL_NIF_TERM t, int depth);

/* Printable characters only, at least one: then it is shown as a string. */
static bool list_is_text(struct out *o, ERL_NIF_TERM t, unsigned char *s, size_t *n)
{
	ERL_NIF_TERM head, tail = t;
	uint64_t c;

	for (*n = 0; *n < REASON_MAX && term_cell(o->env, tail, &head, &tail);) {
		c = term_small(head, 0);
		if (c > 126 || (c < 32 && c != '\n' && c != '\t' && c != '\r' && c != 27))
			return false;
		s[(*n)++] = (unsigned char)c;
	}
	return *n > 0 && (*n == REASON_MAX || enif_is_empty_list(o->env, tail));
}

static void put_list(struct out *o, ERL_NIF_TERM t, int depth)
{
	unsigned char s[REASON_MAX];
	ERL_NIF_TERM head, tail = t;
	const char *sep = "[";
	size_t n;

	if (list_is_text(o, t, s, &n)) {
		put_quoted(o, s, n, '"');
		return;
	}
	while (!o->is_full && term_cell(o->env, tail, &head, &tail)) {
		puts_(o, sep);
		sep = ",";
		if (o->terms <= 0) {
			puts_(o, "...]");
			return;
		}
		print(o, head, depth + 1);
	}
	if (!enif_is_empty_list(o->env, tail)) {
		puts_(o, "|");
		print(o, tail, depth + 1);
	}
	puts_(o, "]");
}

static void put_tuple(struct out *o, ERL_NIF_TERM t, int depth)
{
	const ERL_NIF_TERM *el;
	int i, arity;

	el = term_tuple(o->env, t, &arity);
	if (!el) {
		puts_(o, "{...}");
		return;
	}
	puts_(o, "{");
	for (i = 0; i < arity && !o->is_full; i++) {
		if (i)
			puts_(o, ",");
		if (o->terms <= 0) {
			puts_(o, "...");
			break;
		}
		print(o, el[i], depth + 1);
	}
	puts_(o, "}");
}

static void put_integer(struct out *o, ERL_NIF_TERM t)
{
	ErlNifSInt64 v;
	char tmp[32];

	if (enif_get_int64(o->env, t, &v)) {
		snprintf(tmp, sizeof(tmp), "%" PRId64, (int64_t)v);
		puts_(o, tmp);
	} else {
		puts_(o, "<big integer>");
	}
}

static void put_float(struct out *o, ERL_NIF_TERM t)
{
	char tmp[40];
	double v;

	if (!enif_get_double(o->env, t, &v)) {
		puts_(o, "<float>");
		return;
	}
	snprintf(tmp, sizeof(tmp), "%.6g", v);
	puts_(o, tmp);
	if (!strpbrk(tmp, ".en"))
		puts_(o, ".0");
}

static void put_pid(struct out *o, ERL_NIF_TERM t)
{
	const struct reason_layout *l = &reason_layout;
	uint64_t n = term_word(t) >> 4;
	ERL_NIF_TERM node;
	char text[64];

	if (!term_is_pid(t)) {
		puts_(o, reason_remote(o->env, t, text, &node) > 0 ? text : "<remote pid>");
		return;
	}
	snprintf(text, sizeof(text), "<0.%llu.%llu>",
		 (unsigned long long)(n & ((1ULL << l->pid_number_bits) - 1)),
		 (unsigned long long)(n >> l->pid_number_bits &
				      ((1ULL << l->pid_serial_bits) - 1)));
	puts_(o, text);
}

static void put_port(struct out *o, ERL_NIF_TERM t)
{
	if (!term_is_port(t))
		puts_(o, "<remote port>");
	else
		put_number(o, "#Port<0.%llu>",
			   term_word(t) >> 4 & ((1ULL << reason_layout.port_number_bits) - 1));
}

static void print(struct out *o, ERL_NIF_TERM t, int depth)
{
	size_t size;

	if (o->is_full)
		return;
	o->terms--;
	if (depth > REASON_DEPTH) {
		puts_(o, "...");
		return;
	}
	switch (enif_term_type(o->env, t)) {
	case ERL_NIF_TERM_TYPE_ATOM:
		put_atom(o, t);
		break;
	case ERL_NIF_TERM_TYPE_BITSTRING:
		put_binary(o, t);
		break;
	case ERL_NIF_TERM_TYPE_FLOAT:
		put_float(o, t);
		break;
	case ERL_NIF_TERM_TYPE_INTEGER:
		put_integer(o, t);
		break;
	case ERL_NIF_TERM_TYPE_LIST:
		if (enif_is_empty_list(o->env, t))
			puts_(o, "[]");
		else
			put_list(o, t, depth);
		break;
	case ERL_NIF_TERM_TYPE_MAP:
		if (enif_get_map_size(o->env, t, &size))
			put_number(o, "#{%llu keys}", size);
		else
			puts_(o, "#{...}");
		break;
	case ERL_NIF_TERM_TYPE_PID:
		put_pid(o, t);
		break;
	case ERL_NIF_TERM_TYPE_PORT:
		put_port(o, t);
		break;
	case ERL_NIF_TERM_TYPE_REFERENCE:
		puts_(o, "#Ref<>");
		break;
	case ERL_NIF_TERM_TYPE_TUPLE:
		put_tuple(o, t, depth);
		break;
	case ERL_NIF_TERM_TYPE_FUN:
		puts_(o, "#Fun<>");
		break;
	default:
		puts_(o, "<term>");
	}
}

size_t reason_print(ErlNifEnv *env, ERL_NIF_TERM term, char buf[REASON_MAX + 1])
{
	struct out o = { .env = env, .buf = buf, .terms = REASON_TERMS };

	print(&o, term, 0);
	buf[o.len] = 0;
	return o.len;
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int reason_remote(ErlNifEnv *env, ERL_NIF_TERM term, char text[64], ERL_NIF_TERM *node)
{
	size_t len, skip, head;
	const unsigned char *name;
	bool is_latin1, is_ref;
	ErlNifBinary bin;
	int n = -1;

	*node = 0;
	is_ref = enif_is_ref(env, term);
	if ((!is_ref && !enif_is_pid(env, term)) || !enif_term_to_binary(env, term, &bin))
		return -1;
	/* 131, 88 (a pid), its node, number, serial, creation; or 131, 90 (a reference), 2 bytes, its node */
	head = is_ref ? 4 : 2;
	if (bin.size > 8 && bin.data[0] == 131 && bin.data[1] == (is_ref ? 90 : 88)) {
		skip = etf_atom(bin.data + head, bin.size - head, &name, &len, &is_latin1);
		if (skip && head + skip + 8 <= bin.size) {
			/* An atom that is not there yet is not made. */
			if (!enif_make_existing_atom_len(env, (const char *)name, len, node,
							 ERL_NIF_LATIN1))
				*node = 0;
			n = is_ref ? snprintf(text, 64, "#Ref<>") :
				     snprintf(text, 64, "<0.%u.%u>",
					      be32(bin.data + head + skip),
					      be32(bin.data + head + skip + 4));
		}
	}
	enif_release_binary(&bin);
	return n;
}
