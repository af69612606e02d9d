%% SPDX-License-Identifier: Apache-2.0
%%
%% A named gen_server that keeps a table, and its clients.
-module(workload_server).
-behaviour(gen_server).

-export([start_link/0, client/2, slow_client/1]).
-export([client_init/2, slow_loop/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

%% ---- API

start_link() ->
    gen_server:start_link({local, stock_server}, ?MODULE, [], []).

%% Puts and gets, with a pause of some milliseconds after each few.
client(Number, PauseMs) ->
    {ok, proc_lib:spawn_link(?MODULE, client_init, [Number, PauseMs])}.

%% Has the server work for a while now and then: the others wait meanwhile.
slow_client(PauseMs) ->
    {ok, proc_lib:spawn_link(?MODULE, slow_loop, [PauseMs])}.

%% ---- clients

client_init(Number, PauseMs) ->
    rand:seed(exsss, {Number, 17, 42}),
    client_loop(Number, PauseMs).

client_loop(Number, PauseMs) ->
    Item = rand:uniform(500),
    gen_server:cast(stock_server, {put, {Number, Item}, lists:seq(1, Item rem 30)}),
    _ = gen_server:call(stock_server, {get, {Number, rand:uniform(500)}}),
    _ = gen_server:call(stock_server, size),
    case Item rem 5 of
        0 -> timer:sleep(PauseMs);
        _ -> ok
    end,
    client_loop(Number, PauseMs).

slow_loop(PauseMs) ->
    timer:sleep(PauseMs),
    _ = gen_server:call(stock_server, {report, 3000}),
    slow_loop(PauseMs).

%% ---- gen_server

init([]) ->
    {ok, #{}}.

handle_call({get, Key}, _From, Stock) ->
    {reply, maps:get(Key, Stock, none), Stock};
handle_call(size, _From, Stock) ->
    {reply, maps:size(Stock), Stock};
handle_call({report, N}, _From, Stock) ->
    {reply, lists:sum([X * X rem 7 || X <- lists:seq(1, N)]), Stock}.

handle_cast({put, Key, Value}, Stock) ->
    {noreply, Stock#{Key => Value}}.

handle_info(_, Stock) ->
    {noreply, Stock}.
