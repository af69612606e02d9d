/* SPDX-License-Identifier: GPL-2.0 */
/*
 * strtab.h - a region's strings, as the kernel keeps them: term or number -> text
 *
 * Entries are added under the region's lock for them and never change or go before the
 * table does, so that they are found without a lock, and their text may be used
 * as long as the region lives.
 */
#ifndef BTAP_STRTAB_H
#define BTAP_STRTAB_H

#include <linux/types.h>

/* Bytes of a text that are kept; a longer one is cut before a character and ends with "...". */
#define BTAP_STRTAB_TEXT_MAX 255

struct btap_strtab_entry {
	struct btap_strtab_entry *next; /* in its bucket */
	u64 key;
	u16 kind;  /* enum btap_string_kind */
	u16 len;   /* bytes, at most BTAP_STRTAB_TEXT_MAX */
	char text[]; /* printable, NUL behind it */
};

struct btap_strtab_hash {
	struct btap_strtab_entry **bucket; /* NULL until the first entry comes */
	struct btap_strtab_chunk *chunks;
	/*
	 * May the table take @bytes more?  Counts them in .bytes if so; takes them off
	 * when negative.  Return: 0, -ENOSPC
	 */
	int (*charge)(struct btap_strtab_hash *t, long bytes);
	size_t bytes;	   /* allocated; by .charge alone */
	unsigned int room; /* left in the first chunk */
	unsigned int nr;   /* entries */
	u64 lost;	   /* found no room */
	u32 seed;
};

void btap_strtab_init(struct btap_strtab_hash *t,
		      int (*charge)(struct btap_strtab_hash *t, long bytes));
void btap_strtab_fini(struct btap_strtab_hash *t);

/**
 * btap_strtab_add() - add the entries of a BTAP_IOC_STRINGS
 * @data:  struct btap_string, one behind the other, copied from the VM
 * @len:   bytes
 *
 * What is defined already stays as it is.
 * Context: process; the caller's lock keeps others out.
 * Return: 0; -EINVAL: malformed, what comes before it is added; -ENOSPC: no room for
 * some of them; -ENOMEM.
 */
int btap_strtab_add(struct btap_strtab_hash *t, const void *data, size_t len);

/* Any context.  Return: NULL where it is not known. */
const struct btap_strtab_entry *btap_strtab_find(const struct btap_strtab_hash *t, u16 kind, u64 key);

#endif /* BTAP_STRTAB_H */
