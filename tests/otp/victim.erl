%% SPDX-License-Identifier: Apache-2.0
%%
%% A module that is loaded anew while it is traced; see calls.erl.
-module(victim).

-export([run/1]).

run(0) -> 0;
run(N) -> pass(N) + ?MODULE:run(N - 1) - N + 1.

pass(N) ->
    _ = [erlang:yield() || N rem 10 =:= 0],
    N.
