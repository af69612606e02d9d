#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hooks' parts one by one: each prefix of the series, and each part with those that it needs, is
# applied, built and tried.
#	tests/otp/otp_parts.sh BUILD_DIR [SET...]      a set: 01,02,04
# Tried: OTP's own smoke tests (emulator_smoke.spec in its source) pass on it as on the stock VM; the node says that it can
# tell the events of its parts and no others; each part tells something of what parts.erl does; and
# smoke.sh passes where there are messages and processes.
# An hour of one processor: hooks that change a header build all anew, so sets that have the same of
# those come one behind the other.  All is built without optimizations, in a tree of its own.
build=$(realpath "${1:-build}")
shift
here=$(cd "$(dirname "$0")" && pwd)
hooks=$here/../../erts-hooks/otp
out=$build/otp-parts
cache=${BTAP_OTP_CACHE:-$PWD/build/otp-cache}
set_of() { "$hooks/apply" -l "$@" | tr ' ' ,; }

# All sets, as `number-of-a-part,...`; those that change the same headers together.
all_sets() {
	local p n
	local with_header
	with_header=$(grep -lE '^@@ .*\.h( |$)' "$hooks"/parts/[0-9]*.hooks | sed 's|.*/||; s|-.*||' | tr '\n' ' ')
	for p in "$hooks"/parts/[0-9]*.hooks; do
		n=$(basename "$p")
		n=${n%%-*}
		set_of -u "$n"
		set_of -p "$n"
	done | awk -F, -v with_header="$with_header" '
		{
			key = ""
			for (i = 1; i <= NF; i++)
				if (index(with_header, $i " "))
					key = key $i ","
			print key, $0
		}' | sort -u | cut -d' ' -f2
}
sets=${*:-$(all_sets)}

first=${sets%%[[:space:]]*}
mkdir -p "$out"
build_set() { # SET
	BTAP_OTP_CFLAGS="-O0 -w" "$hooks/build.sh" -p "${1//,/ }" "$out" >"$out/build.log" 2>&1
}
export PATH=$out/bin:$PATH
build_set "$first" || { echo "Bail out! $first does not build"; tail -20 "$out/build.log" | sed 's/^/# /'; exit 1; }
tree=$(ls -d "$cache"/src-*-parts | tail -1)
. "$here/common" "$build"

# -- OTP's own smoke tests --

test=$tree/erts/emulator/test
spec=$test/emulator_smoke.spec
root=$(BEAMTAP_EMU_TYPE=opt erl -noinput -boot start_clean -eval 'io:put_chars(code:root_dir()), halt()')
suites=$(grep -oE '[a-z_]+_SUITE' "$spec" | sed 's/_SUITE//' | sort -u | tr '\n' ' ')
src=$T/src
mkdir "$src"
for s in $suites; do cp -r "$test/${s}_SUITE.erl" "$src/"; [ ! -d "$test/${s}_SUITE_data" ] || cp -r "$test/${s}_SUITE_data" "$src/"; done
ls "$test"/*.erl | grep -v _SUITE | xargs cp -t "$src"
cp "$test"/*.hrl "$src/" 2>/dev/null
mkdir -p "$src/none_data"
. "$here/suites"
prepare >"$T/prepare.log" 2>&1
sed "s|\"../emulator_test\"|\"$T/t\"|" "$spec" >"$T/smoke.spec"

otp_smoke() { # -> passed failed skipped
	rm -rf "$T/ct"
	mkdir "$T/ct"
	timeout 900 erl -noinput -sname "ct_$$" -pa "$T/t" -eval "
		R = (catch ct:run_test([{spec, \"$T/smoke.spec\"}, {logdir, \"$T/ct\"}, {auto_compile, false}])),
		case R of
			{Ok, Failed, {User, Auto}} -> file:write_file(\"$T/ct/result\", io_lib:format(\"~w ~w ~w~n\", [Ok, Failed, User + Auto]));
			_ -> io:format(\"~p~n\", [R])
		end, halt()." >"$T/err" 2>&1
	find "$T/ct" -name suite.log -exec awk '/^=case/ { c = $2 } /^=result *failed/ { print c }' {} + | sort -u >"$T/failed"
	cat "$T/ct/result" 2>/dev/null || echo 0 0 0
}
# What the machine makes fail (no time zones, say) fails on the stock VM, too.
read -r passed failed skipped < <(BEAMTAP_EMU_TYPE=opt otp_smoke)
[ "$passed" -gt 0 ] || bail "OTP's smoke tests do not run on the stock VM"
mv "$T/failed" "$T/failed.stock"
echo "# OTP's smoke tests on the stock VM: $passed pass, $failed fail: $(tr '\n' ' ' <"$T/failed.stock")"

# -- what it tells --

erlc -o "$T" "$here/parts.erl" || bail "parts.erl does not compile"
epmd -daemon 2>/dev/null
able=$tree/erts/emulator/beamtap/beamtap_able.h
# A stack is no event of its own: it comes with others.
# Names as D has them, told apart by neither _ nor -; the number of user_trace-n7 is no part of it.
plain() { tr _ - | sed 's/^user-trace-n[0-9]*$/user-trace-n/' | grep -vx stack | sort -u; }
events_of() { sed -n "s|^BTAP_EV_\([a-z0-9_]*\), /\* part $1 \*/|\1|p" "$able" | plain; } # PART
told() { # SET: what it tells of parts:main() into $T/events
	local args e stack
	rm -rf "$T/rec" "$T/go" "$T/done" "$T/ready"
	start_node -name "parts_$$@127.0.0.1" -kernel inet_dist_use_interface '{127,0,0,1}' -pa "$T" -eval "
		{ok, _} = application:ensure_all_started(beamtap),
		{module, _} = code:ensure_loaded(parts), {module, _} = code:ensure_loaded(compile),
		file:write_file(\"$T/ready\", []),
		W = fun W() -> filelib:is_file(\"$T/go\") orelse begin timer:sleep(20), W() end end, W(),
		file:write_file(\"$T/done\", io_lib:format(\"~p\", [catch parts:main()]))."
	await "$T/ready" || return 1
	"$bt" list -p $node 2>"$T/err" | sed -n 's/^yes \([^ ]*\) .*/\1/p' >"$T/names"
	plain <"$T/names" >"$T/can"
	args=()
	case $1 in *22*) stack=:stack ;; *) stack= ;; esac
	# User probes and the state are the application's, which part 02 has for it.
	for e in $(grep -vx -e stack -e 'function-.*' "$T/names"); do
		events_of 02 | grep -qx "$(echo "$e" | plain)" || args+=(-e "$e$stack")
	done
	[ ${#args[@]} != 0 ] || args=(-e 'user-*')
	case $1 in *20*) args+=(-e 'function-*' -f 'parts:called/1:return') ;; esac
	"$bt" record -p $node -o "$T/rec" "${args[@]}" 2>"$T/err" & recorder=$!
	for _ in $(seq 100); do
		"$bt" list | awk -v p=$node '$1 == p { exit !($8 > 0) }' && break
		sleep 0.05
	done
	sleep 0.3
	: >"$T/go"
	await "$T/done"
	sleep 0.2
	kill -INT $recorder
	wait $recorder
	[ "$(cat "$T/done" 2>/dev/null)" = done ] || { cat "$T/done" >>"$T/err"; return 1; }
	"$bt" dump "$T/rec" >"$T/events" 2>"$T/err" || return 1
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[a-z_]+(-[a-z0-9_]+)+$/) { print $i; break } }' "$T/events" | plain >"$T/seen"
}

