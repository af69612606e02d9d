%% SPDX-License-Identifier: Apache-2.0
%%
%% Drives reader.c: an independent reader of regions, in a process of its own.
-module(beamtap_test_reader).

-include("beamtap.hrl").

-export([open/2, close/1, kill/1, want/2, want/4, free/1, dump/1, count/1, strings/1, facts/1, mask/1]).

-record(reader, {port, os_pid}).

%% ---- API

open(Program, Path) ->
    Port = open_port({spawn_executable, Program}, [{args, [Path]}, {line, 100000}, binary,
                                                   use_stdio, exit_status]),
    case reply(Port) of
        [<<"pid ", Pid/binary>>] -> {ok, #reader{port = Port, os_pid = binary_to_integer(Pid)}};
        Other -> {error, Other}
    end.

close(#reader{port = Port}) ->
    catch port_close(Port),
    ok.

kill(#reader{os_pid = Pid} = R) ->
    os:cmd("kill -9 " ++ integer_to_list(Pid)),
    close(R).

want(R, Events) ->
    want(R, Events, 0, "").

%% Events: a list of names, or `all`.  Returns what the VM answered.
want(R, Events, Flags, Spec) ->
    W = [io_lib:format("~.16b", [(mask(Events) bsr (64 * I)) band 16#ffffffffffffffff])
         || I <- [0, 1, 2, 3]],
    case cmd(R, ["want ", lists:join(",", W), " ", integer_to_list(Flags), " ", Spec]) of
        [<<"answer ", Answer/binary>>] ->
            [Error, Nr, On | Text] = binary:split(Answer, <<" ">>, [global]),
            {binary_to_integer(Error), binary_to_integer(Nr), names(On),
             iolist_to_binary(lists:join(" ", Text))};
        [Other] -> Other
    end.

free(R) ->
    cmd(R, "free").

dump(R) ->
    [record(L) || L <- cmd(R, "dump")].

count(R) ->
    [begin
         [I, Kind, Number, Count, Dropped, Name] = binary:split(L, <<" ">>, [global]),
         #{ring => binary_to_integer(I), kind => binary_to_integer(Kind),
           number => binary_to_integer(Number), count => binary_to_integer(Count),
           dropped => binary_to_integer(Dropped), name => Name}
     end || <<"ring ", L/binary>> <- cmd(R, "count")].

%% {atom, Term} => Text, {name, Number} => Text
strings(R) ->
    maps:from_list([begin
                        [Kind, Key, Text] = split(L, 2),
                        {{binary_to_atom(Kind), binary_to_integer(Key, 16)}, Text}
                    end || L <- cmd(R, "strings")]).

facts(R) ->
    maps:from_list([list_to_tuple(binary:split(L, <<" ">>)) || L <- cmd(R, "facts")]).

mask(all) -> lists:foldl(fun({_, Id}, A) -> A bor (1 bsl Id) end, 0, ?BEAMTAP_EVENTS);
mask(Names) ->
    lists:foldl(fun(N, A) ->
                        {N, Id} = lists:keyfind(N, 1, ?BEAMTAP_EVENTS),
                        A bor (1 bsl Id)
                end, 0, Names).

%% ---- internal

cmd(#reader{port = Port}, Line) ->
    port_command(Port, [Line, "\n"]),
    reply(Port).

reply(Port) ->
    receive
        {Port, {data, {eol, <<"end">>}}} -> [];
        {Port, {data, {eol, Line}}} -> [Line | reply(Port)];
        {Port, {exit_status, S}} -> [{exit, S}]
    after 10000 -> [timeout]
    end.

names(Words) ->
    Mask = lists:foldr(fun(W, A) -> (A bsl 64) bor binary_to_integer(W, 16) end, 0,
                       binary:split(Words, <<",">>, [global])),
    [N || {N, Id} <- ?BEAMTAP_EVENTS, Mask band (1 bsl Id) =/= 0].

record(<<"rec ", L/binary>>) ->
    [Ring, Kind, Number, Time, Event | Rest] = split(L, 5),
    Fields = fields(iolist_to_binary(Rest)),
    Fields#{event => binary_to_atom(Event), ring => binary_to_integer(Ring),
            kind => binary_to_integer(Kind), thread => binary_to_integer(Number),
            time => binary_to_integer(Time)};
record(Other) ->
    #{event => bad, line => Other}.

split(B, 0) -> [B];
split(B, N) ->
    case binary:split(B, <<" ">>) of
        [A, Rest] -> [A | split(Rest, N - 1)];
        [A] -> [A]
    end.

fields(<<>>) -> #{};
fields(B) ->
    {match, [Name, Value, Rest]} =
        re:run(B, <<"^([a-z0-9_]+)=(\"[^\"]*\"|[^ ]+) ?(.*)$">>,
               [{capture, all_but_first, binary}, dotall]),
    (fields(Rest))#{binary_to_atom(Name) => value(Value)}.

value(<<"none">>) -> none;
value(<<"\"", Rest/binary>>) -> binary:part(Rest, 0, byte_size(Rest) - 1);
value(Hex) ->
    case binary_to_integer(Hex, 16) of
        16#8000000000000000 -> unknown;
        V when V bsr 63 =:= 1 -> V - (1 bsl 64);
        V -> V
    end.
