#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# functions.sh - calls of named functions: entry, return, tail calls, exceptions, beside dbg, and under stress
. "$(dirname "$0")/common"
here=$(cd "$(dirname "$0")" && pwd)

erlc -o "$T" "$here/calls.erl" "$here/victim.erl" >"$T/err" 2>&1 || bail "calls.erl does not compile"

# A node with the application; $1 is what runs when the recorder is there: its result into $T/result.
# The rest: arguments of the recorder.  The events come into $T/events.
record_calls() {
	run=$1
	shift
	rm -rf "$T/rec" "$T/go" "$T/done" "$T/ready" "$T/result"
	start_node -eval "
		{ok, _} = application:ensure_all_started(beamtap), {module, _} = code:ensure_loaded(calls),
		{module, _} = code:ensure_loaded(victim),
		code:ensure_loaded('Elixir.Shop.Cart'), file:write_file(\"$T/ready\", []),
		W = fun W() -> filelib:is_file(\"$T/go\") orelse begin timer:sleep(20), W() end end, W(),
		R = (catch $run), file:write_file(\"$T/result\", io_lib:format(\"~0p.~n\", [R])),
		file:write_file(\"$T/done\", [])."
	await "$T/ready" || bail "the application does not start"
	"$bt" record -p $node -o "$T/rec" "$@" 2>"$T/err" & recorder=$!
	for _ in $(seq 100); do
		grep -q . "$T/err" && bail "the recorder does not start"
		"$bt" list | awk -v p=$node '$1 == p { exit !($8 > 0) }' && break
		sleep 0.05
	done
	sleep 0.3
	: >"$T/go"
	await "$T/done"
	sleep 0.2
	kill -INT $recorder
	wait $recorder
	"$bt" dump "$T/rec" >"$T/events" 2>"$T/err" || bail "the recording cannot be read"
}
# The process's own events without times, threads and pids.
story() {
	grep -E "calls:" "$T/events" | sed -E 's/^ *[0-9.]+ [^ ]+ +//; s/ +/ /g; s/p=<[0-9.]+> //'
}
count() { grep -cE -- "$1" "$T/events"; } # PATTERN

record_calls 'calls:main()' -e 'function-*' -e 'exception-*' -f 'calls:_/_:return'
story >"$T/story"
diff "$here/calls.out" "$T/story" >"$T/err" 2>&1
ok $? "every call is closed by its own return, tail call or exception"
has '^ok' "$T/result" "none of it is seen by the VM's own tracing"
stop_node

record_calls "'Elixir.Shop.Cart':total([])" -f 'Shop.Cart.total/1:return'
has "function-return .*'Elixir.Shop.Cart':total/1 depth=1" "$T/events" "Elixir's way of naming it"
stop_node

record_calls 'calls:main()' -f 'calls:up/1'
[ "$(count 'function-entry .*calls:up/1$')" = 4 ] && [ "$(count 'function-return')" = 0 ]
ok $? "without returns: entries alone, of no known depth"
stop_node

record_calls 'calls:beside_dbg()' -f 'calls:up/1:return'
has '^\{ok,\[4,4\]\}' "$T/result" "dbg traces the same function beside it, with returns"
[ "$(count 'function-entry .*up/1')" = 4 ] && [ "$(count 'function-return .*up/1')" = 4 ]
ok $? "and both are told here"
stop_node

record_calls 'calls:beside_global()' -f 'calls:up/1:return'
has '^\{ok,1\}' "$T/result" "and by a global pattern"
[ "$(count 'function-entry .*up/1')" = 8 ] && [ "$(count 'function-return .*up/1')" = 8 ]
ok $? "and all of it is told here, also when dbg has stopped"
stop_node

record_calls 'calls:built_in()' -f 'erlang:list_to_binary/1:return'
[ "$(count 'function-entry .*list_to_binary/1')" = 3 ] && [ "$(count 'function-return .*list_to_binary/1')" = 2 ]
ok $? "built-in functions, one of which fails"
stop_node

record_calls 'calls:stress(6000)' -f 'calls:_/_:return' -f 'victim:_/_:return' -e 'process-exit'
has '^ok' "$T/result" "loading, purging, exits, hibernation, collections, dbg: the node lives"
"$bt" report "$T/rec" >"$T/report" 2>"$T/err"
has 'calls:[a-z]+/[0-9] +[0-9]+' "$T/report" "and its calls can be reported"
"$bt" list -p $node >/dev/null 2>"$T/err"
ok $? "it can still be listed"
stop_node

# The application gives the readers back to the emulator when it stops.
record_calls 'begin spawn(fun T() -> timer:sleep(10), T() end), application:stop(beamtap) end' -e message-send
has 'tap-stop|message-send' "$T/events" "the application can be stopped while somebody reads"
"$bt" record -p $node -o "$T/rec2" -e process-scheduled -d 1s 2>"$T/err"
"$bt" dump "$T/rec2" 2>>"$T/err" | grep -q process-scheduled
ok $? "the emulator serves readers again"
"$bt" record -p $node -o "$T/rec3" -f calls:up/1 -d 1s 2>"$T/err"
has 'application beamtap' "$T/err" "but not for functions, and says why"
stop_node
plan
