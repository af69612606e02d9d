#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modules that come and go, and timers, in the VM with hooks.
#	tests/otp/code_timers.sh BUILD_DIR
. "$(dirname "$0")/common"

cat >"$T/src" <<'END'
main() ->
    io:format("main ~p~n", [self()]),
    {ok, M, Bin} = compile:forms([{attribute, 1, module, a_module}, {attribute, 2, export, [{f, 0}]},
                                  {function, 3, f, 0, [{clause, 3, [], [], [{atom, 3, x}]}]}]),
    {module, M} = code:load_binary(M, "a_module.erl", Bin),
    {module, M} = erlang:load_module(M, Bin),
    true = code:purge(M) orelse true,
    true = erlang:delete_module(M),
    false = code:purge(M),
    io:format("purger ~p~n", [whereis(erts_code_purger)]),
    timers(),
    ok.
say(K, V) -> io:format("~s ~p~n", [K, V]).
timers() ->
    S = self(),
    P = spawn(fun() -> receive stop -> ok end end), say(told, P),
    R1 = erlang:send_after(30, S, fired), receive fired -> ok end, false = erlang:cancel_timer(R1),
    _ = erlang:start_timer(30, S, wrapped), receive {timeout, _, wrapped} -> ok end,
    R2 = erlang:send_after(100000000, P, never), _ = erlang:cancel_timer(R2),
    R3 = erlang:start_timer(5000, P, never), ok = erlang:cancel_timer(R3, [{async, true}, {info, false}]),
    register(told_by_name, P), _ = erlang:send_after(10, told_by_name, hello), timer:sleep(50),
    _ = erlang:send_after(60000, P, left), P ! stop, timer:sleep(50),
    _ = erlang:send_after(10000, P, nobody),
    %% timeouts of a receive
    {Q, M} = spawn_monitor(fun() -> receive never -> ok after 25 -> ok end, S ! {self(), at}, receive go -> ok after 7000 -> no end end),
    say(waits, Q), receive {Q, at} -> timer:sleep(20), Q ! go end, receive {'DOWN', M, _, _, _} -> ok end,
    ok.
END
record_module "$T/src" 'module_*,timer_*'
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
of() { sed -n "s/^$1 //p" "$T/erl.log" | head -1; }
main=$(of main) purger=$(of purger)
has " module-load +module=a_module p=<" "$E" "module-load"
has " module-load +module=a_module p=$main( |$)" "$E" "module-load by the process that does it"
[ "$(grep -c ' module-load  *module=a_module ' "$E")" = 2 ]; ok $? "once for each time"
has " module-unload +module=a_module p=$main( |$)" "$E" "module-unload by who deletes it"
[ "$(grep -c " module-unload  *module=a_module p=$purger *$" "$E")" = 2 ]; ok $? "module-unload for each purge"

told=$(of told) waits=$(of waits)
# by IDENTITY: the life of each timer of P as a line: what happened, and how long it was set for
life() { # PROCESS-OR-NAME
	awk -v p="p=$1 " '/ timer-(set|cancel|fire) / && index($0 " ", p) {
		match($0, /timer=[0-9]+/); t = substr($0, RSTART, RLENGTH)
		if (!(t in what)) order[++n] = t
		match($0, / timer-[a-z]+/); what[t] = what[t] substr($0, RSTART + 7, RLENGTH - 7) " "
		if (match($0, /timeout=[0-9]+/)) ms[t] = ms[t] int(substr($0, RSTART + 8, RLENGTH - 8) / 1000000) " "
	} END { for (i = 1; i <= n; i++) print what[order[i]] ms[order[i]] }' "$E"
}
life "$main" >"$T/main"
has '^set fire (29|30|31) $' "$T/main" "send_after fires; the time until then is told"
[ "$(grep -cE '^set fire (29|30|31) $' "$T/main")" = 2 ]; ok $? "start_timer fires"
life "$told" >"$T/told"
has '^set cancel (99999999|100000000|100000001) $' "$T/told" "a long timer is cancelled"
has '^set cancel (4999|5000|5001) $' "$T/told" "a short timer is cancelled without an answer"
has '^set cancel (59999|60000|60001) $' "$T/told" "the end of a process cancels its timers"
has_no ' (9999|10000|10001) $' "$T/told" "there is no timer for a process that is no more"
life told_by_name >"$T/named"
has '^set fire (9|10|11) $' "$T/named" "a timer for a name"
life "$waits" >"$T/waits"
has '^set fire set cancel (24|25|26) (6999|7000|7001) $' "$T/waits" "timeouts of a receive: one fires, one is cancelled"
awk -v p="p=$waits " '/ timer-/ && index($0 " ", p) && !/timer=922337[0-9]+/ { print; bad = 1 } END { exit bad }' "$E" >"$T/err"; ok $? "their identity has the top bit set"
plan
