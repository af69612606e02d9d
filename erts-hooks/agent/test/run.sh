#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD AGENT [CASE...] - run the agent's suites; a log of it lies in BUILD/agent/test/logs
set -eu
build=$1 agent=$2
shift 2
test=$(cd "$build/agent/test" && pwd)
ebin=$(cd "$agent/ebin" && pwd)
rm -rf "$test/logs"
mkdir -p "$test/logs"
cases=$(echo "$*" | tr ' ' ',')
BEAMTAP_EBIN=$ebin BEAMTAP_READER=$test/reader exec "${ERL:-erl}" -noinput -pa "$test" -pa "$ebin" -eval "
	Wanted = [$cases],
	Run = fun(Suite, {Ok, Failed, Skipped}) ->
		Cases = [C || C <- Suite:all(), Wanted =:= [] orelse lists:member(C, Wanted)],
		case Cases =:= [] orelse
		     ct:run_test([{dir, \"$test\"}, {suite, Suite}, {testcase, Cases},
				  {logdir, \"$test/logs\"}, {auto_compile, false}, {verbosity, 0}, {ct_hooks, []}]) of
			true -> {Ok, Failed, Skipped};
			{O, F, {User, Auto}} -> {Ok + O, Failed + F + Auto, Skipped + User};
			Other -> io:format(\"agent: ~p~n\", [Other]), halt(1)
		end
	end,
	{Ok, Failed, Skipped} = lists:foldl(Run, {0, 0, 0}, [beamtap_event_SUITE, beamtap_life_SUITE]),
	io:format(\"agent: ~p passed, ~p failed, ~p skipped~n\", [Ok, Failed, Skipped]),
	halt(case Ok > 0 andalso Failed =:= 0 of true -> 0; false -> 1 end)."
