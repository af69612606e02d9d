#pragma D option quiet
BEGIN
{
	@ = count(); @ = count();
	@b[1] = sum(5); @b[2] = sum(-3);
	@c["x", 2] = avg(10); @c["x", 2] = avg(11); @c["yy", -4] = avg(3);
	@d = min(3); @d = min(-9);
	@e = max(7);
	@f = stddev(1); @f = stddev(5);
	@g["a much longer key string than the usual width of fifty chars or so"] = count();
	@h[1] = sum(12345678901234567);
	@i[(char)1, (short)1, 1, 1ll, (unsigned char)200, (unsigned short)65535, (unsigned int)-1] = count();
	@j[-5] = count(); @j[1] = count(); @j[0] = count();
}
