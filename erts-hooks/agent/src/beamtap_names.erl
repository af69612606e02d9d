%% SPDX-License-Identifier: Apache-2.0
%%
%% From what a reader writes to functions of this VM.
%%
%%   lists:map/2            one function, exported or not
%%   lists:map              any arity
%%   shop_*:_/_ return      globs; _ is *; with returns and exceptions
%%   Shop.Cart.total/1      Elixir's way of writing it
%%   'Elixir.Shop.Cart':'total!'/1
%%
%% What comes from readers makes no atoms: names are looked up.
-module(beamtap_names).

-export([resolve/1, parse/1]).

-export_type([how/0, functions/0]).

-type how() :: call | return.
-type functions() :: #{mfa() => how()}.
-type pattern() :: {exact, binary()} | {glob, binary()}.
-type spec() :: {pattern(), pattern(), arity() | any, how()}.
-type failure() :: {error, Errno :: integer(), iolist()}.

-define(MAX_FUNCTIONS, 10000).
-define(EPERM, -1).
-define(ENOENT, -2).
-define(E2BIG, -7).
-define(EINVAL, -22).

%% ---- API

%% All lines of a lease.  One that matches nothing fails the whole: its reader would wait in vain.
-spec resolve(binary()) -> {ok, functions()} | failure().
resolve(Text) ->
    Lines = [string:trim(L) || L <- binary:split(Text, <<"\n">>, [global])],
    resolve([L || L <- Lines, L =/= <<>>], #{}).

-spec parse(binary()) -> {ok, spec()} | failure().
parse(Line) ->
    try
        {Name, How} = take_how(Line),
        {Head, Arity} = take_arity(Name),
        {M, F} = take_module(Head),
        {ok, {M, F, Arity, How}}
    catch
        throw:Why -> {error, ?EINVAL, [quoted(Line), ": ", Why, "; write module:function/arity"]}
    end.

%% ---- internal: many lines

-spec resolve([binary()], functions()) -> {ok, functions()} | failure().
resolve([], Acc) ->
    {ok, Acc};
resolve([Line | Lines], Acc) ->
    case parse(Line) of
        {ok, Spec} ->
            case match(Spec) of
                {ok, Mfas} ->
                    How = element(4, Spec),
                    New = lists:foldl(fun(Mfa, A) -> add(Mfa, How, A) end, Acc, Mfas),
                    case maps:size(New) > ?MAX_FUNCTIONS of
                        true -> too_many(Line, maps:size(New));
                        false -> resolve(Lines, New)
                    end;
                {error, Errno, Why} ->
                    {error, Errno, [quoted(Line), ": ", Why]}
            end;
        Error ->
            Error
    end.

-spec add(mfa(), how(), functions()) -> functions().
add(Mfa, return, Acc) -> Acc#{Mfa => return};
add(Mfa, call, Acc) when is_map_key(Mfa, Acc) -> Acc;
add(Mfa, call, Acc) -> Acc#{Mfa => call}.

-spec too_many(binary(), pos_integer()) -> failure().
too_many(Line, N) ->
    {error, ?E2BIG, [quoted(Line), ": would trace ", integer_to_binary(N), " functions, more than ",
                     integer_to_binary(?MAX_FUNCTIONS), "; narrow it down"]}.

%% ---- internal: one line

-spec take_how(binary()) -> {binary(), how()}.
take_how(Line) ->
    case string:split(Line, " ", trailing) of
        [Name, <<"return">>] -> {string:trim(Name), return};
        [_] -> {Line, call};
        [_, Word] ->
            %% A blank may stand inside quotes.
            case binary:match(Word, <<"'">>) of
                nomatch -> throw(["what is ", quoted(Word), "? only \"return\" may follow"]);
                _ -> {Line, call}
            end
    end.

-spec take_arity(binary()) -> {binary(), arity() | any}.
take_arity(Name) ->
    case string:split(Name, "/", trailing) of
        [Head, A] when A =:= <<"_">>; A =:= <<"*">> -> {Head, any};
        [Head, A] ->
            case {string:to_integer(A), binary:match(A, <<"'">>)} of
                {{N, <<>>}, _} when N >= 0, N =< 255 -> {Head, N};
                {_, nomatch} when Head =/= <<>> ->
                    case is_operator(Name) of
                        true -> {Name, any};
                        false -> throw([quoted(A), " is no arity"])
                    end;
                _ -> {Name, any}
            end;
        [_] -> {Name, any}
    end.

%% erlang:/ has its own name as the only slash.
-spec is_operator(binary()) -> boolean().
is_operator(Name) ->
    binary:last(Name) =:= $/.

-spec take_module(binary()) -> {pattern(), pattern()}.
take_module(<<>>) ->
    throw("there is no name");
take_module(Head) ->
    case split_quoted(Head) of
        {M, F} when M =/= <<>>, F =/= <<>> -> {pattern(elixir(M)), pattern(F)};
        _ -> throw("there is no module, or no function")
    end.

%% At the colon outside of quotes; in Elixir's way at the last dot.
-spec split_quoted(binary()) -> {binary(), binary()}.
split_quoted(<<$', _/binary>> = Head) ->
    case re:run(Head, <<"^('(?:[^'\\\\]|\\\\.)*')[:.](.*)$">>,
                [{capture, all_but_first, binary}, dotall]) of
        {match, [M, F]} -> {M, F};
        nomatch -> throw("a quote is not closed")
    end;
split_quoted(Head) ->
    case binary:split(Head, <<":">>) of
        [M, F] -> {M, F};
        [_] ->
            case re:run(Head, <<"^(.*)\\.([^.]+|'.*')$">>,
                        [{capture, all_but_first, binary}, dotall]) of
                {match, [M, F]} -> {M, F};
                nomatch -> throw("there is no module, or no function")
            end
    end.

%% Names of Elixir's modules are aliases: Shop.Cart is 'Elixir.Shop.Cart'.
-spec elixir(binary()) -> binary().
elixir(<<"Elixir.", _/binary>> = M) -> M;
elixir(<<C, _/binary>> = M) when C >= $A, C =< $Z -> <<"Elixir.", M/binary>>;
elixir(M) -> M.

-spec pattern(binary()) -> pattern().
pattern(<<"_">>) ->
    {glob, <<"*">>};
pattern(<<$', _/binary>> = Quoted) ->
    case re:run(Quoted, <<"^'((?:[^'\\\\]|\\\\.)*)'$">>, [{capture, all_but_first, binary}, dotall]) of
        {match, [Name]} -> {exact, unescape(Name)};
        nomatch -> throw("a quote is not closed")
    end;
pattern(Name) ->
    case binary:match(Name, [<<"*">>, <<"?">>]) of
        %% * is an operator too, when it stands where a function does: then quote it.
        nomatch -> {exact, Name};
        _ -> {glob, Name}
    end.

-spec unescape(binary()) -> binary().
unescape(B) ->
    re:replace(B, <<"\\\\(.)">>, <<"\\1">>, [global, {return, binary}, dotall]).

%% ---- internal: matching

-spec match(spec()) -> {ok, [mfa(), ...]} | failure().
match({{exact, Name}, F, A, _}) ->
    case existing_module(Name) of
        {ok, M} ->
            case danger(M, Name, F) of
                ok -> in_module(M, F, A);
                {error, Why} -> {error, ?EPERM, Why}
            end;
        {error, Why} ->
            {error, ?ENOENT, Why}
    end;
match({{glob, Glob}, F, A, _}) ->
    Names = [{atom_to_binary(M), M} || {M, _} <- code:all_loaded()],
    case [M || {Name, M} <- Names, is_match(Name, Glob), danger(M, Name, {glob, <<"*">>}) =:= ok] of
        [] -> {error, ?ENOENT, ["no loaded module is called ", quoted(Glob)]};
        Ms ->
            case lists:append([functions(M, F, A) || M <- Ms]) of
                [] -> {error, ?ENOENT, [integer_to_binary(length(Ms)),
                                        " modules match, none has such a function"]};
                Mfas -> {ok, Mfas}
            end
    end.

-spec existing_module(binary()) -> {ok, module()} | {error, iolist()}.
existing_module(Name) ->
    try binary_to_existing_atom(Name, utf8) of
        M ->
            case erlang:module_loaded(M) of
                true -> {ok, M};
                false ->
                    case code:which(M) of
                        non_existing -> {error, "there is no such module"};
                        _ -> {error, "the module is not loaded; it will be at the first call, "
                                     "or by code:ensure_loaded/1"}
                    end
            end
    catch
        error:_ -> {error, "there is no such module, or it is not loaded"}
    end.

-spec in_module(module(), pattern(), arity() | any) -> {ok, [mfa(), ...]} | failure().
in_module(M, F, A) ->
    case functions(M, F, A) of
        [] ->
            case functions(M, F, any) of
                [] -> {error, ?ENOENT, "the module has no such function"};
                Others ->
                    As = [integer_to_binary(N) || {_, _, N} <- lists:sublist(lists:sort(Others), 8)],
                    {error, ?ENOENT, ["no such arity; there is ", lists:join(", ", As)]}
            end;
        Mfas -> {ok, Mfas}
    end.

-spec functions(module(), pattern(), arity() | any) -> [mfa()].
functions(M, F, A) ->
    All = try erlang:get_module_info(M, functions) catch error:_ -> [] end,
    [{M, N, Ar} || {N, Ar} <- All, A =:= any orelse A =:= Ar, is_name(N, F)].

-spec is_name(atom(), pattern()) -> boolean().
is_name(Name, {exact, B}) -> atom_to_binary(Name) =:= B;
is_name(_, {glob, <<"*">>}) -> true;
is_name(Name, {glob, G}) -> is_match(atom_to_binary(Name), G).

%% The agent itself is never traced.  What the VM and all else rests on only by name: a breakpoint in
%% each of its functions would slow down everything, or be hit by the tracer's own work.
-spec danger(module(), binary(), pattern()) -> ok | {error, iolist()}.
danger(M, Name, F) ->
    case {is_own(Name), is_base(M, Name), F} of
        {true, _, _} -> {error, "the agent does not trace itself"};
        {_, true, {glob, _}} ->
            {error, "all functions of a module that the VM rests on; name the functions"};
        _ -> ok
    end.

-spec is_own(binary()) -> boolean().
is_own(<<"beamtap">>) -> true;
is_own(<<"beamtap_", Rest/binary>>) ->
    lists:member(Rest, [<<"app">>, <<"known">>, <<"names">>, <<"nif">>, <<"server">>, <<"state">>,
                        <<"sup">>, <<"trace">>]);
is_own(_) -> false.

-spec is_base(module(), binary()) -> boolean().
is_base(_, <<"prim_", _/binary>>) -> true;
is_base(_, <<"erts_", _/binary>>) -> true;
is_base(M, _) ->
    lists:member(M, [erlang, init, erl_init, erl_prim_loader, erl_tracer, atomics, counters,
                     persistent_term, error_handler, code_server, trace, zlib]).

%% Goes back to the last star only: the time is bounded whatever the reader wrote.
-spec is_match(binary(), binary()) -> boolean().
is_match(S, G) -> is_match(S, G, none).

-spec is_match(binary(), binary(), none | {binary(), binary()}) -> boolean().
is_match(<<>>, <<>>, _) -> true;
is_match(S, <<"*", G/binary>>, _) -> is_match(S, G, {S, G});
is_match(S, <<"?", G/binary>>, Back) when S =/= <<>> -> is_match(drop_char(S), G, Back);
is_match(<<C, S/binary>>, <<C, G/binary>>, Back) -> is_match(S, G, Back);
is_match(_, _, none) -> false;
is_match(_, _, {<<>>, _}) -> false;
is_match(_, _, {S, G}) ->
    Rest = drop_char(S),
    is_match(Rest, G, {Rest, G}).

-spec drop_char(binary()) -> binary().
drop_char(<<_/utf8, S/binary>>) -> S;
drop_char(<<_, S/binary>>) -> S.

-spec quoted(binary()) -> iolist().
quoted(B) when byte_size(B) > 80 -> ["\"", binary:part(B, 0, 77), "...\""];
quoted(B) -> ["\"", B, "\""].
