#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every callback of a driver, and the threads that work for it, in the VM with hooks.
#	tests/otp/drivers.sh BUILD_DIR
. "$(dirname "$0")/common"

inc=$(erl -noinput -boot start_clean -eval 'io:put_chars(filename:join(code:root_dir(), "usr/include")), halt()')
gcc -shared -fPIC -O2 -I"$inc" -o "$T/drivers_drv.so" "$(dirname "$0")/drivers_drv.c" 2>"$T/err" ||
	bail "the driver does not compile (tools/need.sh agent)"
cat >"$T/src" <<'END'
main() ->
    Dir = filename:dirname(code:which(?MODULE)),
    ok = erl_ddll:load(Dir, drivers_drv),
    Self = self(),
    {Owner, M} = spawn_monitor(fun() -> owner(Self) end),
    receive {Owner, P} -> io:format("owner ~w port ~w~n", [Owner, P]) end,
    receive {'DOWN', M, _, _, R} -> normal = R end,
    timer:sleep(100),
    ok = erl_ddll:unload(drivers_drv),
    ok.
owner(Main) ->
    P = open_port({spawn, "drivers_drv with arguments"}, [binary]),
    Main ! {self(), P},
    P ! {self(), {command, <<"four">>}},
    receive {P, {data, <<"four">>}} -> ok end,
    ok = erlang:port_call(P, 77, term),
    [begin
         [] = port_control(P, N, <<"abc">>),
         receive {What, P} -> ok end
     end || {N, What} <- [{1, timeout}, {2, ready_async}, {4, ready_input}, {5, ready_output}]],
    [] = port_control(P, 3, <<>>),
    [] = port_control(P, 6, <<>>),
    ok.
END
record_module "$T/src" 'port_*,driver_*,aio_*' +A 2
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
read -r _ owner _ port < <(grep '^owner ' "$T/erl.log")
name='port_name="drivers_drv with arguments"'
has " driver-init .*name=\"drivers_drv\" major=[1-9][0-9]* minor=[0-9]+ flags=1" "$E" "driver-init"
has " driver-start .*process=$owner name=\"drivers_drv\" port=$port" "$E" "driver-start"
has " driver-output .*process=$owner port=$port $name bytes=4" "$E" "driver-output"
has " driver-call .*process=$owner port=$port $name command=77 bytes=[1-9]" "$E" "driver-call"
has " driver-control .*process=$owner port=$port $name command=1 bytes=3" "$E" "driver-control"
has " port-control .*process=$owner port=$port $name command_no=1" "$E" "port-control"
for e in timeout ready_async ready_input ready_output process_exit flush; do
	has " driver-$e .*process=$owner port=$port $name" "$E" "driver-$e"
done
has " driver-stop .*process=$owner name=\"drivers_drv\" port=$port" "$E" "driver-stop"
[ "$(grep -c ' driver-stop_select .*name="drivers_drv"' "$E")" = 2 ]
ok $? "driver-stop_select, for both ends of the pipe"
has " driver-finish .*name=\"drivers_drv\"" "$E" "driver-finish"
has " aio_pool-add .*thread=[01]" "$E" "aio_pool-add"
has " async/[0-9]+ .*aio_pool-get .*thread=[01]" "$E" "aio_pool-get, by that thread"
has " port-exit .*port=$port $name reason=\"normal\"" "$E" "port-exit when its owner ends"
plan
