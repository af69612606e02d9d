#pragma D option quiet
BEGIN
{
	@a["x"] = sum(10); @a["y"] = sum(20); @a["z"] = sum(30); @b["x"] = count(); @c["x"] = sum(1); @c["y"] = sum(2);
	@d[1] = count(); @e["a"] = min(5); @f["a"] = lquantize(15, 0, 100, 10); @f["a"] = lquantize(105, 0, 100, 10);
}
BEGIN { trunc(@a, 2); clear(@b); trunc(@c, -1); trunc(@d); normalize(@f, 2); }
