%% SPDX-License-Identifier: Apache-2.0
-module(beamtap_app).
-behaviour(application).

-export([start/2, stop/1]).

-spec start(application:start_type(), term()) -> {ok, pid()} | {error, term()}.
start(_Type, _Args) ->
    %% All reasons not to start are found before anything is started.
    case beamtap_server:check() of
        ok -> beamtap_sup:start_link();
        {error, Reason} -> {error, Reason}
    end.

-spec stop(term()) -> ok.
stop(_State) ->
    %% The server has cleared the VM already, unless it was killed.
    beamtap_trace:clear(),
    beamtap_nif:close().
