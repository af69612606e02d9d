#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an event costs: stock VM, VM with hooks (off, on), VM with the agent (off, on), in turns.
#	tests/bench/otp/run.sh BUILD_DIR [ROUNDS [REPETITIONS]]
# KIND=send: only works whose names begin so.  VMS="stock off": only these kinds of VM, of
#	stock again   the stock emulator, built in the same tree by the same compiler, twice: A/A
#	off           the one with hooks, and nobody reads
#	hooks         the one with hooks, under a recorder
#	agent         the stock one with the agent, under a recorder
#	debian        Debian's own emulator, which is built with other options
# KEEP=FILE: what the VMs printed.  Leave the machine alone meanwhile.
B=$(realpath "${1:-build}")
rounds=${2:-5} reps=${3:-5}
vms=${VMS:-stock again off hooks agent}
agent=$(echo "$B"/agent/beamtap-*/ebin)
[ -x "$B/otp/bin/erl" ] || { echo "make otp comes first"; exit 1; }
export BENCH_TMP
BENCH_TMP=$(mktemp -d /dev/shm/bench.XXXXXX) || exit 1
trap 'rm -rf "$BENCH_TMP"' EXIT
out=$BENCH_TMP/out
[ -e "$B/otp/beam.stock.smp" ] || { echo "make otp-stock comes first"; exit 1; }
erl=$B/otp/bin/erl
record="$B/beamtap record"
run() { # NAME EMULATOR RECORDER
	local name=$1 recorder=$3
	BEAMTAP_EMU_TYPE=$2 "$erl" +S 1 +SDcpu 1 +SDio 1 +sbwt none -noinput -pa "$B/bench/agent" -pa "$agent" "${extra[@]}" \
		-eval "bench_otp:one(\"$name\", \"$recorder\", $reps)" >>"$out" 2>&1
}
echo "# $(nproc) processors, $(uptime | sed 's/.*load/load/'), $rounds VMs of each kind, $reps repetitions in each"
for _ in $(seq "$rounds"); do
	for vm in $(shuf -e $vms); do
		extra=()
		case $vm in
		stock | again) run $vm stock "" ;;
		debian) run debian opt "" ;;
		off) run off tap "" ;;
		hooks) extra=(-eval 'ok = beamtap:start()'); run hooks tap "$record" ;;
		agent) extra=(-eval 'ok = beamtap:start()'); run agent stock "$record" ;;
		esac
	done
done
grep -h '^#' "$out" | sort | uniq -c
echo "# $(uptime | sed 's/.*load/load/') at the end"
[ -z "${KEEP:-}" ] || cp "$out" "$KEEP"
python3 "$(dirname "$0")/table.py" "$out"
