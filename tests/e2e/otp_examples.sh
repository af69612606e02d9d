#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The D scripts that OTP ships run as they are, over a fixture of every event in the catalogue.
# usage: otp_examples.sh BUILD-DIRECTORY
build=${1:-build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
set -- /usr/lib/erlang/lib/runtime_tools-*/examples/*.d
if [ ! -e "$1" ]; then
	echo "1..0 # SKIP no OTP with its examples is installed"
	exit 77
fi
"$build"/tests/mkrec catalogue >"$tmp/all.ev" || exit 1
n=0
failed=0
for script; do
	n=$((n + 1))
	name=$(basename "$script")
	"$build"/beamtap dtrace -q -f "$tmp/all.ev" -s "$script" >"$tmp/out" 2>"$tmp/err"
	status=$?
	# Reports of faults are fine: the fixture has events whose texts are not known, which the
	# scripts read all the same, and driver1.d asks for an argument that its probe has not.
	least=2
	[ "$name" = user-probe-n.d ] && least=1 # none of its probes' numbers is in the fixture
	if [ $status -eq 0 ] && [ "$(wc -l <"$tmp/out")" -ge $least ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name (status $status)"
		sed 's/^/# /' "$tmp/err"
		failed=1
	fi
done
echo "1..$n"
exit $failed
