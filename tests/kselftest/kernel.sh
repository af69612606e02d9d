#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# kernel.sh - fetch a kernel of Debian's and its headers, without installing them
#
#	tests/kselftest/kernel.sh 6.1|6.12|newest DIR
#
# 6.1 is Debian 12's, 6.12 is that of its backports, newest that of sid.  Leaves in
# DIR/<version>:
#	release   the kernel's name, 6.1.0-57-amd64
#	vmlinuz   the image
#	modules   what lies in /lib/modules of a machine that runs it
#	kdir      a link to the headers, for `make kmod KDIR=`
#	make      runs make in the headers' folder: DIR/6.1/make M=FOLDER modules
# Sid's headers come with programs for sid's C library, and want its compiler: both lie with
# sparse in DIR/newest/root, and its `make` works there (in_root.sh).
# Nothing is done when all of it is there.  Packages come from where this
# machine's apt has Debian from.
set -eu
version=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$2/$version

fail() { echo "kernel.sh: $*" >&2; exit 1; }

write_make() {
	case $version in
	newest) echo "#!/bin/sh
exec $here/in_root.sh $dir/root make -C /usr/src/$(basename "$(readlink "$dir/kdir")") \"\$@\"" ;;
	*) echo "#!/bin/sh
exec make -C $dir/kdir \"\$@\"" ;;
	esac >"$dir/make"
	chmod +x "$dir/make"
}

if [ -e "$dir/kdir/Makefile" ] && [ -e "$dir/vmlinuz" ] && [ -d "$dir/modules" ]; then
	dir=$(cd "$dir" && pwd)
	write_make
	exit 0
fi

case $version in
6.1) suite= ;;
6.12) suite=bookworm-backports ;;
newest) suite=sid ;;
*) fail "knows 6.1, 6.12 and newest, not $version" ;;
esac

rm -rf "$dir"
mkdir -p "$dir/debs/partial" "$dir/root" "$dir/apt/lists/partial"
dir=$(cd "$dir" && pwd)
log=$dir/log
apt=
if [ -n "$suite" ]; then
	site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' |
		grep -v -e security | head -1)
	[ -n "$site" ] || fail "this machine's apt does not know Debian 12 (bookworm)"
	echo "deb $site $suite main" >"$dir/apt/sources.list"
	apt="-o Dir::Etc::SourceList=$dir/apt/sources.list -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists=$dir/apt/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null"
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
if [ "$version" = newest ]; then
	# It is in parts, which depend on one another.
	debs=$(for d in $image $(depends "$image"); do echo "$d"; depends "$d" 2>/dev/null; done |
		grep -F -e "$image" -e "-$release" | sort -u)
else
	debs="$image $headers $(depends "$headers" | grep -e -common -e linux-kbuild)"
fi
(cd "$dir/debs" && apt-get $apt download -q $debs >>"$log" 2>&1) ||
	fail "cannot download $debs: see $log"
if [ "$version" = newest ]; then
	# All that make needs there, as if nothing were installed.
	: >"$dir/apt/status"
	apt-get $apt -o Dir::State::status="$dir/apt/status" -o Dir::Cache::archives="$dir/debs" \
		-o Debug::NoLocking=1 -o APT::Sandbox::User=root install -q -y --download-only --no-install-recommends \
		base-files bash coreutils dash diffutils findutils gawk grep sed tar xz-utils kmod perl-base \
		make gcc sparse "$headers" >>"$log" 2>&1 ||
		fail "cannot download what $headers needs: see $log"
	# It has the links /bin, /lib and so on, which all others rely on.
	dpkg -x "$dir"/debs/base-files_*.deb "$dir/root"
fi
for deb in "$dir"/debs/*.deb; do
	dpkg -x "$deb" "$dir/root"
done
rm -rf "$dir/debs" "$dir/apt"

if [ "$version" = newest ]; then
	[ -e "$dir/root/usr/bin/awk" ] || ln -s gawk "$dir/root/usr/bin/awk"
	[ -e "$dir/root/usr/bin/sh" ] || ln -s dash "$dir/root/usr/bin/sh"
	mkdir -p "$dir/root/proc" "$dir/root/dev" "$dir/root/tmp"
	# The package leaves out what tells make that sparse works.
	valid=$dir/root/usr/src/${headers%-*}-common/scripts/checker-valid.sh
	if [ ! -e "$valid" ]; then
		printf '%s\n' '#!/bin/sh' 'echo "int x;" >/tmp/valid.c' \
			'if "$@" /tmp/valid.c >/dev/null 2>&1; then echo 1; else echo 0; fi' >"$valid"
		chmod +x "$valid"
	fi
else
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
fi
/sbin/depmod -b "$dir/root" "$release" 2>>"$log" || /sbin/depmod -b "$dir/root/usr" "$release"
for vmlinuz in "$dir/root/boot/vmlinuz-$release" "$dir/root/usr/lib/modules/$release/vmlinuz"; do
	[ ! -e "$vmlinuz" ] || mv "$vmlinuz" "$dir/vmlinuz"
done
[ -e "$dir/vmlinuz" ] || fail "no image in$(printf ' %s' $debs)"
if [ -d "$dir/root/lib/modules" ]; then
	ln -sfn root/lib/modules "$dir/modules"
else
	ln -sfn root/usr/lib/modules "$dir/modules"
fi
echo "$release" >"$dir/release"
ln -sfn "root/usr/src/$headers" "$dir/kdir"
write_make
