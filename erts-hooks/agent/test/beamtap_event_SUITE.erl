%% SPDX-License-Identifier: Apache-2.0
%%
%% What the agent records: each event of a real VM against its record in the region.
-module(beamtap_event_SUITE).

-compile([export_all, nowarn_export_all]).

-import(beamtap_test, [start_peer/1, start/1, open/1, call/4, on/2, want_some/3, events/3, mfa/2, wait/1,
                       has_sessions/0, net_kernel_possible/0]).

-include_lib("common_test/include/ct.hrl").
-include_lib("stdlib/include/assert.hrl").
-include("beamtap.hrl").

-define(T, beamtap_test_target).
-define(READER, beamtap_test_reader).
-define(STATE, 1).

suite() -> [{timetrap, {seconds, 90}}].

all() ->
    [messages, signals, late_answer, aliases, timers_have_senders, remote_send, life, proc_lib_starts,
     exit_reasons, reasons, scheduling, dirty, gc,
     ports, tcp, calls, plain_calls_keep_tails, elixir_names, reloaded_code,
     bad_specs, too_many_functions, no_atoms_from_readers,
     user_probes, strings_are_defined, utf8_atoms,
     state, sockets, own_left_out, events_not_asked_for].

init_per_testcase(Case, Config) ->
    beamtap_test:begin_case(Case, [messages, signals, proc_lib_starts, calls, own_left_out], Config).

end_per_testcase(_, Config) ->
    beamtap_test:end_case(Config).

%% ---- events

