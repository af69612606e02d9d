#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run.sh - in the guest: load the module, run the tests given, print TAP
#
#	tests/kselftest/run.sh BEAMTAP.KO TEST...
#
# After each test the kernel's log is searched for what no test may cause: such a
# line is a failure of its own.
set -u
ko=$1
shift
trouble='BUG|WARNING|Oops|general protection|KASAN|UBSAN|possible circular|inconsistent lock|suspicious RCU|sleeping function|hung task|soft lockup|rcu.*stall|refcount_t|list_(add|del) corruption|segfault'
bad=0 nr=0
insmod "$ko" || { echo "not ok 1 insmod"; exit 1; }
# A fault that is planted must be seen.
echo "<3>BUG: planted by run.sh" >/dev/kmsg
if dmesg | grep -qE "$trouble"; then
	echo "ok - a fault in the kernel's log is seen"
else
	echo "not ok - a fault in the kernel's log is seen"
	bad=1
fi
dmesg -c >/dev/null
for test; do
	name=$(basename "${test%% *}")
	echo "# ---- $name"
	start=$(date +%s)
	$test 2>&1
	status=$?
	nr=$((nr + 1))
	if [ $status = 4 ] || [ $status = 77 ]; then
		:
	elif [ $status != 0 ]; then
		bad=$((bad + 1))
	fi
	dmesg -c >/run/dmesg
	if grep -E "$trouble" /run/dmesg; then
		echo "not ok - the kernel's log after $name"
		sed 's/^/# /' /run/dmesg | tail -60
		bad=$((bad + 1))
	else
		echo "ok - nothing in the kernel's log after $name"
	fi
	echo "# $name took $(($(date +%s) - start)) s"
done
# Out and in again, with a tracepoint on.
echo 1 >/sys/kernel/tracing/events/beamtap/message_send/enable
for _ in 1 2 3 4 5; do
	rmmod beamtap && insmod "$ko" || bad=$((bad + 1))
done
rmmod beamtap || bad=$((bad + 1))
# As `make kmod_install` and DKMS have installed it: see install_test.sh.
dir=$(dirname "$(realpath "$ko")")
for root in "$(dirname "$dir")"/{installed,dkms}-"$(basename "$dir")"; do
	[ -d "$root" ] || continue
	if modprobe -d "$root" beamtap && [ -c /dev/beamtap ] && rmmod beamtap; then
		echo "ok - modprobe: $(basename "$root")"
	else
		echo "not ok - modprobe: $(basename "$root")"
		bad=$((bad + 1))
	fi
done
lsmod | grep -q beamtap && { echo "not ok - module gone"; bad=$((bad + 1)); } || echo "ok - module gone"
dmesg | grep -E "$trouble" && { echo "not ok - the kernel's log after the module's end"; bad=$((bad + 1)); }
[ $bad = 0 ]
