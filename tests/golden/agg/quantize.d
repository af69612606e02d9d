#pragma D option quiet
BEGIN
{
	@a = quantize(0); @a = quantize(1); @a = quantize(-1); @a = quantize(100); @a = quantize(100); @a = quantize(-1000);
	@b["k1"] = quantize(5); @b["k2"] = quantize(7); @b["k2"] = quantize(64); @b["k2"] = quantize(8, -3);
	@c = quantize(1, -5); @c = quantize(8, -1);
	@d = quantize(1, 1000); @d = quantize(2, 1);
	@e["a"] = quantize(1000); @e["b"] = quantize(1, 3); @e["c"] = quantize(2);
}
