#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reading a recording of ten million events: babeltrace2, `beamtap dump`, plain iteration; and
# what the recorder costs at a million events a second.  All in one run; medians of ROUNDS rounds
# of processor time (user and system) are printed as a table with the figures aimed at.
#	tests/bench/recording.sh BUILD_DIR [EVENTS [ROUNDS]]
B=$(realpath "${1:-build}")
N=${2:-10000000}
ROUNDS=${3:-5}
T=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX") || exit 1
trap 'kill $vm 2>/dev/null; rm -rf "$T"' EXIT
export TIMEFORMAT='%U %S'

# CPU seconds of a command, its output thrown away.
cpu() { local t; t=$( { time "$@" > /dev/null 2>&1; } 2>&1 | tail -1 ); echo "$t" | awk '{ print $1 + $2 }'; }
rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.2f", n / s / 1e6 }'; }
iterate() { "$B"/tests/recording_bench "$1" 3 | sed 's/.*events_per_s=\([0-9]*\).*/\1/' | awk '{ printf "%.1f", $1 / 1e6 }'; }
median() { printf '%s\n' "$@" | sort -g | sed -n "$(( ($# + 1) / 2 ))p"; }

"$B"/tests/mkrec events "$N" 1 "$T"/one > /dev/null
"$B"/tests/mkrec events "$N" 4 "$T"/four > /dev/null
SMALL=$((N / 20))
"$B"/tests/mkrec events "$SMALL" 4 "$T"/small > /dev/null
cat "$T"/*/ring_* > /dev/null

echo "# $N events, $ROUNDS rounds, $(nproc) processors, $(uptime | sed 's/.*load/load/')"
for ((r = 0; r < ROUNDS; r++)); do
	one[r]=$(iterate "$T"/one)
	four[r]=$(iterate "$T"/four)
	cat[r]=$(rate "$N" "$(cpu cat "$T"/one/ring_0)")
	dump[r]=$(rate "$N" "$(cpu "$B"/beamtap dump "$T"/four)")
	bt[r]=$(rate "$SMALL" "$(cpu babeltrace2 "$T"/small)")
done

# The recorder: 32-byte records, a million a second, on one ring of 2 MiB.  Beside it, right after
# it, the least there is: a process that does no more than write the same number of bytes, as often.
# Each file is removed at once, so that both find pages of memory that were in use a moment ago.
"$B"/tests/tapvm -n bench$$ -r 1000000 -b 200 > "$T"/vm.out & vm=$!
sleep 0.5
lost=0
for ((r = 0; r < ROUNDS; r++)); do
	t=$( { time "$B"/beamtap record -p $vm -o "$T"/rec -e process-runnable -d 5s 2> "$T"/err; } 2>&1 | tail -1 )
	read -r events l < <(sed -n 's/^beamtap record: \([0-9]*\) events, .* \([0-9]*\) lost in .*/\1 \2/p' "$T"/err)
	lost=$((lost + l))
	rec[r]=$(echo "$t" | awk -v n="$events" '{ printf "%.1f", ($1 + $2) * 1e9 / n }')
	sys[r]=$(echo "$t" | awk -v n="$events" '{ printf "%.1f", $2 * 1e9 / n }')
	bytes=$(cat "$T"/rec/ring_* | wc -c)
	rm -rf "$T"/rec
	floor[r]=$("$B"/tests/recording_bench -w "$T"/floor "$bytes" 5 | awk -v n="$events" '{ sub(".*=", ""); printf "%.1f", $0 * 1e9 / n }')
	rm -f "$T"/floor
done

# row WHAT FIGURE BESIDE RATIO TARGET HOLDS(awk expression)
row() { printf '%-38s %12s  %-34s %8s  %-12s %s\n' "$1" "$2" "$3" "$4" "$5" "$6"; }
yes() { awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else print "-" }'; }
o=$(median "${one[@]}") f=$(median "${four[@]}") d=$(median "${dump[@]}") b=$(median "${bt[@]}")
c=$(median "${cat[@]}") n=$(median "${rec[@]}") s=$(median "${sys[@]}") w=$(median "${floor[@]}")
row what figure "beside what" ratio target reached
row "iterate, one ring" "$o M/s" "cat of its files: $c M/s" "$(ratio "$o" "$c")" ">= 150 M/s" "$(yes "$o >= 150")"
row "iterate, four rings merged" "$f M/s" "one ring: $o M/s" "$(ratio "$f" "$o")" ">= 50 M/s" "$(yes "$f >= 50")"
row "dump, four rings" "$d M/s" "babeltrace2: $b M/s" "$(ratio "$d" "$b")" ">= 8 times" "$(yes "$d >= 8 * $b")"
row "record, CPU an event (system $s)" "$n ns" "write() of the bytes: $w ns" "$(ratio "$n" "$w")" "<= 25 ns" "$(yes "$n <= 25")"
row "record, events lost" "$lost" "" "-" "0" "$(yes "$lost == 0")"
