#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RabbitMQ under load: on the stock VM, on the one with hooks, on the stock one with the agent.
#	tests/bench/otp/rabbitmq.sh BUILD_DIR [BROKERS [PAIRS [MESSAGES]]]
# BROKERS of each kind run in turns.  In each, a publisher and a consumer over TCP send MESSAGES, PAIRS times
# while nobody reads (quiet) and as often while all messages, processes, collections and ports are recorded (on),
# in random order.  Printed: messages a second; the broker's CPU time a message, which says more where the machine has
# other work; and what `on` is of `quiet`, the median of the pairs, with half of the interval that holds
# 95 % of what other pairs would give.  KINDS="stock hooks": only these.
B=$(realpath "${1:-build}")
brokers=${2:-3} pairs=${3:-6} messages=${4:-100000}
kinds=${KINDS:-stock hooks agent}
. "$(dirname "$0")/../../lib/rabbitmq.sh"
[ -n "$R" ] || { echo "no RabbitMQ here: tests/lib/rabbitmq_fetch.sh comes first"; exit 1; }
[ -x "$B/otp/bin/erl" ] || { echo "make otp comes first"; exit 1; }
T=$(mktemp -d) || exit 1
node=
export ERL_LIBS="$R/../plugins${ERL_LIBS:+:$ERL_LIBS}" HOME=$T
agent=$(echo "$B"/agent/beamtap-*/ebin)
here=$(dirname "$(realpath "$0")")
path=$PATH
erlc -o "$T" "$here/rabbit_load.erl" || exit 1
trap '[ -z "$node" ] || kill "$node"; wait; [ -z "${ERL_EPMD_PORT:-}" ] || epmd -port "$ERL_EPMD_PORT" -kill >/dev/null 2>&1; rm -rf "$T"' EXIT
trap 'exit 1' INT TERM

broker() { # KIND
	local d=$T/$1
	rm -rf "$d"
	case $1 in
	agent) rabbitmq_private "$d" "-pa $agent -s beamtap" ;;
	*) rabbitmq_private "$d" ;;
	esac
	port=$RABBITMQ_NODE_PORT
	[ "$1" != hooks ] || PATH=$B/otp/bin:$path
	RUNNING_UNDER_SYSTEMD=1 "$R/rabbitmq-server" >"$d/start" 2>&1 &
	node=$!
	PATH=$path
	# It fails at once where the node is not there yet.
	for _ in $(seq 30); do
		timeout 60 "$R/rabbitmqctl" await_startup >"$d/up" 2>&1 && return
		kill -0 "$node" 2>/dev/null || break
		sleep 2
	done
	echo "RabbitMQ did not come up"
	cat "$d/up" "$d/start" | tail -n 30
	exit 1
}

load() { # KIND warm|quiet|on
	local rec= took lost=-
	if [ "$2" = on ]; then
		"$B/beamtap" record -p "$node" -o "$T/rec" --no-state -e 'message-*' -e 'process-*' -e 'gc_*' -e 'port*' 2>"$T/err" & rec=$!
		sleep 1
	fi
	took=$(erl -noinput -pa "$T" -eval "rabbit_load:run($port, $messages, 200, $node)" 2>&1 | sed -n 's/^took //p')
	[ -n "$took" ] || { echo "the publisher and the consumer did not come to their end"; exit 1; }
	if [ -n "$rec" ]; then
		kill -INT $rec || { cat "$T/err"; exit 1; }
		wait $rec
		lost=$(sed -n 's/^beamtap record: \([0-9]*\) events, .* \([0-9]*\) lost in .*/\1 \2/p' "$T/err")
		rm -rf "$T/rec"
	fi
	echo "$1 $2 $node $took ${lost:?$(cat "$T/err")}" >>"$T/out"
}

echo "# $(nproc) processors, $(uptime | sed 's/.*load/load/'), $brokers brokers of each kind, $pairs pairs in each, $messages messages of 200 bytes"
for _ in $(seq "$brokers"); do
	for kind in $(shuf -e $kinds); do
		broker "$kind"
		# The agent starts when RabbitMQ's own start has returned.
		[ "$kind" = stock ] || for _ in $(seq 200); do "$B/beamtap" list -p "$node" >/dev/null 2>&1 && break; sleep 0.1; done
		load "$kind" warm
		for _ in $(seq "$pairs"); do
			for mode in $(case $kind in stock) echo quiet ;; *) shuf -e quiet on ;; esac); do load "$kind" "$mode"; done
		done
		kill "$node"
		wait "$node"
		node=
	done
done
echo "# $(uptime | sed 's/.*load/load/') at the end"
[ -z "${KEEP:-}" ] || cp "$T/out" "$KEEP"
python3 "$here/table.py" --rabbitmq "$messages" "$T/out"
