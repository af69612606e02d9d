%% SPDX-License-Identifier: Apache-2.0
%%
%% What an event costs in the VM with hooks, beside a stock one: the part that runs in a VM.
%%
%%   one(Name, Command, Reps): print, in nanoseconds an operation, for each work and repetition
%%       Name Kind off PID Ns
%%       Name Kind on PID Quiet On
%%
%% One scheduler, its thread's CPU time, in pieces of some ten milliseconds.  `off`: nobody reads.
%% Command is a recorder that drains the rings meanwhile, and must have got each event: `on`, beside
%% `quiet`, with the recorder there and nothing for it.  In the VM with hooks the events are switched
%% on and off under one recorder, in turns, since the speed of a machine changes from second to second;
%% with the agent and for functions each `on` has a recorder of its own.
%% run.sh starts VMs of each kind in turns and makes the table.
-module(bench_otp).

-export([one/3]).

%% {name, events, functions, events an operation, work, operations}
kinds() ->
    A = bench_agent,
    Messages = fun A:self_messages/1,
    [{send, [message_send], "", 1, Messages, 50000},
     {'receive', [message_receive], "", 1, Messages, 50000},
     {queued, [message_queued], "", 1, Messages, 100000},
     {in_out, [process_scheduled, process_unscheduled], "", 2, fun A:yields/1, 50000},
     {spawn_exit, [process_spawn, process_exit], "", 2, fun A:spawns/1, 10000},
     {gc, [gc_minor_start, gc_minor_end, gc_major_start, gc_major_end], "", 2,
      fun A:collections/1, 40000},
     {call, [function_entry], "bench_agent:target/1", 1, fun A:loop_calls/1, 400000},
     {call_return, [], "bench_agent:target/1:return", 2, fun A:loop_calls/1, 200000},
     {ping, [message_send, message_receive, process_scheduled, process_unscheduled], "", 8,
      fun A:pings/1, 10000}].

%% Command: "" for a VM that cannot be read; else the beginning of a command line that records.
one(Name, Command, Reps) ->
    Only = os:getenv("KIND", ""),
    [kind(Name, K, Command, Reps) || K <- kinds(), lists:prefix(Only, atom_to_list(element(1, K)))],
    halt(0).

kind(Name, {Kind, Events, Spec, PerOp, Work, N}, Command, Reps) ->
    Print = fun(Mode, Ts) ->
                io:format("~s ~s ~s ~s~s~n", [Name, Kind, Mode, os:getpid(), [io_lib:format(" ~.2f", [T]) || T <- Ts]])
            end,
    _ = bench_nif:measure(Work, N),
    [Print(off, [bench_nif:measure(Work, N)]) || _ <- lists:seq(1, Reps)],
    case {Command, Name, Spec} of
        {"", _, _} -> ok;
        {_, "hooks", ""} ->
            #{region := Path} = beamtap:info(),
            ok = bench_nif:region(binary_to_list(Path)),
            recorded(Command, Events, Spec, PerOp * N * 2 * Reps,
                     fun() -> in_turns(Print, Events, Work, N, Reps) end);
        _ ->
            [recorded(Command, Events, Spec, PerOp * N,
                      fun() ->
                              T = bench_nif:measure(Work, N),
                              fun() -> Print(on, [bench_nif:measure(Work, N), T]) end
                      end)
             || _ <- lists:seq(1, Reps)]
    end.

%% Pairs, in random order.  The first ones fill the ring, whose memory is new.  A pair is dropped when the
%% leases were looked at in the `quiet` one: then its events were on again for a part of it.
in_turns(Print, Events, Work, N, Reps) ->
    Measure = fun(On) ->
                  bench_nif:switch_to(On, Events),
                  T = bench_nif:measure(Work, N),
                  {On, T, bench_nif:is_off(Events) =:= (On =:= 0)}
              end,
    [bench_nif:measure(Work, N) || _ <- lists:seq(1, 3)],
    Pairs = [[Measure(On) || On <- case rand:uniform(2) of 1 -> [0, 1]; 2 -> [1, 0] end]
             || _ <- lists:seq(1, 2 * Reps)],
    bench_nif:switch_to(1, Events),
    fun() ->
            [Print(on, [Quiet, On]) || Pair <- Pairs,
                                       [{0, Quiet, true}, {1, On, true}] <- [lists:sort(Pair)]]
    end.

%% Fun does the work, and returns a function that prints what it took.
recorded(Command, Events, Spec, Wanted, Fun) ->
    Dir = filename:join(os:getenv("BENCH_TMP"), "rec" ++ integer_to_list(erlang:unique_integer([positive]))),
    Port = open_port({spawn, lists:append([Command, " -p ", os:getpid(), " --no-state -o ", Dir,
                                           [" -e " ++ atom_to_list(E) || E <- Events],
                                           case Spec of "" -> ""; _ -> " -f '" ++ Spec ++ "'" end])},
                     [exit_status, stderr_to_stdout, binary]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    timer:sleep(600),
    Tell = Fun(),
    os:cmd("kill -INT " ++ integer_to_list(Pid)),
    Text = collect(Port, []),
    os:cmd("rm -rf " ++ Dir),
    case re:run(Text, "(\\d+) events,.* (\\d+) lost in", [{capture, all_but_first, list}]) of
        {match, [Got, Lost]} ->
            Total = list_to_integer(Got) + list_to_integer(Lost),
            case Total >= Wanted of
                true -> io:format("lost ~s of ~b~n", [Lost, Total]), Tell();
                false -> io:format("# not there: ~p ~s: ~b of ~b~n", [Events, Spec, Total, Wanted])
            end;
        nomatch ->
            io:format("# not there: ~p ~s: ~s~n", [Events, Spec, Text])
    end.

collect(Port, Acc) ->
    receive
        {Port, {data, D}} -> collect(Port, [Acc, D]);
        {Port, {exit_status, _}} -> iolist_to_binary(Acc)
    after 20000 -> iolist_to_binary(Acc)
    end.

