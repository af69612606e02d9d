%% SPDX-License-Identifier: Apache-2.0
%%
%% What an event costs in the VM with hooks, beside a stock one: the part that runs in a VM.
%%
%%   one(Name, Command, Reps): print, in nanoseconds an operation, for each work and repetition
%%       Name Kind off PID Ns
%%       Name Kind on PID Quiet On
%%
%% One scheduler, its thread's CPU time, in pieces of some ten milliseconds.  With more schedulers each does the
%% work at once, in a process bound to it, and their mean counts.  `off`: nobody reads.
%% Command is a recorder that drains the rings meanwhile, and must have got each event: `on`, beside
%% `quiet`, with the recorder there and nothing for it.  In the VM with hooks the events are switched
%% on and off under one recorder, in turns, since the speed of a machine changes from second to second;
%% so it is with LTTng.  With the agent, for functions, and with bpftrace on OTP's own probes each `on` has a
%% recorder of its own.
%% run.sh starts VMs of each kind in turns and makes the table.
-module(bench_otp).

-export([one/3]).

%% {name, events, functions, trace flags for LTTng, events an operation, work, operations}
kinds() ->
    A = bench_agent,
    Messages = fun A:self_messages/1,
    [{send, [message_send], "", [send], 1, Messages, 50000},
     {'receive', [message_receive], "", ['receive'], 1, Messages, 50000},
     {queued, [message_queued], "", [], 1, Messages, 100000},
     {in_out, [process_scheduled, process_unscheduled], "", [running, exiting], 2, fun A:yields/1, 50000},
     {spawn_exit, [process_spawn, process_exit], "", [procs], 2, fun A:spawns/1, 10000},
     {gc, [gc_minor_start, gc_minor_end, gc_major_start, gc_major_end], "", [garbage_collection], 2,
      fun A:collections/1, 40000},
     {call, [function_entry], "bench_agent:target/1", [], 1, fun A:loop_calls/1, 400000},
     {call_return, [], "bench_agent:target/1:return", [], 2, fun A:loop_calls/1, 200000},
     {ping, [message_send, message_receive, process_scheduled, process_unscheduled], "",
      [send, 'receive', running, exiting], 8, fun A:pings/1, 10000}].

%% Command: "" for a VM that cannot be read; else the beginning of a command line that records.
one(Name, Command, Reps) ->
    Only = os:getenv("KIND", ""),
    [kind(Name, K, Command, Reps) || K <- kinds(), lists:prefix(Only, atom_to_list(element(1, K)))],
    halt(0).

kind(Name, {Kind, Events, Spec, Flags, PerOp, Work, N}, Command, Reps) ->
    Print = fun(Mode, Ts) ->
                io:format("~s ~s ~s ~s~s~n", [Name, Kind, Mode, os:getpid(), [io_lib:format(" ~.2f", [T]) || T <- Ts]])
            end,
    _ = measure(Work, N),
    [Print(off, [measure(Work, N)]) || _ <- lists:seq(1, Reps)],
    Wanted = schedulers() * PerOp,
    case {Name, Spec} of
        {"hooks" ++ _, ""} ->
            #{region := Path} = beamtap:info(),
            ok = bench_nif:region(binary_to_list(Path)),
            Turns = {fun(On) -> bench_nif:switch_to(On, Events) end,
                     fun(On) -> bench_nif:is_off(Events) =:= (On =:= 0) end},
            recorder(tap(Command, Events, Spec), Wanted * N * 2 * Reps,
                     fun() -> in_turns(Print, Turns, Work, N, Reps) end);
        {"lttng", ""} when Flags =/= [] ->
            Turns = {fun(On) -> erlang:trace(new_processes, On =:= 1, [{tracer, dyntrace, []} | Flags]) end,
                     fun(_) -> true end},
            lttng(Wanted * N * 2 * Reps, fun() -> in_turns(Print, Turns, Work, N, Reps) end);
        {"systemtap", ""} ->
            %% With the JIT process-scheduled does not fire: half of these, a quarter of a ping's.
            Fire = lists:delete(process_scheduled, Events),
            one_by_one(Print, bpftrace(Fire), Wanted * length(Fire) div length(Events), Work, N div 10, Reps);
        _ when Command =/= "" ->
            one_by_one(Print, tap(Command, Events, Spec), Wanted, Work, N, Reps);
        _ ->
            ok
    end.

schedulers() -> erlang:system_info(schedulers).

measure(Work, N) -> measure(Work, N, schedulers()).

measure(Work, N, 1) -> bench_nif:measure(Work, N);
measure(Work, N, S) ->
    Me = self(),
    Ps = [spawn_link(fun() -> Me ! {self(), bench_nif:measure(Work, N, [{scheduler, I}])} end)
          || I <- lists:seq(1, S)],
    lists:sum([receive {P, T} -> T end || P <- Ps]) / S.

