%% SPDX-License-Identifier: Apache-2.0
%%
%% What stacks.sh looks at: known lines, deep stacks, all kinds of events.  Lines that the test names
%% are marked with `L:name` behind them.
-module(stacks).

-export([main/0, storm/1, bench/2]).
-export([code/1]).
%% Else OTP 29's compiler sees that it cannot return, and leaves it no frame.
-export([bif/1]).

main() ->
    Sink = spawn_link(fun sink/0),
    T = fun(F) -> {P, R} = spawn_monitor(F), receive {'DOWN', R, process, P, Why} -> Why end end,
    normal = T(fun() -> register(outer, self()), {ok, 2} = outer(Sink) end), % L:top
    normal = T(fun() -> register(deep, self()), 10000 = deep(10000, Sink) end),
    normal = T(fun() -> register(gc, self()), collects(), ok end),
    {badarith, _} = T(fun() -> register(raises, self()), {ok, raises(0)} end),
    {function_clause, _} = T(fun() -> register(clause, self()), {ok, clause(x)} end),
    {badarg, _} = T(fun() -> register(bif, self()), {ok, bif(x)} end),
    normal = T(fun() -> register(spawns, self()), spawns() end),
    normal = T(fun() -> register(sleeps, self()), sleeps() end),
    normal = T(fun() -> register(calls, self()), calls() end),
    normal = T(fun() -> register(told, self()), {ok, 3} = {ok, told(2)} end),
    oops = T(fun() -> register(exits, self()), {ok, exits(oops)} end),
    killed = T(fun() -> register(dies, self()), exit(self(), kill), dies() end),
    normal = T(fun() -> register(dirty, self()), dirty() end),
    unlink(Sink), exit(Sink, kill),
    ok.

sink() -> receive _ -> sink() end.

%% ---- a chain of calls that are no tail calls

outer(To) ->
    X = middle(To),                                                         % L:outer
    {ok, X}.

middle(To) ->
    try
        inner(To) + 1                                                       % L:middle
    catch error:never -> 0 end.

inner(To) ->
    lists:foreach(fun(N) ->                                                 % L:each
        To ! {first, N},                                                    % L:send
        ok end, [1]),
    erlang:send(To, second),                                                % L:bif_send
    1.

%% ---- deep

deep(0, To) -> To ! bottom, 0;                                              % L:bottom
deep(N, To) -> 1 + deep(N - 1, To).                                         % L:deep

%% ---- collections

collects() ->
    L = grows(20000, []),                                                   % L:collects
    length(L).

grows(0, L) -> L;
grows(N, L) -> grows(N - 1, [{N} | L]).

%% ---- exceptions

raises(N) ->
    X = 1 div N,                                                            % L:raise
    {ok, X}.

clause(1) -> 1.

bif(X) ->
    Y = list_to_integer(X),                                                 % L:bif_fails
    {ok, Y}.

%% ---- spawn, scheduling, receiving, timers

spawns() ->
    P = spawn(fun() -> ok end),                                             % L:spawn
    {ok, P}.

sleeps() ->
    R = naps(),                                                             % L:sleeps
    {ok, R}.

naps() ->
    Self = self(),
    _ = erlang:send_after(20, Self, wake),                                  % L:send_after
    receive                                                                 % L:receive
        wake -> ok
    end,
    receive after 10 -> ok end,                                             % L:after
    woken.

%% ---- functions told

calls() ->
    X = told(1),                                                            % L:calls
    {ok, X}.

told(N) ->
    N + 1.

exits(Why) ->
    exit(Why),                                                              % L:exit
    ok.

dies() -> receive never -> ok end.

%% ---- a dirty scheduler: a native function of the VM's own

dirty() ->
    {ok, F} = prim_file:open("/proc/self/maps", [read]),                    % L:open
    ok = prim_file:close(F).

%% ---- all at once, for a while

storm(Ms) ->
    persistent_term:put(purged, purged()),
    Ps = [spawn(fun() -> forever(F) end) || F <- [fun talk/0, fun kills/0, fun throws/0, fun heaps/0, fun purge/0,
                                                  fun files/0, fun links/0, fun recursion/0, fun sleep/0, fun ports/0]],
    timer:sleep(Ms),
    [exit(P, kill) || P <- Ps],
    ok.

%% With pauses, so that a reader keeps up.
forever(F) ->
    {_, M} = spawn_monitor(F),
    receive {'DOWN', M, _, _, _} -> ok end,
    timer:sleep(200),
    forever(F).

crowd(N, F) ->
    Ms = [element(2, spawn_monitor(F)) || _ <- lists:seq(1, N)],
    [receive {'DOWN', M, _, _, _} -> ok end || M <- Ms].

talk() ->
    S = self(),
    P = spawn_link(fun() -> [receive {M, N} -> S ! {M, N} end || _ <- lists:seq(1, 100)] end),
    [begin P ! {self(), N}, receive {_, N} -> ok after 100 -> ok end end || N <- lists:seq(1, 100)].

