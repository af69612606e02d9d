/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erlang.h - the provider erlang<pid>: the catalogue's events as probes
 *
 * prov erlang<os pid>, mod the emulator's file name, func the place in the VM
 * where the event is made, name the USDT name with `__` read as `-`.
 */
#ifndef BEAMTAP_ERLANG_H
#define BEAMTAP_ERLANG_H

#include "event/decode.h"
#include "provider/provider.h"

/**
 * erlang_provide() - add the probes of all VMs of a source
 * @vms, @nr_vms: of the source; NULL and 0: of no VM, for names alone, as `erlang`
 *
 * user_trace_n is 951 probes, user_trace-n0 to user_trace-n950.
 * Return: 0 or -ENOMEM
 */
int erlang_provide(struct provider_set *set, const struct src_vm *vms, uint32_t nr_vms,
		   struct diag *d);

/**
 * erlang_probe_of() - the probe that a record fires
 *
 * The first record of a function makes its probe.  One array access for other events.
 * Return: probe, borrowed from the set, or NULL (a lost record, or a VM not provided)
 */
struct provider_probe *erlang_probe_of(struct provider_set *set, const struct src *s,
				       const struct src_rec *rec);

/** erlang_site() - Return: function field of an event's probe, "" for probes on functions */
const char *erlang_site(unsigned int event);

/**
 * erlang_want() - what a live VM must be asked for, so that a description's probes can fire
 * @m:     description
 * @want:  in/out: its events are added
 * @spec:  in/out: lines for btap_lease.spec are appended (module:function/arity [return])
 * Return: 0, -ENOENT when no probe matches, -E2BIG when @spec is full
 */
int erlang_want(struct provider_set *set, const struct match_desc *m,
		uint64_t want[BTAP_MASK_WORDS], char *spec, size_t spec_size, struct diag *d);

#endif /* BEAMTAP_ERLANG_H */
