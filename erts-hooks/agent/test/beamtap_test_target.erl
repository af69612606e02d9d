%% SPDX-License-Identifier: Apache-2.0
%%
%% What the tests have done in the traced VM.  Processes and ports are returned as records hold them.
-module(beamtap_test_target).

-compile([export_all, nowarn_export_all]).

raw(T) -> beamtap_nif:word(T).

%% ---- a scene of each kind

messages() ->
    Me = self(),
    R = spawn(fun() -> register(test_receiver, self()), Me ! ready,
                       [receive {m, N} -> ok end || N <- lists:seq(1, 3)],
                       receive small -> Me ! done end end),
    receive ready -> ok end,
    [R ! {m, N} || N <- lists:seq(1, 3)],
    test_receiver ! small,
    receive done -> ok end,
    #{sender => raw(Me), receiver => raw(R), name => raw(test_receiver)}.

timer() ->
    erlang:send_after(1, self(), tick),
    receive tick -> ok end,
    #{p => raw(self())}.

life() ->
    process_flag(trap_exit, true),
    P = spawn_link(?MODULE, wait, [a, b]),
    Q = spawn(?MODULE, wait, [c, d]),
    link(Q),
    unlink(Q),
    register(test_name, P),
    unregister(test_name),
    P ! {exit, {shutdown, [1, 2, <<"why \e[2J \"so\"">>]}},
    receive {'EXIT', P, _} -> ok end,
    exit(Q, kill),
    %% All of them have gone when the records are read.
    M = monitor(process, Q),
    receive {'DOWN', M, process, Q, _} -> ok end,
    #{self => raw(self()), p => raw(P), q => raw(Q), name => raw(test_name)}.

wait(_, _) ->
    receive {exit, R} -> exit(R); stop -> ok end.

%% Exits with each of these, one process each.
exits(Reasons) ->
    [begin
         {P, M} = spawn_monitor(fun() -> exit(R) end),
         receive {'DOWN', M, process, P, _} -> raw(P) end
     end || R <- Reasons].

gc() ->
    {P, M} = spawn_monitor(fun() ->
                                   _ = garbage(20000, []),
                                   erlang:garbage_collect(),
                                   erlang:garbage_collect(self(), [{type, minor}])
                           end),
    receive {'DOWN', M, process, P, _} -> #{p => raw(P)} end.

garbage(0, Acc) -> length(Acc);
garbage(N, _) when N rem 100 =:= 0 -> garbage(N - 1, []);
garbage(N, Acc) -> garbage(N - 1, [{N, N} | Acc]).

yields() ->
    {P, M} = spawn_monitor(fun() -> [erlang:yield() || _ <- lists:seq(1, 5)] end),
    receive {'DOWN', M, process, P, _} -> #{p => raw(P)} end.

port() ->
    Port = open_port({spawn, "/bin/cat"}, [binary, stream]),
    register(test_port, Port),
    port_command(Port, <<"hello there">>),
    receive {Port, {data, <<"hello there">>}} -> ok after 5000 -> exit(no_answer) end,
    port_command(Port, [<<"more">>, " than ", <<"one">>]),
    receive {Port, {data, _}} -> ok after 5000 -> exit(no_answer) end,
    Owner = spawn(fun() -> receive stop -> ok end end),
    erlang:port_connect(Port, Owner),
    erlang:port_connect(Port, self()),
    unlink(Port),
    port_close(Port),
    Owner ! stop,
    #{port => raw(Port), owner => raw(Owner), self => raw(self())}.

tcp() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, N} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, N, [binary, {active, true}]),
    {ok, S} = gen_tcp:accept(L),
    ok = gen_tcp:send(C, <<"twelve bytes">>),
    {ok, <<"twelve bytes">>} = gen_tcp:recv(S, 12),
    ok = gen_tcp:send(S, <<"back">>),
    receive {tcp, C, <<"back">>} -> ok end,
    put(sockets, {L, C, S}),
    {ok, {_, CPort}} = inet:sockname(C),
    #{client => raw(C), server => raw(S), port => N, client_port => CPort}.

tcp_close() ->
    {L, C, S} = get(sockets),
    [gen_tcp:close(X) || X <- [C, S, L]],
    ok.

%% ---- functions that are called

calls() ->
    _ = fact(3),
    _ = tail(2),
    _ = (catch boom(x)),
    _ = 'Elixir.Beamtap.Test.Cart':total([1, 2]),
    #{p => raw(self())}.

fact(0) -> 1;
fact(N) -> N * fact(N - 1).

tail(0) -> ok;
tail(N) -> tail(N - 1).

boom(X) -> local(X), ok.

local(X) -> error({badthing, X}).

%% ---- steady work, and what it costs

ping(N) ->
    Me = self(),
    P = spawn_link(fun() -> pong(Me) end),
    [begin P ! {ping, I}, receive {pong, I} -> ok end end || I <- lists:seq(1, N)],
    unlink(P),
    P ! stop,
    ok.

