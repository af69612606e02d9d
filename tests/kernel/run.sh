# SPDX-License-Identifier: Apache-2.0
# run.sh - boot a test kernel, and judge what its console and its results say; sourced
#
# The sourcing script defines kernel_boot DIR OUT: run the kernel of DIR to its end, with
# guest.sh as init and OUT as the folder for results; the console's text is its output.
#
# An OUT folder: N.name and N.cmd for each command (see guest.sh), what the guest leaves, and
# `console`.

# What a checker says when it found something, or the kernel when it fell.
SPLATS='BUG: |WARNING: |UBSAN: |INFO: (possible|task|rcu|trying|suspicious|lockdep)|Oops'
SPLATS+='|general protection|Kernel panic|Kernel mode fault|Unable to handle|leak detector disabled'
SPLATS+='|ODEBUG: |refcount_t: |list_(add|del)(_rcu)? corruption|bad page state|Bad page map'
SPLATS+='|rss-counter|detected stall|double fault|stack guard page|corrupted stack'
TAP='^[[:space:]]*(not )?ok\b'

out_add() { # OUT, NAME, COMMAND: one more command for the guest
	local n
	n=$(($(find "$1" -name '*.cmd' | wc -l) + 1))
	echo "$2" >"$1/$n.name"
	printf 'cd %s\n%s\n' "$ROOT" "$3" >"$1/$n.cmd"
}

out_boot() { # DIR, OUT, SECONDS
	timeout -k 5 "$3" "$0" boot "$1" "$2" >"$2/console" 2>&1 </dev/null
}

log_section() { # OUT, MARK: what the kernel said from that mark to the next
	tr -d '\r' <"$1/console" | awk -v n="$2" '/btap-run: / { on = $NF == n } on'
}

log_verdict() { # OUT, MARK, NAME
	local log splats
	log=$(log_section "$1" "$2")
	[ -n "$log" ] || { echo "not ok - $3: its mark is not in the kernel's log"; return; }
	splats=$(grep -aE "$SPLATS" <<<"$log" | sed -E 's/^\[ *[0-9.]+\] *//; s/#/no. /g')
	if [ -z "$splats" ]; then
		echo "ok - $3: nothing in the kernel's log"
		return
	fi
	# Several lines may belong to one report; the first of each kind is told.
	sort -u <<<"$splats" | head -5 | sed "s/^/not ok - $3: kernel log: /"
	grep -aE -A 40 "$SPLATS" <<<"$log" | head -200 | sed 's/^/# /'
}

command_verdict() { # OUT, N, NAME
	local out=$1/$2.out rc
	[ -e "$out" ] && cat "$out"
	rc=$(cat "$1/$2.rc" 2>/dev/null)
	case $rc in
	'') echo "not ok - $3: did not end, or never began" ;;
	0) grep -qE "$TAP" "$out" || echo "ok - $3" ;;
	4 | 77) grep -qE "$TAP" "$out" || echo "ok - $3 # SKIP $(tail -1 "$out")" ;;
	*) grep -q '^[[:space:]]*not ok' "$out" || echo "not ok - $3: exit status $rc" ;;
	esac
}

# TAP of all that happened.
out_judge() { # OUT
	local n name
	for n in $(find "$1" -name '*.cmd' -printf '%f\n' | sed 's/\.cmd//' | sort -n); do
		name=$(cat "$1/$n.name")
		command_verdict "$1" "$n" "$name"
		log_verdict "$1" "$n" "$name"
	done
	log_verdict "$1" leaks 'last scan'
	log_verdict "$1" end 'power off'
	if [ ! -e "$1/tainted" ]; then
		echo "not ok - the guest did not come to its end"
		tail -40 "$1/console" | sed 's/^/# /'
		return
	fi
	if [ -s "$1/leaks" ]; then
		echo "not ok - memory leaked: $(grep -c '^unreferenced' "$1/leaks") objects"
		head -100 "$1/leaks" | sed 's/^/# /'
	else
		echo "ok - no memory leaked"
	fi
	if grep -q 'debug_locks: *1' "$1/lockdep"; then
		echo "ok - lock checker was on to the end"
	else
		echo "not ok - the lock checker turned itself off"
	fi
	# 4096 and 8192: a module from out of tree, unsigned
	if [ $(($(cat "$1/tainted") & ~(4096 | 8192))) = 0 ]; then
		echo "ok - kernel is not tainted"
	else
		echo "not ok - kernel is tainted: $(cat "$1/tainted")"
	fi
}

out_new() { # DIR: a folder for results
	mktemp -d "$(cd "$1" && pwd)/run.XXXXXX"
}

# run DIR PROGRAM...: one boot, the programs in turn, TAP.  LIMIT=SECONDS for the whole.
run() {
	local dir=$1 out tap status
	shift
	out=$(out_new "$dir") || die "no kernel in $dir"
	for p; do
		out_add "$out" "$(basename "${p%% *}")" "$p"
	done
	out_boot "$dir" "$out" "${LIMIT:-600}"
	status=$?
	[ $status = 124 ] && echo "not ok - no end after ${LIMIT:-600} s"
	tap=$(out_judge "$out")
	echo "$tap"
	if grep -q '^[[:space:]]*not ok' <<<"$tap" || [ $status = 124 ]; then
		echo "# results are left in $out"
		return 1
	fi
	rm -rf "$out"
}

main() { # build DIR | module DIR NAME FROM PATH... | boot DIR OUT | run DIR PROGRAM...
	local what=${1:-}
	[ $# -ge 2 ] || die "usage: build DIR | module DIR NAME FROM PATH... | boot DIR OUT | run DIR PROGRAM..."
	shift
	case $what in
	build) kernel_build "$@" ;;
	module) module_build "$@" ;;
	boot) kernel_boot "$@" ;;
	run) run "$@" ;;
	*) die "$what: unknown; build, module, boot, run" ;;
	esac
}
