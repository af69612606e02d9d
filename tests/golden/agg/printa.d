#pragma D option quiet
BEGIN
{
	@a["x", 1] = sum(10); @a["y", 2] = sum(25); @b["x", 1] = count();
	printa("%s|%d|%@d|%@d\n", @a, @b);
	printa(@a, @b);
	printa("%@5u %@x %s\n", @a);
	printa("static\n", @a);
	normalize(@a, 10);
	printa(@a);
	denormalize(@a);
	printa("%s %@d\n", @a);
	printa("%-5s[%3d]%@-6d|\n", @a);
	@q["k", 1] = quantize(10);
	printa("%10s|%-10d|%@d\n", @q);
	printa(@q);
	@n["k", 1] = count();
	printa(@q, @n);
}
