// SPDX-License-Identifier: Apache-2.0
/* textval.c - words and values of a fixture's line; see textval.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "source/textval.h"

int textval_fail(struct textval *v, const char *at, const char *fmt, ...)
{
	char text[DIAG_TEXT_MAX];
	unsigned int column = 1;
	va_list ap;

	for (const char *p = v->bol; p < at; p++)
		column += (*p & 0xc0) != 0x80;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return diag_fail(v->d, -EINVAL, "%s:%u:%u: %s", v->file, v->line, column, text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_atom_start(char c)
{
	return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_atom_char(char c)
{
	return is_atom_start(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool looking_at(const struct textval *v, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(v->end - v->at) >= len && !memcmp(v->at, text, len);
}

bool textval_more(struct textval *v)
{
	while (v->at < v->end && is_blank(*v->at))
		v->at++;
	return v->at < v->end && *v->at != '#';
}

int textval_name(struct textval *v, const char **word)
{
	*word = v->at;
	while (v->at < v->end && !is_blank(*v->at) && *v->at != '=')
		v->at++;
	if (v->at == *word)
		return textval_fail(v, v->at, "expected a name");
	if (v->at - *word > 200)
		return textval_fail(v, *word, "this name is too long");
	return (int)(v->at - *word);
}

int textval_equals(struct textval *v)
{
	if (v->at == v->end || *v->at != '=')
		return textval_fail(v, v->at, "expected '=' and a value");
	v->at++;
	return 0;
}

int textval_ends(struct textval *v)
{
	if (v->at < v->end && !is_blank(*v->at))
		return textval_fail(v, v->at, "the value should end here");
	return 0;
}

bool textval_is_unknown(struct textval *v)
{
	if (v->at == v->end || *v->at != '?' || (v->at + 1 < v->end && !is_blank(v->at[1])))
		return false;
	v->at++;
	return true;
}

/* Digits of a base up to @max; -EINVAL without digits or beyond it. */
static int digits(struct textval *v, unsigned int base, uint64_t max, uint64_t *n)
{
	const char *from = v->at;

	*n = 0;
	for (; v->at < v->end; v->at++) {
		int d = hex_digit(*v->at);

		if (d < 0 || d >= (int)base)
			break;
		if ((uint64_t)d > max || *n > (max - (unsigned int)d) / base)
			return textval_fail(v, from, "number is above %llu",
					    (unsigned long long)max);
		*n = *n * base + (unsigned int)d;
	}
	return v->at == from ? textval_fail(v, from, "expected a number") : 0;
}

int textval_number(struct textval *v, uint64_t min, uint64_t max, uint64_t *n)
{
	const char *from = v->at;
	int r = digits(v, 10, max, n);

	if (!r && *n < min)
		return textval_fail(v, from, "number is below %llu", (unsigned long long)min);
	return r;
}

static int expect(struct textval *v, char c)
{
	if (v->at == v->end || *v->at != c)
		return textval_fail(v, v->at, "expected '%c'", c);
	v->at++;
	return 0;
}

