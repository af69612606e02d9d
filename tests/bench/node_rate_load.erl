%% SPDX-License-Identifier: Apache-2.0
%% node_rate_load: pairs of processes that send each other messages at a steady rate.
%%
%% pairs(N, Rate, Secs): N senders, each with a receiver of its own, send Rate messages a second
%% together for Secs seconds; returns how many were sent.  A sender works in steps of a millisecond.
-module(node_rate_load).
-export([pairs/3]).

pairs(N, Rate, Secs) ->
    Self = self(),
    Pids = [spawn_link(fun() -> sender(Self, Rate div N, Secs) end) || _ <- lists:seq(1, N)],
    lists:sum([receive {sent, Pid, Sent} -> Sent end || Pid <- Pids]).

sender(Boss, Rate, Secs) ->
    To = spawn_link(fun receiver/0),
    Begin = erlang:monotonic_time(microsecond),
    Sent = send_until(To, Rate, Begin, Begin + Secs * 1000000, 0),
    To ! {stop, self()},
    receive stopped -> Boss ! {sent, self(), Sent + 1} end.

send_until(To, Rate, Begin, End, Sent) ->
    Now = erlang:monotonic_time(microsecond),
    Due = (Now - Begin) * Rate div 1000000,
    %% What a busy machine did not let us send is not made up for in one burst.
    Step = min(Due - Sent, Rate div 100),
    send(To, Step),
    if
        Now >= End -> Sent + Step;
        true ->
            timer_wait(),
            send_until(To, Rate, Begin + max(0, (Due - Sent - Step) * 1000000 div Rate), End, Sent + Step)
    end.

timer_wait() ->
    receive after 1 -> ok end.

send(_To, 0) -> ok;
send(To, N) -> To ! tick, send(To, N - 1).

receiver() ->
    receive
        {stop, From} -> From ! stopped;
        tick -> receiver()
    end.
