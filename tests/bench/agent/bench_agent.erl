%% SPDX-License-Identifier: Apache-2.0
%%
%% What an event costs through the agent, beside a tracer that does nothing.
%%
%%   make bench-agent
%%
%% One scheduler, its thread's CPU time, all modes in one VM in turns, medians.
%% off: nothing is traced.  bare: the same trace flags and patterns with a NIF
%% whose enabled/3 and trace/5 only return.  agent: a reader holds a lease.  The
%% numbers of records are checked.  `idle` compares whole VMs: with the agent
%% started and nobody reading, without it, and without it once more (A/A).
-module(bench_agent).

-export([events/0, idle_one/0]).
-export([target/1, pong/1, loop_calls/1]).
%% The works, for bench_otp.
-export([self_messages/1, yields/1, spawns/1, collections/1, pings/1]).

-define(REPS, 15).

%% {name, events of the agent, functions, flags for the bare tracer, records an operation, work}
kinds() ->
    [{send, [message_send], "", [send], 1, fun self_messages/1, 100000},
     {'receive', [message_receive], "", ['receive'], 1, fun self_messages/1, 100000},
     {'send, receive', [message_send, message_receive], "", [send, 'receive'], 2,
      fun self_messages/1, 100000},
     {'in, out', [process_scheduled, process_unscheduled], "", [running, exiting], 2,
      fun yields/1, 50000},
     {'spawn, exit', [process_spawn, process_exit], "", [procs], 2, fun spawns/1, 10000},
     {'gc start, end', [gc_minor_start, gc_minor_end, gc_major_start, gc_major_end], "",
      [garbage_collection], 2, fun collections/1, 20000},
     {call, [function_entry], "bench_agent:target/1", [call, arity], 1, fun loop_calls/1, 100000},
     {'call, return', [function_entry, function_return], "bench_agent:target/1 return",
      [call, arity], 2, fun loop_calls/1, 50000},
     {'ping: all eight', [message_send, message_receive, process_scheduled, process_unscheduled],
      "", [send, 'receive', running, exiting], 8, fun pings/1, 20000}].

events() ->
    ok = beamtap:start(),
    #{region := Path} = beamtap:info(),
    {ok, R} = beamtap_test_reader:open(os:getenv("BEAMTAP_READER"), binary_to_list(Path)),
    io:format("OTP ~s erts ~s, 1 scheduler, ~p repetitions, medians~n~n"
              "  ~-16s ~8s ~8s ~8s  ~10s ~12s ~12s  ~9s~n",
              [erlang:system_info(otp_release), erlang:system_info(version), ?REPS,
               "events", "off", "bare", "agent", "agent/bare", "added bare", "added agent",
               "added a/b"]),
    %% KIND=call: those alone whose names begin so.
    Only = os:getenv("KIND", ""),
    [kind(K, R) || K <- kinds(), lists:prefix(Only, atom_to_list(element(1, K)))],
    io:format("~n  ns an operation of the workload; added: ns an event.  A/A: ~.3f (off, two halves)~n",
              [aa()]),
    beamtap_test_reader:close(R),
    halt(0).

kind({Name, Events, Spec, Flags, PerOp, Work, N}, R) ->
    Modes = [off, bare, agent],
    _ = bench_nif:measure(Work, N),
    Runs = [{M, run(M, Events, Spec, Flags, PerOp, Work, N, R)}
            || _ <- lists:seq(1, ?REPS), M <- shuffle(Modes)],
    [Off, Bare, Agent] = [median([T || {M1, T} <- Runs, M1 =:= M]) || M <- Modes],
    io:format("  ~-16s ~8.1f ~8.1f ~8.1f  ~10.3f ~12.1f ~12.1f  ~9.3f~n",
              [atom_to_list(Name), Off, Bare, Agent, Agent / Bare,
               (Bare - Off) / PerOp, (Agent - Off) / PerOp, (Agent - Off) / (Bare - Off)]).

run(off, _, _, _, _, Work, N, _) ->
    bench_nif:measure(Work, N);
