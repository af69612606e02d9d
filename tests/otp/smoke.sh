#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The VM with hooks boots, is listed, costs little until somebody reads, is recorded, and can be killed.
#	tests/otp/smoke.sh BUILD_DIR
. "$(dirname "$0")/common"

erl -noinput -eval 'io:format("~s ~s~n", [erlang:system_info(build_type), erlang:system_info(system_version)]), halt()' >"$T/out" 2>"$T/err"
has 'Erlang/OTP' "$T/out" "the emulator boots"

start_node -s workload main 60
"$bt" list >"$T/list"
has "^$node +alive +hooks +[0-9]+/(jit|emu) " "$T/list" "it is listed, without any application in it"
region=$(ls /dev/shm/beamtap.$node)
[ "$(du -k "$region" | cut -f1)" -le 256 ]
ok $? "its region takes no more than 256 KiB before somebody reads ($(du -k "$region" | cut -f1) KiB)"
[ "$(stat -c %a "$region")" = 600 ]
ok $? "and is its user's alone"
grep -q beamtap /proc/$node/task/*/comm
ok $? "a thread of its own looks for readers"

"$bt" record -p $node -o "$T/rec" -d 3s 2>"$T/err"
ok $? "it is recorded for 3 s"
events=$(sed -n 's/.*: \([0-9]*\) events, .* 0 lost in .*/\1/p' "$T/err")
[ "${events:-0}" -gt 10000 ]
ok $? "something happened and nothing was lost (${events:-no} events)"
"$bt" dump "$T/rec" >"$T/events" 2>"$T/err"
ok $? "it can be read"
[ "$(wc -l <"$T/events")" = "${events:-no}" ]
ok $? "and has that many events"
for e in message-send message-queued message-receive process-spawn process-exit process-scheduled process-unscheduled; do
	has " $e " "$T/events" "$e"
done
has_no '<0\.[0-9]{9,}\.' "$T/events" "numbers of processes are as they are printed"
has 'message-send .*sender=<0\.[0-9]+\.[0-9]+> .*receiver=<0\.[0-9]+\.[0-9]+>.* msg=[1-9]' "$T/events" "a message has its identity"

# Every message received in the recording that was sent in it: the same identity, sender and receiver.
"$bt" dump --json -e message-send -e message-receive "$T/rec" 2>"$T/err" | python3 -c '
import json, sys
sent, paired, wrong = {}, 0, 0
for line in sys.stdin:
    e = json.loads(line)
    a = e["fields"]
    m = a.get("msg")
    if not m:
        continue
    if e["event"] == "message_send":
        sent[m] = (a["sender"], a["receiver"])
    elif m in sent:
        paired += 1
        s, r = sent.pop(m)
        wrong += r != a["receiver"] or s != a["sender"]
print(paired, wrong)' >"$T/out" 2>"$T/err"
read -r paired wrong <"$T/out"
[ "${paired:-0}" -gt 1000 ] && [ "$wrong" = 0 ]
ok $? "sends and receives pair by identity alone (${paired:-0} pairs, ${wrong:-?} of them wrong)"

# Off again by itself.
sleep 0.5
"$bt" list | awk -v p=$node '$1 == p { exit $8 != 0 }'
ok $? "nobody reads any more"

# dbg beside it.
stop_node
start_node -eval 'dbg:tracer(process, {fun(_, N) -> N + 1 end, 0}), dbg:p(all, [m, procs, running]),
	F = fun F() -> spawn(fun() -> ok end), self() ! a, receive a -> ok end, timer:sleep(1), F() end, F().'
"$bt" record -p $node -o "$T/dbg" -d 3s 2>"$T/err"
ok $? "dbg traces everything, and so do we"
"$bt" dump -e process-spawn "$T/dbg" >"$T/events" 2>"$T/err"
[ "$(wc -l <"$T/events")" -gt 10 ]
ok $? "with all that happens"
stop_node

# Killed and crashed.
start_node -s workload main 60
"$bt" record -p $node -o "$T/v" 2>"$T/err" & r=$!
sleep 1.5
kill -9 $node
wait $r
ok $? "a VM that is killed ends its recording"
wait $node 2>/dev/null
dead=$node node=
[ "$("$bt" dump "$T/v" 2>"$T/err" | wc -l)" -gt 1000 ]
ok $? "which is whole"
"$bt" list >"$T/list"
has "^$dead +dead +hooks" "$T/list" "it is listed as dead"
"$bt" record -p $dead -o "$T/p" 2>"$T/err" && [ "$("$bt" dump "$T/p" 2>"$T/err" | wc -l)" -gt 1000 ]
ok $? "what its rings hold is read after its death"
rm -f /dev/shm/beamtap.$dead

export ERL_CRASH_DUMP=$T/crash.dump
# The signal is lost on a VM that has not booted yet.
start_node -eval "ok = file:write_file(\"$T/up\", [])" -s workload main 60
"$bt" record -p $node -o "$T/c" 2>"$T/err" & r=$!
for _ in $(seq 300); do
	[ -e "$T/up" ] && break
	sleep 0.1
done
sleep 1
kill -USR1 $node
wait $node 2>/dev/null
wait $r
ok $? "a crash dump is written while it is recorded"
has '^=end' "$T/crash.dump" "and is whole"
rm -f /dev/shm/beamtap.$node
node=

BEAMTAP=off erl -noinput -eval 'timer:sleep(600), halt()' >"$T/erl.log" 2>&1 & node=$!
sleep 0.4
! "$bt" list | grep -q "^$node "
ok $? "BEAMTAP=off: no region"
wait $node
ok $? "and it runs as ever"
node=
BEAMTAP_DIR=/nonexistent erl -noinput -eval 'halt(3)' >"$T/out" 2>&1
[ $? = 3 ]
ok $? "a region that cannot be made does not keep it from running"
has 'cannot be traced' "$T/out" "and that is told"
plan
