#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# planted.sh - prove that a debug kernel's checkers, and those who read their words, are not blind
#
#	tests/kernel/planted.sh uml|kasan DIR
#
# planted.ko commits one fault after the other, and each must come out of out_judge() as a
# failure with its right name; what is not a fault must not.
set -u
. "$(dirname "$0")/build.sh"
. "$(dirname "$0")/run.sh"
kernel=$HERE/$1.sh dir=$(cd "$2" && pwd) || exit

"$kernel" module "$dir" planted tests/kernel/planted Kbuild planted.c || die "planted.ko does not build"
cc -O1 -Wall -Wextra -o "$dir/planted_nth" -I "$HERE" "$HERE/planted_nth.c" || exit
ln -sf planted_nth "$dir/planted_alloc" # a name of its own among leaks
ko=$dir/modules/planted/planted.ko
fault=/sys/module/planted/parameters/fault

boot() { # OUT, SECONDS
	timeout -k 5 "$2" "$kernel" boot "$dir" "$1" >"$1/console" 2>&1 </dev/null
}

out=$(out_new "$dir")
out_add "$out" load "insmod $ko"
out_add "$out" none "echo none >$fault"
out_add "$out" alloc "$dir/planted_alloc alloc 3"
# The lock checker turns itself off after any report, so its turn comes first.
for f in inversion atomic shift index oob uaf vmalloc warn; do
	out_add "$out" $f "echo $f >$fault"
done
# A pointer left on some stack hides a leak: of several, one at least must be seen.
for f in leak vleak; do
	out_add "$out" $f "for i in 1 2 3 4 5 6 7 8; do echo $f >$fault; done"
done
out_add "$out" undo "for i in 1 2 3 4 5 6 7 8; do $dir/planted_nth undo 2; done"
out_add "$out" exit "exit 3"
out_add "$out" unload "rmmod planted"
boot "$out" "${LIMIT:-300}"
tap=$(out_judge "$out")

status=0
expect() { # NAME, PATTERN of a line in the judge's words
	if grep -qE -- "$2" <<<"$tap"; then
		echo "ok - $1"
	else
		echo "not ok - $1: no line like: $2"
		status=1
	fi
}
expect "no fault, no report" "^ok - none: nothing in the kernel's log"
expect "failed allocations, each in turn, are survived" "^ok - alloc: each of [0-9]+ failed"
expect "these leave no report" "^ok - alloc: nothing in the kernel's log"
expect "lock inversion" "^not ok - inversion: kernel log: .*possible circular locking dependency"
expect "allocation that may sleep, under a spinlock" "^not ok - atomic: kernel log: BUG: sleeping function called"
expect "shift by more bits than there are" "^not ok - shift: kernel log: UBSAN: shift-out-of-bounds"
expect "index behind an array" "^not ok - index: kernel log: UBSAN: array-index-out-of-bounds"
expect "read behind an object" "^not ok - oob: kernel log: BUG: KASAN: slab-out-of-bounds in peek"
expect "use after free" "^not ok - uaf: kernel log: BUG: KASAN: (slab-)?use-after-free in peek"
expect "read behind vmalloc()ed memory" "^not ok - vmalloc: kernel log: BUG: KASAN: vmalloc-out-of-bounds in peek"
expect "warning" "^not ok - warn: kernel log: WARNING: .*fault_warn"
expect_leak() { # NAME, PATTERN: who, and of what size
	if tr '\n' ' ' <"$out/leaks" | grep -qE "$2"; then
		echo "ok - $1"
	else
		echo "not ok - $1: not among the leaks"
		status=1
	fi
}
expect_leak "leak" '\(size 64\): +comm "sh"'
expect_leak "leak of vmalloc()ed memory" '\(size 16384\): +comm "sh"'
expect_leak "leak when an allocation failed" '\(size 64\): +comm "planted_nth"'
expect "leaks are failures" "^not ok - memory leaked: [0-9]+ objects"
if grep 'comm "' "$out/leaks" | grep -qvE 'comm "(sh|planted_nth)"'; then
	echo "not ok - what did not leak is not called a leak"
	status=1
else
	echo "ok - what did not leak is not called a leak"
fi
expect "program that fails without a word" "^not ok - exit: exit status 3"
expect "lock checker that went off" "^not ok - the lock checker turned itself off"
expect "taint" "^not ok - kernel is tainted"
[ $status = 0 ] || { echo "$tap" | sed 's/^/# /'; echo "# results are left in $out"; }
[ $status = 0 ] && rm -rf "$out"

out=$(out_new "$dir")
out_add "$out" null "insmod $ko; echo null >$fault"
out_add "$out" after "true"
boot "$out" 120
tap=$(out_judge "$out")
first=$status
expect "kernel that fell" "^not ok - null: kernel log: .*(Kernel panic|Oops|BUG: |general protection fault)"
expect "guest that fell is not taken for one that ended" "^not ok - (the guest did not come to its end|kernel is tainted)"
[ $first = $status ] && rm -rf "$out" || { echo "$tap" | sed 's/^/# /'; echo "# results are left in $out"; }
exit $status
