/* SPDX-License-Identifier: Apache-2.0 */
/* erl_beamtap_drv.c - drivers' callbacks, and the threads that work for them */
#include "erl_beamtap_int.h"

#ifdef ERTS_ENABLE_BEAMTAP

#include "erl_sys_driver.h"
#include "erl_beamtap_port.h"

static ERTS_INLINE Uint64 as_int(int n)
{
    return (Uint64) (Sint64) n;
}

void erts_beamtap_driver_init(erts_driver_t *drv)
{
    btapw_put4(beamtap_writer(), BTAP_EV_driver_init, beamtap_name(drv),
               as_int(drv->version.major), as_int(drv->version.minor), as_int(drv->flags));
}

void erts_beamtap_driver_finish(erts_driver_t *drv)
{
    btapw_put1(beamtap_writer(), BTAP_EV_driver_finish, beamtap_name(drv));
}

void erts_beamtap_driver_stop_select(erts_driver_t *drv)
{
    btapw_put1(beamtap_writer(), BTAP_EV_driver_stop_select, beamtap_name(drv));
}

void erts_beamtap_driver_start(Eterm who, Port *prt)
{
    btapw_put3(beamtap_writer(), BTAP_EV_driver_start, beamtap_caller(who),
               beamtap_name(prt->drv_ptr), beamtap_port(prt->common.id));
}

void erts_beamtap_driver_stop(Eterm who, Port *prt)
{
    btapw_put3(beamtap_writer(), BTAP_EV_driver_stop, beamtap_caller(who),
               beamtap_name(prt->drv_ptr), beamtap_port(prt->common.id));
}

void erts_beamtap_driver_output(Eterm who, Port *prt, Uint64 bytes)
{
    btapw_put4(beamtap_writer(), BTAP_EV_driver_output, beamtap_caller(who),
               beamtap_port(prt->common.id), beamtap_name(prt), bytes);
}

void erts_beamtap_driver_outputv(Eterm who, Port *prt, Uint64 bytes)
{
    btapw_put4(beamtap_writer(), BTAP_EV_driver_outputv, beamtap_caller(who),
               beamtap_port(prt->common.id), beamtap_name(prt), bytes);
}

void erts_beamtap_driver_control(Eterm who, Port *prt, unsigned int command, Uint64 bytes)
{
    btapw_put5(beamtap_writer(), BTAP_EV_driver_control, beamtap_caller(who),
               beamtap_port(prt->common.id), beamtap_name(prt), as_int((int) command), bytes);
}

void erts_beamtap_driver_call(Eterm who, Port *prt, unsigned int command, Uint64 bytes)
{
    btapw_put5(beamtap_writer(), BTAP_EV_driver_call, beamtap_caller(who),
               beamtap_port(prt->common.id), beamtap_name(prt), as_int((int) command), bytes);
}

/* Those that nobody calls: the process is the port's owner. */
#define CALLBACK(EVENT)                                                                  \
    void erts_beamtap_##EVENT(Port *prt)                                                 \
    {                                                                                    \
        btapw_put3(beamtap_writer(), BTAP_EV_##EVENT,                                    \
                   beamtap_caller(ERTS_PORT_GET_CONNECTED(prt)),                         \
                   beamtap_port(prt->common.id), beamtap_name(prt));                     \
    }
CALLBACK(driver_flush)
CALLBACK(driver_timeout)
CALLBACK(driver_ready_input)
CALLBACK(driver_ready_output)
CALLBACK(driver_ready_async)
CALLBACK(driver_process_exit)
#undef CALLBACK

/*
 * How many wait in a thread's queue the VM does not count, and we do not either.
 * @port: none when the thread is told to end
 */
void erts_beamtap_aio_pool_add(Eterm port, Sint thread)
{
    if (is_not_nil(port))
        btapw_put2(beamtap_writer(), BTAP_EV_aio_pool_add, as_int((int) thread), BTAP_UNKNOWN);
}

void erts_beamtap_aio_pool_get(Sint thread)
{
    btapw_put2(beamtap_writer(), BTAP_EV_aio_pool_get, as_int((int) thread), BTAP_UNKNOWN);
}

#endif /* ERTS_ENABLE_BEAMTAP */