kills() ->
    crowd(20, fun() -> P = spawn(fun() -> _ = length(lists:seq(1, 100000)), receive stop -> ok end end), link(P),
                       exit(P, element(rand:uniform(3), {kill, shutdown, oops})), receive stop -> ok after 20 -> ok end end).

throws() ->
    crowd(10, fun() -> [catch thrown(N) || N <- lists:seq(0, 30)], case rand:uniform(2) of 1 -> thrown(5); 2 -> ok end end).

thrown(0) -> element(rand:uniform(4), {fun() -> throw(x) end, fun() -> error(y) end, fun() -> binary_to_atom(hd([1])) end,
                                       fun() -> 1 div (rand:uniform(1) - 1) end});
thrown(1) -> (thrown(0))();
thrown(N) -> {N, thrown(N - 1)}.

heaps() ->
    crowd(2, fun() -> L = lists:seq(1, 200000), erlang:garbage_collect(), [self() ! [X] || X <- lists:seq(1, 500)],
                      erlang:garbage_collect(self(), [{type, minor}]), true = length(L) > 0 end),
    crowd(2, fun() -> process_flag(max_heap_size, #{size => 50000, kill => true, error_logger => false}), length(lists:seq(1, 10000000)) end),
    crowd(2, fun() -> S = self(), _ = spawn(fun() -> [erlang:garbage_collect(S) || _ <- lists:seq(1, 20)] end), deep(3000, S) end).

%% Code that is purged while processes stand in it.
purged() ->
    {ok, purged, B} = compile:forms([{attribute, 1, module, purged}, {attribute, 1, export, [{f, 1}]},
        {function, 2, f, 1, [{clause, 2, [{var, 2, 'N'}], [], [{'case', 3, {op, 3, '>', {var, 3, 'N'}, {integer, 3, 0}}, [
            {clause, 4, [{atom, 4, true}], [], [{tuple, 4, [{call, 4, {atom, 4, f}, [{op, 4, '-', {var, 4, 'N'}, {integer, 4, 1}}]}]}]},
            {clause, 5, [{atom, 5, false}], [], [{call, 5, {remote, 5, {atom, 5, stacks}, {atom, 5, code}}, [{integer, 5, 1}]}]}]}]}]}]),
    B.

purge() ->
    B = persistent_term:get(purged),
    [begin
         {module, purged} = erlang:load_module(purged, B),
         Ps = [spawn(fun() -> purged:f(rand:uniform(100)) end) || _ <- lists:seq(1, 5)],
         timer:sleep(rand:uniform(3)),
         true = erlang:delete_module(purged),
         _ = [spawn(fun() -> [P ! go, P ! go] end) || P <- Ps],
         code:purge(purged)
     end || _ <- lists:seq(1, 20)].

code(_) ->
    self() ! here, receive here -> ok end,
    receive go -> ok after 5 -> ok end,
    1.

files() ->
    crowd(10, fun() -> {ok, F} = prim_file:open("/proc/self/maps", [read]), _ = prim_file:read(F, 100),
                       case rand:uniform(2) of 1 -> exit(self(), kill), prim_file:read(F, 10); 2 -> prim_file:close(F) end end).

links() ->
    crowd(10, fun() -> L = [spawn_link(fun() -> receive stop -> ok after 20 -> ok end end) || _ <- lists:seq(1, 5)],
                       [begin link(P), unlink(P), monitor(process, P), P ! stop end || P <- L],
                       case rand:uniform(3) of 1 -> exit(normal); 2 -> exit(bad); 3 -> exit(hd(L), kill), timer:sleep(5) end end).

recursion() -> crowd(3, fun() -> deep(20000, self()), both(6) end).

both(0) -> self() ! x, receive x -> 1 end;
both(N) -> both(N - 1) + both(N - 1).

sleep() -> crowd(10, fun() -> erlang:send_after(3, self(), stop),
                              case rand:uniform(2) of 1 -> proc_lib:hibernate(?MODULE, code, [1]); 2 -> receive stop -> ok end end end).

ports() ->
    P = open_port({spawn, "cat"}, [binary]),
    true = port_command(P, <<"x">>),
    receive {P, {data, _}} -> ok after 500 -> ok end,
    port_close(P).

%% ---- what it costs: send to oneself from so deep, and take it again; ns, the best of N times 2000

bench(Depth, N) ->
    {_, R} = spawn_monitor(fun() -> exit(deep_bench(Depth - 4, N)) end), % and four functions more
    receive {'DOWN', R, process, _, Ns} -> Ns end.

deep_bench(0, N) ->
    F = fun F(0) -> ok; F(K) -> self() ! K, receive K -> F(K - 1) end end,
    best(F, N, infinity) + 0.0;
deep_bench(D, N) ->
    deep_bench(D - 1, N) + 0.0.

best(_, 0, Best) -> Best;
best(F, N, Best) ->
    T = now_ns(),
    F(2000),
    best(F, N - 1, min(Best, (now_ns() - T) / 2000)).

now_ns() -> erlang:monotonic_time(nanosecond).
