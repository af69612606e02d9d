#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# suite.sh - beamtap.ko in a debug kernel, under all its checkers
#
#	tests/kernel/suite.sh uml|kasan DIR KSELFTEST...
#
# One boot for the kselftests, one in which each allocation fails in turn.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
kernel=$here/$1.sh dir=$(cd "$2" && pwd) || exit
shift 2
[ $# -gt 0 ] || { echo "suite.sh: no kselftests given" >&2; exit 1; }

"$kernel" module "$dir" beamtap . Kbuild kmod uapi >&2 || exit
ko=$dir/modules/beamtap/beamtap.ko
cc -O1 -Wall -Wextra -I "$root/uapi" -o "$dir/beamtap_nth" "$here/beamtap_nth.c" || exit

status=0
"$kernel" run "$dir" "insmod $ko" "$@" "rmmod beamtap" || status=1
"$kernel" run "$dir" "insmod $ko" "$dir/beamtap_nth" "rmmod beamtap" || status=1
exit $status
