%% SPDX-License-Identifier: Apache-2.0
%%
%% The agent's interface: start and stop it, ask how it is, and put probes of
%% one's own into a program.
%%
%%   erl -pa .../beamtap-0.1.0/ebin -s beamtap
%%   beamtap:start().
%%   application:start(beamtap).
%%
%% Probes cost a call and a test while nobody reads them, whether or not the
%% application runs.
-module(beamtap).

-export([start/0, start/1, stop/0, info/0]).
-export([probe/1, probe/2, probe/3, probe/4]).
-export([s/1, put_tag/1, get_tag/0]).
-export([p/0, p/1, p/2, p/3, p/4, p/5, p/6, p/7, p/8]).
-export([pn/1, pn/2, pn/3, pn/4, pn/5, pn/6, pn/7, pn/8, pn/9]).

-export_type([option/0]).

-type option() ::
        force                          % although this OTP release is known to be in danger
      | {ring_bytes, pos_integer()}    % of a scheduler's ring; 2 MiB
      | {dir, file:filename()}         % where the region lies; /dev/shm
      | {name, atom() | string()}.     % shown to readers for a node without a name

-define(TAG, '$beamtap_tag').

%% ---- API

%% Starts the agent.  A node on which that fails goes on without: the reason is logged and returned.
-spec start() -> ok | {error, term()}.
start() ->
    start([]).

-spec start([option()]) -> ok | {error, term()}.
start(Options) when is_list(Options) ->
    _ = application:load(beamtap),
    try
        [set_option(O) || O <- Options],
        case application:start(beamtap) of
            ok -> ok;
            {error, {already_started, beamtap}} -> ok;
            %% What the supervisor and the application controller put around the reason.
            {error, {{shutdown, {failed_to_start_child, _, Reason}}, _}} -> {error, Reason};
            {error, {Reason, {beamtap_app, start, _}}} -> {error, Reason};
            {error, Reason} -> {error, Reason}
        end
    catch
        throw:{bad_option, O} -> {error, {bad_option, O}}
    end.

%% Stops it.  No trace flag, pattern, process or mapping is left; the region's file stays.
-spec stop() -> ok | {error, term()}.
stop() ->
    application:stop(beamtap).

-spec info() -> #{atom() => term()} | {error, not_started}.
info() ->
    beamtap_server:info().

%% ---- named probes: the event user_probe

%% Returns whether somebody reads it.
-spec probe(Name :: atom()) -> boolean().
probe(Name) ->
    beamtap_nif:probe(Name, 0, 0, undefined).

-spec probe(Name :: atom(), integer()) -> boolean().
probe(Name, A1) ->
    beamtap_nif:probe(Name, A1, 0, undefined).

-spec probe(Name :: atom(), integer(), integer()) -> boolean().
probe(Name, A1, A2) ->
    beamtap_nif:probe(Name, A1, A2, undefined).

-spec probe(Name :: atom(), integer(), integer(), iodata()) -> boolean().
probe(Name, A1, A2, Text) ->
    beamtap_nif:probe(Name, A1, A2, Text).

%% ---- as of OTP's module dyntrace: up to four integers, then up to four texts

%% The event user_trace_s1.
-spec s(iodata()) -> boolean().
s(Text) ->
    beamtap_nif:user_s1(Text).

%% A tag of the calling process, in each of its p and pn.
-spec put_tag(iodata() | undefined) -> iodata() | undefined.
put_tag(Tag) ->
    put(?TAG, Tag).

-spec get_tag() -> iodata() | undefined.
get_tag() ->
    get(?TAG).

-type arg() :: integer() | iodata().

%% The event user_trace_i4s4.
-spec p() -> boolean().
p() -> user(-1, []).
-spec p(arg()) -> boolean().
p(A) -> user(-1, [A]).
-spec p(arg(), arg()) -> boolean().
p(A, B) -> user(-1, [A, B]).
-spec p(arg(), arg(), arg()) -> boolean().
p(A, B, C) -> user(-1, [A, B, C]).
-spec p(arg(), arg(), arg(), arg()) -> boolean().
p(A, B, C, D) -> user(-1, [A, B, C, D]).
-spec p(arg(), arg(), arg(), arg(), arg()) -> boolean().
p(A, B, C, D, E) -> user(-1, [A, B, C, D, E]).
-spec p(arg(), arg(), arg(), arg(), arg(), arg()) -> boolean().
p(A, B, C, D, E, F) -> user(-1, [A, B, C, D, E, F]).
-spec p(arg(), arg(), arg(), arg(), arg(), arg(), arg()) -> boolean().
p(A, B, C, D, E, F, G) -> user(-1, [A, B, C, D, E, F, G]).
-spec p(arg(), arg(), arg(), arg(), arg(), arg(), arg(), arg()) -> boolean().
p(A, B, C, D, E, F, G, H) -> user(-1, [A, B, C, D, E, F, G, H]).

%% The event user_trace_n, with a number from 0 to 950.
-spec pn(0..950) -> boolean().
pn(N) -> user(N, []).
-spec pn(0..950, arg()) -> boolean().
pn(N, A) -> user(N, [A]).
-spec pn(0..950, arg(), arg()) -> boolean().
pn(N, A, B) -> user(N, [A, B]).
-spec pn(0..950, arg(), arg(), arg()) -> boolean().
pn(N, A, B, C) -> user(N, [A, B, C]).
-spec pn(0..950, arg(), arg(), arg(), arg()) -> boolean().
pn(N, A, B, C, D) -> user(N, [A, B, C, D]).
-spec pn(0..950, arg(), arg(), arg(), arg(), arg()) -> boolean().
pn(N, A, B, C, D, E) -> user(N, [A, B, C, D, E]).
-spec pn(0..950, arg(), arg(), arg(), arg(), arg(), arg()) -> boolean().
pn(N, A, B, C, D, E, F) -> user(N, [A, B, C, D, E, F]).
-spec pn(0..950, arg(), arg(), arg(), arg(), arg(), arg(), arg()) -> boolean().
pn(N, A, B, C, D, E, F, G) -> user(N, [A, B, C, D, E, F, G]).
-spec pn(0..950, arg(), arg(), arg(), arg(), arg(), arg(), arg(), arg()) -> boolean().
pn(N, A, B, C, D, E, F, G, H) -> user(N, [A, B, C, D, E, F, G, H]).

%% ---- internal

-spec user(integer(), [arg()]) -> boolean().
user(N, Args) when N =< 950 ->
    {Ints, Texts} = lists:splitwith(fun erlang:is_integer/1, Args),
    beamtap_nif:user(N, get(?TAG), Ints, Texts).

-spec set_option(option()) -> ok.
set_option(force) -> application:set_env(beamtap, force, true);
set_option({ring_bytes, N}) when is_integer(N), N > 0 -> application:set_env(beamtap, ring_bytes, N);
set_option({dir, Dir}) when is_list(Dir); is_binary(Dir) -> application:set_env(beamtap, dir, Dir);
set_option({name, Name}) when is_atom(Name); is_list(Name) ->
    application:set_env(beamtap, name, Name);
set_option(O) -> throw({bad_option, O}).
