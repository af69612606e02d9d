#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# beamtap record and list with a stand-in for a VM (tests/lib/tapvm.c): whole, cut short, killed, full, twice.
#	tests/e2e/record.sh BUILD_DIR
. "$(dirname "$0")/../lib/tap.sh"
N=tapvm$$
pids=
trap 'for p in $pids; do kill -9 $p 2>/dev/null; done; rm -rf "$T" /dev/shm/beamtap.$vm' EXIT

start() { # ARGUMENTS of tapvm
	"$B"/tests/tapvm -n "$N@host" "$@" > "$T"/vm.out &
	vm=$!
	pids="$pids $vm"
	for _ in $(seq 100); do "$B"/beamtap list 2>/dev/null | grep -q "^$vm .*alive" && return; sleep 0.05; done
}
stop() { kill "$vm"; wait "$vm" 2>/dev/null; written=$(sed 's/written //' "$T"/vm.out); }
record() { "$B"/beamtap record "$@" > "$T"/out 2> "$T"/err; }
said() { grep -q -- "$1" "$T"/err; }
events() { "$B"/beamtap dump "$1" 2>/dev/null | grep -vc ' lost '; }
lost() { sed -n 's/.* \([0-9]*\) lost in .*/\1/p' "$T"/err; }

# Whole.
start -t 2 -r 100000
record -p $N -o "$T"/a -e process-runnable -d 1s
ok $? "a node is recorded by name for some time"
got=$(events "$T"/a); l=$(lost)
stop
[ "$got" -gt 10000 ] && [ $((got + l)) = "$written" ]
ok $? "read and lost are what was written ($got + $l = $written)"
[ "$(babeltrace2 "$T"/a 2>/dev/null | wc -l)" = "$got" ]
ok $? "babeltrace2 counts the same"
[ "$(stat -c %a "$T"/a)" = 700 ] && [ "$(stat -c %a "$T"/a/metadata "$T"/a/ring_0 "$T"/a/.beamtap | sort -u)" = 600 ]
ok $? "the directory is 0700 and its files are 0600"

# What cannot be.
record -p $N -o "$T"/a -d 1s; [ $? = 1 ] && said "is not empty"
ok $? "nothing is overwritten"
record -p nobody-is-called-so -o "$T"/b; [ $? = 1 ] && said "no node nobody-is-called-so can be tapped" && [ ! -e "$T"/b ]
ok $? "a node that is not there is told, and no directory made"
record -p 999999 -o "$T"/b; [ $? = 1 ] && said "no node 999999"
ok $? "a pid that is no node, too"
record -o "$T"/b; [ $? = 2 ] && said "name one node"
ok $? "without a node it is wrong usage: status 2"
record -p 1 -d soon -o "$T"/b; [ $? = 2 ] && said "is no duration"
ok $? "a duration that is none, too"
head -c 20000 /dev/urandom > "$T"/garbage
record --region "$T"/garbage -o "$T"/b; [ $? = 1 ] && said "not a region"
ok $? "a region of garbage is refused"

# Globs.
start -r 1000
record -p $vm -o "$T"/b -e mesage-send -e gc_minor-strt -d 1s
[ $? = 1 ] && said "message-send" && said "gc_minor-start" && [ ! -e "$T"/b ]
ok $? "wrong names are told all at once, with the nearest"
"$B"/beamtap list -p $vm > "$T"/out 2> "$T"/err && grep -q '^yes process-runnable .*run_queue' "$T"/out
ok $? "list shows the probes of a node"
"$B"/beamtap list -p $vm -e 'gc_*' -v > "$T"/out 2> "$T"/err && grep -q 'args\[1\] .*need .*(word)' "$T"/out
ok $? "with arguments, units and meaning"

# Stopped by signals.
"$B"/beamtap record -p $vm -o "$T"/c -e 'erlang*:::process-runnable' 2> "$T"/err & r=$!
pids="$pids $r"; sleep 0.7; kill -INT $r; wait $r
ok $? "Ctrl-C ends a recording in order"
[ "$(events "$T"/c)" -gt 100 ]
ok $? "and what was recorded is there"

# Two at once.
"$B"/beamtap record -p $vm -o "$T"/d1 -e process-runnable -d 1s 2> "$T"/err1 & r=$!
pids="$pids $r"
record -p $vm -o "$T"/d2 -e process-runnable -d 0.6s && wait $r && [ "$(events "$T"/d1)" -gt 500 ] && [ "$(events "$T"/d2)" -gt 300 ]
ok $? "two recorders on one node"

# kill -9 of the recorder.
"$B"/beamtap record -p $vm -o "$T"/e -e process-runnable 2> "$T"/err & r=$!
pids="$pids $r"; sleep 0.7; kill -9 $r; wait $r 2>/dev/null
"$B"/beamtap dump "$T"/e > "$T"/out 2> "$T"/err
ok $? "a recording whose recorder was killed can be read"
stop

# The VM dies.
start -t 2 -r 200000
"$B"/beamtap record -p $vm -o "$T"/f -e process-runnable 2> "$T"/err & r=$!
pids="$pids $r"; sleep 0.7; kill -9 $vm; wait $r
[ $? = 0 ] && said "died while it was recorded" && [ "$(events "$T"/f)" -gt 50000 ]
ok $? "a VM that dies ends the recording, which is whole"
record -p $vm -o "$T"/g
[ $? = 0 ] && said "the node was dead" && [ "$(events "$T"/g)" -gt 50000 ]
ok $? "what a dead VM left is recorded post mortem"
rm -f /dev/shm/beamtap.$vm

# A full disk: of 2 MiB.
if mkdir "$T"/small && mount -t tmpfs -o size=2m none "$T"/small 2>/dev/null; then
	start -r 500000
	timeout 20 "$B"/beamtap record -p $vm -o "$T"/small/h -e process-runnable > "$T"/out 2> "$T"/err
	[ $? = 1 ] && said "No space left" && said "can be read"
	ok $? "a full disk ends the recording with a message"
	[ "$(events "$T"/small/h)" -gt 10000 ]
	ok $? "and what was there before is kept"
	umount "$T"/small
	stop
fi
# A limit on file size does the same, without root.
start -r 500000
(ulimit -f 1000; exec timeout 20 "$B"/beamtap record -p $vm -o "$T"/i -e process-runnable) > "$T"/out 2> "$T"/err
[ $? = 1 ] && said "File too large" && [ "$(events "$T"/i)" -gt 10000 ]
ok $? "so does a limit on the size of files"
stop

# A command.
record -o "$T"/j -e process-runnable -- sh -c "$B/tests/tapvm -n $N@cmd -s 1.5 -r 10000; exit 3"
[ $? = 0 ] && said "the command ended with status 3" && said "the node ended" && [ "$(events "$T"/j)" -gt 3000 ]
ok $? "a command is recorded from its start to its end"
record -o "$T"/k -- /nonexistent/erl; [ $? = 1 ] && said "cannot execute"
ok $? "a command that is not there"
record -o "$T"/k -- true; [ $? = 1 ] && said "ended before there was a node"
ok $? "a command without a node"
echo "1..$nr"
