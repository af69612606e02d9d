//! -n
BEGIN { x[1] = 2; x = 1; }