static unsigned int put_utf8(char *s, uint32_t c)
{
	unsigned int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	if (!more) {
		s[0] = (char)c;
		return 1;
	}
	s[0] = (char)(0xff00 >> (more + 1) | c >> (6 * more));
	for (unsigned int i = 1; i <= more; i++)
		s[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
	return more + 1;
}

/* After `\x`. */
static int hex_escape(struct textval *v, char *buf, size_t *len)
{
	const char *from = v->at;
	uint64_t c;

	if (v->at < v->end && *v->at == '{') {
		v->at++;
		if (digits(v, 16, 0x10ffff, &c) || expect(v, '}'))
			return -EINVAL;
		if (c >= 0xd800 && c < 0xe000)
			return textval_fail(v, from, "there is no character with this number");
		*len += put_utf8(buf + *len, (uint32_t)c);
		return 0;
	}
	if (v->end - v->at < 2 || hex_digit(v->at[0]) < 0 || hex_digit(v->at[1]) < 0)
		return textval_fail(v, from, "expected two hexadecimal digits or {...} after \\x");
	buf[(*len)++] = (char)(hex_digit(v->at[0]) << 4 | hex_digit(v->at[1]));
	v->at += 2;
	return 0;
}

/* From one quote to the next; the cursor is at the first. */
static int quoted(struct textval *v, char *buf, size_t *len)
{
	static const char from[] = "nrt\\\"'", to[] = "\n\r\t\\\"'";
	const char *start = v->at;
	char quote = *v->at++;

	for (*len = 0; v->at < v->end;) {
		const char *esc;
		char c = *v->at++;

		if (c == quote)
			return 0;
		if (*len + 4 > TEXTVAL_BYTES_MAX)
			return textval_fail(v, start, "text is longer than %d bytes",
					    TEXTVAL_BYTES_MAX - 4);
		if (c != '\\') {
			buf[(*len)++] = c;
			continue;
		}
		if (v->at == v->end)
			break;
		c = *v->at++;
		if (c == 'x') {
			if (hex_escape(v, buf, len))
				return -EINVAL;
			continue;
		}
		esc = c ? strchr(from, c) : NULL;
		if (!esc)
			return textval_fail(v, v->at - 2, "there is no escape of this kind");
		buf[(*len)++] = to[esc - from];
	}
	return textval_fail(v, start, "the closing %c is missing", quote);
}

int textval_bytes(struct textval *v, char *buf, size_t *len)
{
	if (v->at == v->end || *v->at != '"')
		return textval_fail(v, v->at, "expected a text in double quotes");
	return quoted(v, buf, len);
}

int textval_bare(struct textval *v, char *buf, size_t *len)
{
	const char *from = v->at;

	if (v->at < v->end && *v->at == '\'')
		return quoted(v, buf, len);
	while (v->at < v->end && (is_atom_char(*v->at) || *v->at == '.' || *v->at == '-'))
		v->at++;
	*len = (size_t)(v->at - from);
	if (!*len)
		return textval_fail(v, from, "expected a name");
	if (*len >= TEXTVAL_BYTES_MAX)
		return textval_fail(v, from, "name is too long");
	memcpy(buf, from, *len);
	return 0;
}

int textval_chars(struct textval *v, char *to, size_t size, bool is_bare)
{
	char buf[TEXTVAL_BYTES_MAX];
	const char *from = v->at;
	size_t len;

	if (is_bare ? textval_bare(v, buf, &len) : textval_bytes(v, buf, &len))
		return -EINVAL;
	if (len >= size)
		return textval_fail(v, from, "is longer than %zu bytes", size - 1);
	memset(to, 0, size);
	memcpy(to, buf, len);
	return 0;
}

int textval_thread(struct textval *v, uint32_t *kind, uint32_t *number)
{
	static const char *const kinds[] = {
		[BTAP_THREAD_OTHER] = "other/",		[BTAP_THREAD_SCHEDULER] = "scheduler/",
		[BTAP_THREAD_DIRTY_CPU] = "dirty_cpu/", [BTAP_THREAD_DIRTY_IO] = "dirty_io/",
		[BTAP_THREAD_ASYNC] = "async/",		[BTAP_THREAD_POLL] = "poll/",
	};
	uint64_t n;

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!looking_at(v, kinds[i]))
			continue;
		v->at += strlen(kinds[i]);
		if (digits(v, 10, UINT32_MAX, &n))
			return -EINVAL;
		*kind = i;
		*number = (uint32_t)n;
		return 0;
	}
	return textval_fail(v, v->at,
			    "expected a thread: scheduler/, dirty_cpu/, dirty_io/, async/, "
			    "poll/ or other/ and its number");
}

static int grow(void *tab, size_t nr, size_t *cap, size_t size)
{
	void *p;

	if (nr < *cap)
		return 0;
	p = realloc(*(void **)tab, (nr * 2 + 16) * size);
	if (!p)
		return -ENOMEM;
	*(void **)tab = p;
	*cap = nr * 2 + 16;
	return 0;
}

static int keep_all(struct textval_names *n, const char *text, size_t len, const char *mark)
{
	const char *end = text + len, *p = text;

	while ((p = memmem(p, (size_t)(end - p), mark, strlen(mark)))) {
		uint64_t number = 0;

		for (p += strlen(mark); p < end && is_digit(*p) && number < 1ULL << 58; p++)
			number = number * 10 + (unsigned int)(*p - '0');
		if (grow(&n->kept, n->nr_kept, &n->cap_kept, sizeof(*n->kept)))
			return -ENOMEM;
		n->kept[n->nr_kept++] = number;
	}
	return 0;
}

