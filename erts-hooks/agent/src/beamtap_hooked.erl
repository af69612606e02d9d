%% SPDX-License-Identifier: Apache-2.0
%%
%% What beamtap_trace is to a stock VM, where the emulator has hooks: events need no trace
%% flags then, and functions are told by the emulator's own breakpoints.  No tracer is set
%% anywhere, so dbg and all others work beside it.
%%
%% All functions are called by one process.
-module(beamtap_hooked).

-export([new/0, set/4, clear/0, clear/1, lost/1, again/2, renamed/1, able/0]).

-export_type([state/0]).

-opaque state() :: beamtap_names:functions().    % those told

-define(WAIT_MS, 5000).      % other work on the VM's code goes first

%% ---- API

-spec new() -> state().
new() ->
    #{}.

%% Have these functions told, and no others.
-spec set(non_neg_integer(), beamtap_names:functions(), [pid() | port()], state()) ->
          {ok, state()} | {error, integer(), iolist(), state()}.
set(Events, Functions, _Own, Told) ->
    case Events =/= 0 andalso beamtap_nif:prepare() of
        {error, Errno, Why} -> {error, Errno, Why, Told};
        _ -> functions(Functions, Told)
    end.

-spec clear(state()) -> state().
clear(Told) ->
    _ = functions(#{}, Told),
    #{}.

%% The same where the state was lost with a process.
-spec clear() -> ok.
clear() ->
    _ = tell(#{}),
    ok.

%% Functions that are told no more although they should be: their modules were loaded anew.
-spec lost(state()) -> beamtap_names:functions().
lost(Told) ->
    maps:filter(fun({M, F, A}, How) -> not beamtap_nif:is_told({M, F, A, How}) end, Told).

%% Have them told again; a function may be gone for good: then it is asked for no more.
-spec again(beamtap_names:functions(), state()) -> state().
again(_Lost, Told) ->
    _ = tell(Told),
    maps:without(maps:keys(lost(Told)), Told).

-spec renamed(state()) -> state().
renamed(Told) ->
    Told.

-spec able() -> non_neg_integer().
able() ->
    {true, Mask} = beamtap_nif:hooked(),
    binary:decode_unsigned(Mask, little).

%% ---- internal

functions(Same, Same) ->
    {ok, Same};
functions(Functions, Told) ->
    case tell(Functions) of
        ok -> {ok, Functions};
        {error, Errno, Why} -> {error, Errno, Why, Told}
    end.

-spec tell(beamtap_names:functions()) -> ok | {error, integer(), iolist()}.
tell(Functions) ->
    List = [{M, F, A, How} || {{M, F, A}, How} <- maps:to_list(Functions)],
    Until = erlang:monotonic_time(millisecond) + ?WAIT_MS,
    case wait(Until) of
        ok ->
            case beamtap_nif:functions(List) of
                ok -> wait(Until);
                Error -> Error
            end;
        Error -> Error
    end.

wait(Until) ->
    case {beamtap_nif:functions_done(), erlang:monotonic_time(millisecond)} of
        {busy, Now} when Now < Until ->
            receive after 1 -> wait(Until) end;
        {busy, _} ->
            {error, -16, "the VM's code is being changed by others for long; try again"};
        _ -> ok
    end.
