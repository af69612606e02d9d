#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guest.sh - a test kernel's init: run commands, look for leaks, end the machine
#
# The kernel's command line gives btap_out=DIR, the one folder of the host that can be
# written.  It holds N.cmd, shell commands; left there are N.out, N.rc, and at the end `leaks`,
# `lockdep`, `tainted`.  The kernel's own messages go to the console, where a line
# `btap-run: N` tells what comes from which command.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /run/out /run/tmp
export TMPDIR=/run/tmp
if grep -qw hostfs /proc/filesystems; then
	mount -t hostfs -o "$btap_out" none /run/out
else
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /run/out
fi

say() { echo "btap-run: $1" >/dev/kmsg; }
debug=/sys/kernel/debug

cd /run/out || say "no folder for results"
# What booting has left is not ours.
echo scan >$debug/kmemleak
echo clear >$debug/kmemleak

for cmd in $(ls ./*.cmd | sort -t/ -k2n); do
	n=$(basename "$cmd" .cmd)
	say "$n"
	sh "$cmd" >"$n.out" 2>&1 </dev/null
	echo $? >"$n.rc"
done

say leaks
echo scan >$debug/kmemleak
sleep 6 # younger objects are not told
echo scan >$debug/kmemleak
cat $debug/kmemleak >leaks
grep debug_locks /proc/lockdep_stats >lockdep
cat /proc/sys/kernel/tainted >tainted
say end
sync
busybox "${btap_end:-poweroff}" -f
