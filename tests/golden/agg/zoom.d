#pragma D option quiet
BEGIN
{
	@a["one", 1] = sum(10); @a["two", 2] = sum(25); @a["three", 3] = sum(5);
	@b["x"] = sum(-3); @b["y"] = sum(6);
	@c["k1"] = quantize(5); @c["k1"] = quantize(6); @c["k1"] = quantize(70); @c["another key"] = quantize(1, 5); @c["k1"] = quantize(500, 9);
	@d = count();
}
