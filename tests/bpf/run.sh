#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh - each tool on a real node, and what it finds there: tests/bpf/run.sh BUILD_DIR [TOOL...]
#
# On the kernel module's tracepoints where it is loaded, else on USDT probes.  What only an
# emulator with hooks can tell is run on that of BUILD_DIR/otp, or skipped.  For a slow
# machine: SLOW multiplies the time that each tool is given, NODE_NICE lets bpftrace go first when it starts.
. "$(dirname "$0")/tracefs.sh"
B=$(cd "${1:-build}" && pwd) || exit 1
top=$(cd "$(dirname "$0")/../.." && pwd)
T=$(mktemp -d) || exit 1
export BEAMTAP=$B/beamtap
shift
tools=" $* "
nr=0 node='' tool=''

ok() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		cat "$T/err" "$T/out" 2>/dev/null | grep -v RLIMIT | grep -v '^$' | sed 's/^/# /' | head -12
	fi
}
skip() { nr=$((nr + 1)); echo "ok $nr # SKIP $1: $2"; }
# End a process that we started; bpftrace may miss a signal.
end() {
	for _ in $(seq 40); do
		kill -"$2" "$1" 2>/dev/null || break
		sleep 0.5
	done
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
stop_node() { [ -z "$node" ] || { end "$node" TERM; node=; }; }
trap '[ -z "$tool" ] || end "$tool" INT; stop_node; rm -rf "$T"' EXIT
trap 'exit 1' INT TERM

skip_all() { skip "tools on a real node" "$1"; echo "1..$nr"; exit 0; }
command -v bpftrace >/dev/null || skip_all "bpftrace is not installed"
[ "$(id -u)" = 0 ] || skip_all "only root may"
[ -z "$no_tracefs" ] || skip_all "$no_tracefs"
bpftrace -e 'BEGIN { exit(); }' >"$T/out" 2>&1 || skip_all "the kernel lets no BPF program in"

# A node that is up lets others go first.
go_last() {
	[ -n "${NODE_NICE:-}" ] || return
	for t in /proc/"$node"/task/*; do renice -n "$NODE_NICE" -p "${t##*/}" >/dev/null 2>&1; done
}
wait_for_node() {
	for _ in $(seq 300); do
		"$BEAMTAP" list -p "$node" >/dev/null 2>&1 && { go_last; return 0; }
		kill -0 "$node" 2>/dev/null || break
		sleep "${SLOW:-0.2}"
	done
	echo "Bail out! the node did not come up"
	exit 1
}
# The workload, and somebody who writes to a disk and keeps a scheduler busy.
disk="spawn(fun F() -> {ok, D} = file:open(\"$T/disk\", [raw, write]), [begin ok = file:write(D, binary:copy(<<1>>, 65536)), ok = file:datasync(D) end || _ <- lists:seq(1, 5)], file:close(D), timer:sleep(100), F() end),
spawn(fun G() -> lists:sort([rand:uniform() || _ <- lists:seq(1, 100000)]), timer:sleep(100), G() end)."
start_node() { # ERL ARGUMENTS
	"$@" -noinput -pa "$B"/agent/beamtap-*/ebin "$B"/workload -eval "$disk" -s workload main 7200 >"$T/erl.log" 2>&1 &
	node=$!
}
# Is this one of the tools asked for?
is_asked() { [ "$tools" = "  " ] || [ "${tools#* $1 }" != "$tools" ]; }
# Attach, let it run, end it.  SECONDS ARGUMENTS of beamtap-bt, the last but one or last the tool
run() {
	local s=$1 name=
	shift
	for a; do case $a in erl*) name=$a ;; esac; done
	is_asked "$name" || return
	"$top/bpf/tools/beamtap-bt" "$@" >"$T/out" 2>"$T/err" &
	tool=$!
	# It says that it attaches, then attaches, and only then prints what BEGIN said.
	for _ in $(seq 900); do
		sed '0,/Attaching/d' "$T/out" | grep -q . && break
		kill -0 $tool 2>/dev/null || break
		sleep 0.2
	done
	sleep $((s * ${SLOW:-1}))
	end $tool INT
	tool=
}
finds() { # NAME PATTERN...
	local name=$1 s=0
	is_asked "${name%%[, ]*}" || return
	shift
	for p; do
		grep -qE -- "$p" "$T/out" || { s=1; echo "# nothing like $p"; }
	done
	ok $s "$name"
}
pid='<0\.[0-9]+\.[0-9]+>'
hist='\[[0-9]+[KM]?(, [0-9]+[KM]?\))?\]? +[0-9]+ \|'
usdt=yes
[ -d /sys/kernel/tracing/events/beamtap ] && usdt=

# A node that is started when the tool runs already, found by its library's path alone.
if [ -n "$usdt" ] && is_asked erllife; then
	"$top/bpf/tools/beamtap-bt" -b "$B"/agent/beamtap-*/priv/beamtap_nif.so erllife >"$T/out" 2>"$T/err" &
	tool=$!
	for _ in $(seq 300); do grep -q Attaching "$T/out" && break; sleep 0.2; done
