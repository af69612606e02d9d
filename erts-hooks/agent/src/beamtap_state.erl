%% SPDX-License-Identifier: Apache-2.0
%%
%% Tells readers what is there: processes, ports, sockets.
%%
%% A process is asked by a signal, and answers when it runs; some run long in
%% native code, or not at all.  So that none holds up the rest, a helper asks,
%% and is left behind when no answer comes.  It all goes at a walking pace, and
%% takes no copy of anything large.
-module(beamtap_state).

-export([start_link/0, snapshot/1, ports/1, stop_ports/1]).

%% For the helper.
-export([helper/0]).

-define(CHUNK, 100).              % things asked, then a rest
-define(REST_MS, 1).
-define(ANSWER_MS, 200).          % an answer is waited for so long
-define(MAX_STUCK, 8).            % helpers left behind
-define(PORTS_MS, 5000).          % ports are told again
-define(MAX_HEAP, 1000000).       % words: above that a process's dictionary is not looked at

-record(st, {
    helper :: pid(),
    stuck = [] :: [pid()],
    sockets = #{} :: #{port() => non_neg_integer()},
    timer = none :: none | reference()
}).

%% ---- API

-spec start_link() -> pid().
start_link() ->
    Self = self(),
    Pid = spawn_link(fun() -> init(Self) end),
    receive {Pid, ready} -> Pid end.

%% All processes and ports, then the ports again and again until stop_ports/1.
-spec snapshot(pid()) -> ok.
snapshot(Pid) ->
    Pid ! snapshot,
    ok.

-spec ports(pid()) -> ok.
ports(Pid) ->
    Pid ! ports,
    ok.

-spec stop_ports(pid()) -> ok.
stop_ports(Pid) ->
    Pid ! stop_ports,
    ok.

%% ---- internal: the walker

