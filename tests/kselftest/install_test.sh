#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# install_test.sh - `make kmod_install` and DKMS, into folders of our own; prints TAP
#
#	tests/kselftest/install_test.sh BUILD_DIR KERNEL...
#
# What they leave in BUILD_DIR/kmod/installed-KERNEL and dkms-KERNEL is loaded by run.sh in the guest.
B=$(cd "$1" && pwd) || exit 1
shift
top=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="$PATH:/sbin:/usr/sbin"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
nr=0 failed=0

ok() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$log" | tail -20
		failed=1
	fi
}
# modprobe would load it.
is_found() { # ROOT RELEASE
	modprobe -d "$1" -S "$2" -n --show-depends beamtap 2>&1 | tee -a "$log" | grep -q "insmod $1/lib/modules/$2/"
}

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/kmod/dkms.conf")
for k; do
	kdir=$(readlink -f "$B/kernels/$k/kdir") release=$(cat "$B/kernels/$k/release")
	to=$B/kmod/installed-$k
	rm -rf "$to"
	MAKEFLAGS='' make --no-print-directory -C "$top" B="$B" kmod_install KVER="$release" KDIR="$kdir" DESTDIR="$to" \
		>"$log" 2>&1
	ok $? "$k: make kmod_install"
	is_found "$to" "$release"
	ok $? "$k: modprobe finds it"

	if ! command -v dkms >/dev/null; then
		nr=$((nr + 1))
		echo "ok $nr - $k: dkms # SKIP it is not installed"
		continue
	fi
	to=$B/kmod/dkms-$k
	rm -rf "$to"
	mkdir -p "$to/tree" "$to/lib/modules/$release"
	cp "$B/kernels/$k/modules/$release"/modules.* \
		"$to/lib/modules/$release"
	MAKEFLAGS='' make --no-print-directory -C "$top" B="$B" kmod_dkms DESTDIR="$to" >"$log" 2>&1
	ok $? "$k: make kmod_dkms DESTDIR="
	dkms="--dkmstree $to/tree --sourcetree $to/usr/src --installtree $to/lib/modules --kernelsourcedir $kdir"
	# Its depmod looks at this machine's /lib/modules, which may not have that kernel.
	dkms install --no-depmod $dkms -m beamtap -v "$version" -k "$release" >"$log" 2>&1
	ok $? "$k: dkms install"
	dkms status $dkms -m beamtap -v "$version" 2>&1 | tee -a "$log" | grep -q "$release.*: installed"
	ok $? "$k: dkms status says so"
	depmod -b "$to" "$release" >>"$log" 2>&1
	is_found "$to" "$release"
	ok $? "$k: modprobe finds it"
done
echo "1..$nr"
exit $failed
