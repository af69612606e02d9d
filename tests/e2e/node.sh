#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Erlang node from tap to report: recorded, read by babeltrace2, killed, and looked at by who may not.
#	tests/e2e/node.sh BUILD_DIR
# BEAMTAP_VM=hooks: `erl` is the VM with hooks; else the agent taps it.
. "$(dirname "$0")/../lib/tap.sh"
way=${BEAMTAP_VM:-agent}

start_node -s beamtap -s workload main 120
sleep 1

# What is there.
"$bt" list >"$T/list" 2>"$T/err"
has "^$node +alive +$way +[0-9]+/(jit|emu) +[0-9.]+ MiB" "$T/list" "the node is listed, with its kind, release and size"
"$bt" list -p $node >"$T/probes" 2>"$T/err"
has 'message-send' "$T/probes" "its probes are listed"

# Recorded for a time.
"$bt" record -p $node -o "$T/rec" -d 3s -f 'Shop.Cart:_/_:return' 2>"$T/err"
ok $? "recorded for 3 s"
events=$(sed -n 's/.*: \([0-9]*\) events, .* 0 lost in .*/\1/p' "$T/err")
[ "${events:-0}" -gt 10000 ]
ok $? "something happened and nothing was lost (${events:-no} events)"
[ "$("$bt" dump "$T/rec" 2>"$T/err" | wc -l)" = "$events" ]
ok $? "dump shows each of them"
[ "$("$bt" dump --json "$T/rec" 2>"$T/err" | python3 -c '
import json, sys
last = n = 0
for line in sys.stdin:
    e = json.loads(line)
    assert e["ts_ns"] >= last, "time goes back"
    last = e["ts_ns"]
    n += 1
print(n)')" = "$events" ]
ok $? "as JSON, too, and in the order of time"
[ "$(babeltrace2 "$T/rec" 2>"$T/err" | wc -l)" = "$events" ]
ok $? "babeltrace2 shows as many"
"$bt" dump -e function-entry --elixir "$T/rec" >"$T/calls" 2>"$T/err"
has 'Shop\.Cart\.total/1' "$T/calls" "calls of an Elixir module"
"$bt" dump -e process-exit "$T/rec" >"$T/exits" 2>"$T/err"
has 'killed|badmatch|badarith' "$T/exits" "processes that crash, with their reason"
! grep -q "$(printf '\033')" "$T/exits"
ok $? "escape codes in a reason do not reach the terminal"
"$bt" report "$T/rec" >"$T/report" 2>"$T/err"
ok $? "a report"
for section in PROCESSES 'WHO SENDS' 'MESSAGE LATENCY' 'GARBAGE COLLECTION' SCHEDULERS PORTS 'TRACED CALLS'; do
	has "$section" "$T/report" "with a section $section"
done
has 'stock_server' "$T/report" "and a registered name"
has 'lost +nothing' "$T/report" "and nothing lost"

# Two at once see the same.
"$bt" record -p $node -o "$T/a" -d 2s -e process-exit 2>"$T/err.a" & a=$!
"$bt" record -p $node -o "$T/b" -d 2s 2>"$T/err"
ok $? "two recorders on one node: the one"
wait $a
ok $? "and the other"
[ "$("$bt" dump -e process-exit "$T/a" | wc -l)" -gt 5 ]
ok $? "which has what it asked for"

# Who may not.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir "$T/pub" && chmod 777 "$T/pub" && chmod 711 "$T" && cp "$bt" "$T/pub/"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/pub/beamtap" record -p $node -o "$T/pub/x" -d 1s 2>"$T/err"
	[ $? = 1 ] && [ ! -e "$T/pub/x" ]
	ok $? "another user is refused"
	has 'belongs to another user' "$T/err" "and told why"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/pub/beamtap" dump "$T/rec" >"$T/out" 2>"$T/err"
	[ $? = 1 ] && [ ! -s "$T/out" ]
	ok $? "and does not get at a recording"
else
	skip "another user is refused" "needs root"
fi

# A script of D on the live node.
timeout -s INT -k 5 20 "$bt" dtrace -p $node -n 'erlang*:::message-send { @n[copyinstr(arg0)] = count(); } tick-2s { exit(3); }' >"$T/out" 2>"$T/err"
[ $? = 3 ]
ok $? "D on a live node ends as the script says"
has '<0\.[0-9]+\.0> +[0-9]+' "$T/out" "and counts by process"

# Killed: first the recorder, then the node.
"$bt" record -p $node -o "$T/k" 2>"$T/err" & r=$!
sleep 1.5
kill -9 $r
wait $r 2>/dev/null
"$bt" report "$T/k" >"$T/report" 2>"$T/err"
ok $? "what a killed recorder left is read"
sleep 7
"$bt" list | awk -v p=$node '$1 == p { exit $8 != 0 }'
ok $? "its lease has ended"
"$bt" record -p $node -o "$T/v" 2>"$T/err" & r=$!
sleep 1.5
kill -9 $node
wait $r
ok $? "a node that is killed ends its recording"
wait $node 2>/dev/null
dead=$node node=
[ "$("$bt" dump "$T/v" 2>"$T/err" | wc -l)" -gt 1000 ]
ok $? "which is whole"
"$bt" list >"$T/list"
has "^$dead +dead" "$T/list" "the node is listed as dead"
"$bt" record -p $dead -o "$T/p" 2>"$T/err"
ok $? "and what its rings hold can be recorded still"
[ "$("$bt" dump "$T/p" 2>"$T/err" | wc -l)" -gt 1000 ]
ok $? "and read"

# A command.
"$bt" record -o "$T/c" -e 'process-*' -- erl -noinput -pa "$B"/agent/beamtap-*/ebin "$B"/workload -s beamtap -s workload main 2 2>"$T/err"
ok $? "a command is recorded to its end"
"$bt" dump -e process-spawn "$T/c" >"$T/out" 2>"$T/err"
has 'process-spawn' "$T/out" "with its processes"
echo "1..$nr"
