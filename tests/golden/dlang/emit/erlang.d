erlang*:::message-send
/args[2] > 100 && args[1] != "init"/
{
	@[args[0], copyinstr(arg1)] = sum(args[2]);
	sent[args[3]] = timestamp;
	eself->last = args[1];
	printf("%s %s %s %s %s %d", eproc, ename, efunc, eport, enode, esched);
}

erlang*:::message-receive
/sent[args[3]]/
{
	@lat = quantize(timestamp - sent[args[3]]);
	sent[args[3]] = 0;
}
