#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Links, monitors, exit signals, names, hibernation, run queues in the VM with hooks.
#	tests/otp/signals.sh BUILD_DIR
. "$(dirname "$0")/common"

cat >"$T/src" <<'END'
main() ->
    say(main, self()),
    links(), monitors(), exits(), names(), hibernates(), busy(), runs(),
    ok.
say(K, V) -> io:format("~s ~p~n", [K, V]).
waiter() -> receive stop -> ok; {die, R} -> exit(R); {unlink, P} -> unlink(P), waiter(); {link, P} -> link(P), waiter() end.
gone(P) -> M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end.

links() ->
    A = spawn(fun waiter/0), say(linked, A),
    link(A), unlink(A),
    B = spawn_link(fun waiter/0), say(spawned, B),
    B ! stop, gone(B),
    C = spawn(fun waiter/0), say(linker, C),
    C ! {link, self()}, C ! {unlink, self()}, timer:sleep(50),
    A ! stop, C ! stop, gone(A), gone(C),
    P = open_port({spawn, "cat"}, []), say(port, P), unlink(P), link(P), unlink(P), port_close(P).

monitors() ->
    A = spawn(fun waiter/0), say(watched, A),
    M = monitor(process, A), demonitor(M, [flush]),
    {B, N} = spawn_monitor(fun waiter/0), say(watched_born, B),
    register(watched_name, B),
    demonitor(N), _ = monitor(process, watched_name),
    _ = monitor(process, no_such_name),
    %% an answer by an alias ends the monitor
    {C, Z} = spawn_opt(fun() -> receive {ask, R} -> R ! R, waiter() end end, [{monitor, [{alias, reply_demonitor}]}]),
    say(asked, C), C ! {ask, Z}, receive Z -> ok end,
    P = open_port({spawn, "cat"}, []), say(watched_port, P),
    Q = monitor(port, P), demonitor(Q), port_close(P),
    [X ! stop || X <- [A, B, C]], [gone(X) || X <- [A, B, C]].