pong(To) ->
    receive
        {ping, I} -> To ! {pong, I}, pong(To);
        stop -> ok
    end.

%% Flags that anything in this VM carries, and patterns.
leftovers() ->
    Flags = [{W, F} || W <- [new_processes, new_ports | processes() ++ erlang:ports()],
                       {flags, F} <- [try erlang:trace_info(W, flags) catch _:_ -> none end], F =/= []],
    Tracers = [{W, T} || W <- processes() ++ erlang:ports(),
                         {tracer, T} <- [try erlang:trace_info(W, tracer) catch _:_ -> none end],
                         T =/= []],
    Fs = [{?MODULE, F, A} || {F, A} <- ?MODULE:module_info(functions),
                             erlang:trace_info({?MODULE, F, A}, traced) =/= {traced, false}],
    {_, Receive} = erlang:trace_info('receive', match_spec),
    Sessions = case erlang:function_exported(trace, session_info, 1) of
                   true -> [S || {beamtap, _} = S <- apply(trace, session_info, [all])];
                   false -> []
               end,
    Flags ++ Tracers ++ Fs ++ [{'receive', Receive} || Receive =/= true, Receive =/= []] ++ Sessions.

memory() ->
    erlang:garbage_collect(),
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Rss]} = re:run(Status, "RssAnon:\\s+(\\d+)", [{capture, all_but_first, binary}]),
    #{rss_kb => binary_to_integer(Rss), total => erlang:memory(total)}.

own() ->
    [raw(P) || P <- beamtap_nif:own()].

%% A process that another tracer holds.
other_tracer() ->
    Tracer = spawn(fun() -> receive stop -> ok end end),
    register(some_tracer, Tracer),
    P = spawn(fun() -> receive stop -> ok end end),
    1 = erlang:trace(P, true, [send, {tracer, Tracer}]),
    ok.

%% ---- more for the suite

ping() -> pong.

named(Name) ->
    {P, M} = spawn_monitor(fun() -> register(Name, self()) end),
    receive {'DOWN', M, process, P, _} -> ok end.

dirty() ->
    %% Files are read on dirty schedulers.
    {P, M} = spawn_monitor(fun() -> [{ok, _} = prim_file:read_file("/proc/self/stat") || _ <- [1, 2, 3]] end),
    receive {'DOWN', M, process, P, _} -> #{p => raw(P)} end.

tcp_and_close() ->
    R = tcp(),
    tcp_close(),
    R.

%% The sockets live on in a process of their own.
tcp_kept() ->
    Me = self(),
    spawn(fun() ->
                  register(test_tcp, self()),
                  Me ! {tcp, tcp()},
                  kept()
          end),
    receive {tcp, R} -> R end.

kept() ->
    {_, C, S} = get(sockets),
    receive
        {more, From} ->
            ok = gen_tcp:send(C, <<"twelve bytes">>),
            {ok, _} = gen_tcp:recv(S, 12),
            From ! done,
            kept();
        stop -> ok
    end.

tcp_more() ->
    test_tcp ! {more, self()},
    receive done -> ok end.

send_from_here(Pid, Node) ->
    Pid ! {hello, 1},
    {some_name, Node} ! hello,
    register(test_me, self()),
    {test_me, node()} ! hello,
    receive hello -> ok end,
    raw(self()).

stack_of_tail(N) ->
    put(stack, 0),
    tail_with_stack(N).

tail_with_stack(N) ->
    _ = tail(N),
    {stack_size, S} = process_info(self(), stack_size),
    S.

load_again() ->
    {M, B, F} = code:get_object_code(?MODULE),
    code:purge(M),
    code:load_binary(M, F, B).

load_everything() ->
    [code:ensure_loaded(list_to_atom(filename:basename(F, ".beam"))) ||
        D <- code:get_path(), F <- filelib:wildcard(filename:join(D, "*.beam")),
        not lists:suffix("wx", filename:basename(filename:dirname(D)))],
    length(code:all_loaded()).

%% A process that proc_lib started, with a name and two messages in its mailbox.
server() ->
    {ok, P} = proc_lib:start(?MODULE, server_init, [x]),
    P ! a,
    P ! b,
    P.

server_init(_) ->
    register(test_server, self()),
    proc_lib:init_ack({ok, self()}),
    receive stop -> ok end.

kill_server() ->
    case whereis(beamtap_server) of
        undefined -> false;
        P -> exit(P, kill)
    end.

nr_traced() ->
    length([P || P <- processes(), {tracer, T} <- [erlang:trace_info(P, tracer)], T =/= []]).

is_other_still_there() ->
    Tracer = whereis(some_tracer),
    [T || P <- processes(), {tracer, T} <- [erlang:trace_info(P, tracer)], T =:= Tracer] =:= [Tracer].

