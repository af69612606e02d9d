%% SPDX-License-Identifier: Apache-2.0
%%
%% Garbage: short-lived terms, a heap that grows and is thrown away, binaries off the heap.
-module(workload_garbage).

-export([small/1, large/1]).
-export([small_loop/1, large_loop/2]).

%% Many young collections.
small(PauseMs) ->
    {ok, spawn_link(?MODULE, small_loop, [PauseMs])}.

%% Keeps more and more, lets go of it, and is collected in full.
large(PauseMs) ->
    {ok, spawn_link(?MODULE, large_loop, [PauseMs, []])}.

small_loop(PauseMs) ->
    _ = lists:foldl(fun(I, Acc) -> [{I, integer_to_list(I)} | lists:sublist(Acc, 20)] end, [],
                    lists:seq(1, 300)),
    timer:sleep(PauseMs),
    small_loop(PauseMs).

large_loop(PauseMs, Kept) ->
    More = [{I, <<I:1024>>} || I <- lists:seq(1, 4000)],
    Big = binary:copy(<<"b">>, 200000),
    timer:sleep(PauseMs),
    case length(Kept) of
        N when N >= 6 ->
            erlang:garbage_collect(),
            large_loop(PauseMs, []);
        _ ->
            large_loop(PauseMs, [{More, Big} | Kept])
    end.
