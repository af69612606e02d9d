#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RabbitMQ as Debian has it, a private instance of it: recorded while messages pass, told by its names.
#	tests/e2e/rabbitmq.sh BUILD_DIR
# Exit 77: it is not installed (tools/need.sh rabbitmq).
. "$(dirname "$0")/../lib/tap.sh"
R=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin 2>/dev/null | tail -1)
[ -n "$R" ] || {
	echo "1..0 # SKIP no RabbitMQ here: tools/need.sh rabbitmq"
	exit 77
}

# Nothing of it is shared with an instance of the system's, nor seen from elsewhere.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
export HOME="$T" ERL_EPMD_PORT="$(free_port)" ERL_EPMD_ADDRESS=127.0.0.1
export RABBITMQ_NODENAME="beamtap_$$@localhost" RABBITMQ_CONF_ENV_FILE=/dev/null
export RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT="$(free_port)" RABBITMQ_DIST_PORT="$(free_port)"
export RABBITMQ_MNESIA_BASE="$T/db" RABBITMQ_LOG_BASE="$T/log" RABBITMQ_PID_FILE="$T/pid"
export RABBITMQ_CONFIG_FILE="$T/rabbitmq" RABBITMQ_ENABLED_PLUGINS_FILE="$T/plugins"
export RABBITMQ_ADVANCED_CONFIG_FILE="$T/advanced" RABBITMQ_GENERATED_CONFIG_DIR="$T/generated"
export RABBITMQ_FEATURE_FLAGS_FILE="$T/flags" RABBITMQ_PLUGINS_EXPAND_DIR="$T/expanded"
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} -pa $(echo "$B"/agent/beamtap-*/ebin) -s beamtap"
mkdir "$T/db" "$T/log"
echo '[].' >"$T/plugins"

stop() {
	stop_node
	epmd -port "$ERL_EPMD_PORT" -kill >/dev/null 2>&1
	rm -rf "$T"
}
trap stop EXIT

# This way the script becomes the VM.
RUNNING_UNDER_SYSTEMD=1 "$R/rabbitmq-server" >"$T/start" 2>&1 &
node=$!
# The agent starts when RabbitMQ's own start has returned.
for _ in $(seq 900); do
	"$bt" list -p "$node" >"$T/list" 2>"$T/err" && break
	kill -0 "$node" 2>/dev/null || break
	sleep 0.1
done
# A VM with hooks is there from its first moment: before rabbitmqctl can find it.
up=1
for _ in $(seq 20); do
	timeout 60 "$R/rabbitmqctl" await_startup >"$T/up" 2>&1 && up=0 && break
	kill -0 "$node" 2>/dev/null || break
	sleep 2
done
[ $up = 0 ] || {
	echo "Bail out! RabbitMQ did not come up"
	cat "$T/up" "$T/start" | sed 's/^/# /' | tail -30
	exit 1
}
"$bt" list -p "$node" >"$T/list" 2>"$T/err"
ok $? "the node is there to be tapped"
has 'message-send' "$T/list" "with its probes"

# Messages through queues, as a channel of AMQP does it, without its sockets.
cat >"$T/work" <<'EOF'
Q = fun(I) -> <<"orders_", (integer_to_binary(I))/binary>> end,
[rabbit_amqqueue:declare(rabbit_misc:r(<<"/">>, queue, Q(I)), true, false, [], none, <<"beamtap">>)
 || I <- lists:seq(1, 3)],
X = rabbit_misc:r(<<"/">>, exchange, <<>>),
[begin rabbit_basic:publish(X, Q(1 + N rem 3), [], <<"message">>), timer:sleep(1) end
 || N <- lists:seq(1, 1000)],
[begin
     {ok, A} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, Q(I))),
     rabbit_amqqueue:purge(A)
 end || I <- lists:seq(1, 3)].
EOF
"$bt" record -p "$node" -o "$T/rec" -d 8s -f 'rabbit_exchange:route/2:return' 2>"$T/err" & rec=$!
sleep 1
timeout 60 "$R/rabbitmqctl" eval "$(cat "$T/work")" >"$T/eval" 2>&1
r=$?
grep -q '{ok,33[34]}' "$T/eval" || r=1
[ $r = 0 ] || cp "$T/eval" "$T/err"
ok $r "1000 messages went through three queues"
wait $rec
ok $? "recorded meanwhile"
has ' 0 lost in ' "$T/err" "with nothing lost"
"$bt" report "$T/rec" >"$T/report" 2>"$T/err"
ok $? "a report"
has 'rabbit_[a-z_]+' "$T/report" "with RabbitMQ's names"
has 'rabbit_prequeue:init/1|rabbit_amqqueue_process' "$T/report" "and the processes of its queues"
has 'rabbit_exchange:route/2' "$T/report" "and the function asked for"
has 'MESSAGE LATENCY' "$T/report" "and how long messages took"
[ -z "$BEAMTAP_KEEP" ] || cp "$T/report" "$BEAMTAP_KEEP"
timeout 60 "$R/rabbitmqctl" status >"$T/out" 2>"$T/err"
ok $? "it goes on"
kill "$node"
wait "$node"
ok $? "and ends in order"
node=
echo "1..$nr"
