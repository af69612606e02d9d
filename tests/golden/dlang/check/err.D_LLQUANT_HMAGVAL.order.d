//! -n
BEGIN { @a = llquantize(1, 10, 3, 1, 10); }
