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
#	systemtap     built with OTP's own probes for SystemTap, which bpftrace counts (make otp-systemtap)
#	lttng         built with OTP's own tracepoints for LTTng, recorded by it (make otp-lttng)
#	hooks-2       as hooks, with 2 schedulers that do the work at once, or another number
# KEEP=FILE: what the VMs printed.  Leave the machine alone meanwhile.
B=$(realpath "${1:-build}")
. "$(dirname "$0")/common"
rounds=${2:-5} reps=${3:-5}
vms=${VMS:-stock again off hooks agent}
agent=$(echo "$B"/agent/beamtap-*/ebin)
[ -x "$B/otp/bin/erl" ] || { echo "make otp comes first"; exit 1; }
export BENCH_TMP
BENCH_TMP=$(mktemp -d /dev/shm/bench.XXXXXX) || exit 1
trap '[ -z "$daemon" ] || kill "$daemon"; wait; rm -rf "$BENCH_TMP"' EXIT
out=$BENCH_TMP/out daemon=
case " $vms " in *" lttng "*)
	mkdir "$BENCH_TMP/home"
	export LTTNG_HOME=$BENCH_TMP/home
	lttng-sessiond --no-kernel >"$BENCH_TMP/sessiond" 2>&1 & daemon=$!
	sleep 2
	kill -0 $daemon || { cat "$BENCH_TMP/sessiond"; exit 1; } ;;
esac
[ -e "$B/otp/beam.stock.smp" ] || { echo "make otp-stock comes first"; exit 1; }
record="$B/beamtap record"
run() { # NAME EMULATOR RECORDER [SCHEDULERS]
	local name=$1 recorder=$3 schedulers=${4:-1}
	vm "$2" "$schedulers" -pa "$agent" "${extra[@]}" -eval "bench_otp:one(\"$name\", \"$recorder\", $reps)" >>"$out" 2>&1
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
		hooks-*) extra=(-eval 'ok = beamtap:start()'); run $vm tap "$record" "${vm#hooks-}" ;;
		systemtap) run systemtap systemtap bpftrace ;;
		lttng) extra=(-pa "$B/otp/lttng/runtime_tools/ebin"); run lttng lttng lttng ;;
		agent) extra=(-eval 'ok = beamtap:start()'); run agent stock "$record" ;;
		esac
	done
done
grep -h '^#' "$out" | sort | uniq -c
echo "# $(uptime | sed 's/.*load/load/') at the end"
[ -z "${KEEP:-}" ] || cp "$out" "$KEEP"
python3 "$(dirname "$0")/table.py" "$out"
