%% SPDX-License-Identifier: Apache-2.0
-module(bench_nif).
-export([enabled/3, trace/5, cpu_ns/0, region/1, switch_to/2]).
-on_load(load/0).

load() -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "bench_nif"), 0).

enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
cpu_ns() -> erlang:nif_error(not_loaded).
region(_) -> erlang:nif_error(not_loaded).
switch_to(_, _) -> erlang:nif_error(not_loaded).
