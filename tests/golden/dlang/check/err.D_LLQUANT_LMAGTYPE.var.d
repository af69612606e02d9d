//! -n
BEGIN { x = 1; @ = llquantize(1, 10, x, 3, 10); }
