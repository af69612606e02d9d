#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the agent on a stock VM and the VM with hooks tell of ports, they tell alike.
#	tests/otp/alike_ports.sh BUILD_DIR
. "$(dirname "$0")/common"

cat >"$T/src" <<'END'
main() ->
    io:format("name main ~p~n", [self()]),
    P = open_port({spawn, "cat"}, [binary]),
    io:format("name cat ~p~n", [P]),
    [begin
         P ! {self(), {command, binary:copy(<<"x">>, N)}},
         receive {P, {data, _}} -> ok end
     end || N <- [1, 70, 1000]],
    Q = open_port({spawn, "cat"}, [{line, 20}]),
    io:format("name lines ~p~n", [Q]),
    true = port_command(Q, "one\ntwo\n"),
    receive {Q, {data, {eol, "one"}}} -> ok end,
    receive {Q, {data, {eol, "two"}}} -> ok end,
    R = spawn(fun() -> receive {'EXIT', _, _} -> ok; stop -> ok end end),
    io:format("name other ~p~n", [R]),
    P ! {self(), {connect, R}},
    receive {P, connected} -> ok end,
    unlink(P),
    port_close(Q),
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127,0,0,1}}]),
    io:format("name listen ~p~n", [L]),
    {ok, Nr} = inet:port(L),
    {ok, C} = gen_tcp:connect({127,0,0,1}, Nr, [binary, {active, true}]),
    io:format("name connect ~p~n", [C]),
    {ok, S} = gen_tcp:accept(L),
    io:format("name accept ~p~n", [S]),
    ok = gen_tcp:send(C, [<<"some ">>, "data"]),
    {ok, <<"some data">>} = gen_tcp:recv(S, 9),
    ok = gen_tcp:send(S, <<"back">>),
    receive {tcp, C, <<"back">>} -> ok end,
    gen_tcp:close(S),
    receive {tcp_closed, C} -> ok end,
    gen_tcp:close(L),
    timer:sleep(200),
    ok.
END
# WHO: names in place of pids and ports, one event a line, in order of the port it is of; the agent does
# not know the name a port was opened with but where it is opened, nor the owner where it is closed, and
# is not told that a port was made for what was accepted.
tell() { # WHO TAG: the latter, bytes that the port is given before the data, and the agent does not see
	has '^ok$' "$T/erl.log" "the program runs: $1"
	"$bt" dump --json "$T/rec" 2>"$T/err" | python3 -c '
import json, re, sys
name = {}
tag = int(sys.argv[2])
for line in open(sys.argv[1]):
    m = re.match(r"name (\S+) (\S+)$", line)
    if m: name[m[2]] = m[1]
drop = {"port_exit": ("process", "port_name"), "port_open": (), "port_data": ()}
for line in sys.stdin:
    e = json.loads(line); a = e["fields"]
    port = a.get("port") or ""
    if port not in name or not port.startswith("#Port") or e["event"] == "state_port": continue
    if e["event"] == "port_open" and name[port] == "accept": continue
    if a.get("command_type") == "command" and name[port] in ("connect", "accept"): a["bytes"] = int(a["bytes"]) - tag
    for k in drop.get(e["event"], ("port_name",)): a.pop(k, None)
    print(e["event"], name[port], " ".join(f"{k}={name.get(v, v)}" for k, v in a.items()))
' "$T/erl.log" "$2" | LC_ALL=C sort -s -k1,2 >"$T/told.$1"
}
events='port-open,port-command,port-control,port-exit,port-connect,port-data'
export BEAMTAP_EMU_TYPE=opt
record_module "$T/src" "$events" -s beamtap
tell agent 0
unset BEAMTAP_EMU_TYPE
record_module "$T/src" "$events"
tell hooks "$(tcp_tag)"
for e in port_open port_command port_control port_exit port_connect port_data; do
	grep "^$e " "$T/told.agent" >"$T/1"
	grep "^$e " "$T/told.hooks" >"$T/2"
	[ -s "$T/1" ] && diff "$T/1" "$T/2" >"$T/err"; ok $? "$e: $(wc -l <"$T/1") told alike"
done
plan