# -- all sets --

try() { # SET
	local n passed failed skipped silent=
	: >"$T/err"
	read -r passed failed skipped < <(otp_smoke)
	[ "$passed" -gt 0 ] && [ -z "$(comm -23 "$T/failed" "$T/failed.stock" | tee "$T/err")" ]
	ok $? "$1: OTP's smoke tests pass as on the stock VM ($passed, $skipped skipped)"
	if [ "$1" = 01 ]; then
		erl -noinput -eval 'timer:sleep(3000), halt(4)' >"$T/err" 2>&1 & node=$!
		sleep 1
		! "$bt" list | grep -q "^$node "
		ok $? "$1: it runs, and has nothing to read"
		wait $node
		node=
		return
	fi
	told "$1"
	ok $? "$1: a node runs what all parts have to do with"
	for n in ${1//,/ }; do events_of "$n"; done | sort >"$T/should"
	diff "$T/should" "$T/can" >"$T/err" 2>&1
	ok $? "$1: it says that it can tell the $(wc -l <"$T/should") events of its parts and no others"
	for n in ${1//,/ }; do
		[ "$n" != 02 ] && [ -n "$(events_of "$n")" ] || continue
		[ -n "$(comm -12 <(events_of "$n") "$T/seen")" ] || silent="$silent $n"
	done
	echo "told: $(tr '\n' ' ' <"$T/seen")" >"$T/err"
	# Sockets that are there when a recording begins belong to the state.
	[ -z "$silent" ] && [ -z "$(comm -13 "$T/can" "$T/seen" | grep -vx socket-open)" ]
	ok $? "$1: each part tells something${silent:+, but not$silent}"
	stop_node
	case $1 in
	*15*)
		has 'message-send .*receiver=#Port' "$T/events" "$1: a message to a port is told"
		;;
	esac
	case $1 in
	*03*22*)
		has ' stack ' "$T/events" "$1: events have stacks"
		;;
	esac
	case $1 in
	*03,04*)
		"$here/smoke.sh" "$build" >"$T/out" 2>&1
		! grep -E '^not ok|^Bail' "$T/out" >"$T/err" && grep -q '^1\.\.' "$T/out"
		ok $? "$1: smoke.sh passes ($(grep -c '^ok' "$T/out"))"
		;;
	esac
}

for s in $sets; do
	begin=$SECONDS
	build_set "$s"
	status=$?
	tail -20 "$out/build.log" >"$T/err"
	ok $status "$s: applied and built"
	[ $status != 0 ] || try "$s"
	echo "# $s: $((SECONDS - begin)) s"
done
plan
