#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two nodes on the loopback interface, one of them recorded: what goes to the other, exit signals, a busy port.
#	tests/otp/dist.sh BUILD_DIR
. "$(dirname "$0")/common"

epmd -daemon 2>/dev/null
cat >"$T/src" <<'END'
main() ->
    Name = "peer" ++ os:getpid(),
    Peer = list_to_atom(Name ++ "@127.0.0.1"),
    P = open_port({spawn_executable, os:find_executable("erl")},
                  [{args, ["-noinput", "-name", atom_to_list(Peer), "-setcookie", atom_to_list(erlang:get_cookie()),
                           "-pa", filename:dirname(code:which(?MODULE)),
                           "-kernel", "inet_dist_use_interface", "{127,0,0,1}"]}]),
    true = wait(Peer, 100),
    io:format("self ~w peer ~w~n", [self(), Peer]),
    Self = self(),
    Echo = spawn(Peer, fun() -> register(echo, self()), Self ! {ready, self()},
                                (fun F() -> receive {From, M} -> From ! {self(), M}, F() end end)() end),
    receive {ready, Echo} -> ok end,
    [_, N, S] = string:lexemes(pid_to_list(Echo), "<.>"),
    io:format("echo ~s ~s~n", [N, S]),
    Echo ! {self(), by_pid},
    receive {Echo, by_pid} -> ok end,
    {echo, Peer} ! {self(), by_name},
    receive {Echo, by_name} -> ok end,
    %% An exit signal to a process there, and one from a process that ends and is linked.
    Victim = spawn(Peer, timer, sleep, [infinity]),
    exit(Victim, shutdown),
    Linked = spawn(Peer, timer, sleep, [infinity]),
    spawn(fun() -> link(Linked), exit(broken) end),
    timer:sleep(200),
    %% The peer's whole VM stops: the buffers run full.
    Os = rpc:call(Peer, os, getpid, []),
    os:cmd("kill -STOP " ++ Os),
    Big = binary:copy(<<0>>, 100000),
    {Sender, M} = spawn_monitor(fun() -> [Echo ! Big || _ <- lists:seq(1, 300)] end),
    timer:sleep(500),
    io:format("sender ~w ~w~n", [Sender, process_info(Sender, status)]),
    os:cmd("kill -CONT " ++ Os),
    receive {'DOWN', M, process, _, R} -> io:format("sent ~w~n", [R]) end,
    erlang:disconnect_node(Peer),
    timer:sleep(100),
    os:cmd("kill " ++ Os),
    catch port_close(P),
    ok.
wait(_, 0) -> false;
wait(Peer, N) -> net_adm:ping(Peer) =:= pong orelse begin timer:sleep(100), wait(Peer, N - 1) end.
END
record_module "$T/src" 'dist_*,message_*,process_exit_signal_remote' -name "here$$@127.0.0.1" \
	-kernel inet_dist_use_interface '{127,0,0,1}'
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
read -r _ self _ peer < <(grep '^self ' "$T/erl.log")
read -r _ number serial < <(grep '^echo ' "$T/erl.log")
sender=$(sed -n 's/^sender \(<[0-9.]*>\) .*/\1/p' "$T/erl.log")
here="'?here$$@127.0.0.1'?" there="'?${peer//\'/}'?"
has " dist-monitor .*node=$here what=nodeup monitored_node=$there type=visible" "$E" "dist-monitor: nodeup"
has " dist-monitor .*what=nodedown monitored_node=$there" "$E" "dist-monitor: nodedown"
has " message-send-remote .*sender=$self node_name=$there .*receiver=\"<0\.$number\.$serial>\"" "$E" "message-send-remote to a process"
has " message-send-remote .*sender=$self node_name=$there .*receiver=\"echo\"" "$E" "message-send-remote to a name"
has " message-queued .*receiver=$self .*sender=$there" "$E" "message-queued from the other node"
has " message-receive .*receiver=$self .*sender=$there" "$E" "message-receive from the other node"
has " process-exit_signal-remote .*sender=$self node_name=$there .*reason=\"shutdown\"" "$E" "process-exit_signal-remote by exit/2"
has " process-exit_signal-remote .*node_name=$there .*reason=\"broken\"" "$E" "process-exit_signal-remote by the death of a linked process"
has " dist-outputv? .*node=$here port=#Port<[0-9.]*> remote_node=$there bytes=[1-9]" "$E" "dist-output(v)"
has " dist-port_busy .*node=$here port=#Port<[0-9.]*> remote_node=$there pid=$sender" "$E" "dist-port_busy, with who is suspended"
has " dist-port_not_busy .*node=$here port=#Port<[0-9.]*> remote_node=$there" "$E" "dist-port_not_busy"
plan
