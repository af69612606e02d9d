//! -n
BEGIN { x = 1; @ = lquantize(1, 0, x, 1); }
