#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh [-s OTP_SOURCE] [-f jit|emu] [-t tap|opt|systemtap|lttng] [-p 'NN ...'] OUT - the emulator with hooks for the Erlang installed here
#
# Takes Debian's source package of that Erlang (or a copy of OTP_SOURCE), applies the hooks and
# builds the emulator of type `tap` alone.  OUT gets beam.tap.smp (beam.tap.emu for `-f emu`),
# and OUT/bin/erl, which runs it with all else of the Erlang installed, changing nothing there.
#
# With -t opt the ordinary emulator of the same tree and compiler, in which nothing of the hooks is:
# beam.stock.smp, run by BEAMTAP_EMU_TYPE=stock, to compare with.  -t systemtap and -t lttng: with OTP's own
# probes or tracepoints (--with-dynamic-trace), from a tree of its own without hooks: beam.systemtap.smp,
# beam.lttng.smp, and for the latter OUT/lttng, the library runtime_tools that belongs to it.
# With -p some parts of the hooks alone, to test them: in a tree of its own, not kept.
#
# What was built before from the same source, hooks and compiler is taken from the cache.
#	BTAP_OTP_CACHE   where the sources and what was built are kept (build/otp-cache)
#	BTAP_OTP_ROOT    the Erlang to build for (what `erl` starts)
#	BTAP_OTP_JOBS    how many compilers at once (as many as there are processors)
#	BTAP_OTP_CFLAGS  the compiler's flags where a tree is configured (OTP's own)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${BTAP_OTP_CACHE:-$root/build/otp-cache}
jobs=${BTAP_OTP_JOBS:-$(nproc)}
source='' flavor=jit type=tap parts=''

die() { printf 'build.sh: %s\n' "$@" >&2; exit 1; }
usage() { sed -n '3,21s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while getopts s:f:t:p: o; do
	case $o in s) source=$(realpath "$OPTARG") ;; f) flavor=$OPTARG ;; t) type=$OPTARG ;; p) parts=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
[ $# = 1 ] || usage
case $flavor in jit) suffix=smp ;; emu) suffix=emu ;; *) usage ;; esac
case $type in
tap) name=beam.tap.$suffix made=beam.tap.$suffix ;;
opt) name=beam.stock.$suffix made=beam.$suffix ;;
systemtap | lttng) name=beam.$type.$suffix made=beam.$suffix ;;
*) usage ;;
esac
mkdir -p "$cache" "$1"
cache=$(realpath "$cache") out=$(realpath "$1")

# -- which Erlang --

erlang=${BTAP_OTP_ROOT:-$(erl -noinput -boot start_clean -eval 'io:put_chars(code:root_dir()), halt().')} ||
	die "there is no Erlang here: tools/need.sh agent installs it"
[ ! -L "$erlang/lib" ] || erlang=$(dirname "$(readlink -f "$erlang/lib")") # a root made by this script
erts=$(sed -n 's/^\([^ ]*\) .*/\1/p' "$erlang/releases/start_erl.data" 2>/dev/null) && [ -d "$erlang/erts-$erts" ] ||
	die "$erlang is no root of an Erlang: it has no erts-* as releases/start_erl.data says"
release=$(sed 's/.* //' "$erlang/releases/start_erl.data")
if [ -n "$source" ]; then
	version=$(cat "$source/OTP_VERSION") || die "$source is no source tree of OTP"
	[ "${version%%.*}" = "$release" ] ||
		die "$source is OTP $version, $erlang is OTP $release: the emulator of the one cannot run the other"
	version=$version-$(printf %s "$source" | cksum | cut -d' ' -f1)
else
	version=$(dpkg-query -W -f '${source:Version}' erlang-base 2>/dev/null) ||
		die "the Erlang in $erlang is not Debian's: give its source with -s OTP_SOURCE (make otp OTP_SOURCE=...)"
fi

# -- was it built before? --

