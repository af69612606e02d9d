%% SPDX-License-Identifier: Apache-2.0
%%
%% What functions.sh has traced: calls, tail calls, recursion, exceptions.
-module(calls).

-export([main/0, beside_dbg/0, beside_global/0, built_in/0, stress/1, f/1, up/1, code/1, sleeper/1]).

main() ->
    2 = a(),
    1 = c(),
    3 = up(3),
    done = loop(3),
    caught = catches(),
    ok = inside(),
    {oops, 1} = (catch uncaught(1)),
    {P, R} = spawn_monitor(fun() -> uncaught(1) end),
    receive {'DOWN', R, process, P, _} -> ok end,
    {all, false} = erlang:trace_info({calls, up, 1}, all),
    {tracer, []} = erlang:trace_info(self(), tracer),
    {flags, []} = erlang:trace_info(new_processes, flags),
    ok.

%% ---- who returns

a() -> X = b(), X + 1.

b() -> 1.

c() -> b().

up(0) -> 0;
up(N) -> 1 + up(N - 1).

loop(0) -> done;
loop(N) -> loop(N - 1).

%% ---- exceptions

bad(0) -> list_to_atom(0);
bad(N) when N > 0 -> {ok, bad(N - 1)};
bad(N) -> N.

catches() ->
    try {ok, bad(2)} catch error:badarg -> caught end.

inside() ->
    try hd(get(nothing)) catch error:badarg -> ok end.

uncaught(N) ->
    {ok, thrown(N)}.

thrown(0) -> 0;
thrown(N) -> throw({oops, N}).

built_in() ->
    Self = self(),
    [list_to_binary([L]) || L <- [1, 2]],
    {P, R} = spawn_monitor(fun() -> exit({size, byte_size(list_to_binary(Self))}) end),
    receive {'DOWN', R, process, P, _} -> ok end.

%% ---- beside dbg

beside_dbg() ->
    Self = self(),
    {ok, _} = dbg:tracer(process, {fun(M, S) -> Self ! M, S end, []}),
    {ok, _} = dbg:p(Self, [call]),
    {ok, _} = dbg:tpl(calls, up, 1, [{'_', [], [{return_trace}]}]),
    3 = up(3),
    Seen = [dbg_seen(call, 0), dbg_seen(return_from, 0)],
    ok = dbg:stop_clear(),
    {ok, Seen}.

%% A global pattern clears the VM's own local ones; what is called by its full name goes through both.
beside_global() ->
    Self = self(),
    {ok, _} = dbg:tracer(process, {fun(M, S) -> Self ! M, S end, []}),
    {ok, _} = dbg:p(Self, [call]),
    {ok, _} = dbg:tp(calls, up, 1, []),
    3 = ?MODULE:up(3),
    Seen = dbg_seen(call, 0),
    ok = dbg:stop_clear(),
    3 = ?MODULE:up(3),
    {ok, Seen}.

dbg_seen(What, N) ->
    receive
        M when element(3, M) =:= What -> dbg_seen(What, N + 1)
    after 1000 -> N
    end.

%% ---- under stress

%% Workers call what is traced while code comes and goes, processes are killed and dbg is busy.
stress(Ms) ->
    Until = erlang:monotonic_time(millisecond) + Ms,
    Ws = [spawn_monitor(fun() -> worker(I, Until) end) || I <- lists:seq(1, 8)],
    disturb(Until, 0),
    [receive {'DOWN', R, process, P, Why} -> normal = Why after 20000 -> exit(stuck) end ||
        {P, R} <- Ws],
    ok.

worker(I, Until) ->
    case erlang:monotonic_time(millisecond) < Until of
        true ->
            _ = [f(N) || N <- lists:seq(1, 50)],
            200 = up(200),
            done = loop(200),
            _ = (catch bad(5)),
            30 = victim:run(30),
            {P, R} = spawn_monitor(fun() -> mortal(I) end),
            receive {'DOWN', R, process, P, _} -> ok end,
            worker(I, Until);
        false -> ok
    end.

%% Ends in one of several ways, traced functions open.
mortal(1) -> f(3), exit(self(), kill), up(100000);
mortal(2) -> uncaught(1);
mortal(3) -> erlang:send_after(1, self(), wake), erlang:hibernate(calls, sleeper, [5]);
mortal(4) -> {ok, big(200)};
mortal(5) -> up(20000);
mortal(6) -> {ok, mortal(2)};
mortal(7) -> P = spawn_link(fun() -> up(100), receive after infinity -> ok end end),
             exit(P, kill), receive after infinity -> ok end;
mortal(N) -> {N, f(N)}.

%% Garbage of all sizes while frames lie on the stack.
big(0) -> [];
big(N) -> [lists:seq(1, N) | big(N - 1)].

sleeper(N) ->
    N = up(N),
    receive wake -> up(N) end.

f(N) when N rem 2 =:= 0 -> code(N);
f(N) -> {N, code(N)}.

code(N) -> N + 1.

%% The module is loaded anew, old code purged, others trace and stop tracing.
disturb(Until, N) ->
    case erlang:monotonic_time(millisecond) < Until of
        true ->
            Self = self(),
            Old = spawn(fun() -> catch old(Self) end),
            receive {Old, open} -> ok after 1000 -> ok end,
            _ = N rem 4 =:= 0 andalso reload(),
            _ = (catch erlang:trace_pattern({calls, f, 1}, N rem 3 =:= 0, [local])),
            _ = (catch erlang:trace_pattern({calls, up, 1}, N rem 2 =:= 0, [call_time])),
            _ = (catch erlang:trace_pattern({calls, code, 1}, N rem 2 =:= 1, [call_count])),
            timer:sleep(20),
            exit(Old, kill),
            disturb(Until, N + 1);
        false ->
            _ = erlang:trace_pattern({calls, '_', '_'}, false, [local, call_time, call_count]),
            ok
    end.

%% Its traced functions are open in all workers meanwhile.
reload() ->
    case code:soft_purge(victim) of
        true ->
            {victim, Bin, File} = code:get_object_code(victim),
            {module, victim} = code:load_binary(victim, File, Bin);
        false -> busy
    end.

old(To) ->
    To ! {self(), open},
    receive after infinity -> ok end.
