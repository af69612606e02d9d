%% SPDX-License-Identifier: Apache-2.0
%%
%% Processes that end: in order, by a fault, killed, with reasons short, long and odd.
-module(workload_crash).

-export([start_link/1]).
-export([init/1, worker/1, child/0]).

start_link(PauseMs) ->
    {ok, spawn_link(?MODULE, init, [PauseMs])}.

init(PauseMs) ->
    process_flag(trap_exit, true),
    loop(PauseMs, 0).

loop(PauseMs, N) ->
    Ways = ways(),
    Way = element(N rem tuple_size(Ways) + 1, Ways),
    Pid = spawn_link(?MODULE, worker, [Way]),
    case Way of
        kill -> timer:sleep(2), exit(Pid, kill);
        _ -> ok
    end,
    receive {'EXIT', Pid, _} -> ok end,
    timer:sleep(PauseMs),
    loop(PauseMs, N + 1).

ways() ->
    {normal, normal, shutdown, {shutdown, {tcp_closed, 5}}, badarith, badmatch, throw,
     {exit, <<"screen \e[2J\e[1;31mred\e[0m \0\a">>},
     {exit, {error, lists:duplicate(200, {some, "long reason"})}},
     kill, {exit, {bad_return_value, #{order => 17, items => [a, b, c]}}}, linked,
     {exit, <<0, 27, 91, 50, 74, 255, 254>>}}.

worker(normal) -> ok;
worker(shutdown) -> exit(shutdown);
worker({shutdown, _} = R) -> exit(R);
worker(badarith) -> 1 / zero();
worker(badmatch) -> {ok, _} = zero();
worker(throw) -> throw({unexpected, self()});
worker({exit, R}) -> exit(R);
worker(kill) -> receive never -> ok end;
worker(linked) ->
    spawn_link(?MODULE, child, []),
    receive never -> ok end.

%% Takes its parent along.
child() ->
    exit({child_failed, [{step, 3}, {file, "orders.db"}]}).

zero() -> 0.