exec 9>"$cache/lock"
flock 9
id=$(printf %s "${version#*:}" | tr -c 'A-Za-z0-9.-' _) # make is particular about paths
sum=$({
	echo "$version $flavor $type"
	${CC:-gcc} --version | head -1
	cat "$here"/build.sh
	[ "$type" = tap ] || [ "$type" = opt ] || exit 0
	cat "$here"/apply* "$here"/parts/* "$here"/src/* "$root"/erts-hooks/writer/*.[ch] "$root"/uapi/beamtap/*.h \
	    "$root"/erts-hooks/agent/c_src/reason.[ch] "$root"/erts-hooks/agent/c_src/term.h
} | sha256sum | cut -c1-16)
[ "${BTAP_OTP_SUM:-}" != show ] || { echo "$id-$sum"; exit 0; }
built=$cache/bin/$id-$sum/$name
[ -z "$parts" ] || built=$out/parts/$name

# -- the source --

# The archives of this machine, asked for sources; nothing in /etc is changed.  Those of others
# than Debian have no Erlang of Debian's.
apt_private() {
	local d=$cache/apt f
	rm -rf "$d/list.d"
	mkdir -p "$d/list.d" "$d/lists/partial" "$d/cache/archives/partial"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -f "$f" ] || sed -n '/debian/s/^deb /deb-src /p' "$f" >"$d/list.d/$(basename "${f%.list}").list"
	done
	for f in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$f" ] || awk 'BEGIN { RS = ""; ORS = "\n\n" } /URIs:[^\n]*debian/ { sub(/Types:[^\n]*/, "Types: deb-src"); print }' \
			"$f" >"$d/list.d/$(basename "$f")"
	done
	apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$d/list.d"
		-o Dir::State::Lists="$d/lists" -o Dir::Cache="$d/cache" -o APT::Sandbox::User="$(id -un)")
}

fetch() { # into $cache/dsc-$id
	local to=$cache/dsc-$id log=$cache/fetch.log
	compgen -G "$to/*.dsc" >/dev/null && return
	rm -rf "$to.new"
	mkdir -p "$to.new"
	apt_private
	echo "fetching the source of erlang $version"
	"${apt[@]}" update >"$log" 2>&1 || { tail -5 "$log" >&2; die "apt-get update failed, see $log"; }
	(cd "$to.new" && "${apt[@]}" source --download-only "erlang=$version") >>"$log" 2>&1 || {
		grep '^E:' "$log" >&2
		die "the archive has no source of erlang $version (see $log)" \
			"upgrade erlang-base, or unpack a source of OTP $release and give it: make otp OTP_SOURCE=DIR"
	}
	rm -rf "$to"
	mv "$to.new" "$to"
}

