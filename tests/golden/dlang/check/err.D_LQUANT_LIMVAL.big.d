//! -n
BEGIN { @ = lquantize(1, 0, 5000000000, 1); }