-spec init(pid()) -> no_return().
init(Parent) ->
    process_flag(trap_exit, true),
    Helper = spawn_link(?MODULE, helper, []),
    Parent ! {self(), ready},
    own(Helper),
    loop(Parent, #st{helper = Helper}).

-spec loop(pid(), #st{}) -> no_return().
loop(Parent, S) ->
    receive
        snapshot ->
            S1 = walk(processes(), process, S),
            loop(Parent, again(walk_ports(S1)));
        ports ->
            loop(Parent, walk_ports(S));
        {timeout, T, again} when T =:= S#st.timer ->
            loop(Parent, again(walk_ports(S)));
        stop_ports ->
            S1 = cancel(S),
            loop(Parent, S1#st{sockets = #{}});
        {'EXIT', Parent, Reason} ->
            exit(Reason);
        {'EXIT', Helper, _} when Helper =:= S#st.helper ->
            loop(Parent, new_helper(S));
        {'EXIT', Pid, _} ->
            loop(Parent, S#st{stuck = lists:delete(Pid, S#st.stuck)});
        _ ->
            loop(Parent, S)
    end.

-spec again(#st{}) -> #st{}.
again(S) ->
    S1 = cancel(S),
    S1#st{timer = erlang:start_timer(?PORTS_MS, self(), again)}.

-spec cancel(#st{}) -> #st{}.
cancel(#st{timer = none} = S) -> S;
cancel(#st{timer = T} = S) ->
    _ = erlang:cancel_timer(T),
    S#st{timer = none}.

-spec walk_ports(#st{}) -> #st{}.
walk_ports(S) ->
    Ports = erlang:ports(),
    Alive = maps:with(Ports, S#st.sockets),
    walk(Ports, port, S#st{sockets = Alive}).

-spec walk([pid() | port()], process | port, #st{}) -> #st{}.
walk(All, Kind, S) ->
    walk(All, Kind, ?CHUNK, S).

-spec walk([pid() | port()], process | port, non_neg_integer(), #st{}) -> #st{}.
walk([], _, _, S) ->
    S;
walk(_, Kind, _, #st{stuck = Stuck} = S) when length(Stuck) > ?MAX_STUCK ->
    _ = beamtap_nif:tap(warning, 0, ["the ", atom_to_list(Kind), "es are not told in full: ",
                                     "too many do not answer"]),
    S;
walk(All, Kind, 0, S) ->
    receive after ?REST_MS -> ok end,
    walk(All, Kind, ?CHUNK, S);
walk([P | Rest], Kind, N, S) ->
    case is_own(P) of
        true -> walk(Rest, Kind, N, S);
        false -> walk(Rest, Kind, N - 1, ask(P, Kind, S))
    end.

-spec ask(pid() | port(), process | port, #st{}) -> #st{}.
ask(P, Kind, #st{helper = Helper, sockets = Sockets} = S) ->
    Helper ! {ask, self(), Kind, P, maps:get(P, Sockets, 0)},
    receive
        {told, P, 0} -> S;
        {told, P, Socket} -> S#st{sockets = Sockets#{P => Socket}};
        {'EXIT', Helper, _} -> new_helper(S)
    after ?ANSWER_MS ->
            %% An answer that comes late goes nowhere: the process ends itself then.
            Helper ! done,
            new_helper(S#st{stuck = [Helper | S#st.stuck]})
    end.

-spec new_helper(#st{}) -> #st{}.
new_helper(S) ->
    Helper = spawn_link(?MODULE, helper, []),
    own(Helper),
    S#st{helper = Helper}.

%% The server's list, and the helper of now.
-spec own(pid()) -> ok.
own(Helper) ->
    beamtap_server:own([self(), Helper]).

-spec is_own(pid() | port()) -> boolean().
is_own(P) ->
    lists:member(P, beamtap_nif:own()).

%% ---- internal: the helper

-spec helper() -> ok.
helper() ->
    receive
        {ask, From, process, P, _} ->
            process(P),
            From ! {told, P, 0},
            helper();
        {ask, From, port, P, Known} ->
            From ! {told, P, port(P, Known)},
            helper();
        done ->
            ok
    end.

-spec process(pid()) -> ok.
process(P) ->
    _ = beamtap_nif:state_asked(P),
    case process_info(P, [initial_call, registered_name, parent, message_queue_len,
                          total_heap_size]) of
        [{initial_call, Mfa}, {registered_name, Name}, {parent, Parent}, {message_queue_len, Len},
         {total_heap_size, Heap}] ->
            _ = beamtap_nif:state_process(P, first_function(P, Mfa, Heap), Name, Parent, Len),
            ok;
        undefined ->
            ok
    end.

%% What proc_lib started says itself where it began, in its dictionary.
-spec first_function(pid(), mfa(), non_neg_integer()) -> mfa().
first_function(P, {proc_lib, init_p, _} = Mfa, Heap) when Heap =< ?MAX_HEAP ->
    case dictionary(P) of
        {M, F, A} = Call when is_atom(M), is_atom(F), is_integer(A) -> Call;
        {M, F, Args} when is_atom(M), is_atom(F), is_list(Args), length(Args) < 256 ->
            {M, F, length(Args)};
        _ -> Mfa
    end;
first_function(_, Mfa, _) ->
    Mfa.

%% One entry can be asked for from OTP 26.2 on.
-spec dictionary(pid()) -> term().
dictionary(P) ->
    try process_info(P, {dictionary, '$initial_call'}) of
        {_, Call} -> Call;
        undefined -> undefined
    catch
        error:badarg ->
            case process_info(P, dictionary) of
                {dictionary, D} -> proplists:get_value('$initial_call', D);
                undefined -> undefined
            end
    end.

%% Returns what identifies its socket, so that this is told once.
-spec port(port(), non_neg_integer()) -> non_neg_integer().
port(P, Known) ->
    case [I || Item <- [name, connected, input, output],
               I <- [erlang:port_info(P, Item)], I =/= undefined] of
        [{name, PortName}, {connected, Owner}, {input, In0}, {output, Out0}] ->
            {In, Out} = passed(P, PortName, In0, Out0),
            Name = case erlang:port_info(P, registered_name) of
                       {registered_name, N} -> N;
                       _ -> []
                   end,
            _ = beamtap_nif:state_port(P, text(PortName), Owner, Name, In, Out),
            case Known of
                0 -> socket(P, PortName, Owner);
                _ -> Known
            end;
        _ ->
            0
    end.

-define(is_inet(Name), Name =:= "tcp_inet"; Name =:= "udp_inet"; Name =:= "sctp_inet").

%% A socket's driver does not tell the VM what it reads, but it counts itself.
-spec passed(port(), string(), integer(), integer()) -> {integer(), integer()}.
passed(P, PortName, In, Out) when ?is_inet(PortName) ->
    try prim_inet:getstat(P, [recv_oct, send_oct]) of
        {ok, Counts} -> {proplists:get_value(recv_oct, Counts, In),
                         proplists:get_value(send_oct, Counts, Out)};
        _ -> {In, Out}
    catch
        _:_ -> {In, Out}
    end;
passed(_, _, In, Out) ->
    {In, Out}.

-spec socket(port(), string(), pid()) -> non_neg_integer().
socket(P, PortName, Owner) when ?is_inet(PortName) ->
    try prim_inet:getfd(P) of
        {ok, Fd} -> beamtap_nif:socket_open(P, Owner, Fd);
        _ -> 0
    catch
        _:_ -> 0
    end;
socket(_, _, _) ->
    0.

-spec text(string()) -> binary().
text(Name) ->
    case unicode:characters_to_binary(Name) of
        B when is_binary(B) -> B;
        _ -> list_to_binary([C band 255 || C <- Name])
    end.