tree=$cache/src-$id${parts:+-parts} goal=$type probes=''
case $type in systemtap | lttng) tree=$tree-$type goal=opt probes=--with-dynamic-trace=$type ;; esac
unpack() {
	[ ! -f "$tree/OTP_VERSION" ] || return 0
	rm -rf "$tree.new"
	if [ -n "$source" ]; then
		cp -a "$source" "$tree.new"
	else
		fetch
		dpkg-source --no-check -x "$cache/dsc-$id"/*.dsc "$tree.new" >"$cache/unpack.log" 2>&1 ||
			{ tail -5 "$cache/unpack.log" >&2; die "the source package cannot be unpacked, see $cache/unpack.log"; }
	fi
	mv "$tree.new" "$tree"
}

# -- build --

configure() { # make/ and erts/ alone: the libraries are those installed
	local log=$cache/configure.log target f
	target=$("$tree/make/autoconf/config.guess")
	if [ ! -f "$tree/.configured" ]; then
		echo "configuring OTP $release ($log)"
		for f in make erts; do
			(cd "$tree/$f" && ERL_TOP=$tree ${BTAP_OTP_CFLAGS:+env CFLAGS="$BTAP_OTP_CFLAGS" CXXFLAGS="$BTAP_OTP_CFLAGS"} ./configure --disable-option-checking $probes --srcdir="$tree/$f") >"$log" 2>&1 ||
				{ tail -20 "$log" >&2; die "OTP does not configure, see $log"; }
		done
		touch "$tree/.configured"
	fi
	# What the hooks add to makefiles may have changed since.
	for f in emulator lib_src; do
		[ "$tree/erts/$f/$target/Makefile" -nt "$tree/erts/$f/Makefile.in" ] ||
			(cd "$tree/erts" && host=$target ./config.status "$f/$target/Makefile") >>"$log" 2>&1 ||
			die "OTP's makefiles cannot be made again, see $log"
	done
}

compile() {
	local log=$cache/make.log target
	target=$(cd "$tree" && make/autoconf/config.guess)
	echo "building the emulator: some 6 minutes of processor time ($log)"
	ERL_TOP=$tree make -C "$tree/erts/emulator" -j"$jobs" $goal FLAVOR=$flavor >"$log" 2>&1 ||
		{ grep -E -A5 'error|Error' "$log" | tail -20 >&2; die "OTP does not build, see $log"; }
	mkdir -p "$(dirname "$built")"
	if [ "$type" = lttng ]; then
		ERL_TOP=$tree make -C "$tree/lib/runtime_tools/c_src" >>"$log" 2>&1 || die "runtime_tools does not build, see $log"
		cp "$tree/lib/runtime_tools/priv/lib/$target/dyntrace.so" "$(dirname "$built")/"
	fi
	strip -g -o "$built.new" "$tree/bin/$target/$made"
	mv "$built.new" "$built"
}

if [ ! -f "$built" ] || [ -n "$parts" ]; then
	unpack
	# OTP 25 has a variable of that name, which LTTng's headers define.
	[ "$type-$release" != lttng-25 ] || sed -i 's/\<bool\>/is_monitor/g' "$tree/erts/emulator/beam/dist.c"
	[ -n "$probes" ] || "$here/apply" ${parts:+-p "$parts"} "$tree"
	configure
	compile
else
	echo "the emulator is at hand ($id-$sum)"
fi

# -- a root of its own, in which all else is the installed one's --

rm -rf "$out/root" "$out/bin"
mkdir -p "$out/root/erts-$erts/bin" "$out/bin"
for f in "$erlang"/*; do
	[ "$(basename "$f")" = "erts-$erts" ] || ln -s "$f" "$out/root/"
done
ln -s "$erlang/erts-$erts"/bin/* "$out/root/erts-$erts/bin/"
cp "$built" "$out/$name.new"
mv "$out/$name.new" "$out/$name"
ln -sf "$out"/beam.* "$out/root/erts-$erts/bin/"
cat >"$out/bin/erl" <<-END
	#!/bin/sh
	# The installed Erlang on the emulator with hooks.  BEAMTAP_EMU_TYPE=opt: on its own.
	ROOTDIR=$out/root
	BINDIR=$out/root/erts-$erts/bin
	EMU=beam
	PROGNAME=erl
	export ROOTDIR BINDIR EMU PROGNAME
	$([ $flavor = jit ] || echo '[ "${BEAMTAP_EMU_TYPE:-tap}" != tap ] || set -- -emu_flavor emu "$@"')
	exec "\$BINDIR/erlexec" -emu_type "\${BEAMTAP_EMU_TYPE:-tap}" "\$@"
END
chmod +x "$out/bin/erl"
if [ "$type" = lttng ]; then
	rm -rf "$out/lttng"
	mkdir -p "$out/lttng/runtime_tools/priv/lib"
	cp -r "$erlang"/lib/runtime_tools-*/ebin "$out/lttng/runtime_tools/"
	cp "$(dirname "$built")/dyntrace.so" "$out/lttng/runtime_tools/priv/lib/"
fi
echo "$erlang/erts-$erts/bin" >"$out/where"
[ -n "$probes" ] || echo "$tree" >"$out/tree"
echo "$out/bin/erl runs it"
