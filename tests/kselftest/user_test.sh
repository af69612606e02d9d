#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# user_test.sh - a plain user records his own node through the device, and nobody else's; prints TAP
#
#	tests/kselftest/user_test.sh BUILD_DIR TALKER
#
# He does so with --stop-when-full, of more than a ring holds.
B=$(cd "$1" && pwd) && talker=$(realpath "$2") || exit 1
work=$(mktemp -d) && chmod 755 "$work" && cd "$work" && mkdir his && chown nobody his || exit 1
regions=/sys/kernel/debug/beamtap/regions
nr=0 failed=0 node='' root_vm='' first=''
trap 'for p in $node $root_vm $first; do kill -KILL $p; done; cd /; rm -rf "$work"' EXIT

ok() { # status, name
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=$((failed + 1))
		for f in his/erl.log his/list.out his/rec.err his/second.err root.err $regions; do
			echo "# -- $f"
			head -12 $f 2>/dev/null | sed 's/^/# /'
		done
	fi
}
# Of no group that matters, and of no capability.  This shell's end: called in one of its own.
become_user() {
	cd his && HOME=$work/his TMPDIR=$work/his exec setpriv --reuid=nobody --regid=nogroup --clear-groups \
		--bounding-set=-all --inh-caps=-all "$@"
}
user() { (become_user "$@"); }
row() { awk -v pid="$1" -v c="$2" '$3 == pid { print $c; exit }' $regions; }
await() { # how often, command...
	local n=$1
	shift
	for _ in $(seq "$n"); do "$@" && return; sleep 0.2; done
	return 1
}
is_alive() { [ "$(row "$1" 2)" = alive ]; }

# A VM of root's, which waits for somebody who listens.
"$talker" -w 600 2>/dev/null &
root_vm=$!
await 100 is_alive $root_vm
ok $? "root has a region"
# 100 times 100 messages, once somebody says go: some 400 kB, with rings of 64.
say='spawn(fun() ->
	W = fun W() -> case file:read_file_info("go") of {ok, _} -> ok; _ -> timer:sleep(200), W() end end, W(),
	[begin [self() ! {x, I} || I <- lists:seq(1, 100)], timer:sleep(30) end || _ <- lists:seq(1, 100)],
	file:write_file("said", io_lib:format("~p", [self()])),
	receive never -> ok end
end).'
become_user erl +S 1 -noinput -pa "$B"/agent/beamtap-*/ebin -beamtap ring_bytes 65536 -s beamtap -eval "$say" \
	>his/erl.log 2>&1 &
node=$!
await 300 is_alive $node
ok $? "a plain user's node has a region of the module"
[ "$(row $node 4)" = "$(id -u nobody)" ]
ok $? "it is his"
user "$B"/beamtap list >his/list.out 2>&1
grep -q "^$node  *alive" his/list.out && ! grep -q "^$root_vm " his/list.out
ok $? "beamtap list shows him his own, and not root's"
user "$B"/beamtap record --region "/dev/beamtap:$(row $root_vm 1)" -o no -d 1s >/dev/null 2>his/rec.err
[ $? != 0 ] && grep -q 'belongs to another user' his/rec.err
ok $? "he may not record root's"
user "$B"/beamtap dump "/dev/beamtap:$(row $root_vm 1)" >/dev/null 2>his/rec.err
[ $? != 0 ] && [ -s his/rec.err ]
ok $? "nor read it"
user sh -c 'echo 1 >/sys/kernel/tracing/events/beamtap/message_send/enable' 2>/dev/null
[ $? != 0 ] && [ "$(cat /sys/kernel/tracing/events/beamtap/message_send/enable)" = 0 ]
ok $? "nor switch on tracepoints, which show all users' VMs"

# -- stop when full --
become_user "$B"/beamtap record -p $node -e message-send --stop-when-full -o rec -d 60s 2>his/rec.err &
first=$!
await 100 eval '[ "$(row $node 10)" = 1 ]'
ok $? "his record --stop-when-full has a lease"
sleep 1
user "$B"/beamtap record -p $node -e message-send --stop-when-full -o second -d 1s 2>his/second.err
[ $? != 0 ] && grep -q 'rings stop when they are full' his/second.err
ok $? "a second one is refused"
touch his/go
await 300 test -s his/said
ok $? "the node says what it shall"
sleep 1
kill -INT $first
wait $first
ok $? "record ends well"
first=
grep -q ' 0 lost' his/rec.err
ok $? "nothing is lost, with rings that hold a sixth of it"
"$B"/beamtap dump his/rec >rec.out 2>root.err
self=$(cat his/said)
n=$(grep message.send rec.out | grep -F "sender=$self" | grep -cF "receiver=$self")
echo "# $n messages of $self to itself"
[ "$n" = 10000 ]
ok $? "each of the 10000 messages is there once"
"$B"/beamtap record -p $node -o root.rec -d 1s 2>root.err
ok $? "root may record the user's"
kill -KILL $node
wait $node 2>/dev/null
user "$B"/beamtap list >his/list.out 2>&1
grep -q "^$node  *dead" his/list.out
ok $? "the user finds his dead node's region"
node=
kill $root_vm
wait $root_vm 2>/dev/null
root_vm=
echo "1..$nr"
[ $failed = 0 ]
