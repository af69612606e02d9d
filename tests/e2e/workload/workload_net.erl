%% SPDX-License-Identifier: Apache-2.0
%%
%% An echo server on loopback, and clients: one that stays, and one that comes and goes.
-module(workload_net).

-export([start_link/0]).
-export([init/1, acceptor/1, session/1, steady/1, passing/1]).

start_link() ->
    proc_lib:start_link(?MODULE, init, [self()]).

init(Parent) ->
    process_flag(trap_exit, true),
    register(echo_listener, self()),
    {ok, L} = gen_tcp:listen(0, [binary, {packet, 2}, {active, false}, {ip, {127, 0, 0, 1}},
                                 {reuseaddr, true}, {backlog, 64}]),
    {ok, Port} = inet:port(L),
    spawn_link(?MODULE, acceptor, [L]),
    spawn_link(?MODULE, steady, [Port]),
    spawn_link(?MODULE, passing, [Port]),
    proc_lib:init_ack({ok, self()}),
    loop(Parent).

loop(Parent) ->
    receive
        {'EXIT', Parent, Reason} -> exit(Reason);
        {'EXIT', _, normal} -> loop(Parent);
        {'EXIT', _, Reason} -> exit(Reason)
    end.

acceptor(L) ->
    {ok, S} = gen_tcp:accept(L),
    Pid = spawn(?MODULE, session, [S]),
    ok = gen_tcp:controlling_process(S, Pid),
    Pid ! go,
    acceptor(L).

session(S) ->
    receive go -> ok end,
    ok = inet:setopts(S, [{active, true}]),
    session_loop(S).

session_loop(S) ->
    receive
        {tcp, S, Data} -> _ = gen_tcp:send(S, Data), session_loop(S);
        {tcp_closed, S} -> ok;
        {tcp_error, S, Reason} -> exit({socket, Reason})
    end.

%% Sizes from 10 bytes to 8 KB.
steady(Port) ->
    rand:seed(exsss, {3, 5, 7}),
    {ok, S} = connect(Port),
    steady_loop(S).

steady_loop(S) ->
    echo(S, binary:copy(<<"0123456789">>, 1 bsl rand:uniform(9))),
    timer:sleep(12),
    steady_loop(S).

passing(Port) ->
    {ok, S} = connect(Port),
    [echo(S, <<"hello, I stay for ", (integer_to_binary(N))/binary, " of 5">>)
     || N <- lists:seq(1, 5)],
    ok = gen_tcp:close(S),
    timer:sleep(80),
    passing(Port).

connect(Port) ->
    gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, 2}, {active, false}, {nodelay, true}]).

echo(S, Data) ->
    ok = gen_tcp:send(S, Data),
    {ok, Data} = gen_tcp:recv(S, 0, 5000),
    ok.