other_session() ->
    Me = self(),
    spawn(fun() ->
                  S = apply(trace, session_create, [test_other, self(), []]),
                  Me ! ready,
                  receive stop -> S end
          end),
    receive ready -> ok end.

busy(N) ->
    spawn(fun() ->
                  Ps = [spawn_link(fun() -> busy_loop(I) end) || I <- lists:seq(1, N)],
                  receive stop -> [begin unlink(P), exit(P, kill) end || P <- Ps] end
          end).

busy_loop(I) ->
    ping(200),
    _ = garbage(500, []),
    {P, M} = spawn_monitor(fun() -> exit({bye, I}) end),
    receive {'DOWN', M, process, P, _} -> ok end,
    busy_loop(I).

stop_busy(P) ->
    P ! stop,
    ok.

has_mapping(Prefix) ->
    {ok, Maps} = file:read_file("/proc/self/maps"),
    binary:match(Maps, list_to_binary(Prefix)) =/= nomatch.

%% Messages that the VM makes in another's name, among such as are sent.
signals() ->
    Me = self(),
    B = spawn(fun() ->
                      process_flag(trap_exit, true),
                      Me ! ready,
                      [receive _ -> ok end || _ <- lists:seq(1, 8)],
                      Me ! done
              end),
    receive ready -> ok end,
    Tab = ets:new(tab, []),
    B ! m1,
    exit(B, why),
    B ! m2,
    ets:give_away(Tab, B, data),
    B ! {'EXIT', Me, by_hand},
    B ! m3,
    B ! {'EXIT', B, no_signal},
    {links, _} = process_info(B, links),
    _ = erlang:garbage_collect(B),
    B ! m4,
    receive done -> ok end,
    M = monitor(process, B),
    receive {'DOWN', M, process, B, _} -> ok end,
    %% A child that is asked for: the answer comes in its name.
    R = spawn_request(fun() -> Me ! hello end),
    C = receive {spawn_reply, R, ok, P} -> P end,
    receive hello -> ok end,
    #{a => raw(Me), b => raw(B), c => raw(C)}.

%% Three calls of which the second is given up before its answer; then a Task as Elixir has them.
late_answer() ->
    S = spawn(fun Loop() ->
                      receive
                          {call, {_, Tag}, late} -> receive go -> ok end, gen_reply(Tag, late), Loop();
                          {call, {_, Tag}, M} -> gen_reply(Tag, M), Loop();
                          {task, Ref} -> Ref ! {Ref, result}, Loop();
                          stop -> ok
                      end
              end),
    one = gen_call(S, one),
    timeout = gen_call(S, late),
    S ! go,
    three = gen_call(S, three),
    Ref = monitor(process, S, [{alias, demonitor}]),
    S ! {task, Ref},
    receive {Ref, result} -> demonitor(Ref, [flush]) end,
    S ! stop,
    #{self => raw(self()), server => raw(S)}.

gen_call(S, What) ->
    Ref = monitor(process, S, [{alias, demonitor}]),
    Tag = [alias | Ref],
    S ! {call, {self(), Tag}, What},
    receive
        {Tag, Answer} -> demonitor(Ref, [flush]), Answer
    after case What of late -> 50; _ -> 5000 end ->
            demonitor(Ref, [flush]),
            timeout
    end.

gen_reply([alias | Alias] = Tag, Answer) ->
    Alias ! {Tag, Answer}.

%% Processes that proc_lib started, with what they are said to begin with.
proc_lib_starts() ->
    {ok, G} = gen_server:start(?MODULE, gen, []),
    {ok, N} = gen_server:start({local, test_gen_server}, ?MODULE, gen, []),
    {ok, U} = supervisor:start_link(?MODULE, sup),
    P = proc_lib:spawn(?MODULE, wait, [a, b]),
    F = proc_lib:spawn(fun() -> receive stop -> ok end end),
    Ps = [G, N, U, P],
    unlink(U),
    Initial = [proc_lib:translate_initial_call(X) || X <- Ps],
    [exit(X, kill) || X <- [F | Ps]],
    #{started => lists:zip([raw(X) || X <- Ps], Initial), function => raw(F)}.

init(gen) -> {ok, state};
init(sup) -> {ok, {#{}, []}}.

handle_call(_, _, S) -> {reply, ok, S}.

handle_cast(_, S) -> {noreply, S}.

%% A call of a server: the answer goes to an alias.
call_server() ->
    Me = self(),
    S = spawn(fun() -> receive {ask, Alias} -> Alias ! {answer, Alias} end, Me ! done end),
    Alias = erlang:alias(),
    S ! {ask, Alias},
    receive {answer, Alias} -> ok end,
    receive done -> ok end,
    true = erlang:unalias(Alias),
    #{self => raw(Me), server => raw(S)}.
