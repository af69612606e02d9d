%% SPDX-License-Identifier: Apache-2.0
%%
%% The controller: makes the region, and turns readers' wishes into trace flags and patterns.
%%
%% A thread of the library watches the leases and sends {beamtap_nif, leases}
%% when one came, changed or went.  Then: what nobody wants any more is off
%% already; flags and patterns follow; what is new is switched on last, so that
%% an event is written only when all that belongs to it is set; each reader gets
%% his answer.
%%
%% Flags and patterns are beamtap_trace's work.  An emulator with hooks needs none:
%% there beamtap_hooked stands in its place.
-module(beamtap_server).
-behaviour(gen_server).

-include("beamtap.hrl").

-export([start_link/0, check/0, info/0, own/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).

-include_lib("kernel/include/logger.hrl").

-define(LEASE_STATE, 1).
-define(EBUSY, -16).
-define(ESHUTDOWN, -108).
-define(NR_EVENT_BITS, 256).
-define(LOOK_MS, 5000).     % traced modules may be loaded anew
-define(LOOK_HOOKED_MS, 500).

-record(lease, {
    gen :: non_neg_integer(),
    want :: non_neg_integer(),
    flags :: non_neg_integer(),
    functions = #{} :: beamtap_names:functions(),
    who = <<>> :: binary()
}).

-record(st, {
    path :: binary(),
    bytes :: non_neg_integer(),
    able :: non_neg_integer(),
    warnings :: [iolist()],
    force :: boolean(),
    by :: beamtap_trace | beamtap_hooked,
    trace :: beamtap_trace:state() | beamtap_hooked:state(),
    leases = #{} :: #{0..15 => #lease{}},
    is_again :: boolean(),     % the server before this one was killed, and nobody was told yet
    worker :: pid()
}).

%% ---- API

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

%% Can the agent run in this VM?
-spec check() -> ok | {error, term()}.
check() ->
    Release = list_to_integer(erlang:system_info(otp_release)),
    case {beamtap_nif:loaded(), known(is_forced())} of
        _ when Release < 25 -> failed({old_release, "OTP 25 or later is needed"});
        {{error, Reason}, _} -> failed(Reason);
        {ok, {error, {unsafe_release, Text}}} -> failed({unsafe_release, text(Text)});
        {ok, {ok, _}} -> ok
    end.

-spec info() -> #{atom() => term()} | {error, not_started}.
info() ->
    try gen_server:call(?MODULE, info)
    catch exit:{noproc, _} -> {error, not_started}
    end.

%% The worker and its helper are to be left out of all traces.
-spec own([pid()]) -> ok.
own(Pids) ->
    gen_server:cast(?MODULE, {own, Pids}).

%% ---- gen_server

-spec init([]) -> {ok, #st{}} | {stop, term()}.
init([]) ->
    process_flag(trap_exit, true),
    %% Nothing is to be looked for on disk while a reader waits.
    _ = code:ensure_modules_loaded([beamtap_names, beamtap_trace, beamtap_known, beamtap_state,
                                    prim_inet, re]),
    %% What a server before this one left when it was killed.
    By = by(),
    ok = By:clear(),
    Able = By:able(),
    case beamtap_nif:open(options(Able)) of
        {Opened, Path, Bytes, Warning} when Opened =/= error ->
            {ok, Known} = known(true),
            [?LOG_WARNING("beamtap: ~ts", [Warning]) || Warning =/= <<>>],
            Worker = beamtap_state:start_link(),
            set_own([Worker]),
            set_node(),
            Alias = erlang:alias(),
            _ = beamtap_nif:learn_alias(Alias),
            _ = erlang:unalias(Alias),
            ok = beamtap_nif:controller(self()),
            %% A node without a name may get one.
            _ = net_kernel:monitor_nodes(true),
            {ok, #st{path = Path, bytes = Bytes, able = Able, force = is_forced(),
                     warnings = Known, by = By, trace = By:new(), is_again = Opened =:= again,
                     worker = Worker}};
        {error, Errno, Why} ->
            {error, Reason} = failed({region, Errno, Why}),
            {stop, Reason}
    end.

-spec handle_call(term(), gen_server:from(), #st{}) -> {reply, term(), #st{}}.
handle_call(info, _From, S) ->
    On = mask_to_int(beamtap_nif:on()),
    {reply, #{region => S#st.path,
              bytes => S#st.bytes,
              readers => [{I, W} || {I, #lease{who = W}} <- maps:to_list(S#st.leases)],
              on => names(On),
              functions => maps:size(functions(S#st.leases)),
              warnings => [text(W) || W <- S#st.warnings]}, S};
handle_call(_, _From, S) ->
    {reply, {error, unknown_call}, S}.

-spec handle_cast(term(), #st{}) -> {noreply, #st{}}.
handle_cast({own, Pids}, S) ->
    set_own(Pids),
    {noreply, S};
handle_cast(_, S) ->
    {noreply, S}.

-spec handle_info(term(), #st{}) -> {noreply, #st{}} | {stop, term(), #st{}}.
handle_info({beamtap_nif, leases}, S) ->
    {noreply, leases(beamtap_nif:leases(), S)};
handle_info({nodeup, Node}, #st{by = By} = S) when Node =:= node() ->
    set_node(),
    {noreply, S#st{trace = By:renamed(S#st.trace)}};
handle_info({nodedown, _}, #st{by = By} = S) ->
    %% Also when this node gives up its name.
    set_node(),
    {noreply, S#st{trace = By:renamed(S#st.trace)}};
handle_info(look, S) ->
    {noreply, look(S)};
handle_info({'EXIT', Worker, _}, #st{worker = Worker} = S) ->
    New = beamtap_state:start_link(),
    set_own([New]),
    {noreply, S#st{worker = New}};
handle_info({'EXIT', _, Reason}, S) ->
    {stop, Reason, S};
handle_info(_, S) ->
    {noreply, S}.

-spec terminate(term(), #st{}) -> ok.
terminate(Reason, #st{by = By} = S) ->
    On = mask_to_int(beamtap_nif:on()),
    ok = beamtap_nif:enable(mask(On band alone(By)), 0),
    _ = By:clear(S#st.trace),
    Why = case Reason of
              shutdown -> <<"the agent was stopped">>;
              {shutdown, _} -> <<"the agent was stopped">>;
              _ -> <<"the agent failed">>
          end,
    [leave(By, I, L, Why) || {I, L} <- maps:to_list(S#st.leases)],
    case Reason of
        shutdown -> beamtap_nif:close();
        _ -> ok
    end.

%% ---- internal: before and after

%% Events that go on without this server: an emulator with hooks serves its readers itself.
-spec alone(module()) -> non_neg_integer().
alone(beamtap_trace) -> 0;
alone(beamtap_hooked) -> ((1 bsl ?NR_EVENT_BITS) - 1) band bnot function_mask().

%% What this reader does not see while there is no server.
-spec missed(module(), #lease{}) -> string().
missed(beamtap_trace, _) -> "events";
missed(beamtap_hooked, #lease{functions = F}) when map_size(F) > 0 -> "calls";
missed(beamtap_hooked, _) -> "".

-spec leave(module(), 0..15, #lease{}, binary()) -> boolean() | ok.
leave(beamtap_trace, I, L, Why) ->
    _ = beamtap_nif:tap(stop, I, Why),
    beamtap_nif:answer(I, L#lease.gen, ?ESHUTDOWN, 0, mask(0), Why);
leave(beamtap_hooked, I, L, Why) ->
    missed(beamtap_hooked, L) =/= "" andalso
        beamtap_nif:tap(warning, I, [Why, ": calls are not told any more"]).

-spec say_again(#st{}) -> #st{}.
say_again(#st{is_again = true, by = By, leases = Leases} = S) ->
    [_ = beamtap_nif:tap(warning, I, ["the agent was killed and started anew: ", What, " before this are missing"])
     || {I, L} <- maps:to_list(Leases), What <- [missed(By, L)], What =/= ""],
    S#st{is_again = false};
say_again(S) ->
    S.

%% ---- internal: leases

%% What a changed lease comes to.
-type outcome() :: {0..15, Gen :: non_neg_integer(), {ok, #lease{}} | {error, integer(), iolist()}}.

-spec leases([beamtap_nif:lease()], #st{}) -> #st{}.
leases(List, #st{leases = Old} = S0) ->
    Gone = [I || {I, gone, _, _, _, _, _, _} <- List, is_map_key(I, Old)],
    Outcomes = [wish(L, Old) || {_, alive, _, _, _, _, _, _} = L <- List],
    Kept = maps:from_list([{I, L} || {I, _, {ok, L}} <- Outcomes]),
    New = [O || {I, Gen, _} = O <- Outcomes, not is_known(I, Gen, Old)],
    [_ = beamtap_nif:tap(stop, I, gone(lists:keyfind(I, 1, List))) || I <- Gone],
    S1 = say_again(apply_wishes(Kept, New, S0)),
    state_wanted(Old, S1),
    S1.

-spec is_known(0..15, non_neg_integer(), #{0..15 => #lease{}}) -> boolean().
is_known(I, Gen, Old) ->
    case Old of
        #{I := #lease{gen = Gen}} -> true;
        _ -> false
    end.

-spec gone(beamtap_nif:lease()) -> binary().
gone({_, gone, 0, _, _, _, _, _}) -> <<"closed">>;
gone(_) -> <<"expired">>.

-spec wish(beamtap_nif:lease(), #{0..15 => #lease{}}) -> outcome().
wish({I, alive, Gen, Want, Flags, _Pid, Who, Spec}, Old) ->
    case Old of
        #{I := #lease{gen = Gen} = L} -> {I, Gen, {ok, L}};
        _ ->
            case beamtap_names:resolve(Spec) of
                {ok, Functions} ->
                    {I, Gen, {ok, #lease{gen = Gen, want = mask_to_int(Want), flags = Flags,
                                         functions = Functions, who = Who}}};
                {error, Errno, Why} ->
                    {I, Gen, {error, Errno, Why}}
            end
    end.

-spec apply_wishes(#{0..15 => #lease{}}, [outcome()], #st{}) -> #st{}.
apply_wishes(Leases, New, #st{by = By} = S) ->
    %% What tracepoints and probes want goes its own way; all that it needs here is trace flags.
    Want = wanted(Leases) bor mask_to_int(beamtap_nif:other()),
    {Able, Text} = able(S, Want),
    Functions = functions(Leases),
    On = Want band Able band function_events(Functions),
    %% Nothing that is not wanted is written while flags change.
    Before = mask_to_int(beamtap_nif:on()),
    ok = beamtap_nif:enable(mask(On band Before), maps:size(Functions)),
    case By:set(On, Functions, beamtap_nif:own(), S#st.trace) of
        {ok, Trace} ->
            ok = beamtap_nif:enable(mask(On), maps:size(Functions)),
            [answer(O, Able, Text) || O <- New],
            S1 = S#st{trace = Trace, leases = Leases},
            [_ = erlang:send_after(look_ms(By), self(), look) ||
                maps:size(Functions) > 0, maps:size(functions(S#st.leases)) =:= 0],
            S1;
        {busy, Who, Trace} ->
            refuse(New, ?EBUSY, Who, S#st{trace = Trace, leases = Leases});
        {error, Errno, Why, Trace} ->
            refuse(New, Errno, Why, S#st{trace = Trace, leases = Leases})
    end.

%% Asked again when a lease changes: those refused are not kept.
-spec refuse([outcome()], integer(), iolist(), #st{}) -> #st{}.
refuse(New, Errno, Why, S) ->
    _ = [case Outcome of
             {error, Own, OwnWhy} -> beamtap_nif:answer(I, Gen, Own, 0, mask(0), OwnWhy);
             {ok, _} -> beamtap_nif:answer(I, Gen, Errno, 0, mask(0), Why)
         end || {I, Gen, Outcome} <- New],
    S#st{leases = maps:without([I || {I, _, _} <- New], S#st.leases)}.

-spec answer(outcome(), non_neg_integer(), iolist()) -> ok.
answer({I, Gen, {error, Errno, Why}}, _, _) ->
    beamtap_nif:answer(I, Gen, Errno, 0, mask(0), Why);
answer({I, Gen, {ok, #lease{want = 0}}}, _, _) ->
    beamtap_nif:answer(I, Gen, 0, 0, mask(0), "");
answer({I, Gen, {ok, L}}, Able, Text) ->
    On = L#lease.want band Able band function_events(L#lease.functions),
    Nr = maps:size(L#lease.functions),
    Missing = missing(L#lease.want, On),
    Both = ["; " || iolist_size(Text) > 0, Missing =/= ""],
    ok = beamtap_nif:answer(I, Gen, 0, Nr, mask(On), [Text, Both, Missing]),
    _ = beamtap_nif:tap(start, I, lists:join(" ", globs(On, Able))),
    [_ = beamtap_nif:tap(warning, I, Text) || iolist_size(Text) > 0],
    ok.

%% All that a reader wants and does not get: only where that is everything is it worth a word.
-spec missing(non_neg_integer(), non_neg_integer()) -> iolist().
missing(Want, 0) when Want =/= 0 ->
    case Want band bnot function_mask() of
        0 -> "functions have to be named for their calls to be seen";
        _ -> "none of these events can fire in a VM that was not built with hooks"
    end;
missing(_, _) -> "".

%% Which events may be on now, and why not all.
-spec able(#st{}, non_neg_integer()) -> {non_neg_integer(), iolist()}.
able(#st{able = Able, by = beamtap_hooked}, _Want) ->
    {Able, ""};
able(#st{able = Able, force = Force, warnings = Warnings}, Want) ->
    Gc = lists:foldl(fun(Id, A) -> A bor beamtap_trace:event_bit(Id) end, 0,
                     [?BEAMTAP_EVENT_gc_major_start, ?BEAMTAP_EVENT_gc_minor_start, ?BEAMTAP_EVENT_gc_major_end,
                      ?BEAMTAP_EVENT_gc_minor_end]),
    Said = lists:join("; ", Warnings),
    case Want band Gc =/= 0 andalso not Force andalso
        beamtap_known:gc_with_others(beamtap_trace:sessions()) of
        {error, Text} -> {Able band bnot Gc, [Text, ["; " || Warnings =/= []], Said]};
        _ -> {Able, Said}
    end.

-spec wanted(#{0..15 => #lease{}}) -> non_neg_integer().
wanted(Leases) ->
    maps:fold(fun(_, #lease{want = W}, Acc) -> Acc bor W end, 0, Leases).

-spec functions(#{0..15 => #lease{}}) -> beamtap_names:functions().
functions(Leases) ->
    maps:fold(fun(_, #lease{functions = F}, Acc) ->
                      maps:fold(fun(Mfa, return, A) -> A#{Mfa => return};
                                   (Mfa, call, A) -> maps:merge(#{Mfa => call}, A)
                                end, Acc, F)
              end, #{}, Leases).

%% Without functions there are no events of functions.
-spec function_events(beamtap_names:functions()) -> non_neg_integer().
function_events(Functions) when map_size(Functions) > 0 -> (1 bsl ?NR_EVENT_BITS) - 1;
function_events(_) -> ((1 bsl ?NR_EVENT_BITS) - 1) band bnot function_mask().

-spec function_mask() -> non_neg_integer().
function_mask() ->
    beamtap_trace:event_bit(?BEAMTAP_EVENT_function_entry)
        bor beamtap_trace:event_bit(?BEAMTAP_EVENT_function_return)
        bor beamtap_trace:event_bit(?BEAMTAP_EVENT_function_replaced)
        bor case by() of
                beamtap_hooked -> 0;
                beamtap_trace -> beamtap_trace:event_bit(?BEAMTAP_EVENT_exception_throw)
            end.

%% ---- internal: the state, and modules that are loaded anew

-spec state_wanted(#{0..15 => #lease{}}, #st{}) -> ok.
state_wanted(Old, #st{leases = Leases, worker = Worker}) ->
    Has = fun(Ls) -> [{I, L#lease.gen} || {I, L} <- maps:to_list(Ls),
                                         L#lease.flags band ?LEASE_STATE =/= 0] end,
    case {Has(Old), Has(Leases)} of
        {[], []} -> ok;
        {_, []} -> beamtap_state:stop_ports(Worker);
        {Before, Now} ->
            case Now -- Before of
                [] -> ok;
                _ -> beamtap_state:snapshot(Worker)
            end
    end.

-spec look_ms(module()) -> pos_integer().
look_ms(beamtap_hooked) -> ?LOOK_HOOKED_MS;
look_ms(beamtap_trace) -> ?LOOK_MS.

-spec look(#st{}) -> #st{}.
look(#st{by = By, trace = Trace, leases = Leases} = S) ->
    case maps:size(functions(Leases)) of
        0 -> S;
        _ ->
            _ = erlang:send_after(look_ms(By), self(), look),
            case By:lost(Trace) of
                Lost when map_size(Lost) > 0 ->
                    Names = lists:usort([atom_to_binary(M) || {M, _, _} <- maps:keys(Lost)]),
                    _ = beamtap_nif:tap(warning, 0,
                                        ["code was loaded anew, calls before this were not seen: ",
                                         lists:join(", ", Names)]),
                    S#st{trace = By:again(Lost, Trace)};
                _ -> S
            end
    end.

%% ---- internal: this VM

-spec by() -> beamtap_trace | beamtap_hooked.
by() ->
    case beamtap_nif:hooked() of
        {true, _} -> beamtap_hooked;
        _ -> beamtap_trace
    end.

%% Releases in which tracing is unsafe.  Hooks do not use what is.
-spec known(boolean()) -> {ok, [iolist()]} | {error, {unsafe_release, iolist()}}.
known(Force) ->
    case by() of
        beamtap_hooked -> {ok, []};
        beamtap_trace -> beamtap_known:check(Force)
    end.

-spec options(non_neg_integer()) -> map().
options(Able) ->
    {PidNumber, PidSerial} = pid_bits(),
    {Rotated, By} = rotation(PidNumber),
    O = #{rotated_bits => Rotated, rotated_by => By,
          able => mask(Able),
          otp_release => list_to_integer(erlang:system_info(otp_release)),
          jit => case erlang:system_info(emu_flavor) of jit -> 1; _ -> 0 end,
          schedulers => erlang:system_info(schedulers),
          dirty_cpu => erlang:system_info(dirty_cpu_schedulers),
          dirty_io => erlang:system_info(dirty_io_schedulers),
          async => max(1, erlang:system_info(thread_pool_size)),
          pid_number_bits => PidNumber, pid_serial_bits => PidSerial,
          port_number_bits => port_bits(),
          erts_version => erlang:system_info(version),
          emulator => emulator(),
          node => node_name()},
    maps:merge(O, maps:from_list(
                    [{K, V} || {K, Check} <- [{ring_bytes, fun is_integer/1}, {dir, fun is_text/1}],
                               {ok, V} <- [application:get_env(beamtap, K)], Check(V)])).

is_text(T) ->
    is_list(T) orelse is_binary(T).

%% The executable's name, as in /proc/self/exe.
-spec emulator() -> binary().
emulator() ->
    case file:read_link("/proc/self/exe") of
        {ok, Path} -> text(lists:sublist(filename:basename(Path), 31));
        _ -> <<"beam.smp">>
    end.

-spec node_name() -> binary().
node_name() ->
    case {node(), application:get_env(beamtap, name)} of
        {nonode@nohost, {ok, Name}} when is_atom(Name) -> atom_to_binary(Name);
        {nonode@nohost, {ok, Name}} when is_list(Name) -> text(Name);
        {Node, _} -> atom_to_binary(Node)
    end.

-spec set_node() -> ok.
set_node() ->
    beamtap_nif:node(node(), node_name()).

%% How a local pid is put together in this release: from pids made for the purpose.
-spec pid_bits() -> {pos_integer(), pos_integer()}.
pid_bits() ->
    {ok, Raw} = raw_pid(0, 1),
    Number = trailing_zeros(Raw bsr 4),
    {Number, largest(fun(Bits) -> raw_pid(0, (1 bsl Bits) - 1) =/= error end, 60 - Number)}.

raw_pid(Number, Serial) ->
    try list_to_pid(lists:flatten(io_lib:format("<0.~b.~b>", [Number, Serial]))) of
        Pid -> {ok, beamtap_nif:raw(Pid)}
    catch
        error:_ -> error
    end.

%% From OTP 26 on the low bits of the number are rotated: how many, and by how much.
-spec rotation(pos_integer()) -> {non_neg_integer(), non_neg_integer()}.
rotation(NumberBits) ->
    Bit = fun(K) ->
                  {ok, Raw} = raw_pid(1 bsl K, 0),
                  trailing_zeros((Raw bsr 4) band ((1 bsl NumberBits) - 1))
          end,
    case Bit(0) of
        0 -> {0, 0};
        By -> {hd([K + By || K <- lists:seq(0, NumberBits - 1), Bit(K) =/= K + By]), By}
    end.

-spec port_bits() -> pos_integer().
port_bits() ->
    largest(fun(Bits) ->
                    try list_to_port(lists:flatten(io_lib:format("#Port<0.~b>",
                                                                 [(1 bsl Bits) - 1]))) of
                        Port -> (beamtap_nif:raw(Port) bsr 4) band ((1 bsl Bits) - 1) =:= (1 bsl Bits) - 1
                    catch
                        error:_ -> false
                    end
            end, 60).

trailing_zeros(N) when N band 1 =:= 1 -> 0;
trailing_zeros(N) when N > 0 -> 1 + trailing_zeros(N bsr 1).

largest(_, 1) -> 1;
largest(Fun, N) ->
    case Fun(N) of
        true -> N;
        false -> largest(Fun, N - 1)
    end.

%% The application's master and its child count as our own: they do nothing else.
-spec set_own([pid()]) -> ok.
set_own(Worker) ->
    Master = group_leader(),
    Around = case application:get_application(Master) of
                 {ok, beamtap} -> [Master | master_child(Master)];
                 _ -> []
             end,
    Sup = [P || P <- [whereis(beamtap_sup)], is_pid(P)],
    Own = lists:usort([self() | Worker ++ Sup ++ Around]),
    beamtap_nif:own(Own).

master_child(Master) ->
    Controller = whereis(application_controller),
    case process_info(Master, links) of
        {links, Links} -> [P || P <- Links, is_pid(P), P =/= Controller];
        undefined -> []
    end.

%% ---- internal: masks and words

-spec mask(non_neg_integer()) -> beamtap_nif:mask().
mask(Int) ->
    <<Int:?NR_EVENT_BITS/little>>.

-spec mask_to_int(beamtap_nif:mask()) -> non_neg_integer().
mask_to_int(<<Int:?NR_EVENT_BITS/little>>) ->
    Int.

-spec names(non_neg_integer()) -> [atom()].
names(Mask) ->
    [Name || {Name, Id} <- ?BEAMTAP_EVENTS, Mask band beamtap_trace:event_bit(Id) =/= 0].

-spec globs(non_neg_integer(), non_neg_integer()) -> [binary()].
globs(Mask, Able) ->
    Want = Mask band bnot always(),
    case Able band bnot (always() bor function_mask()) of
        All when Want band All =:= All -> [<<"*">>];
        _ -> [atom_to_binary(N) || N <- names(Want)]
    end.

%% The agent's own words: written whatever is on.
-spec always() -> non_neg_integer().
always() ->
    lists:foldl(fun(Id, A) -> A bor beamtap_trace:event_bit(Id) end, 0,
                [?BEAMTAP_EVENT_state_asked, ?BEAMTAP_EVENT_state_process, ?BEAMTAP_EVENT_state_port,
                 ?BEAMTAP_EVENT_tap_start, ?BEAMTAP_EVENT_tap_stop, ?BEAMTAP_EVENT_tap_warning]).

-spec text(iolist() | string()) -> binary().
text(T) ->
    unicode:characters_to_binary(T).

-spec is_forced() -> boolean().
is_forced() ->
    application:get_env(beamtap, force, false) =:= true.

%% Said in the log once, and given to whoever started the application.
-spec failed(term()) -> {error, term()}.
failed({region, _, Why} = Reason) ->
    ?LOG_ERROR("beamtap is not started; the node goes on without it: ~ts", [Why]),
    {error, Reason};
failed(Reason) ->
    ?LOG_ERROR("beamtap is not started; the node goes on without it: ~tp", [Reason]),
    {error, Reason}.