run(bare, _, Spec, Flags, _, Work, N, _) ->
    Tracer = [{tracer, bench_nif, []} | Flags],
    erlang:trace(new_processes, true, Tracer),
    [catch erlang:trace(P, true, Tracer) || P <- processes()],
    _ = lists:member('receive', Flags) andalso
        erlang:trace_pattern('receive',
                             [{[node(), '$1', '_'], [], [{message, '$1'}]},
                              {['$1', '_', '_'], [], [{message, '$1'}]}], []),
    case Spec of
        "" -> ok;
        _ ->
            Pattern = case lists:suffix("return", Spec) of
                          true -> [{'_', [], [{exception_trace}]}];
                          false -> true
                      end,
            1 = erlang:trace_pattern({?MODULE, target, 1}, Pattern, [local])
    end,
    T = bench_nif:measure(Work, N),
    erlang:trace(new_processes, false, Flags),
    erlang:trace(all, false, [all]),
    erlang:trace_pattern('receive', true, []),
    erlang:trace_pattern({?MODULE, target, 1}, false, [local]),
    T;
run(agent, Events, Spec, _, PerOp, Work, N, R) ->
    {0, _, _, _} = beamtap_test_reader:want(R, Events, 0, Spec),
    C0 = records(R),
    T = bench_nif:measure(Work, N),
    C1 = records(R),
    {0, _, _, _} = beamtap_test_reader:want(R, []),
    %% No fewer than there were events; a few more by others in this VM.
    true = C1 - C0 >= PerOp * N,
    T.

records(R) ->
    lists:sum([C || #{count := C} <- beamtap_test_reader:count(R)]).

aa() ->
    Ts = [bench_nif:measure(fun self_messages/1, 100000) || _ <- lists:seq(1, 2 * ?REPS)],
    {A, B} = lists:partition(fun({I, _}) -> I rem 2 =:= 0 end, lists:zip(lists:seq(1, 2 * ?REPS), Ts)),
    median([T || {_, T} <- A]) / median([T || {_, T} <- B]).

%% Called in VMs of their own, see run.sh: the time of each work, nothing traced.
idle_one() ->
    Works = [{self, fun self_messages/1, 200000}, {ping, fun pings/1, 50000},
             {yield, fun yields/1, 100000}, {spawn, fun spawns/1, 20000},
             {gc, fun collections/1, 30000}, {call, fun loop_calls/1, 1000000}],
    [io:format("~s ~.2f~n", [Name, median([bench_nif:measure(W, N) || _ <- lists:seq(1, 5)])])
     || {Name, W, N} <- Works],
    halt(0).

%% ---- workloads

self_messages(0) -> ok;
self_messages(N) ->
    self() ! {m, N},
    receive {m, N} -> ok end,
    self_messages(N - 1).

yields(0) -> ok;
yields(N) -> erlang:yield(), yields(N - 1).

spawns(0) -> ok;
spawns(N) ->
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, P, _} -> ok end,
    spawns(N - 1).

%% A process with little on its heap collects itself.
collections(N) ->
    Me = self(),
    P = spawn_link(fun() -> [erlang:garbage_collect(self(), [{type, minor}]) || _ <- lists:seq(1, N)],
                            unlink(Me), Me ! {self(), done} end),
    receive {P, done} -> ok end.

loop_calls(0) -> ok;
loop_calls(N) ->
    ?MODULE:target(N),
    loop_calls(N - 1).

target(_) -> ok.

pings(N) ->
    Me = self(),
    P = spawn_link(?MODULE, pong, [Me]),
    pings(P, N),
    unlink(P),
    exit(P, kill),
    ok.

pings(_, 0) -> ok;
pings(P, N) ->
    P ! {ping, N},
    receive {pong, N} -> ok end,
    pings(P, N - 1).

pong(To) ->
    receive {ping, N} -> To ! {pong, N} end,
    pong(To).

%% ---- figures

median(L) ->
    lists:nth((length(L) + 1) div 2, lists:sort(L)).

shuffle(L) ->
    [X || {_, X} <- lists:sort([{rand:uniform(), X} || X <- L])].
