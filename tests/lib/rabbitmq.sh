# SPDX-License-Identifier: Apache-2.0
# rabbitmq.sh - sourced, with the build directory in $B, by what runs RabbitMQ
#
# R is the folder of its commands then: of the package installed here, or of one that
# tests/lib/rabbitmq_fetch.sh has unpacked.  Empty: neither.
R=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin "$B"/rabbitmq/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin 2>/dev/null | head -1)
case $R in
"$B"/*) export ERL_LIBS="$B/rabbitmq/usr/lib/erlang/lib${ERL_LIBS:+:$ERL_LIBS}" ;;
esac

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# An instance of its own in DIR: nothing is shared with one of the system's, nor seen from elsewhere.
# Its own epmd, too: stop it by `epmd -port "$ERL_EPMD_PORT" -kill`.
rabbitmq_private() { # DIR ARGUMENTS of erl
	mkdir -p "$1/db" "$1/log"
	echo '[].' >"$1/plugins"
	export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="${ERL_EPMD_PORT:-$(free_port)}"
	export RABBITMQ_NODENAME="beamtap_$$@localhost" RABBITMQ_CONF_ENV_FILE=/dev/null
	export RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT="$(free_port)" RABBITMQ_DIST_PORT="$(free_port)"
	export RABBITMQ_MNESIA_BASE="$1/db" RABBITMQ_LOG_BASE="$1/log" RABBITMQ_PID_FILE="$1/pid"
	export RABBITMQ_CONFIG_FILE="$1/rabbitmq" RABBITMQ_ENABLED_PLUGINS_FILE="$1/plugins"
	export RABBITMQ_ADVANCED_CONFIG_FILE="$1/advanced" RABBITMQ_GENERATED_CONFIG_DIR="$1/generated"
	export RABBITMQ_FEATURE_FLAGS_FILE="$1/flags" RABBITMQ_PLUGINS_EXPAND_DIR="$1/expanded"
	export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} $2"
}
