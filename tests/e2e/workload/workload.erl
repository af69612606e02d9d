%% SPDX-License-Identifier: Apache-2.0
%%
%% A node with something going on, for the demo and the end-to-end tests.
%%
%%   erl -noshell -pa build/workload -s workload main 10     % 10 seconds, then halt
%%   workload:start().                                       % until workload:stop()
%%   workload:run(10).                                       % 10 seconds
%%
%% It takes about a quarter of a core, is the same each time as far as timing
%% lets it, and prints nothing: processes that crash do so without a report.
-module(workload).

-export([main/1, run/1, start/0, stop/0]).
-export([init/0]).

%% ---- API

-spec main([atom()]) -> no_return().
main([Seconds]) ->
    run(list_to_integer(atom_to_list(Seconds))),
    halt(0);
main([]) ->
    run(10),
    halt(0).

-spec run(number()) -> ok.
run(Seconds) ->
    ok = start(),
    receive after round(Seconds * 1000) -> ok end,
    stop().

-spec start() -> ok.
start() ->
    %% Crashes are what this is about; nobody wants to read of them.
    ok = logger:set_primary_config(level, none),
    Self = self(),
    Pid = spawn(fun() -> init(Self) end),
    receive {Pid, ready} -> ok end.

-spec stop() -> ok.
stop() ->
    case whereis(workload) of
        undefined -> ok;
        Pid ->
            M = monitor(process, Pid),
            exit(Pid, shutdown),
            receive {'DOWN', M, process, Pid, _} -> ok end
    end.

%% ---- internal

-spec init() -> no_return().
init() -> init(self()).

-spec init(pid()) -> no_return().
init(Starter) ->
    register(workload, self()),
    process_flag(trap_exit, true),
    Parts = [
             %% a gen_server with a name, and those who call it; one asks for slow things
             fun workload_server:start_link/0,
             fun() -> workload_server:client(1, 2) end,
             fun() -> workload_server:client(2, 3) end,
             fun() -> workload_server:client(3, 5) end,
             fun() -> workload_server:slow_client(250) end,
             %% a token that goes round
             fun() -> workload_ring:start_link(20, 8) end,
             %% an echo server and its clients
             fun workload_net:start_link/0,
             %% processes that end, in all ways
             fun() -> workload_crash:start_link(90) end,
             %% minor and major collections, binaries
             fun() -> workload_garbage:small(10) end,
             fun() -> workload_garbage:large(400) end,
             %% timers, ports, names that come and go
             fun() -> workload_misc:timers(50) end,
             fun() -> workload_misc:ports(300) end,
             fun() -> workload_misc:names(120) end,
             %% calls to trace
             fun() -> workload_shop:start_link(40) end
            ],
    Pids = [begin {ok, P} = Start(), P end || Start <- Parts],
    Starter ! {self(), ready},
    wait(Starter, Pids).

-spec wait(pid(), [pid()]) -> no_return().
wait(Starter, Pids) ->
    receive
        {'EXIT', P, Reason} ->
            case lists:member(P, Pids) of
                true ->
                    %% A part is not meant to end.
                    end_all(Pids),
                    exit({part_ended, Reason});
                false when Reason =:= shutdown ->
                    end_all(Pids),
                    exit(shutdown);
                false ->
                    wait(Starter, Pids)
            end
    end.

-spec end_all([pid()]) -> ok.
end_all(Pids) ->
    [exit(P, kill) || P <- Pids],
    ok.
