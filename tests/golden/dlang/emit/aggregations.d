BEGIN
{
	@ = count(); @s = sum(arg0); @a["x", pid] = avg(1); @mi[tid] = min(-1); @ma = max(arg1); @sd = stddev(5);
	@q[probename] = quantize(arg2); @q["w"] = quantize(arg2, 3);
	@l = lquantize(arg0, 0, 100, 10); @l = lquantize(5, 0, 100, 10, arg1); @ll = llquantize(arg0, 10, 0, 6, 20);
	@u = sum((uint64_t)1); @k[(char)1, (short)2, 3, 4ll, "five"] = count(); @k[x++, 300, 1ll << 40, 2, "six"] = count();
	@st[stack(3), ustack(), jstack(5, 100)] = count(); @sy[usym(arg0), umod(arg0), func(arg1), sym(arg1), mod(arg1), uaddr(arg0)] = count();
}
END
{
	printa(@); printa("%@d\n", @); printa("%s %d %@5d %@u\n", @a);
	printa(@s, @ma); printa("%@d %@d %@d", @s, @ma);
	normalize(@a, 10); denormalize(@a); trunc(@a, 5); trunc(@a, -5); trunc(@a); clear(@a); normalize(@q, timestamp);
}