%% Pairs, in random order.  The first ones fill the ring, whose memory is new.  A pair is dropped when the
%% leases were looked at in the `quiet` one: then its events were on again for a part of it.
in_turns(Print, {Switch, IsSo}, Work, N, Reps) ->
    Measure = fun(On) ->
                  Switch(On),
                  T = measure(Work, N),
                  {On, T, IsSo(On)}
              end,
    [measure(Work, N) || _ <- lists:seq(1, 3)],
    Pairs = [[Measure(On) || On <- case rand:uniform(2) of 1 -> [0, 1]; 2 -> [1, 0] end]
             || _ <- lists:seq(1, 2 * Reps)],
    Switch(1),
    fun() ->
            [Print(on, [Quiet, On]) || Pair <- Pairs,
                                       [{0, Quiet, true}, {1, On, true}] <- [lists:sort(Pair)]]
    end.

one_by_one(Print, Recorder, Wanted, Work, N, Reps) ->
    [recorder(Recorder, Wanted * N,
              fun() ->
                      T = measure(Work, N),
                      fun() -> Print(on, [measure(Work, N), T]) end
              end)
     || _ <- lists:seq(1, Reps)].

%% A recorder: its command line, how long it takes to begin (ms), and {events, lost} in what it prints.
tap(Command, Events, Spec) ->
    Dir = filename:join(os:getenv("BENCH_TMP"), "rec." ++ os:getpid()),
    {lists:append([Command, " -p ", os:getpid(), " --no-state -o ", Dir, [" -e " ++ atom_to_list(E) || E <- Events],
                   case Spec of "" -> ""; _ -> " -f '" ++ Spec ++ "'" end]),
     600,
     fun(Text) ->
             os:cmd("rm -rf " ++ Dir),
             numbers(Text, "(\\d+) events,.* (\\d+) lost in")
     end}.

%% Each event counted in the kernel: the least that such a script can do.
bpftrace(Events) ->
    Probe = fun(E) ->
                %% gc_minor_start is the probe gc_minor-start, message_send message-send
                Name = re:replace(atom_to_list(E), "_(?!minor|major)", "__", [global, {return, list}]),
                lists:append(["usdt:/proc/", os:getpid(), "/exe:erlang:", Name])
            end,
    {lists:append(["bpftrace -p ", os:getpid(), " -e '", lists:join(",", lists:map(Probe, Events)),
                   " { @ = count(); }'"]),
     5000,
     fun(Text) -> numbers(Text, "@: (\\d+)()") end}.

numbers(Text, Pattern) ->
    case re:run(Text, Pattern, [{capture, all_but_first, list}]) of
        {match, [Got, ""]} -> {list_to_integer(Got), 0};
        {match, [Got, Lost]} -> {list_to_integer(Got), list_to_integer(Lost)};
        nomatch -> Text
    end.

%% Fun does the work, and returns a function that prints what it took.
recorder({Command, Begins, Counts}, Wanted, Fun) ->
    Port = open_port({spawn, Command}, [exit_status, stderr_to_stdout, binary]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    timer:sleep(Begins),
    Tell = Fun(),
    os:cmd("kill -INT " ++ integer_to_list(Pid)),
    told(Counts(collect(Port, [])), Wanted, Tell).

told({Got, Lost}, Wanted, Tell) when Got + Lost >= Wanted ->
    io:format("lost ~b of ~b~n", [Lost, Got + Lost]),
    Tell();
told(Counts, Wanted, _) ->
    io:format("# not there: ~p of ~b~n", [Counts, Wanted]).

collect(Port, Acc) ->
    receive
        {Port, {data, D}} -> collect(Port, [Acc, D]);
        {Port, {exit_status, _}} -> iolist_to_binary(Acc)
    after 20000 -> iolist_to_binary(Acc)
    end.

%% A session of LTTng's daemon, which run.sh has started.
lttng(Wanted, Fun) ->
    Dir = filename:join(os:getenv("BENCH_TMP"), "lttng." ++ os:getpid()),
    Session = "bench" ++ os:getpid(),
    Lttng = fun(Args) -> os:cmd("lttng " ++ Args) end,
    Log = [Lttng("create " ++ Session ++ " --output=" ++ Dir),
           Lttng("enable-event -s " ++ Session ++ " -u 'org_erlang_dyntrace:*'"),
           Lttng("start " ++ Session)],
    Tell = Fun(),
    Stop = Lttng("stop " ++ Session),
    Channels = Lttng("list " ++ Session),
    Lttng("destroy " ++ Session),
    Got = string:trim(os:cmd("babeltrace2 " ++ Dir ++ " 2>/dev/null | wc -l")),
    os:cmd("rm -rf " ++ Dir),
    Counts = case re:run(Channels, "Discarded events: *(\\d+)", [{capture, all_but_first, list}]) of
                 {match, [Lost]} -> {list_to_integer(Got), list_to_integer(Lost)};
                 nomatch -> {Log, Stop, Channels, Got}
             end,
    told(Counts, Wanted, Tell).
