#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A real node under load and `beamtap record`: pairs of processes in one VM with the agent send
# messages, rings have 2 MiB, the recorder looks at most each millisecond.
#	tests/bench/node_rate.sh BUILD_DIR [MESSAGES_PER_SECOND [PAIRS [SECONDS]]]
# Prints what was sent without a recorder and with one (a stock VM pays for each event: its rate
# sinks), events recorded a second, events lost, and the recorder's CPU time an event.
# Exit status 1 when an event was lost.
B=$(realpath "${1:-build}")
RATE=${2:-1000000}
PAIRS=${3:-8}
SECS=${4:-5}
ERL=${ERL:-erl}
HERE=$(dirname "$(realpath "$0")")
AGENT=$(echo "$B"/agent/beamtap-*/ebin)
T=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
vm=
# Ends the node, which ends when its input does.
trap 'exec 3>&-; wait $vm 2>/dev/null; rm -rf "$T"' EXIT
export TIMEFORMAT='%U %S'

mkdir "$T"/ebin && "${ERLC:-erlc}" -o "$T"/ebin "$HERE"/node_rate_load.erl || exit 1
mkfifo "$T"/in
"$ERL" -noshell -pa "$AGENT" -pa "$T"/ebin -eval '
	ok = beamtap:start([{ring_bytes, 2097152}, {name, "node_rate"}]),
	io:format("pid ~s~n", [os:getpid()]),
	Loop = fun Loop() ->
		case io:get_line("") of
			"run" ++ _ ->
				N = node_rate_load:pairs('"$PAIRS, $RATE, $SECS"'),
				io:format("sent ~b~n", [N]), Loop();
			_ -> halt()
		end
	end, Loop()' < "$T"/in > "$T"/out 2>&1 & vm=$!
exec 3> "$T"/in
await() { for _ in $(seq 600); do [ "$(grep -c "$1" "$T"/out)" -ge "$2" ] && return; sleep 0.1; done; cat "$T"/out; exit 1; }
await '^pid' 1
pid=$(sed -n 's/^pid //p' "$T"/out)

echo run >&3; await '^sent' 1
alone=$(sed -n 's/^sent //p' "$T"/out | tail -1)
echo "# $PAIRS pairs asked for $RATE messages a second together, $SECS s, $(nproc) processors, $(uptime | sed 's/.*load/load/')"
awk -v n="$alone" -v s="$SECS" 'BEGIN { printf "no recorder: %.0f messages a second\n", n / s }'
worst=0
for round in 1 2 3; do
	rm -rf "$T"/rec
	( time "$B"/beamtap record -p "$pid" -o "$T"/rec -e message-send -e message-receive \
		--no-state -d $((SECS + 2))s 2> "$T"/err ) 2> "$T"/time & rec=$!
	sleep 0.7
	before=$(grep -c '^sent' "$T"/out)
	echo run >&3; await '^sent' $((before + 1))
	wait $rec
	sent=$(sed -n 's/^sent //p' "$T"/out | tail -1)
	read -r events lost < <(sed -n 's/^beamtap record: \([0-9]*\) events, .* \([0-9]*\) lost in .*/\1 \2/p' "$T"/err)
	[ -n "$events" ] || { cat "$T"/err; exit 1; }
	[ "$lost" -gt "$worst" ] && worst=$lost
	awk -v r=$round -v t="$(tail -1 "$T"/time)" -v e="$events" -v l="$lost" -v n="$sent" -v s="$SECS" 'BEGIN {
		split(t, c, " ")
		printf "round %d: %.0f messages a second, %d events (%.0f a second), %d lost, recorder %.1f ns of CPU an event (user %.1f, system %.1f)\n",
			r, n / s, e, e / s, l, (c[1] + c[2]) * 1e9 / e, c[1] * 1e9 / e, c[2] * 1e9 / e }'
done
[ "$worst" -eq 0 ]
