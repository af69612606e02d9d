// SPDX-License-Identifier: Apache-2.0
/*
 * term.c - the VM's terms as text
 *
 * Atoms and functions are few and come again and again, so their text is made
 * once and kept; pids are many, and cheap to write anew.
 */
#include <errno.h>
#include <stdlib.h>
#include "event/term.h"

#define BLOCK_SIZE (1u << 16)

int term_init(struct term_vm *t, const struct src_vm *vm, unsigned int flags)
{
	const struct btap_facts *f = &vm->facts;

	memset(t, 0, sizeof(*t));
	t->strs = vm->strs;
	t->otp = f->otp_release;
	t->flags = flags;
	/* The facts come from the VM: whatever they say, no shift below may reach 64. */
	t->pid_shift = f->pid_shift & 63;
	t->pid_number_bits = f->pid_number_bits > 63 - t->pid_shift ? 63 - t->pid_shift :
								     f->pid_number_bits;
	t->pid_serial_bits = f->pid_serial_bits > 63 ? 63 : f->pid_serial_bits;
	t->port_shift = f->port_shift & 63;
	t->port_number_bits = f->port_number_bits > 63 ? 63 : f->port_number_bits;
	for (unsigned int i = 0; i < 8; i++)
		if (outbuf_init(&t->scratch[i], -1)) {
			term_fini(t);
			return -ENOMEM;
		}
	return 0;
}

void term_fini(struct term_vm *t)
{
	for (unsigned int i = 0; i < 8; i++)
		outbuf_fini(&t->scratch[i]);
	for (uint32_t i = 0; i < t->nr_blocks; i++)
		free(t->blocks[i]);
	free(t->blocks);
	free(t->atoms.tab);
	free(t->mfas.tab);
	memset(t, 0, sizeof(*t));
}

static inline uint64_t hash(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15ULL;
	return key ^ key >> 32;
}

static inline const struct term_entry *cache_get(const struct term_cache *c, uint64_t key)
{
	uint64_t i;

	if (!c->tab)
		return NULL;
	for (i = hash(key) & c->mask; c->tab[i].key; i = (i + 1) & c->mask)
		if (c->tab[i].key == key)
			return &c->tab[i];
	return NULL;
}

static int cache_grow(struct term_cache *c)
{
	uint32_t size = c->tab ? (c->mask + 1) * 2 : 256, i;
	struct term_entry *tab = calloc(size, sizeof(*tab));
	uint64_t j;

	if (!tab)
		return -ENOMEM;
	for (i = 0; c->tab && i <= c->mask; i++) {
		if (!c->tab[i].key)
			continue;
		for (j = hash(c->tab[i].key) & (size - 1); tab[j].key; j = (j + 1) & (size - 1))
			;
		tab[j] = c->tab[i];
	}
	free(c->tab);
	c->tab = tab;
	c->mask = size - 1;
	return 0;
}

/* Memory for a text that is kept. */
static char *keep(struct term_vm *t, size_t n)
{
	if (n > t->block_left) {
		size_t size = n > BLOCK_SIZE ? n : BLOCK_SIZE;
		char **blocks = realloc(t->blocks, (t->nr_blocks + 1) * sizeof(*blocks));

		if (!blocks)
			return NULL;
		t->blocks = blocks;
		t->block = malloc(size);
		t->block_left = t->block ? size : 0;
		if (!t->block)
			return NULL;
		t->blocks[t->nr_blocks++] = t->block;
	}
	t->block += n;
	t->block_left -= n;
	return t->block - n;
}

/* Keep what is in @o.  NULL where that is not possible: then it is used as it is. */
static const struct term_entry *cache_put(struct term_vm *t, struct term_cache *c, uint64_t key,
					  const struct outbuf *o)
{
	char *text;
	uint64_t i;

	if (c->nr >= TERM_MAX_CACHED || o->error)
		return NULL;
	if ((!c->tab || c->nr * 2 > c->mask) && cache_grow(c))
		return NULL;
	text = keep(t, o->len + 1);
	if (!text)
		return NULL;
	memcpy(text, o->buf, o->len);
	text[o->len] = '\0';
	for (i = hash(key) & c->mask; c->tab[i].key; i = (i + 1) & c->mask)
		;
	c->tab[i].key = key;
	c->tab[i].text = text;
	c->tab[i].len = (uint32_t)o->len;
	c->nr++;
	return &c->tab[i];
}

static struct outbuf *scratch(struct term_vm *t)
{
	struct outbuf *o = &t->scratch[t->nr_scratch++ % 8];

	o->len = 0;
	return o;
}

static inline uint64_t bits(uint64_t w, unsigned int shift, unsigned int n)
{
	return shift < 64 ? w >> shift & ((1ULL << n) - 1) : 0;
}

char *term_put_pid(char *p, const struct term_vm *t, uint64_t term)
{
	memcpy(p, "<0.", 3);
	p = outbuf_put_u64(p + 3, bits(term, t->pid_shift, t->pid_number_bits));
	*p++ = '.';
	p = outbuf_put_u64(p, bits(term, t->pid_shift + t->pid_number_bits, t->pid_serial_bits));
	*p++ = '>';
	return p;
}

char *term_put_port(char *p, const struct term_vm *t, uint64_t term)
{
	memcpy(p, "#Port<0.", 8);
	p = outbuf_put_u64(p + 8, bits(term, t->port_shift, t->port_number_bits));
	*p++ = '>';
	return p;
}

