#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sockets of gen_tcp, gen_udp and the module socket in the VM with hooks: their inodes are the kernel's.
#	tests/otp/sockets.sh BUILD_DIR
. "$(dirname "$0")/common"

# What /proc/self/fd says of each is printed while it is open: "sock NAME PORT FD INODE".
cat >"$T/src" <<'END'
inode(Fd) ->
    {ok, L} = file:read_link("/proc/self/fd/" ++ integer_to_list(Fd)),
    "socket:[" ++ I = L,
    list_to_integer(lists:droplast(I)).
tell(Name, P, Fd) ->
    io:format("sock ~s ~w ~w ~w~n", [Name, P, Fd, inode(Fd)]).
tell(Name, P) ->
    {ok, Fd} = prim_inet:getfd(P),
    tell(Name, P, Fd).
main() ->
    io:format("self ~w~n", [self()]),
    {ok, L} = gen_tcp:listen(0, [{active, false}, {ip, {127,0,0,1}}, binary]),
    {ok, Nr} = inet:port(L),
    io:format("listens ~w~n", [Nr]),
    tell("listen", L),
    {ok, C} = gen_tcp:connect({127,0,0,1}, Nr, [{active, true}, binary]),
    {ok, S} = gen_tcp:accept(L),
    tell("connect", C), tell("accept", S),
    ok = gen_tcp:send(C, <<"hello">>),
    {ok, <<"hello">>} = gen_tcp:recv(S, 5),
    ok = gen_tcp:send(S, <<"there!">>),
    receive {tcp, C, <<"there!">>} -> ok end,
    gen_tcp:close(S),
    receive {tcp_closed, C} -> ok end,
    gen_tcp:close(L),
    {ok, U} = gen_udp:open(0, [{ip, {127,0,0,1}}, binary]),
    {ok, Un} = inet:port(U),
    tell("udp", U),
    ok = gen_udp:send(U, {127,0,0,1}, Un, <<"seven b">>),
    receive {udp, U, _, _, <<"seven b">>} -> ok end,
    gen_udp:close(U),
    {ok, Z} = socket:open(inet, stream, tcp),
    ok = socket:bind(Z, #{family => inet, addr => {127,0,0,1}, port => 0}),
    ok = socket:listen(Z),
    {ok, #{port := Zn}} = socket:sockname(Z),
    {ok, ZFd} = socket:getopt(Z, otp, fd),
    tell("listen2", 0, ZFd),
    {ok, Y} = socket:open(inet, stream, tcp),
    ok = socket:connect(Y, #{family => inet, addr => {127,0,0,1}, port => Zn}),
    {ok, X} = socket:accept(Z),
    {ok, YFd} = socket:getopt(Y, otp, fd), {ok, XFd} = socket:getopt(X, otp, fd),
    tell("connect2", 0, YFd), tell("accept2", 0, XFd),
    ok = socket:send(Y, <<"echo">>),
    {ok, <<"echo">>} = socket:recv(X, 4),
    socket:close(X), socket:close(Y), socket:close(Z),
    ok.
END
record_module "$T/src" 'socket_*,port_*,message_*,nif_*'
has '^ok$' "$T/erl.log" "the node did its work"
E=$T/events
self=$(sed -n 's/^self //p' "$T/erl.log")
number=$(sed -n 's/^listens //p' "$T/erl.log")
"$bt" dump --json -e socket-open -e socket-close "$T/rec" >"$T/json" 2>"$T/err"
while read -r _ name port fd inode; do
	[ "$port" != 0 ] || port=none
	python3 - "$T/json" "$name" "$port" "$fd" "$inode" "$self" <<-'END' >"$T/out" 2>"$T/err"
		import json, sys
		path, name, port, fd, inode, self = sys.argv[1:]
		opened = closed = 0
		first = last = None
		for line in open(path):
		    e = json.loads(line); a = e["fields"]
		    if int(a["inode"]) != int(inode): continue
		    assert a["fd"] == int(fd), a
		    # A socket of the socket module has given up its owner when it is closed.
		    assert a["owner"] == self or (a["owner"], e["event"], port) == (None, "socket_close", "none"), a
		    assert int(a["cookie"]) > 0, a
		    assert port == "none" or a["socket"] == port, a
		    if e["event"] == "socket_open":
		        assert not closed
		        opened += 1
		        last = a
		    else:
		        closed += 1
		assert opened >= 1, "never opened"
		assert closed == 1, f"closed {closed} times"
		assert last["local"].startswith("127.0.0.1:") and not last["local"].endswith(":0"), last
		if "connect" in name or "accept" in name:
		    assert last["remote"].startswith("127.0.0.1:") and not last["remote"].endswith(":0"), last
		else:
		    assert not last["remote"], last
	END
	ok $? "$name: opened and closed with the kernel's inode $inode, its cookie, descriptor and addresses"
done < <(grep '^sock ' "$T/erl.log")
[ "$(grep -c '^sock ' "$T/erl.log")" = 7 ]
ok $? "all seven of them"
has " socket-open .*local=\"127.0.0.1:$number\"" "$E" "the listening socket has its address"
port=$(sed -n 's/^sock connect \(#Port<[0-9.]*>\) .*/\1/p' "$T/erl.log")
has " port-open .*port_name=\"tcp_inet\" port=$port" "$E" "the port of a connection"
has " port-open .*process=$self port_name=\"tcp_inet\" port=$(sed -n 's/^sock accept \(#Port<[0-9.]*>\) .*/\1/p' "$T/erl.log")" "$E" "the port of what was accepted"
has " port-command .*port=$port .*command_type=command bytes=$((5 + $(tcp_tag)))" "$E" "five bytes sent"
has " port-data .*port=$port owner=$self bytes=6" "$E" "six bytes come in by a message"
has " port-data .*port=$(sed -n 's/^sock accept \(#Port<[0-9.]*>\) .*/\1/p' "$T/erl.log") owner=$self bytes=5" "$E" "five bytes come in that were asked for"
has " port-data .*port=$(sed -n 's/^sock udp \(#Port<[0-9.]*>\) .*/\1/p' "$T/erl.log") owner=$self bytes=7" "$E" "a datagram comes in"
has " nif-entry .*mfa=prim_socket:nif_" "$E" "the socket module's native functions"
plan
