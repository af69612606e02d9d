//! -n
BEGIN { printf("x", 1); }
