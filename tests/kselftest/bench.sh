#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bench.sh - in the guest: what a hand-over costs with nobody, ftrace, bpftrace, perf listening
#
#	tests/kselftest/bench.sh EMIT_BENCH
#
# An emulated machine tells ratios, not times: a system call that does nothing is
# measured in the same loop.
bench=$1
E=/sys/kernel/tracing/events/beamtap/message_send/enable
cd /run || exit 1
echo "listener    getppid /dev/null     emit   hook emit/getppid emit/null"
"$bench" nobody
echo 1 >$E
"$bench" ftrace
echo 0 >$E
# bpftrace: one counter; one for each number; one for each string
scripts=(bt-count '@ = count();' bt-size '@[args->size] = count();' bt-sender '@[str(args->sender)] = sum(args->size);')
for ((i = 0; i < ${#scripts[@]}; i += 2)); do
	script=${scripts[i + 1]}
	bpftrace -B none -e "tracepoint:beamtap:message_send { $script }" >/dev/null 2>&1 &
	pid=$!
	"$bench" "${scripts[i]}" 15 wait
	kill -INT $pid
	sleep 2
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
done
"$bench" nobody
