/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_api.c - what the application `beamtap` finds when it runs in this VM; see btapw_api.h */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include <errno.h>
#include "erl_beamtap_ctl.h"

/* OTP 29 hides all that is not declared to be seen. */
struct btapw_api erts_beamtap_api __attribute__((visibility("default")));

static struct btapw *writer(void)
{
    return beamtap_writer();
}

static void serve(bool is_application)
{
    erts_beamtap_serve(is_application);
}

#ifndef BEAMTAP_PART_20

/* Functions cannot be told: function_entry is none of the events in `able`. */
int erts_beamtap_functions(const struct btapw_function *f, size_t nr)
{
    return f && nr ? -EOPNOTSUPP : 0;
}

int erts_beamtap_functions_done(void)
{
    return 0;
}

bool erts_beamtap_is_told(const struct btapw_function *f)
{
    return false;
}
#endif

void erts_beamtap_api_init(void)
{
    struct btapw_api *api = &erts_beamtap_api;
    int i;

    api->api_size = sizeof(*api);
    api->writer_size = sizeof(struct btapw);
    api->map = erts_beamtap_map;
    api->writer = writer;
    api->leases = btapw_map_leases;
    api->serve = serve;
    api->all_atoms = erts_beamtap_all_atoms;
    api->functions = erts_beamtap_functions;
    api->functions_done = erts_beamtap_functions_done;
    api->is_told = erts_beamtap_is_told;
    for (i = 0; i < erts_beamtap_nr_able; i++)
        api->able[erts_beamtap_able[i] / 64] |= 1ull << (erts_beamtap_able[i] % 64);
    erts_snprintf(api->version, sizeof(api->version), "%s", BEAMTAP_VERSION);
}

#endif /* ERTS_ENABLE_BEAMTAP */
