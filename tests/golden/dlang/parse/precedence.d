BEGIN
{
	a = b = 1;
	x = 1 + 2 * 3 - 4 / 2 % 3;
	x = 1 << 2 + 3 < 4 == 5 & 6 ^ 7 | 8 && 9 ^^ 10 || 11;
	x = -1 + ~2 * !3;
	x = a ? b : a ? 1 : 2;
	x = a, b;
	x = (a + b) * (a - b);
	y[1, "k"] = a++ + ++b - a-- - --b;
	x = (int)a + (char)(b + 1) + sizeof (int) + sizeof a;
	x = *(int *)a + (&((struct in6_addr *)a)->s6_addr[0])[3];
	this->s = stringof(a);
	@q[probename, a] = quantize(a + 1, 2);
}
