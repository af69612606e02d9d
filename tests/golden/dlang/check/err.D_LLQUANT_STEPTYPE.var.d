//! -n
BEGIN { x = 1; @ = llquantize(1, 10, 0, 3, x); }
