# SPDX-License-Identifier: Apache-2.0
# tap.sh - what tests that are shell scripts share; sourced with the build directory as $1
#
# B is the build directory then, T a directory that goes when the test does, bt the command,
# node the VM that start_node has started, or nothing.
B=$(cd "${1:-build}" && pwd) || exit 1
T=$(mktemp -d) || exit 1
bt=$B/beamtap
nr=0 node=

ok() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$T/err" 2>/dev/null | head -8
	fi
}
skip() { nr=$((nr + 1)); echo "ok $nr - $1 # SKIP $2"; }
# A line matches; if none does, the end of the file is shown.
has() { # PATTERN FILE NAME
	if grep -qE -- "$1" "$2"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		tail -n 5 "$2" 2>/dev/null | cut -c1-300 | sed 's/^/#   /'
	fi
}
has_no() { ! grep -qE -- "$1" "$2"; ok $? "$3"; }
bail() { echo "Bail out! $1"; sed 's/^/# /' "$T/erl.log" "$T/err" 2>/dev/null | head -20; exit 1; }
plan() { echo "1..$nr"; }

# Wait until FILE is there.  Return: 1 when the node ended before, or after a minute
await() { # FILE
	for _ in $(seq 600); do
		[ -e "$1" ] && return 0
		kill -0 "$node" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# A node that can be listed, its pid in $node: -s beamtap, or a VM with hooks.
start_node() { # ARGUMENTS of erl
	erl -noinput -pa "$B"/agent/beamtap-*/ebin "$B"/workload "$T" "$@" >"$T/erl.log" 2>&1 &
	node=$!
	for _ in $(seq 300); do
		"$bt" list -p $node >/dev/null 2>&1 && return 0
		kill -0 $node 2>/dev/null || break
		sleep 0.1
	done
	bail "the node did not come up"
}
stop_node() {
	[ -n "$node" ] || return 0
	kill "$node" 2>/dev/null
	wait "$node" 2>/dev/null
	node=
}
trap 'stop_node; rm -rf "$T"' EXIT
trap 'exit 1' INT TERM
