%% SPDX-License-Identifier: Apache-2.0
%%
%% Processes in a ring: a token goes round, and rests a while at the first.
-module(workload_ring).

-export([start_link/2]).
-export([first/2, member/1]).

start_link(Members, PauseMs) ->
    {ok, spawn_link(?MODULE, first, [Members, PauseMs])}.

first(Members, PauseMs) ->
    register(ring_first, self()),
    Next = lists:foldl(fun(_, To) -> spawn_link(?MODULE, member, [To]) end, self(),
                       lists:seq(2, Members)),
    Next ! {token, 0},
    first_loop(Next, PauseMs).

first_loop(Next, PauseMs) ->
    receive
        {token, N} ->
            case N rem 10 of
                0 -> timer:sleep(PauseMs);
                _ -> ok
            end,
            Next ! {token, N + 1},
            first_loop(Next, PauseMs)
    end.

member(Next) ->
    receive
        {token, _} = Token -> Next ! Token, member(Next)
    end.
