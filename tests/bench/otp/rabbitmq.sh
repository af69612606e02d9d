#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RabbitMQ under load: on the stock VM, on the one with hooks (nobody reads, and recorded), with the agent recorded.
#	tests/bench/otp/rabbitmq.sh BUILD_DIR [ROUNDS [MESSAGES]]
# A publisher and a consumer over TCP.  Printed: messages a second, and the broker's CPU time a message, which
# says more where the machine has other work.  Medians of the rounds; brokers of all kinds run in turns.
B=$(realpath "${1:-build}")
rounds=${2:-3} messages=${3:-50000}
modes=${MODES:-stock hooks-off hooks-on agent-on}
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

cpu() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; } # ms

broker() { # MODE
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
	hooks-*) PATH=$B/otp/bin:$path ;;
	agent-*) PATH=$path; RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="$RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS -pa $agent -s beamtap" ;;
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

one() { # MODE
	local rec= c0 c1 took lost=-
	broker "$1"
	case $1 in *-on)
		# The agent starts when RabbitMQ's own start has returned.
		for _ in $(seq 200); do "$B/beamtap" list -p "$node" >/dev/null 2>&1 && break; sleep 0.1; done
		"$B/beamtap" record -p "$node" -o "$T/rec" --no-state -e 'message-*' -e 'process-*' -e 'gc_*' -e 'port*' 2>"$T/err" & rec=$!
		sleep 2 ;;
	esac
	c0=$(cpu "$node")
	took=$(erl -noinput -pa "$T" -eval "rabbit_load:run($port, $messages, 200)" 2>&1 | sed -n 's/^took //p')
	c1=$(cpu "$node")
	if [ -n "$rec" ]; then
		kill -INT $rec || { cat "$T/err"; exit 1; }
		wait $rec
		lost=$(sed -n 's/^beamtap record: \([0-9]*\) events, .* \([0-9]*\) lost in .*/\1 events, \2 lost/p' "$T/err")
		rm -rf "$T/rec"
	fi
	kill "$node"
	wait "$node"
	node=
	# The first tenth, which is not timed, takes CPU time, too.
	echo "$1 $took $((c1 - c0)) $lost" >>"$T/out"
	awk -v m="$1" -v t="$took" -v c=$((c1 - c0)) -v n="$messages" -v l="$lost" \
		'BEGIN { printf "%-10s %8.0f messages/s  %6.1f us of CPU a message  %s\n", m, n * 1e6 / t, c * 1000 / (n * 1.1), l }'
}

echo "# $(nproc) processors, $(uptime | sed 's/.*load/load/'), $messages messages of 200 bytes a round"
for _ in $(seq "$rounds"); do
	for m in $(shuf -e $modes); do one "$m"; done
done
echo "# medians"
for m in $modes; do
	t=$(grep "^$m " "$T/out" | cut -d' ' -f2 | sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }')
	c=$(grep "^$m " "$T/out" | cut -d' ' -f3 | sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }')
	awk -v m="$m" -v t="$t" -v c="$c" -v n="$messages" 'BEGIN { printf "%-10s %8.0f messages/s  %6.1f us of CPU a message\n", m, n * 1e6 / t, c * 1000 / (n * 1.1) }'
done
echo "# $(uptime | sed 's/.*load/load/') at the end"