messages(Config) ->
    {P, R} = start(Config),
    on(R, [message_send, message_receive]),
    #{sender := S, receiver := Q, name := Name} = call(P, ?T, messages, []),
    D = ?READER:dump(R),
    ?assertMatch([#{msg := 0}, _, _], events(D, message_send, #{sender => S, receiver => Q})),
    ?assertMatch([#{size := 0}], events(D, message_send, #{sender => S, receiver => Name})),
    ?assertMatch([#{size := unknown, queue_len := unknown, msg := 0}, _, _, #{size := 0}],
                 events(D, message_receive, #{sender => S, receiver => Q})),
    ?assertMatch([#{size := 0}, #{size := 0}], events(D, message_receive, #{sender => Q, receiver => S})).

%% A message that the VM may have made is one that order cannot find, on both sides.
signals(Config) ->
    {P, R} = start(Config),
    on(R, [message_send, message_receive]),
    #{a := A, b := B, c := C} = call(P, ?T, signals, []),
    D = ?READER:dump(R),
    Of = fun(Event, From, To) ->
                 [{M, S} || #{msg := M, size := S} <- events(D, Event, #{sender => From, receiver => To})]
         end,
    %% m1 m2 {'EXIT', A, _} m3 {'EXIT', B, _} m4
    ?assertEqual([{0, 0}, {0, 0}, {unknown, unknown}, {0, 0}, {0, unknown}, {0, 0}], Of(message_send, A, B)),
    %% m1 EXIT m2 ETS-TRANSFER {'EXIT', A, _} m3 {'EXIT', B, _} m4
    ?assertEqual([{0, 0}, {unknown, unknown}, {0, 0}, {unknown, unknown}, {unknown, unknown}, {0, 0},
                  {0, unknown}, {0, 0}], Of(message_receive, A, B)),
    [?assertEqual([X || {0, _} = X <- Of(message_send, From, To)],
                  [X || {0, _} = X <- Of(message_receive, From, To)]) || {From, To} <- [{A, B}, {B, A}, {C, A}]],
    ?assertMatch([_ | _], [X || {unknown, _} = X <- Of(message_receive, B, A)]),
    ?assertMatch([{unknown, _}, {0, 0}], Of(message_receive, C, A)).

%% Answers are known by their alias: one that comes too late is dropped by the VM.
late_answer(Config) ->
    {P, R} = start(Config),
    on(R, [message_send, message_receive]),
    #{self := Me, server := S} = call(P, ?T, late_answer, []),
    D = ?READER:dump(R),
    [One, Late, Three, Task] = [M || #{msg := M} <- events(D, message_send, #{sender => S, receiver => Me})],
    ?assertEqual(4, length(lists:usort([One, Late, Three, Task] -- [0, unknown]))),
    ?assertEqual([One, Three, Task], [M || #{msg := M} <- events(D, message_receive, #{sender => S, receiver => Me})]).

%% Servers answer to an alias, a reference: the record has the process.
aliases(Config) ->
    {P, R} = start(Config),
    on(R, [message_send, message_send_remote, message_receive]),
    #{self := Me, server := S} = call(P, ?T, call_server, []),
    D = ?READER:dump(R),
    ?assertMatch([_, _], events(D, message_send, #{sender => S, receiver => Me})),
    ?assertMatch([_, _], events(D, message_receive, #{sender => S, receiver => Me})),
    ?assertEqual([], events(D, message_send_remote, #{})).

%% Of timers the VM says no sender, or that it was the clock service.
timers_have_senders(Config) ->
    {P, R} = start(Config),
    on(R, [message_receive]),
    #{p := Me} = call(P, ?T, timer, []),
    ?assertMatch([#{size := 0} | _], events(?READER:dump(R), message_receive, #{receiver => Me})).

remote_send(_Config) ->
    case net_kernel_possible() of
        false -> {skip, "no epmd here"};
        true ->
            {ok, A, NA} = start_peer([{name, a}]),
            {ok, B, NB} = start_peer([{name, b}]),
            try
                ok = call(A, beamtap, start, []),
                #{region := Path} = call(A, beamtap, info, []),
                R = open(Path),
                true = call(A, net_kernel, connect_node, [NB]),
                on(R, [message_send_remote, message_send, message_receive]),
                Pid = call(B, erlang, spawn, [timer, sleep, [5000]]),
                Raw = call(A, ?T, send_from_here, [Pid, NB]),
                D = ?READER:dump(R),
                NodeText = atom_to_binary(NB),
                Atoms = ?READER:strings(R),
                [M1, M2] = events(D, message_send_remote, #{sender => Raw}),
                ?assertEqual(NodeText, maps:get({atom, maps:get(node_name, M1)}, Atoms)),
                ?assertEqual(NodeText, maps:get({atom, maps:get(node_name, M2)}, Atoms)),
                ?assertEqual(<<"some_name">>, maps:get(receiver, M2)),
                ?assertMatch(<<"<0.", _/binary>>, maps:get(receiver, M1)),
                %% {Name, Node} with this node is no remote send.
                ?assertMatch([_ | _], events(D, message_send, #{sender => Raw})),
                ?assertMatch(#{<<"node">> := _}, ?READER:facts(R)),
                ?assertEqual(atom_to_binary(NA), maps:get(<<"node">>, ?READER:facts(R)))
            after
                peer:stop(A), peer:stop(B)
            end
    end.

life(Config) ->
    {P, R} = start(Config),
    on(R, [process_spawn, process_exit, process_link, process_unlink, process_linked,
           process_unlinked, name_register, name_unregister]),
    #{self := Me, p := A, q := B, name := Name} = call(P, ?T, life, []),
    D = ?READER:dump(R),
    Atoms = ?READER:strings(R),
    [#{mfa := Mfa, parent := Me}] = events(D, process_spawn, #{p => A}),
    ?assertEqual({<<"beamtap_test_target">>, <<"wait">>, 2}, mfa(Mfa, Atoms)),
    ?assertMatch([#{parent := Me}], events(D, process_spawn, #{p => B})),
    ?assertMatch([_], events(D, process_link, #{p => Me, other => A})),
    ?assertMatch([_], events(D, process_linked, #{p => A, other => Me})),
    ?assertMatch([_], events(D, process_link, #{p => Me, other => B})),
    ?assertMatch([_], events(D, process_unlink, #{p => Me, other => B})),
    ?assertMatch([_], events(D, process_unlinked, #{p => B, other => Me})),
    ?assertMatch([_], events(D, name_register, #{p => A, name => Name})),
    ?assertMatch([_], events(D, name_unregister, #{p => A, name => Name})),
    ?assertEqual(<<"test_name">>, maps:get({atom, Name}, Atoms)),
    [#{reason := Reason}] = events(D, process_exit, #{p => A}),
    ?assertEqual(<<"{shutdown,[1,2,<<\\x{22}why \\x{5c}e[2J \\x{5c}\\x{22}so\\x{5c}\\x{22}\\x{22}>>]}">>, Reason),
    ?assertMatch([#{reason := <<"killed">>}], events(D, process_exit, #{p => B})).

%% Their first function is that of who wrote them, as proc_lib has it.
proc_lib_starts(Config) ->
    {P, R} = start(Config),
    on(R, [process_spawn]),
    #{started := Started, function := F} = call(P, ?T, proc_lib_starts, []),
    D = ?READER:dump(R),
    Atoms = ?READER:strings(R),
    [begin
         [#{mfa := Mfa}] = events(D, process_spawn, #{p => X}),
         ?assertEqual({atom_to_binary(M), atom_to_binary(N), A}, mfa(Mfa, Atoms))
     end || {X, {M, N, A}} <- Started],
    [#{mfa := OfFun}] = events(D, process_spawn, #{p => F}),
    ?assertEqual({<<"proc_lib">>, <<"init_p">>, 3}, mfa(OfFun, Atoms)).

exit_reasons(Config) ->
    {P, R} = start(Config),
    on(R, [process_exit]),
    Long = lists:duplicate(10000, {a, <<"b">>}),
    [A, B, C] = call(P, ?T, exits, [[Long, binary:copy(<<255>>, 50000), 'some atom']]),
    D = ?READER:dump(R),
    [#{reason := RA}] = events(D, process_exit, #{p => A}),
    ?assert(byte_size(RA) < 400),
    ?assertMatch({_, _}, binary:match(RA, <<"...">>)),
    ?assertMatch([#{reason := <<"<<50000 bytes>>">>}], events(D, process_exit, #{p => B})),
    ?assertMatch([#{reason := <<"'some atom'">>}], events(D, process_exit, #{p => C})).

%% The formatter alone, over more shapes.
reasons(Config) ->
    P = ?config(peer, Config),
    Print = fun(T) -> call(P, beamtap_nif, reason, [T]) end,
    [?assertEqual(Expected, Print(T)) ||
        {Expected, T} <-
            [{<<"normal">>, normal}, {<<"'Elixir.A.B'">>, 'Elixir.A.B'}, {<<"'end'">>, 'end'},
             {<<"'it\\'s'">>, 'it\'s'}, {<<"[]">>, []}, {<<"\"text\"">>, "text"},
             {<<"\"a\\e[2J\\n\"">>, "a\e[2J\n"}, {<<"[1,2|x]">>, [1, 2 | x]},
             {<<"{a,{b,[c]}}">>, {a, {b, [c]}}}, {<<"-7">>, -7}, {<<"1.5">>, 1.5},
             {<<"2.0">>, 2.0}, {<<"<<>>">>, <<>>}, {<<"#{1 keys}">>, #{a => 1}},
             {<<"<big integer>">>, 1 bsl 200}, {<<"<<1 bytes>>">>, <<0>>},
             {<<"'gr\xc3\xbc\xc3\x9f'">>, binary_to_atom(<<"gr\xc3\xbc\xc3\x9f">>)},
             {<<"<<\"gr\xc3\xbc\xc3\x9f\">>">>, <<"gr\xc3\xbc\xc3\x9f">>}]],
    ?assertMatch(<<"<<3 bits", _/binary>>, <<"<<3 bits>>">>),
    Deep = lists:foldl(fun(_, T) -> {T} end, x, lists:seq(1, 100000)),
    ?assertMatch(B when byte_size(B) =< 120, Print(Deep)),
    Wide = list_to_tuple(lists:seq(1, 100000)),
    W = Print(Wide),
    ?assert(byte_size(W) =< 120),
    ?assertMatch({_, 3}, binary:match(W, <<"...">>)).

scheduling(Config) ->
    {P, R} = start(Config),
    on(R, [process_scheduled, process_unscheduled]),
    #{p := Q} = call(P, ?T, yields, []),
    D = ?READER:dump(R),
    In = events(D, process_scheduled, #{p => Q}),
    Out = events(D, process_unscheduled, #{p => Q}),
    ?assertEqual(length(In), length(Out)),
    ?assert(length(In) >= 6),
    ?assert(lists:all(fun(#{kind := K}) -> K =:= 1 end, In)),
    ?assert(lists:all(fun(#{thread := N}) -> N >= 1 end, In)),
    Atoms = ?READER:strings(R),
    ?assertMatch({<<"beamtap_test_target">>, _, _}, mfa(maps:get(mfa, lists:nth(2, Out)), Atoms)).

dirty(Config) ->
    {P, R} = start(Config),
    on(R, [process_scheduled, process_unscheduled, dirty_scheduled, dirty_unscheduled]),
    #{p := Q} = call(P, ?T, dirty, []),
    D = ?READER:dump(R),
    ?assertMatch([_ | _], events(D, dirty_scheduled, #{p => Q})),
    ?assertMatch([_ | _], events(D, dirty_unscheduled, #{p => Q})),
    ?assert(lists:all(fun(#{kind := K}) -> K =:= 3 orelse K =:= 2 end, events(D, dirty_scheduled, #{p => Q}))).

gc(Config) ->
    {P, R} = start(Config),
    on(R, [gc_minor_start, gc_minor_end, gc_major_start, gc_major_end]),
    #{p := Q} = call(P, ?T, gc, []),
    D = events(?READER:dump(R), '_', #{p => Q}),
    [S | _] = Minor = events(D, gc_minor_start, #{}),
    [E | _] = MinorEnd = events(D, gc_minor_end, #{}),
    ?assert(length(Minor) >= 2),
    ?assertEqual(length(Minor), length(MinorEnd)),
    ?assertMatch([_ | _], events(D, gc_major_start, #{})),
    ?assertMatch([#{reclaimed := Rec} | _] when Rec >= 0, events(D, gc_major_end, #{})),
    [?assert(is_integer(maps:get(F, S)) andalso maps:get(F, S) >= 0)
     || F <- [need, heap, old_heap, mbuf, bin_vheap]],
    [?assert(is_integer(maps:get(F, E)) andalso maps:get(F, E) >= 0)
     || F <- [reclaimed, heap, old_heap, heap_size, bin_vheap]],
    %% What came out is what was in use before, less what is in use now.
    ?assert(abs(maps:get(heap, S) + maps:get(old_heap, S) + maps:get(mbuf, S)
                - maps:get(heap, E) - maps:get(old_heap, E) - maps:get(reclaimed, E)) < 100).

ports(Config) ->
    {P, R} = start(Config),
    on(R, [port_open, port_exit, port_command, port_control, port_connect, port_data,
           port_scheduled, port_unscheduled, name_register, name_unregister, message_send]),
    #{port := Port, self := Me, owner := Owner} = call(P, ?T, port, []),
    timer:sleep(100),
    D = ?READER:dump(R),
    S = ?READER:strings(R),
    [#{process := Me, port_name := Name}] = events(D, port_open, #{port => Port}),
    ?assertEqual(<<"/bin/cat">>, maps:get({name, Name}, S)),
    Cmds = events(D, port_command, #{port => Port, process => Me}),
    ?assertEqual([{<<"command">>, 11}, {<<"command">>, 13}, {<<"connect">>, 0}, {<<"connect">>, 0}, {<<"close">>, 0}],
                 [{maps:get({atom, T}, S), B} || #{command_type := T, bytes := B} <- Cmds]),
    ?assertMatch([#{new_process := Owner}, #{new_process := Me}], events(D, port_connect, #{port => Port})),
    ?assertEqual(24, lists:sum([B || #{bytes := B} <- events(D, port_data, #{port => Port, owner => Me})])),
    ?assertMatch([#{reason := <<"normal">>}], events(D, port_exit, #{port => Port})),
    ?assertMatch([_], events(D, name_register, #{p => Port})),
    ?assertMatch([_], events(D, name_unregister, #{p => Port})),
    ?assertMatch([_ | _], events(D, message_send, #{sender => Port, receiver => Me})),
    In = events(D, port_scheduled, #{port => Port}),
    ?assertMatch([_ | _], In),
    %% The VM says nothing of a port that stops running since it is gone.
    ?assert(length(In) - length(events(D, port_unscheduled, #{port => Port})) =< 1).

tcp(Config) ->
    {P, R} = start(Config),
    on(R, [port_open, port_exit, port_command, port_control, port_data]),
    #{client := C, server := S} = call(P, ?T, tcp_and_close, []),
    D = ?READER:dump(R),
    ?assertMatch([#{bytes := 12}, #{bytes := 0}], events(D, port_command, #{port => C})),
    ?assertMatch([#{bytes := 4}, #{bytes := 0}], events(D, port_command, #{port => S})),
    ?assertMatch([#{bytes := 4}], events(D, port_data, #{port => C})),
    ?assertMatch([#{bytes := 12}], events(D, port_data, #{port => S})),
    ?assertMatch([_ | _], events(D, port_control, #{port => C})),
    ?assertMatch([_], events(D, port_exit, #{port => C})).

calls(Config) ->
    {P, R} = start(Config),
    {0, 4, _, _} = ?READER:want(R, [function_entry, function_return, exception_throw], 0,
                                "beamtap_test_target:fact/1 return;beamtap_test_target:tail/1;"
                                "beamtap_test_target:boom/_ return;beamtap_test_target:local/1 return"),
    #{p := Q} = call(P, ?T, calls, []),
    D = ?READER:dump(R),
    S = ?READER:strings(R),
    Log = [{E, F} || #{event := E, mfa := M, p := Pid} <- D, Pid =:= Q, {_, F, 1} <- [mfa(M, S)]],
    ?assertEqual(lists:duplicate(4, {function_entry, <<"fact">>})
                 ++ lists:duplicate(4, {function_return, <<"fact">>})
                 ++ lists:duplicate(3, {function_entry, <<"tail">>})
                 ++ [{function_entry, <<"boom">>}, {function_entry, <<"local">>},
                     {exception_throw, <<"local">>}, {exception_throw, <<"boom">>}], Log),
    [#{reason := Reason, class := Class} | _] = events(D, exception_throw, #{}),
    ?assertEqual(<<"{badthing,x}">>, Reason),
    ?assertEqual(<<"error">>, maps:get({atom, Class}, S)),
    ?assertMatch([#{depth := unknown} | _], events(D, function_entry, #{})).

%% Without returns a loop stays a loop: no frame is added for each turn.
plain_calls_keep_tails(Config) ->
    {P, R} = start(Config),
    {0, 1, _, _} = ?READER:want(R, [function_entry], 0, "beamtap_test_target:tail/1"),
    ?assert(call(P, ?T, stack_of_tail, [100000]) < 100).

elixir_names(Config) ->
    {P, R} = start(Config),
    Cart = list_to_atom("Elixir.Beamtap.Test.Cart"),
    {module, Cart} = call(P, code, ensure_loaded, [Cart]),
    [?assertMatch({0, N, _, _}, ?READER:want(R, [function_entry], 0, Spec)) ||
        {Spec, N} <- [{"Beamtap.Test.Cart.total/1", 1},
                      {"'Elixir.Beamtap.Test.Cart':total/1", 1},
                      {"'Elixir.Beamtap.Test.Cart':'add!'/1", 1},
                      {"Beamtap.Test.Cart.'add!'/1", 1},
                      {"Beamtap.Test.Cart:total", 1},
                      {"Elixir.Beamtap.Test.Cart.total/1", 1},
                      {"Beamtap.*.total/_", 1}]],
    _ = call(P, ?T, calls, []),
    ?assertMatch([_ | _], events(?READER:dump(R), function_entry, #{})).

%% A breakpoint goes with the code it was in; it comes back, and a record says so.
reloaded_code(Config) ->
    {P, R} = start(Config),
    {0, 1, _, _} = ?READER:want(R, [function_entry], 0, "beamtap_test_target:fact/1"),
    {module, _} = call(P, ?T, load_again, []),
    timer:sleep(6000),
    _ = call(P, ?T, calls, []),
    D = ?READER:dump(R),
    ?assertMatch([_ | _], events(D, function_entry, #{})),
    ?assertMatch([_], [1 || #{event := tap_warning, message := M} <- D,
                            binary:match(M, <<"loaded anew">>) =/= nomatch]).

bad_specs(Config) ->
    {_P, R} = start(Config),
    [begin
         {Got, 0, [], Text} = ?READER:want(R, [function_entry], 0, Spec),
         ?assertEqual({Spec, Errno}, {Spec, Got}),
         ?assertMatch({_, _}, binary:match(Text, Part), {Spec, Text})
     end || {Spec, Errno, Part} <-
                [{"no_such_module_at_all:f/1", -2, <<"no such module">>},
                 {"beamtap_test_target:nofun/1", -2, <<"no such function">>},
                 {"beamtap_test_target:fact/7", -2, <<"no such arity; there is 1">>},
                 {"wx_not_loaded_here:f", -2, <<"no such module">>},
                 {"xref:start/1", -2, <<"not loaded">>},
                 {"zz*:f/1", -2, <<"no loaded module">>},
                 {"beamtap_t*:nofun", -2, <<"none has such a function">>},
                 {"lists", -22, <<"no module, or no function">>},
                 {"lists:map/x", -22, <<"no arity">>},
                 {"lists:map/2 retrun", -22, <<"retrun">>},
                 {"'lists:map/2", -22, <<"quote">>},
                 {":f/1", -22, <<"no module">>},
                 {"/1", -22, <<"no name">>},
                 {"erlang:_/_", -1, <<"name the functions">>},
                 {"prim_file:*", -1, <<"name the functions">>},
                 {"beamtap_nif:trace/5", -1, <<"does not trace itself">>}]],
    %% Named, they are possible.
    ?assertMatch({0, 1, _, _}, ?READER:want(R, [function_entry], 0, "erlang:list_to_binary/1")).

too_many_functions(Config) ->
    {P, R} = start(Config),
    {Error, Nr, _, Text} = ?READER:want(R, [function_entry], 0, "*:_/_"),
    case Error of
        -7 -> ?assertMatch({_, _}, binary:match(Text, <<"narrow it down">>));
        0 -> ?assert(Nr =< 10000)
    end,
    %% Many more by loading what there is.
    call(P, ?T, load_everything, []),
    ?assertMatch({-7, 0, [], _}, ?READER:want(R, [function_entry], 0, "*:_/_")),
    ?assertEqual([], call(P, ?T, leftovers, [])).

no_atoms_from_readers(Config) ->
    {P, R} = start(Config),
    _ = ?READER:want(R, [function_entry], 0, "lists:map/2"),
    Before = call(P, erlang, system_info, [atom_count]),
    [?READER:want(R, [function_entry], 0, io_lib:format("m~p:f~p/1", [I, I])) || I <- lists:seq(1, 30)],
    ?assertEqual(Before, call(P, erlang, system_info, [atom_count])).

user_probes(Config) ->
    {P, R} = start(Config),
    ?assertEqual(false, call(P, beamtap, probe, [checkout, 1, 2, <<"x">>])),
    on(R, [user_probe, user_trace_s1, user_trace_i4s4, user_trace_n]),
    true = call(P, beamtap, probe, [checkout, 1, -2, <<"text">>]),
    true = call(P, beamtap, probe, [checkout]),
    true = call(P, beamtap, s, ["only text"]),
    true = call(P, beamtap, p, [7, -8, "s1", <<"s2">>]),
    true = call(P, beamtap, pn, [42, 9, "t"]),
    true = call(P, beamtap, probe, [checkout, 1, 2, lists:duplicate(1000, $x)]),
    ?assertMatch({'EXIT', _}, catch call(P, beamtap, pn, [951])),
    D = ?READER:dump(R),
    [#{name := Name}, #{data := none}, #{data := Cut}] = events(D, user_probe, #{}),
    ?assertEqual(<<"checkout">>, maps:get({atom, Name}, ?READER:strings(R))),
    ?assertMatch([#{a1 := 1, a2 := -2, data := <<"text">>} | _], events(D, user_probe, #{})),
    ?assertEqual(120, byte_size(Cut)),
    ?assertMatch([#{message := <<"only text">>}], events(D, user_trace_s1, #{})),
    ?assertMatch([#{user_tag := none, i1 := 7, i2 := -8, i3 := 0, i4 := 0, s1 := <<"s1">>, s2 := <<"s2">>,
                    s3 := none, s4 := none}], events(D, user_trace_i4s4, #{})),
    ?assertMatch([#{number := 42, i1 := 9, s1 := <<"t">>}], events(D, user_trace_n, #{})).

strings_are_defined(Config) ->
    {P, R} = start(Config),
    on(R, all),
    _ = call(P, ?T, life, []),
    _ = call(P, ?T, port, []),
    D = ?READER:dump(R),
    S = ?READER:strings(R),
    ?assertEqual([], [bad || #{event := bad} <- D]),
    ?assert(length(D) > 50),
    _ = [mfa(M, S) || #{mfa := M} <- D, M =/= 0],
    _ = [maps:get({atom, T}, S) || #{command_type := T} <- D],
    _ = [maps:get({case is_driver(E) of true -> name; false -> atom end, T}, S) ||
            #{event := E, name := T} <- D, T =/= 0],
    _ = [maps:get({name, N}, S) || #{port_name := N} <- D, N =/= 0].

is_driver(Event) ->
    lists:prefix("driver_", atom_to_list(Event)).

utf8_atoms(Config) ->
    {P, R} = start(Config),
    on(R, [name_register]),
    [call(P, ?T, named, [binary_to_atom(N)]) || N <- names()],
    D = ?READER:dump(R),
    S = ?READER:strings(R),
    Got = [maps:get({atom, N}, S) || #{name := N} <- events(D, name_register, #{})],
    ?assertEqual([], names() -- Got).

names() ->
    [<<"plain">>, <<"with space">>, <<"gr\xc3\xbc\xc3\x9f">>, <<"\xe7\x8c\xab">>,
     binary:copy(<<"\xe7\x8c\xab">>, 255)].

%% ---- state

state(Config) ->
    {P, R} = start(Config),
    Pid = call(P, ?T, server, []),
    Raw = call(P, beamtap_nif, word, [Pid]),
    {0, _, _, _} = ?READER:want(R, [process_exit], ?STATE, ""),
    timer:sleep(500),
    D = ?READER:dump(R),
    S = ?READER:strings(R),
    [#{mfa := M, name := Name, queue_len := 2, parent := Parent}] = events(D, state_process, #{p => Raw}),
    ?assertEqual({<<"beamtap_test_target">>, <<"server_init">>, 1}, mfa(M, S)),
    ?assertEqual(<<"test_server">>, maps:get({atom, Name}, S)),
    ?assert(Parent =/= 0),
    ?assertMatch([_], events(D, state_asked, #{p => Raw})),
    %% All but our own.
    All = call(P, erlang, processes, []),
    Own = call(P, ?T, own, []),
    States = [Q || #{p := Q} <- events(D, state_process, #{})],
    ?assert(length(States) >= length(All) - length(Own) - 2),
    ?assertEqual([], [Q || Q <- States, lists:member(Q, Own)]),
    ?assertMatch([_ | _], events(D, state_port, #{})).

sockets(Config) ->
    {P, R} = start(Config),
    #{client := C, server := S, port := N, client_port := CN} = call(P, ?T, tcp_kept, []),
    {0, _, _, _} = ?READER:want(R, [process_exit], ?STATE, ""),
    timer:sleep(500),
    D = ?READER:dump(R),
    Ip = fun(X) -> iolist_to_binary(["127.0.0.1:", integer_to_list(X)]) end,
    [#{local := L, remote := Rem, inode := I, cookie := K, fd := Fd}] = events(D, socket_open, #{socket => C}),
    ?assertEqual({Ip(CN), Ip(N)}, {L, Rem}),
    ?assert(I > 0 andalso Fd > 2 andalso K > 0),
    ?assertMatch([_], events(D, socket_open, #{socket => S})),
    [#{input := 4, output := 12, port_name := PN}] = events(D, state_port, #{port => C}),
    ?assertEqual(<<"tcp_inet">>, maps:get({name, PN}, ?READER:strings(R))),
    %% Told again with what passed meanwhile, the socket once.
    call(P, ?T, tcp_more, []),
    timer:sleep(5500),
    D2 = ?READER:dump(R),
    ?assertMatch([#{output := 24} | _], events(D2, state_port, #{port => C})),
    ?assertEqual([], events(D2, socket_open, #{socket => C})).

%% ---- what is left out

own_left_out(Config) ->
    {P, R} = start(Config),
    {0, _, _, _} = ?READER:want(R, all, ?STATE, "beamtap_test_target:fact/1"),
    timer:sleep(300),
    _ = call(P, ?T, messages, []),
    {0, _, _, _} = ?READER:want(R, all, ?STATE, "beamtap_test_target:fact/1 return"),
    _ = call(P, ?T, calls, []),
    Own = call(P, ?T, own, []),
    ?assert(length(Own) >= 4),
    D = ?READER:dump(R),
    ?assert(length(D) > 100),
    Seen = [{E, K, V} || #{event := E} = M <- D, E =/= state_asked, K <- [p, sender, process],
                         V <- [maps:get(K, M, none)], lists:member(V, Own)],
    ?assertEqual([], Seen).

events_not_asked_for(Config) ->
    {P, R} = start(Config),
    on(R, [process_exit]),
    _ = call(P, ?T, life, []),
    _ = call(P, ?T, messages, []),
    _ = call(P, ?T, gc, []),
    D = ?READER:dump(R),
    ?assertEqual([process_exit, tap_start, tap_warning], lists:usort([tap_warning | [E || #{event := E} <- D]])).
