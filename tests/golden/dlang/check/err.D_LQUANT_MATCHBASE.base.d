//! -n
BEGIN { @a = lquantize(1, 0, 10, 2); @a = lquantize(1, 1, 10, 2); }
