#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# uml.sh - User Mode Linux with all checkers on: a kernel that is a process of the host
#
#	tests/kernel/uml.sh build DIR              build it there, unless it is there
#	tests/kernel/uml.sh module DIR NAME FROM PATH...  copy PATHs from the checkout's folder FROM, build a module
#	tests/kernel/uml.sh run DIR PROGRAM...     boot it, run shell commands in it, print TAP
#
# No rights are needed.  The guest's root is the host's, read-only; one CPU, no network, no
# perf, no BPF, no uprobes.
set -u
. "$(dirname "$0")/build.sh"
. "$(dirname "$0")/run.sh"

ARCH=um
FRAGMENTS="checks.config um.config"
TARGETS="linux modules"

patch_source() {
	# The C library has no __xmknod any more.
	sed -i '/__xmknod/d' arch/um/os-Linux/user_syms.c
	# UML cannot preempt, but it can count, which is what tells sleeping in atomic context.
	sed -i '/select ARCH_NO_PREEMPT/d' arch/um/Kconfig
}

kernel_boot() { # DIR, OUT
	local memory=/dev/shm # of the guest, as a sparse file
	[ "$(df --output=avail "$memory" 2>/dev/null | tail -1)" -gt 900000 ] 2>/dev/null || memory=$2
	# The kernel writes below the C library's restartable sequences, which it does not know.
	exec env GLIBC_TUNABLES=glibc.pthread.rseq=0 TMPDIR=$memory HOME="$2" \
		"$1/linux" mem=768M root=hostfs rootfstype=hostfs rootflags=/ ro \
		init="$HERE/guest.sh" btap_out="$2" con=null con0=null,fd:1 umid=guest uml_dir="$2/uml" \
		ignore_loglevel kasan_multi_shot
}

main "$@"
