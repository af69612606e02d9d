#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# All that processes do to one another, all at once, with readers that come and go, on the VM with hooks.
#	tests/otp/churn.sh BUILD_DIR      SECONDS_EACH=5
. "$(dirname "$0")/common"
seconds=${SECONDS_EACH:-5}

cat >"$T/churn.erl" <<'END'
-module(churn).
-compile([export_all, nowarn_export_all]).
start() ->
    {ok, churned, B} = compile:forms([{attribute, 1, module, churned}, {attribute, 2, export, [{f, 0}]}, {function, 3, f, 0,
        [{clause, 3, [], [], [{bin, 3, [{bin_element, 3, {string, 3, lists:duplicate(100, $x)}, default, default}]}]}]}]),
    persistent_term:put(churned, B),
    [spawn(fun() -> forever(F) end) || F <- [fun links/0, fun monitors/0, fun kills/0, fun names/0, fun timers/0,
                                             fun heaps/0, fun ports/0, fun code/0, fun sleeps/0, fun files/0, fun online/0]].
forever(F) ->
    {_, M} = spawn_monitor(F),
    receive {'DOWN', M, _, _, _} -> ok end,
    forever(F).
crowd(N, F) -> Ps = [spawn(F) || _ <- lists:seq(1, N)], [begin M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end end || P <- Ps].
idle() -> receive stop -> ok after 200 -> ok end.
links() ->
    crowd(20, fun() -> L = [spawn_link(fun idle/0) || _ <- lists:seq(1, 5)],
                       [begin link(P), unlink(P), link(P) end || P <- L],
                       case rand:uniform(3) of 1 -> exit(normal); 2 -> exit({bad, reason()}); 3 -> exit(hd(L), kill), timer:sleep(5) end end).
