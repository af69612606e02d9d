BEGIN, END
{
	trace(1);
}

dtrace:::BEGIN,
dtrace:::END
/x++ == 0/
{
	;
	trace(2); trace(3)
}

:::ERROR { }
erlang*:::message-send
/args[2] > 100 && /* note */ arg2 / 2 > 50/
{
	@[args[0]] = sum(args[2]);
}
tick-1s { exit(0) }
profile:::profile-97 /0/ { }
