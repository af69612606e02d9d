#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OTP's own test suites of the emulator, on the stock VM (of the same tree) and on the one with hooks,
# off and on.
#	tests/otp/otp_suites.sh BUILD_DIR [SUITE...]
# The suites come from the source that `make otp` took.  Of each test case the result is compared:
# what the stock VM passes, the VM with hooks must pass, with nobody reading (off) and while a
# lease asks for every event (on).  Each case that differs is printed, and run again three times on
# both, since many depend on time: it counts when it then still fails with hooks alone.
#	MODES="stock off"   only these
#	KEEP=DIR            keep Common Test's logs there
set -u
B=$(realpath "${1:-build}")
shift
suites=${*:-trace trace_local trace_bif trace_call_count trace_call_time trace_meta trace_nif trace_port tracer
	call_trace match_spec receive message_queue_data send_term gc process hibernate monitor erl_link
	register signal port port_bif busy_port exception code save_calls timer_bif system_profile scheduler
	dirty_nif}
modes=${MODES:-stock off on}
[ -e "$B/otp/beam.stock.smp" ] || { echo "make otp-stock comes first"; exit 1; }
[ -x "$B/agent/test/reader" ] || { echo "make otp-suites builds what this needs"; exit 1; }
src=$(ls -d "${BTAP_OTP_CACHE:-$PWD/build/otp-cache}"/src-*/erts/emulator/test 2>/dev/null | tail -1)
[ -d "$src" ] || { echo "no source of OTP with its tests: make otp comes first"; exit 1; }
T=$(mktemp -d) || exit 1
reader=
cleanup() { exec 9>&- 2>/dev/null; [ -z "${KEEP:-}" ] || cp -r "$T"/run.* "$KEEP"/ 2>/dev/null; rm -rf "$T"; }
trap cleanup EXIT
trap 'exit 1' INT TERM
root=$(erl -noinput -boot start_clean -eval 'io:put_chars(code:root_dir()), halt()')
export PATH=$B/otp/bin:$PATH

. "$(dirname "$0")/suites"

# run MODE OUT [CASE...]: MODE's results, one `suite:case result` a line
run() {
	local mode=$1 out=$2 dir type=tap s pid
	shift 2
	dir=$(mktemp -d "$T/run.$mode.XXXXXX")
	[ "$mode" != stock ] || type=stock
	for s in $suites; do
		[ $# = 0 ] || case " $* " in *" $s"_SUITE:*) ;; *) continue ;; esac
		local cases=
		[ $# = 0 ] || cases="-case $(printf '%s\n' "$@" | sed -n "s/^${s}_SUITE://p" | tr '\n' ' ')"
		# An endless standard input; the VM's pid comes with its first words.
		BEAMTAP_EMU_TYPE=$type timeout -k 10 "${SUITE_SECONDS:-900}" erl -noinput -sname "ct_$$" -pa "$T/t" \
			-eval "file:write_file(\"$dir/pid\", os:getpid())" \
			-eval "$([ "$mode" != on ] || echo "W = fun W() -> filelib:is_file(\"$dir/on\") orelse begin timer:sleep(50), W() end end, W(),")
				C = string:lexemes(\"${cases#-case }\", \" \"),
				R = (catch ct:run_test([{dir, \"$T/t\"}, {suite, ${s}_SUITE}, {logdir, \"$dir\"}, {auto_compile, false}, {ct_hooks, []}]
					++ [{testcase, [list_to_atom(X) || X <- C]} || C =/= []])),
				io:format(\"~p~n\", [R]), halt()." >"$dir/$s.log" 2>&1 &
		pid=$!
		if [ "$mode" = on ]; then
			hold "$dir"
		fi
		wait $pid
		[ "$mode" != on ] || release
		rm -f "$dir/pid" "$dir/on"
	done
	python3 - "$dir" >"$out" <<-'END'
	import glob, re, sys
	seen = {}
	for f in glob.glob(sys.argv[1] + "/ct_run*/**/suite.log", recursive=True):
	    case = None
	    for line in open(f, errors="replace"):
	        m = re.match(r"=case\s+(\S+)", line)
	        if m:
	            case = m.group(1)
	        m = re.match(r"=result\s+(\w+)", line)
	        if m and case:
	            name = case.replace(":", ":")
	            if not name.endswith((":init_per_suite", ":end_per_suite")):
	                # The same case in several groups: the worst counts.
	                old, new = seen.get(name), m.group(1)
	                if old is None or (new == "failed" and old != "failed"):
	                    seen[name] = new
	            case = None
	for k in sorted(seen):
	    print(k, seen[k])
	END
}

# A lease for every event, held while the VM runs; nothing is drained, so rings are written over and over.
hold() { # DIR
	local n
	for n in $(seq 200); do
		[ -s "$1/pid" ] && [ -e "/dev/shm/beamtap.$(cat "$1/pid")" ] && break
		sleep 0.1
	done
	mkfifo "$1/cmd"
	"$B/agent/test/reader" "/dev/shm/beamtap.$(cat "$1/pid")" <"$1/cmd" >"$1/reader.out" 2>&1 &
	reader=$!
	exec 9>"$1/cmd"
	rm "$1/cmd"
	echo "want ffffffffffffffff,ffffffffffffffff,ffffffffffffffff,ffffffffffffffff 0 " >&9
	sleep 1
	grep -h '^answer' "$1/reader.out" >>"$1/answers"
	: >"$1/on"
}
release() { exec 9>&-; wait "$reader" 2>/dev/null; reader=; }

differ() { # FILE: cases that passed on the stock VM and failed there
	join "$T/stock" "$1" | awk '$2 == "ok" && $3 != "ok" { print $1 }'
}
prepare
for m in $modes; do
	echo "# $m: $(date +%T)"
	run "$m" "$T/$m"
	awk -v m="$m" '{ n[$2]++ } END { printf "# %s:", m; for (r in n) printf " %d %s", n[r], r; print "" }' "$T/$m"
done
[ -f "$T/stock" ] || exit 0
bad=0 nr=0
for m in off on; do
	[ -f "$T/$m" ] || continue
	missing=$(join -v1 "$T/stock" "$T/$m" | wc -l)
	again=$(differ "$T/$m")
	still=
	if [ -n "$again" ]; then
		echo "# $m: differ, run again:" $again
		# shellcheck disable=SC2086
		for i in 1 2 3; do
			run stock "$T/s$i" $again
			run "$m" "$T/$m$i" $again
		done
		for c in $again; do
			n=$(cat "$T/$m"[123] | grep -c "^$c ok") k=$(cat "$T"/s[123] | grep -c "^$c ok")
			echo "# $c: passed $n of 3 with hooks ($m), $k of 3 without"
			[ "$n" -ge "$k" ] || still="$still $c"
		done
	fi
	nr=$((nr + 1))
	if [ -z "$still" ] && [ "$missing" = 0 ]; then
		echo "ok $nr - OTP's suites with hooks $m: as the stock VM ($(grep -c ' ok$' "$T/$m") of $(wc -l <"$T/$m") pass, stock $(grep -c ' ok$' "$T/stock"))"
	else
		bad=1
		echo "not ok $nr - OTP's suites with hooks $m:$still ($missing cases not run)"
	fi
done
echo "1..$nr"
exit $bad
