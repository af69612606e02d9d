#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh BUILD - a real Erlang node at work, some seconds of it recorded, and what was seen
#
# Starts Debian's own erl with the agent and a workload, or the VM with hooks where `make otp` has
# built it, records it, shows some events and the report.  DEMO_SECONDS: how long to record (8).
set -eu
B=$(cd "$1" && pwd)
seconds=${DEMO_SECONDS:-8}
erl=erl
[ ! -x "$B/otp/bin/erl" ] || erl=$B/otp/bin/erl
out=$B/demo
node=
stop() { [ -z "$node" ] || kill "$node" 2>/dev/null || :; }
trap stop EXIT INT TERM

rm -rf "$out"
say() { printf '\n$ %s\n' "$*"; }

say "$erl -pa AGENT -s beamtap -s workload main &"
"$erl" -noinput -pa "$B"/agent/beamtap-*/ebin "$B"/workload -s beamtap -s workload main $((seconds + 30)) &
node=$!
i=0
until "$B/beamtap" list -p $node >/dev/null 2>&1; do
	i=$((i + 1))
	if [ $i = 100 ]; then
		echo "demo: the node did not come up in 10 s" >&2
		exit 1
	fi
	sleep 0.1
done
sleep 1
say "beamtap list"
"$B/beamtap" list
say "beamtap record -p $node -o demo -d ${seconds}s -f 'Shop.Cart:_/_:return'"
"$B/beamtap" record -p $node -o "$out" -d "${seconds}s" -f 'Shop.Cart:_/_:return'
stop
node=
say "beamtap dump --dtrace --from 2s -n 24 demo"
"$B/beamtap" dump --dtrace --from 2s -n 24 "$out"
say "beamtap dump --elixir -e 'function-*' --from 2s -n 10 demo"
"$B/beamtap" dump --elixir -e 'function-*' --from 2s -n 10 "$out"
say "beamtap dump -e process-exit --from 2s -n 8 demo"
"$B/beamtap" dump -e process-exit --from 2s -n 8 "$out"
say "beamtap report demo"
"$B/beamtap" report "$out"
echo
echo "The recording is in $out: try 'beamtap dump', 'beamtap report --help' or 'babeltrace2' on it."