int textval_keep(struct textval *v, const char *text, size_t len)
{
	if (keep_all(&v->atoms, text, len, "#Atom<") ||
	    keep_all(&v->strings, text, len, "#String<"))
		return diag_fail(v->d, -ENOMEM, "no memory for %s", v->file);
	return 0;
}

static void names_fini(struct textval_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->tab[i].text);
	free(n->tab);
	free(n->kept);
}

void textval_fini(struct textval *v)
{
	names_fini(&v->atoms);
	names_fini(&v->strings);
}

static bool is_kept(const struct textval_names *n, uint64_t number)
{
	for (size_t i = 0; i < n->nr_kept; i++)
		if (n->kept[i] == number)
			return true;
	return false;
}

/* The number of a text: the one it has, or a new one. */
static int number_of(struct textval *v, struct textval_names *n, unsigned int kind,
		     const char *text, size_t len, uint64_t *number)
{
	struct textval_name *e;
	uint64_t key;

	for (size_t i = 0; i < n->nr; i++)
		if (n->tab[i].len == len && !memcmp(n->tab[i].text, text, len)) {
			*number = n->tab[i].number;
			return 0;
		}
	do {
		n->last++;
	} while (is_kept(n, n->last));
	if (kind == BTAP_STRING_ATOM && n->last >> BTAP_MFA_ATOM_BITS)
		return textval_fail(v, v->at, "too many atoms");
	key = kind == BTAP_STRING_ATOM ? BTAP_ATOM_TERM(n->last) : n->last;
	if (grow(&n->tab, n->nr, &n->cap, sizeof(*n->tab)))
		return diag_fail(v->d, -ENOMEM, "no memory for %s", v->file);
	e = &n->tab[n->nr];
	e->text = malloc(len + 1);
	if (!e->text)
		return diag_fail(v->d, -ENOMEM, "no memory for %s", v->file);
	memcpy(e->text, text, len);
	e->text[len] = 0;
	e->len = (uint32_t)len;
	e->number = *number = n->last;
	n->nr++;
	return v->define(v->ctx, kind, key, text, len);
}

/* `#Atom<N>` or `#String<N>`; the cursor is at the mark, which was seen. */
static int numbered(struct textval *v, const char *mark, uint64_t max, uint64_t *n)
{
	v->at += strlen(mark);
	return digits(v, 10, max, n) || expect(v, '>') ? -EINVAL : 0;
}

/* An atom's number. */
static int atom(struct textval *v, uint64_t *number)
{
	const char *from = v->at;
	char buf[TEXTVAL_BYTES_MAX];
	size_t len = 0;

	if (looking_at(v, "#Atom<"))
		return numbered(v, "#Atom<", (1ULL << BTAP_MFA_ATOM_BITS) - 1, number);
	if (v->at < v->end && *v->at == '\'') {
		if (quoted(v, buf, &len))
			return -EINVAL;
	} else {
		if (v->at == v->end || !is_atom_start(*v->at))
			return textval_fail(v, from, "expected an atom, as Erlang writes it");
		while (v->at < v->end && is_atom_char(*v->at))
			v->at++;
		len = (size_t)(v->at - from);
		if (len >= sizeof(buf))
			return textval_fail(v, from, "atom is too long");
		memcpy(buf, from, len);
	}
	return number_of(v, &v->atoms, BTAP_STRING_ATOM, buf, len, number);
}

