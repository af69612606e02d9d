int i; unsigned int u; long l; uint64_t q; short s;
BEGIN
{
	l = l + 1; l = l - 1; l = l * 3; l = l / 10; l = l % 10; q = q / 10; q = q % 10; l = l & 7; l = l << 3; l = l >> 3; q = q >> 3;
	l = l / -1; l = l / q; l = i / i; i = i / i; i = i + 1; i = -i; u = ~u; i = s + s; s = i; s++;
	l = l == 5; l = l < 5; l = q < 5; l = u < 5; l = 5 < l; l = q <= l; l = i != u;
	l = l && i; l = l || (i == 1); l = l ^^ i; l = !l;
	l = 0x123456789abcdefull;
}
