#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# D over a recording of ten million events on one ring, in the page cache: millions of events a second
# of processor time, the best of three, and the ratio to a plain C loop over the same records in memory,
# to plain iteration of the recording, and to babeltrace2's text (on a twentieth of it), all in one run.
#	tests/bench/d_bench.sh BUILD_DIR [EVENTS]
# "send" scripts fire on the sixth of the events that are sends; "all" ones on every event.
B=$(realpath "${1:-build}")
N=${2:-10000000}
T=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
export TIMEFORMAT='%U %S'

# CPU seconds of a command, its output thrown away: the best of three.
cpu() {
	for _ in 1 2 3; do
		{ time "$@" > /dev/null 2>&1; } 2>&1 | tail -1
	done | awk '{ s = $1 + $2; if (!best || s < best) best = s } END { print best }'
}
"$B"/tests/mkrec events "$N" 1 "$T"/one > /dev/null
SMALL=$((N / 20))
"$B"/tests/mkrec events "$SMALL" 1 "$T"/small > /dev/null
cat "$T"/*/ring_* > /dev/null
plain=$("$B"/tests/recording_bench "$T"/one 3 | sed 's/.*events_per_s=\([0-9]*\).*/\1/')
loop=$("$B"/tests/recording_bench -c "$T"/one 5 | sed 's/.*events_per_s=\([0-9]*\).*/\1/')
bt=$(cpu babeltrace2 "$T"/small | awk -v n="$SMALL" '{ print n / $1 }')
awk -v l="$loop" -v p="$plain" -v b="$bt" -v n="$N" 'BEGIN {
	printf "%d events; C loop %.0f M/s, plain iteration %.1f M/s, babeltrace2 text %.2f M/s\n", n, l / 1e6, p / 1e6, b / 1e6
	printf "%-34s %8s %9s %9s %9s\n", "script", "M/s", "loop/it", "plain/it", "it/bt2" }'
all='erlang*:::message-send,erlang*:::message-receive,erlang*:::process-scheduled,erlang*:::process-unscheduled'
while IFS='|' read -r name script; do
	s=$(cpu "$B"/beamtap dtrace -q -f "$T"/one -n "${script/ALL/$all}")
	awk -v name="$name" -v s="$s" -v n="$N" -v l="$loop" -v p="$plain" -v b="$bt" 'BEGIN {
		r = n / s; printf "%-34s %8.1f %9.1f %9.1f %9.1f\n", name, r / 1e6, l / r, p / r, r / b }'
done <<'END'
nothing enabled|BEGIN{}
send: count by arg0|erlang*:::message-send { @[arg0] = count(); }
send: count by copyinstr(arg0)|erlang*:::message-send { @[copyinstr(arg0)] = count(); }
send: predicate discards|erlang*:::message-send /arg2 == 123456/ { @ = count(); }
send: printf line|erlang*:::message-send { printf("%s -> %s: %d words\n", copyinstr(arg0), copyinstr(arg1), arg2); }
all: count by arg0|ALL { @[arg0] = count(); }
all: count by copyinstr(arg0)|ALL { @[copyinstr(arg0)] = count(); }
all: predicate discards|ALL /arg1 == 123456/ { @ = count(); }
all: quantize of a kept difference|erlang*:::process-scheduled { ts[arg0] = timestamp; } erlang*:::process-unscheduled /ts[arg0]/ { @ = quantize(timestamp - ts[arg0]); ts[arg0] = 0; }
all: printf line|ALL { printf("%s %d\n", copyinstr(arg0), timestamp); }
END
