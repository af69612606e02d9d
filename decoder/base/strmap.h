/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strmap.h - text to pointer, open addressing; keys are borrowed
 */
#ifndef BEAMTAP_STRMAP_H
#define BEAMTAP_STRMAP_H

#include <stddef.h>
#include <stdint.h>

struct strmap_slot {
	const char *key; /* NULL: free */
	size_t len;
	uint64_t hash;
	void *value;
};

struct strmap {
	struct strmap_slot *slots;
	size_t nr, cap; /* cap is 0 or a power of two */
};

/** strmap_get() - Return: value or NULL */
void *strmap_get(const struct strmap *m, const char *key, size_t len);
/**
 * strmap_put() - set a value; @key is borrowed for the map's life
 * Return: 0 or -ENOMEM
 */
int strmap_put(struct strmap *m, const char *key, size_t len, void *value);
/** strmap_fini() - free the table; zeroed, a map is empty and needs no init */
void strmap_fini(struct strmap *m);

#endif /* BEAMTAP_STRMAP_H */
