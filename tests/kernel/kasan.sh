#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kasan.sh - an x86 kernel with all checkers on, in QEMU without hardware's help
#
#	tests/kernel/kasan.sh build DIR              build it there, unless it is there
#	tests/kernel/kasan.sh module DIR NAME FROM PATH...  copy PATHs from the checkout's folder FROM, build a module
#	tests/kernel/kasan.sh run DIR PROGRAM...     boot it, run shell commands in it, print TAP
#
# The guest's root is the host's, read-only, by 9p; one CPU; no BPF, no uprobes.
set -u
. "$(dirname "$0")/build.sh"
. "$(dirname "$0")/run.sh"

ARCH=x86
FRAGMENTS="checks.config x86.config"
TARGETS="bzImage modules"

kernel_boot() { # DIR, OUT
	exec qemu-system-x86_64 -accel tcg -cpu max -smp 1 -m 768 -nographic -no-reboot -nodefaults -serial stdio \
		-kernel "$1/arch/x86/boot/bzImage" \
		-fsdev local,id=root,path=/,security_model=none,multidevs=remap,readonly=on \
		-device virtio-9p-pci,fsdev=root,mount_tag=root \
		-fsdev local,id=out,path="$2",security_model=none \
		-device virtio-9p-pci,fsdev=out,mount_tag=out \
		-append "console=ttyS0 panic=-1 acpi=off root=root rootfstype=9p ro \
rootflags=trans=virtio,version=9p2000.L,cache=loose,msize=262144 init=$HERE/guest.sh btap_out=$2 \
btap_end=reboot ignore_loglevel kasan_multi_shot"
}

main "$@"
