%% SPDX-License-Identifier: Apache-2.0
%%
%% The VM's trace flags and patterns: set to what is wanted, and gone when nothing is.
%%
%% From OTP 27 all is done in a trace session of our own, which nobody else sees
%% and which vanishes with the process that holds it.  Before, there is one
%% tracer for each process; where somebody else has one, nothing is set.
%%
%% Flags are set for new processes and ports first, then one by one for those
%% that exist: erlang:trace/3 for all of them stops all schedulers, and can crash
%% the VM (beamtap_known).  All functions are called by one process.
-module(beamtap_trace).

-include("beamtap.hrl").

-export([new/0, set/4, clear/0, clear/1, is_idle/1, lost/1, again/2, renamed/1, event_bit/1, able/0, sessions/0]).

-export_type([state/0]).

-record(state, {
    session = none :: none | term(),
    proc = [] :: [atom()],                       % flags that all processes have
    port = [] :: [atom()],
    'receive' = false :: false | node(),         % the pattern that tells the sender, made for this name
    functions = #{} :: beamtap_names:functions()
}).

-opaque state() :: #state{}.
-type events() :: non_neg_integer().             % one bit an event

-define(TRACER, beamtap_nif).

%% ---- API

-spec new() -> state().
new() ->
    #state{}.

%% Make the VM trace these events and functions, and nothing else.  Own processes are left out.
-spec set(events(), beamtap_names:functions(), [pid() | port()], state()) ->
          {ok, state()} | {busy, iolist(), state()}.
set(Events, Functions, Own, S0) ->
    Proc = proc_flags(Events, Functions),
    Port = port_flags(Events),
    Needs = Proc =/= [] orelse Port =/= [],
    case Needs andalso is_idle(S0) andalso not has_sessions() andalso other_of_new() of
        {_, _} = Other ->
            {busy, who_has(Other), S0};
        _ when not Needs ->
            {ok, clear(S0)};
        _ ->
            S1 = open(S0),
            S2 = set_receive(has(?BEAMTAP_EVENT_message_receive, Events), S1),
            S3 = set_functions(Functions, S2),
            case set_flags([{processes, Proc}, {ports, Port}], Own, S3) of
                {ok, S4} -> {ok, S4};
                {busy, Other, S4} -> {busy, who_has(Other), clear(S4)}
            end
    end.

