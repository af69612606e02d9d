%% SPDX-License-Identifier: Apache-2.0
-module(beamtap_sup).
-behaviour(supervisor).

-export([start_link/0]).
-export([init/1]).

-spec start_link() -> {ok, pid()} | {error, term()}.
start_link() ->
    supervisor:start_link({local, ?MODULE}, ?MODULE, []).

-spec init([]) -> {ok, {supervisor:sup_flags(), [supervisor:child_spec()]}}.
init([]) ->
    {ok, {#{strategy => one_for_one, intensity => 3, period => 60},
          [#{id => beamtap_server,
             start => {beamtap_server, start_link, []},
             shutdown => 10000}]}}.
