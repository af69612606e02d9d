#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hooks that nobody asks anything of, beside a stock emulator, each linked several times.
#	tests/bench/otp/links.sh BUILD_DIR [LINKS [ROUNDS [REPETITIONS]]]
# Where code comes to lie changes the speed of a VM by some percent: two links of the same objects in
# another order differ by that.  So that the difference is not one of a pair of links, LINKS (4) of each
# emulator are made, with the object files in random order, and each runs in ROUNDS (30) VMs, in turns.
# KIND=send: only works whose names begin so.  KEEP=FILE: what the VMs printed.
# Takes some 4 minutes where all is compiled; leave the machine alone meanwhile.
B=$(realpath "${1:-build}")
. "$(dirname "$0")/common"
links=${2:-4} rounds=${3:-30} reps=${4:-4}
tree=$(cat "$B/otp/tree" 2>/dev/null)
[ -f "$tree/OTP_VERSION" ] || { echo "the tree that the emulator was built in is not there: make otp otp-stock comes first"; exit 1; }
target=$("$tree/make/autoconf/config.guess")
T=$(mktemp -d) || exit 1
root=$(echo "$B"/otp/root/erts-*/bin)
trap 'rm -rf "$T" "$root"/beam.link_*.smp' EXIT
trap 'exit 1' INT TERM

emulator() { # TYPE ARGUMENT...
	ERL_TOP=$tree make -C "$tree/erts/emulator" --no-print-directory -f "$target/Makefile" FLAVOR=jit TYPE="$@"
}
# The command that links TYPE's emulator, as make would run it.
link_command() { # TYPE BINARY
	emulator "$1" -n -W "obj/$target/$1/jit/erl_main.o" 2>/dev/null |
		sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' | sed -n "s|^.*\(g++ -o $tree/bin/$target/$2 \)|\1|p"
}

vms=
for type in opt tap; do
	case $type in opt) binary=beam.jit vm=stock ;; tap) binary=beam.tap.jit vm=hooks ;; esac
	emulator $type -j"$(nproc)" >"$T/log" 2>&1 || { tail -5 "$T/log"; exit 1; }
	link_command $type $binary >"$T/$type"
	[ "$(wc -l <"$T/$type")" = 1 ] || { echo "how $type is linked is not to be seen in $tree: make otp otp-stock comes first"; exit 1; }
	for i in $(seq "$links"); do
		python3 - "$T/$type" "$T/beam" "$i" >"$T/link" <<-'END'
		import random, sys
		words = open(sys.argv[1]).read().split()
		words[words.index("-o") + 1] = sys.argv[2]
		at = [i for i, w in enumerate(words) if w.endswith(".o")]
		objects = [words[i] for i in at]
		random.seed(int(sys.argv[3]))
		random.shuffle(objects)
		for i, o in zip(at, objects):
		    words[i] = o
		print(" ".join(words))
		END
		(cd "$tree/erts/emulator" && sh "$T/link") >"$T/log" 2>&1 || { tail -5 "$T/log"; exit 1; }
		strip -g -o "$root/beam.link_$vm$i.smp" "$T/beam"
		vms="$vms link_$vm$i"
	done
done
echo "# $(nproc) processors, $(uptime | sed 's/.*load/load/'), $links links of each, $rounds VMs of each link, $reps repetitions in each"
for _ in $(seq "$rounds"); do
	for vm in $(shuf -e $vms); do
		vm "$vm" 1 -eval "bench_otp:one(\"$vm\", \"\", $reps)" >>"$T/out" 2>&1
	done
done
echo "# $(uptime | sed 's/.*load/load/') at the end"
[ -z "${KEEP:-}" ] || cp "$T/out" "$KEEP"
python3 "$(dirname "$0")/table.py" --links "$T/out"
