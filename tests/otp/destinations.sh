#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Messages to names and aliases, and from native functions: each receive has the identity of its send.
#	tests/otp/destinations.sh BUILD_DIR
. "$(dirname "$0")/common"

cat >"$T/src" <<'END'
server() ->
    receive
        {via_alias, Alias, N} -> Alias ! {answer, N}, server();
        {by_name, From} -> From ! named, server();
        stop -> ok
    end.
main() ->
    Server = spawn_link(fun server/0),
    register(a_name, Server),
    io:format("self ~w server ~w~n", [self(), Server]),
    [begin
         Alias = alias([reply]),
         Server ! {via_alias, Alias, N},
         receive {answer, N} -> ok end
     end || N <- lists:seq(1, 20)],
    %% An alias that was given up: sent, and never received.
    Gone = alias(),
    unalias(Gone),
    Server ! {via_alias, Gone, gone},
    [begin a_name ! {by_name, self()}, receive named -> ok end end || _ <- lists:seq(1, 20)],
    %% A reader of a file is told by a native function.
    {ok, F} = file:open("/etc/hostname", [read, raw]),
    {ok, _} = file:read(F, 10),
    ok = file:close(F),
    %% Signals that turn into messages.
    process_flag(trap_exit, true),
    {Pid, M} = spawn_monitor(fun() -> exit(gone) end),
    receive {'DOWN', M, process, Pid, gone} -> ok end,
    L = spawn_link(fun() -> exit(bye) end),
    receive {'EXIT', L, bye} -> ok end,
    Server ! stop,
    receive {'EXIT', Server, normal} -> ok end,
    ok.
END
record_module "$T/src" 'message_*,nif_*,bif_*'
has '^ok$' "$T/erl.log" "the node did its work"
read -r _ self _ server < <(grep '^self ' "$T/erl.log")
"$bt" dump --json -e message-send -e message-queued -e message-receive "$T/rec" >"$T/json" 2>"$T/err"
python3 - "$T/json" "$self" "$server" <<'END' >"$T/out" 2>"$T/err"
import json, sys
path, self, server = sys.argv[1:]
sent, queued, got = {}, {}, {}
for line in open(path):
    e = json.loads(line); a = e["fields"]
    pair = (a["sender"], a["receiver"])
    if pair not in ((self, server), (server, self)): continue
    {"message_send": sent, "message_queued": queued, "message_receive": got}[e["event"]].setdefault(a["msg"], []).append(pair)
print("sent", len(sent), "queued", len(queued), "received", len(got))
assert all(len(v) == 1 for v in list(sent.values()) + list(queued.values()) + list(got.values())), "an identity twice"
for m, (pair,) in got.items():
    assert queued.get(m) == [pair], ("not queued", m, pair)
unsent = [p for m, (p,) in got.items() if m not in sent]
assert all(p == (server, self) for p in unsent) and len(unsent) <= 1, unsent  # the EXIT of the server
for m, (pair,) in got.items():
    assert m not in sent or sent[m] == [pair], (m, pair, sent[m])
lost = [p for m, (p,) in sent.items() if m not in got]
assert lost == [(server, self)], lost  # the alias that was given up
assert len(sent) >= 20 + 20 + 1 + 1 + 20 + 20 + 1, len(sent)
END
ok $? "messages to aliases and names: sent, queued and received with one identity ($(cat "$T/out"))"
E=$T/events
has " nif-entry .*p=<[0-9.]*> mfa=prim_file:read_nif/2" "$E" "nif-entry of file I/O"
has " nif-return .*p=<[0-9.]*> mfa=prim_file:read_nif/2" "$E" "nif-return"
has " bif-entry .*p=$self mfa=erlang:unalias/1" "$E" "bif-entry"
has " bif-return .*p=$self mfa=erlang:unalias/1" "$E" "bif-return"
has " bif-entry .*p=$self mfa=erlang:(alias/[01]|process_flag/2)" "$E" "bif-entry, others"
plan
