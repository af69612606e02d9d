#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# beamtap dtrace as a process: commands, signals, files, scripts that are executed, a live region.
#	tests/e2e/dtrace.sh BUILD_DIR
. "$(dirname "$0")/../lib/tap.sh"
pids=
trap 'for p in $pids; do kill -9 $p 2>/dev/null; done; rm -rf "$T"' EXIT
export TZ=UTC LC_ALL=C

is() { # NAME STATUS WANTED-STATUS WANTED-OUTPUT
	nr=$((nr + 1))
	if [ "$2" = "$3" ] && [ "$(cat "$T"/out; echo .)" = "$(printf '%b' "$4"; echo .)" ]; then
		echo "ok $nr - $1"
	else
		echo "not ok $nr - $1 (status $2)"
		sed 's/^/# out: /' "$T"/out
		sed 's/^/# err: /' "$T"/err
	fi
}
d() { "$B"/beamtap dtrace "$@" > "$T"/out 2> "$T"/err < /dev/null; }

d -qn 'BEGIN { printf("%d\n", $target > 0); } END { printf("bye\n"); }' -c 'sleep 0.1'
is "a command is run, and its end is the end" $? 0 '1\nbye\n\n'
d -qn 'BEGIN { trace(1); }' -c 'sh -c nothing' -c 'sleep 0.1'
is "its status is not ours" $? 0 '1\n'
d -qn 'BEGIN { }' -c /nonexistent
is "one that is not there is refused" $? 1 ''
sleep 0.3 & pids="$pids $!"
d -qn 'END { printf("%d", $target == '$!'); }' -p $!
is "a process is waited for" $? 0 '1\n'
d -qn 'BEGIN { }' -p 999999999
is "one that is not there is refused, too" $? 1 ''
d -x; s=$?
head -1 "$T"/err > "$T"/out
is "a letter without its argument is told as what it is" $s 2 "dtrace: option requires an argument -- 'x'\n"
sh -c 'sleep 0.3 & echo $! > "$0"; exec sleep 5' "$T"/zombie & pids="$pids $!"
while [ ! -s "$T"/zombie ]; do sleep 0.02; done
timeout 3 "$B"/beamtap dtrace -qn 'END { printf("end"); }' -p "$(cat "$T"/zombie)" > "$T"/out 2> "$T"/err < /dev/null
is "one that nobody asks for its status has ended, too" $? 0 'end\n'

"$B"/beamtap dtrace -qn 'BEGIN { printf("up\n"); } END { printf("down\n"); @ = count(); }' -p $$ > "$T"/out 2> "$T"/err & p=$!
for _ in $(seq 100); do [ -e /proc/$p ] && grep -q 'SigCgt:.*[1-9a-f]' /proc/$p/status && sleep 0.3 && break; sleep 0.02; done
kill -INT $p
wait $p
is "SIGINT: END, the aggregations, status 0" $? 0 'up\n\ndown\n\n                1\n'

echo first > "$T"/file
d -qo "$T"/file -n 'BEGIN { printf("second"); exit(0); }' -p $$
status=$?
mv "$T"/file "$T"/out
is "-o appends" $status 0 'first\nsecond\n'
echo 'BEGIN { printf("%s", $$1); exit(7); }' | "$B"/beamtap dtrace -qs - word -p $$ > "$T"/out 2> "$T"/err
is "a script from standard input, with an argument" $? 7 'word\n'
ln -s "$B"/beamtap "$T"/beamtap-dtrace
printf '#!%s -qs\nBEGIN { printf("%%d", $1); exit($1); }\n' "$T"/beamtap-dtrace > "$T"/script.d
chmod +x "$T"/script.d
"$T"/script.d 5 -p $$ > "$T"/out 2> "$T"/err
is "a script that is executed" $? 5 '5\n'
d -qn 'tick-10ms { printf("%d ", i++); } tick-10ms /i == 3/ { exit(0); }' -p $$
is "ticks of the clock" $? 0 '0 1 2 \n'

# -p of a process that is no node: there are no probes of Erlang, but a script compiles as if there were.
d -exerrtags -p $$ -n 'erlang*:::message-send /args[2] > 100/ { @[args[0]] = sum(args[2]); }' \
	-n 'erlang4711:::process-spawn, process-exit { trace(args[0]); } erlang*:lists:map:function-entry { trace(args[1]); }'
