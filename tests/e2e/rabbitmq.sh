#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# RabbitMQ as Debian has it, a private instance of it: recorded while messages pass, told by its names.
#	tests/e2e/rabbitmq.sh BUILD_DIR
# Exit 77: it is not there (tests/lib/rabbitmq_fetch.sh).
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/rabbitmq.sh"
[ -n "$R" ] || {
	echo "1..0 # SKIP no RabbitMQ here: tests/lib/rabbitmq_fetch.sh $1"
	exit 77
}

export HOME="$T"
rabbitmq_private "$T" "-pa $(echo "$B"/agent/beamtap-*/ebin) -s beamtap"

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
code:ensure_loaded(rabbit_basic),
Publish = case erlang:function_exported(rabbit_basic, publish, 4) of
    true -> fun(To) -> rabbit_basic:publish(X, To, [], <<"message">>) end;
    false -> fun(To) ->  %% since 3.13
                     {ok, M} = mc_amqpl:message(X, To, rabbit_basic:build_content(rabbit_basic:properties([]), <<"message">>)),
                     ok = rabbit_queue_type:publish_at_most_once(X, M)
             end
end,
[begin Publish(Q(1 + N rem 3)), timer:sleep(1) end
 || N <- lists:seq(1, 1000)],
[begin
     {ok, A} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, Q(I))),
     rabbit_amqqueue:purge(A)
 end || I <- lists:seq(1, 3)].
EOF
"$bt" record -p "$node" -o "$T/rec" -d 8s -f 'rabbit_exchange:route/_:return' 2>"$T/err" & rec=$!
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
has 'rabbit_exchange:route/[23]' "$T/report" "and the function asked for"
has 'MESSAGE LATENCY' "$T/report" "and how long messages took"
[ -z "$BEAMTAP_KEEP" ] || cp "$T/report" "$BEAMTAP_KEEP"
timeout 60 "$R/rabbitmqctl" status >"$T/out" 2>"$T/err"
ok $? "it goes on"
kill "$node"
wait "$node"
ok $? "and ends in order"
node=
echo "1..$nr"
