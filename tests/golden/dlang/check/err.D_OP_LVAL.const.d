//! -n
BEGIN { 1 = 2; }
