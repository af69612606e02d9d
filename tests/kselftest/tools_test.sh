#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tools_test.sh - bpftrace, perf, trace-cmd and tracefs hear what a VM says; prints TAP
#
#	tests/kselftest/tools_test.sh TALKER
talker=$(realpath "$1")
work=$(mktemp -d)
cd "$work" || exit 1
T=/sys/kernel/tracing
nr=0 failed=0

ok() { # status, name
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=$((failed + 1))
	fi
}
skip() { nr=$((nr + 1)); echo "ok $nr - $1 # SKIP $2"; }
show() { sed 's/^/# /' "$@" | head -40; }
is_on() { # a file of the talker's would say it; the kernel's own switch does, too
	cat $T/events/beamtap/message_send/enable
}
# Wait until a program that was told to end has ended.
finish() { # pid, signal
	for _ in 1 2 3 4 5 6; do
		kill -"$2" "$1" 2>/dev/null || break
		for _ in $(seq 50); do
			kill -0 "$1" 2>/dev/null || break 2
			sleep 0.2
		done
	done
	wait "$1" 2>/dev/null
}
want() { awk -v k="$1" -v n="$2" '$1 == k && $2 == n { print $3 }' said; }

# -- plain tracefs --
echo >$T/trace
echo 1 >$T/events/beamtap/enable
"$talker" -n 300 >said
echo 0 >$T/events/beamtap/enable
[ "$(grep -c ': message_send: ' $T/trace)" = 300 ]
ok $? "tracefs: all messages"
grep -q "talker-[0-9].*process_spawn: region=[0-9]* p=<0.100.0> mfa=shop:init_it/3 parent=<0.80.0>" $T/trace
ok $? "tracefs: a spawn is readable, in the thread that did it"
grep -q "process_exit: region=[0-9]* p=<0.100.0> reason=normal" $T/trace
ok $? "tracefs: an exit's reason"

# -- bpftrace --
if command -v bpftrace >/dev/null; then
	bpftrace -B none -e 'tracepoint:beamtap:message_send { @[str(args->sender)] = sum(args->size); }
		tracepoint:beamtap:gc_minor_end /str(args->p) == "<0.80.0>"/ { @gc = sum(args->reclaimed); }' \
		>bpf.out 2>bpf.err &
	pid=$!
	"$talker" -n 1000 >said
	ok $? "bpftrace: the VM hears that somebody listens"
	finish $pid INT
	good=0
	for p in 80 81 82; do
		grep -q "^@\[<0.$p.0>\]: $(want sum "<0.$p.0>")\$" bpf.out || good=1
	done
	ok $good "bpftrace: sum of sizes by sender, as sent"
	grep -q '^@gc: 1045$' bpf.out
	ok $? "bpftrace: a predicate on a process's name"
	[ $failed = 0 ] || show bpf.out bpf.err
	# Killed, it cannot switch off anything itself.
	bpftrace -B none -e 'tracepoint:beamtap:message_send { @ = count(); }' >/dev/null 2>&1 &
	pid=$!
	rm -f said # or the last one's would be taken for this one's
	"$talker" -n 10 -l 8 >said &
	t=$!
	while ! [ -s said ] && kill -0 $t; do sleep 0.2; done
	grep -q alive /sys/kernel/debug/beamtap/regions
	ok $? "debugfs: the VM is there"
	kill -KILL $pid
	wait $pid 2>/dev/null
	wait $t
	"$talker" -w 1 >/dev/null 2>silent
	grep -q 'nobody listens' silent
	ok $? "bpftrace, killed: off"
else
	skip bpftrace "not installed"
fi

# -- perf --
if command -v perf >/dev/null; then
	perf record -q -a -e 'beamtap:*' -o perf.data -- "$talker" -n 500 >said 2>perf.err
	ok $? "perf record -e beamtap:*"
	perf script -i perf.data >perf.out 2>>perf.err
	[ "$(grep -c 'beamtap:message_send: ' perf.out)" = 500 ]
	ok $? "perf script: all messages"
	grep -q 'beamtap:process_spawn: .*mfa=shop:init_it/3 parent=<0.80.0>' perf.out
	ok $? "perf script: text in fields"
	[ $failed = 0 ] || { show perf.err; grep beamtap perf.out | show; }
else
	skip perf "not installed"
fi

# -- trace-cmd --
if command -v trace-cmd >/dev/null; then
	trace-cmd record -q -e beamtap -o tc.dat "$talker" -n 500 >said 2>tc.err
	ok $? "trace-cmd record -e beamtap"
	trace-cmd report -i tc.dat >tc.out 2>>tc.err
	[ "$(grep -c 'message_send: ' tc.out)" = 500 ]
	ok $? "trace-cmd report: all messages"
	grep -q 'process_exit: .*p=<0.100.0> reason=normal' tc.out
	ok $? "trace-cmd report: text in fields"
	[ $failed = 0 ] || { show tc.err; grep -v '^CPU' tc.out | show; }
else
	skip trace-cmd "not installed"
fi
echo "1..$nr"
rm -rf "$work"
[ $failed = 0 ]
