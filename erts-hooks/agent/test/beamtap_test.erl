%% SPDX-License-Identifier: Apache-2.0
%%
%% What the suites share: VMs with the agent, a reader of the region, what was read.
%%
%% Environment: BEAMTAP_EBIN, BEAMTAP_READER (paths).
-module(beamtap_test).

-compile([export_all, nowarn_export_all]).

-include_lib("common_test/include/ct.hrl").
-include_lib("stdlib/include/assert.hrl").
-include("beamtap.hrl").

-define(T, beamtap_test_target).
-define(READER, beamtap_test_reader).
-define(STATE, 1).

begin_case(Config) ->
    {ok, Peer, _} = start_peer([]),
    [{peer, Peer} | Config].

%% The same where the emulator may have hooks: these cases are of the agent's own ways then.
begin_case(Case, OfAgent, Config) ->
    case lists:member(Case, OfAgent) andalso is_hooked() of
        true -> {skip, "the emulator has hooks: see docs/otp.md for what differs, and tests/otp"};
        false -> begin_case(Config)
    end.

is_hooked() ->
    beamtap_nif:hooked() =/= false.

end_case(Config) ->
    case erase(reader) of
        undefined -> ok;
        R -> ?READER:close(R)
    end,
    catch peer:stop(?config(peer, Config)),
    ok.

start_peer(Options) ->
    Ebin = os:getenv("BEAMTAP_EBIN"),
    Here = filename:dirname(code:which(?MODULE)),
    Name = case Options of
               [{name, N}] -> #{name => list_to_atom(lists:concat([N, os:getpid(), erlang:unique_integer([positive])]))};
               [] -> #{}
           end,
    {ok, Peer, Node} = peer:start(Name#{connection => standard_io,
                                        args => ["-pa", Ebin, "-pa", Here, "+S", "2", "-kernel", "logger_level", "critical"]}),
    {module, _} = call(Peer, code, ensure_loaded, [?T]),
    {module, _} = call(Peer, code, ensure_loaded, [list_to_atom("Elixir.Beamtap.Test.Cart")]),
    {ok, Peer, Node}.

start(Config) ->
    P = ?config(peer, Config),
    ok = call(P, beamtap, start, []),
    #{region := Path} = call(P, beamtap, info, []),
    {P, open(Path)}.

open(Path) ->
    {ok, R} = ?READER:open(os:getenv("BEAMTAP_READER"), binary_to_list(Path)),
    put(reader, R),
    R.

call(P, M, F, A) ->
    peer:call(P, M, F, A, 60000).

on(R, Events) ->
    {0, _, _, _} = want_some(R, Events, ""),
    ok.

want_some(R, Events, Spec) ->
    {0, _, On, _} = Answer = ?READER:want(R, Events, 0, Spec),
    [] = [E || Events =/= all, E <- Events, not lists:member(E, On)],
    Answer.

events(D, Event, Match) ->
    [M || #{event := E} = M <- D, Event =:= '_' orelse E =:= Event,
          maps:with(maps:keys(Match), M) =:= Match].

mfa(0, _) -> none;
mfa(W, Strings) ->
    Atom = fun(N) -> maps:get({atom, (N bsl 6) bor 16#b}, Strings) end,
    {Atom((W bsr 36) band 16#fffffff), Atom((W bsr 8) band 16#fffffff), W band 255}.

wait(Fun) -> wait(Fun, 100).

wait(_, 0) -> exit(waited_in_vain);
wait(Fun, N) ->
    case Fun() of
        true -> ok;
        false -> timer:sleep(50), wait(Fun, N - 1)
    end.

has_sessions() ->
    code:ensure_loaded(trace) =:= {module, trace}.

net_kernel_possible() ->
    os:find_executable("epmd") =/= false
        andalso begin os:cmd("epmd -daemon"), timer:sleep(200), true end.
