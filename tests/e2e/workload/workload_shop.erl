%% SPDX-License-Identifier: Apache-2.0
%%
%% Functions to trace: they return, call themselves, end by a tail call, or raise.
-module(workload_shop).

-export([start_link/1, checkout/2, price/1, discount/2, ship/1, fib/1]).
-export([loop/2]).

start_link(PauseMs) ->
    {ok, spawn_link(?MODULE, loop, [PauseMs, 0])}.

loop(PauseMs, N) ->
    _ = try checkout(N, [book, pen, cup])
        catch _:_ -> failed
        end,
    _ = fib(8),
    _ = 'Elixir.Shop.Cart':total([{pen, 2}, {cup, N rem 5}, {'Tasse grün', 1}]),
    timer:sleep(PauseMs),
    loop(PauseMs, N + 1).

%% Each seventh order has something that is not sold.
checkout(N, Items) when N rem 7 =:= 6 ->
    checkout(N + 1, [unicorn | Items]);
checkout(N, Items) ->
    Sum = lists:sum([price(I) || I <- Items]),
    Paid = discount(Sum, N),
    ship({N, Paid}).

price(book) -> 30;
price(pen) -> 2;
price(cup) -> 9;
price(Item) -> error({not_sold, Item}).

discount(Sum, N) when N rem 10 =:= 0 -> Sum * 9 div 10;
discount(Sum, _) -> Sum.

%% Takes a millisecond now and then: what is slow shows.
ship({N, Paid}) when N rem 25 =:= 0 ->
    timer:sleep(3),
    {shipped, Paid};
ship({_, Paid}) ->
    {shipped, Paid}.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
