#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The application `beamtap` starts, is killed, stops and starts again while somebody records: the hooks go on.
#	tests/otp/takeover.sh BUILD_DIR
. "$(dirname "$0")/common"

# 400 messages, 5 ms apart, each of which has to be told; what happens meanwhile is said before.
cat >"$T/src" <<'END'
main() ->
    P = spawn_link(fun() -> receive go -> ticks(400) end end),
    io:format("ticks ~p~n", [P]),
    M = monitor(process, P), P ! go,
    sleep(300), ok = application:start(beamtap),
    [begin sleep(200), exit(whereis(beamtap_server), kill) end || _ <- [1, 2]],
    sleep(300), ok = application:stop(beamtap),
    sleep(300), ok = application:start(beamtap),
    receive {'DOWN', M, _, _, _} -> ok end.
sleep(Ms) -> timer:sleep(Ms).
ticks(0) -> ok;
ticks(N) -> self() ! tick, receive tick -> ok after 5000 -> exit(lost) end, sleep(5), ticks(N - 1).
END
record_module "$T/src" 'message-s*' -pa "$B"/agent/beamtap-*/ebin
has '^ok' "$T/erl.log" "the application starts, is killed twice, stops, and starts again"
pid=$(sed -n 's/^ticks //p' "$T/erl.log")
n=$(grep -c "message-send *sender=$pid receiver=$pid" "$T/events")
echo "# $n of 400"
[ "$n" = 400 ]
ok $? "each message is told, whoever serves the reader"
"$bt" report "$T/rec" >"$T/report" 2>"$T/err"
has '^ *lost *nothing' "$T/report" "and none was lost"

# Calls are the application's: what is missing of them is said.
cat >"$T/src" <<'END'
main() ->
    call(), sleep(300), call(),
    exit(whereis(beamtap_server), kill), sleep(500), call(),
    ok = application:stop(beamtap), call(), sleep(300), call().
sleep(Ms) -> timer:sleep(Ms).
call() -> self() ! tick, receive tick -> called() end.
called() -> ok.
END
functions=t:called/0
record_module "$T/src" 'message-s*' -pa "$B"/agent/beamtap-*/ebin -s beamtap
has '^ok' "$T/erl.log" "with functions: it is killed, starts again and stops"
[ "$(grep -c 'function-entry .*t:called/0' "$T/events")" = 3 ]
ok $? "calls are told while it runs"
has 'tap-warning .*started anew: calls before this are missing' "$T/events" "and what may be missing of them is said,"
has 'tap-warning .*stopped: calls are not told any more' "$T/events" "at its end, too"
plan
