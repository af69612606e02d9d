%% SPDX-License-Identifier: Apache-2.0
%%
%% OTP releases in which tracing is known to be dangerous, and what is done about it.
-module(beamtap_known).

-export([check/1, check/3, table/0, gc_with_others/1]).

-export_type([entry/0]).

%% refuse: the agent does not start unless forced.  warn: it says so when a reader comes.
%% avoid: it goes about its work in a way that the fault cannot show; nothing to say.
-type entry() :: {From :: string(), Fixed :: string() | none, refuse | warn | avoid, iolist()}.
%% From and Fixed are versions of erts: From =< erts < Fixed.

%% ---- API

-spec table() -> [entry()].
table() ->
    [%% Trace flags of all processes at once, while a dirty scheduler is at a trace point of one of
     %% them: it then finds no tracer.  The flags are set one process at a time, under its locks.
     {"13.0", "14.2.4", avoid,
      %% erlang/otp issues 5984, 6448; pull requests 6495, 8286
      "erlang:trace/3 for all processes races with dirty schedulers"},
     {"13.0", "14.2.4", warn,
      %% erlang/otp pull request 8342
      "OTP before 26.2.4 can crash when a traced process gets an exit signal on a dirty scheduler "
      "(OTP-19043)"}].

%% Can tracing in this VM be asked for at all?
-spec check(Force :: boolean()) -> {ok, [iolist()]} | {error, {unsafe_release, iolist()}}.
check(Force) ->
    check(erlang:system_info(version), table(), Force).

-spec check(string(), [entry()], boolean()) -> {ok, [iolist()]} | {error, {unsafe_release, iolist()}}.
check(Erts, Table, Force) ->
    V = version(Erts),
    Hits = [{What, Text} || {From, Fixed, What, Text} <- Table,
                            V >= version(From), Fixed =:= none orelse V < version(Fixed)],
    case [Text || {refuse, Text} <- Hits] of
        [Text | _] when not Force -> {error, {unsafe_release, Text}};
        Forced -> {ok, Forced ++ [Text || {warn, Text} <- Hits]}
    end.

%% Two trace sessions that trace garbage_collection of one process: the second gets freed memory.
%% From OTP 27.0; the correction (pull request 11623) is in no release known here.
-spec gc_with_others([atom()]) -> ok | {error, iolist()}.
gc_with_others([]) ->
    ok;
gc_with_others(Others) ->
    {error, ["no garbage collections: two trace sessions with them crash this VM "
             "(erlang/otp issue 11624), and there is ",
             lists:join(", ", [atom_to_binary(O) || O <- Others])]}.

%% ---- internal

-spec version(string()) -> [non_neg_integer()].
version(S) ->
    [case string:to_integer(P) of
         {N, _} when is_integer(N) -> N;
         _ -> 0
     end || P <- string:lexemes(S, ".-")].
