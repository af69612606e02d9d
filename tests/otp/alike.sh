#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What both the agent on a stock VM and the VM with hooks tell of the same program, they tell alike.
#	tests/otp/alike.sh BUILD_DIR
. "$(dirname "$0")/common"

# Exit reasons of all kinds, the same in each VM: no process, port or reference is in them but one that prints alike.
cat >"$T/src" <<'END'
main() ->
    rand:seed(exsss, {1, 2, 3}),
    process_flag(trap_exit, true),
    io:format("name main ~p~n", [self()]),
    [begin
         T = term(4),
         P = spawn_link(fun() -> exit({I, T}) end),
         io:format("name ~b ~p~n", [I, P]),
         receive {'EXIT', P, _} -> ok end
     end || I <- lists:seq(1, 300)],
    A = spawn(fun waiter/0), io:format("name a ~p~n", [A]),
    link(A), unlink(A), link(A), register(some_name, A), unregister(some_name), register('Other name', A),
    B = spawn(fun waiter/0), io:format("name b ~p~n", [B]),
    B ! {link, A}, timer:sleep(50), B ! {unlink, A}, timer:sleep(50), B ! {link, self()}, timer:sleep(50),
    A ! {die, shutdown}, timer:sleep(50), exit(B, kill), timer:sleep(50),
    C = spawn(fun() -> error(badarg) end), io:format("name c ~p~n", [C]),
    D = spawn(fun() -> throw(ball) end), io:format("name d ~p~n", [D]),
    E = spawn(fun() -> exit(normal) end), io:format("name e ~p~n", [E]),
    timer:sleep(100),
    ok.
waiter() -> receive {die, R} -> exit(R); {link, P} -> link(P), waiter(); {unlink, P} -> unlink(P), waiter() end.
term(0) -> leaf(rand:uniform(20));
term(N) ->
    case rand:uniform(7) of
        1 -> list_to_tuple(many(N));
        2 -> many(N);
        3 -> maps:from_list([{K, term(N - 1)} || K <- lists:seq(1, rand:uniform(5) - 1)]);
        4 -> [term(N - 1) | term(N - 1)];
        _ -> leaf(rand:uniform(20))
    end.
many(N) -> [term(N - 1) || _ <- lists:seq(1, rand:uniform(6) - 1)].
leaf(1) -> rand:uniform(1000) - 500;
leaf(2) -> (1 bsl 58) + rand:uniform(1 bsl 10);
leaf(3) -> -(1 bsl rand:uniform(70));
leaf(4) -> rand:uniform() * 1.0e10;
leaf(5) -> -1.0e-300;
leaf(6) -> lists:nth(rand:uniform(8), [normal, 'after', 'Upper', '', 'with space', 'quo\'te', 'åäö', 'привет мир']);
leaf(7) -> list_to_atom(lists:duplicate(rand:uniform(255), $a));
leaf(8) -> <<>>;
leaf(9) -> rand:bytes(rand:uniform(20));
leaf(10) -> binary:copy(<<"text ">>, rand:uniform(60));
leaf(11) -> <<"ünïcödé \n\t\e\"\\"/utf8>>;
leaf(12) -> <<(rand:uniform(127)):7>>;
leaf(13) -> <<_:3, B/bits>> = <<0:3, "bytes that begin within a byte">>, B;
leaf(14) -> <<_:5, B/bits>> = <<0:5, (rand:bytes(200))/binary>>, B;
leaf(15) -> "a string";
leaf(16) -> lists:duplicate(rand:uniform(300), $s);
leaf(17) -> lists:seq(1, rand:uniform(100));
leaf(18) -> fun waiter/0;
leaf(19) -> make_ref();
leaf(20) -> [].
END
tell() { # WHO: names in place of pids, one event a line, in order of the process it is of
	has '^ok$' "$T/erl.log" "the program runs: $1"
	awk -v E="$T/events" '
		/^name / { name[$3] = "<" $2 ">" }
		END {
			while ((getline line < E) > 0) {
				if (!match(line, / (process|name)-[a-z_]+ .*/)) continue
				line = substr(line, RSTART + 1)
				split(line, w); gsub(/^p=/, "", w[2])
				if (!(w[2] in name)) continue
				out = ""
				while (match(line, /<0\.[0-9]+\.[0-9]+>/)) {
					p = substr(line, RSTART, RLENGTH)
					out = out substr(line, 1, RSTART - 1) ((p in name) ? name[p] : "<?>")
					line = substr(line, RSTART + RLENGTH)
				}
				line = out line; gsub(/ +/, " ", line); sub(/ $/, "", line)
				if (line !~ /<\?>/) print line # what was before the program began
			}
		}' "$T/erl.log" | LC_ALL=C sort -s -k2,2 >"$T/told.$1"
}
events='process-exit,process-link,process-unlink,process-linked,process-unlinked,name-*'
export BEAMTAP_EMU_TYPE=opt
record_module "$T/src" "$events" -s beamtap
tell agent
unset BEAMTAP_EMU_TYPE
record_module "$T/src" "$events"
tell hooks
for e in process-exit process-link process-unlink process-linked process-unlinked name-register name-unregister; do
	grep "^$e " "$T/told.agent" >"$T/1"
	grep "^$e " "$T/told.hooks" >"$T/2"
	[ -s "$T/1" ] && diff "$T/1" "$T/2" >"$T/err"; ok $? "$e: $(wc -l <"$T/1") told alike"
done
plan
