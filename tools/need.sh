#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# need.sh - install what is missing for one or more purposes, from Debian's packages
#
#	tools/need.sh build test
#
# Nothing is done, and the network is not touched, when all of it is there.
# Without the rights to install, it says which packages are missing and fails.
set -u

# purpose: what must be there (a command, or a file that begins with /) and the package that brings it;
# RELEASE is the running kernel's
list() {
	cat <<-'LIST'
	build  cc                                      gcc
	build  ar                                      binutils
	build  /usr/include/stdlib.h                   libc6-dev
	build  /usr/include/linux/types.h              linux-libc-dev
	agent  erl                                     erlang-base
	agent  /usr/lib/erlang/usr/include/erl_nif.h   erlang-dev
	test   /usr/include/cmocka.h                   libcmocka-dev
	test   babeltrace2                             babeltrace2
	test   python3                                 python3
	test   /usr/lib/erlang/lib/common_test-*/ebin/common_test.app       erlang-common-test
	test   /usr/lib/erlang/lib/runtime_tools-*/ebin/runtime_tools.app     erlang-runtime-tools
	fuzz   clang                                   clang
	fuzz   /usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a  libclang-rt-14-dev
	test   mandoc                                  mandoc
	debug-kernel  /usr/src/linux-source-6.1.tar.xz    linux-source-6.1
	debug-kernel  make                                make
	debug-kernel  xz                                  xz-utils
	debug-kernel  flex                                flex
	debug-kernel  bison                               bison
	debug-kernel  m4                                  m4
	debug-kernel  bc                                  bc
	debug-kernel  /sbin/insmod                        kmod
	debug-kernel  busybox                             busybox
	debug-kernel-x86  /usr/include/libelf.h           libelf-dev
	debug-kernel-x86  qemu-system-x86_64              qemu-system-x86
	otp    g++                                     g++
	otp    perl                                    perl
	otp    dpkg-source                             dpkg-dev
	otp    /usr/include/curses.h                   libncurses-dev
	otp    /usr/include/zlib.h                     zlib1g-dev
	otp    /usr/include/netinet/sctp.h             libsctp-dev
	otp-systemtap  dtrace                             systemtap-sdt-dev
	otp-systemtap  bpftrace                           bpftrace
	otp-lttng  lttng-gen-tp                           liblttng-ust-dev
	otp-lttng  lttng                                  lttng-tools
	kmod  gcc                                      gcc
	kmod  make                                     make
	kmod  /lib/modules/RELEASE/build/Makefile      linux-headers-RELEASE
	kmod-test  gcc                                 gcc
	kmod-test  make                                make
	kmod-test  qemu-system-x86_64                  qemu-system-x86
	kmod-test  busybox                             busybox-static
	kmod-test  cpio                                cpio
	kmod-test  xz                                  xz-utils
	kmod-test  /sbin/depmod                        kmod
	kmod-test  /usr/src/linux-source-6.1.tar.xz    linux-source-6.1
	kmod-test  bpftrace                            bpftrace
	kmod-test  pahole                              pahole
	kmod-test  perf                                linux-perf
	kmod-test  trace-cmd                           trace-cmd
	dkms  dkms                                     dkms
	kmod-check  sparse                             sparse
	kmod-check  perl                               perl
	kmod-check  /usr/src/linux-source-6.1.tar.xz   linux-source-6.1
	bpf    bpftrace                                bpftrace
	LIST
}

have() {
	case $1 in
	/*) for f in $1; do [ -e "$f" ] && return 0; done; return 1 ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

missing=
for purpose; do
	while read -r p what package; do
		[ "$p" = "$purpose" ] || continue
		have "$what" || missing="$missing $package"
	done <<-LIST
	$(list | sed "s/RELEASE/$(uname -r)/g")
	LIST
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
	if ! sudo -n true 2>/dev/null && ! { [ -t 0 ] && command -v sudo >/dev/null; }; then
		echo "need.sh: no right to install packages; as root: apt-get install$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
install() { $sudo apt-get install -y -q --no-install-recommends $missing >"$log" 2>&1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A machine's package lists may be old or absent: fetch them when the first try fails.
if ! install; then
	$sudo apt-get update -q >>"$log" 2>&1
	if ! install; then
		cat "$log" >&2
		echo "need.sh: could not install$missing" >&2
		exit 1
	fi
fi