%% Take everything back.
-spec clear(state()) -> state().
clear(#state{session = none} = S) ->
    case is_idle(S) of
        true -> ok;
        false ->
            {ok, S1} = set_flags([{processes, []}, {ports, []}], [], S),
            _ = set_receive(false, set_functions(#{}, S1)),
            active(false)
    end,
    #state{};
clear(#state{session = Session}) ->
    _ = apply(trace, session_destroy, [Session]),
    #state{}.

%% The same where the state was lost with a process: whatever carries our tracer.
-spec clear() -> ok.
clear() ->
    %% A session ended with the process that held it.
    case not has_sessions() andalso beamtap_nif:tracing() of
        true ->
            All = [{tracer, ?TRACER, []} | all_flags()],
            _ = [trace(New, false, All) || New <- [new_processes, new_ports], tracer(New) =:= ours],
            _ = [trace(P, false, All) || P <- processes() ++ erlang:ports()],
            _ = erlang:trace_pattern('receive', true, []),
            _ = erlang:trace_pattern({'_', '_', '_'}, false, [local]),
            active(false);
        false -> ok
    end.

-spec is_idle(state()) -> boolean().
is_idle(#state{proc = [], port = []}) -> true;
is_idle(#state{}) -> false.

%% Functions that are traced no more although they should be: their modules were loaded anew.
-spec lost(state()) -> beamtap_names:functions().
lost(#state{functions = Functions} = S) ->
    maps:filter(fun(Mfa, _) -> not is_traced(Mfa, S) end, Functions).

%% Trace them again.
-spec again(beamtap_names:functions(), state()) -> state().
again(Lost, #state{functions = Functions} = S) ->
    %% A function may be gone for good: then it is asked for no more.
    S1 = set_functions(Functions, S#state{functions = maps:without(maps:keys(Lost), Functions)}),
    S1#state{functions = maps:without(maps:keys(lost(S1)), Functions)}.

%% The node has another name.
-spec renamed(state()) -> state().
renamed(S) ->
    set_receive(S#state.'receive' =/= false, S).

%% Other trace sessions, by name.
-spec sessions() -> [atom()].
sessions() ->
    case has_sessions() of
        true ->
            Names = [session_name(X) || X <- apply(trace, session_info, [all])],
            Legacy = [legacy || other_of_new() =/= none orelse whereis(dbg) =/= undefined],
            [N || N <- Names, N =/= beamtap, N =/= default] ++ Legacy;
        false -> []
    end.

-spec event_bit(non_neg_integer()) -> non_neg_integer().
event_bit(Id) -> 1 bsl Id.

%% Events that the agent can write in any VM.
-spec able() -> events().
able() ->
    lists:foldl(fun(Id, Acc) -> Acc bor event_bit(Id) end, 0,
      [?BEAMTAP_EVENT_message_send, ?BEAMTAP_EVENT_message_send_remote, ?BEAMTAP_EVENT_message_receive,
       ?BEAMTAP_EVENT_function_entry, ?BEAMTAP_EVENT_function_return, ?BEAMTAP_EVENT_exception_throw,
       ?BEAMTAP_EVENT_gc_major_start, ?BEAMTAP_EVENT_gc_minor_start, ?BEAMTAP_EVENT_gc_major_end,
       ?BEAMTAP_EVENT_gc_minor_end,
       ?BEAMTAP_EVENT_process_spawn, ?BEAMTAP_EVENT_process_exit, ?BEAMTAP_EVENT_process_scheduled,
       ?BEAMTAP_EVENT_process_unscheduled, ?BEAMTAP_EVENT_process_link, ?BEAMTAP_EVENT_process_unlink,
       ?BEAMTAP_EVENT_process_linked, ?BEAMTAP_EVENT_process_unlinked, ?BEAMTAP_EVENT_name_register,
       ?BEAMTAP_EVENT_name_unregister, ?BEAMTAP_EVENT_dirty_scheduled, ?BEAMTAP_EVENT_dirty_unscheduled,
       ?BEAMTAP_EVENT_port_open, ?BEAMTAP_EVENT_port_command, ?BEAMTAP_EVENT_port_control, ?BEAMTAP_EVENT_port_exit,
       ?BEAMTAP_EVENT_port_connect, ?BEAMTAP_EVENT_port_scheduled, ?BEAMTAP_EVENT_port_unscheduled,
       ?BEAMTAP_EVENT_port_data, ?BEAMTAP_EVENT_socket_open,
       ?BEAMTAP_EVENT_user_trace_s1, ?BEAMTAP_EVENT_user_trace_i4s4, ?BEAMTAP_EVENT_user_trace_n,
       ?BEAMTAP_EVENT_user_probe,
       ?BEAMTAP_EVENT_state_asked, ?BEAMTAP_EVENT_state_process, ?BEAMTAP_EVENT_state_port, ?BEAMTAP_EVENT_tap_start,
       ?BEAMTAP_EVENT_tap_stop, ?BEAMTAP_EVENT_tap_warning]).

%% ---- internal: from events to flags

-spec has(non_neg_integer(), events()) -> boolean().
has(Id, Events) ->
    Events band event_bit(Id) =/= 0.

-spec any([non_neg_integer()], events()) -> boolean().
any(Ids, Events) ->
    lists:any(fun(Id) -> has(Id, Events) end, Ids).

-spec proc_flags(events(), beamtap_names:functions()) -> [atom()].
proc_flags(E, Functions) ->
    lists:append(
      [[send || any([?BEAMTAP_EVENT_message_send, ?BEAMTAP_EVENT_message_send_remote], E)],
       ['receive' || has(?BEAMTAP_EVENT_message_receive, E)],
       lists:append([[exiting, running] ||
                        any([?BEAMTAP_EVENT_process_scheduled, ?BEAMTAP_EVENT_process_unscheduled,
                             ?BEAMTAP_EVENT_dirty_scheduled, ?BEAMTAP_EVENT_dirty_unscheduled], E)]),
       [garbage_collection || any([?BEAMTAP_EVENT_gc_major_start, ?BEAMTAP_EVENT_gc_minor_start,
                                   ?BEAMTAP_EVENT_gc_major_end, ?BEAMTAP_EVENT_gc_minor_end], E)],
       [procs || any([?BEAMTAP_EVENT_process_spawn, ?BEAMTAP_EVENT_process_exit, ?BEAMTAP_EVENT_process_link,
                      ?BEAMTAP_EVENT_process_unlink, ?BEAMTAP_EVENT_process_linked,
                      ?BEAMTAP_EVENT_process_unlinked, ?BEAMTAP_EVENT_name_register,
                      ?BEAMTAP_EVENT_name_unregister], E)],
       lists:append([[arity, call] || map_size(Functions) > 0,
                                      any([?BEAMTAP_EVENT_function_entry, ?BEAMTAP_EVENT_function_return,
                                           ?BEAMTAP_EVENT_exception_throw], E)])]).

-spec port_flags(events()) -> [atom()].
port_flags(E) ->
    lists:append(
      [[send || any([?BEAMTAP_EVENT_message_send, ?BEAMTAP_EVENT_port_data], E)],
       ['receive' || any([?BEAMTAP_EVENT_port_command, ?BEAMTAP_EVENT_port_control,
                          ?BEAMTAP_EVENT_port_connect], E)],
       [running_ports || any([?BEAMTAP_EVENT_port_scheduled, ?BEAMTAP_EVENT_port_unscheduled], E)],
       [ports || any([?BEAMTAP_EVENT_port_open, ?BEAMTAP_EVENT_port_exit, ?BEAMTAP_EVENT_name_register,
                      ?BEAMTAP_EVENT_name_unregister], E)]]).

-spec all_flags() -> [atom()].
all_flags() ->
    [send, 'receive', exiting, running, garbage_collection, procs, arity, call, running_ports,
     ports].

%% ---- internal: the two interfaces

-spec has_sessions() -> boolean().
has_sessions() ->
    list_to_integer(erlang:system_info(otp_release)) >= 27.

-spec open(state()) -> state().
open(#state{session = none} = S) ->
    case has_sessions() of
        true -> S#state{session = apply(trace, session_create, [beamtap, {?TRACER, []}, []])};
        false ->
            active(true),
            S
    end;
open(S) ->
    S.

%% For whoever comes after a server that was killed.
-spec active(boolean()) -> ok.
active(Is) ->
    beamtap_nif:tracing(Is).

-spec session_name(term()) -> atom().
session_name({legacy, default}) -> default;
session_name({Name, _}) when is_atom(Name) -> Name;
session_name({_Ref, {Name, _}}) when is_atom(Name) -> Name;
session_name(_) -> unknown.

%% Flags of one process, one port, or those to come.  False: it has ended, or is somebody else's.
%% Our tracer is named when flags go, too: others' are not touched then, and what stays keeps it.
-spec flags(new | pid() | port(), processes | ports, boolean(), [atom()], state()) -> boolean().
flags(_, _, _, [], _) ->
    true;
flags(Who, Kind, On, Flags, #state{session = none}) ->
    W = case {Who, Kind} of
            {new, processes} -> new_processes;
            {new, ports} -> new_ports;
            _ -> Who
        end,
    trace(W, On, [{tracer, ?TRACER, []} | Flags]);
flags(Who, Kind, On, Flags, #state{session = Session}) ->
    F = case Kind of processes -> process; ports -> port end,
    try apply(trace, F, [Session, Who, On, Flags]) of _ -> true catch error:badarg -> false end.

-spec trace(atom() | pid() | port(), boolean(), [term()]) -> boolean().
trace(Who, On, Options) ->
    try erlang:trace(Who, On, Options) of _ -> true catch error:badarg -> false end.

%% Processes are not asked who traces them: that would wake each of them.  A refusal tells it.
-spec set_flags([{processes | ports, [atom()]}], [pid() | port()], state()) ->
          {ok, state()} | {busy, {pid() | port(), term()}, state()}.
set_flags([], _, S) ->
    {ok, S};
set_flags([{Kind, Want} | Rest], Own, S) ->
    Have = case Kind of processes -> S#state.proc; ports -> S#state.port end,
    On = Want -- Have,
    Off = Have -- Want,
    %% Those to come first, so that none is missed.
    _ = flags(new, Kind, false, Off, S),
    %% All that is wanted again: in a session, what stays is lost with what goes.
    _ = On ++ Off =/= [] andalso flags(new, Kind, true, Want, S),
    Refused = case On =:= [] andalso Off =:= [] of
                  true -> none;
                  false -> each(existing(Kind) -- Own, Kind, On, Off, S)
              end,
    %% What is our own was new when it came.
    _ = [flags(P, Kind, false, Have ++ On, S) || P <- Own, is_kind(P, Kind), On ++ Off =/= []],
    S1 = case Kind of
             processes -> S#state{proc = Want};
             ports -> S#state{port = Want}
         end,
    case Refused of
        none -> set_flags(Rest, Own, S1);
        Other -> {busy, Other, S1}
    end.

-spec each([pid() | port()], processes | ports, [atom()], [atom()], state()) ->
          none | {pid() | port(), term()}.
each([], _, _, _, _) ->
    none;
each([P | Ps], Kind, On, Off, S) ->
    _ = flags(P, Kind, false, Off, S),
    case flags(P, Kind, true, On, S) of
        true -> each(Ps, Kind, On, Off, S);
        false ->
            case tracer(P) of
                none -> each(Ps, Kind, On, Off, S);
                ours -> each(Ps, Kind, On, Off, S);
                Tracer -> {P, Tracer}
            end
    end.

-spec existing(processes | ports) -> [pid() | port()].
existing(processes) -> processes();
existing(ports) -> erlang:ports().

-spec is_kind(pid() | port(), processes | ports) -> boolean().
is_kind(P, processes) -> is_pid(P);
is_kind(P, ports) -> is_port(P).

%% The sender is its pid; from another node the node's name; else what the VM says, as 'system'.
%% The name stands in the pattern: as a guard {node} it would cost half as much again.
-spec set_receive(boolean(), state()) -> state().
set_receive(Has, S) ->
    case Has andalso node() of
        Same when Same =:= S#state.'receive' ->
            S;
        Node ->
            Pattern = case Node of
                          false -> true;
                          _ -> [{[Node, '$1', '_'], [], [{message, '$1'}]},
                                {['$1', '_', '_'], [], [{message, '$1'}]}]
                      end,
            _ = case S#state.session of
                    none -> erlang:trace_pattern('receive', Pattern, []);
                    Session -> apply(trace, recv, [Session, Pattern, []])
                end,
            S#state{'receive' = Node}
    end.

%% ---- internal: functions

-spec set_functions(beamtap_names:functions(), state()) -> state().
set_functions(Want, #state{functions = Have} = S) ->
    Off = maps:without(maps:keys(Want), Have),
    On = maps:filter(fun(Mfa, How) -> maps:get(Mfa, Have, none) =/= How end, Want),
    _ = [pattern(T, false, S) || T <- targets(Off)],
    _ = [pattern(T, true, S) || T <- targets(maps:filter(fun(_, H) -> H =:= call end, On))],
    _ = [pattern(T, [{'_', [], [{exception_trace}]}], S) ||
            T <- targets(maps:filter(fun(_, H) -> H =:= return end, On))],
    S#state{functions = Want}.

%% Each call for a pattern waits for all schedulers: one for a module whose functions all are meant.
-spec targets(beamtap_names:functions()) -> [{module(), atom(), arity() | '_'}].
targets(Functions) ->
    ByModule = maps:fold(fun({M, _, _} = Mfa, _, Acc) ->
                                 maps:update_with(M, fun(L) -> [Mfa | L] end, [Mfa], Acc)
                         end, #{}, Functions),
    lists:append([case nr_functions(M) =:= length(Mfas) of
                      true -> [{M, '_', '_'}];
                      false -> Mfas
                  end || {M, Mfas} <- maps:to_list(ByModule)]).

-spec nr_functions(module()) -> non_neg_integer().
nr_functions(M) ->
    try length(erlang:get_module_info(M, functions)) catch error:_ -> -1 end.

-spec pattern({module(), atom(), arity() | '_'}, boolean() | [tuple()], state()) -> non_neg_integer().
pattern(Target, Pattern, #state{session = none}) ->
    erlang:trace_pattern(Target, Pattern, [local]);
pattern(Target, Pattern, #state{session = Session}) ->
    apply(trace, function, [Session, Target, Pattern, [local]]).

-spec is_traced(mfa(), state()) -> boolean().
is_traced(Mfa, #state{session = none}) ->
    erlang:trace_info(Mfa, traced) =:= {traced, local};
is_traced(Mfa, #state{session = Session}) ->
    apply(trace, info, [Session, Mfa, traced]) =:= {traced, local}.

%% ---- internal: who else traces (before OTP 27, and in the old interface's session)

-spec who_has({atom() | pid() | port(), term()}) -> iolist().
who_has({Who, Tracer}) ->
    [what(Who), " traced by ", whose(Tracer),
     "; in this OTP release a process has one tracer, and it is not taken away"].

-spec other_of_new() -> none | {atom(), term()}.
other_of_new() ->
    case [{W, T} || W <- [new_processes, new_ports], T <- [tracer(W)], T =/= none, T =/= ours] of
        [] -> none;
        [Other | _] -> Other
    end.

-spec tracer(atom() | pid() | port()) -> none | ours | term().
tracer(Who) ->
    try erlang:trace_info(Who, tracer) of
        {tracer, []} -> none;
        {tracer, {?TRACER, _}} -> ours;
        {tracer, Tracer} -> Tracer;
        undefined -> none
    catch
        error:_ -> none
    end.

-spec what(atom() | pid() | port()) -> iolist().
what(new_processes) -> "new processes are";
what(new_ports) -> "new ports are";
what(P) -> [io_lib:format("~p", [P]), " is"].

-spec whose(term()) -> iolist().
whose(Pid) when is_pid(Pid) ->
    Name = case process_info(Pid, registered_name) of
               {registered_name, N} -> io_lib:format("~tp", [N]);
               _ ->
                   case process_info(Pid, initial_call) of
                       {initial_call, {M, F, A}} -> io_lib:format("~tp:~tp/~p", [M, F, A]);
                       _ -> "a process that ended"
                   end
           end,
    Dbg = case whereis(dbg) of
              undefined -> "";
              _ -> " (dbg is running)"
          end,
    [io_lib:format("~p", [Pid]), " ", Name, Dbg];
whose(Port) when is_port(Port) ->
    io_lib:format("~p", [Port]);
whose({Module, _}) ->
    io_lib:format("the tracer module ~tp", [Module]);
whose(Other) ->
    io_lib:format("~0tP", [Other, 6]).
