%% SPDX-License-Identifier: Apache-2.0
%%
%% As Elixir's compiler names things: a module that is an alias, funs, comprehensions, names with marks.
-module('Elixir.Shop.Cart').

-export([total/1, 'valid?'/1, 'add!'/2]).

total(Lines) ->
    Prices = #{pen => 2, cup => 9, 'Tasse grün' => 12},
    Sums = [maps:get(Item, Prices) * Count || {Item, Count} <- Lines, 'valid?'({Item, Count})],
    lists:foldl(fun(Sum, Acc) -> 'add!'(Sum, Acc) end, 0, Sums).

'valid?'({_, Count}) -> Count > 0.

'add!'(Sum, Acc) -> Sum + Acc.
