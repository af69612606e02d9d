/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bvar.h - what the machine asks of the system: built-in variables, text of terms, signals
 */
#ifndef BEAMTAP_BVAR_H
#define BEAMTAP_BVAR_H

#include "drun/run.h"

/** bvar_init() - what the machine of this run is to call, with the run as its context */
void bvar_init(struct run *r, struct vm_env *env);
void bvar_fini(struct run *r);
/** bvar_resolve() - text of a VM's value; see str_resolve_fn */
long bvar_resolve(void *ctx, unsigned int kind, unsigned int vm, uint64_t word, char *buf, size_t size);

#endif /* BEAMTAP_BVAR_H */
