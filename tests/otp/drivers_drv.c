// SPDX-License-Identifier: Apache-2.0
/* drivers_drv.c - a driver that has every callback, for drivers.sh; what it does is told by control */
#include <string.h>
#include <unistd.h>
#include <erl_driver.h>

struct self {
	ErlDrvPort port;
	int fd[2]; /* a pipe */
};

static ErlDrvData start(ErlDrvPort port, char *command)
{
	struct self *s = driver_alloc(sizeof(*s));

	s->port = port;
	s->fd[0] = s->fd[1] = -1;
	return (ErlDrvData)s;
}

static void stop(ErlDrvData data)
{
	driver_free(data);
}

static void output(ErlDrvData data, char *buf, ErlDrvSizeT len)
{
	struct self *s = (struct self *)data;

	driver_output(s->port, buf, len);
}

static void work(void *arg)
{
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned int command, char *buf, ErlDrvSizeT len,
			    char **out, ErlDrvSizeT max)
{
	struct self *s = (struct self *)data;
	ErlDrvMonitor m;

	switch (command) {
	case 1:
		driver_set_timer(s->port, 1);
		break;
	case 2:
		driver_async(s->port, NULL, work, NULL, NULL);
		break;
	case 3:
		driver_monitor_process(s->port, driver_connected(s->port), &m);
		break;
	case 4:
		if (pipe(s->fd) < 0 || write(s->fd[1], "x", 1) != 1)
			return -1;
		driver_select(s->port, (ErlDrvEvent)(long)s->fd[0], ERL_DRV_READ | ERL_DRV_USE, 1);
		break;
	case 5:
		driver_select(s->port, (ErlDrvEvent)(long)s->fd[1], ERL_DRV_WRITE | ERL_DRV_USE, 1);
		break;
	case 6:
		driver_enq(s->port, "left over", 9);
		break;
	}
	return 0;
}

static ErlDrvSSizeT call(ErlDrvData data, unsigned int command, char *buf, ErlDrvSizeT len,
			 char **out, ErlDrvSizeT max, unsigned int *flags)
{
	memcpy(*out, "\203d\0\2ok", 6);
	return 6;
}

static void tell(struct self *s, char *what)
{
	ErlDrvTermData t[] = { ERL_DRV_ATOM, driver_mk_atom(what), ERL_DRV_PORT, driver_mk_port(s->port),
			       ERL_DRV_TUPLE, 2 };

	erl_drv_output_term(driver_mk_port(s->port), t, sizeof(t) / sizeof(t[0]));
}

static void timeout(ErlDrvData data)
{
	tell((struct self *)data, "timeout");
}

static void ready_async(ErlDrvData data, ErlDrvThreadData arg)
{
	tell((struct self *)data, "ready_async");
}

static void ready_input(ErlDrvData data, ErlDrvEvent e)
{
	driver_select(((struct self *)data)->port, e, ERL_DRV_READ | ERL_DRV_USE, 0);
	tell((struct self *)data, "ready_input");
}

static void ready_output(ErlDrvData data, ErlDrvEvent e)
{
	driver_select(((struct self *)data)->port, e, ERL_DRV_WRITE | ERL_DRV_USE, 0);
	tell((struct self *)data, "ready_output");
}

static void stop_select(ErlDrvEvent e, void *arg)
{
	close((int)(long)e);
}

static void flush(ErlDrvData data)
{
	struct self *s = (struct self *)data;

	driver_deq(s->port, driver_sizeq(s->port));
}

static void process_exit(ErlDrvData data, ErlDrvMonitor *m)
{
}

static int init(void)
{
	return 0;
}

static void finish(void)
{
}

static ErlDrvEntry entry = {
	.init = init, .start = start, .stop = stop, .output = output, .ready_input = ready_input,
	.ready_output = ready_output, .driver_name = "drivers_drv", .finish = finish, .control = control,
	.timeout = timeout, .ready_async = ready_async, .flush = flush, .call = call,
	.extended_marker = ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
	.minor_version = ERL_DRV_EXTENDED_MINOR_VERSION, .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
	.process_exit = process_exit, .stop_select = stop_select,
};

DRIVER_INIT(drivers_drv)
{
	return &entry;
}
