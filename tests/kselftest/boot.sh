#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# boot.sh - run a command in one of Debian's kernels, in QEMU without KVM
#
#	tests/kselftest/boot.sh KERNEL_DIR SECONDS COMMAND...
#
# KERNEL_DIR is what kernel.sh made.  The guest's root is this machine's `/`,
# read-only; /run and /var/tmp are empty and its own.  What the
# command prints is printed; exit status: its own; 124 after SECONDS; 125 when the
# kernel itself came to grief (an oops, a warning, a panic), which is printed too.
set -u
kernel=$(cd "$1" && pwd) limit=$2
shift 2
release=$(cat "$kernel/release")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

# An initramfs: busybox, the modules that 9p needs, and what starts the command.
mkdir -p "$work/ram"/{bin,mod,proc,sys,dev,root}
cp "$(command -v busybox)" "$work/ram/bin/busybox"
# Debian has a static one and one that needs its libraries.
ldd "$(command -v busybox)" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
	mkdir -p "$work/ram$(dirname "$lib")" && cp "$lib" "$work/ram$lib"
done
for m in virtio_pci 9pnet_virtio 9p; do
	/sbin/modprobe -d "$(dirname "$(dirname "$(readlink -f "$kernel/modules")")")" -S "$release" --show-depends "$m"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/list"
while read -r f; do
	n=$(basename "$f")
	case $n in
	*.xz) xz -dc "$f" >"$work/ram/mod/${n%.xz}" ;;
	*) cp "$f" "$work/ram/mod/$n" ;;
	esac
	echo "${n%.xz}"
done <"$work/list" >"$work/ram/mod/order"
cp "$here/init.sh" "$work/ram/init"
printf '%q ' "$@" >"$work/ram/command"
pwd >"$work/ram/cwd"
echo "$kernel/modules" >"$work/ram/modules"
(cd "$work/ram" && find . | cpio --quiet -o -H newc) >"$work/initramfs"

# One thread for both processors: with two, code that the kernel patches while the other one runs it (jump
# labels) is met half done now and then, which no real processor does.
timeout -k 5 "$limit" qemu-system-x86_64 -accel tcg,thread=single -cpu max -smp "${SMP:-2}" -m "${MEM:-1536}" \
	-nographic -no-reboot -nodefaults -serial stdio -kernel "$kernel/vmlinuz" -initrd "$work/initramfs" \
	-append "console=ttyS0 panic=-1 quiet loglevel=4 ${APPEND:-}" \
	-virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
	</dev/null 2>&1 | stdbuf -oL tr -d '\r' | tee "$work/console" | sed -n '/^==BEGIN==$/,/^==END /{/^==/d;p}'
status=${PIPESTATUS[0]}
if grep -qE '^==END [0-9]+==$' "$work/console"; then
	status=$(sed -n 's/^==END \([0-9]*\)==$/\1/p' "$work/console")
elif [ "$status" = 0 ]; then
	status=125
	tail -40 "$work/console"
fi
# The guest's own look at its log comes last.
if grep -q '^==GRIEF==$' "$work/console"; then
	sed -n '/^==GRIEF==$/,/^==CALM==$/p' "$work/console"
	status=125
fi
exit "$status"
