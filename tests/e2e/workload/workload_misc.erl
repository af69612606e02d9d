%% SPDX-License-Identifier: Apache-2.0
%%
%% Timers, ports of programs, names that come and go.
-module(workload_misc).

-export([timers/1, ports/1, names/1]).
-export([timers_loop/1, ports_loop/1, names_loop/2, holder/0]).

timers(Ms) ->
    {ok, spawn_link(?MODULE, timers_loop, [Ms])}.

ports(PauseMs) ->
    {ok, spawn_link(?MODULE, ports_loop, [PauseMs])}.

names(PauseMs) ->
    {ok, spawn_link(?MODULE, names_loop, [PauseMs, 0])}.

%% One fires, one is cancelled.
timers_loop(Ms) ->
    Ref = erlang:send_after(Ms * 10, self(), late),
    _ = erlang:send_after(Ms, self(), tick),
    receive tick -> ok end,
    _ = erlang:cancel_timer(Ref),
    timers_loop(Ms).

%% A cat that is talked to, then a command that says something and ends.
ports_loop(PauseMs) ->
    Cat = open_port({spawn, "cat"}, [binary, stream]),
    [begin
         true = port_command(Cat, Line),
         until_bytes(Cat, byte_size(Line))
     end || Line <- [<<"one\n">>, <<"two\n">>, binary:copy(<<"x">>, 3000)]],
    port_close(Cat),
    %% Not a word from it when the node ends first.
    Echo = open_port({spawn, "echo done 2>/dev/null"}, [binary, exit_status]),
    until_exit(Echo),
    timer:sleep(PauseMs),
    ports_loop(PauseMs).

until_bytes(_, N) when N =< 0 -> ok;
until_bytes(Port, N) ->
    receive
        {Port, {data, Data}} -> until_bytes(Port, N - byte_size(Data))
    after 2000 -> ok
    end.

until_exit(Port) ->
    receive
        {Port, {exit_status, _}} -> ok;
        {Port, _} -> until_exit(Port)
    after 2000 -> ok
    end.

names_loop(PauseMs, N) ->
    Name = element(N rem 3 + 1, {worker_a, 'wörker', 'Elixir.Shop.Worker'}),
    {Pid, Ref} = spawn_monitor(?MODULE, holder, []),
    true = register(Name, Pid),
    Name ! {work, N},
    timer:sleep(5),
    true = unregister(Name),
    Pid ! stop,
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    timer:sleep(PauseMs),
    names_loop(PauseMs, N + 1).

holder() ->
    receive
        {work, _} -> holder();
        stop -> ok
    end.
