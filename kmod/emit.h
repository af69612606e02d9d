/* SPDX-License-Identifier: GPL-2.0 */
/* emit.h - check a handed-over record, fire its tracepoint */
#ifndef BTAP_EMIT_H
#define BTAP_EMIT_H

#include <linux/types.h>

struct btap_region;

/**
 * btap_emit() - fire the tracepoint of a record, in the calling thread
 * @r:     published; the caller sees to it that it stays
 * @words: the record, copied from the VM, @nr of them; texts in it are changed
 *
 * Words behind the fields that the catalogue knows are passed over, as readers do:
 * a newer writer may have more to say.
 * Return: 0, also when nobody listens any more; -EINVAL: malformed.  Both are counted.
 */
int btap_emit(struct btap_region *r, u64 *words, unsigned int nr);

/* btap_emit_refuse() - count a record that could not even be copied as one */
void btap_emit_refuse(struct btap_region *r);

#endif /* BTAP_EMIT_H */
