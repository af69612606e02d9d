//! -n
BEGIN { @a = llquantize(1, 10, 0, 3, 7); }