exits() ->
    process_flag(trap_exit, true),
    A = spawn_link(fun waiter/0), say(dying, A),
    A ! {die, {shutdown, [#{k => v}, "text", <<"bytes">>, 'Odd atom', 1.5, self(), <<0,1,2,3>>]}},
    receive {'EXIT', A, _} -> ok end,
    B = spawn(fun waiter/0), say(killed, B), exit(B, kill), gone(B),
    C = spawn(fun waiter/0), say(ignores, C), exit(C, normal), exit(C, {odd, 'reason é', lists:seq(200, 300)}), gone(C),
    D = spawn_link(fun waiter/0), say(long, D), D ! {die, {lists:duplicate(500, $x)}}, receive {'EXIT', D, _} -> ok end,
    <<_:3, Bits/bits>> = <<0:3, "shifted">>,
    E = spawn_link(fun waiter/0), say(bits, E), E ! {die, {Bits, <<1:3>>, #{}, fun waiter/0, make_ref(), 1 bsl 100}},
    receive {'EXIT', E, _} -> ok end,
    process_flag(trap_exit, false).

names() ->
    A = spawn(fun waiter/0), say(named, A),
    register(a_name, A), unregister(a_name), register(b_name, A),
    P = open_port({spawn, "cat"}, []), say(named_port, P), register(p_name, P), port_close(P),
    catch register(a_name, no_pid),
    A ! stop, gone(A).

hibernates() ->
    A = spawn(fun() -> proc_lib:hibernate(?MODULE, waiter, []) end), say(sleeper, A),
    B = spawn(fun() -> erlang:hibernate(?MODULE, waiter, []) end), say(sleeper2, B),
    timer:sleep(50), A ! stop, B ! stop, gone(A), gone(B).

%% Two processes wait for a port that nobody reads.
busy() ->
    P = open_port({spawn, "sleep 5"}, []), say(busy_port, P),
    D = binary:copy(<<0>>, 1 bsl 20),
    W = [begin
             Pid = spawn(fun() -> port_command(P, D), port_command(P, D), port_command(P, D) end),
             say(blocked, Pid), Pid
         end || _ <- [1, 2]],
    [waits(X) || X <- W], catch port_close(P), [gone(X) || X <- W].
waits(P) ->
    lists:member(process_info(P, status), [{status, suspended}, undefined]) orelse begin timer:sleep(10), waits(P) end.

runs() ->
    S = self(),
    A = spawn_opt(fun() -> receive go -> S ! done end end, [{priority, low}]), say(runner, A),
    timer:sleep(20), A ! go, receive done -> ok end.
END
record_module "$T/src" 'process_*,name_*'
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
of() { sed -n "s/^$1 //p" "$T/erl.log" | head -${2:-1} | tail -1; }
main=$(of main)
# ev NAME FIELDS WHAT: one record of NAME with FIELDS, which are given as they are printed
ev() { has " process-$1 +$2" "$E" "$3"; }
none() { has_no " process-$1 +$2" "$E" "$3"; }

a=$(of linked) b=$(of spawned) c=$(of linker) p=$(of port)
ev link "p=$main other=$a( |$)" "process-link by link/1"
ev linked "p=$a other=$main( |$)" "process-linked at its other end"
ev unlink "p=$main other=$a( |$)" "process-unlink by unlink/1"
ev unlinked "p=$a other=$main( |$)" "process-unlinked at its other end"
ev link "p=$main other=$b( |$)" "process-link by spawn_link"
ev linked "p=$b other=$main( |$)" "process-linked of the child"
awk -v b="$b" '$0 ~ " process-spawn " && index($0, "p=" b " ") { s = NR } $0 ~ " process-linked " && index($0, "p=" b " ") { l = NR } END { exit !(s && s < l) }' "$E"
ok $? "behind its spawn"
ev linked "p=$main other=$c( |$)" "process-linked of one who is linked to"
ev unlinked "p=$main other=$c( |$)" "process-unlinked of one who is unlinked from"
ev link "p=$main other=$p( |$)" "process-link of a port that is opened"
[ "$(grep -cE " process-link +p=$main other=$p" "$E")" = 2 ]; ok $? "and of a port by link/1"
ev unlink "p=$main other=$p( |$)" "process-unlink of a port"

a=$(of watched) b=$(of watched_born) c=$(of asked) p=$(of watched_port)
ev monitor "p=$main other=$a( |$)" "process-monitor"
ev demonitor "p=$main other=$a( |$)" "process-demonitor"
ev demonitor "p=$main other=$b( |$)" "process-demonitor of one that was made with the process"
[ "$(grep -cE " process-monitor +p=$main other=$b" "$E")" = 3 ]; ok $? "process-monitor by spawn_monitor, by name, by pid"
ev monitor "p=$main other=no_such_name( |$)" "process-monitor of a name that is not there"
ev monitor "p=$main other=$c( |$)" "process-monitor by spawn_opt"
ev demonitor "p=$main other=$c( |$)" "process-demonitor by an answer"
ev monitor "p=$main other=$p( |$)" "process-monitor of a port"
ev demonitor "p=$main other=$p( |$)" "process-demonitor of a port"

a=$(of dying) b=$(of killed) c=$(of ignores) d=$(of long) e=$(of bits)
r="\\{shutdown,\\[#\\{1 keys\\},\"text\",<<\"bytes\">>,'Odd atom',1.5,$main,<<4 bytes>>\\]\\}"
has " process-exit_signal +sender=$a receiver=$main reason=\"?$(sed 's/"/\\\\?"/g' <<<"$r")" "$E" "process-exit_signal, its reason as the agent prints it"
has " process-exit +p=$a reason=\"?$(sed 's/"/\\\\?"/g' <<<"$r")" "$E" "process-exit has the same"
ev unlinked "p=$main other=$a( |$)" "process-unlinked of one who traps exits"
ev exit_signal "sender=$main receiver=$b reason=\"?killed" "process-exit_signal of kill"
ev exit "p=$b reason=\"?killed" "process-exit of who is killed"
ev exit_signal "sender=$main receiver=$c reason=\"?normal" "process-exit_signal that is not heeded"
ev exit_signal "sender=$main receiver=$c reason=.*odd,'reason é',\\[200,201,.*\\.\\.\\." "process-exit_signal, long and not in ASCII"
awk -v d="p=$d " '/ process-exit / && index($0, d) { r = substr($0, index($0, "reason=") + 7); n = length(r); ok = n > 100 && n < 130 && r ~ /\.\.\./ } END { exit !ok }' "$E"
ok $? "a reason is cut at 120 bytes, and marked"
ev exit "p=$e reason=.*<<\\\\?\"shifted\\\\?\">>,<<\\.\\.\\.>>,#\\{0 keys\\},#Fun<>,#Ref<>,<big integer>" "reasons with bits, maps, funs, references, large numbers"

a=$(of named) p=$(of named_port)
has " name-register +p=$a name=a_name" "$E" "name-register"
has " name-unregister +p=$a name=a_name" "$E" "name-unregister"
has " name-unregister +p=$a name=b_name" "$E" "name-unregister of a process that ends"
has " name-register +p=$p name=p_name" "$E" "name-register of a port"
has " name-unregister +p=$p name=p_name" "$E" "name-unregister of a port that is closed"

ev hibernate "p=$(of sleeper) mfa=proc_lib:wake_up/3" "process-hibernate by proc_lib"
ev hibernate "p=$(of sleeper2) mfa=t:waiter/0" "process-hibernate"

p=$(of busy_port)
ev port_unblocked "p=$(of blocked 1) port=$p" "process-port_unblocked"
ev port_unblocked "p=$(of blocked 2) port=$p" "process-port_unblocked of the second who waits"

a=$(of runner)
ev runnable "p=$a run_queue=[1-9][0-9]* queue_len=[1-9]" "process-runnable, with queue and length"
awk -v a="p=$a " 'index($0, a) && / process-runnable / { r++ } index($0, a) && / process-scheduled / { s++; if (s > r) bad = 1 } END { exit bad || !s }' "$E"
ok $? "whoever is scheduled was runnable before"
plan
