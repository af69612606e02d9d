//! -n
BEGIN { x = 1; @ = lquantize(1, x, 10, 1); }
