// SPDX-License-Identifier: Apache-2.0
/*
 * object.c - print(): a value as C would initialise it
 *
 *	0x7f... = *
 *	                (struct s) {
 *	                 .a = (int)7,
 *	                }
 *
 * Members that are zero are left out.  All reads stay inside the bytes that were
 * recorded, whatever the type says.
 */
#include <ctype.h>
#include "dout/object.h"
#include "dout/put.h"

#define INDENT	  44
#define MAX_DEPTH 32

struct object {
	struct outbuf *b;
	const unsigned char *bytes;
	size_t n;
};

static bool is_zero(const struct object *ob, size_t at, size_t n)
{
	for (size_t i = at; i < at + n && i < ob->n; i++)
		if (ob->bytes[i])
			return false;
	return true;
}

static uint64_t bits(const struct object *ob, uint64_t bit, uint32_t nr, bool is_signed)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < nr && i < 64; i++) {
		uint64_t at = bit + i;

		if (at / 8 < ob->n && (ob->bytes[at / 8] >> (at % 8) & 1))
			v |= 1ULL << i;
	}
	if (is_signed && nr && nr < 64 && (v >> (nr - 1) & 1))
		v |= ~0ULL << nr;
	return v;
}

static void value(struct object *ob, const struct dtype *t, uint64_t bit, uint32_t nr_bits, unsigned int depth);

static void indent(struct object *ob, unsigned int depth)
{
	outbuf_fill(ob->b, ' ', INDENT + depth);
}

static void character(struct object *ob, uint64_t v)
{
	unsigned char c = (unsigned char)v;

	if (c == '\'' || c == '\\')
		put_printf(ob->b, "'\\%c'", c);
	else if (isprint(c))
		put_printf(ob->b, "'%c'", c);
	else
		put_printf(ob->b, "'\\%03o'", c);
}

static void enumerator(struct object *ob, const struct dtype *t, int64_t v)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->enums[i].value == v) {
			outbuf_str(ob->b, t->enums[i].name);
			return;
		}
	outbuf_i64(ob->b, v);
}

static void scalar(struct object *ob, const struct dtype *t, uint64_t bit, uint32_t nr_bits)
{
	const struct dtype *base = dtype_base(t);
	uint32_t nr = nr_bits ? nr_bits : base->size * 8;
	uint64_t v = bits(ob, bit, nr, base->is_signed || base->kind == DTYPE_ENUM);

	put_printf(ob->b, "(%s)", t->name);
	if (base->kind == DTYPE_ENUM)
		enumerator(ob, base, (int64_t)v);
	else if (base->kind == DTYPE_PTR)
		put_printf(ob->b, "0x%llx", (unsigned long long)v);
	else if (base->is_char)
		character(ob, v);
	else if (base->is_signed)
		outbuf_i64(ob->b, (int64_t)v);
	else
		outbuf_u64(ob->b, v);
}

static void members(struct object *ob, const struct dtype *t, uint64_t bit, unsigned int depth)
{
	for (uint32_t i = 0; i < t->nr; i++) {
		const struct dtype_member *m = &t->members[i];
		uint64_t at = bit + m->bit_off;
		bool zero = m->nr_bits ? !bits(ob, at, m->nr_bits, false) : is_zero(ob, at / 8, m->type->size);

		if (zero)
			continue;
		indent(ob, depth + 1);
		if (m->name && *m->name)
			put_printf(ob->b, ".%s = ", m->name);
		value(ob, m->type, at, m->nr_bits, depth + 1);
		outbuf_str(ob->b, ",\n");
	}
}

static void value(struct object *ob, const struct dtype *t, uint64_t bit, uint32_t nr_bits, unsigned int depth)
{
	const struct dtype *base = dtype_base(t);

	if (depth > MAX_DEPTH) {
		outbuf_str(ob->b, "...");
		return;
	}
	switch (base->kind) {
	case DTYPE_STRUCT:
	case DTYPE_UNION:
		put_printf(ob->b, "(%s) {\n", t->name);
		members(ob, base, bit, depth);
		indent(ob, depth);
		outbuf_char(ob->b, '}');
		return;
	case DTYPE_ARRAY:
		put_printf(ob->b, "(%s) [\n", t->name);
		for (uint32_t i = 0; i < base->nr && bit / 8 + (uint64_t)i * base->ref->size < ob->n; i++) {
			uint64_t at = bit + 8ULL * i * base->ref->size;

			if (is_zero(ob, at / 8, base->ref->size))
				continue;
			indent(ob, depth + 1);
			value(ob, base->ref, at, 0, depth + 1);
			outbuf_str(ob->b, ",\n");
		}
		indent(ob, depth);
		outbuf_char(ob->b, ']');
		return;
	case DTYPE_STRING:
		put_printf(ob->b, "(%s)\"", t->name);
		for (size_t i = bit / 8; i < ob->n && i < bit / 8 + base->size && ob->bytes[i]; i++)
			outbuf_char(ob->b, (char)ob->bytes[i]);
		outbuf_char(ob->b, '"');
		return;
	default:
		scalar(ob, t, bit, nr_bits);
	}
}

void object_print(struct dout *o, const struct dtype *t, uint64_t addr, const void *bytes, size_t n)
{
	struct object ob = { &o->buf, bytes, n };

	put_printf(&o->buf, "0x%llx = *\n", (unsigned long long)addr);
	if (!t)
		return;
	indent(&ob, 0);
	value(&ob, t, 0, 0, 0);
	outbuf_char(&o->buf, '\n');
}
