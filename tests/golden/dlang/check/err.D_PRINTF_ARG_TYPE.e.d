//! -n
BEGIN { printf("%e", 1); }
