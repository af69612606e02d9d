#pragma D option quiet
BEGIN
{
	printf("[%d][%5d][%-5d][%05d][%+d][% d][%x][%X][%#x][%o][%#o][%u][%i]\n", 42, 42, 42, 42, 42, 42, 255, 255, 255, 8, 8, -1, -7);
	printf("[%d][%u][%x]\n", (char)-1, (char)-1, (char)-1);
	printf("[%d][%u][%x]\n", (short)-1, (short)-1, (short)-1);
	printf("[%d][%u][%x]\n", (uint8_t)200, (uint8_t)200, (uint8_t)200);
	printf("[%ld][%lld][%lx][%hx]\n", (long)-1, (long long)-1, (long)-1, (short)-1);
	printf("[%s][%10s][%-10s][%.2s][%c][%5c][%-3c][%%]\n", "abc", "abc", "abc", "abc", 65, 66, 67);
	printf("[%'d][%*d][%-*d][%.*d][%*s]\n", 1234567, 8, 5, 8, 5, 4, 5, -6, "x");
	printf("[%p][%p][%5p][%-8p]\n", (void *)0x1234, 0, 10, 10);
	printf("[%Y][%T]\n", 1700000000000000000, 1700000000000000000);
	printf("[%Y]\n", (int64_t)0);
	printf("[%S][%s]\n", "a\tb\n\001z\"", "a\tb");
	printf("[%05d][%.3d][%+5d][%8.3d][%-8x]\n", -42, 5, 7, 5, 255);
	printf("[%a]\n", 0x1234);
	printf("no conversion, no newline");
}
