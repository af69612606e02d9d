#pragma D option quiet
BEGIN
{
	@a = lquantize(5, 0, 10, 2); @a = lquantize(-1, 0, 10, 2); @a = lquantize(100, 0, 10, 2);
	@b = lquantize(50, 0, 100);
	@c = lquantize(3, 0, 10, 3); @c = lquantize(9, 0, 10, 3);
	@d = llquantize(5, 10, 0, 1, 10); @d = llquantize(-3, 10, 0, 1, 10); @d = llquantize(1000, 10, 0, 1, 10);
	@e = llquantize(3, 2, 0, 5, 2); @e = llquantize(17, 2, 0, 5, 2);
}
