#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# planted.sh - in the guest: a module that leaks is found out; prints TAP
#
#	tests/kselftest/planted.sh LIMIT_TEST BEAMTAP.KO...
#
# Of the two that look for leaks at least one must fail, and none but these.
test=$1
shift
out=/run/planted.out
failed=0
for ko; do
	name=$(basename "$(dirname "$ko")")
	insmod "$ko" && "$test" >$out 2>&1
	why=
	grep -q '^not ok .*thousand_cycles' $out || why="no leak was seen"
	grep '^not ok ' $out | grep -qv thousand_cycles && why="another test failed"
	if [ -z "$why" ]; then
		echo "ok - $name: found by $(grep '^not ok ' $out | sed 's/.*\.//' | paste -sd' ')"
	else
		echo "not ok - $name: $why"
		sed 's/^/# /' $out
		failed=1
	fi
	grep -h 'Expected\|KiB' $out | sed 's/^/# /'
	rmmod beamtap || failed=1
done
exit $failed
