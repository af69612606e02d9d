BEGIN
{
	trace(0); trace(10); trace(0x1F); trace(0777); trace(10u); trace(10UL); trace(10ll); trace(0xffffffffffffffffull);
	trace('a'); trace('\n'); trace('\''); trace('\0'); trace('\377'); trace('ab'); trace('\x41');
}
