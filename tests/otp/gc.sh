#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Garbage collections in the VM with hooks: what is told is what the VM's own trace tells, number by number.
#	tests/otp/gc.sh BUILD_DIR
. "$(dirname "$0")/common"

# The traced process is collected in all ways; its trace and the records must be the same lists.
cat >"$T/src" <<'END'
main() ->
    Self = self(),
    T = spawn(fun() -> tracer(Self, []) end),
    P = spawn_opt(fun work/0, [{min_heap_size, 233}]),
    1 = erlang:trace(P, true, [garbage_collection, {tracer, T}]),
    M = monitor(process, P),
    [P ! {msg, lists:seq(1, I)} || I <- lists:seq(1, 40)],
    P ! go,
    receive {'DOWN', M, process, P, R} -> io:format("end ~p~n", [R]) end,
    timer:sleep(200),
    T ! {stop, P},
    receive {traced, L} -> ok end,
    io:format("proc ~p~n", [P]),
    [io:format("trace ~s p=~p ~s=~w heap=~w old_heap=~w ~s bin_vheap=~w~n",
               [name(What), P, which(What), v(wordsize, I), v(heap_size, I), v(old_heap_size, I),
                third(What, I), 8 * v(bin_vheap_size, I)]) || {What, I} <- L],
    {Big, B} = spawn_monitor(fun big/0),
    io:format("big ~p~n", [Big]),
    receive {'DOWN', B, process, Big, normal} -> ok end,
    {Hib, H} = spawn_monitor(fun() -> _ = length(grow([], 20000)), erlang:hibernate(?MODULE, wakes, []) end),
    {total_heap_size, Small} = hibernated(Hib),
    io:format("hibernated ~p to ~b~n", [Hib, Small]),
    Hib ! go,
    receive {'DOWN', H, process, Hib, normal} -> ok end,
    Max = #{size => 20000, kill => true, error_logger => false},
    {Kill, K} = spawn_opt(fun() -> grow([], 200000) end, [monitor, {max_heap_size, Max}]),
    io:format("killed ~p~n", [Kill]),
    receive {'DOWN', K, process, Kill, killed} -> ok end,
    ok.
name(gc_minor_start) -> "gc_minor-start"; name(gc_minor_end) -> "gc_minor-end";
name(gc_major_start) -> "gc_major-start"; name(gc_major_end) -> "gc_major-end".
is_start(W) -> W =:= gc_minor_start orelse W =:= gc_major_start.
which(W) -> case is_start(W) of true -> "need"; false -> "reclaimed" end.
third(W, I) ->
    case is_start(W) of
        true -> io_lib:format("mbuf=~w", [v(mbuf_size, I)]);
        false -> io_lib:format("heap_size=~w", [v(heap_block_size, I)])
    end.
v(K, L) -> {K, V} = lists:keyfind(K, 1, L), V.
tracer(To, L) ->
    receive
        {trace, _, What, Info} when is_list(Info) -> tracer(To, [{What, Info} | L]);
        {stop, _} -> To ! {traced, lists:reverse(L)}
    end.
work() ->
    receive go -> ok end,
    _ = [receive {msg, M} -> length(M) end || _ <- lists:seq(1, 40)],
    Bin = [binary:copy(<<I>>, 1000) || I <- lists:seq(1, 100)],
    L = grow([], 30000),
    erlang:garbage_collect(),
    true = length(L) > 0 andalso length(Bin) > 0,
    M = grow([], 3000),
    erlang:garbage_collect(self(), [{type, minor}]),
    length(M).
wakes() -> receive go -> ok end.
hibernated(P) ->
    case process_info(P, [current_function, total_heap_size]) of
        [{_, {erlang, hibernate, 3}}, Size] -> Size;
        _ -> timer:sleep(5), hibernated(P)
    end.
grow(L, 0) -> L;
grow(L, N) -> grow([{N, N} | L], N - 1).
%% More than a scheduler may collect: goes to a dirty one.
big() -> L = grow([], 600000), erlang:garbage_collect(), true = length(L) > 0, done.
END
record_module "$T/src" 'gc_*,process_heap_*,dirty_*'
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
p=$(sed -n 's/^proc //p' "$T/erl.log")
sed -n 's/^trace //p' "$T/erl.log" >"$T/expected"
# one record a line: time, ring, name, fields
grep -E " gc_(minor|major)-(start|end) .*p=$p " "$E" | sed -E 's/.* (gc_m[a-z-]+) +/\1 /; s/ +/ /g; s/ $//' >"$T/got"
[ "$(wc -l <"$T/expected")" -gt 10 ]; ok $? "the trace has collections: $(wc -l <"$T/expected")"
# The trace of a minor collection that failed itself takes words that the major one then finds.
sed -i '/^gc_major-start /s/ mbuf=[0-9]*//' "$T/expected" "$T/got"
diff "$T/expected" "$T/got" >"$T/err"; ok $? "each number of each collection is the trace's own"
has 'mbuf=[1-9]' "$T/got" "messages that count as heap are in mbuf"
has 'bin_vheap=[1-9][0-9]{4}' "$T/got" "binaries are in bin_vheap, in bytes"
for n in gc_minor-start gc_minor-end gc_major-start gc_major-end; do
	has "^$n " "$T/got" "$n"
done
has " process-heap_grow .*p=$p " "$E" "process-heap_grow"
has " process-heap_shrink .*p=$p " "$E" "process-heap_shrink"
# A heap is as large as the last change of its size has made it.
awk -v p="p=$p" '
	$0 ~ " process-heap_(grow|shrink) " && index($0, p " ") { match($0, /new_size=[0-9]+/); size = substr($0, RSTART + 9, RLENGTH - 9) }
	$0 ~ " gc_m(inor|ajor)-end " && index($0, p " ") && size { match($0, / heap_size=[0-9]+/); n++
		if (substr($0, RSTART + 11, RLENGTH - 11) != size && !/reclaimed=0 /) { print "size " size ": " $0; bad = 1 } }
	END { exit bad || !n }' "$E" >"$T/err"; ok $? "after each collection the heap has the size last told"
hib=$(sed -n 's/^hibernated \(.*\) to .*/\1/p' "$T/erl.log") small=$(sed -n 's/^hibernated .* to //p' "$T/erl.log")
[ -n "$small" ] && has " process-heap_shrink .*p=$hib .*old_size=[0-9]{4,} .*new_size=$small\b" "$E" "hibernation leaves a heap of $small words"
big=$(sed -n 's/^big //p' "$T/erl.log")
has " dirty-scheduled .*p=$big " "$E" "a large heap goes to a dirty scheduler"
awk -v p="p=$big" '
	index($0, p " ") && / dirty-scheduled / { dirty = 1 }
	index($0, p " ") && / dirty-unscheduled / { dirty = 0 }
	index($0, p " ") && / gc_major-start / && dirty { n++ }
	END { exit !n }' "$E"; ok $? "and is collected there"
k=$(sed -n 's/^killed //p' "$T/erl.log")
[ "$(grep -cE " gc_m(inor|ajor)-start .*p=$k " "$E")" = "$(grep -cE " gc_m(inor|ajor)-end .*p=$k " "$E")" ]
ok $? "one that is killed for its size ends each collection it began"
plan
