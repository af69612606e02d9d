#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ports and drivers in the VM with hooks: their life, their data, a busy one, and all of a driver's callbacks.
#	tests/otp/ports.sh BUILD_DIR
. "$(dirname "$0")/common"

# -- a port program --
cat >"$T/src" <<'END'
main() ->
    P = open_port({spawn, "cat"}, [binary]),
    io:format("port ~p owner ~p~n", [P, self()]),
    P ! {self(), {command, <<"twelve bytes">>}},
    receive {P, {data, <<"twelve bytes">>}} -> ok end,
    true = port_command(P, [<<"abc">>, "de"]),
    receive {P, {data, <<"abcde">>}} -> ok end,
    Other = spawn(fun() -> receive {P, ok} -> link(P) end, receive stop -> ok end end),
    io:format("other ~p~n", [Other]),
    P ! {self(), {connect, Other}},
    receive {P, connected} -> ok end,
    Other ! {P, ok},
    unlink(P),
    Other ! stop,
    timer:sleep(100),
    Q = open_port({spawn, "cat"}, []),
    io:format("second ~p~n", [Q]),
    port_close(Q),
    X = open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", "exit 7"]}, exit_status]),
    receive {X, {exit_status, 7}} -> ok end,
    {error, enoent} = (try {ok, open_port({spawn_executable, "/no/such/program"}, [])}
                       catch error:enoent -> {error, enoent} end),
    ok.
END
record_module "$T/src" 'port_*,driver_*,message_*'
has '^ok$' "$T/erl.log" "the node did its work"
port=$(sed -n 's/^port \(#Port<[0-9.]*>\) .*/\1/p' "$T/erl.log")
owner=$(sed -n 's/^port .* owner \(<[0-9.]*>\)/\1/p' "$T/erl.log")
other=$(sed -n 's/^other //p' "$T/erl.log")
second=$(sed -n 's/^second //p' "$T/erl.log")
E=$T/events
has " port-open .*process=$owner.*port_name=\"cat\".*port=$port" "$E" "port-open, with the name it was opened with"
has " driver-start .*process=$owner.*name=\"spawn\".*port=$port" "$E" "driver-start"
has " port-command .*process=$owner.*port=$port.*port_name=\"cat\".*command_type=command.*bytes=12" "$E" "port-command by a message"
has " port-command .*process=$owner.*port=$port.*command_type=command.*bytes=5" "$E" "port-command by port_command/2"
has " driver-output .*process=$owner.*port=$port.*bytes=12" "$E" "driver-output"
has " message-send .*sender=$owner.*receiver=$port" "$E" "message-send to a port"
has " port-data .*port=$port.*owner=$owner.*bytes=12" "$E" "port-data to its owner"
has " message-send .*sender=$port.*receiver=$owner.*msg=[1-9]" "$E" "message-send by a port, with an identity"
has " driver-ready_input .*process=$owner.*port=$port" "$E" "driver-ready-input"
has " port-scheduled .*port=$port.*command=ready_input" "$E" "port-scheduled, to read"
has " port-scheduled .*port=$port.*command=command" "$E" "port-scheduled, for a command"
has " port-scheduled .*port=$port.*command=open" "$E" "port-scheduled, to be opened"
has " port-command .*process=$owner.*port=$port.*command_type=connect" "$E" "port-command to connect"
has " port-connect .*process=$owner.*port=$port.*new_process=$other" "$E" "port-connect, with both owners"
has " port-exit .*process=$other.*port=$port.*reason=\"normal" "$E" "port-exit when its owner has gone"
has " driver-stop .*name=\"spawn\".*port=$port" "$E" "driver-stop"
has " port-command .*process=$owner.*port=$second.*command_type=close" "$E" "port-command to close"
has " port-exit .*process=$owner.*port=$second.*reason=\"normal" "$E" "port-exit when it is closed"
has_no " port-command .*process=$other.*port=$port.*command_type=close" "$E" "the death of the owner is no command"
has " port-exit .*reason=\"enoent" "$E" "port-exit of one that could not be started"

# Every port that began to run stopped, and ran one thing at a time.
awk '{ for (i = 1; i <= NF; i++) { if ($i ~ /^port=/) p = $i; if ($i ~ /^command=/) c = $i } }
	/ port-scheduled / { stack[p] = stack[p] " " c }
	/ port-unscheduled / { n = split(stack[p], a, " "); if (n == 0) { missing++; next }
		if (a[n] != c) { bad++; print "# " $0 > "/dev/stderr" }; s = ""; for (i = 1; i < n; i++) s = s " " a[i]; stack[p] = s; pairs++ }
	END { exit !(pairs > 10 && !bad) }' "$E" 2>"$T/err"
ok $? "port-scheduled and port-unscheduled are pairs"
# What a port sent is received with the same identity.  (What was not sent is the VM's answer to a command.)
"$bt" dump --json -e message-send -e message-receive "$T/rec" 2>"$T/err" | python3 -c '
import json, sys
sent, paired, wrong = {}, 0, 0
for line in sys.stdin:
    e = json.loads(line); a = e["fields"]
    if not str(a.get("sender")).startswith("#Port"): continue
    if e["event"] == "message_send": sent[a["msg"]] = (a["sender"], a["receiver"])
    elif a["msg"] in sent:
        paired += 1
        wrong += sent[a["msg"]] != (a["sender"], a["receiver"])
print("#", paired, wrong)
sys.exit(not (paired > 2 and wrong == 0))' >>"$T/err"
ok $? "what a port sends is received with the same identity"

# -- a busy port --
cat >"$T/src" <<'END'
main() ->
    P = open_port({spawn_executable, "/bin/sh"}, [binary, {args, ["-c", "sleep 2; cat >/dev/null"]}]),
    io:format("busy ~p~n", [P]),
    W = [spawn_monitor(fun() -> catch [port_command(P, binary:copy(<<0>>, 100000)) || _ <- lists:seq(1, 10)] end)
         || _ <- [1, 2]],
    timer:sleep(300),
    io:format("waiting ~p~n", [[process_info(Pid, status) || {Pid, _} <- W]]),
    [receive {'DOWN', M, process, _, _} -> ok end || {_, M} <- W],
    ok.
END
record_module "$T/src" 'port_*,process_port_unblocked'
has '^ok$' "$T/erl.log" "the node did its work"
port=$(sed -n 's/^busy //p' "$T/erl.log")
has " port-busy .*port=$port" "$E" "port-busy"
has " port-not_busy .*port=$port" "$E" "port-not_busy"
has " port-unscheduled .*port=$port" "$E" "and it stopped running"
plan
