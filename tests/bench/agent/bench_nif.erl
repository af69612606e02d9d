%% SPDX-License-Identifier: Apache-2.0
-module(bench_nif).
-export([enabled/3, trace/5, cpu_ns/0, measure/2, measure/3, region/1, switch_to/2, is_off/1]).
-on_load(load/0).

load() -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "bench_nif"), 0).

enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
cpu_ns() -> erlang:nif_error(not_loaded).
region(_) -> erlang:nif_error(not_loaded).
switch_to(_, _) -> erlang:nif_error(not_loaded).
is_off(_) -> erlang:nif_error(not_loaded).

%% ns of processor time that one of N rounds of Work takes, in a process of its own.
-spec measure(fun((pos_integer()) -> term()), pos_integer()) -> float().
measure(Work, N) -> measure(Work, N, []).

%% Options: more for spawn_opt.
measure(Work, N, Options) ->
    Me = self(),
    spawn_opt(fun() ->
                      Work(N div 10),
                      erlang:garbage_collect(),
                      T0 = cpu_ns(),
                      Work(N),
                      Me ! {took, cpu_ns() - T0}
              end, [link, {min_heap_size, 100000} | Options]),
    receive {took, T} -> T / N end.
