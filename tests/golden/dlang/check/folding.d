BEGIN
{
	trace(1 << 40); trace(1ull << 40); trace(7 / -2); trace(-7 % 3); trace((uint8_t)300); trace(-1 >> 1);
	trace(0xffffffff); trace(3000000000); trace(2147483648 * 2); trace(2147483647 + 1);
	trace(-9223372036854775807 - 1); trace((char)200); trace((unsigned char)-1); trace(~0u); trace(!5);
	trace(1 ? 2 : 3); trace(1 == 1 && 2 > 3); trace(0xffffffffu > -1); trace((long)-1 < 1u); trace('a' + 1);
	trace(SIGKILL); trace(ENOENT); trace(sizeof(int) * 8); trace(1 ? "a" : 2);
}