fi
start_node "${ERL:-erl}" -s beamtap
wait_for_node
if [ -n "$usdt" ] && is_asked erllife; then
	sleep 3
	end $tool INT
	tool=
	finds "erllife, before the node was there" "[0-9:]{8} $node +spawn +$pid .*workload_"
fi
run 3 -p "$node" erllife
finds "erllife" "^[0-9:]{8} $node +spawn +$pid +workload_[a-z]+:[a-z]+/[0-9] \\($pid\\)" \
	"^[0-9:]{8} $node +exit +$pid +[0-9]+  (normal|killed|shutdown)"
run 3 -p "$node" erlmsgflow
finds "erlmsgflow" "^@messages\[$pid, ($pid|[a-z_]+)\]: [0-9]+"
run 4 -p "$node" erllongsched 1
finds "erllongsched" "^[0-9:]{8} $node +$pid +[0-9]+  .+:.+/[0-9]+ -> "
run 3 -p "$node" erlgc
finds "erlgc" '^@minor_us: ' "$hist" "^@total_us\[$pid\]: [0-9]+" "^@reclaimed_words\[$pid\]: [0-9]+"
run 3 -p "$node" -f 'workload_server:_/_:return' erlfunc
finds "erlfunc" '^@us\[workload_server:handle_call/3\]: ' "$hist" '^@calls\[workload_server:handle_call/3\]: [0-9]+'
run 4 -p "$node" -f 'workload_crash:_/_:return' erlexcept
finds "erlexcept" '^@exceptions\[(error|exit|throw), workload_crash:[a-z]+/[0-9], .+\]: [0-9]+' "^@by_process\[$pid\]"
run 3 -p "$node" erltcp
finds "erltcp" "^@segments\[$pid, 127.0.0.1, [0-9]+\]: [0-9]+" "^@bytes\[$pid, 127.0.0.1, [0-9]+\]: [0-9]+"
run 4 -p "$node" erlfaults
finds "erlfaults" "^@faults\[$pid\]: [0-9]+"
run 3 -p "$node" erloffcpu
finds "erloffcpu" '^@preempted_us: ' "$hist" "^@total_preempted_us\[$pid\]: [0-9]+"
case $(findmnt -no SOURCE -T "$T") in
/dev/*)
	run 3 -p "$node" erlbio
	finds "erlbio" "^@writes\[$pid\]: [0-9]+" "^@written_bytes\[$pid\]: [0-9]+"
	;;
*) ! is_asked erlbio || skip "erlbio" "no block device is under $T" ;;
esac
run 3 -p "$node" erlmsgsize
finds "erlmsgsize, with the agent" '^@of_unknown_size: [0-9]+'
if is_asked erlrunq; then
	run 1 -p "$node" erlrunq
	grep -q 'cannot tell: process_runnable' "$T/err"
	ok $? "erlrunq says that the agent cannot tell"
fi

# Nobody listens any more: nothing is on.  The control page is the file's second one.
if [ -n "$usdt" ]; then
	sleep 1
	od -An -v -tu1 -j4096 -N256 "/dev/shm/beamtap.$node" >"$T/out"
	[ "$(tr -d ' 0\n' <"$T/out")" = "" ]
	ok $? "nothing is on when the tools have ended"
fi
stop_node

if [ ! -x "$B/otp/bin/erl" ]; then
	for t in erlmboxwait erlrunq erlmsgsize erlmsgflow erlbusy; do
		skip "$t with hooks" "there is no emulator with hooks in $B/otp: make otp"
	done
else
	start_node "$B/otp/bin/erl"
	wait_for_node
	run 3 -p "$node" erlmboxwait
	finds "erlmboxwait, with hooks" '^@wait_us: ' "$hist" "^@longest_us\[$pid\]: [0-9]+"
	run 3 -p "$node" erlrunq
	finds "erlrunq, with hooks" '^@wait_us: ' "$hist" "^@longest_us\[$pid\]: [0-9]+"
	run 3 -p "$node" erlmsgsize
	finds "erlmsgsize, with hooks" '^@words: ' "$hist" "^@largest\[$pid, $pid\]: [0-9]+"
	run 3 -p "$node" erlmsgflow
	finds "erlmsgflow, with hooks" "^@messages\[$pid, $pid\]: [0-9]+" "^@words\[$pid, $pid\]: [0-9]+"
	stop_node
	# Somebody who does not read: his peer's port becomes busy, and is not when he reads again.
	"$B/otp/bin/erl" -noinput -eval '
		{ok, L} = gen_tcp:listen(0, [{active, false}, binary, {ip, {127,0,0,1}}]), {ok, P} = inet:port(L),
		spawn(fun() -> {ok, S} = gen_tcp:accept(L), (fun F() -> timer:sleep(200), gen_tcp:recv(S, 300000), F() end)() end),
		{ok, C} = gen_tcp:connect({127,0,0,1}, P, [binary, {sndbuf, 4096}]),
		(fun F() -> ok = gen_tcp:send(C, binary:copy(<<1>>, 100000)), F() end)().' >"$T/erl.log" 2>&1 &
	node=$!
	wait_for_node
	run 4 -p "$node" erlbusy
	finds "erlbusy, with hooks" '^@port_us: ' "$hist" '^@port_total_us\[#Port<0\.[0-9]+>\]: [0-9]+'
	stop_node
fi
echo "1..$nr"
