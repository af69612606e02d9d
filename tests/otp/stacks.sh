#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stacks.sh - Erlang stacks at events: known lines, deep ones, live and recorded, in D, and under stress
#	tests/otp/stacks.sh BUILD_DIR      SECONDS_EACH=6
. "$(dirname "$0")/common"
here=$(cd "$(dirname "$0")" && pwd)
seconds=${SECONDS_EACH:-6}
flavor=$(erl -noinput -eval 'io:put_chars(atom_to_list(erlang:system_info(emu_flavor))), halt()')

erlc -o "$T" "$here/stacks.erl" >"$T/err" 2>&1 || bail "stacks.erl does not compile"
line() { grep -n "% L:$1\$" "$here/stacks.erl" | cut -d: -f1; }

# A node with the application; $1 runs when somebody reads.
start() {
	rm -f "$T/go" "$T/done" "$T/ready"
	export BEAMTAP_RING_BYTES=$((64 << 20))
	start_node $2 -eval "
		{ok, _} = application:ensure_all_started(beamtap), {module, _} = code:ensure_loaded(stacks),
		file:write_file(\"$T/ready\", []),
		W = fun W() -> filelib:is_file(\"$T/go\") orelse begin timer:sleep(20), W() end end, W(),
		R = (catch $1), file:write_file(\"$T/result\", io_lib:format(\"~0p.~n\", [R])), file:write_file(\"$T/done\", [])."
	for _ in $(seq 100); do [ -e "$T/ready" ] && return; sleep 0.1; done
	bail "the application does not start"
}
read_by() { # a reader is there
	for _ in $(seq 100); do
		"$bt" list | awk -v p=$node '$1 == p { exit !($8 > 0) }' && break
		sleep 0.05
	done
	sleep 0.5
}
run() { # until it is done
	: >"$T/go"
	for _ in $(seq 600); do
		[ -e "$T/done" ] && return 0
		kill -0 $node 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

start 'stacks:main()'
"$bt" list -p $node -e message-send >"$T/out" 2>"$T/err"
has 'with stacks' "$T/out" "it is listed as a node with stacks"
"$bt" record -p $node -o "$T/rec" -e '*:stack' -f 'stacks:told/_:return:stack' 2>"$T/err" & recorder=$!
read_by
run
sleep 0.3
kill -INT $recorder
wait $recorder
cp "$T/err" "$T/recorded"
has '^ok\.' "$T/result" "what is recorded does what it does without"
has ' 0 lost' "$T/recorded" "nothing is lost"
stop_node
"$bt" dump --json "$T/rec" 2>"$T/err" | python3 "$here/stacks.py" "$here/stacks.erl" $nr "$flavor" >"$T/checked"
grep -v '^NR ' "$T/checked"
nr=$(sed -n 's/^NR //p' "$T/checked")
[ -n "$nr" ] || bail "stacks.py did not end"

# Counts are those of events.
events=$("$bt" dump "$T/rec" 2>"$T/err" | grep -cv ' stack  ')
has "record: $events events," "$T/recorded" "a stack is no event: $events"
"$bt" report "$T/rec" >"$T/report" 2>"$T/err"
ok $? "a report can be made"
has_no ' stack( |$)' "$T/report" "and does not count stacks"
"$bt" dump -e message-send -p outer "$T/rec" >"$T/out" 2>"$T/err"
"$bt" dump -e message-send -p outer "$T/rec" 2>/dev/null | awk '$3 == "stack" { s++ } $3 == "message-send" { m++ } END { exit !(s && s == m) }'
ok $? "filters leave the stacks of what they let through"
"$bt" dump --fixture "$T/rec" >"$T/one.ev" 2>"$T/err"
"$bt" dump --fixture "$T/one.ev" 2>>"$T/err" | cmp -s - "$T/one.ev"
ok $? "as text, and back"

# In D, of a recording.
cat >"$T/d.d" <<'END'
message-send /ename == "outer"/ { jstack(); }
message-send /ename == "outer"/ { @[ustack(2)] = count(); }
END
"$bt" dtrace -q -f "$T/rec" -s "$T/d.d" >"$T/out" 2>"$T/err"
# The interpreter does not know the function at hand: there the next one is the first.
first=inner/1+$(line bif_send)
[ "$flavor" = jit ] || first=middle/1+$(line middle)
tr -d ' ' <"$T/out" | grep -A3 -xF "stacks:$first" | tr '\n' ' ' >"$T/got"
[ "$flavor" = jit ] && rest="stacks:middle/1\\+$(line middle) stacks:outer/1\\+$(line outer) " || rest="stacks:outer/1\\+$(line outer) "
has "^stacks:${first/+/\\+} $rest" "$T/got" "jstack() prints it"
awk -v first="stacks:${first%/*}" 'index($0, first) { i = NR } /stacks:(middle|outer)/ && NR == i + 1 { m = NR } m && NR == m + 1 && $1 == 1 { f = 1 } END { exit !f }' "$T/out"
ok $? "ustack(2) is a key of two lines"
if command -v babeltrace2 >/dev/null; then
	babeltrace2 "$T/rec" >"$T/bt2" 2>"$T/err"
	has "frames = \[ \[0\] = \{ mfa = \{ arity = 1, function = \([^)]*\), module = \([^)]*\) \}, line = ${first#*+} \}" \
		"$T/bt2" "babeltrace2 shows it"
else
	skip "babeltrace2 shows it" "it is not installed"
fi

# Live: D asks by itself, and for its own clauses alone.
start 'stacks:main()'
"$bt" dtrace -q -p $node -n "erlang$node:::message-send /ename == \"outer\"/ { jstack(); @n = count(); } erlang$node:::process-spawn { @s = count(); }" \
	>"$T/out" 2>"$T/err" & recorder=$!
read_by
"$bt" record -p $node -o "$T/rec2" -e 'process-spawn,message-send' 2>"$T/err2" & r2=$!
sleep 0.5
run
sleep 0.5
kill -INT $recorder $r2
wait $recorder $r2
has "stacks:${first/+/\\+}" "$T/out" "live in D"
"$bt" dump --json "$T/rec2" 2>"$T/err" | python3 -c '
import json, sys
n = {}
for line in sys.stdin:
    e = json.loads(line)
    if e["event"] == "stack":
        n[e["fields"]["event"]] = n.get(e["fields"]["event"], 0) + 1
print(n)
sys.exit(list(n) != [1])' >"$T/err" 2>&1
ok $? "and only message-send has stacks"
stop_node

# All that there is, with the stacks of everything, and readers that come and go.
start "stacks:storm($((seconds * 2000 + 1000)))" '+S 4:4 +SDcpu 2:2 +SDio 4'
all=(-e '*:stack' -f 'stacks:both/1:return:stack' -f 'stacks:thrown/1:return:stack')
"$bt" record -p $node -o "$T/storm0" "${all[@]}" 2>"$T/err" & recorder=$!
read_by
: >"$T/go"
sleep 0.5
kill -INT $recorder
wait $recorder
rm -rf "$T/storm0"
end=$((SECONDS + seconds)) n=0
while [ $SECONDS -lt $end ] && kill -0 $node 2>/dev/null; do
	"$bt" record -p $node -o "$T/short" "${all[@]}" >/dev/null 2>&1 & r=$!
	sleep 0.$((RANDOM % 8 + 1))
	kill -$([ $((n % 2)) = 0 ] && echo INT || echo KILL) $r 2>/dev/null
	wait $r 2>/dev/null
	rm -rf "$T/short"
	n=$((n + 1))
done
kill -0 $node 2>/dev/null
ok $? "the node lives after $n readers who want all stacks"
"$bt" record -p $node -o "$T/storm" "${all[@]}" -d "${seconds}s" >"$T/recorded" 2>&1
kill -0 $node 2>/dev/null
ok $? "and with one that stays"
echo "# $(tail -1 "$T/recorded")"
has ' 0 lost' "$T/recorded" "nothing is lost"
"$bt" dump --json "$T/storm" 2>"$T/err" | python3 -c '
import json, sys
waiting, stacks, frames, parted, kinds, cut, mods = {}, 0, 0, 0, set(), 0, set()
for line in sys.stdin:
    if len(line) < 70000 and "\"stack\"" in line:
        e = json.loads(line)
        a = e["fields"]
        waiting[e["thread"]] = (e["ts_ns"], a["event"])
        stacks += 1
        frames += len(a["frames"])
        cut += a["is_cut"]
        kinds.add(a["event"])
        parted += not 0 <= len(a["frames"]) <= 100 or a["depth"] < len(a["frames"])
        for f in a["frames"]:
            mods.add(f["mfa"].split(":")[0])
    else:
        e = json.loads(line)
        w = waiting.pop(e["thread"], None)
        parted += bool(w) and w[0] != e["ts_ns"]
print("# %d stacks of %d kinds of events, %.1f frames each, %d cut, %d wrong; modules: %s"
      % (stacks, len(kinds), frames / max(stacks, 1), cut, parted, " ".join(sorted(mods))))
sys.exit(stacks < 1000 or parted or len(kinds) < 30 or "purged" not in mods or any(m.startswith("#Atom") for m in mods))' >"$T/storm.out" 2>"$T/err"
ok $? "its stacks are sound"
cat "$T/storm.out"
for _ in $(seq 100); do [ -e "$T/done" ] && break; sleep 0.2; done
has '^ok\.' "$T/result" "and the load ends as it does without"
stop_node
plan