reason() -> lists:nth(rand:uniform(6), ["text", <<"bytes">>, {deep, [{er, #{a => b}}]}, lists:seq(1, 1000), self(), make_ref()]).
monitors() ->
    crowd(20, fun() -> L = [spawn(fun idle/0) || _ <- lists:seq(1, 5)],
                       [begin M = monitor(process, P), monitor(process, no_one), P ! stop, demonitor(M, [flush]) end || P <- L],
                       A = monitor(process, hd(L), [{alias, reply_demonitor}]), A ! hello,
                       receive {'DOWN', _, _, _, _} -> ok; hello -> ok after 100 -> ok end end).
kills() ->
    crowd(20, fun() -> P = spawn(fun() -> _ = lists:seq(1, 100000), idle() end), link(P), exit(P, kill), exit(P, shutdown), idle() end).
names() ->
    crowd(5, fun() -> N = list_to_atom("name" ++ integer_to_list(rand:uniform(4))), catch register(N, self()),
                      catch monitor(process, N), _ = erlang:send_after(1, N, stop), idle(), catch unregister(N) end).
timers() ->
    crowd(20, fun() -> R = [erlang:start_timer(rand:uniform(20), self(), x) || _ <- lists:seq(1, 20)],
                       _ = erlang:send_after(10000000, self(), y),
                       [erlang:cancel_timer(X) || X <- R, rand:uniform(2) =:= 1],
                       receive never -> ok after rand:uniform(10) -> ok end end).
heaps() ->
    crowd(3, fun() -> L = lists:seq(1, 300000 * rand:uniform(3)), erlang:garbage_collect(), [self() ! [X] || X <- lists:seq(1, 1000)],
                      erlang:garbage_collect(self(), [{type, minor}]), true = length(L) > 0 end),
    crowd(3, fun() -> process_flag(max_heap_size, #{size => 50000, kill => true, error_logger => false}), length(lists:seq(1, 10000000)) end).
ports() ->
    P = open_port({spawn, "sleep 0.05"}, []), D = binary:copy(<<0>>, 300000),
    [spawn(fun() -> catch port_command(P, D) end) || _ <- lists:seq(1, 5)],
    catch register(a_port, P), timer:sleep(rand:uniform(80)), catch port_close(P).
code() ->
    B = persistent_term:get(churned), M = churned,
    {module, M} = erlang:load_module(M, B), _ = spawn(fun() -> M:f(), idle() end), _ = M:f(),
    true = erlang:delete_module(M), code:purge(M).
sleeps() -> crowd(20, fun() -> erlang:send_after(5, self(), stop), proc_lib:hibernate(?MODULE, idle, []) end).
files() ->
    crowd(10, fun() -> {ok, F} = prim_file:open("/proc/self/maps", [read]), _ = prim_file:read(F, 100),
                       case rand:uniform(2) of 1 -> exit(self(), kill), prim_file:read(F, 10); 2 -> prim_file:close(F) end end).
online() -> erlang:system_flag(schedulers_online, rand:uniform(erlang:system_info(schedulers))), timer:sleep(50).
END
erlc -o "$T" "$T/churn.erl" >"$T/err" 2>&1 || bail "the test's Erlang does not compile"
start_node +S 4:4 +SDcpu 2:2 -eval 'churn:start().'
events='gc_*,process_*,name_*,dirty_*,scheduler_*,module_*,timer_*'
# Readers that come and go, some of them killed.
end=$((SECONDS + seconds)) n=0
while [ $SECONDS -lt $end ]; do
	"$bt" record -p $node -o "$T/short$((n % 3))" -e "$events" >/dev/null 2>&1 & r=$!
	sleep 0.$((RANDOM % 8 + 1))
	kill -$([ $((n % 2)) = 0 ] && echo INT || echo KILL) $r 2>/dev/null
	wait $r 2>/dev/null
	rm -rf "$T/short$((n % 3))"
	n=$((n + 1))
	kill -0 $node 2>/dev/null || break
done
kill -0 $node 2>/dev/null; ok $? "the node lives after $n readers"
# One that stays.
"$bt" record -p $node -o "$T/rec" -e "$events" >"$T/recorded" 2>&1 & r=$!
sleep "$seconds"
kill -0 $node 2>/dev/null; ok $? "and with one that stays"
kill -INT $r
wait $r
"$bt" dump "$T/rec" >"$T/events" 2>"$T/err"; ok $? "the recording can be read"
lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$T/recorded" | tail -1)
echo "# $(tail -1 "$T/recorded")"
E=$T/events
for e in gc_minor-start gc_minor-end gc_major-start gc_major-end process-heap_grow process-heap_shrink process-spawn process-exit \
	process-exit_signal process-hibernate process-runnable process-link process-unlink process-linked process-unlinked \
	process-monitor process-demonitor name-register name-unregister dirty-scheduled dirty-unscheduled scheduler-sleep \
	scheduler-wakeup module-load module-unload timer-set timer-cancel timer-fire; do
	grep -q " $e " "$E"; ok $? "$e"
done
# What must be so in any order of things, where nothing was lost.
if [ "${lost:-1}" = 0 ]; then
	awk '/ gc_m(inor|ajor)-(start|end) / { p = $4; k = $3; sub(/-.*/, "", k)
		if ($3 ~ /-start/) { if (on[p]) { print; bad = 1 } on[p] = k } else { if ((p in on) && on[p] != k) { print; bad = 1 } on[p] = "" } }
		END { exit bad }' "$E" >"$T/err"; ok $? "collections of a process begin and end in turns"
	awk '/ process-spawn / { born[$4] = 1 } / process-exit / { if (dead[$4]++) { print; bad = 1 } n++ } END { exit bad || !n }' "$E" >"$T/err"
	ok $? "a process ends once"
	awk '/ timer-(set|fire|cancel) / { t = $4 " " $5; if ($3 == "timer-set") { if (live[t]) { print; bad = 1 } live[t] = 1; seen[t] = 1; n++ }
		else { if (seen[t] && !live[t]) { print; bad = 1 } live[t] = 0 } } END { exit bad || !n }' "$E" >"$T/err"
	ok $? "a timer fires or is cancelled once"
	awk '/ scheduler-(sleep|wakeup) / { s = $4; if ((s in was) && was[s] == $3) { print; bad = 1 } was[s] = $3 } END { exit bad }' "$E" >"$T/err"
	ok $? "schedulers sleep and wake up in turns"
else
	for w in "collections in turns" "a process ends once" "a timer ends once" "schedulers in turns"; do skip "$w" "${lost:-?} events were lost"; done
fi
# Killed in the middle: what was recorded is there.
"$bt" record -p $node -o "$T/rec2" -e "$events" >"$T/recorded" 2>&1 & r=$!
sleep 1
kill -KILL $node
wait $node 2>/dev/null
node=
for _ in $(seq 100); do kill -0 $r 2>/dev/null || break; sleep 0.1; done
kill -INT $r 2>/dev/null
wait $r
"$bt" dump "$T/rec2" >"$T/events2" 2>"$T/err" && [ "$(wc -l <"$T/events2")" -gt 1000 ]; ok $? "a node killed leaves a recording: $(wc -l <"$T/events2") events"
plan
