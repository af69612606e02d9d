%% SPDX-License-Identifier: Apache-2.0
%%
%% What an event costs in the VM with hooks, beside a stock one: the part that runs in a VM.
%%
%%   one(Name, Command, Reps): print `Name Kind Mode Nanoseconds` for each work and repetition
%%
%% One scheduler, its thread's CPU time.  `off`: nobody reads.  `on`: Command, a recorder,
%% drains the rings meanwhile, and must have got each event; both in turns in this VM.
%% run.sh starts VMs of each kind in turns and makes the table.
-module(bench_otp).

-export([one/3]).

%% {name, events, functions, events an operation, work, operations}
kinds() ->
    A = bench_agent,
    [{send, "message-send", "", 1, fun A:self_messages/1, 200000},
     {'receive', "message-receive", "", 1, fun A:self_messages/1, 200000},
     {queued, "message-queued", "", 1, fun A:self_messages/1, 200000},
     {in_out, "process-scheduled process-unscheduled", "", 2, fun A:yields/1, 100000},
     {spawn_exit, "process-spawn process-exit", "", 2, fun A:spawns/1, 20000},
     {gc, "gc_*", "", 2, fun A:collections/1, 40000},
     {call, "function-entry", "bench_agent:target/1", 1, fun A:loop_calls/1, 400000},
     {call_return, "", "bench_agent:target/1:return", 2, fun A:loop_calls/1, 200000},
     {ping, "message-send message-receive process-scheduled process-unscheduled", "", 8,
      fun A:pings/1, 40000}].

%% Command: "" for a VM that cannot be read; else the beginning of a command line that records.
one(Name, Command, Reps) ->
    Only = os:getenv("KIND", ""),
    [kind(Name, K, Command, Reps) || K <- kinds(), lists:prefix(Only, atom_to_list(element(1, K)))],
    halt(0).

kind(Name, {Kind, Events, Spec, PerOp, Work, N}, Command, Reps) ->
    _ = measure(Work, N),
    [begin
         T = case Mode of
                 off -> measure(Work, N);
                 on -> recorded(Command, Events, Spec, PerOp * N, fun() -> measure(Work, N) end)
             end,
         case T of
             none -> ok;
             _ -> io:format("~s ~s ~s ~.2f~n", [Name, Kind, Mode, T])
         end
     end
     || _ <- lists:seq(1, Reps), Mode <- modes(Command)].

modes("") -> [off];
modes(_) -> case rand:uniform(2) of 1 -> [off, on]; 2 -> [on, off] end.

recorded(Command, Events, Spec, Wanted, Fun) ->
    Dir = filename:join(os:getenv("BENCH_TMP"), "rec" ++ integer_to_list(erlang:unique_integer([positive]))),
    Port = open_port({spawn, lists:append([Command, " -p ", os:getpid(), " --no-state -o ", Dir,
                                           [" -e '" ++ E ++ "'" || E <- string:lexemes(Events, " ")],
                                           case Spec of "" -> ""; _ -> " -f '" ++ Spec ++ "'" end])},
                     [exit_status, stderr_to_stdout, binary]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    timer:sleep(600),
    T = Fun(),
    os:cmd("kill -INT " ++ integer_to_list(Pid)),
    Text = collect(Port, []),
    os:cmd("rm -rf " ++ Dir),
    case re:run(Text, "(\\d+) events,.* (\\d+) lost in", [{capture, all_but_first, list}]) of
        {match, [Got, Lost]} ->
            Total = list_to_integer(Got) + list_to_integer(Lost),
            case Total >= Wanted of
                true -> io:format("lost ~s of ~b~n", [Lost, Total]), T;
                false -> io:format("# not there: ~s ~s: ~b of ~b~n", [Events, Spec, Total, Wanted]), none
            end;
        nomatch ->
            io:format("# not there: ~s ~s: ~s~n", [Events, Spec, Text]),
            none
    end.

collect(Port, Acc) ->
    receive
        {Port, {data, D}} -> collect(Port, [Acc, D]);
        {Port, {exit_status, _}} -> iolist_to_binary(Acc)
    after 20000 -> iolist_to_binary(Acc)
    end.

measure(Work, N) ->
    Me = self(),
    spawn_opt(fun() ->
                      Work(N div 10),
                      erlang:garbage_collect(),
                      T0 = bench_nif:cpu_ns(),
                      Work(N),
                      Me ! {took, bench_nif:cpu_ns() - T0}
              end, [link, {min_heap_size, 100000}]),
    receive {took, T} -> T / N end.
