#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD AGENT [events|idle] - the agent's costs; see bench_agent.erl
set -eu
build=$1 agent=$2 what=${3:-all}
erl=${ERL:-erl}
export BEAMTAP_READER="$build/agent/test/reader"
run() { "$erl" +S 1 +SDcpu 1 +sbwt none -noinput -pa "$build/bench/agent" -pa "$build/agent/test" -pa "$agent/ebin" "$@"; }
case $what in all | events) run -eval 'bench_agent:events()' ;; esac
case $what in all | idle)
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	# In turns, so that what the machine does meanwhile meets all three alike.
	for i in 1 2 3 4 5; do
		run -eval 'bench_agent:idle_one()' >>"$tmp/without"
		run -eval 'ok = beamtap:start(), bench_agent:idle_one()' >>"$tmp/with"
		run -eval 'bench_agent:idle_one()' >>"$tmp/again"
	done
	echo
	echo "  nothing enabled, ns an operation, medians of 5 VMs each"
	printf '  %-8s %10s %10s %10s %10s %10s\n' work without with again with/w.out A/A
	for w in self ping yield spawn gc call; do
		for f in without with again; do
			grep "^$w " "$tmp/$f" | sort -k2 -n | sed -n 3p | cut -d' ' -f2
		done | tr '\n' ' ' | awk -v w=$w '{ printf "  %-8s %10.1f %10.1f %10.1f %10.3f %10.3f\n", w, $1, $2, $3, $2/$1, $3/$1 }'
	done
	;;
esac
