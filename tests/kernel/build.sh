# SPDX-License-Identifier: Apache-2.0
# build.sh - make a debug kernel from Debian's linux-source; sourced by uml.sh and kasan.sh
#
# The sourcing script sets
#	ARCH       for make
#	FRAGMENTS  files of config/ that make up the configuration; all they do not name is off
#	TARGETS    what to make; IMAGE, the result, relative to the build folder
# and may define patch_source(), called in the source's folder after it was unpacked.
#
#	DIR/              build folder: objects, .config, the kernel, stamp
#	DIR/../linux-VERSION   the source, shared by all kernels in that folder
LINUX=6.1
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

kernel_version() {
	dpkg-query -W -f '${Version}' linux-source-$LINUX 2>/dev/null ||
		die "no kernel source here; tools/need.sh debug-kernel installs it"
}

kernel_source() { # DIR: where its source is
	echo "$(dirname "$1")/linux-$(kernel_version)"
}

# All that the kernel is made of, in one line.
kernel_stamp() {
	{
		kernel_version
		cc -dumpfullversion
		declare -f source_unpack patch_source
		echo "$ARCH $TARGETS"
		cd "$HERE/config" && cat $FRAGMENTS
	} | sha256sum | cut -d ' ' -f 1
}

# Folders that none of these kernels needs are left packed, which halves time and space.
source_unpack() { # SRC
	[ -e "$1/.complete" ] && return
	echo "unpacking linux-source-$LINUX"
	rm -rf "$1" && mkdir -p "$1" || return
	tar -C "$1" --strip-components 1 -xf /usr/src/linux-source-$LINUX.tar.xz \
		--exclude='*/Documentation/*' --exclude='*/arch/[!ux]*/*.[chS]' \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.[ch]' \
		--exclude='*/drivers/staging/*.[ch]' --exclude='*/drivers/infiniband/*.[ch]' \
		--exclude='*/drivers/net/*/*.[ch]' --exclude='*/drivers/scsi/*/*.[ch]' \
		--exclude='*/sound/*.[ch]' --exclude='*/tools/perf/*' || return
	: >"$1/Documentation/Kconfig" # the tree's Kconfig includes it
	(cd "$1" && patch_source) || return
	: >"$1/.complete"
}

patch_source() { :; }

# A line of a fragment that Kconfig did not take, for want of what it depends on, is an error.
config_check() { # CONFIG, FRAGMENT
	local line bad=0
	while read -r line; do
		case $line in
		CONFIG_* | '# CONFIG_'*' is not set') ;;
		*) continue ;;
		esac
		grep -qxF "$line" "$1" && continue
		case $line in '#'*) grep -q "^${line:2:-11}=" "$1" || continue ;; esac
		echo "not taken by Kconfig: $line" >&2
		bad=1
	done <"$2"
	return $bad
}

kernel_make() { # DIR, arguments of make
	local dir=$1
	shift
	make -s -C "$(kernel_source "$dir")" O="$dir" ARCH=$ARCH "$@"
}

kernel_build() { # DIR
	local dir stamp
	mkdir -p "$1" && dir=$(cd "$1" && pwd) || die "cannot make $1"
	kernel_version >/dev/null || exit
	stamp=$(kernel_stamp)
	(
		flock 9 # two builds of the same kernel: the second finds it made
		[ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ] && exit 0
		rm -f "$dir/stamp"
		(flock 8; source_unpack "$(kernel_source "$dir")") 8>"$(dirname "$dir")/source.lock" || exit
		echo "building $ARCH kernel $(kernel_version) in $dir: some minutes"
		(cd "$HERE/config" && cat $FRAGMENTS) >"$dir/fragment"
		kernel_make "$dir" KCONFIG_ALLCONFIG=fragment allnoconfig &&
			config_check "$dir/.config" "$dir/fragment" &&
			kernel_make "$dir" -j"$(nproc)" $TARGETS && echo "$stamp" >"$dir/stamp"
	) 9>"$1.lock" || die "cannot build the kernel in $dir"
}

# Modules are built from a copy, so that objects for other kernels are not in the way; copied
# anew each time: make compares times, and cp -a keeps them.
module_build() { # DIR, NAME, FROM: folder of the checkout, what to copy from there...
	local dir=$1 to=$1/modules/$2 from=$ROOT/$3
	shift 3
	mkdir -p "$to" && (cd "$from" && cp -a --parents "$@" "$to") || return
	kernel_make "$dir" M="$to" UBSAN_SANITIZE=y modules
}
