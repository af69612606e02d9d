//! -n
BEGIN { x = 1; y = x ? "a" : 2; }
