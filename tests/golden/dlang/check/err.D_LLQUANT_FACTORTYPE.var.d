//! -n
BEGIN { x = 1; @ = llquantize(1, x, 0, 3, 10); }
