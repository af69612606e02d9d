#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reading a recording of ten million events: babeltrace2, `beamtap dump`, plain iteration; and
# what the recorder costs at a million events a second.  All in one run; ratios are what counts.
#	tests/bench/recording.sh BUILD_DIR [EVENTS]
B=$(realpath "${1:-build}")
N=${2:-10000000}
T=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'kill $vm 2>/dev/null; rm -rf "$T"' EXIT
export TIMEFORMAT='%U %S'

# CPU seconds of a command, its output thrown away.
cpu() { local t; t=$( { time "$@" > /dev/null 2>&1; } 2>&1 | tail -1 ); echo "$t" | awk '{ print $1 + $2 }'; }
rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.2f", n / s / 1e6 }'; }

"$B"/tests/mkrec events "$N" 1 "$T"/one > /dev/null
"$B"/tests/mkrec events "$N" 4 "$T"/four > /dev/null
SMALL=$((N / 20))
"$B"/tests/mkrec events "$SMALL" 4 "$T"/small > /dev/null
cat "$T"/*/ring_* > /dev/null

echo "# $N events, millions a second of processor time; babeltrace2 on $SMALL of the same"
for round in 1 2 3; do
	one=$("$B"/tests/recording_bench "$T"/one 3 | sed 's/.*events_per_s=\([0-9]*\).*/\1/')
	four=$("$B"/tests/recording_bench "$T"/four 3 | sed 's/.*events_per_s=\([0-9]*\).*/\1/')
	dump=$(rate "$N" "$(cpu "$B"/beamtap dump "$T"/four)")
	bt=$(rate "$SMALL" "$(cpu babeltrace2 "$T"/small)")
	awk -v r=$round -v one="$one" -v four="$four" -v d="$dump" -v b="$bt" 'BEGIN {
		printf "round %d: iterate one ring %.1f  four rings %.1f  dump %.2f  babeltrace2 %.2f  dump/babeltrace2 %.1f\n",
			r, one / 1e6, four / 1e6, d, b, d / b }'
done

# The recorder: 32-byte records, a million a second, on one ring.
"$B"/tests/tapvm -n bench$$ -r 1000000 -b 200 > "$T"/vm.out & vm=$!
sleep 0.5
for round in 1 2 3; do
	rm -rf "$T"/rec
	t=$( { time "$B"/beamtap record -p $vm -o "$T"/rec -e process-runnable -d 5s 2> "$T"/err; } 2>&1 | tail -1 )
	sed -n 's/^beamtap record: \([0-9]*\) events, .* \([0-9]*\) lost in .*/\1 \2/p' "$T"/err | awk -v r=$round -v t="$t" '{
		split(t, c, " "); printf "round %d: recorder %.1f ns of CPU an event (user %.1f, system %.1f), %d events, %d lost\n",
			r, (c[1] + c[2]) * 1e9 / $1, c[1] * 1e9 / $1, c[2] * 1e9 / $1, $1, $2 }'
done
