%% SPDX-License-Identifier: Apache-2.0
%%
%% How the agent lives in a real VM: start and stop, leases, other tracers, what must never stay behind.
-module(beamtap_life_SUITE).

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
    [starts_and_stops, facts, options, bad_directory, nothing_on_nothing_set,
     two_leases, lease_changes, killed_reader, stopped_reader, server_killed, agent_gone,
     other_tracer, other_session, known_bad, old_names,
     stop_while_tracing, cycles, reload_refused, memory_flat, node_gets_a_name].

%% What is left out with hooks: a region of the application's own, trace flags that are left,
%% and a reader that all of a busy VM's events lap.
init_per_testcase(Case, Config) ->
    beamtap_test:begin_case(Case, [starts_and_stops, facts, options, bad_directory, two_leases, killed_reader,
                                   other_tracer, stop_while_tracing, cycles], Config).

end_per_testcase(_, Config) ->
    beamtap_test:end_case(Config).

%% ---- start and stop

starts_and_stops(Config) ->
    P = ?config(peer, Config),
    ?assertEqual({error, not_started}, call(P, beamtap, info, [])),
    ?assertEqual(ok, call(P, beamtap, start, [])),
    ?assertEqual(ok, call(P, beamtap, start, [])),
    #{region := Path, on := [], readers := []} = call(P, beamtap, info, []),
    {ok, I} = file:read_file_info(Path, [{time, posix}]),
    ?assertEqual(8#600, element(8, I) band 8#777),
    ?assertEqual(ok, call(P, beamtap, stop, [])),
    %% The file stays for those who come later, and says that it is over.
    R = open(Path),
    ?assertMatch(#{<<"state">> := <<"2">>}, ?READER:facts(R)),
    %% Nothing is left.
    ?assertEqual([], call(P, ?T, leftovers, [])),
    ?assertEqual(undefined, call(P, erlang, whereis, [beamtap_server])),
    ?assertEqual(ok, call(P, application, start, [beamtap])).

facts(Config) ->
    {_, R} = start(Config),
    F = ?READER:facts(R),
    Release = list_to_binary(erlang:system_info(otp_release)),
    ?assertMatch(#{<<"state">> := <<"1">>, <<"otp">> := Release, <<"node">> := <<"nonode@nohost">>,
                   <<"emulator">> := <<"beam.smp">>}, F),
    case binary_to_integer(Release) of
        25 -> ?assertMatch(#{<<"pid">> := <<"4 15 13">>, <<"port">> := <<"4 28">>}, F);
        _ -> ok
    end,
    %% Numbers as this VM prints them are what the layout gives.
    P = ?config(peer, Config),
    [_, NumberBits, SerialBits] = [binary_to_integer(B) || B <- binary:split(maps:get(<<"pid">>, F), <<" ">>, [global])],
    Pid = call(P, erlang, spawn, [timer, sleep, [10000]]),
    Raw = call(P, beamtap_nif, word, [Pid]) bsr 4,
    ?assertEqual(pid_to_list(Pid),
                 lists:flatten(io_lib:format("<0.~b.~b>", [Raw band ((1 bsl NumberBits) - 1),
                                                           (Raw bsr NumberBits) band ((1 bsl SerialBits) - 1)]))),
    timer:sleep(2200),
    N = binary_to_integer(maps:get(<<"clocks">>, ?READER:facts(R))),
    ?assert(N >= 3).

options(Config) ->
    P = ?config(peer, Config),
    Dir = ?config(priv_dir, Config),
    ?assertEqual({error, {bad_option, nonsense}}, call(P, beamtap, start, [[nonsense]])),
    ?assertEqual(ok, call(P, beamtap, start, [[{dir, Dir}, {ring_bytes, 131072}, {name, "shop"}]])),
    #{region := Path, bytes := Bytes} = call(P, beamtap, info, []),
    ?assertEqual(filename:absname(Dir), filename:absname(filename:dirname(binary_to_list(Path)))),
    ?assert(Bytes < 6000000),
    R = open(Path),
    ?assertMatch(#{<<"node">> := <<"shop">>}, ?READER:facts(R)).

bad_directory(Config) ->
    P = ?config(peer, Config),
    ?assertMatch({error, {region, E, Why}} when is_integer(E) andalso is_binary(Why),
                 call(P, beamtap, start, [[{dir, "/nonexistent/dir"}]])),
    %% The node goes on, and its probes are off.
    ?assertEqual(false, call(P, beamtap, probe, [a])),
    ?assertEqual({error, not_started}, call(P, beamtap, info, [])).

nothing_on_nothing_set(Config) ->
    {P, R} = start(Config),
    ?assertEqual([], call(P, ?T, leftovers, [])),
    _ = call(P, ?T, messages, []),
    ?assertEqual([], ?READER:dump(R)).
%% ---- leases

two_leases(Config) ->
    {P, R} = start(Config),
    #{region := Path} = call(P, beamtap, info, []),
    {ok, R2} = ?READER:open(os:getenv("BEAMTAP_READER"), binary_to_list(Path)),
    {0, 0, [process_exit | _], _} = want_some(R, [process_exit], ""),
    {0, 1, _, _} = want_some(R2, [function_entry], "beamtap_test_target:fact/1"),
    #{on := On, functions := 1} = call(P, beamtap, info, []),
    ?assertEqual([function_entry, process_exit], lists:sort(On)),
    ?READER:free(R),
    wait(fun() -> maps:get(on, call(P, beamtap, info, [])) =:= [function_entry] end),
    D0 = ?READER:dump(R2),
    _ = call(P, ?T, calls, []),
    _ = call(P, ?T, life, []),
    D = ?READER:dump(R2),
    ?assertMatch([_ | _], events(D, function_entry, #{})),
    ?assertEqual([], events(D, process_exit, #{})),
    ?READER:free(R2),
    wait(fun() -> call(P, ?T, leftovers, []) =:= [] end),
    ?assertMatch([#{reason := <<"closed">>}, #{reason := <<"closed">>}],
                 events(D0 ++ D ++ ?READER:dump(R2), tap_stop, #{})),
    ?READER:close(R2).

lease_changes(Config) ->
    {P, R} = start(Config),
    on(R, [message_send, gc_minor_start, port_open]),
    on(R, [process_exit]),
    _ = call(P, ?T, messages, []),
    _ = call(P, ?T, gc, []),
    D = ?READER:dump(R),
    ?assertMatch([_ | _], events(D, process_exit, #{})),
    %% New processes have the flags that are left.
    ?assertEqual([], events(D, gc_minor_start, #{})),
    on(R, [message_send, process_exit]),
    _ = call(P, ?T, messages, []),
    ?assertMatch([_ | _], events(?READER:dump(R), message_send, #{})).

killed_reader(Config) ->
    {P, R} = start(Config),
    {0, 1, _, _} = ?READER:want(R, all, 0, "beamtap_test_target:fact/1 return"),
    ?assertNotEqual([], call(P, ?T, leftovers, [])),
    ?READER:kill(R),
    T0 = erlang:monotonic_time(millisecond),
    wait(fun() -> call(P, ?T, leftovers, []) =:= [] end),
    ?assert(erlang:monotonic_time(millisecond) - T0 < 4000),
    ?assertMatch(#{on := [], readers := [], functions := 0, region := Path} when is_binary(Path),
                 call(P, beamtap, info, [])),
    #{region := Path} = call(P, beamtap, info, []),
    R2 = open(Path),
    ?assertMatch([#{reason := <<"expired", _/binary>>}], events(?READER:dump(R2), tap_stop, #{})).

%% Its heart stands still, its lock is still held.
stopped_reader(Config) ->
    {P, R} = start(Config),
    on(R, [message_send]),
    OsPid = integer_to_list(element(3, R)),
    os:cmd("kill -STOP " ++ OsPid),
    wait(fun() -> call(P, ?T, leftovers, []) =:= [] end),
    os:cmd("kill -CONT " ++ OsPid).

%% Whoever comes after it clears what it left, and serves the lease that is still there.
server_killed(Config) ->
    {P, R} = start(Config),
    on(R, [process_exit]),
    true = call(P, ?T, kill_server, []),
    wait(fun() -> case call(P, beamtap, info, []) of
                      #{readers := [_], on := [process_exit]} -> true;
                      _ -> false
                  end
         end),
    _ = call(P, ?T, life, []),
    D = ?READER:dump(R),
    ?assertMatch([_ | _], events(D, process_exit, #{})),
    %% Others are about this release of OTP.
    ?assertMatch([_], [W || #{message := <<"the agent was killed and started anew: events", _/binary>> = W}
                                <- events(D, tap_warning, #{})]),
    ?READER:free(R),
    wait(fun() -> call(P, ?T, leftovers, []) =:= [] end).

%% Killed until its supervisor gives up: nothing is written, nothing stays set.
agent_gone(Config) ->
    {P, R} = start(Config),
    on(R, [process_exit, message_send]),
    [begin call(P, ?T, kill_server, []), timer:sleep(200) end || _ <- lists:seq(1, 5)],
    wait(fun() -> call(P, beamtap, info, []) =:= {error, not_started} end),
    ?assertEqual([], call(P, ?T, leftovers, [])),
    ?assertEqual(ok, call(P, beamtap, start, [])),
    _ = R.

%% ---- others

other_tracer(Config) ->
    {P, R} = start(Config),
    ok = call(P, ?T, other_tracer, []),
    case has_sessions() of
        true ->
            {0, 0, [_ | _], _} = ?READER:want(R, [message_send]);
        false ->
            {-16, 0, [], Text} = ?READER:want(R, [message_send]),
            ?assertMatch({_, _}, binary:match(Text, <<"some_tracer">>)),
            ?assertEqual(1, call(P, ?T, nr_traced, []))
    end,
    %% The other one keeps what it has.
    ?assertEqual(true, call(P, ?T, is_other_still_there, [])).

other_session(Config) ->
    case has_sessions() of
        false -> {skip, "trace sessions came with OTP 27"};
        true ->
            {P, R} = start(Config),
            ok = call(P, ?T, other_session, []),
            {0, 0, On, Text} = ?READER:want(R, [message_send, gc_minor_start]),
            ?assertEqual([message_send], On),
            ?assertMatch({_, _}, binary:match(Text, <<"11624">>))
    end.

known_bad(_Config) ->
    Table = [{"10.0", "10.5", refuse, "it crashes"}, {"11.0", none, warn, "it may"}],
    ?assertEqual({error, {unsafe_release, "it crashes"}}, beamtap_known:check("10.2", Table, false)),
    ?assertEqual({ok, ["it crashes"]}, beamtap_known:check("10.2", Table, true)),
    ?assertEqual({ok, []}, beamtap_known:check("10.5", Table, false)),
    ?assertEqual({ok, []}, beamtap_known:check("10.10.1", Table, false)),
    ?assertEqual({ok, ["it may"]}, beamtap_known:check("12.1", Table, false)),
    ?assertMatch({ok, _}, beamtap_known:check(false)).

old_names(_Config) ->
    Ok = fun(L) -> {ok, S} = beamtap_names:parse(L), S end,
    ?assertEqual({{exact, <<"lists">>}, {exact, <<"map">>}, 2, call}, Ok(<<"lists:map/2">>)),
    ?assertEqual({{exact, <<"a">>}, {glob, <<"*">>}, any, return}, Ok(<<"a:_/_ return">>)),
    ?assertEqual({{exact, <<"erlang">>}, {exact, <<"/">>}, 2, call}, Ok(<<"erlang:'/'/2">>)),
    ?assertEqual({{exact, <<"a b">>}, {exact, <<"c d">>}, 1, call}, Ok(<<"'a b':'c d'/1">>)),
    ?assertEqual({{exact, <<"Elixir.Shop.Cart">>}, {exact, <<"total">>}, 1, call}, Ok(<<"Shop.Cart.total/1">>)),
    ?assertEqual({{glob, <<"Elixir.Shop.*">>}, {exact, <<"total">>}, any, call}, Ok(<<"Shop.*.total">>)).

%% ---- life cycle

stop_while_tracing(Config) ->
    {P, R} = start(Config),
    {0, 1, _, _} = ?READER:want(R, all, ?STATE, "beamtap_test_target:pong/1 return"),
    Work = call(P, ?T, busy, [4]),
    timer:sleep(300),
    ?assertEqual(ok, call(P, beamtap, stop, [])),
    ?assertEqual([], call(P, ?T, leftovers, [])),
    ?assertMatch([_ | _], [1 || #{event := tap_stop, reason := <<"the agent was stopped">>} <- ?READER:dump(R)]),
    ?assertMatch(#{<<"state">> := <<"2">>}, ?READER:facts(R)),
    call(P, ?T, stop_busy, [Work]).

%% Start, trace under load, stop: over and over.
cycles(Config) ->
    P = ?config(peer, Config),
    Work = call(P, ?T, busy, [4]),
    Cycle = fun(_) ->
                    ok = call(P, beamtap, start, []),
                    #{region := Path} = call(P, beamtap, info, []),
                    {ok, R} = ?READER:open(os:getenv("BEAMTAP_READER"), binary_to_list(Path)),
                    {0, _, _, _} = ?READER:want(R, all, 0, "beamtap_test_target:pong/1 return"),
                    timer:sleep(30),
                    ok = call(P, beamtap, stop, []),
                    ?READER:close(R),
                    call(P, ?T, memory, [])
            end,
    Ms = lists:map(Cycle, lists:seq(1, 15)),
    #{rss_kb := Early} = lists:nth(5, Ms),
    #{rss_kb := Late} = lists:last(Ms),
    ct:log("RSS ~p", [[K || #{rss_kb := K} <- Ms]]),
    ?assert(Late - Early < 8000),
    ?assertEqual(false, call(P, ?T, has_mapping, ["/dev/shm/beamtap."])),
    ?assertEqual([], call(P, ?T, leftovers, [])),
    call(P, ?T, stop_busy, [Work]).

reload_refused(Config) ->
    {P, R} = start(Config),
    on(R, [process_exit]),
    _ = call(P, code, load_file, [beamtap_nif]),
    _ = call(P, ?T, life, []),
    %% The node lives, and what it had still works or is said to be gone.
    ?assertEqual(pong, call(P, ?T, ping, [])).

memory_flat(Config) ->
    {P, R} = start(Config),
    {0, _, _, _} = ?READER:want(R, all, 0, "beamtap_test_target:pong/1 return"),
    Work = call(P, ?T, busy, [4]),
    timer:sleep(2000),
    #{rss_kb := A, total := TA} = call(P, ?T, memory, []),
    N0 = lists:sum([C || #{count := C} <- ?READER:count(R)]),
    timer:sleep(5000),
    #{rss_kb := B, total := TB} = call(P, ?T, memory, []),
    N1 = lists:sum([C || #{count := C} <- ?READER:count(R)]),
    call(P, ?T, stop_busy, [Work]),
    ct:log("~p records; RSS ~p -> ~p KiB, erlang:memory ~p -> ~p", [N1 - N0, A, B, TA, TB]),
    ?assert(N1 - N0 > 100000),
    ?assert(B - A < 4000),
    ?assert(TB - TA < 4000000).

node_gets_a_name(Config) ->
    case net_kernel_possible() of
        false -> {skip, "no epmd here"};
        true ->
            {P, R} = start(Config),
            {ok, _} = call(P, net_kernel, start, [['beamtap_late', shortnames]]),
            Name = atom_to_binary(call(P, erlang, node, [])),
            wait(fun() -> maps:get(<<"node">>, ?READER:facts(R)) =:= Name end)
    end.
