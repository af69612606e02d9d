/* SPDX-License-Identifier: Apache-2.0 */
/* textvm.h - the `vm` line of a fixture: facts about the VM; docs/fixtures.md has its keys */
#ifndef BEAMTAP_TEXTVM_H
#define BEAMTAP_TEXTVM_H

#include "source/textval.h"

/** textvm_default() - facts of a VM of which the fixture says nothing; @f is zeroed before */
void textvm_default(struct btap_facts *f);
/** textvm_key() - read the value of a key of the line.  Return: 0 or -EINVAL */
int textvm_key(struct textval *v, struct btap_facts *f, const char *key, int len);

#endif /* BEAMTAP_TEXTVM_H */
