#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# D on a real node: OTP's own scripts print what they should, functions are traced, loss is told.
#	tests/e2e/otp_live.sh BUILD_DIR
. "$(dirname "$0")/../lib/tap.sh"
set -- /usr/lib/erlang/lib/runtime_tools-*/examples
if [ ! -d "$1" ] || [ ! -d "$B/workload" ]; then
	echo "1..0 # SKIP no OTP with its examples, or no workload, is there"
	exit 77
fi
trace() { timeout -s INT "${S:-3}" "$B"/beamtap dtrace -p $node "$@" > "$T"/out 2> "$T"/err; }

start_node -s beamtap -s workload main 120
sleep 1

expect() { # SCRIPT PATTERN...
	script=$1
	shift
	trace -q -s "$dir/$script"
	for pattern; do
		grep -Eq "$pattern" "$T"/out
		ok $? "$script prints $pattern"
	done
	! grep -q 'error in\|failed' "$T"/err
	ok $? "$script has no fault"
}
dir=$1
pid='<0\.[0-9]+\.[0-9]+>'
expect messages.d "^send:   $pid -> ($pid|[a-z_]+): -?[0-9]+ words" "^receive: $pid: -?[0-9]+ words, queue len -?[0-9]+"
expect process-scheduling.d "^  Schedule pid $pid mfa [a-z_']+:[a-z_']+/[0-9]+" "^Unschedule pid $pid"
expect spawn-exit.d "^pid $pid mfa [a-z_']+:[a-z_']+/[0-9]+" "^pid $pid reason "
expect garbage-collection.d "^GC m(in|aj)or start pid $pid need [0-9]+ words"
expect port1.d "^port (command|control|open) pid $pid port #Port<0\.[0-9]+>"

S=6 trace -qn 'erlang*:Elixir.Shop.Cart:total:function-entry { n++; } tick-100ms /n > 5/ { printf("%s", "called"); exit(3); }'
[ $? = 3 ] && grep -q called "$T"/out
ok $? "calls of one function are traced, and nothing else is asked for"
S=4 trace -qn 'gc_*-start { eself->t = timestamp; } gc_*-end /eself->t/ { @ = quantize(timestamp - eself->t); eself->t = 0; }'
grep -q '@@' "$T"/out
ok $? "variables bound to Erlang processes measure collections"
"$B"/beamtap list -p $node > "$T"/out 2>&1
timeout -s INT 20 "$B"/beamtap dtrace -qn 'erlang$target:::message-send { n++; } tick-100ms /n > 10/ { printf("sends"); exit(0); }' \
	-c "erl -noinput -pa $(echo "$B"/agent/beamtap-*/ebin) $B/workload -s beamtap -s workload main 10" > "$T"/out 2> "$T"/err
[ $? = 0 ] && grep -q sends "$T"/out
ok $? "a node that is started by -c is traced"
echo "1..$nr"
