#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dry.sh - bpftrace accepts each tool in both of its forms; what beamtap-bt refuses: tests/bpf/dry.sh BUILD_DIR
#
# The tracepoints need not be there: their formats are made from the tools' own table, and
# laid over the kernel's in a mount namespace of our own.
. "$(dirname "$0")/tracefs.sh"
B=$(cd "${1:-build}" && pwd) || exit 1
top=$(cd "$(dirname "$0")/../.." && pwd)
tools=$top/bpf/tools
so=$(echo "$B"/agent/beamtap-*/priv/beamtap_nif.so)
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
nr=0

ok() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$T/err" 2>/dev/null | grep -v RLIMIT | head -8
	fi
}
skip() { nr=$((nr + 1)); echo "ok $nr # SKIP $1: $2"; }

# A tree of formats: the catalogue's, and the kernel's own that the tools use.
formats() {
	awk -v dir="$T/tracing/events/beamtap" '
		function open_event() {
			system("mkdir -p " dir "/" $1)
			file = dir "/" $1 "/format"
			print "name: " $1 "\nID: " 50000 + ++id "\nformat:" >file
			print "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;" >file
			print "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;" >file
			print "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;" >file
			print "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n" >file
			print "\tfield:u32 region;\toffset:8;\tsize:4;\tsigned:0;" >file
			at = 16
		}
		/^#/ { next }
		$1 != last { if (last) close(file); open_event(); last = $1 }
		$5 == "text" { print "\tfield:__data_loc char[] " $3 ";\toffset:" at ";\tsize:4;\tsigned:1;" >file; at += 4; next }
		{ at += (8 - at % 8) % 8; print "\tfield:" ($5 == "signed" ? "s64 " : "u64 ") $3 ";\toffset:" at ";\tsize:8;\tsigned:" ($5 == "signed") ";" >file; at += 8 }
	' "$tools/events.tab"
	for e in $(sed -n 's/^tracepoint:\([a-z]*\):\([a-z_]*\).*/\1\/\2/p' "$tools"/*.bt | grep -v '^beamtap/' | sort -u); do
		mkdir -p "$T/tracing/events/$e"
		cat "/sys/kernel/tracing/events/$e/format" >"$T/tracing/events/$e/format" || return 1
	done
	(cd "$T/tracing/events" && ls -d */* | tr / :) >"$T/tracing/available_events"
	: >"$T/tracing/available_filter_functions"
}

"$tools/beamtap-bt" -l >"$T/list" 2>"$T/err"
[ "$(wc -l <"$T/list")" = "$(ls "$tools"/*.bt | wc -l)" ]
ok $? "each tool says in its head comment what it is for"
"$tools/beamtap-bt" >"$T/out" 2>"$T/err"
[ $? = 2 ] && grep -q 'which tool' "$T/err"
ok $? "wrong usage has status 2"
"$tools/beamtap-bt" -t -n no_such_tool >"$T/out" 2>"$T/err"
[ $? = 1 ] && grep -q 'there is no tool no_such_tool' "$T/err"
ok $? "a tool that is not there is refused"
printf 'tracepoint:beamtap:message_send\n{\n\tprint(args->sneder);\n}\n' >"$T/x.bt"
"$tools/beamtap-bt" -n -b "$so" "$T/x.bt" >"$T/out" 2>"$T/err"
[ $? = 1 ] && grep -q 'line 3: beamtap:message_send has no field sneder' "$T/err"
ok $? "a field that is not there is refused, with its line"
printf 'tracepoint:beamtap:message_sent\n{\n}\n' >"$T/x.bt"
"$tools/beamtap-bt" -n -b "$so" "$T/x.bt" >"$T/out" 2>"$T/err"
[ $? = 1 ] && grep -q 'there is no event message_sent' "$T/err"
ok $? "an event that is not there is refused"
printf 'tracepoint:beamtap:message_queued,\ntracepoint:beamtap:message_receive\n/args->queue_len > 1/\n{\n\tprint(str(args->sender));\n}\n' >"$T/x.bt"
"$tools/beamtap-bt" -n -b "$so" "$T/x.bt" >"$T/out" 2>"$T/err" &&
	[ "$(cat "$T/out")" = "usdt:$so:beamtap:message__queued,
usdt:$so:beamtap:message__receive
/(int64)(arg2) > 1/
{
	print(str((*(uint64 *)(reg(\"di\") + 48))));
}" ]
ok $? "fields become arguments, of several events in one clause too"
"$tools/beamtap-bt" -t -p $$ -n "$T/x.bt" >"$T/out" 2>"$T/err" &&
	grep -qx "/pid == $$ && (args->queue_len > 1)/" "$T/out"
ok $? "a pid becomes a predicate of tracepoints"
printf 'tracepoint:beamtap:function_return,\ntracepoint:beamtap:exception_throw\n{\n\tprint(str(args->mfa));\n}\n' >"$T/x.bt"
"$tools/beamtap-bt" -n -b "$so" "$T/x.bt" >"$T/out" 2>"$T/err"
[ $? = 1 ] && grep -q 'stands in different places' "$T/err"
ok $? "a field with two places is refused"

why=$no_tracefs
command -v bpftrace >/dev/null || why="bpftrace is not installed"
[ "$(id -u)" = 0 ] || why="only root may"
[ -n "$why" ] || unshare -m true 2>/dev/null || why="mount namespaces are not to be had"
[ -n "$why" ] || formats || why="a tracepoint of the kernel is missing"
for f in "$tools"/*.bt; do
	t=$(basename "$f" .bt)
	if [ -n "$why" ]; then
		skip "$t" "$why"
		continue
	fi
	"$tools/beamtap-bt" -n -b "$so" "$t" >"$T/prog" 2>"$T/err" && bpftrace -d "$T/prog" >"$T/out" 2>"$T/err"
	s=$?
	# A warning would stand before the user's eyes each time.
	grep -q WARNING "$T/err" && s=1
	ok $s "$t, for USDT probes"
	"$tools/beamtap-bt" -n -t "$t" >"$T/prog" 2>"$T/err" &&
		unshare -m sh -c "mount --bind $T/tracing /sys/kernel/tracing &&
			{ [ ! -d /sys/kernel/debug/tracing ] || mount --bind $T/tracing /sys/kernel/debug/tracing; } &&
			exec bpftrace -d $T/prog" >"$T/out" 2>"$T/err"
	s=$?
	grep -q WARNING "$T/err" && s=1
	ok $s "$t, for tracepoints"
	for doc in "$t.8" "${t}_example.txt"; do
		[ -s "$tools/$doc" ] 2>"$T/err"
		ok $? "$doc is there"
	done
done
echo "1..$nr"
