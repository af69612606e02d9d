//! -n
BEGIN { @a = llquantize(1, 1, 0, 3, 10); }
