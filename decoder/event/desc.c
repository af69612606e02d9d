// SPDX-License-Identifier: Apache-2.0
/*
 * desc.c - the catalogue's projections
 *
 * What the preprocessor can say stands in the tables; what follows from that
 * (positions, D's order of the arguments, the name in D) is filled in before
 * main() runs and never changes after.
 */
#include <assert.h>
#include <string.h>
#include "event/desc.h"

#define FORM_word  false, false
#define FORM_text  true, false
#define FORM_pairs false, true
const struct desc_type_info desc_types[DESC_NR_TYPES] = {
#define AS_TYPE(name, wire, dtype, unit, doc) { #name, dtype, unit, doc, FORM_##wire },
	BTAP_TYPES(AS_TYPE)
#undef AS_TYPE
};

#define OPT_req false
#define OPT_opt true
#define AS_FIELD(type, name, arg, need, doc) { #name, doc, DESC_##type, arg, OPT_##need, 0 },
#define AS_FIELDS(id, name, usdt, doc) \
	static struct desc_field fields_##name[] = { BTAP_FIELDS_##name(AS_FIELD) };
BTAP_EVENTS(AS_FIELDS)
BTAP_RING_EVENTS(AS_FIELDS)
#undef AS_FIELDS
#undef AS_FIELD

#define NR(a) (sizeof(a) / sizeof((a)[0]))
#define AS_DESC(id, name, usdt, doc) \
	static char dname_##name[] = #usdt; \
	static struct desc desc_##name = { #name, dname_##name, #usdt, doc, fields_##name, id, \
					   NR(fields_##name) }; \
	_Static_assert(NR(fields_##name) <= DESC_MAX_FIELDS, #name " has too many fields"); \
	_Static_assert((id) > 0 && (id) < BTAP_MAX_EVENTS, #name ": its id is too big");
BTAP_EVENTS(AS_DESC)
BTAP_RING_EVENTS(AS_DESC)
#undef AS_DESC

const struct desc *const desc_all[] = {
#define AS_ROW(id, name, usdt, doc) &desc_##name,
	BTAP_EVENTS(AS_ROW)
#undef AS_ROW
};
const unsigned int desc_nr = NR(desc_all);

const struct desc *const desc_table[BTAP_MAX_EVENTS] = {
#define AS_ROW(id, name, usdt, doc) [id] = &desc_##name,
	BTAP_EVENTS(AS_ROW)
	BTAP_RING_EVENTS(AS_ROW)
#undef AS_ROW
};

/* `message__send` -> `message-send`, in place */
static void dashes(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '_' && s[1] == '_') {
			*to++ = '-';
			s++;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static void fill(struct desc *d, struct desc_field *f, char *dname)
{
	unsigned int pos = 1, i;

	dashes(dname);
	memset(d->arg_field, -1, sizeof(d->arg_field));
	d->min_words = 1;
	for (i = 0; i < d->nr_fields; i++) {
		f[i].pos = (uint8_t)pos;
		if (pos)
			d->nr_fixed++;
		if (desc_types[f[i].type].is_text || desc_types[f[i].type].is_pairs)
			pos = 0;
		else if (pos)
			pos++;
		if (!f[i].is_opt) {
			/* `opt` fields stand last. */
			assert(d->nr_req == i);
			d->nr_req++;
			d->min_words++;
		}
		assert(f[i].arg < DESC_MAX_ARGS && d->arg_field[f[i].arg] < 0);
		d->arg_field[f[i].arg] = (int8_t)i;
		if (f[i].arg >= d->nr_args)
			d->nr_args = f[i].arg + 1;
	}
}

/* By name, for desc_find(). */
static const struct desc *sorted[NR(desc_all)];

__attribute__((constructor)) static void desc_fill(void)
{
	unsigned int i, j;

#define AS_FILL(id, name, usdt, doc) fill(&desc_##name, fields_##name, dname_##name);
	BTAP_EVENTS(AS_FILL)
	BTAP_RING_EVENTS(AS_FILL)
#undef AS_FILL
	for (i = 0; i < NR(desc_all); i++) {
		for (j = i; j && strcmp(sorted[j - 1]->name, desc_all[i]->name) > 0; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = desc_all[i];
	}
}

const struct desc *desc_find(const char *name, size_t len)
{
	char key[64];
	size_t i, n = 0;
	unsigned int lo = 0, hi = desc_nr;

	for (i = 0; i < len; i++) {
		if (n + 1 >= sizeof(key))
			return NULL;
		key[n++] = name[i] == '-' ? '_' : name[i];
		if (name[i] == '_' && i + 1 < len && name[i + 1] == '_')
			i++;
	}
	key[n] = '\0';
	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;
		int c = strcmp(sorted[mid]->name, key);

		if (!c)
			return sorted[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

int desc_field_index(const struct desc *d, const char *name, size_t len)
{
	for (unsigned int i = 0; i < d->nr_fields; i++)
		if (strlen(d->fields[i].name) == len && !memcmp(d->fields[i].name, name, len))
			return (int)i;
	return -1;
}
