%% SPDX-License-Identifier: Apache-2.0
%%
%% A publisher and a consumer of RabbitMQ over TCP, as fast as the broker goes: the queue is kept short
%% by having at most Window messages on their way.
%%   rabbit_load:run(Port, Messages, Window, Pid) prints `took Microseconds Nanoseconds`: the time of Messages,
%%   and the CPU time that the broker, process Pid of the system, took for them
-module(rabbit_load).
-export([run/4]).
-include_lib("amqp_client/include/amqp_client.hrl").

run(Port, Messages, Window, Pid) ->
    {ok, _} = application:ensure_all_started(amqp_client),
    Open = fun() ->
                   {ok, C} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1", port = Port}),
                   {ok, Ch} = amqp_connection:open_channel(C),
                   {C, Ch}
           end,
    {C1, Pub} = Open(),
    {C2, Sub} = Open(),
    #'queue.declare_ok'{queue = Q} = amqp_channel:call(Sub, #'queue.declare'{auto_delete = true}),
    #'basic.consume_ok'{} = amqp_channel:subscribe(Sub, #'basic.consume'{queue = Q, no_ack = true}, self()),
    receive #'basic.consume_ok'{} -> ok end,
    Message = #amqp_msg{payload = binary:copy(<<"x">>, 200)},
    Publish = fun() -> amqp_channel:cast(Pub, #'basic.publish'{routing_key = Q}, Message) end,
    loop(Publish, Messages div 10, Window),
    T0 = erlang:monotonic_time(microsecond),
    C0 = cpu(Pid),
    loop(Publish, Messages, Window),
    io:format("took ~b ~b~n", [erlang:monotonic_time(microsecond) - T0, cpu(Pid) - C0]),
    amqp_connection:close(C1),
    amqp_connection:close(C2),
    halt(0).

%% Of all its threads, ns.
cpu(Pid) ->
    lists:sum([begin
                   {ok, Text} = file:read_file(F),
                   [Ns | _] = binary:split(Text, <<" ">>),
                   binary_to_integer(Ns)
               end || F <- filelib:wildcard(lists:concat(["/proc/", Pid, "/task/*/schedstat"]))]).

loop(Publish, N, Window) ->
    [Publish() || _ <- lists:seq(1, min(N, Window))],
    loop(Publish, N, Window, N).

loop(_, _, _, 0) -> ok;
loop(Publish, N, Window, Left) ->
    receive {#'basic.deliver'{}, _} -> ok end,
    _ = Left > Window andalso Publish(),
    loop(Publish, N, Window, Left - 1).
