#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# erlang_test.sh - a real Erlang node on the module: real bpftrace hears it; prints TAP
#
#	tests/kselftest/erlang_test.sh BUILD_DIR
#
# Both front ends: the agent in Debian's erl, and the emulator with hooks where
# BUILD_DIR/otp has one.
B=$(cd "$1" && pwd) || exit 1
work=$(mktemp -d) && cd "$work" || exit 1
regions=/sys/kernel/debug/beamtap/regions
nr=0 failed=0 node='' tool=''
trap '[ -z "$node" ] || kill -KILL $node; [ -z "$tool" ] || kill -KILL $tool' EXIT

ok() { # status, name
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $vm: $2"
	else
		echo "not ok $nr - $vm: $2"
		failed=$((failed + 1))
		for f in erl.log bpf.out bpf.err list.out rec.err $regions; do
			echo "# -- $f"
			grep -v RLIMIT $f 2>/dev/null | head -12 | sed 's/^/# /'
		done
	fi
}
skip() { nr=$((nr + 1)); echo "ok $nr - $1 # SKIP $2"; }
# Of the node's own region; a node with hooks has one from its start.
column() { awk -v pid="$node" -v c="$1" '$3 == pid { print $c; exit }' $regions; }

# When the file `go` is there, one process sends itself 500 messages.
say='P = spawn(fun() ->
	W = fun W() -> case file:read_file_info("go") of {ok, _} -> ok; _ -> timer:sleep(200), W() end end,
	W(), timer:sleep(1000),
	[self() ! {x, I} || I <- lists:seq(1, 500)],
	file:write_file("said", io_lib:format("~p", [self()])),
	receive never -> ok end
end), register(talker, P).'

on_node() { # erl
	rm -rf go said rec
	"$1" -noinput -pa "$B"/agent/beamtap-*/ebin -s beamtap -eval "$say" >erl.log 2>&1 &
	node=$!
	for _ in $(seq 300); do
		[ "$(column 2)" = alive ] && break
		kill -0 $node 2>/dev/null || break
		sleep 0.2
	done
	[ "$(column 2)" = alive ]
	ok $? "the node has a region of the module" || return
	"$B"/beamtap list >list.out 2>&1
	grep -q "^$node  *alive" list.out
	ok $? "beamtap list shows it"
	bpftrace -B none -e 'tracepoint:beamtap:message_send {
		@[str(args->sender), str(args->receiver)] = count(); }' \
		>bpf.out 2>bpf.err &
	tool=$!
	for _ in $(seq 300); do
		grep -q Attaching bpf.out && break
		sleep 0.2
	done
	sleep 2
	touch go
	for _ in $(seq 100); do
		[ -s said ] && break
		sleep 0.2
	done
	sleep 1
	kill -INT $tool
	wait $tool
	tool=
	grep -qF "@[$(cat said), $(cat said)]: 500" bpf.out
	ok $? "bpftrace counts the 500 messages that one process sends itself"
	[ "$(column 7)" = 0 ]
	ok $? "no record was malformed"
	[ "$(column 6)" -ge 500 ]
	ok $? "the module counted them, too"
	sleep 1
	fired=$(column 6)
	sleep 2
	[ "$(column 6)" = "$fired" ]
	ok $? "nothing is handed over when the tracer is gone"
	"$B"/beamtap record -p $node -o rec -d 2s 2>rec.err
	ok $? "beamtap record reads its rings through the device"
	grep -q ' 0 lost' rec.err
	ok $? "and loses nothing"
	pid=$node
	kill -KILL $node
	wait $node 2>/dev/null
	"$B"/beamtap list >list.out 2>&1
	grep -q "^$pid  *dead" list.out
	ok $? "killed, its region is there to be read"
	node=
}

vm=agent
on_node erl
vm=hooks
if [ -x "$B"/otp/bin/erl ]; then
	on_node "$B"/otp/bin/erl
else
	skip "the emulator with hooks" "it has not been built: make otp"
fi
echo "1..$nr"
[ $failed = 0 ]
