/* What the VM did not know: -1 of what has a sign, 0 of identities, "?" of a string. */
message-send
{
	printf("%d %d, %d %d %d, %d %d\n", args[2], args[6], args[3], args[4], args[5], arg2, arg6);
	@size[args[2]] = count();
	@msg[args[6]] = count();
}

message-send
/args[2] < 0/
{
	@unknown = count();
}

gc_major-end
{
	printf("%d %d %d\n", args[1], args[2], args[3]);
}

port-command
{
	printf("%s %s %d\n", copyinstr(arg2), args[3], args[4]);
}

timer-set
{
	printf("%d %d\n", args[1], args[2]);
}
