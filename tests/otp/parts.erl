%% SPDX-License-Identifier: Apache-2.0
%%
%% Something of each family of hooks: otp_parts.sh looks whether it is told of.
-module(parts).

-export([main/0, called/1]).

main() ->
    Self = self(),
    %% messages, processes, links, monitors, names
    {P, M} = spawn_monitor(fun() -> receive {F, go} -> F ! gone end end),
    true = register(parts_p, P),
    parts_p ! {Self, go},
    receive gone -> ok end,
    receive {'DOWN', M, process, P, normal} -> ok end,
    L = spawn_link(fun() -> receive stop -> ok end end),
    unlink(L),
    L ! stop,
    %% garbage, timers, code
    _ = [lists:seq(1, N) || N <- lists:seq(1, 300)],
    true = erlang:garbage_collect(),
    T = erlang:send_after(5000, Self, never),
    erlang:cancel_timer(T),
    erlang:send_after(10, Self, timer),
    receive timer -> ok end,
    {parts_new, Beam} = new_module(),
    {module, parts_new} = code:load_binary(parts_new, "parts_new.erl", Beam),
    {ok, yes} = parts_new:f(),
    %% ports and their drivers, sockets
    Port = open_port({spawn_executable, "/bin/cat"}, [binary]),
    Port ! {Self, {command, <<"hello">>}},
    receive {Port, {data, <<"hello">>}} -> ok end,
    true = port_command(Port, <<"again">>),
    receive {Port, {data, <<"again">>}} -> ok end,
    port_close(Port),
    {ok, S} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    gen_tcp:close(S),
    %% functions and exceptions
    5 = parts:called(4),
    caught = try parts:called(none) catch error:badarith -> caught end,
    %% another node
    case is_alive() of
        true ->
            [_, Host] = string:lexemes(atom_to_list(node()), "@"),
            {ok, _, Peer} = peer:start(#{name => peer:random_name(), host => Host, longnames => true, args =>
                                         ["-setcookie", atom_to_list(erlang:get_cookie()),
                                          "-kernel", "inet_dist_use_interface", "{127,0,0,1}"]}),
            erpc:call(Peer, erlang, node, []),
            {init, Peer} ! nothing,
            erlang:monitor_node(Peer, true),
            erpc:cast(Peer, erlang, halt, []),
            receive {nodedown, Peer} -> ok end;
        false -> ok
    end,
    timer:sleep(50),
    done.

called(N) -> N + 1.

new_module() ->
    Forms = [{attribute, 1, module, parts_new}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{tuple, 1, [{atom, 1, ok}, {atom, 1, yes}]}]}]}],
    {ok, Name, Beam} = compile:forms(Forms, []),
    {Name, Beam}.
