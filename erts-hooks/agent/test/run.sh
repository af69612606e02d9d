#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD AGENT [CASE...] - run the agent's suite; a log of it lies in BUILD/agent/test/logs
set -eu
build=$1 agent=$2
shift 2
test=$(cd "$build/agent/test" && pwd)
ebin=$(cd "$agent/ebin" && pwd)
rm -rf "$test/logs"
mkdir -p "$test/logs"
case=""
[ $# -eq 0 ] || case="{testcase, [$(echo "$*" | tr ' ' ',')]},"
BEAMTAP_EBIN=$ebin BEAMTAP_READER=$test/reader exec "${ERL:-erl}" -noinput -pa "$test" -pa "$ebin" -eval "
	R = ct:run_test([{dir, \"$test\"}, {suite, beamtap_SUITE}, $case {logdir, \"$test/logs\"},
			 {auto_compile, false}, {verbosity, 0}, {ct_hooks, []}]),
	case R of
		{Ok, Failed, {Skipped, Auto}} ->
			io:format(\"agent: ~p passed, ~p failed, ~p skipped~n\", [Ok, Failed, Skipped + Auto]),
			halt(case Failed + Auto of 0 -> 0; _ -> 1 end);
		Other ->
			io:format(\"agent: ~p~n\", [Other]),
			halt(1)
	end."
