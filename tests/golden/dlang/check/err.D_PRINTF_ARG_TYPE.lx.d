//! -n
BEGIN { printf("%lx", 1); }
