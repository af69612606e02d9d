//! -n
BEGIN { @ = lquantize(1, -5000000000, 10, 1); }
