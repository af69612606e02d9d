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
R=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin 2>/dev/null | tail -1)
[ -n "$R" ] || { echo "no RabbitMQ here: tools/need.sh rabbitmq"; exit 77; }
[ -x "$B/otp/bin/erl" ] || { echo "make otp comes first"; exit 1; }
T=$(mktemp -d) || exit 1
node=
export ERL_LIBS=$R/../plugins HOME=$T
agent=$(echo "$B"/agent/beamtap-*/ebin)
here=$(dirname "$(realpath "$0")")
path=$PATH
erlc -o "$T" "$here/rabbit_load.erl" || exit 1
trap '[ -z "$node" ] || kill "$node"; wait; epmd -port "$ERL_EPMD_PORT" -kill >/dev/null 2>&1; rm -rf "$T"' EXIT
trap 'exit 1' INT TERM
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT
ERL_EPMD_PORT=$(free_port)

broker() { # KIND
	local d=$T/$1
	rm -rf "$d"
	mkdir -p "$d/db" "$d/log"
	echo '[].' >"$d/plugins"
	port=$(free_port)
	export RABBITMQ_NODENAME="bench_$$@localhost" RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_NODE_IP_ADDRESS=127.0.0.1
	export RABBITMQ_NODE_PORT=$port RABBITMQ_DIST_PORT="$(free_port)" RABBITMQ_MNESIA_BASE="$d/db" RABBITMQ_LOG_BASE="$d/log"
	export RABBITMQ_PID_FILE="$d/pid" RABBITMQ_CONFIG_FILE="$d/rabbitmq" RABBITMQ_ENABLED_PLUGINS_FILE="$d/plugins"
	export RABBITMQ_ADVANCED_CONFIG_FILE="$d/advanced" RABBITMQ_GENERATED_CONFIG_DIR="$d/generated"
	export RABBITMQ_FEATURE_FLAGS_FILE="$d/flags" RABBITMQ_PLUGINS_EXPAND_DIR="$d/expanded"
	export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}"
	case $1 in
	hooks) PATH=$B/otp/bin:$path ;;
	agent) PATH=$path; RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="$RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS -pa $agent -s beamtap" ;;
	*) PATH=$path ;;
	esac
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
