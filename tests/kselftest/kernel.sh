#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# kernel.sh - fetch a kernel of Debian's and its headers, without installing them
#
#	tests/kselftest/kernel.sh 6.1|6.12 DIR
#
# 6.1 is Debian 12's, 6.12 is that of its backports.  Leaves in DIR/<version>:
#	release   the kernel's name, 6.1.0-57-amd64
#	vmlinuz   the image
#	modules   what lies in /lib/modules of a machine that runs it
#	kdir      a link to the headers, for `make kmod KDIR=`
# Nothing is done when all of it is there.  Packages come from where this
# machine's apt has Debian from.
set -eu
version=$1
dir=$2/$version
[ -e "$dir/kdir/Makefile" ] && [ -e "$dir/vmlinuz" ] && [ -d "$dir/modules" ] && exit 0

fail() { echo "kernel.sh: $*" >&2; exit 1; }

case $version in
6.1) suite= ;;
6.12) suite=bookworm-backports ;;
*) fail "knows 6.1 and 6.12, not $version" ;;
esac

rm -rf "$dir"
mkdir -p "$dir/debs" "$dir/root"
dir=$(cd "$dir" && pwd)
log=$dir/log
apt=
if [ -n "$suite" ]; then
	site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' |
		grep -v -e security | head -1)
	[ -n "$site" ] || fail "this machine's apt does not know Debian 12 (bookworm)"
	mkdir -p "$dir/apt/lists/partial"
	echo "deb $site $suite main" >"$dir/apt/sources.list"
	apt="-o Dir::Etc::SourceList=$dir/apt/sources.list -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists=$dir/apt/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache="
	apt-get $apt update -q >>"$log" 2>&1 || fail "cannot read $suite: see $log"
fi

depends() { # package: those it depends on
	apt-cache $apt depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
		--no-enhances "$1" | sed -n 's/^ *|\{0,1\}Depends: //p'
}

# linux-image-amd64 depends on the newest image, and so on
image=$(depends linux-image-amd64 | grep '^linux-image-' | head -1)
[ -n "$image" ] || fail "no linux-image-amd64 (apt-get update?)"
release=${image#linux-image-}
release=${release%-unsigned}
headers=linux-headers-$release
debs="$image $headers $(depends "$headers" | grep -e -common -e linux-kbuild)"
(cd "$dir/debs" && apt-get $apt download -q $debs >>"$log" 2>&1) ||
	fail "cannot download $debs: see $log"
for deb in "$dir"/debs/*.deb; do
	dpkg -x "$deb" "$dir/root"
done
rm -rf "$dir/debs" "$dir/apt"

# The headers name one another by where they would be installed.
sed -i "s,/usr/src/,$dir/root/usr/src/,g" "$dir/root/usr/src/$headers/Makefile"
# linux-kbuild is found by links with absolute targets.
find "$dir/root/usr/src/$headers" "$dir/root/usr/src/${headers%-*}-common" -maxdepth 2 -type l |
while read -r link; do
	to=$(readlink "$link")
	case $to in
	/usr/*) ln -sfn "$dir/root$to" "$link" ;;
	../../lib/*) ln -sfn "$dir/root/usr/${to#../../}" "$link" ;;
	esac
done
/sbin/depmod -b "$dir/root" "$release" 2>>"$log" || /sbin/depmod -b "$dir/root/usr" "$release"
mv "$dir/root/boot/vmlinuz-$release" "$dir/vmlinuz"
if [ -d "$dir/root/lib/modules" ]; then
	ln -sfn root/lib/modules "$dir/modules"
else
	ln -sfn root/usr/lib/modules "$dir/modules"
fi
ln -sfn "root/usr/src/$headers" "$dir/kdir"
echo "$release" >"$dir/release"