static uint64_t ones(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

static int pid(struct textval *v, uint64_t *w)
{
	const struct btap_facts *f = v->facts;
	uint64_t zero, number, serial;

	v->at++;
	if (digits(v, 10, 0, &zero) || expect(v, '.') ||
	    digits(v, 10, ones(f->pid_number_bits), &number) || expect(v, '.') ||
	    digits(v, 10, ones(f->pid_serial_bits), &serial) || expect(v, '>'))
		return -EINVAL;
	*w = number << f->pid_shift | BTAP_TAG_PID;
	if (f->pid_serial_bits)
		*w |= serial << (f->pid_shift + f->pid_number_bits);
	return 0;
}

static int port(struct textval *v, uint64_t *w)
{
	const struct btap_facts *f = v->facts;
	uint64_t zero, number;

	v->at += strlen("#Port<");
	if (digits(v, 10, 0, &zero) || expect(v, '.') ||
	    digits(v, 10, ones(f->port_number_bits), &number) || expect(v, '>'))
		return -EINVAL;
	*w = number << f->port_shift | BTAP_TAG_PORT;
	return 0;
}

static int term(struct textval *v, uint64_t *w)
{
	if (looking_at(v, "<"))
		return pid(v, w);
	if (looking_at(v, "#Port<"))
		return port(v, w);
	if (looking_at(v, "#Term<0x")) {
		v->at += strlen("#Term<0x");
		return digits(v, 16, UINT64_MAX, w) || expect(v, '>') ? -EINVAL : 0;
	}
	if (looking_at(v, "#Atom<")) { /* wider than those in an mfa */
		if (numbered(v, "#Atom<", UINT64_MAX >> 6, w))
			return -EINVAL;
	} else if (atom(v, w)) {
		return -EINVAL;
	}
	*w = BTAP_ATOM_TERM(*w);
	return 0;
}

static int mfa(struct textval *v, uint64_t *w)
{
	uint64_t m, f, a;

	if (atom(v, &m) || expect(v, ':') || atom(v, &f) || expect(v, '/') ||
	    digits(v, 10, 255, &a))
		return -EINVAL;
	*w = BTAP_MFA(m, f, a);
	return 0;
}

int textval_frames(struct textval *v, char *buf, size_t *len)
{
	const char *from = v->at;
	uint64_t w[2];

	*len = 0;
	if (expect(v, '['))
		return -EINVAL;
	while (v->at < v->end && *v->at != ']') {
		if (*len && expect(v, ','))
			return -EINVAL;
		if (*len + sizeof(w) > TEXTVAL_BYTES_MAX)
			return textval_fail(v, from, "more than %zu frames fit into no record",
					    TEXTVAL_BYTES_MAX / sizeof(w));
		w[1] = 0;
		if (mfa(v, &w[0]))
			return -EINVAL;
		if (v->at < v->end && *v->at == '+') {
			v->at++;
			if (digits(v, 10, UINT64_MAX, &w[1]))
				return -EINVAL;
		}
		memcpy(buf + *len, w, sizeof(w));
		*len += sizeof(w);
	}
	return expect(v, ']');
}

static int string(struct textval *v, uint64_t *w)
{
	char buf[TEXTVAL_BYTES_MAX];
	size_t len;

	if (looking_at(v, "#String<"))
		return numbered(v, "#String<", UINT64_MAX, w);
	if (textval_bytes(v, buf, &len))
		return -EINVAL;
	return number_of(v, &v->strings, BTAP_STRING_NAME, buf, len, w);
}

static int signed_number(struct textval *v, uint64_t *w)
{
	bool minus = v->at < v->end && *v->at == '-';

	v->at += minus;
	if (digits(v, 10, minus ? 1ULL << 63 : INT64_MAX, w))
		return -EINVAL;
	if (minus)
		*w = -*w;
	return 0;
}

int textval_word(struct textval *v, enum textval_type type, uint64_t *w)
{
	bool is_unknown = textval_is_unknown(v);

	switch (type) {
	case TEXTVAL_pid:
	case TEXTVAL_port:
	case TEXTVAL_ident:
	case TEXTVAL_atom:
		*w = 0;
		return is_unknown ? 0 : term(v, w);
	case TEXTVAL_mfa:
		*w = 0;
		return is_unknown ? 0 : mfa(v, w);
	case TEXTVAL_str:
		*w = 0;
		return is_unknown ? 0 : string(v, w);
	case TEXTVAL_words:
	case TEXTVAL_bytes:
	case TEXTVAL_count:
	case TEXTVAL_ns:
	case TEXTVAL_int:
		*w = BTAP_UNKNOWN;
		return is_unknown ? 0 : signed_number(v, w);
	case TEXTVAL_u64:
	case TEXTVAL_msgid:
		*w = BTAP_UNKNOWN;
		return is_unknown ? 0 : digits(v, 10, UINT64_MAX, w);
	case TEXTVAL_hex:
		*w = BTAP_UNKNOWN;
		if (is_unknown)
			return 0;
		if (!looking_at(v, "0x"))
			return textval_fail(v, v->at, "expected a number in hexadecimal: 0x...");
		v->at += 2;
		return digits(v, 16, UINT64_MAX, w);
	case TEXTVAL_text:
	case TEXTVAL_frames:
	case TEXTVAL_NR_TYPES:
		break;
	}
	return textval_fail(v, v->at, "a value of this kind is not known here");
}
