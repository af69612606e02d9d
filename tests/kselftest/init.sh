#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# init.sh - the guest's first process: see boot.sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
while read -r m; do
	$b insmod /mod/$m || echo "init: cannot load $m"
done </mod/order
$b mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,msize=262144,ro host /root ||
	{ echo "init: no root"; $b poweroff -f; }
r=/root
$b mount -t proc proc $r/proc
$b mount -t sysfs sys $r/sys
$b mount -t devtmpfs dev $r/dev
$b mkdir -p $r/dev/shm $r/dev/pts
$b mount -t tmpfs shm $r/dev/shm
$b mount -t devpts pts $r/dev/pts
$b mount -t tmpfs run $r/run
$b mount -t tmpfs tmp $r/var/tmp
$b mount -t tmpfs mod $r/lib/modules 2>/dev/null
$b mount -t tracefs t $r/sys/kernel/tracing
$b mount -t debugfs d $r/sys/kernel/debug
$b mount -t bpf b $r/sys/fs/bpf 2>/dev/null
$b ip link set lo up 2>/dev/null || $b ifconfig lo 127.0.0.1 up
echo 1 >/proc/sys/kernel/panic_on_oops
cwd=$($b cat /cwd)
command=$($b cat /command)
echo; echo "==BEGIN=="
$b chroot $r /bin/sh -c "cd '$cwd' && export HOME=/run TMPDIR=/run PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin GUEST_MODULES='$($b cat /modules)'; exec $command" </dev/null 2>&1
status=$?; echo; echo "==END $status=="
if $b dmesg | $b grep -qE 'BUG|WARNING|Oops|general protection|KASAN|UBSAN|possible circular|inconsistent lock|suspicious RCU|sleeping function|hung task|soft lockup|rcu.*stall|refcount_t|list_(add|del) corruption'; then
	echo "==GRIEF=="
	$b dmesg | $b tail -n 80
	echo "==CALM=="
fi
$b sync
$b poweroff -f
