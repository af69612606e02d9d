#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Schedulers that sleep, and processes on dirty ones, in the VM with hooks.
#	tests/otp/schedulers.sh BUILD_DIR
. "$(dirname "$0")/common"

cat >"$T/src" <<'END'
main() ->
    io:format("main ~p~n", [self()]),
    [timer:sleep(20) || _ <- lists:seq(1, 10)],
    _ = erlang:system_flag(schedulers_online, 1),
    timer:sleep(100),
    _ = erlang:system_flag(schedulers_online, 2),
    %% A NIF on a dirty I/O scheduler; a collection on a dirty CPU one.
    {R, M} = spawn_monitor(fun() -> {ok, F} = prim_file:open("/proc/self/exe", [read, binary]), {ok, _} = prim_file:read(F, 100) end),
    io:format("reader ~p~n", [R]),
    receive {'DOWN', M, _, _, normal} -> ok end,
    {G, N} = spawn_monitor(fun() -> L = lists:seq(1, 1000000), erlang:garbage_collect(), true = length(L) > 0 end),
    io:format("collected ~p~n", [G]),
    receive {'DOWN', N, _, _, normal} -> ok end,
    ok.
END
record_module "$T/src" 'scheduler_*,dirty_*' +S 2:2 +SDcpu 1:1 +SDio 1
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
has ' scheduler-sleep +scheduler=1' "$E" "scheduler-sleep"
has ' scheduler-wakeup +scheduler=1' "$E" "scheduler-wakeup"
has ' scheduler-sleep +scheduler=2' "$E" "scheduler-sleep of the second"
has ' scheduler-sleep +scheduler=[34]' "$E" "scheduler-sleep of a dirty one, numbered behind the others"
has_no ' scheduler-(sleep|wakeup) +scheduler=(0|[5-9])' "$E" "and no other numbers"
# Each wakes up before it sleeps again.
awk '/ scheduler-(sleep|wakeup) / { s = $4; if (/-sleep/ == asleep[s] && seen[s]) { print; bad = 1 } asleep[s] = /-sleep/; seen[s] = 1 } END { exit bad }' "$E" >"$T/err"
ok $? "sleep and wakeup take turns"
r=$(sed -n 's/^reader //p' "$T/erl.log") g=$(sed -n 's/^collected //p' "$T/erl.log")
has " dirty-scheduled +p=$r mfa=prim_file:(open|read)_nif/2" "$E" "dirty-scheduled, with the native function"
has " dirty-unscheduled +p=$r " "$E" "dirty-unscheduled"
has " dirty-scheduled +p=$g " "$E" "dirty-scheduled for a collection"
has_no " (process-)?(scheduled|unscheduled) " "$E" "without process-scheduled, which nobody asked for"
awk '/ dirty-(un)?scheduled / { p = $4; if (/-scheduled/ && in_[p]++ || /-unscheduled/ && --in_[p]) { print; bad = 1 } } END { exit bad }' "$E" >"$T/err"
ok $? "both take turns"
awk '/ dirty-(un)?scheduled / && $2 !~ /^dirty|^dcpu|^dio/ { print; bad = 1 } END { exit bad }' "$E" >"$T/err"; ok $? "all on rings of dirty schedulers"
plan