static void put_unknown_atom(struct outbuf *o, uint64_t number)
{
	outbuf_str(o, "#Atom<");
	outbuf_u64(o, number);
	outbuf_char(o, '>');
}

const char *term_atom_raw(const struct term_vm *t, uint64_t term, size_t *len)
{
	return t->strs ? src_atom(t->strs, term, len) : NULL;
}

static void make_atom(struct outbuf *o, const struct term_vm *t, const char *s, size_t len)
{
	const char *rest = NULL;
	size_t rest_len;

	if (t->flags & TERM_ELIXIR)
		rest = atom_elixir_module(s, len, &rest_len);
	if (rest)
		outbuf_mem(o, rest, rest_len);
	else
		atom_put(o, s, len, t->otp);
}

/* Text of an atom: cached, or in a scratch buffer. */
static struct term_entry atom_entry(struct term_vm *t, uint64_t term)
{
	const struct term_entry *e = cache_get(&t->atoms, term);
	struct term_entry own = { .key = term };
	struct outbuf *o;
	const char *s;
	size_t len;

	if (e)
		return *e;
	o = scratch(t);
	s = term_atom_raw(t, term, &len);
	if (s) {
		make_atom(o, t, s, len);
		e = cache_put(t, &t->atoms, term, o);
		if (e)
			return *e;
	} else {
		put_unknown_atom(o, BTAP_ATOM_NUMBER(term));
	}
	own.text = outbuf_cstr(o);
	own.len = (uint32_t)o->len;
	return own;
}

const char *term_atom_text(struct term_vm *t, uint64_t term, size_t *len)
{
	struct term_entry e = atom_entry(t, term);

	if (len)
		*len = e.len;
	return e.text;
}

void term_put(struct outbuf *o, struct term_vm *t, uint64_t term)
{
	if (term_is_pid(term)) {
		outbuf_done(o, term_put_pid(outbuf_room(o, TERM_PID_MAX), t, term));
	} else if (term_is_port(term)) {
		outbuf_done(o, term_put_port(outbuf_room(o, TERM_PID_MAX), t, term));
	} else if (term_is_atom(term)) {
		struct term_entry e = atom_entry(t, term);

		outbuf_mem(o, e.text, e.len);
	} else if (!term) {
		outbuf_char(o, '?');
	} else {
		outbuf_str(o, "#Term<");
		outbuf_done(o, outbuf_put_hex(outbuf_room(o, 20), term));
		outbuf_char(o, '>');
	}
}

/* `m:f/a` or `M.f/a`; for a function in a function, from the inside out. */
static void put_function(struct outbuf *o, const struct term_vm *t, const char *m, size_t m_len,
			 const char *f, size_t f_len, unsigned int arity)
{
	const char *mod = NULL;
	size_t mod_len;
	struct atom_fun part;

	for (int depth = 0; (t->flags & TERM_FUNS) && depth < 8 && atom_fun(f, f_len, &part);
	     depth++) {
		outbuf_str(o, part.what);
		outbuf_char(o, ' ');
		outbuf_mem(o, part.name ? part.name : part.number,
			   part.name ? part.name_len : part.number_len);
		outbuf_str(o, " in ");
		f = part.parent;
		f_len = part.parent_len;
		arity = part.arity;
	}
	if (t->flags & TERM_ELIXIR)
		mod = atom_elixir_module(m, m_len, &mod_len);
	if (mod) {
		outbuf_mem(o, mod, mod_len);
		outbuf_char(o, '.');
		atom_put_elixir_function(o, f, f_len);
	} else {
		atom_put(o, m, m_len, t->otp);
		outbuf_char(o, ':');
		atom_put(o, f, f_len, t->otp);
	}
	outbuf_char(o, '/');
	outbuf_u64(o, arity);
}

static struct term_entry mfa_entry(struct term_vm *t, uint64_t mfa)
{
	const struct term_entry *e = cache_get(&t->mfas, mfa);
	struct term_entry own = { .key = mfa };
	const char *m, *f;
	struct outbuf *o;
	size_t m_len, f_len;

	if (e)
		return *e;
	o = scratch(t);
	m = term_atom_raw(t, BTAP_ATOM_TERM(BTAP_MFA_MODULE(mfa)), &m_len);
	f = term_atom_raw(t, BTAP_ATOM_TERM(BTAP_MFA_FUNCTION(mfa)), &f_len);
	if (!mfa) {
		outbuf_char(o, '?');
	} else if (m && f) {
		put_function(o, t, m, m_len, f, f_len, BTAP_MFA_ARITY(mfa));
		e = cache_put(t, &t->mfas, mfa, o);
		if (e)
			return *e;
	} else {
		if (m)
			make_atom(o, t, m, m_len);
		else
			put_unknown_atom(o, BTAP_MFA_MODULE(mfa));
		outbuf_char(o, ':');
		if (f)
			atom_put(o, f, f_len, t->otp);
		else
			put_unknown_atom(o, BTAP_MFA_FUNCTION(mfa));
		outbuf_char(o, '/');
		outbuf_u64(o, BTAP_MFA_ARITY(mfa));
	}
	own.text = outbuf_cstr(o);
	own.len = (uint32_t)o->len;
	return own;
}

const char *term_mfa_text(struct term_vm *t, uint64_t mfa, size_t *len)
{
	struct term_entry e = mfa_entry(t, mfa);

	if (len)
		*len = e.len;
	return e.text;
}

void term_put_mfa(struct outbuf *o, struct term_vm *t, uint64_t mfa)
{
	struct term_entry e = mfa_entry(t, mfa);

	outbuf_mem(o, e.text, e.len);
}