s=$?
mv "$T"/err "$T"/out
is "-e without a node: types are the catalogue's" $s 0 ''
d -exerrtags -p $$ -n 'message-send { trace(args[0] * 1); }' ; s=$?
grep -q 'D_OP_ARITH' "$T"/err && ! d -exerrtags -p $$ -n 'message-send { trace(args[9]); }' && grep -q D_ARGS_IDX "$T"/err || s=no
is "-e without a node: errors are, too" $s 1 ''
d -qZp $$ -n 'message-send, process-exit { trace(args[0]); } BEGIN { trace("began"); exit(0); }'
is "-Z without a node: clauses for its probes compile and never fire" $? 0 'began\n'
d -Zxerrtags -p $$ -n 'message-send, gc_minor-start { trace(args[1]); } message-received { trace(arg0); }'; s=$?
mv "$T"/err "$T"/out
is "-Z without a node: what differs between probes is still refused" $s 1 "dtrace: invalid probe specifier message-send, gc_minor-start { trace(args[1]); } message-received { trace(arg0); }: [D_ARGS_MULTI] in action list: args[1] may not be referenced because probe description :::message-send matches probes that give it different types\n"
d -p $$ -n 'message-send { }'; s=$?
mv "$T"/err "$T"/out
is "a run without a node has no probes of Erlang" $s 1 'dtrace: invalid probe specifier message-send { }: probe description :::message-send does not match any probes\ndtrace: no node can be tapped: `beamtap list` shows those that can\n'
d -p $$ -n 'mesage-send { }'; s=$?
mv "$T"/err "$T"/out
is "without a node the nearest name is the catalogue's" $s 1 'dtrace: invalid probe specifier mesage-send { }: probe description :::mesage-send does not match any probes\ndtrace: nearest name: message-send\n'
d -p $$ -n 'syscall::read:entry { }'; s=$?
tail -1 "$T"/err > "$T"/out
is "a provider that is not there is named" $s 1 'dtrace: there is no provider syscall: there are dtrace, profile and erlang<pid>\n'
d -lvp $$ -n 'message-send { }'; s=$?
cat "$T"/err >> "$T"/out
is "-l -v says that there is no node" $s 0 '   ID   PROVIDER            MODULE                          FUNCTION NAME\ndtrace: failed to match :::message-send: No probe matches description\ndtrace: no node can be tapped: `beamtap list` shows those that can\n'

for i in 1 2; do
	echo "vm node=n$i@host pid=$i"
	echo "message_send ts=1000$i sender=<0.8$i.0> receiver=<0.90.0> size=$i msg=$i"
	echo "message_send ts=2000$i sender=<0.8$i.0> receiver=<0.90.0> size=$i msg=$i"
done > "$T"/all
sed -n 1,3p "$T"/all > "$T"/a.ev
sed -n 4,6p "$T"/all > "$T"/b.ev
d -q -f "$T"/a.ev -f "$T"/b.ev -n 'message-send { printf("%s %s %d\n", enode, copyinstr(arg0), timestamp); @ = sum(arg2); }'
is "two recordings are merged by time" $? 0 'n1@host <0.81.0> 10001\nn2@host <0.82.0> 10002\nn1@host <0.81.0> 20001\nn2@host <0.82.0> 20002\n\n                6\n'
d -qf "$T"/a.ev -n 'message-send { printf("x"); }' -o /dev/full
is "a full disk is told" $? 1 ''

"$B"/tests/tapvm -n "d$$@host" -t 2 -r 100000 > "$T"/vm.out & vm=$!
pids="$pids $vm"
for _ in $(seq 100); do "$B"/beamtap list 2>/dev/null | grep -q "^$vm .*alive" && break; sleep 0.05; done
d -qp $vm -n 'process-runnable { n++; } tick-500ms { printf("%d %s", n > 1000, "lots"); exit(n > 1000 ? 0 : 1); }'
is "a live region is read" $? 0 '1 lots\n'
d -qp $vm -xaggrate=1h -n 'process-runnable { @ = count(); } tick-200ms { printa("%@d\n", @); } tick-500ms { exit(0); } END { printa("%@d", @); }'
[ "$(grep -c '^[0-9]' "$T"/out)" = 1 ]
mv "$T"/out "$T"/err
: > "$T"/out
is "aggrate: printa() shows what was when they were updated last, END all" $? 0 ''
d -qp $vm -n 'BEGIN { setopt("aggrate", "1h"); } process-runnable { @ = count(); } tick-200ms { printa("%@d\n", @); } tick-500ms { exit(0); } END { printa("%@d", @); }'
[ "$(grep -c '^[0-9]' "$T"/out)" = 1 ]
mv "$T"/out "$T"/err
: > "$T"/out
is "aggrate set by setopt() does the same" $? 0 ''
d -qp $vm -xaggrate=1h -n 'BEGIN { setopt("aggrate", "1ms"); } process-runnable { @ = count(); } tick-200ms { printa("%@d\n", @); exit(0); }'
grep -q '^[0-9]' "$T"/out
mv "$T"/out "$T"/err
: > "$T"/out
is "and another one takes its place" $? 0 ''
d -qp $vm -n 'process-runnable { printf("%d %d %d", uid, gid, ppid); exit(0); }'
is "uid, gid and ppid are the node's" $? 0 "$(id -ru) $(id -rg) $$\n"
d -qp $vm -n 'function-entry { }'
grep -q 'probe :::function-entry names no module' "$T"/err
is "functions that nobody names are refused" $? 0 ''
kill $vm
d -qn 'BEGIN { exit(3); }' -c "sleep 97531"
s=$?
! pgrep -f '^sleep 97531' > /dev/null || s=running
is "a command that still runs is ended" $s 3 '\n'
d -qn 'BEGIN { nosuch; }' -c "touch $T/begun"
[ -e "$T"/begun ] && s=begun || s=not
is "a command does not begin when nothing is traced" $s not ''
if type erlc > /dev/null 2>&1; then
	cd "$T"
	echo 'provider shop { probe foo__bar(int, string); };' > shop.d
	d -h -s shop.d
	printf '%s\n' '-module(use).' '-export([f/2]).' '-include("shop.hrl").' '-include("shop.hrl").' 'f(A, B) -> ?FOO_BAR(A, B).' > use.erl
	{ erlc -Werror -DNO_BEAMTAP_PROBES use.erl && erlc -Werror use.erl && erl -noshell -eval 'io:format("~p", [use:f(1, "x")]), halt().'; } > out 2> err
	is "an include file made by -h compiles, and is silent without the application" $? 0 'false'
fi
echo "1..$nr"
