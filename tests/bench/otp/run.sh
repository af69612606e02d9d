#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an event costs: stock VM, VM with hooks (off, on), VM with the agent (off, on), in turns.
#	tests/bench/otp/run.sh BUILD_DIR [ROUNDS [REPETITIONS]]
# KIND=send: only works whose names begin so.  VMS="stock hooks": only these kinds of VM.
# OPT=PROGRAM: a stock emulator built like the one with hooks (beam.smp of the same tree), to
# compare with instead of Debian's, which was built with other options.
B=$(realpath "${1:-build}")
rounds=${2:-5} reps=${3:-5}
vms=${VMS:-stock again hooks agent}
agent=$(echo "$B"/agent/beamtap-*/ebin)
[ -x "$B/otp/bin/erl" ] || { echo "make otp comes first"; exit 1; }
export BENCH_TMP
BENCH_TMP=$(mktemp -d /dev/shm/bench.XXXXXX) || exit 1
trap 'rm -rf "$BENCH_TMP"' EXIT
out=$BENCH_TMP/out
if [ -n "${OPT:-}" ]; then
	where=$(echo "$B"/otp/root/erts-*/bin)
	ln -sf "$(realpath "$OPT")" "$where/beam.opt_built.smp"
	stock=(env BEAMTAP_EMU_TYPE=opt_built "$B/otp/bin/erl")
else
	stock=(env BEAMTAP_EMU_TYPE=opt "$B/otp/bin/erl")
fi
record="$B/beamtap record"
run() { # NAME RECORDER COMMAND...
	local name=$1 recorder=$2
	shift 2
	"$@" +S 1 +SDcpu 1 +SDio 1 +sbwt none -noinput -pa "$B/bench/agent" -pa "$agent" "${extra[@]}" \
		-eval "bench_otp:one(\"$name\", \"$recorder\", $reps)" >>"$out" 2>&1
}
echo "# $(nproc) processors, $(uptime | sed 's/.*load/load/'), $rounds VMs of each kind, $reps repetitions in each"
for _ in $(seq "$rounds"); do
	for vm in $(shuf -e $vms); do
		extra=()
		case $vm in
		stock | again) run $vm "" "${stock[@]}" ;;
		hooks) extra=(-eval 'ok = beamtap:start()'); run hooks "$record" "$B/otp/bin/erl" ;;
		agent) extra=(-eval 'ok = beamtap:start()'); run agent "$record" "${stock[@]}" ;;
		esac
	done
done
grep -h '^#' "$out" | sort | uniq -c
echo "# $(uptime | sed 's/.*load/load/') at the end"
[ -z "${KEEP:-}" ] || cp "$out" "$KEEP"
python3 "$(dirname "$0")/table.py" "$out"
