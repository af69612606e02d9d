%% SPDX-License-Identifier: Apache-2.0
%%
%% The tracer and what else is written in C.  A VM in which the library cannot
%% be loaded gets the functions below as they stand: probes that are off, and
%% {error, not_loaded}.
-module(beamtap_nif).
%% Behaviour erl_tracer: preloaded in the VM, where the compiler does not see it.

-export([loaded/0]).
-export([enabled/3, trace/5]).
-export([open/1, close/0, controller/1, leases/0, enable/2, answer/6, own/0, own/1, tracing/0, tracing/1, node/2, raw/1, word/1, learn_alias/1, on/0,
         other/0, reason/1, version/0]).
-export([hooked/0, prepare/0, functions/1, functions_done/0, is_told/1]).
-export([state_asked/1, state_process/5, state_port/6, socket_open/3, tap/3]).
-export([probe/4, user_s1/1, user/4]).

-export_type([mask/0, lease/0]).

-on_load(load/0).

-type mask() :: <<_:256>>.
%% One bit an event, as in the region.

-type lease() :: {Index :: 0..15, alive | gone, Gen :: non_neg_integer(), Want :: mask(),
                  Flags :: non_neg_integer(), OsPid :: non_neg_integer(), Who :: binary(),
                  Spec :: binary()}.

-define(KEY, {?MODULE, loaded}).

%% ---- loading

-spec load() -> ok.
load() ->
    %% Never an error: a module that does not load would take its callers down.
    persistent_term:put(?KEY, try erlang:load_nif(library(), 0)
                              catch error:E -> {error, {load_failed, E}}
                              end),
    ok.

-spec library() -> string().
library() ->
    Dir = case code:priv_dir(beamtap) of
              {error, bad_name} ->
                  Ebin = filename:dirname(code:which(?MODULE)),
                  filename:join(filename:dirname(Ebin), "priv");
              D -> D
          end,
    filename:join(Dir, "beamtap_nif").

-spec loaded() -> ok | {error, {atom(), term()}}.
loaded() ->
    persistent_term:get(?KEY, {error, {load_failed, "not tried"}}).

%% ---- erl_tracer

-spec enabled(atom(), term(), pid() | port()) -> trace | discard | remove.
enabled(_Tag, _State, _Tracee) -> remove.

-spec trace(atom(), term(), pid() | port(), term(), map()) -> ok.
trace(_Tag, _State, _Tracee, _Msg, _Opts) -> ok.

%% ---- for the controller

%% again: it was open, for a controller that has gone without close/0.
-spec open(map()) -> {ok | again, Path :: binary(), Bytes :: non_neg_integer(), Warning :: binary()} |
          {error, Errno :: integer(), Why :: binary()}.
open(_Options) -> {error, -38, <<"the library is not loaded">>}.

-spec close() -> ok.
close() -> ok.

-spec controller(pid()) -> ok.
controller(_Pid) -> ok.

-spec leases() -> [lease()].
leases() -> [].

-spec enable(mask(), non_neg_integer()) -> ok.
enable(_Mask, _NrFunctions) -> ok.

-spec answer(0..15, non_neg_integer(), integer(), non_neg_integer(), mask(), iodata()) -> ok.
answer(_Index, _Gen, _Errno, _NrFunctions, _Mask, _Text) -> ok.

%% Processes and ports of the agent: left out of all traces.
-spec own() -> [pid() | port()].
own() -> [].

-spec own([pid() | port()]) -> ok.
own(_Own) -> ok.

%% Are trace flags or patterns set?  Kept here, where a controller that is killed does not take it along.
-spec tracing() -> boolean().
tracing() -> false.

-spec tracing(boolean()) -> ok.
tracing(_Is) -> ok.

-spec node(node(), iodata()) -> ok.
node(_Name, _Text) -> ok.

%% A local pid or port as the VM has it; and, with atoms, as records hold it.
-spec raw(term()) -> non_neg_integer().
raw(_Term) -> 0.

-spec word(term()) -> non_neg_integer().
word(_Term) -> 0.

-spec learn_alias(reference()) -> boolean().
learn_alias(_Alias) -> false.

-spec on() -> mask().
on() -> <<0:256>>.

%% What kernel tracepoints and USDT probes want.
-spec other() -> mask().
other() -> <<0:256>>.

-spec reason(term()) -> binary().
reason(_Term) -> <<>>.

-spec version() -> binary().
version() -> <<>>.

%% ---- in an emulator that has hooks

-spec hooked() -> false | {true, mask()} | {error, binary()}.
hooked() -> false.

%% Before events are switched on: memory for the rings, the names of all atoms.
-spec prepare() -> ok | {error, integer(), binary()}.
prepare() -> ok.

%% From these functions on, and from no others, calls are told; done in the background.
-spec functions([{module(), atom(), arity(), call | return}]) -> ok | {error, integer(), binary()}.
functions(_Functions) -> {error, -38, <<"the library is not loaded">>}.

-spec functions_done() -> busy | non_neg_integer().
functions_done() -> 0.

-spec is_told({module(), atom(), arity(), call | return}) -> boolean().
is_told(_Function) -> false.

%% ---- records of the state; written when a region is open, whatever is on

-spec state_asked(pid()) -> boolean().
state_asked(_Pid) -> false.

-spec state_process(pid(), mfa() | undefined, atom(), pid() | undefined,
                    non_neg_integer() | undefined) -> boolean().
state_process(_Pid, _Mfa, _Name, _Parent, _QueueLen) -> false.

-spec state_port(port(), iodata(), pid() | undefined, atom(), integer() | undefined,
                 integer() | undefined) -> boolean().
state_port(_Port, _PortName, _Owner, _Name, _Input, _Output) -> false.

-spec socket_open(port(), pid(), non_neg_integer()) -> non_neg_integer().
socket_open(_Port, _Owner, _Fd) -> 0.

-spec tap(start | stop | warning, non_neg_integer(), iodata()) -> boolean().
tap(_What, _Reader, _Text) -> false.

%% ---- users' probes; false when they are off

-spec probe(atom(), integer() | undefined, integer() | undefined, iodata() | undefined) ->
          boolean().
probe(_Name, _A1, _A2, _Text) -> false.

-spec user_s1(iodata()) -> boolean().
user_s1(_Text) -> false.

-spec user(integer(), iodata() | undefined, [integer()], [iodata()]) -> boolean().
user(_Number, _Tag, _Integers, _Texts) -> false.
